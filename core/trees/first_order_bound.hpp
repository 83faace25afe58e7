// The bound of a first-order tree from an exact algorithm, with the rounding of that algorithm counted.
//
// Chu-Liu-Edmonds, and Eisner's chart over scores less the best head of each word, compute with losses (losses.hpp):
// numbers of one sign, or differences that are no larger than the losses they belong to. Each of at most n levels of
// contraction, or 3 n additions, adds one rounding, so that the tree found is the best one under losses with a relative
// error of at most 4 n epsilon. Hence no tree is better by more than 8 n epsilon times the loss of the tree. No
// rounding occurs when every word has its best head, or when all scores are multiples of one unit and of moderate size,
// such as small integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "trees/losses.hpp"
#include "trees/spread.hpp"

namespace treewright {

// Value of a tree, upper bound on the value of every tree, upper bound on what another tree gains, and the spread.
struct Bounds {
  double value = forbidden, bound = forbidden, gap = 0, spread = 0;
};

// Whether scores are multiples of one unit and of moderate size. The unit is a power of two, 2^20 times below the first
// score that is not 0, so that the answer does not depend on the scale; small integers are such multiples. The
// factor is not tuned.
class Multiples {
 public:
  bool has(double score) {
    constexpr double most = 1LL << 40;  // sums of 2^12 such multiples are exact
    if (score == forbidden || score == 0) return true;
    if (scale_ == 0) scale_ = scale_for(score);
    const double multiple = score * scale_;
    return std::abs(multiple) <= most && multiple == std::floor(multiple);
  }

  bool has_all(const std::vector<double> &scores) {
    return std::all_of(scores.begin(), scores.end(), [&](double score) { return has(score); });
  }

 private:
  static double scale_for(double score) {
    constexpr int digits = 20, most_exponent = 1000;  // the scale must be finite
    return std::ldexp(1.0, std::min(digits - std::ilogb(score), most_exponent));
  }

  double scale_ = 0;  // 0: not known yet
};

// An upper bound on what another tree gains over the one found; written again in src/treewright/decode/result.py.
inline double first_order_gap(int nodes, double loss) {
  return 8.0 * nodes * std::numeric_limits<double>::epsilon() * loss;
}

// value + gap, rounded upwards: both the value and this sum were rounded once. As in result.py, where the bound of a
// tree is computed on first use unless it is the value.
inline double first_order_upper_bound(const CheckedSum &sum, double gap) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (gap == 0 && sum.error() == 0) return sum.value();
  return std::nextafter(std::nextafter(sum.value() + gap, infinity), infinity);
}

// Bounds of the tree that has the best head of every word: scores[1..nodes) are those of its arcs.
inline Bounds best_heads_bounds(int nodes, const double *scores) {
  CheckedSum sum;
  for (int m = 1; m < nodes; ++m) sum.add(scores[m]);
  return {sum.value(), first_order_upper_bound(sum, 0), 0, 0};
}

// best[m] is the best score into word m; score(h, m) is that of an arc; all_arcs(test) whether test(m, score) holds for
// every arc. score is -inf for what is no candidate.
template <typename Score, typename AllArcs>
Bounds first_order_bounds(int nodes, const int *heads, const double *best, bool single_root, Score score,
                          AllArcs all_arcs) {
  CheckedSum sum;
  double loss = 0, largest_loss = 0;
  BestSize best_size;
  for (int m = 1; m < nodes; ++m) {
    const double own = score(heads[m], m), lost = best[m] - own;
    sum.add(own);
    loss += lost;
    largest_loss = std::max(largest_loss, lost);
    best_size.add(best[m]);
  }
  if (loss == 0) return {sum.value(), first_order_upper_bound(sum, 0), 0, 0};
  Multiples multiples;
  const bool is_exact = nodes <= (1 << 12) && all_arcs([&](int, double own) { return multiples.has(own); });
  const double gap = is_exact ? 0 : first_order_gap(nodes, loss);
  double spread = loss;
  if (may_have_penalty(largest_loss, best_size.value())) {
    SizeGroups groups;
    all_arcs([&](int m, double own) { return groups.add(best[m] - own), true; });
    std::vector<double> losses;
    double nearest = std::numeric_limits<double>::infinity();
    for (int m = 1; m < nodes; ++m) {
      if (best[m] != 0) nearest = std::min(nearest, std::abs(best[m]));
      losses.push_back(best[m] - score(heads[m], m));
    }
    groups.add_if_least(nearest);
    spread = spread_of(losses, least_penalty(groups.starts(), best_size.value()));
  }
  HeadMargin margin(nodes);
  all_arcs([&](int m, double own) { return margin.add(m, best[m] - own), true; });
  if (needs_random_trees(nodes, spread, margin)) {
    const auto has_arc = [&](int h, int m) { return score(h, m) != forbidden; };
    const auto for_parts_of = [&](const int *tree, auto use) {
      for (int m = 1; m < nodes; ++m) use(score(tree[m], m));
    };
    spread = std::min(spread, TreeWalk().max_spread(nodes, heads, single_root, has_arc, for_parts_of));
  }
  return {sum.value(), first_order_upper_bound(sum, gap), gap, spread};
}

inline Bounds first_order_bounds(const double *arc, int nodes, const int *heads, const double *best, bool single_root) {
  const std::size_t n = nodes;
  const auto all_arcs = [&](auto test) {
    for (std::size_t h = 0; h < n; ++h)
      for (std::size_t m = 1; m < n; ++m)
        if (h != m && !test(int(m), arc[h * n + m])) return false;
    return true;
  };
  return first_order_bounds(nodes, heads, best, single_root, [&](int h, int m) { return arc[h * n + m]; }, all_arcs);
}

}  // namespace treewright
