// The chart of projective trees with siblings, stops and grandparents (Koo & Collins 2010, model 1, with the scores of
// grandparent and sibling parts added) over candidate arcs and over a semiring: the best tree, sums over all trees, the
// expectation of every part and samples come from the same items.
//
// Halves are as in projective.hpp, but each depends on the head of its head: half(a, b) belongs to the candidate arc
// a = (g, h), g outside it. For the candidates e = (h, m) of h, inner sibling p = (h, s), all on one side, with
// exponentials of scores as weights:
//
//   half(a, h + 1)   = stop(h, h, right),  half(a, h) = stop(h, h, left)                no modifier
//   link(p, e)       = sib(h, m, s) times the sum over boundaries b between s and m of  half(p, b) half(e, b)
//   first(e)         = sib(h, m, h) half(e, h')                                         h' = h + 1 or h
//   incomplete(a, e) = arc(e) grand(a, e) ( first(e) + sum over p of  incomplete(a, p) link(p, e) )
//   half(a, b)       = sum over e up to b  of  incomplete(a, e) stop(h, m) half(e, b)
//
// Grand-sibling scores grandsib(a, p, e) are a factor of every term in the sum of incomplete(a, e); the cost is the
// same. Only trees are read with them: expectations do not know them.
//
// Where grandparent scores are those of outermost modifiers only (Carreras 2007), grand(a, e) is a factor of the last
// line, in which m is the outermost modifier, instead of that of incomplete(a, e).
//
//   multi root   total = half(ROOT, n + 1), ROOT representing the arc into 0 that does not exist
//   single root  total = sum over e = (0, r) of  arc(e) sib(0, r, 0) stop(0, r) half(e, 1) half(e, n + 1)
//
// What the halves of a head depend on is called a state of the head: an arc into it, or, without grandparent scores,
// the head itself, so that it has one state.
//
// The expectation of a part is the derivative of the log partition with respect to its score: each recurrence in
// reverse order distributes the expectation of its result over its terms (Li & Eisner 2009).
//
// With k candidate heads a word: O(n^2 k^2) time and O(n^2 k) space in the usual case, O(n^4) and O(n^3) when every
// arc is a candidate. Halves are stored by state and by boundary, so that the inner loops of sums run along rows. Terms
// are computed again when a tree is read, so there are no backpointers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/scores.hpp"
#include "base/semiring.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Scores of parts are weights of the semiring: logarithms for LogSum, WideLog and MaxPlus, exponentials of scores for Real.
template <typename Semiring>
class SecondOrderChart {
 public:
  using Weight = typename Semiring::Weight;

  // The inside weights; returns the total, Semiring::zero when there is no tree. `parts` must exist as long as the
  // chart is read.
  Weight inside(const Parts &parts, bool single_root) {
    open_charts(parts, single_root);
    for (int j = first_; j < nodes_; ++j) add_node(j);
    return total_ = single_root ? sum_over_roots() : half(root_, nodes_);
  }

  // After inside, when there is a tree: one tree. choose(count, term) returns one of 0 .. count - 1 by their terms.
  template <typename Choose>
  void read_tree(Choose choose, int *heads) {
    heads[0] = -1;
    if (first_ == 1) {
      const int begin = parts_->side_begin[1];
      const int e = begin + choose(parts_->side_size(1), [&](int q) { return root_term(begin + q); });
      heads[parts_->modifier[e]] = 0;
      open_.assign({{state(e), 1}, {state(e), nodes_}});
    } else {
      open_.assign({{root_, nodes_}});
    }
    while (!open_.empty()) {
      const auto [a, b] = open_.back();
      open_.pop_back();
      read_half(choose, a, b, heads);
    }
  }

  // After inside, when there is a tree: adds the expectations to `expected`, the same parts with the score zero, or the
  // arcs of these alone. Only for sums.
  void expectations(Parts &expected) {
    out_ = &expected;
    expected_half_.assign(halves_, 0.0);
    expected_incomplete_.assign(incomplete_begin_.back(), 0.0);
    if (first_ == 1)
      expect_roots();
    else
      expected_half_[half_at(root_, nodes_)] = 1;
    for (int j = nodes_ - 1; j >= first_; --j) expect_node(j);
  }

 private:
  Weight step(int side, int p, int q) const {
    return parts_->has_transitions() ? Weight(parts_->transition(side, p, q)) : Semiring::one;
  }
  Weight stop(int side, int p) const { return step(side, p, parts_->side_size(side)); }

