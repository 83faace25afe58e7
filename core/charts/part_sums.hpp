// Sums over all projective trees of candidate arcs with siblings, stops and grandparents: log partition and the
// expectation of every part (the recurrences of grand_eisner.hpp with sums in place of maxima, and their derivatives).
//
//   half(a, h + 1)   = stop(h, h, right),  half(a, h) = stop(h, h, left)                  no modifier
//   link(p, e)       = sib(h, m, s) + log sum over boundaries b between s and m  of  half(p, b) + half(e, b)
//   first(e)         = sib(h, m, h) + half(e, h')                                         h' = h + 1 or h
//   incomplete(a, e) = arc(e) + grand(a, e) + log sum of  first(e)  and, over p,  incomplete(a, p) + link(p, e)
//   half(a, b)       = log sum over e up to b  of  incomplete(a, e) + stop(h, m) + half(e, b)
//
// Without grandparent scores all arcs a into h share their halves. The expectation of a part is the derivative of the
// log partition by its score: each recurrence in reverse order passes what its result weighs on to its terms
// (Li & Eisner 2009). Sums are kept as logarithms throughout, so that no score is out of range.
//
// With k candidate heads a word: O(n^2 k^2) time, O(n^2 k) space in the usual case.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/scores.hpp"
#include "trees/parts.hpp"

namespace treewright {

class PartSums {
 public:
  // The log partition, -inf when there is no tree.
  double inside(const Parts &parts, bool single_root) {
    open_charts(parts);
    single_root_ = single_root;
    const int first = single_root ? 1 : 0;
    for (int j = first; j < nodes_; ++j) add_node(j, first);
    return single_root ? sum_of_roots() : half(root_, nodes_);
  }

  // After inside, when there is a tree: one tree, drawn by its probability. Every item from the top down chooses one of
  // the terms of its sum, each by its share.
  void draw(Random &random, int *heads) {
    heads[0] = -1;
    open_.clear();
    if (single_root_) {
      const int e = parts_->side_begin[1] +
                    choose(random, parts_->side_size(1), [&](int q) { return root_term(parts_->side_begin[1] + q); });
      heads[parts_->modifier[e]] = 0;
      open_.assign({{state(e), 1}, {state(e), nodes_}});
    } else {
      open_.assign({{root_, nodes_}});
    }
    while (!open_.empty()) {
      const auto [a, b] = open_.back();
      open_.pop_back();
      draw_half(random, a, b, heads);
    }
  }

  // The log partition, -inf when there is no tree. Writes the expectations in the place of the scores of `expected`,
  // a copy of `parts`.
  double run(const Parts &parts, bool single_root, Parts &expected) {
    const double total = inside(parts, single_root);
    const int first = single_root ? 1 : 0;
    clear(expected);
    if (!(total > forbidden)) return forbidden;
    out_ = &expected;
    std::fill(half_weight_.begin(), half_weight_.end(), 0.0);
    std::fill(incomplete_weight_.begin(), incomplete_weight_.end(), 0.0);
    if (single_root)
      weigh_roots(total);
    else
      half_weight_[at(root_, nodes_)] = 1;
    for (int j = nodes_ - 1; j >= first; --j) leave_node(j, first);
    return total;
  }

 private:
  // An arc, or, where grandparents do not matter, its modifier: what the halves of the modifier depend on.
  int state(int e) const { return parts_->has_grand() ? e : parts_->modifier[e]; }
  int states(int h) const { return parts_->has_grand() && h > 0 ? parts_->in_size(h) : 1; }
  int state_into(int h, int k) const {
    return !parts_->has_grand() ? h : h == 0 ? root_ : parts_->in_arc[parts_->in_begin[h] + k];
  }

  std::size_t at(int state, int b) const { return std::size_t(state) * (nodes_ + 1) + b; }
  double half(int state, int b) const { return half_[at(state, b)]; }
  std::size_t incomplete_at(int h, int k, int e) const {
    return incomplete_begin_[h] + std::size_t(k) * parts_->out_size(h) + (e - parts_->out_begin(h));
  }
  double step(int side, int p, int q) const { return parts_->has_transitions() ? parts_->transition(side, p, q) : 0; }
  double stop(int side, int p) const { return step(side, p, parts_->side_size(side)); }
  void weigh_step(int side, int p, int q, double weight) {
    if (parts_->has_transitions()) out_->transition(side, p, q) += weight;
  }

