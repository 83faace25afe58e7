// A sentence without a tree: the fewest trees that cover it, and among as few the best ones.
//
//   cover(0) = (0 trees, value 0)
//   cover(j) = best over i < j and symbols A of  cover(i) + (1 tree, top(A, i, j))
//
// A symbol may be at the top of a tree if is_top says so; the goal is one of a whole sentence among several. Every word
// with a finite lexical score is a tree by itself, so that there is always a cover. O(n^2 S) time after the chart is
// filled.
#pragma once

#include <vector>

#include "grammar/cky.hpp"

namespace treewright {

// Appends the trees of the cover from left to right; returns the sum of their values, -inf where a word has no tree.
inline double read_cover(const CkyChart<MaxPlus> &chart, const bool *is_top, std::vector<ChainNode> &nodes) {
  struct Cover {
    int trees, begin, symbol;
    double value;
  };
  const int words = chart.words(), symbols = chart.rules().symbols();
  std::vector<Cover> covers(words + 1, {words + 1, -1, -1, forbidden});
  covers[0] = {0, -1, -1, 0};
  for (int j = 1; j <= words; ++j)
    for (int i = 0; i < j; ++i) {
      if (covers[i].value == forbidden || covers[i].trees + 1 > covers[j].trees) continue;
      for (int s = 0; s < symbols; ++s) {
        if (!is_top[s]) continue;
        const double value = covers[i].value + (s == chart.rules().goal() ? chart.best_goal(i, j) : chart.top(i, j, s));
        if (value == forbidden) continue;
        const bool is_better = covers[i].trees + 1 < covers[j].trees || value > covers[j].value;
        if (is_better) covers[j] = {covers[i].trees + 1, i, s, value};
      }
    }
  if (covers[words].value == forbidden) return forbidden;
  std::vector<int> ends;
  for (int j = words; j > 0; j = covers[j].begin) ends.push_back(j);
  for (std::size_t e = ends.size(); e-- > 0;) {
    const Cover &cover = covers[ends[e]];
    chart.read_tree(cover.begin, ends[e], cover.symbol, nodes);
  }
  return covers[words].value;
}

}  // namespace treewright