  // The state of e's modifier in a tree with e.
  int state(int e) const { return has_grand_ ? e : parts_->modifier[e]; }
  int states(int h) const { return has_grand_ && h > 0 ? parts_->in_size(h) : 1; }
  int state_of(int h, int k) const {
    if (!has_grand_) return h;
    return h == 0 ? root_ : parts_->in_arc[parts_->in_begin[h] + k];
  }
  // The head to which a state belongs, and its rank among the states of the head.
  int head_of(int state) const {
    if (!has_grand_) return state;
    return state == root_ ? 0 : parts_->modifier[state];
  }
  int rank_of(int state) const { return has_grand_ && state != root_ ? parts_->rank_in[state] : 0; }

  // The boundary beside e's head, where the inner half of its modifier ends if that is the first one.
  int inner_boundary(int e) const { return parts_->head[e] + (parts_->head[e] < parts_->modifier[e]); }
  // The grandparent score of an arc, and that of an outermost modifier.
  Weight grand(int a, int e) const {
    return has_grand_ && !parts_->outermost && parts_->head[e] > 0 ? Weight(parts_->grand(a, e)) : Semiring::one;
  }
  Weight outer_grand(int a, int e) const {
    return has_grand_ && parts_->outermost && parts_->head[e] > 0 ? Weight(parts_->grand(a, e)) : Semiring::one;
  }

  Weight grandsib(int a, int side, int p, int q) const {
    return parts_->has_grandsib() && side >= 2 ? Weight(parts_->grandsib(a, side, p, q)) : Semiring::one;
  }

  std::size_t half_at(int state, int b) const { return std::size_t(state) * (nodes_ + 1) + b; }
  const Weight &half(int state, int b) const { return half_[half_at(state, b)]; }
  // Along the boundaries, from the first one between two modifiers on.
  const Weight *halves(int e, int b) const { return half_.data() + half_at(state(e), b); }
  // The half of e's modifier up to b, along e. With Semiring::folds_left it is multiplied by the stop after e.
  std::size_t outer_at(int b, int e) const { return std::size_t(b) * (parts_->arcs() + 1) + e; }
  // Along the arcs out of h, for one state of h.
  std::size_t incomplete_at(int h, int k, int e) const {
    return incomplete_begin_[h] + std::size_t(k) * parts_->out_size(h) + (e - parts_->out_begin(h));
  }

  void set_half(int a, int b, const Weight &value) {
    half_[half_at(a, b)] = value;
    if (has_grand_) return set_outer(a, b, value);
    for (int k = parts_->in_begin[a]; k < parts_->in_begin[a + 1]; ++k) set_outer(parts_->in_arc[k], b, value);
  }
  void set_outer(int e, int b, const Weight &value) {
    outer_[outer_at(b, e)] = Semiring::folds_left ? Semiring::times(value, stop_after_[e]) : value;
  }

  void open_charts(const Parts &parts, bool single_root) {
    parts_ = &parts;
    nodes_ = parts.nodes;
    first_ = single_root ? 1 : 0;
    has_grand_ = parts.has_grand();
    const int arcs = parts.arcs();
    root_ = has_grand_ ? arcs : 0;
    incomplete_begin_.assign(nodes_ + 1, 0);
    for (int h = 0; h < nodes_; ++h)
      incomplete_begin_[h + 1] = incomplete_begin_[h] + std::size_t(states(h)) * parts.out_size(h);
    link_begin_.assign(arcs + 1, 0);
    for (int e = 0; e < arcs; ++e) link_begin_[e + 1] = link_begin_[e] + parts.rank_out(e);
    halves_ = std::size_t(has_grand_ ? arcs + 1 : nodes_) * (nodes_ + 1);
    grow(half_, halves_);
    grow(outer_, std::size_t(arcs + 1) * (nodes_ + 1));
    grow(incomplete_, incomplete_begin_.back());
    grow(link_, link_begin_.back());
    grow(first_link_, arcs);
    stop_after_.assign(arcs + 1, Semiring::one);
    for (int e = 0; parts.has_transitions() && e < arcs; ++e)
      stop_after_[e] = stop(Parts::side_of(parts.head[e], parts.modifier[e]), parts.rank_out(e) + 1);
    reached_.assign(2 * nodes_, 0);
    into_.resize(nodes_), from_.resize(nodes_);
  }

  static void grow(std::vector<Weight> &cells, std::size_t count) {
    if (cells.size() < count) cells.resize(count);
  }