  // The head whose halves depend on this state, and the rank of the state among those of the head.
  int head_of(int state) const { return !parts_->has_grand() ? state : state == root_ ? 0 : parts_->modifier[state]; }
  int rank_of(int state) const { return !parts_->has_grand() || state == root_ ? 0 : parts_->rank_in[state]; }

  // The modifiers of one half from the outermost to the innermost, and the boundaries between their halves.
  void draw_half(Random &random, int a, int b, int *heads) {
    const int h = head_of(a), k = rank_of(a);
    if (b == h || b == h + 1) return;
    const int side = 2 * h + (h < b), begin = parts_->side_begin[side];
    const int count = h < b ? candidates_within(side, h, b - 1) : candidates_within(side, b, h);
    int e = begin + choose(random, count, [&](int q) {
              return incomplete_[incomplete_at(h, k, begin + q)] + stop(side, q + 1) + half(state(begin + q), b);
            });
    open_.push_back({state(e), b});
    for (;;) {
      heads[parts_->modifier[e]] = h;
      const int p = choose(random, e - begin + 1, [&](int term) {
        if (term == 0) return first_[e];
        return incomplete_[incomplete_at(h, k, begin + term - 1)] + link_[link_begin_[e] + term - 1];
      });
      if (p == 0) break;
      const int inner = begin + p - 1, s = parts_->modifier[inner], m = parts_->modifier[e];
      const int from = std::min(s, m) + 1;
      const int met = from + choose(random, std::abs(s - m),
                                    [&](int c) { return half(state(inner), from + c) + half(state(e), from + c); });
      open_.insert(open_.end(), {{state(inner), met}, {state(e), met}});
      e = inner;
    }
    open_.push_back({state(e), inner(e)});
  }

  // One of the terms, by its share of their sum; terms are logarithms, not all of them -inf.
  template <typename Term>
  int choose(Random &random, int count, Term term) {
    for (int k = 0; k < count; ++k) terms_.push_back(term(k));
    const double best = *std::max_element(terms_.begin(), terms_.end());
    double total = 0;
    for (double &share : terms_) share = total += std::exp(share - best);
    const int chosen = draw_by_totals(random, terms_.data(), count);
    terms_.clear();
    return chosen;
  }

  static double log_sum(const std::vector<double> &terms) {
    double best = forbidden;
    for (double term : terms) best = std::max(best, term);
    if (best == forbidden) return forbidden;
    double sum = 0;
    for (double term : terms) sum += std::exp(term - best);
    return best + std::log(sum);
  }

  static void clear(Parts &parts) {
    for (std::vector<double> *scores : {&parts.arc, &parts.transitions, &parts.grands})
      std::fill(scores->begin(), scores->end(), 0.0);
  }

  void open_charts(const Parts &parts) {
    parts_ = &parts;
    nodes_ = parts.nodes;
    root_ = parts.has_grand() ? parts.arcs() : 0;
    const std::size_t halves = std::size_t(parts.has_grand() ? parts.arcs() + 1 : nodes_) * (nodes_ + 1);
    incomplete_begin_.assign(nodes_ + 1, 0);
    for (int h = 0; h < nodes_; ++h)
      incomplete_begin_[h + 1] = incomplete_begin_[h] + std::size_t(states(h)) * parts.out_size(h);
    link_begin_.assign(parts.arcs() + 1, 0);
    for (int e = 0; e < parts.arcs(); ++e) link_begin_[e + 1] = link_begin_[e] + parts.rank_out(e);
    half_.assign(halves, forbidden), half_weight_.resize(halves);
    incomplete_.assign(incomplete_begin_.back(), forbidden), incomplete_weight_.resize(incomplete_begin_.back());
    link_.assign(link_begin_.back(), forbidden);
    first_.assign(parts.arcs(), forbidden);
  }

