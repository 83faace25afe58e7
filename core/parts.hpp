// The parts of one sentence over its candidate arcs, laid out as the decoders read them.
//
// Arcs are numbered by head, then side (0 left, 1 right), then outwards from the head. A side's
// L candidate modifiers are consecutive, so its head automaton is one (L + 1) x (L + 1) table:
//
//   transition(side, p, q)   p = 0: START, p = i: the side's i-th candidate     (the row)
//                            q = j: its j-th candidate (from 0), q = L: END     (the column)
//
// It holds sib[h, q, p] (p = START reads as s == h) and stop[h, p, side] in the END column; arc
// scores are kept apart, because dual decomposition splits them. Only p < q entries mean anything.
// Grandparent scores are one table a head h: a row a candidate head g of h (increasing), a column
// an arc leaving h (in arc order). Parts that nobody set count as zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace treewright {

class Parts {
 public:
  // Arcs in any order; the caller has checked that nodes are in range, heads differ from
  // modifiers, nothing enters 0 and no arc comes twice.
  Parts(int nodes, int count, const int *heads, const int *modifiers, const double *scores) : nodes(nodes) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const int side_a = side_of(heads[a], modifiers[a]), side_b = side_of(heads[b], modifiers[b]);
      if (side_a != side_b) return side_a < side_b;
      return side_a % 2 ? modifiers[a] < modifiers[b] : modifiers[a] > modifiers[b];
    });
    side_begin.assign(2 * nodes + 1, 0);
    in_begin.assign(nodes + 1, 0);
    head.reserve(count), modifier.reserve(count), arc.reserve(count);
    for (int id : order) {
      head.push_back(heads[id]), modifier.push_back(modifiers[id]), arc.push_back(scores[id]);
      ++side_begin[side_of(heads[id], modifiers[id]) + 1];
      ++in_begin[modifiers[id] + 1];
    }
    std::partial_sum(side_begin.begin(), side_begin.end(), side_begin.begin());
    std::partial_sum(in_begin.begin(), in_begin.end(), in_begin.begin());
    in_arc.resize(count);
    rank_in.resize(count);
    std::vector<int> filled(in_begin.begin(), in_begin.end() - 1);
    for (int id = 0; id < count; ++id) {  // heads increase with the number, so each list comes out sorted
      rank_in[id] = filled[modifier[id]] - in_begin[modifier[id]];
      in_arc[filled[modifier[id]]++] = id;
    }
  }

  static int side_of(int h, int m) { return 2 * h + (m > h); }

  int arcs() const { return int(arc.size()); }
  int side_size(int side) const { return side_begin[side + 1] - side_begin[side]; }
  int in_size(int m) const { return in_begin[m + 1] - in_begin[m]; }
  int out_begin(int h) const { return side_begin[2 * h]; }
  int out_size(int h) const { return side_begin[2 * h + 2] - side_begin[2 * h]; }

  // The number of arc (h, m), -1 when it is no candidate. O(log candidates).
  int find(int h, int m) const {
    const auto first = in_arc.begin() + in_begin[m], last = in_arc.begin() + in_begin[m + 1];
    const auto found = std::lower_bound(first, last, h, [&](int id, int wanted) { return head[id] < wanted; });
    return found != last && head[*found] == h ? *found : -1;
  }

  // The position of arc `id` among its side's candidates, counted from 0.
  int rank_out(int id) const { return id - side_begin[side_of(head[id], modifier[id])]; }

  bool has_transitions() const { return !transition_begin.empty(); }
  void add_transitions() {
    if (has_transitions()) return;
    transition_begin.assign(2 * nodes + 1, 0);
    for (int side = 0; side < 2 * nodes; ++side) {
      const std::size_t states = side_size(side) + 1;
      transition_begin[side + 1] = transition_begin[side] + states * states;
    }
    transitions.assign(transition_begin.back(), 0.0);
  }
  double &transition(int side, int p, int q) {
    return transitions[transition_begin[side] + std::size_t(p) * (side_size(side) + 1) + q];
  }
  double transition(int side, int p, int q) const { return const_cast<Parts *>(this)->transition(side, p, q); }

  bool has_grand() const { return !grand_begin.empty(); }
  void add_grand() {
    if (has_grand()) return;
    grand_begin.assign(nodes + 1, 0);
    for (int h = 0; h < nodes; ++h) grand_begin[h + 1] = grand_begin[h] + std::size_t(in_size(h)) * out_size(h);
    grands.assign(grand_begin.back(), 0.0);
  }
  // upper is an arc (g, h), lower an arc (h, m).
  double &grand(int upper, int lower) {
    const int h = head[lower];
    return grands[grand_begin[h] + std::size_t(rank_in[upper]) * out_size(h) + (lower - out_begin(h))];
  }
  double grand(int upper, int lower) const { return const_cast<Parts *>(this)->grand(upper, lower); }

  // The value of a tree by the definition of the parts; -inf when it uses an arc that is no candidate.
  double value(const int *heads) const;

  int nodes;
  std::vector<int> head, modifier;    // of each arc
  std::vector<double> arc;            // its score
  std::vector<int> side_begin;        // side 2h + s owns arcs side_begin[2h + s] .. side_begin[2h + s + 1)
  std::vector<int> in_begin, in_arc;  // arcs into m, by increasing head
  std::vector<int> rank_in;           // of each arc among those into its modifier
  std::vector<std::size_t> transition_begin, grand_begin;
  std::vector<double> transitions, grands;
};

inline double Parts::value(const int *heads) const {
  constexpr double forbidden = -std::numeric_limits<double>::infinity();
  std::vector<int> used(nodes, -1);  // the arc into each word
  for (int m = 1; m < nodes; ++m)
    if ((used[m] = find(heads[m], m)) < 0) return forbidden;
  double total = 0;
  for (int m = 1; m < nodes; ++m) {
    total += arc[used[m]];
    if (has_grand() && heads[m] != 0) total += grand(used[heads[m]], used[m]);
  }
  if (!has_transitions()) return total;
  for (int side = 1; side < 2 * nodes; ++side) {  // side 0, the root's left, has no parts
    int last = 0;                                 // START
    for (int q = 0; q < side_size(side); ++q) {
      const int id = side_begin[side] + q;
      if (used[modifier[id]] != id) continue;
      total += transition(side, last, q);
      last = q + 1;
    }
    total += transition(side, last, side_size(side));
  }
  return total;
}

}  // namespace treewright