  // The arcs between j and the nodes i on its left: into_[i] = (i, j) and from_[i] = (j, i), -1 for no candidate.
  void find_arcs(int j) {
    std::fill_n(into_.begin(), j, -1);
    std::fill_n(from_.begin(), j, -1);
    for (int k = parts_->in_begin[j]; k < parts_->in_begin[j + 1]; ++k) {
      const int e = parts_->in_arc[k];
      if (parts_->head[e] < j) into_[parts_->head[e]] = e;
    }
    for (int e = parts_->side_begin[2 * j]; e < parts_->side_begin[2 * j + 1]; ++e) from_[parts_->modifier[e]] = e;
  }

  // Every span that ends in j, from the shortest on.
  void add_node(int j) {
    for (int k = 0; k < states(j); ++k) {
      set_half(state_of(j, k), j + 1, stop(2 * j + 1, 0));
      if (j > 0) set_half(state_of(j, k), j, stop(2 * j, 0));
    }
    find_arcs(j);
    for (int i = j - 1; i >= first_; --i) {
      if (into_[i] >= 0) complete_arc(into_[i], i, j);
      complete_halves(2 * i + 1, j + 1, i, j);
      if (i == 0) continue;  // node 0 has no head
      if (from_[i] >= 0) complete_arc(from_[i], i, j);
      complete_halves(2 * j, i, i, j);
    }
  }

  // Distributes expectations over the spans that end in j, from the longest on.
  void expect_node(int j) {
    find_arcs(j);
    for (int i = first_; i < j; ++i) {
      if (i > 0) expect_halves(2 * j, i, i, j);
      if (i > 0 && from_[i] >= 0) expect_arc(from_[i], i, j);
      expect_halves(2 * i + 1, j + 1, i, j);
      if (into_[i] >= 0) expect_arc(into_[i], i, j);
    }
    for (int k = 0; k < states(j); ++k) {
      expect_step(2 * j + 1, 0, parts_->side_size(2 * j + 1), expected_half_[half_at(state_of(j, k), j + 1)]);
      if (j > 0) expect_step(2 * j, 0, parts_->side_size(2 * j), expected_half_[half_at(state_of(j, k), j)]);
    }
  }

  // Calls use(rank, state) for the states of h whose arc comes from outside i .. j.
  template <typename Use>
  void for_states_outside(int h, int i, int j, Use use) const {
    if (h == 0 || !has_grand_) return use(0, state_of(h, 0));
    const int *arcs = parts_->in_arc.data() + parts_->in_begin[h], count = parts_->in_size(h);
    int k = 0;
    for (; k < count && parts_->head[arcs[k]] < i; ++k) use(k, arcs[k]);
    while (k < count && parts_->head[arcs[k]] <= j) ++k;
    for (; k < count; ++k) use(k, arcs[k]);
  }

  // The boundaries at which the halves of the modifiers of p and e may meet: `width` of them after the node `from`.
  struct Between {
    int from, width;
  };
  Between between(int p, int e) const {
    const int s = parts_->modifier[p], m = parts_->modifier[e];
    return {std::min(s, m), std::abs(s - m)};
  }

  // The arc e joins the two ends of i .. j.
  void complete_arc(int e, int i, int j) {
    const int h = parts_->head[e], side = Parts::side_of(h, parts_->modifier[e]), begin = parts_->side_begin[side];
    const int q = e - begin;
    Weight *link = link_.data() + link_begin_[e];
    for (int p = 0; p < q; ++p) {
      const auto [from, width] = between(begin + p, e);
      const Weight meeting = Semiring::dot(halves(begin + p, from + 1), halves(e, from + 1), width);
      link[p] = Semiring::times(step(side, p + 1, q), meeting);
    }
    first_link_[e] = Semiring::times(step(side, 0, q), half(state(e), inner_boundary(e)));
    const Weight first = first_link_[e], arc = parts_->arc[e];
    Weight *rows = incomplete_.data() + incomplete_at(h, 0, begin);
    const std::size_t stride = parts_->out_size(h);
    for_states_outside(h, i, j, [=](int k, int a) {
      Weight *row = rows + k * stride;
      const Weight sum = parts_->has_grandsib() && h > 0 ? sum_with_grandsibs(a, side, row, link, first, q)
                                                         : Semiring::plus_dot(first, row, link, q);
      row[q] = Semiring::times(sum, arc, grand(a, e));
    });
    reached_[side] = q + 1;
  }

