// The parts of one sentence over its candidate arcs, laid out as the decoders read them.
//
// Arcs are numbered by head, then side (0 left, 1 right), then outwards from the head. A side's
// L candidate modifiers are consecutive, so its head automaton is one (L + 1) x (L + 1) table:
//
//   transition(side, p, q)   p = 0: START, p = i: the side's i-th candidate     (the row)
//                            q = j: its j-th candidate (from 0), q = L: END     (the column)
//
// It holds sib[h, q, p] (p = START reads as s == h) and stop[h, p, side] in the END column; arc
// scores are kept apart, because dual decomposition splits them. Only entries with p <= q mean
// anything: the q-th candidate from 0 lies outside the p-th from 1.
// Grandparent scores are one table a head h: a row a candidate head g of h (increasing), a column
// an arc leaving h (in arc order). With `outermost` they count only for the outermost modifier of h on each side
// (Carreras 2007). Grand-sibling scores grandsib[g, h, m, s] are one table a side: a cell for each transition (p, q), in
// it one score for each candidate head of h; cells of END are zero. Parts that were not set count as zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/scores.hpp"

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

  // From whole matrices over nodes: arc[h, m], sib[h, m, s], grand[g, h, m], stop[h, s, side], grandsib[g, h, m, s],
  // row-major; all but arc may be null. The candidates are the arcs above -inf; the diagonal and what enters 0 are not
  // read.
  static Parts from_dense(int nodes, const double *arc, const double *sib, const double *grand, const double *stop,
                          const double *grandsib = nullptr);

  // Writes the scores of all parts but grand-siblings into matrices of the same layout; cells that belong to no part
  // are not written. sib and stop are read when there are transitions, grand when there are grandparents.
  void to_dense(double *arc, double *sib, double *grand, double *stop) const;

  // The parts over the arcs with keep[id] set.
  Parts restricted(const bool *keep) const {
    std::vector<int> kept;
    for (int id = 0; id < arcs(); ++id)
      if (keep[id]) kept.push_back(id);
    return restricted(kept);
  }

  // The parts over the arcs `kept`, which are in increasing order.
  Parts restricted(const std::vector<int> &kept) const;

  // Calls use(score, its score in `some`) for every part of `some`, which are `all` restricted to the arcs `kept`.
  template <typename All, typename Use>
  static void for_restricted(All &all, Parts &some, const std::vector<int> &kept, Use use);

  // A copy with all scores multiplied by a positive factor.
  Parts scaled(double factor) const {
    Parts parts = *this;
    for (std::vector<double> *scores : {&parts.arc, &parts.transitions, &parts.grands, &parts.grandsibs})
      for (double &score : *scores) score *= factor;
    return parts;
  }

  // A copy with a number added to the score of each arc.
  Parts adjusted(const double *adjustment) const {
    Parts parts = *this;
    for (std::size_t e = 0; e < arc.size(); ++e) parts.arc[e] += adjustment[e];
    return parts;
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
    const auto found = std::lower_bound(first, last, h, [&](int id, int searched) { return head[id] < searched; });
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
  // Grand-siblings are scored by an automaton with siblings and grandparents, so that they imply both tables.
  bool has_grandsib() const { return !grandsib_begin.empty(); }
  void add_grandsib() {
    if (has_grandsib()) return;
    add_transitions(), add_grand();
    grandsib_begin.assign(2 * nodes + 1, 0);
    for (int side = 0; side < 2 * nodes; ++side) {
      const std::size_t states = side_size(side) + 1, uppers = in_size(side / 2);
      grandsib_begin[side + 1] = grandsib_begin[side] + states * states * uppers;
    }
    grandsibs.assign(grandsib_begin.back(), 0.0);
  }
  // upper is an arc (g, h), h the head of the side; p and q are those of a transition.
  double &grandsib(int upper, int side, int p, int q) {
    const std::size_t cell = std::size_t(p) * (side_size(side) + 1) + q;
    return grandsibs[grandsib_begin[side] + cell * in_size(side / 2) + rank_in[upper]];
  }
  double grandsib(int upper, int side, int p, int q) const {
    return const_cast<Parts *>(this)->grandsib(upper, side, p, q);
  }
  // Calls use(upper, side, p, q) for every grand-sibling part over candidate arcs: q is no END.
  template <typename Use>
  void for_grandsibs(Use use) const {
    for (int side = 2; has_grandsib() && side < 2 * nodes; ++side)
      for (int p = 0; p <= side_size(side); ++p)
        for (int q = p; q < side_size(side); ++q)
          for (int in = in_begin[side / 2]; in < in_begin[side / 2 + 1]; ++in) use(in_arc[in], side, p, q);
  }
  // Whether the grandparent is the modifier or its sibling, so that no tree has the part.
  bool is_cyclic(int upper, int side, int p, int q) const {
    const int *m = modifier.data() + side_begin[side];
    return head[upper] == m[q] || (p > 0 && head[upper] == m[p - 1]);
  }

  // Whether the grandparent score of arc `id` counts in a tree; used[m] is the tree's arc into m.
  bool counts_grand(const int *used, int id) const {
    if (!has_grand() || head[id] == 0) return false;
    const int end = outermost ? side_begin[side_of(head[id], modifier[id]) + 1] : id + 1;
    for (int outer = id + 1; outer < end; ++outer)
      if (used[modifier[outer]] == outer) return false;
    return true;
  }

  // The scores of single parts; a part over an arc that is no candidate can never be active and is left out.
  // s == h: m is the first modifier on its side; in a stop, the side has none.
  double *sibling(int h, int m, int s) {
    const int id = find(h, m), inner = s == h ? -1 : find(h, s);
    if (id < 0 || (s != h && inner < 0)) return nullptr;
    return &transition(side_of(h, m), s == h ? 0 : rank_out(inner) + 1, rank_out(id));
  }
  double *stop(int h, int s, int side) {
    const int last = s == h ? -1 : find(h, s);
    if (s != h && last < 0) return nullptr;
    return &transition(2 * h + side, s == h ? 0 : rank_out(last) + 1, side_size(2 * h + side));
  }
  double *grandparent(int g, int h, int m) {
    const int upper = find(g, h), lower = find(h, m);
    return upper < 0 || lower < 0 ? nullptr : &grand(upper, lower);
  }
  double *grandsibling(int g, int h, int m, int s) {
    const int upper = find(g, h), id = find(h, m), inner = s == h ? -1 : find(h, s);
    if (upper < 0 || id < 0 || (s != h && inner < 0)) return nullptr;
    return &grandsib(upper, side_of(h, m), s == h ? 0 : rank_out(inner) + 1, rank_out(id));
  }

  // Calls use(score) for every part of a tree, by the definition of the parts; false, before any call, when the tree
  // uses an arc that is no candidate.
  template <typename Use>
  bool for_parts_of(const int *heads, Use use);

  // The value of a tree; -inf when it uses an arc that is no candidate.
  double value(const int *heads) const;

  int nodes;
  bool outermost = false;             // whether grandparent scores count for outermost modifiers only
  std::vector<int> head, modifier;    // of each arc
  std::vector<double> arc;            // its score
  std::vector<int> side_begin;        // side 2h + s owns arcs side_begin[2h + s] .. side_begin[2h + s + 1)
  std::vector<int> in_begin, in_arc;  // arcs into m, by increasing head
  std::vector<int> rank_in;           // of each arc among those into its modifier
  std::vector<std::size_t> transition_begin, grand_begin, grandsib_begin;
  std::vector<double> transitions, grands, grandsibs;
};

