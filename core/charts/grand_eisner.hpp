// Projective decoding with grandparents, siblings and stops (Koo & Collins 2010, model 1, with the scores of
// grandparent and sibling parts added), over candidate arcs.
//
// Halves are as in sibling_eisner.hpp, but each knows the head of its head: half(a, b) belongs to the candidate arc
// a = (g, h), g outside it. For the candidates e = (h, m) of h, inner sibling p = (h, s), all on one side:
//
//   half(a, h + 1)   = stop(h, h, right),  half(a, h) = stop(h, h, left)                no modifier
//   link(p, e)       = sib(h, m, s) + max over boundaries b between s and m of  half(p, b) + half(e, b)
//   link(START, e)   = sib(h, m, h) + half(e, h')                                       h' = h + 1 or h
//   incomplete(a, e) = arc(e) + grand(a, e) + max( link(START, e), max over p of  incomplete(a, p) + link(p, e) )
//   half(a, b)       = max over e up to b  of  incomplete(a, e) + stop(h, m) + half(e, b)
//
//   multi root   value = half(ROOT, n + 1), ROOT standing for the arc into 0 that does not exist
//   single root  value = max over e = (0, r) of  arc(e) + sib(0, r, 0) + stop(0, r) + half(e, 1) + half(e, n + 1)
//
// With k candidate heads a word: O(n^2 k^2) time and O(n^2 k) space in the usual case, O(n^4) and O(n^3) when every
// arc is a candidate. Halves are kept by arc and by boundary, so that every inner loop walks along rows; argmaxima
// are found again while backtracing.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rows.hpp"
#include "trees/parts.hpp"

namespace treewright {

class GrandEisner {
 public:
  // Writes heads[0..nodes); heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(const Parts &parts, bool single_root, int *heads) {
    open_charts(parts);
    for (int j = single_root ? 1 : 0; j < nodes_; ++j) add_node(j, single_root ? 1 : 0);
    std::fill_n(heads, nodes_, -1);
    const double value = single_root ? open_at_one_root(heads) : open_at_the_wall();
    if (value > forbidden) backtrace(heads);
    return value;
  }

  // The memory that decode will hold for these parts.
  static double bytes(const Parts &parts) {
    double cells = 2.0 * (parts.arcs() + 1) * (parts.nodes + 1);
    for (int h = 0; h < parts.nodes; ++h) cells += double(std::max(parts.in_size(h), 1)) * parts.out_size(h);
    for (int side = 0; side < 2 * parts.nodes; ++side) cells += double(parts.side_size(side)) * parts.side_size(side);
    return sizeof(double) * cells;
  }

 private:
  double step(int side, int p, int q) const { return parts_->has_transitions() ? parts_->transition(side, p, q) : 0; }
  double stop(int side, int p) const { return step(side, p, parts_->side_size(side)); }

  // The arcs into h, by rank; ROOT alone into 0.
  int uppers(int h) const { return h == 0 ? 1 : parts_->in_size(h); }
  int upper(int h, int rank) const { return h == 0 ? parts_->arcs() : parts_->in_arc[parts_->in_begin[h] + rank]; }
  int rank(int h, int a) const { return h == 0 ? 0 : parts_->rank_in[a]; }

  double half(int a, int b) const { return *half_at(a, b); }
  const double *half_at(int a, int b) const { return half_.data() + std::size_t(a) * (nodes_ + 1) + b; }
  // half(e, b) and the stop after e, along e.
  const double *ending_at(int b, int e) const { return ending_.data() + std::size_t(b) * (parts_->arcs() + 1) + e; }
  // Along the arcs out of h, for one arc into it.
  double *incomplete_at(int h, int rank, int e) {
    return incomplete_.data() + incomplete_begin_[h] + std::size_t(rank) * parts_->out_size(h) +
           (e - parts_->out_begin(h));
  }
  // link(p, e) along the arcs p of a side, for the q-th of them as e.
  double *link_at(int side, int q) {
    return link_.data() + link_begin_[side] + std::size_t(q) * parts_->side_size(side);
  }