  Weight sum_with_grandsibs(int a, int side, const Weight *row, const Weight *link, const Weight &first, int q) const {
    Weight sum = Semiring::times(first, grandsib(a, side, 0, q));
    for (int p = 0; p < q; ++p)
      sum = Semiring::plus(sum, Semiring::times(Semiring::times(row[p], link[p]), grandsib(a, side, p + 1, q)));
    return sum;
  }

  void expect_arc(int e, int i, int j) {
    const int h = parts_->head[e], side = Parts::side_of(h, parts_->modifier[e]), begin = parts_->side_begin[side];
    const int q = e - begin;
    const Weight *link = link_.data() + link_begin_[e];
    double expected_first = 0;
    expected_link_.assign(q, 0.0);
    for_states_outside(h, i, j, [&](int k, int a) {
      const Weight *row = incomplete_.data() + incomplete_at(h, k, begin);
      double *expected_row = expected_incomplete_.data() + incomplete_at(h, k, begin);
      const double expected = expected_row[q];
      if (expected < min_expectation) return;
      out_->arc[e] += expected;
      if (out_->has_grand() && !parts_->outermost && h > 0) out_->grand(a, e) += expected;
      const Weight sum = Semiring::over(Semiring::over(row[q], parts_->arc[e]), grand(a, e));
      expected_first += Semiring::share(expected, sum, first_link_[e]);
      for (int p = 0; p < q; ++p) {
        const double share = Semiring::share(expected, sum, Semiring::times(row[p], link[p]));
        expected_row[p] += share;
        expected_link_[p] += share;
      }
    });
    expect_step(side, 0, q, expected_first);
    expected_half_[half_at(state(e), inner_boundary(e))] += expected_first;
    for (int p = 0; p < q; ++p) expect_link(side, p, q);
    reached_[side] = q;
  }

  void expect_link(int side, int p, int q) {
    const double expected = expected_link_[p];
    if (expected < min_expectation) return;
    const int inner = parts_->side_begin[side] + p, e = parts_->side_begin[side] + q;
    expect_step(side, p + 1, q, expected);
    const Weight sum = Semiring::over(link_[link_begin_[e] + p], step(side, p + 1, q));
    const auto [from, width] = between(inner, e);
    const std::size_t a = half_at(state(inner), from + 1), b = half_at(state(e), from + 1);
    for (int k = 0; k < width; ++k) {
      const double share = Semiring::share(expected, sum, Semiring::times(half_[a + k], half_[b + k]));
      expected_half_[a + k] += share;
      expected_half_[b + k] += share;
    }
  }

  // A term of the half of the side's head up to b, for one state a of the head and its row of incomplete items.
  Weight closed_term(int a, const Weight *row, int begin, int b, int q) const {
    const Weight incomplete = Semiring::times(row[q], outer_grand(a, begin + q));
    return Semiring::times(half(state(begin + q), b), stop_after_[begin + q], incomplete);
  }

  // The incomplete items of a state, multiplied by the scores of outermost grandchildren if there are some.
  const Weight *closing_row(int a, const Weight *row, int h, int begin, int count) {
    if (!parts_->outermost || !has_grand_ || h == 0) return row;
    closing_.resize(count);
    for (int q = 0; q < count; ++q) closing_[q] = Semiring::times(row[q], Weight(parts_->grand(a, begin + q)));
    return closing_.data();
  }

  // The halves that cover i .. j.
  void complete_halves(int side, int b, int i, int j) {
    const int h = side / 2, begin = parts_->side_begin[side], count = reached_[side];
    const Weight *rows = incomplete_.data() + incomplete_at(h, 0, begin), *outer = outer_.data() + outer_at(b, begin);
    const Weight *stops = stop_after_.data() + begin;
    const std::size_t stride = parts_->out_size(h);
    for_states_outside(h, i, j, [=](int k, int a) {
      const Weight *row = closing_row(a, rows + k * stride, h, begin, count);
      if constexpr (Semiring::folds_left)
        set_half(a, b, Semiring::dot(outer, row, count));
      else
        set_half(a, b, Semiring::dot(outer, stops, row, count));
    });
  }

  void expect_halves(int side, int b, int i, int j) {
    const int h = side / 2, begin = parts_->side_begin[side];
    for_states_outside(h, i, j, [&](int k, int a) {
      const double expected = expected_half_[half_at(a, b)];
      const Weight &sum = half(a, b);
      if (expected < min_expectation) return;
      const Weight *row = incomplete_.data() + incomplete_at(h, k, begin);
      double *expected_row = expected_incomplete_.data() + incomplete_at(h, k, begin);
      for (int q = 0; q < reached_[side]; ++q) {
        const double share = Semiring::share(expected, sum, closed_term(a, row, begin, b, q));
        expected_row[q] += share;
        if (out_->has_grand() && parts_->outermost && h > 0) out_->grand(a, begin + q) += share;
        expected_half_[half_at(state(begin + q), b)] += share;
        expect_step(side, q + 1, parts_->side_size(side), share);
      }
    });
  }