  // Calls use(k, state) for the states of h whose head is outside i .. j.
  template <typename Use>
  void for_states_outside(int h, int i, int j, Use use) const {
    for (int k = 0; k < states(h); ++k) {
      const int state = state_into(h, k);
      if (parts_->has_grand() && h > 0 && parts_->head[state] >= i && parts_->head[state] <= j) continue;
      use(k, state);
    }
  }

  // Calls use(i) from the longest span to the shortest or back, and inside it complete_arc and complete_halves.
  void add_node(int j, int first) {
    for (int k = 0; k < states(j); ++k) {
      half_[at(state_into(j, k), j + 1)] = stop(2 * j + 1, 0);
      if (j > 0) half_[at(state_into(j, k), j)] = stop(2 * j, 0);
    }
    for (int i = j - 1; i >= first; --i) {
      const int right = parts_->find(i, j), left = i > 0 ? parts_->find(j, i) : -1;
      if (right >= 0) complete_arc(right, i, j);
      complete_halves(i, 1, j + 1, i, j);
      if (left >= 0) complete_arc(left, i, j);
      if (i > 0) complete_halves(j, 0, i, i, j);
    }
  }

  void leave_node(int j, int first) {
    for (int i = first; i < j; ++i) {
      const int right = parts_->find(i, j), left = i > 0 ? parts_->find(j, i) : -1;
      if (i > 0) weigh_halves(j, 0, i, i, j);
      if (left >= 0) weigh_arc(left, i, j);
      weigh_halves(i, 1, j + 1, i, j);
      if (right >= 0) weigh_arc(right, i, j);
    }
    for (int k = 0; k < states(j); ++k) {
      weigh_step(2 * j + 1, 0, parts_->side_size(2 * j + 1), half_weight_[at(state_into(j, k), j + 1)]);
      if (j > 0) weigh_step(2 * j, 0, parts_->side_size(2 * j), half_weight_[at(state_into(j, k), j)]);
    }
  }

  void complete_arc(int e, int i, int j) {
    const int h = parts_->head[e], side = Parts::side_of(h, parts_->modifier[e]), begin = parts_->side_begin[side];
    const int q = e - begin;
    for (int p = 0; p < q; ++p) {
      boundaries_between(begin + p, e,
                         [&](int, std::size_t a, std::size_t b) { terms_.push_back(half_[a] + half_[b]); });
      link_[link_begin_[e] + p] = step(side, p + 1, q) + summed();
    }
    first_[e] = step(side, 0, q) + half(state(e), inner(e));
    const bool has_grand = parts_->has_grand() && h > 0;
    for_states_outside(h, i, j, [&](int k, int a) {
      terms_.push_back(first_[e]);
      for (int p = 0; p < q; ++p)
        terms_.push_back(incomplete_[incomplete_at(h, k, begin + p)] + link_[link_begin_[e] + p]);
      incomplete_[incomplete_at(h, k, e)] = parts_->arc[e] + (has_grand ? parts_->grand(a, e) : 0) + summed();
    });
  }

  void weigh_arc(int e, int i, int j) {
    const int h = parts_->head[e], side = Parts::side_of(h, parts_->modifier[e]), begin = parts_->side_begin[side];
    const int q = e - begin;
    const bool has_grand = parts_->has_grand() && h > 0;
    double first_weight = 0;
    link_weight_.assign(q, 0.0);
    for_states_outside(h, i, j, [&](int k, int a) {
      const std::size_t here = incomplete_at(h, k, e);
      const double weight = incomplete_weight_[here];
      if (weight < negligible) return;
      out_->arc[e] += weight;
      if (has_grand) out_->grand(a, e) += weight;
      const double sum = incomplete_[here] - parts_->arc[e] - (has_grand ? parts_->grand(a, e) : 0);
      first_weight += weight * std::exp(first_[e] - sum);
      for (int p = 0; p < q; ++p) {
        const std::size_t inner = incomplete_at(h, k, begin + p);
        const double share = weight * std::exp(incomplete_[inner] + link_[link_begin_[e] + p] - sum);
        incomplete_weight_[inner] += share;
        link_weight_[p] += share;
      }
    });
    weigh_step(side, 0, q, first_weight);
    half_weight_[at(state(e), inner(e))] += first_weight;
    for (int p = 0; p < q; ++p) {
      const double weight = link_weight_[p];
      if (weight < negligible) continue;
      weigh_step(side, p + 1, q, weight);
      const double sum = link_[link_begin_[e] + p] - step(side, p + 1, q);
      boundaries_between(begin + p, e, [&](int, std::size_t a, std::size_t b) {
        const double share = weight * std::exp(half_[a] + half_[b] - sum);
        half_weight_[a] += share;
        half_weight_[b] += share;
      });
    }
  }

