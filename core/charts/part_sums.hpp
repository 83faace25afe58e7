// Sums over all projective trees with siblings, stops and grandparents: log partition and the expectation of every
// part, by the chart of second_order.hpp over logarithms, so that no score is out of range: LogSum, or WideLog where the
// digits of a double would not suffice.
#pragma once

#include <algorithm>
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

  SecondOrderChart<LogSum> chart_;
  SecondOrderChart<WideLog> wide_;
};

}  // namespace treewright
