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
// The recurrences are in SiblingChart. Its parameter enumerates the arcs and their scores: whole arrays
// (SiblingEisner), or the candidate arcs of Parts (PrunedSiblingEisner), which costs O(n) a candidate arc beside the
// pairs that may be siblings under some head.
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

// Arcs has
//   prefetch_scores(i, j), may_be_siblings(i, j)
//   no_modifier(h, right)                         stop(h, h, right)
//   find(h, m)                                    the arc as a value that converts to bool: false for no arc
//   score(arc), stop(arc), first(arc)             arc(h, m), stop(h, m), sib(h, m, h)
//   inner(arc), later(arc, items)                 the number of inner siblings, and their terms of incomplete(h, m)
//   inner_sibling(arc, k)                         the k-th of them
//   add(arc, incomplete)                          stores incomplete(h, m)
//   within(h, b), closed(h, b, items)             the number of modifiers up to b, and their terms of half(h, b)
//   modifier(h, b, k)                             the k-th of them
//   added(h, b)                                   within(h, b) while the chart is filled
//   max(count, term)                              the largest term, -inf when there is none
template <typename Arcs>
class SiblingChart {
 public:
  Arcs arcs;

  // Writes heads[0..nodes); heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(int nodes, bool single_root, int *heads) {
    nodes_ = nodes;
    fill_chart(single_root ? 1 : 0);
    std::fill_n(heads, nodes, -1);
    const double value = single_root ? choose_root(heads) : start_at_node_0();
    if (value > forbidden) backtrace(heads);
    return value;
  }

  // Of the last decode: half(h, b), [h, b] over nodes x (nodes + 1); 0 where the chart has no such item.
  void copy_halves(bool single_root, double *halves) const {
    const int first = single_root ? 1 : 0;
    for (int h = 0; h < nodes_; ++h)
      for (int b = 0; b <= nodes_; ++b) *halves++ = h < first || b < 1 ? 0.0 : half(h, b);
  }

 private:
  double half(int h, int b) const { return *items_.half.at(h, b); }
  // The boundary beside h on the side of m.
  static int inner_boundary(int h, int m) { return h < m ? h + 1 : h; }

  void fill_chart(int first) {
    items_.resize(nodes_);
    for (int j = first; j < nodes_; ++j) {
      items_.set_half(j, j + 1, arcs.no_modifier(j, 1));
      if (j > 0) items_.set_half(j, j, arcs.no_modifier(j, 0));
      for (int i = j - 1; i >= first; --i) {
        arcs.prefetch_scores(i - 1, j);
        complete_arc(i, j, i + 1);
        complete_half(i, j + 1);
        if (i == 0) continue;  // node 0 has no head and no sibling
        if (arcs.may_be_siblings(i, j)) items_.set_pair(i, j);
        complete_arc(j, i, j);
        complete_half(j, i);
      }
    }
  }

  // `inner` is the boundary beside h.
  void complete_arc(int h, int m, int inner) {
    const auto arc = arcs.find(h, m);
    if (!arc) return;
    const double first = half(m, inner) + arcs.first(arc);
    const double later = Arcs::max(arcs.inner(arc), arcs.later(arc, items_));
    arcs.add(arc, arcs.score(arc) + std::max(first, later));
  }

  void complete_half(int h, int b) { items_.set_half(h, b, Arcs::max(arcs.added(h, b), arcs.closed(h, b, items_))); }

  double start_at_node_0() {
    open_.assign({{0, nodes_}});
    return half(0, nodes_);
  }

  double choose_root(int *heads) {
    double best = forbidden;
    for (int r = 1; r < nodes_; ++r) {
      const auto arc = arcs.find(0, r);
      if (!arc) continue;
      const double value = arcs.score(arc) + arcs.first(arc) + arcs.stop(arc) + half(r, 1) + half(r, nodes_);
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
      int m = arcs.modifier(h, b, argmax_over(arcs.within(h, b), arcs.closed(h, b, items_)));
      open_.push_back({m, b});
      while (m != h) {
        heads[m] = h;
        m = open_inner_halves(h, m);
      }
    }
  }

  // Opens the halves between m and its inner sibling, which it returns, or h when there is none.
  int open_inner_halves(int h, int m) {
    const auto arc = arcs.find(h, m);
    const auto later = arcs.later(arc, items_);
    const int count = arcs.inner(arc), k = argmax_over(count, later), inner = inner_boundary(h, m);
    if (count == 0 || half(m, inner) + arcs.first(arc) >= later(k)) {
      open_.push_back({m, inner});
      return h;
    }
    const int s = arcs.inner_sibling(arc, k);
    const int b = items_.boundary_between(std::min(s, m), std::max(s, m));
    open_.insert(open_.end(), {{s, b}, {m, b}});
    return s;
  }

  int nodes_ = 0;
  SiblingItems items_;
  std::vector<std::pair<int, int>> open_;
};

// All arcs, with scores in arrays arc[h, m], sib[h, m, s], stop[h, s, side] over nodes, row-major; modifiers in order.
class DenseSiblingArcs {
 public:
  void load(int nodes, const double *arc, const double *sib, const double *stop) {
    nodes_ = nodes, arc_ = arc, sib_ = sib, stop_ = stop;
    for (Matrix *chart : {&incomplete_, &closed_}) chart->resize(nodes + 1);
    if (int(zeros_.size()) < nodes) zeros_.assign(nodes, 0.0);
  }

  // The sibling scores of long sentences are outside the cache, a row an arc: they are fetched one step ahead.
  void prefetch_scores(int i, int j) const {
    if (!sib_ || i < 0) return;
    prefetch(sib(i, j) + i + 1, j - i - 1);
    if (i > 0) prefetch(sib(j, i) + i + 1, j - i - 1);
  }
  bool may_be_siblings(int, int) const { return true; }
  double no_modifier(int h, int right) const { return stop_at(h, h, right); }

