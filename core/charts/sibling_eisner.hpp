// Second-order projective decoding with siblings and stops (Eisner 1996; McDonald & Pereira 2006, Figure 4).
//
// A half is a head h with all its modifiers on one side, up to the boundary b before node b: b > h covers
// h .. b - 1 rightwards, b <= h covers b .. h leftwards. Two halves that meet share their boundary.
//
//   half(h, h + 1)   = stop(h, h, right),  half(h, h) = stop(h, h, left)                 no modifier
//   pair(s, m)       = max over s < b <= m      of  half(s, b) + half(m, b)               siblings s < m
//   incomplete(h, m) = arc(h, m) + max( half(m, h') + sib(h, m, h),                        m the first; h' = h + 1 or h
//                                       max over s between  of  incomplete(h, s) + pair(s, m) + sib(h, m, s) )
//   half(h, b)       = max over modifiers m up to b  of  incomplete(h, m) + stop(h, m) + half(m, b)
//
//   multi root   value = half(0, n + 1)
//   single root  value = max over r of  arc(0, r) + sib(0, r, 0) + stop(0, r) + half(r, 1) + half(r, n + 1)
//
// O(n^3) time, O(n^2) space beside the scores. Halves are kept by head and by boundary and pairs both ways round,
// so that every inner loop walks along rows; argmaxima are found again while backtracing.
//
// SiblingEisner reads whole arrays. PrunedSiblingEisner reads Parts: it visits candidate arcs only, so that beside
// the pairs that some head may have as siblings it costs O(n) a candidate arc.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/rows.hpp"
#include "trees/parts.hpp"

namespace treewright {

class SiblingEisner {
 public:
  // arc[h, m], sib[h, m, s], stop[h, s, side] over nodes, row-major; sib and stop may be null. Writes
  // heads[0..nodes); heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(int nodes, const double *arc, const double *sib, const double *stop, bool single_root, int *heads) {
    nodes_ = nodes, arc_ = arc, sib_ = sib, stop_ = stop;
    fill_chart(single_root ? 1 : 0);
    std::fill_n(heads, nodes, -1);
    const double value = single_root ? open_at_one_root(heads) : open_at_the_wall();
    if (value > forbidden) backtrace(heads);
    return value;
  }

 private:
  double arc(int h, int m) const { return arc_[std::size_t(h) * nodes_ + m]; }
  // Along s; zeros when there are no sibling scores.
  const double *sib(int h, int m) const { return sib_ ? sib_ + (std::size_t(h) * nodes_ + m) * nodes_ : zeros_.data(); }
  double stop(int h, int s, int side) const { return stop_ ? stop_[(std::size_t(h) * nodes_ + s) * 2 + side] : 0; }

  void set_half(int h, int b, double value) { half_(h, b) = half_of_boundary_(b, h) = value; }
  double half(int h, int b) const { return *half_.at(h, b); }

  void fill_chart(int first) {
    for (Matrix *chart : {&half_, &half_of_boundary_, &pair_, &incomplete_, &closed_}) chart->resize(nodes_ + 1);
    if (int(zeros_.size()) < nodes_) zeros_.assign(nodes_, 0.0);
    for (int j = first; j < nodes_; ++j) {
      set_half(j, j + 1, stop(j, j, 1));
      if (j > 0) set_half(j, j, stop(j, j, 0));
      for (int i = j - 1; i >= first; --i) {
        fetch_siblings(i - 1, j);
        incomplete_(i, j) = arc(i, j) + before(i, j, i + 1);
        closed_(i, j) = *incomplete_.at(i, j) + stop(i, j, 1);
        set_half(i, j + 1, max_of_sums(closed_.at(i, i + 1), half_of_boundary_.at(j + 1, i + 1), j - i));
        if (i == 0) continue;  // nothing is the head of the root, and it has no sibling
        pair_(i, j) = pair_(j, i) = max_of_sums(half_.at(i, i + 1), half_.at(j, i + 1), j - i);
        incomplete_(j, i) = arc(j, i) + before(j, i, j);
        closed_(j, i) = *incomplete_.at(j, i) + stop(j, i, 0);
        set_half(j, i, max_of_sums(closed_.at(j, i), half_of_boundary_.at(i, i), j - i));
      }
    }
  }

  // The sibling scores of long sentences lie in memory, a row an arc: they are asked for one step ahead.
  void fetch_siblings(int i, int j) const {
    if (!sib_ || i < 0) return;
    prefetch(sib(i, j) + i + 1, j - i - 1);
    if (i > 0) prefetch(sib(j, i) + i + 1, j - i - 1);
  }

  // The best of what lies between h and m, whose inner half ends at the boundary beside h.
  double before(int h, int m, int inner) const {
    const int s = std::min(h, m) + 1, count = std::abs(h - m) - 1;
    const double first = half(m, inner) + sib(h, m)[h];
    const double later = max_of_sums(incomplete_.at(h, s), pair_.at(m, s), sib(h, m) + s, count);
    return std::max(first, later);
  }