inline Parts Parts::from_dense(int nodes, const double *arc, const double *sib, const double *grand, const double *stop,
                               const double *grandsib) {
  const std::size_t n = nodes;
  std::vector<int> heads, modifiers;
  std::vector<double> scores;
  for (int h = 0; h < nodes; ++h)
    for (int m = 1; m < nodes; ++m)
      if (h != m && arc[h * n + m] > forbidden)
        heads.push_back(h), modifiers.push_back(m), scores.push_back(arc[h * n + m]);
  Parts parts(nodes, int(heads.size()), heads.data(), modifiers.data(), scores.data());
  if (sib || stop) {
    parts.add_transitions();
    for (int side = 1; side < 2 * nodes; ++side) {
      const int h = side / 2, size = parts.side_size(side);
      const int *candidates = parts.modifier.data() + parts.side_begin[side];
      for (int p = 0; p <= size; ++p) {
        const int s = p == 0 ? h : candidates[p - 1];
        for (int q = p; sib && q < size; ++q) parts.transition(side, p, q) = sib[(h * n + candidates[q]) * n + s];
        if (stop) parts.transition(side, p, size) = stop[(h * n + s) * 2 + side % 2];
      }
    }
  }
  if (grand) {
    parts.add_grand();
    for (int h = 1; h < nodes; ++h)
      for (int in = parts.in_begin[h]; in < parts.in_begin[h + 1]; ++in) {
        const int g = parts.head[parts.in_arc[in]];
        for (int id = parts.out_begin(h); id < parts.out_begin(h) + parts.out_size(h); ++id)
          if (parts.modifier[id] != g) parts.grand(parts.in_arc[in], id) = grand[(g * n + h) * n + parts.modifier[id]];
      }
  }
  if (grandsib) parts.add_grandsib();
  parts.for_grandsibs([&](int upper, int side, int p, int q) {
    if (parts.is_cyclic(upper, side, p, q)) return;
    const int g = parts.head[upper], h = side / 2, *m = parts.modifier.data() + parts.side_begin[side];
    parts.grandsib(upper, side, p, q) = grandsib[((g * n + h) * n + m[q]) * n + (p == 0 ? h : m[p - 1])];
  });
  return parts;
}

