// The bound of a first-order tree from an exact algorithm, with the rounding of that algorithm counted.
//
// Chu-Liu-Edmonds, and Eisner's chart over scores less the best head of each word, compute with losses (losses.hpp):
// numbers of one sign, or differences that are no larger than the losses they belong to. Each of at most n levels of
// contraction, or 3 n additions, adds one rounding, so that the tree found is the best one under losses with a relative
// error of at most 4 n epsilon. Hence no tree is better by more than 8 n epsilon times the loss of the tree. No
// rounding occurs when every word has its best head, or when all scores are integers of moderate size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "trees/losses.hpp"

namespace treewright {

// Value of a tree, upper bound on the value of every tree, upper bound on what another tree gains, and the spread.
struct Bounds {
  double value = forbidden, bound = forbidden, gap = 0, spread = 0;
};

inline bool is_moderate_integer(double score) {
  constexpr double most = 1LL << 40;  // sums of 2^12 such integers are exact
  return score == forbidden || (std::abs(score) <= most && score == std::floor(score));
}

// best[m] is the best score into word m; score(h, m) is that of an arc; are_integers() whether all scores are.
template <typename Score, typename AreIntegers>
Bounds first_order_bounds(int nodes, const int *heads, const double *best, Score score, AreIntegers are_integers) {
  CheckedSum sum;
  double loss = 0;
  for (int m = 1; m < nodes; ++m) {
    const double own = score(heads[m], m);
    sum.add(own);
    loss += best[m] - own;
  }
  if (loss == 0) return {sum.value(), sum.upper_bound(0), 0, 0};
  const bool is_exact = nodes <= (1 << 12) && are_integers();
  const double gap = is_exact ? 0 : 8.0 * nodes * std::numeric_limits<double>::epsilon() * loss;
  std::vector<double> losses;
  double largest = 0;
  for (int m = 1; m < nodes; ++m) {
    losses.push_back(best[m] - score(heads[m], m));
    largest = std::max(largest, std::abs(best[m]));
  }
  return {sum.value(), sum.upper_bound(gap), gap, spread_of(losses, largest)};
}

inline Bounds first_order_bounds(const double *arc, int nodes, const int *heads, const double *best) {
  const std::size_t n = nodes;
  const auto are_integers = [&] {
    for (std::size_t h = 0; h < n; ++h)
      for (std::size_t m = 1; m < n; ++m)
        if (h != m && !is_moderate_integer(arc[h * n + m])) return false;
    return true;
  };
  return first_order_bounds(nodes, heads, best, [&](int h, int m) { return arc[h * n + m]; }, are_integers);
}

}  // namespace treewright