  double open_at_the_wall() {
    open_.assign({{0, nodes_}});
    return half(0, nodes_);
  }

  double open_at_one_root(int *heads) {
    double best = forbidden;
    for (int r = 1; r < nodes_; ++r) {
      const double value = arc(0, r) + sib(0, r)[0] + stop(0, r, 1) + half(r, 1) + half(r, nodes_);
      if (!(value > best)) continue;
      best = value;
      open_.assign({{r, 1}, {r, nodes_}});
    }
    if (best > forbidden) heads[open_.front().first] = 0;
    return best;
  }

  // Each open item is a half (h, b): find its outermost modifier, then its siblings inwards.
  void backtrace(int *heads) {
    while (!open_.empty()) {
      const auto [h, b] = open_.back();
      open_.pop_back();
      if (b == h || b == h + 1) continue;
      const int from = h < b ? h + 1 : b, count = h < b ? b - h - 1 : h - b;
      int m = from + argmax_of_sums(closed_.at(h, from), half_of_boundary_.at(b, from), count);
      open_.push_back({m, b});
      while (m != h) {
        heads[m] = h;
        m = open_inner_halves(h, m);
      }
    }
  }

  // Opens what lies between m and its inner sibling, which it returns, or h when there is none.
  int open_inner_halves(int h, int m) {
    const int from = std::min(h, m) + 1, count = std::abs(h - m) - 1, inner = h < m ? h + 1 : h;
    const int s = from + argmax_of_sums(incomplete_.at(h, from), pair_.at(m, from), sib(h, m) + from, count);
    if (count == 0 || half(m, inner) + sib(h, m)[h] >= *incomplete_.at(h, s) + *pair_.at(m, s) + sib(h, m)[s]) {
      open_.push_back({m, inner});
      return h;
    }
    const int i = std::min(s, m), j = std::max(s, m);
    const int b = i + 1 + argmax_of_sums(half_.at(i, i + 1), half_.at(j, i + 1), j - i);
    open_.insert(open_.end(), {{s, b}, {m, b}});
    return s;
  }

  int nodes_ = 0;
  const double *arc_ = nullptr, *sib_ = nullptr, *stop_ = nullptr;
  Matrix half_, half_of_boundary_, pair_, incomplete_, closed_;  // closed: incomplete and the stop after it
  std::vector<double> zeros_;
  std::vector<std::pair<int, int>> open_;
};

class PrunedSiblingEisner {
 public:
  double decode(const Parts &parts, bool single_root, int *heads) {
    parts_ = &parts;
    nodes_ = parts.nodes;
    find_possible_siblings();
    fill_chart(single_root ? 1 : 0);
    std::fill_n(heads, nodes_, -1);
    const double value = single_root ? open_at_one_root(heads) : open_at_the_wall();
    if (value > forbidden) backtrace(heads);
    return value;
  }

 private:
  double step(int side, int p, int q) const { return parts_->has_transitions() ? parts_->transition(side, p, q) : 0; }
  double stop(int side, int p) const { return step(side, p, parts_->side_size(side)); }
  void set_half(int h, int b, double value) { half_(h, b) = half_of_boundary_(b, h) = value; }
  double half(int h, int b) const { return *half_.at(h, b); }

  void find_possible_siblings() {
    siblings_.assign(std::size_t(nodes_) * nodes_, 0);
    for (int side = 1; side < 2 * nodes_; ++side) {
      const int *m = parts_->modifier.data() + parts_->side_begin[side], count = parts_->side_size(side);
      for (int p = 0; p < count; ++p)
        for (int q = p + 1; q < count; ++q)
          siblings_[std::size_t(std::min(m[p], m[q])) * nodes_ + std::max(m[p], m[q])] = 1;
    }
  }

