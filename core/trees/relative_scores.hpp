// Scores of arcs relative to the best head of each word, so that weights exp(score) lie in 0 .. 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "base/wide_log.hpp"

namespace treewright {

enum class Sums { found, no_tree, out_of_range };

struct RelativeScores {
  std::vector<double> best;  // [m]: in single-root mode among the words, if one of them may be the head
  double root = 0;           // in single-root mode the best of the root's arcs, which are compared with each other only
  double sum = 0;            // of all these

  // arc is nodes x nodes, row-major; its diagonal and column 0 are not read. out_of_range: a double would round scores.
  Sums find(const double *arc, int nodes, bool single_root) {
    const int n = nodes - 1;
    if (single_root)
      best.assign(n, forbidden);
    else
      best.assign(arc + 1, arc + nodes);
    for (int h = 0; h < n; ++h) {
      const double *row = arc + std::size_t(h + 1) * nodes + 1;
      raise(row, 0, h), raise(row, h + 1, n);
    }
    return compare(arc, nodes, single_root);
  }

  // The same where `best` has the scores of the best heads that find() would compare with those of the root.
  Sums compare(const double *arc, int nodes, bool single_root) {
    const int n = nodes - 1;
    double best_of_root = single_root ? forbidden : 0;
    CheckedSum shifts;
    for (int m = 0; m < n; ++m) {
      if (best[m] == forbidden) best[m] = arc[m + 1];
      if (best[m] == forbidden) return Sums::no_tree;
      shifts.add(best[m]);
      if (single_root) best_of_root = std::max(best_of_root, arc[m + 1] - best[m]);
    }
    root = best_of_root;
    if (root == forbidden) return Sums::no_tree;
    shifts.add(root);
    sum = shifts.value();
    return std::abs(root) > 2 * widest_log ? Sums::out_of_range : Sums::found;
  }

 private:
  void raise(const double *row, int begin, int end) {
    for (int m = begin; m < end; ++m) best[m] = row[m] > best[m] ? row[m] : best[m];
  }
};

}  // namespace treewright