inline void Parts::to_dense(double *arc, double *sib, double *grand, double *stop) const {
  const std::size_t n = nodes;
  for (int id = 0; id < arcs(); ++id) arc[head[id] * n + modifier[id]] = this->arc[id];
  for (int side = 1; has_transitions() && side < 2 * nodes; ++side) {
    const int h = side / 2, size = side_size(side), *candidates = modifier.data() + side_begin[side];
    for (int p = 0; p <= size; ++p) {
      const int s = p == 0 ? h : candidates[p - 1];
      for (int q = p; q < size; ++q) sib[(h * n + candidates[q]) * n + s] = transition(side, p, q);
      stop[(h * n + s) * 2 + side % 2] = transition(side, p, size);
    }
  }
  for (int upper = 0; has_grand() && upper < arcs(); ++upper) {
    const int g = head[upper], h = modifier[upper];
    for (int lower = out_begin(h); lower < out_begin(h) + out_size(h); ++lower)
      if (modifier[lower] != g) grand[(g * n + h) * n + modifier[lower]] = this->grand(upper, lower);
  }
}

template <typename All, typename Use>
void Parts::for_restricted(All &all, Parts &some, const std::vector<int> &kept, Use use) {
  for (int id = 0; id < some.arcs(); ++id) use(all.arc[kept[id]], some.arc[id]);
  for (int side = 1; some.has_transitions() && side < 2 * some.nodes; ++side) {
    const int size = some.side_size(side), *ids = kept.data() + some.side_begin[side];
    for (int p = 0; p <= size; ++p) {
      const int row = p == 0 ? 0 : all.rank_out(ids[p - 1]) + 1;
      for (int q = p; q < size; ++q) use(all.transition(side, row, all.rank_out(ids[q])), some.transition(side, p, q));
      use(all.transition(side, row, all.side_size(side)), some.transition(side, p, size));
    }
  }
  for (int h = 1; some.has_grand() && h < some.nodes; ++h)
    for (int in = some.in_begin[h]; in < some.in_begin[h + 1]; ++in)
      for (int id = some.out_begin(h); id < some.out_begin(h) + some.out_size(h); ++id)
        use(all.grand(kept[some.in_arc[in]], kept[id]), some.grand(some.in_arc[in], id));
  some.for_grandsibs([&](int upper, int side, int p, int q) {
    const int *ids = kept.data() + some.side_begin[side];
    use(all.grandsib(kept[upper], side, p == 0 ? 0 : all.rank_out(ids[p - 1]) + 1, all.rank_out(ids[q])),
        some.grandsib(upper, side, p, q));
  });
}

inline Parts Parts::restricted(const std::vector<int> &kept) const {
  std::vector<int> heads, modifiers;  // arcs keep their order, so that `kept` maps new numbers to these
  for (const int id : kept) heads.push_back(head[id]), modifiers.push_back(modifier[id]);
  const std::vector<double> zeros(kept.size());
  Parts parts(nodes, int(kept.size()), heads.data(), modifiers.data(), zeros.data());
  if (has_transitions()) parts.add_transitions();
  if (has_grand()) parts.add_grand();
  if (has_grandsib()) parts.add_grandsib();
  parts.outermost = outermost;
  for_restricted(*this, parts, kept, [](double score, double &copy) { copy = score; });
  return parts;
}

template <typename Use>
bool Parts::for_parts_of(const int *heads, Use use) {
  std::vector<int> used(nodes, -1);  // the arc into each word
  for (int m = 1; m < nodes; ++m)
    if ((used[m] = find(heads[m], m)) < 0) return false;
  for (int m = 1; m < nodes; ++m) {
    use(arc[used[m]]);
    if (counts_grand(used.data(), used[m])) use(grand(used[heads[m]], used[m]));
  }
  if (!has_transitions()) return true;
  for (int side = 1; side < 2 * nodes; ++side) {  // side 0, the root's left, has no parts
    int last = 0;                                 // START
    for (int q = 0; q < side_size(side); ++q) {
      const int id = side_begin[side] + q;
      if (used[modifier[id]] != id) continue;
      use(transition(side, last, q));
      if (has_grandsib() && side >= 2) use(grandsib(used[side / 2], side, last, q));
      last = q + 1;
    }
    use(transition(side, last, side_size(side)));
  }
  return true;
}

inline double Parts::value(const int *heads) const {
  double total = 0;
  const bool found = const_cast<Parts *>(this)->for_parts_of(heads, [&](double score) { total += score; });
  return found ? total : forbidden;
}

}  // namespace treewright
