// The best head of each word, and whether these choices are a tree: then no tree is better, and there is nothing else
// to compute. O(n^2), and for projectivity the sum of the lengths of the arcs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/scores.hpp"

namespace treewright {

class BestHeads {
 public:
  // arc is nodes x nodes, row-major, head first; the diagonal and column 0 are not read.
  void choose(const double *arc, int nodes) {
    constexpr int min_nodes_by_row = 16;  // measured by benchmarks/speed/first_order.py
    arc_ = arc, nodes_ = nodes;
    score.resize(nodes), head.resize(nodes), head_number_.resize(nodes);
    if (nodes >= min_nodes_by_row)
      choose_by_row();
    else
      choose_by_column();
    for (int m = 1; m < nodes; ++m) head[m] = int(head_number_[m]);
  }

  // Space for the choices of a caller: -inf and the head 0.
  void clear(int nodes) {
    nodes_ = nodes;
    score.assign(nodes, forbidden), head.assign(nodes, 0);
  }

  // Whether every word has a choice and choices lead to 0 from everywhere, for a single root by one word only.
  bool are_tree(bool single_root) {
    int root_arcs = 0;
    for (int m = 1; m < nodes_; ++m) {
      if (score[m] == forbidden) return false;
      root_arcs += head[m] == 0;
    }
    if (root_arcs == 0 || (single_root && root_arcs > 1)) return false;
    seen_from_.assign(nodes_, 0);
    for (int m = 1; m < nodes_; ++m) {
      int v = m;
      for (; v != 0 && seen_from_[v] == 0; v = head[v]) seen_from_[v] = m;
      if (v != 0 && seen_from_[v] == m) return false;  // a cycle
    }
    return true;
  }

  // Whether no two arcs cross: the words between the ends of an arc have their heads between or at these ends.
  bool are_projective() const {
    for (int m = 1; m < nodes_; ++m) {
      const int left = std::min(m, head[m]), right = std::max(m, head[m]);
      for (int inner = left + 1; inner < right; ++inner)
        if (head[inner] < left || head[inner] > right) return false;
    }
    return true;
  }

  void copy_to(int *heads) const {
    heads[0] = -1;
    std::copy(head.begin() + 1, head.begin() + nodes_, heads + 1);
  }

  std::vector<double> score;  // of the best head of each word; -inf: it has none
  std::vector<int> head;

 private:
  // A row of scores at a time, along memory. Heads grow from row to row, so the last one that is better is the largest.
  // They are kept as doubles, so that they are computed in the same vector registers as the scores.
  void choose_by_row() {
    double *best = score.data(), *source = head_number_.data();
    std::copy(arc_ + 1, arc_ + nodes_, best + 1);  // the root as head
    std::fill(source, source + nodes_, 0.0);
    for (int h = 1; h < nodes_; ++h) {
      const double *row = arc_ + std::size_t(h) * nodes_, from = h;
      const double best_of_h = best[h], source_of_h = source[h];
#pragma omp simd
      for (int m = 1; m < nodes_; ++m) {
        const double better = row[m] > best[m] ? from : 0;
        best[m] = row[m] > best[m] ? row[m] : best[m];
        source[m] = better > source[m] ? better : source[m];
      }
      best[h] = best_of_h, source[h] = source_of_h;  // a word is not its own head
    }
  }

  // Two columns at a time, in registers: faster where rows are short. The last but one may be computed twice.
  void choose_by_column() {
    if (nodes_ == 2) return choose_for<1>(1);
    for (int m = 1; m < nodes_; m += 2) choose_for<2>(std::min(m, nodes_ - 2));
  }

  // For the words first..first + width - 1; without branches, because which head is better cannot be predicted.
  template <int width>
  void choose_for(int first) {
    double best[width], source[width] = {};
    std::copy_n(arc_ + first, width, best);
    const auto improve = [&](const double *row, double from) {
      for (int k = 0; k < width; ++k) {
        const double better = row[k] > best[k] ? from : 0.0;
        best[k] = std::max(row[k], best[k]);
        source[k] = std::max(better, source[k]);
      }
    };
    const double *row = arc_ + nodes_ + first;
    int h = 1;
    for (; h < first; ++h, row += nodes_) improve(row, h);
    for (; h < first + width; ++h, row += nodes_) {
      double others[width];
      std::copy_n(row, width, others);
      others[h - first] = forbidden;  // a word is not its own head
      improve(others, h);
    }
    for (; h < nodes_; ++h, row += nodes_) improve(row, h);
    std::copy_n(best, width, score.data() + first);
    std::copy_n(source, width, head_number_.data() + first);
  }

  const double *arc_ = nullptr;
  int nodes_ = 0;
  std::vector<double> head_number_;
  std::vector<int> seen_from_;  // the first word from which choices lead to a word; 0: none yet
};

}  // namespace treewright
