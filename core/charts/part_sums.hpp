// Sums over all projective trees with siblings, stops and grandparents: log partition and the expectation of every
// part, by the chart of second_order.hpp over logarithms, so that no score is out of range.
#pragma once

#include <algorithm>
#include <vector>

#include "charts/second_order.hpp"

namespace treewright {

class PartSums {
 public:
  // The log partition, -inf when there is no tree. Writes the expectations in the place of the scores of `expected`, a
  // copy of `parts`.
  double run(const Parts &parts, bool single_root, Parts &expected) {
    const double log_partition = chart_.inside(parts, single_root);
    for (std::vector<double> *scores : {&expected.arc, &expected.transitions, &expected.grands})
      std::fill(scores->begin(), scores->end(), 0.0);
    if (log_partition > forbidden) chart_.expectations(expected);
    return log_partition;
  }

 private:
  SecondOrderChart<LogSum> chart_;
};

}  // namespace treewright
