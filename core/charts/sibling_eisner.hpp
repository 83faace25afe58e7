// Second-order projective decoding with siblings and stops (Eisner 1996; McDonald & Pereira 2006, Figure 4).
//
// This is the chart of second_order.hpp for heads with one state. The halves of two siblings then meet in the same way
// under every head, so that one pair of words is one item. Halves are as in projective.hpp:
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
// O(n^3) time, O(n^2) space beside the scores. Halves are stored by head and by boundary and pairs in both orders, so
// that the inner loops run along rows; argmaxima are computed again while backtracing.
//
// Only the candidate arcs of Parts are enumerated, which costs O(n) a candidate arc beside the pairs that may be
// siblings under some head.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/rows.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct SiblingItems {
  Matrix half, half_of_boundary, pair;  // half_of_boundary(b, h) = half(h, b)

  void resize(int nodes) {
    for (Matrix *chart : {&half, &half_of_boundary, &pair}) chart->resize(nodes + 1);
  }
  void set_half(int h, int b, double value) { half(h, b) = half_of_boundary(b, h) = value; }
  void set_pair(int i, int j) { pair(i, j) = pair(j, i) = max_of_sums(half.at(i, i + 1), half.at(j, i + 1), j - i); }
  int boundary_between(int i, int j) const {
    return i + 1 + argmax_of_sums(half.at(i, i + 1), half.at(j, i + 1), j - i);
  }
};

// The candidate arcs of Parts; the modifiers of a side outwards from its head.
class SiblingArcs {
 public:
  void load(const Parts &parts) {
    parts_ = &parts;
    nodes_ = parts.nodes;
    if (int(closed_.size()) < parts.arcs()) incomplete_.resize(parts.arcs()), closed_.resize(parts.arcs());
    added_.assign(2 * nodes_, 0);
    id_.assign(std::size_t(nodes_) * nodes_, -1);
    for (int e = 0; e < parts.arcs(); ++e) id_[std::size_t(parts.head[e]) * nodes_ + parts.modifier[e]] = e;
    find_possible_siblings();
  }

  // Whether some head may have i and j as adjacent modifiers.
  bool may_be_siblings(int i, int j) const { return siblings_[std::size_t(i) * nodes_ + j]; }
  // stop(h, h, right)
  double no_modifier(int h, int right) const { return step(2 * h + right, 0, parts_->side_size(2 * h + right)); }

  struct Arc {
    int id, side, rank;  // the number of the arc, -1 for no candidate; its place on its side
    explicit operator bool() const { return id >= 0; }
  };
  Arc find(int h, int m) const {
    const int id = id_[std::size_t(h) * nodes_ + m], side = Parts::side_of(h, m);
    return {id, side, id - parts_->side_begin[side]};
  }
  // arc(h, m), stop(h, m), sib(h, m, h)
  double score(Arc arc) const { return parts_->arc[arc.id]; }
  double stop(Arc arc) const { return step(arc.side, arc.rank + 1, parts_->side_size(arc.side)); }
  double first(Arc arc) const { return step(arc.side, 0, arc.rank); }

  // The number of inner siblings, the k-th of them, and their terms of incomplete(h, m).
  int inner(Arc arc) const { return arc.rank; }
  int inner_sibling(Arc arc, int k) const { return parts_->modifier[arc.id - arc.rank + k]; }
  auto later(Arc arc, const SiblingItems &items) const {
    const int begin = arc.id - arc.rank, *s = parts_->modifier.data() + begin;
    const double *incomplete = incomplete_.data() + begin, *pair = items.pair.at(parts_->modifier[arc.id], 0);
    const double *steps = parts_->has_transitions() ? parts_->transitions.data() + later_steps(arc) : nullptr;
    const std::size_t stride = parts_->side_size(arc.side) + 1;
    return [=](int k) { return incomplete[k] + pair[s[k]] + (steps ? steps[k * stride] : 0); };
  }
  // Stores incomplete(h, m).
  void add(Arc arc, double incomplete) {
    incomplete_[arc.id] = incomplete;
    closed_[arc.id] = incomplete + stop(arc);
    ++added_[arc.side];
  }

  // A plain loop: a side has few candidates.
  template <typename Term>
  static double max(int count, Term term) {
    double best = forbidden;
    for (int k = 0; k < count; ++k) {
      const double value = term(k);
      best = value > best ? value : best;
    }
    return best;
  }

  // The number of modifiers up to b, while the chart is filled and afterwards; the k-th of them, and their terms of
  // half(h, b).
  int added(int h, int b) const { return added_[2 * h + (h < b)]; }
  int within(int h, int b) const {
    const int side = 2 * h + (h < b), *m = parts_->modifier.data() + parts_->side_begin[side];
    int count = 0;
    while (count < parts_->side_size(side) && (h < b ? m[count] < b : m[count] >= b)) ++count;
    return count;
  }
  int modifier(int h, int b, int k) const { return parts_->modifier[parts_->side_begin[2 * h + (h < b)] + k]; }
  auto closed(int h, int b, const SiblingItems &items) const {
    const int begin = parts_->side_begin[2 * h + (h < b)], *m = parts_->modifier.data() + begin;
    const double *closed = closed_.data() + begin, *half = items.half_of_boundary.at(b, 0);
    return [=](int k) { return closed[k] + half[m[k]]; };
  }

