// First-order projective decoding (Eisner 1996): the best tree with no crossing arcs.
//
//   facing(i, j)     = max over i <= k < j      of  complete(i, k) + complete(j, k + 1)
//   incomplete(h, m) = arc(h, m) + facing(min(h, m), max(h, m))
//   complete(h, m)   = max over k from h to m   of  incomplete(h, k) + complete(k, m)      (k != h)
//
//   multi root   value = complete(0, n)
//   single root  value = max over r of  arc(0, r) + complete(r, 1) + complete(r, n), over words only
//
// h < m reads rightwards and h > m leftwards, so one matrix holds both directions.
// O(n^3) time, O(n^2) space. The forward pass keeps maxima only; backtracing finds each
// argmax again, O(n) a part, so there are no backpointers to store or to get wrong.
#pragma once

#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/rows.hpp"

namespace treewright {

class Eisner {
 public:
  // arc is nodes x nodes, row-major, head first. Writes heads[0..nodes); heads[0] = -1.
  // Returns the value, -inf when no projective tree is allowed (heads are then all -1).
  double decode(const double *arc, int nodes, bool single_root, int *heads) {
    nodes_ = nodes;
    arc_ = arc;
    fill_chart(single_root ? 1 : 0);
    for (int m = 0; m < nodes; ++m) heads[m] = -1;
    const double value = single_root ? open_at_one_root(heads) : open_at_the_wall();
    if (value > forbidden) backtrace(heads);
    return value;
  }

 private:
  double arc(int h, int m) const { return arc_[std::size_t(h) * nodes_ + m]; }

  void fill_chart(int first) {
    incomplete_.resize(nodes_);
    complete_.resize(nodes_);
    complete_of_end_.resize(nodes_);
    for (int i = first; i < nodes_; ++i) complete_(i, i) = complete_of_end_(i, i) = 0;
    for (int width = 1; width < nodes_ - first; ++width) {
      for (int i = first, j = first + width; j < nodes_; ++i, ++j) {
        const double facing = max_of_sums(complete_.at(i, i), complete_.at(j, i + 1), width);
        incomplete_(i, j) = facing + arc(i, j);
        complete_(i, j) = complete_of_end_(j, i) =
            max_of_sums(incomplete_.at(i, i + 1), complete_of_end_.at(j, i + 1), width);
        if (i == 0) continue;  // nothing is the head of the root
        incomplete_(j, i) = facing + arc(j, i);
        complete_(j, i) = complete_of_end_(i, j) = max_of_sums(complete_of_end_.at(i, i), incomplete_.at(j, i), width);
      }
      // The root's leftward half is never asked for, but rows are read whole.
      if (first == 0) complete_(width, 0) = complete_of_end_(0, width) = forbidden;
    }
  }

  double open_at_the_wall() {
    open_.assign({{0, nodes_ - 1}});
    return *complete_.at(0, nodes_ - 1);
  }

  double open_at_one_root(int *heads) {
    const int last = nodes_ - 1;
    double best = forbidden;
    for (int r = 1; r <= last; ++r) {
      const double value = arc(0, r) + *complete_.at(r, 1) + *complete_.at(r, last);
      if (!(value > best)) continue;
      best = value;
      open_.assign({{r, 1}, {r, last}});
    }
    if (best > forbidden) heads[open_.front().first] = 0;
    return best;
  }

  // Each open item is a complete half (h, end): find its last modifier m, then the two halves
  // that face each other between h and m.
  void backtrace(int *heads) {
    while (!open_.empty()) {
      const auto [h, end] = open_.back();
      open_.pop_back();
      if (h == end) continue;
      const int width = h < end ? end - h : h - end;
      const int m = h < end ? h + 1 + argmax_of_sums(incomplete_.at(h, h + 1), complete_of_end_.at(end, h + 1), width)
                            : end + argmax_of_sums(complete_of_end_.at(end, end), incomplete_.at(h, end), width);
      heads[m] = h;
      const int i = h < m ? h : m, j = h < m ? m : h;
      const int k = i + argmax_of_sums(complete_.at(i, i), complete_.at(j, i + 1), j - i);
      open_.insert(open_.end(), {{m, end}, {i, k}, {j, k + 1}});
    }
  }

  int nodes_ = 0;
  const double *arc_ = nullptr;
  Matrix incomplete_, complete_, complete_of_end_;  // complete_of_end(m, h) = complete(h, m)
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