  void fill_chart(int first) {
    for (Matrix *chart : {&half_, &half_of_boundary_, &pair_}) chart->resize(nodes_ + 1);
    const int arcs = parts_->arcs();
    if (int(closed_.size()) < arcs) incomplete_.resize(arcs), closed_.resize(arcs);
    reached_.assign(2 * nodes_, 0);
    for (int j = first; j < nodes_; ++j) {
      set_half(j, j + 1, stop(2 * j + 1, 0));
      if (j > 0) set_half(j, j, stop(2 * j, 0));
      // Arcs into j from the left come by decreasing head, arcs of j to the left outwards, both as i goes down.
      int in = parts_->in_begin[j];
      while (in < parts_->in_begin[j + 1] && parts_->head[parts_->in_arc[in]] < j) ++in;
      int out = parts_->side_begin[2 * j];
      const int out_end = parts_->side_begin[2 * j + 1];
      for (int i = j - 1; i >= first; --i) {
        if (i > 0 && siblings_[std::size_t(i) * nodes_ + j])
          pair_(i, j) = pair_(j, i) = max_of_sums(half_.at(i, i + 1), half_.at(j, i + 1), j - i);
        if (in > parts_->in_begin[j] && parts_->head[parts_->in_arc[in - 1]] == i) {
          complete_arc(parts_->in_arc[--in], 2 * i + 1, i + 1);
          ++reached_[2 * i + 1];
        }
        set_half(i, j + 1, best_half(2 * i + 1, j + 1));
        if (i == 0) continue;  // nothing is the head of the root
        if (out < out_end && parts_->modifier[out] == i) {
          complete_arc(out++, 2 * j, j);
          ++reached_[2 * j];
        }
        set_half(j, i, best_half(2 * j, i));
      }
    }
  }

  void complete_arc(int id, int side, int inner) {
    const int begin = parts_->side_begin[side], q = id - begin, m = parts_->modifier[id];
    double best = half(m, inner) + step(side, 0, q);
    for (int p = 0; p < q; ++p) {
      const double value = incomplete_[begin + p] + *pair_.at(m, parts_->modifier[begin + p]) + step(side, p + 1, q);
      best = value > best ? value : best;
    }
    incomplete_[id] = parts_->arc[id] + best;
    closed_[id] = incomplete_[id] + stop(side, q + 1);
  }

  // Over the candidates of the side that lie within the boundary.
  double best_half(int side, int b) const {
    const double *row = half_of_boundary_.at(b, 0);
    double best = forbidden;
    for (int id = parts_->side_begin[side]; id < parts_->side_begin[side] + reached_[side]; ++id) {
      const double value = closed_[id] + row[parts_->modifier[id]];
      best = value > best ? value : best;
    }
    return best;
  }

  double open_at_the_wall() {
    open_.assign({{0, nodes_}});
    return half(0, nodes_);
  }

  double open_at_one_root(int *heads) {
    double best = forbidden;
    for (int q = 0; q < parts_->side_size(1); ++q) {
      const int id = parts_->side_begin[1] + q, r = parts_->modifier[id];
      const double value = parts_->arc[id] + step(1, 0, q) + stop(1, q + 1) + half(r, 1) + half(r, nodes_);
      if (!(value > best)) continue;
      best = value;
      open_.assign({{r, 1}, {r, nodes_}});
    }
    if (best > forbidden) heads[open_.front().first] = 0;
    return best;
  }

  void backtrace(int *heads) {
    while (!open_.empty()) {
      const auto [h, b] = open_.back();
      open_.pop_back();
      if (b == h || b == h + 1) continue;
      int id = outermost(h, b);
      open_.push_back({parts_->modifier[id], b});
      while (id >= 0) {
        heads[parts_->modifier[id]] = h;
        id = open_inner_halves(h, id);
      }
    }
  }

  int outermost(int h, int b) const {
    const int side = 2 * h + (h < b);
    int best = -1;
    double best_value = forbidden;
    for (int id = parts_->side_begin[side]; id < parts_->side_begin[side + 1]; ++id) {
      const int m = parts_->modifier[id];
      if (h < b ? m >= b : m < b) break;
      const double value = closed_[id] + half(m, b);
      if (value > best_value) best = id, best_value = value;
    }
    return best;
  }

  // Opens what lies between an arc's modifier and its inner sibling, whose arc it returns; -1 when there is none.
  int open_inner_halves(int h, int id) {
    const int m = parts_->modifier[id], side = 2 * h + (h < m), begin = parts_->side_begin[side], q = id - begin;
    const int inner = h < m ? h + 1 : h;
    double best_value = half(m, inner) + step(side, 0, q);
    int best = -1;
    for (int p = 0; p < q; ++p) {
      const double value = incomplete_[begin + p] + *pair_.at(m, parts_->modifier[begin + p]) + step(side, p + 1, q);
      if (value > best_value) best = begin + p, best_value = value;
    }
    if (best < 0) {
      open_.push_back({m, inner});
      return -1;
    }
    const int s = parts_->modifier[best], i = std::min(s, m), j = std::max(s, m);
    const int b = i + 1 + argmax_of_sums(half_.at(i, i + 1), half_.at(j, i + 1), j - i);
    open_.insert(open_.end(), {{s, b}, {m, b}});
    return best;
  }

  const Parts *parts_ = nullptr;
  int nodes_ = 0;
  Matrix half_, half_of_boundary_, pair_;
  std::vector<double> incomplete_, closed_;  // of each arc
  std::vector<int> reached_;                 // candidates of each side within the spans seen so far
  std::vector<char> siblings_;               // i * nodes + j: some head may have i < j as adjacent modifiers
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
