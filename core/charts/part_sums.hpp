// Sums over all projective trees with siblings, stops and grandparents: log partition and the expectation of every
// part, by the chart of second_order.hpp.
//
// Real, several times faster than logarithms, is used where it loses nothing. A tree has for each word one arc, one
// sibling part, at most one grandparent part and two stops; the largest sum of these is subtracted from all arcs into
// the word, so that no tree weighs more than 1. There are fewer than 6.75^n projective trees over n words, so that no
// item of the chart, and nothing by which one is multiplied, weighs more than 6.75^n, times the weights of at most four
// parts of words that are still incomplete. If the sum of all trees exceeds the smallest double by more than that for
// each of fewer than n^4 items, what was lost to underflow is below the rounding error. Otherwise logarithms are summed:
// LogSum, or WideLog where the digits of a double would not suffice.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/wide_log.hpp"
#include "charts/second_order.hpp"

namespace treewright {

inline bool is_wide(const Parts &parts) {
  return is_wide(parts.arc.data(), parts.arc.size()) || is_wide(parts.transitions.data(), parts.transitions.size()) ||
         is_wide(parts.grands.data(), parts.grands.size());
}

class PartSums {
 public:
  // The log partition, -inf when there is no tree. Writes the expectations in the place of the scores of `expected`, a
  // copy of `parts`.
  double run(const Parts &parts, bool single_root, Parts &expected) {
    for (std::vector<double> *scores : {&expected.arc, &expected.transitions, &expected.grands})
      std::fill(scores->begin(), scores->end(), 0.0);
    double log_partition;
    if (run_real(parts, single_root, expected, &log_partition)) return log_partition;
    return is_wide(parts) ? run(wide_, parts, single_root, expected) : run(chart_, parts, single_root, expected);
  }

  // The entropy of the distribution over trees, for scores of any size; -inf when there is no tree.
  double entropy(const Parts &parts, bool single_root) {
    const WideWeight total = wide_.inside(parts, single_root);
    return total.is_zero ? forbidden : std::max(0.0, total.entropy);
  }

 private:
  template <typename Semiring>
  static double run(SecondOrderChart<Semiring> &chart, const Parts &parts, bool single_root, Parts &expected) {
    const double log_partition = Semiring::log(chart.inside(parts, single_root));
    if (log_partition > forbidden) chart.expectations(expected);
    return log_partition;
  }

  // False, before anything is written, when weights may be out of range or when there is no tree.
  bool run_real(const Parts &parts, bool single_root, Parts &expected, double *log_partition) {
    constexpr double max_log_weight = 100;  // not tuned
    constexpr double smallest = -690;       // below the logarithm of 1e-299: products of what is left are normal
    constexpr double log_trees = 1.91;      // of 6.75, for each word
    constexpr double digits = 60;           // of 1e-26: the rounding error, of items with an expectation of 1e-9
    weights_ = parts;
    double largest = 0;
    for (std::vector<double> *scores : {&weights_.transitions, &weights_.grands})
      for (double &score : *scores) {
        if (score > forbidden) largest = std::max(largest, std::abs(score));
        score = std::exp(score);
      }
    if (!(largest < max_log_weight)) return false;
    double lost = 0;
    for (int m = 1; m < parts.nodes; ++m) {
      double best = forbidden;
      for (int k = parts.in_begin[m]; k < parts.in_begin[m + 1]; ++k)
        best = std::max(best, best_with(parts, parts.in_arc[k]));
      for (const int side : {2 * m, 2 * m + 1}) best += best_stop(parts, side);
      if (!(best > forbidden)) return false;
      for (int k = parts.in_begin[m]; k < parts.in_begin[m + 1]; ++k)
        weights_.arc[parts.in_arc[k]] = std::exp(parts.arc[parts.in_arc[k]] - best);
      lost += best;
    }
    const double total = std::log(real_.inside(weights_, single_root)), words = parts.nodes - 1;
    const double needed = smallest + 2 * log_trees * words + 4 * std::log(words) + 8 * largest + digits;
    if (!(total > needed && std::isfinite(total))) return false;
    real_.expectations(expected);
    *log_partition = total + lost;
    return true;
  }

  // The largest score of an arc together with its sibling part and its grandparent part.
  static double best_with(const Parts &parts, int e) {
    const int h = parts.head[e], side = Parts::side_of(h, parts.modifier[e]), q = parts.rank_out(e);
    double sibling = parts.has_transitions() ? forbidden : 0, grand = 0;
    for (int p = 0; parts.has_transitions() && p <= q; ++p) sibling = std::max(sibling, parts.transition(side, p, q));
    if (parts.has_grand() && h > 0) {
      if (!parts.outermost) grand = forbidden;
      for (int k = parts.in_begin[h]; k < parts.in_begin[h + 1]; ++k)
        grand = std::max(grand, parts.grand(parts.in_arc[k], e));
    }
    return parts.arc[e] + sibling + grand;
  }

  static double best_stop(const Parts &parts, int side) {
    if (!parts.has_transitions()) return 0;
    double best = forbidden;
    for (int p = 0, end = parts.side_size(side); p <= end; ++p) best = std::max(best, parts.transition(side, p, end));
    return best;
  }

  Parts weights_{1, 0, nullptr, nullptr, nullptr};
  SecondOrderChart<Real> real_;
  SecondOrderChart<LogSum> chart_;
  SecondOrderChart<WideLog> wide_;
};

}  // namespace treewright