  struct Arc {
    int h, m;
    explicit operator bool() const { return true; }
  };
  Arc find(int h, int m) const { return {h, m}; }
  double score(Arc arc) const { return arc_[std::size_t(arc.h) * nodes_ + arc.m]; }
  double stop(Arc arc) const { return stop_at(arc.h, arc.m, arc.h < arc.m); }
  double first(Arc arc) const { return sib(arc.h, arc.m)[arc.h]; }

  int inner(Arc arc) const { return std::abs(arc.h - arc.m) - 1; }
  int inner_sibling(Arc arc, int k) const { return std::min(arc.h, arc.m) + 1 + k; }
  auto later(Arc arc, const SiblingItems &items) const {
    const int s = std::min(arc.h, arc.m) + 1;
    const double *incomplete = incomplete_.at(arc.h, s), *pair = items.pair.at(arc.m, s);
    const double *score = sib(arc.h, arc.m) + s;
    return [=](int k) { return incomplete[k] + pair[k] + score[k]; };
  }
  void add(Arc arc, double incomplete) {
    incomplete_(arc.h, arc.m) = incomplete;
    closed_(arc.h, arc.m) = incomplete + stop(arc);
  }
  double incomplete(int h, int m) const { return *incomplete_.at(h, m); }

  template <typename Term>
  static double max(int count, Term term) {
    return max_over(count, term);
  }

  int added(int h, int b) const { return within(h, b); }
  int within(int h, int b) const { return h < b ? b - h - 1 : h - b; }
  int modifier(int h, int b, int k) const { return (h < b ? h + 1 : b) + k; }
  auto closed(int h, int b, const SiblingItems &items) const {
    const int m = modifier(h, b, 0);
    const double *closed = closed_.at(h, m), *half = items.half_of_boundary.at(b, m);
    return [=](int k) { return closed[k] + half[k]; };
  }

 private:
  // Along s; zeros when there are no sibling scores.
  const double *sib(int h, int m) const { return sib_ ? sib_ + (std::size_t(h) * nodes_ + m) * nodes_ : zeros_.data(); }
  double stop_at(int h, int s, int side) const { return stop_ ? stop_[(std::size_t(h) * nodes_ + s) * 2 + side] : 0; }

  int nodes_ = 0;
  const double *arc_ = nullptr, *sib_ = nullptr, *stop_ = nullptr;
  Matrix incomplete_, closed_;  // closed: incomplete and the stop after it
  std::vector<double> zeros_;
};

// The candidate arcs of Parts; the modifiers of a side outwards from its head.
class CandidateSiblingArcs {
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

  void prefetch_scores(int, int) const {}
  bool may_be_siblings(int i, int j) const { return siblings_[std::size_t(i) * nodes_ + j]; }
  double no_modifier(int h, int right) const { return step(2 * h + right, 0, parts_->side_size(2 * h + right)); }

  struct Arc {
    int id, side, rank;  // the number of the arc, -1 for no candidate; its place on its side
    explicit operator bool() const { return id >= 0; }
  };
  Arc find(int h, int m) const {
    const int id = id_[std::size_t(h) * nodes_ + m], side = Parts::side_of(h, m);
    return {id, side, id - parts_->side_begin[side]};
  }
  double score(Arc arc) const { return parts_->arc[arc.id]; }
  double stop(Arc arc) const { return step(arc.side, arc.rank + 1, parts_->side_size(arc.side)); }
  double first(Arc arc) const { return step(arc.side, 0, arc.rank); }

  int inner(Arc arc) const { return arc.rank; }
  int inner_sibling(Arc arc, int k) const { return parts_->modifier[arc.id - arc.rank + k]; }
  auto later(Arc arc, const SiblingItems &items) const {
    const int begin = arc.id - arc.rank, *s = parts_->modifier.data() + begin;
    const double *incomplete = incomplete_.data() + begin, *pair = items.pair.at(parts_->modifier[arc.id], 0);
    const double *steps = parts_->has_transitions() ? parts_->transitions.data() + later_steps(arc) : nullptr;
    const std::size_t stride = parts_->side_size(arc.side) + 1;
    return [=](int k) { return incomplete[k] + pair[s[k]] + (steps ? steps[k * stride] : 0); };
  }
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
  // arc[h, m], sib[h, m, s], stop[h, s, side] over nodes, row-major; sib and stop may be null.
  double decode(int nodes, const double *arc, const double *sib, const double *stop, bool single_root, int *heads) {
    chart_.arcs.load(nodes, arc, sib, stop);
    return chart_.decode(nodes, single_root, heads);
  }

  // Of the last decode: half(h, b) as in SiblingChart, and incomplete(h, m), [h, m] over nodes; 0 where there is none.
  void copy_chart(int nodes, bool single_root, double *halves, double *incomplete) const {
    chart_.copy_halves(single_root, halves);
    const int first = single_root ? 1 : 0;
    for (int h = 0; h < nodes; ++h)
      for (int m = 0; m < nodes; ++m) *incomplete++ = h < first || m < 1 || h == m ? 0.0 : chart_.arcs.incomplete(h, m);
  }

 private:
  SiblingChart<DenseSiblingArcs> chart_;
};

class PrunedSiblingEisner {
 public:
  // Grandparent scores are not read.
  double decode(const Parts &parts, bool single_root, int *heads) {
    chart_.arcs.load(parts);
    return chart_.decode(parts.nodes, single_root, heads);
  }

 private:
  SiblingChart<CandidateSiblingArcs> chart_;
};

}  // namespace treewright
