// First-order projective decoding (Eisner 1996): the best tree without crossing arcs, by the chart of projective.hpp
// over MaxPlus. Scores are taken relative to the best head of each word, so that rounding depends on their differences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "charts/choice.hpp"
#include "charts/projective.hpp"

namespace treewright {

class Eisner {
 public:
  // arc is nodes x nodes, row-major, head first. Writes heads[0..nodes); heads[0] = -1.
  // Returns the value, -inf when no projective tree is allowed (heads are then all -1).
  double decode(const double *arc, int nodes, bool single_root, int *heads) {
    std::fill_n(heads, nodes, -1);
    if (!take_differences(arc, nodes)) return forbidden;
    chart_.inside(relative_.data(), nodes, single_root);
    if (!chart_.has_tree()) return forbidden;
    chart_.read_tree(LargestTerm(), heads);
    double value = 0;
    for (int m = 1; m < nodes; ++m) value += arc[std::size_t(heads[m]) * nodes + m];
    return value;
  }

  // Of the last decode: the best score into each word.
  const double *best() const { return best_.data(); }

 private:
  // False when a word has no head.
  bool take_differences(const double *arc, int nodes) {
    const std::size_t n = nodes;
    best_.assign(n, forbidden);
    relative_.resize(n * n);
    double *best = best_.data();
    for (std::size_t h = 0; h < n; ++h) {
      const double *row = arc + h * n;
      const auto raise = [&](std::size_t begin, std::size_t end) {
#pragma omp simd
        for (std::size_t m = begin; m < end; ++m) best[m] = row[m] > best[m] ? row[m] : best[m];
      };
      raise(1, h), raise(h + 1, n);
    }
    if (std::find(best + 1, best + n, forbidden) != best + n) return false;
    for (std::size_t h = 0; h < n; ++h) {
      const double *row = arc + h * n;
      double *relative = relative_.data() + h * n;
#pragma omp simd
      for (std::size_t m = 1; m < n; ++m) relative[m] = row[m] - best[m];
    }
    return true;
  }

  ProjectiveChart<MaxPlus> chart_;
  std::vector<double> relative_, best_;
};

}  // namespace treewright
