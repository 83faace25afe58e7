// Projective decoding with grandparents, siblings and stops (Koo & Collins 2010), by the chart of second_order.hpp over
// MaxPlus.
#pragma once

#include <algorithm>

#include "charts/choice.hpp"
#include "charts/second_order.hpp"

namespace treewright {

class GrandEisner {
 public:
  // Writes heads[0..nodes); heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(const Parts &parts, bool single_root, int *heads) {
    const double value = chart_.inside(parts, single_root);
    std::fill_n(heads, parts.nodes, -1);
    if (value > forbidden) chart_.read_tree(LargestTerm(), heads);
    return value;
  }

  // An upper bound of the memory that decode holds for these parts.
  static double bytes(const Parts &parts) {
    double cells = 2.0 * (parts.arcs() + 1) * (parts.nodes + 1);
    for (int h = 0; h < parts.nodes; ++h) cells += double(std::max(parts.in_size(h), 1)) * parts.out_size(h);
    for (int side = 0; side < 2 * parts.nodes; ++side) cells += double(parts.side_size(side)) * parts.side_size(side);
    return sizeof(double) * cells;
  }

 private:
  SecondOrderChart<MaxPlus> chart_;
};

}  // namespace treewright
