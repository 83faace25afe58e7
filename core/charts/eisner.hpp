// First-order projective decoding (Eisner 1996): the best tree without crossing arcs, by the chart of projective.hpp
// over MaxPlus. Scores are taken relative to the best head of each word, so that rounding depends on their differences.
// Where the best heads of all words are a projective tree, no chart is needed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "charts/choice.hpp"
#include "charts/projective.hpp"
#include "trees/best_heads.hpp"

namespace treewright {

class Eisner {
 public:
  // arc is nodes x nodes, row-major, head first. Writes heads[0..nodes); heads[0] = -1.
  // Returns the value, -inf when no projective tree is allowed (heads are then all -1).
  double decode(const double *arc, int nodes, bool single_root, int *heads) {
    if (!find(arc, nodes, single_root, heads)) return forbidden;
    double value = 0;
    for (int m = 1; m < nodes; ++m) value += arc[std::size_t(heads[m]) * nodes + m];
    return value;
  }

  // Writes the heads and returns whether there is a tree, without its value.
  bool find(const double *arc, int nodes, bool single_root, int *heads) {
    best_.choose(arc, nodes);
    has_best_heads_ = best_.are_tree(single_root) && best_.are_projective();
    if (!has_best_heads_) return fill_chart(arc, nodes, single_root, heads);
    best_.copy_to(heads);
    return true;
  }

  // Of the last decode: the best head of each word, and whether they are the tree.
  const BestHeads &best() const { return best_; }
  bool has_best_heads() const { return has_best_heads_; }

 private:
  bool fill_chart(const double *arc, int nodes, bool single_root, int *heads) {
    std::fill_n(heads, nodes, -1);
    const auto begin = best_.score.begin() + 1, end = best_.score.begin() + nodes;
    if (std::find(begin, end, forbidden) != end) return false;
    chart_.inside(arc, nodes, single_root, 0, best_.score.data());
    if (!chart_.has_tree()) return false;
    chart_.read_tree(LargestTerm(), heads);
    return true;
  }

  ProjectiveChart<MaxPlus> chart_;
  BestHeads best_;
  bool has_best_heads_ = false;
};

}  // namespace treewright