  void expect_step(int side, int p, int q, double expected) {
    if (out_->has_transitions()) out_->transition(side, p, q) += expected;
  }

  Weight root_term(int e) const {
    const Weight scores =
        Semiring::times(Semiring::times(Weight(parts_->arc[e]), step(1, 0, parts_->rank_out(e))), stop_after_[e]);
    return Semiring::times(Semiring::times(scores, half(state(e), 1)), half(state(e), nodes_));
  }

  Weight sum_over_roots() {
    root_terms_.clear();
    for (int e = parts_->side_begin[1]; e < parts_->side_begin[2]; ++e) root_terms_.push_back(root_term(e));
    return Semiring::sum(root_terms_.data(), int(root_terms_.size()));
  }

  void expect_roots() {
    for (int e = parts_->side_begin[1]; e < parts_->side_begin[2]; ++e) {
      const double expected = Semiring::share(1, total_, root_term(e));
      const int q = parts_->rank_out(e);
      out_->arc[e] += expected;
      expect_step(1, 0, q, expected);
      expect_step(1, q + 1, parts_->side_size(1), expected);
      expected_half_[half_at(state(e), 1)] += expected;
      expected_half_[half_at(state(e), nodes_)] += expected;
    }
  }

  // The modifiers of a half from the outermost to the innermost, and the boundaries between their halves.
  template <typename Choose>
  void read_half(Choose &choose, int a, int b, int *heads) {
    const int h = head_of(a);
    if (b == h || b == h + 1) return;
    const int side = 2 * h + (h < b), begin = parts_->side_begin[side];
    const Weight *row = incomplete_.data() + incomplete_at(h, rank_of(a), begin);
    int e = begin + choose(candidates_within(side, b), [&](int q) { return closed_term(a, row, begin, b, q); });
    open_.push_back({state(e), b});
    for (;;) {
      heads[parts_->modifier[e]] = h;
      const Weight *link = link_.data() + link_begin_[e];
      const int term = choose(e - begin + 1, [&](int p) {
        const Weight chosen = p == 0 ? first_link_[e] : Semiring::times(row[p - 1], link[p - 1]);
        return parts_->has_grandsib() ? Semiring::times(chosen, grandsib(a, side, p, e - begin)) : chosen;
      });
      if (term == 0) break;
      const int inner = begin + term - 1;
      open_at_meeting(choose, inner, e);
      e = inner;
    }
    open_.push_back({state(e), inner_boundary(e)});
  }

  template <typename Choose>
  void open_at_meeting(Choose &choose, int p, int e) {
    const auto [from, width] = between(p, e);
    const Weight *left = halves(p, from + 1), *right = halves(e, from + 1);
    const int b = from + 1 + choose(width, [=](int k) { return Semiring::times(left[k], right[k]); });
    open_.insert(open_.end(), {{state(p), b}, {state(e), b}});
  }

  // The candidates of a side up to the boundary b.
  int candidates_within(int side, int b) const {
    const int *modifier = parts_->modifier.data() + parts_->side_begin[side];
    int count = 0;
    while (count < parts_->side_size(side) && (side % 2 ? modifier[count] < b : modifier[count] >= b)) ++count;
    return count;
  }

  // Not tuned: items with a smaller expectation do not distribute it.
  static constexpr double min_expectation = 1e-9;

  const Parts *parts_ = nullptr;
  Parts *out_ = nullptr;
  int nodes_ = 0, first_ = 0, root_ = 0;
  bool has_grand_ = false;
  Weight total_ = Semiring::zero;
  std::size_t halves_ = 0;  // of this sentence; the charts keep the size of the longest one
  std::vector<std::size_t> incomplete_begin_, link_begin_;
  std::vector<Weight> half_, outer_, incomplete_, link_;
  std::vector<Weight> first_link_, stop_after_;  // of each arc
  std::vector<double> expected_half_, expected_incomplete_, expected_link_;
  std::vector<Weight> root_terms_, closing_;
  std::vector<int> reached_;               // candidates of each side within the present span
  std::vector<int> into_, from_;           // arcs between the present node and those on its left
  std::vector<std::pair<int, int>> open_;  // halves (state, boundary) that have not been read
};

}  // namespace treewright
