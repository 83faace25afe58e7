// First-order projective decoding (Eisner 1996): the best tree without crossing arcs, by the chart of projective.hpp
// over MaxPlus.
#pragma once

#include <algorithm>

#include "charts/choice.hpp"
#include "charts/projective.hpp"

namespace treewright {

class Eisner {
 public:
  // arc is nodes x nodes, row-major, head first. Writes heads[0..nodes); heads[0] = -1.
  // Returns the value, -inf when no projective tree is allowed (heads are then all -1).
  double decode(const double *arc, int nodes, bool single_root, int *heads) {
    chart_.inside(arc, nodes, single_root);
    std::fill_n(heads, nodes, -1);
    if (chart_.has_tree()) chart_.read_tree(LargestTerm(), heads);
    return chart_.total();
  }

 private:
  ProjectiveChart<MaxPlus> chart_;
};

}  // namespace treewright
