// Log weights with large penalties brought down, for marginals of arcs where every tree has a penalty.
//
// Masks such as -1e9 leave few digits for the other scores in sums with them. Only the order of sizes matters: a tree
// with one more mask than another has no probability beside it. So each group of scores that is far below all others
// (2^20 times as large; not tuned, as in losses.hpp) is moved, as a whole, to where one of them still outweighs all
// scores above it by more than 64, in a tree of n arcs: probabilities change by less than n^n exp(-64). O(n^2 log n).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/scores.hpp"

namespace treewright {

class Penalties {
 public:
  // arc itself when it has none, otherwise a copy with smaller penalties, which lives as long as this object.
  const double *reduce(const double *arc, int nodes) {
    find_groups(arc, nodes);
    if (groups_.empty()) return arc;
    const std::size_t n = nodes;
    reduced_.assign(arc, arc + n * n);
    for (double &score : reduced_) {
      if (!(score <= groups_.front().highest && score > forbidden)) continue;
      auto group = groups_.end() - 1;
      while (score > group->highest) --group;
      score = (score - group->highest) - group->moved_to;
    }
    return reduced_.data();
  }

 private:
  struct Group {
    double highest, moved_to;  // the score, and minus the one that it becomes
  };

  void find_groups(const double *arc, int nodes) {
    constexpr double jump = 1 << 20, margin = 64;
    groups_.clear(), sorted_.clear();
    for (int h = 0; h < nodes; ++h)
      for (int m = 1; m < nodes; ++m) {
        const double score = arc[std::size_t(h) * nodes + m];
        if (h != m && score > forbidden) sorted_.push_back(score);
      }
    std::sort(sorted_.begin(), sorted_.end(), std::greater<double>());
    double size = 1, reduced_size = 1;  // the largest score so far, without signs, and after the change
    for (double score : sorted_) {
      if (-score > jump * size)
        groups_.push_back({score, std::exp2(std::ceil(std::log2(2 * nodes * reduced_size + margin)))});
      size = std::max(size, std::abs(score));
      const double own = groups_.empty() ? score : (score - groups_.back().highest) - groups_.back().moved_to;
      reduced_size = std::max(reduced_size, std::abs(own));
    }
  }

  std::vector<Group> groups_;  // descending
  std::vector<double> sorted_, reduced_;
};

}  // namespace treewright