  void set_half(int a, int b, double value) {
    half_[std::size_t(a) * (nodes_ + 1) + b] = value;
    ending_[std::size_t(b) * (parts_->arcs() + 1) + a] = value + stop_after_[a];
  }

  void open_charts(const Parts &parts) {
    parts_ = &parts;
    nodes_ = parts.nodes;
    const int arcs = parts.arcs();
    incomplete_begin_.assign(nodes_ + 1, 0);
    for (int h = 0; h < nodes_; ++h)
      incomplete_begin_[h + 1] = incomplete_begin_[h] + std::size_t(uppers(h)) * parts.out_size(h);
    link_begin_.assign(2 * nodes_ + 1, 0);
    for (int side = 0; side < 2 * nodes_; ++side) {
      const std::size_t count = parts.side_size(side);
      link_begin_[side + 1] = link_begin_[side] + count * count;
    }
    grow(half_, std::size_t(arcs + 1) * (nodes_ + 1));
    grow(ending_, std::size_t(arcs + 1) * (nodes_ + 1));
    grow(incomplete_, incomplete_begin_.back());
    grow(link_, link_begin_.back());
    first_link_.resize(arcs);
    stop_after_.assign(arcs + 1, 0.0);
    for (int e = 0; parts.has_transitions() && e < arcs; ++e)
      stop_after_[e] = stop(Parts::side_of(parts.head[e], parts.modifier[e]), parts.rank_out(e) + 1);
    reached_.assign(2 * nodes_, 0);
  }

  static void grow(std::vector<double> &cells, std::size_t count) {
    if (cells.size() < count) cells.resize(count);
  }

  // Every span that ends in j, from the shortest on.
  void add_node(int j, int first) {
    for (int k = 0; k < uppers(j); ++k) {
      set_half(upper(j, k), j + 1, stop(2 * j + 1, 0));
      if (j > 0) set_half(upper(j, k), j, stop(2 * j, 0));
    }
    // Arcs into j from the left come by decreasing head, arcs of j to the left outwards, both as i goes down.
    int in = parts_->in_begin[j];
    while (in < parts_->in_begin[j + 1] && parts_->head[parts_->in_arc[in]] < j) ++in;
    int out = parts_->side_begin[2 * j];
    const int out_end = parts_->side_begin[2 * j + 1];
    for (int i = j - 1; i >= first; --i) {
      if (in > parts_->in_begin[j] && parts_->head[parts_->in_arc[in - 1]] == i)
        complete_arc(parts_->in_arc[--in], i, i + 1, i, j);
      complete_halves(i, 1, j + 1, i, j);
      if (i == 0) continue;  // nothing is the head of the root
      if (out < out_end && parts_->modifier[out] == i) complete_arc(out++, j, j, i, j);
      complete_halves(j, 0, i, i, j);
    }
  }

  // Calls use(rank, arc) for the arcs into h from outside i .. j.
  template <typename Use>
  void for_uppers_outside(int h, int i, int j, Use use) const {
    if (h == 0) return use(0, parts_->arcs());
    const int *arcs = parts_->in_arc.data() + parts_->in_begin[h], count = parts_->in_size(h);
    int k = 0;
    for (; k < count && parts_->head[arcs[k]] < i; ++k) use(k, arcs[k]);
    while (k < count && parts_->head[arcs[k]] <= j) ++k;
    for (; k < count; ++k) use(k, arcs[k]);
  }

  // The arc e = (h, m) joins the two ends of i .. j; `inner` is the boundary beside h.
  void complete_arc(int e, int h, int inner, int i, int j) {
    const int m = parts_->modifier[e], side = Parts::side_of(h, m), begin = parts_->side_begin[side], q = e - begin;
    double *link = link_at(side, q);
    for (int p = 0; p < q; ++p) link[p] = step(side, p + 1, q) + max_over_boundaries(begin + p, e);
    first_link_[e] = step(side, 0, q) + half(e, inner);
    const bool has_grand = parts_->has_grand() && h > 0;
    for_uppers_outside(h, i, j, [&](int k, int a) {
      double *row = incomplete_at(h, k, begin);
      const double best = std::max(first_link_[e], max_of_sums(row, link, q));
      row[q] = best + parts_->arc[e] + (has_grand ? parts_->grand(a, e) : 0);
    });
    reached_[side] = q + 1;
  }