  // The boundary beside e's head, where the inner half of its modifier ends if that is the first.
  int inner(int e) const { return parts_->head[e] < parts_->modifier[e] ? parts_->head[e] + 1 : parts_->head[e]; }

  template <typename Use>
  void boundaries_between(int p, int e, Use use) const {
    const int s = parts_->modifier[p], m = parts_->modifier[e];
    for (int b = std::min(s, m) + 1; b <= std::max(s, m); ++b) use(b, at(state(p), b), at(state(e), b));
  }

  double summed() {
    const double sum = log_sum(terms_);
    terms_.clear();
    return sum;
  }

  // The candidates of a side within i .. j, outwards.
  int candidates_within(int side, int i, int j) const {
    const int begin = parts_->side_begin[side], size = parts_->side_size(side);
    int count = 0;
    while (count < size && parts_->modifier[begin + count] >= i && parts_->modifier[begin + count] <= j) ++count;
    return count;
  }

  void complete_halves(int h, int right, int b, int i, int j) {
    const int side = 2 * h + right, begin = parts_->side_begin[side], count = candidates_within(side, i, j);
    for_states_outside(h, i, j, [&](int k, int a) {
      for (int q = 0; q < count; ++q)
        terms_.push_back(incomplete_[incomplete_at(h, k, begin + q)] + stop(side, q + 1) + half(state(begin + q), b));
      half_[at(a, b)] = summed();
    });
  }

  void weigh_halves(int h, int right, int b, int i, int j) {
    const int side = 2 * h + right, begin = parts_->side_begin[side], count = candidates_within(side, i, j);
    for_states_outside(h, i, j, [&](int k, int a) {
      const double weight = half_weight_[at(a, b)];
      if (weight < negligible) return;
      for (int q = 0; q < count; ++q) {
        const std::size_t here = incomplete_at(h, k, begin + q), beyond = at(state(begin + q), b);
        const double share = weight * std::exp(incomplete_[here] + stop(side, q + 1) + half_[beyond] - half_[at(a, b)]);
        incomplete_weight_[here] += share;
        half_weight_[beyond] += share;
        weigh_step(side, q + 1, parts_->side_size(side), share);
      }
    });
  }

  double root_term(int e) const {
    const int q = parts_->rank_out(e);
    return parts_->arc[e] + step(1, 0, q) + stop(1, q + 1) + half(state(e), 1) + half(state(e), nodes_);
  }

  double sum_of_roots() {
    for (int e = parts_->side_begin[1]; e < parts_->side_begin[2]; ++e) terms_.push_back(root_term(e));
    return summed();
  }

  void weigh_roots(double total) {
    for (int e = parts_->side_begin[1]; e < parts_->side_begin[2]; ++e) {
      const double weight = std::exp(root_term(e) - total);
      const int q = parts_->rank_out(e);
      out_->arc[e] += weight;
      weigh_step(1, 0, q, weight);
      weigh_step(1, q + 1, parts_->side_size(1), weight);
      half_weight_[at(state(e), 1)] += weight;
      half_weight_[at(state(e), nodes_)] += weight;
    }
  }

  static constexpr double negligible = 1e-9;  // a part that no tree worth mentioning has

  const Parts *parts_ = nullptr;
  Parts *out_ = nullptr;
  int nodes_ = 0, root_ = 0;
  bool single_root_ = false;
  std::vector<std::pair<int, int>> open_;  // halves (state, boundary) whose modifiers are not drawn yet
  std::vector<std::size_t> incomplete_begin_, link_begin_;
  std::vector<double> half_, half_weight_, incomplete_, incomplete_weight_, link_, link_weight_, first_, terms_;
};

}  // namespace treewright