 private:
  double step(int side, int p, int q) const { return parts_->has_transitions() ? parts_->transition(side, p, q) : 0; }

  // Where the scores of an arc after each inner sibling begin.
  std::size_t later_steps(Arc arc) const {
    return parts_->transition_begin[arc.side] + parts_->side_size(arc.side) + 1 + arc.rank;
  }

  void find_possible_siblings() {
    siblings_.assign(std::size_t(nodes_) * nodes_, 0);
    for (int side = 1; side < 2 * nodes_; ++side) {
      const int *m = parts_->modifier.data() + parts_->side_begin[side], count = parts_->side_size(side);
      for (int p = 0; p < count; ++p)
        for (int q = p + 1; q < count; ++q)
          siblings_[std::size_t(std::min(m[p], m[q])) * nodes_ + std::max(m[p], m[q])] = 1;
    }
  }

  const Parts *parts_ = nullptr;
  int nodes_ = 0;
  std::vector<double> incomplete_, closed_;  // of each arc; closed: incomplete and the stop after it
  std::vector<int> added_;                   // candidates of each side within the spans seen so far
  std::vector<int> id_;                      // h * nodes + m: the number of the arc, -1 for no candidate
  std::vector<char> siblings_;               // i * nodes + j: some head may have i < j as adjacent modifiers
};

class SiblingEisner {
 public:
  // Grandparent scores are not read.
  // Writes heads[0..nodes); heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(const Parts &parts, bool single_root, int *heads) {
    nodes_ = parts.nodes;
    arcs_.load(parts);
    fill_chart(single_root ? 1 : 0);
    std::fill_n(heads, nodes_, -1);
    const double value = single_root ? choose_root(heads) : start_at_node_0();
    if (value > forbidden) backtrace(heads);
    return value;
  }

 private:
  double half(int h, int b) const { return *items_.half.at(h, b); }
  // The boundary beside h on the side of m.
  static int inner_boundary(int h, int m) { return h < m ? h + 1 : h; }

  void fill_chart(int first) {
    items_.resize(nodes_);
    for (int j = first; j < nodes_; ++j) {
      items_.set_half(j, j + 1, arcs_.no_modifier(j, 1));
      if (j > 0) items_.set_half(j, j, arcs_.no_modifier(j, 0));
      for (int i = j - 1; i >= first; --i) {
        complete_arc(i, j, i + 1);
        complete_half(i, j + 1);
        if (i == 0) continue;  // node 0 has no head and no sibling
        if (arcs_.may_be_siblings(i, j)) items_.set_pair(i, j);
        complete_arc(j, i, j);
        complete_half(j, i);
      }
    }
  }

  // `inner` is the boundary beside h.
  void complete_arc(int h, int m, int inner) {
    const auto arc = arcs_.find(h, m);
    if (!arc) return;
    const double first = half(m, inner) + arcs_.first(arc);
    const double later = SiblingArcs::max(arcs_.inner(arc), arcs_.later(arc, items_));
    arcs_.add(arc, arcs_.score(arc) + std::max(first, later));
  }

  void complete_half(int h, int b) {
    items_.set_half(h, b, SiblingArcs::max(arcs_.added(h, b), arcs_.closed(h, b, items_)));
  }

  double start_at_node_0() {
    open_.assign({{0, nodes_}});
    return half(0, nodes_);
  }

  double choose_root(int *heads) {
    double best = forbidden;
    for (int r = 1; r < nodes_; ++r) {
      const auto arc = arcs_.find(0, r);
      if (!arc) continue;
      const double value = arcs_.score(arc) + arcs_.first(arc) + arcs_.stop(arc) + half(r, 1) + half(r, nodes_);
      if (!(value > best)) continue;
      best = value;
      open_.assign({{r, 1}, {r, nodes_}});
    }
    if (best > forbidden) heads[open_.front().first] = 0;
    return best;
  }

  // Each open item is a half (h, b): its outermost modifier is found first, then the siblings inwards.
  void backtrace(int *heads) {
    while (!open_.empty()) {
      const auto [h, b] = open_.back();
      open_.pop_back();
      if (b == h || b == h + 1) continue;
      int m = arcs_.modifier(h, b, argmax_over(arcs_.within(h, b), arcs_.closed(h, b, items_)));
      open_.push_back({m, b});
      while (m != h) {
        heads[m] = h;
        m = open_inner_halves(h, m);
      }
    }
  }

  // Opens the halves between m and its inner sibling, which it returns, or h when there is none.
  int open_inner_halves(int h, int m) {
    const auto arc = arcs_.find(h, m);
    const auto later = arcs_.later(arc, items_);
    const int count = arcs_.inner(arc), k = argmax_over(count, later), inner = inner_boundary(h, m);
    if (count == 0 || half(m, inner) + arcs_.first(arc) >= later(k)) {
      open_.push_back({m, inner});
      return h;
    }
    const int s = arcs_.inner_sibling(arc, k);
    const int b = items_.boundary_between(std::min(s, m), std::max(s, m));
    open_.insert(open_.end(), {{s, b}, {m, b}});
    return s;
  }

  int nodes_ = 0;
  SiblingArcs arcs_;
  SiblingItems items_;
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