  double max_over_boundaries(int p, int e) const {
    const int i = std::min(parts_->modifier[p], parts_->modifier[e]),
              width = std::abs(parts_->modifier[p] - parts_->modifier[e]);
    return max_of_sums(half_at(p, i + 1), half_at(e, i + 1), width);
  }

  // The halves of h that cover i .. j, over the candidates of that side within it.
  void complete_halves(int h, int right, int b, int i, int j) {
    const int side = 2 * h + right, begin = parts_->side_begin[side];
    const double *ending = ending_at(b, begin);
    for_uppers_outside(h, i, j, [&](int k, int a) {
      set_half(a, b, max_of_sums(incomplete_at(h, k, begin), ending, reached_[side]));
    });
  }

  double open_at_the_wall() {
    open_.assign({{parts_->arcs(), nodes_}});
    return half(parts_->arcs(), nodes_);
  }

  double open_at_one_root(int *heads) {
    double best = forbidden;
    for (int q = 0; q < parts_->side_size(1); ++q) {
      const int e = parts_->side_begin[1] + q;
      const double value = parts_->arc[e] + step(1, 0, q) + stop_after_[e] + half(e, 1) + half(e, nodes_);
      if (!(value > best)) continue;
      best = value;
      open_.assign({{e, 1}, {e, nodes_}});
    }
    if (best > forbidden) heads[parts_->modifier[open_.front().first]] = 0;
    return best;
  }

  // Each open item is a half (a, b): find its outermost modifier, then its siblings inwards.
  void backtrace(int *heads) {
    while (!open_.empty()) {
      const auto [a, b] = open_.back();
      open_.pop_back();
      const int h = a == parts_->arcs() ? 0 : parts_->modifier[a];
      if (b == h || b == h + 1) continue;
      int e = outermost(h, a, b);
      open_.push_back({e, b});
      while (e >= 0) {
        heads[parts_->modifier[e]] = h;
        e = open_inner_halves(h, a, e);
      }
    }
  }

  int outermost(int h, int a, int b) {
    const int side = 2 * h + (h < b), begin = parts_->side_begin[side];
    const int *m = parts_->modifier.data() + begin;
    int within = 0;
    while (within < parts_->side_size(side) && (h < b ? m[within] < b : m[within] >= b)) ++within;
    return begin + argmax_of_sums(incomplete_at(h, rank(h, a), begin), ending_at(b, begin), within);
  }

  // Opens what lies between an arc's modifier and its inner sibling, whose arc it returns; -1 when there is none.
  int open_inner_halves(int h, int a, int e) {
    const int m = parts_->modifier[e], side = Parts::side_of(h, m), begin = parts_->side_begin[side], q = e - begin;
    const double *row = incomplete_at(h, rank(h, a), begin), *link = link_at(side, q);
    const int p = argmax_of_sums(row, link, q);
    if (q == 0 || first_link_[e] >= row[p] + link[p]) {
      open_.push_back({e, h < m ? h + 1 : h});
      return -1;
    }
    const int inner = begin + p, i = std::min(parts_->modifier[inner], m),
              width = std::abs(parts_->modifier[inner] - m);
    const int b = i + 1 + argmax_of_sums(half_at(inner, i + 1), half_at(e, i + 1), width);
    open_.insert(open_.end(), {{inner, b}, {e, b}});
    return inner;
  }

  const Parts *parts_ = nullptr;
  int nodes_ = 0;
  std::vector<std::size_t> incomplete_begin_, link_begin_;
  std::vector<double> half_, ending_, incomplete_, link_;
  std::vector<double> first_link_, stop_after_;  // of each arc
  std::vector<int> reached_;                     // candidates of each side within the spans seen so far
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
