// The factors of a tree in small groups, so that a move of one word changes few of them.
//
// A unit is a group of factors of one node: those of a side of its modifiers, of its path to the root, and so on.
// visit(unit) lists its factors from the tree as it is; touch(m) lists the units that depend on the head of m, as it
// is at the moment. A move changes only units that are touched before or after it, and the spans of words above.
//
//   side (h, 0 or 1)   modifiers of h on that side, head of h            grand-siblings, tri-siblings
//   path m             the three nodes above m                          great-grandparents
//   bigram m           the heads of m - 1 and m                         head bigrams
//   siblings m         head, neighbours and modifiers of m              parent-sibling-child
//   family h           modifiers of h                                   all siblings, valency, tags of modifiers
//   adposition p       head and modifiers of p, head of its head        PP attachment
//   conjunction k      the conjuncts of k                               coordination; all are touched by every move
//   mark i             the heads of i and of its mate                   punctuation pairs
//   span m             span and head of m                               span length and neighbours
//   arc m              the heads of m and of the words below its arc    arcs that are not projective
//   sentence           rightmost path                                   right branching
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "factors/factor_features.hpp"
#include "factors/factors.hpp"
#include "factors/linked_tree.hpp"
#include "factors/token_classes.hpp"

namespace treewright {

class FactorUnits {
 public:
  FactorUnits(const FactorFeatures &features, const TokenClasses &classes, const LinkedTree &tree)
      : features_(features), classes_(classes), tree_(tree) {
    for (int kind = 0; kind < factor_kinds; ++kind) has_[kind] = features.has(kind);
    has_side_ = has_[grand_siblings] || has_[tri_siblings];
    has_family_ = has_[all_siblings] || has_[valency] || has_[valency_sides] || has_[child_tags];
    has_conjunction_ = has_[coordination] || has_[shared_features] || has_[coordination_head];
    has_span_ = has_[span_length] || has_[span_neighbours];
  }

  int count() const { return unit_types * nodes(); }

  // use(factor) for each factor of a unit.
  template <typename Use>
  void visit(int unit, Use use) const {
    const int v = unit % nodes();
    switch (unit / nodes()) {
      case left_side:
        return visit_side(v, 0, use);
      case right_side:
        return visit_side(v, 1, use);
      case path:
        return visit_path(v, use);
      case bigram:
        return visit_bigram(v, use);
      case siblings:
        return visit_siblings(v, use);
      case family:
        return visit_family(v, use);
      case adposition:
        return visit_adposition(v, use);
      case conjunction:
        return visit_conjunction(v, use);
      case mark:
        return visit_mark(v, use);
      case span:
        return visit_span(v, use);
      case arc:
        return visit_arc(v, use);
      case sentence:
        return visit_sentence(use);
    }
  }

  // use(unit) for every unit that has factors in some tree.
  template <typename Use>
  void each(Use use) const {
    for (int v = 0; v < nodes(); ++v) {
      if (has_side_ && v > 0) use(at(left_side, v));
      if (has_side_) use(at(right_side, v));
      if (has_family_) use(at(family, v));
      if (v == 0) continue;
      if (has_[great_grandparents]) use(at(path, v));
      if (has_[head_bigrams] && v > 1) use(at(bigram, v));
      if (has_[sibling_children]) use(at(siblings, v));
      if (has_[pp_attachment] && classes_.is_adposition(v)) use(at(adposition, v));
      if (has_[punctuation_pairs] && classes_.mate(v) > v) use(at(mark, v));
      if (has_span_) use(at(span, v));
      if (has_[nonprojective]) use(at(arc, v));
    }
    if (has_conjunction_)
      for (const int k : classes_.conjunctions()) use(at(conjunction, k));
    if (has_[right_branching]) use(at(sentence, 0));
  }

  // use(unit) for the units that depend on the head of m, as it is; some may come twice.
  template <typename Use>
  void touch(int m, Use use) const {
    const int h = tree_.head(m);
    if (has_side_) use(at(m < h ? left_side : right_side, h));
    if (has_[grand_siblings]) use(at(left_side, m)), use(at(right_side, m));
    if (has_family_) use(at(family, h));
    if (has_[great_grandparents]) touch_paths(m, use);
    if (has_[head_bigrams]) {
      if (m > 1) use(at(bigram, m));
      if (m + 1 < nodes()) use(at(bigram, m + 1));
    }
    if (has_[sibling_children]) touch_siblings(m, h, use);
    if (has_[pp_attachment]) touch_adpositions(m, h, use);
    if (has_conjunction_)
      for (const int k : classes_.conjunctions()) use(at(conjunction, k));
    if (has_[punctuation_pairs] && classes_.mate(m) > 0) use(at(mark, std::min(m, classes_.mate(m))));
    if (has_span_) use(at(span, m));
    if (has_[nonprojective]) touch_arcs(m, use);
    if (has_[right_branching]) use(at(sentence, 0));
  }

  // Calls use(unit) for the units of a word whose span changed.
  template <typename Use>
  void touch_span(int v, Use use) const {
    if (has_span_) use(at(span, v));
  }

 private:
  enum UnitType {
    left_side,
    right_side,
    path,
    bigram,
    siblings,
    family,
    adposition,
    conjunction,
    mark,
    span,
    arc,
    sentence,
    unit_types
  };

  int nodes() const { return tree_.nodes(); }
  int start() const { return nodes(); }
  int end() const { return nodes() + 1; }
  int at(UnitType type, int v) const { return type * nodes() + v; }

  template <typename Use>
  void touch_paths(int m, Use use) const {
    use(at(path, m));
    for (const int c : tree_.modifiers(m)) {
      use(at(path, c));
      for (const int d : tree_.modifiers(c)) use(at(path, d));
    }
  }

  template <typename Use>
  void touch_siblings(int m, int h, Use use) const {
    use(at(siblings, m));
    if (h > 0) use(at(siblings, h));
    const auto [left, right] = tree_.adjacent(m);
    if (left > 0) use(at(siblings, left));
    if (right > 0) use(at(siblings, right));
  }

  template <typename Use>
  void touch_adpositions(int m, int h, Use use) const {
    if (classes_.is_adposition(m)) use(at(adposition, m));
    if (h > 0 && classes_.is_adposition(h)) use(at(adposition, h));
    for (const int c : tree_.modifiers(m))
      if (classes_.is_adposition(c)) use(at(adposition, c));
  }

  template <typename Use>
  void touch_arcs(int m, Use use) const {
    for (int v = 1; v < nodes(); ++v)
      if (v == m || std::min(v, tree_.head(v)) < m) {
        if (v == m || std::max(v, tree_.head(v)) > m) use(at(arc, v));
      }
  }

  // The modifiers of h on one side from the inside out, at(0) .. at(size - 1); START and END around them.
  struct Side {
    const FactorUnits &units;
    const std::vector<int> &all;
    int begin, size, step;
    int at(int place) const {
      if (place < 0) return units.start();
      return place < size ? all[begin + step * place] : units.end();
    }
  };
  Side side_of(int h, int side) const {
    const std::vector<int> &all = tree_.modifiers(h);
    const int left = tree_.left_count(h);
    return side == 0 ? Side{*this, all, left - 1, left, -1} : Side{*this, all, left, int(all.size()) - left, 1};
  }

  template <typename Use>
  void visit_side(int h, int side, Use use) const {
    const Side all = side_of(h, side);
    if (has_[grand_siblings] && h > 0)
      for (int place = 0; place <= all.size; ++place)
        use(Factor{grand_siblings, {tree_.head(h), h, all.at(place - 1), all.at(place), -1}, side});
    if (has_[tri_siblings])
      for (int place = 0; place < all.size; ++place)
        use(Factor{tri_siblings, {h, all.at(place - 1), all.at(place), all.at(place + 1), -1}, 0});
  }

  template <typename Use>
  void visit_path(int m, Use use) const {
    const int h = tree_.head(m), g = h == 0 ? 0 : tree_.head(h);
    if (g != 0) use(Factor{great_grandparents, {tree_.head(g), g, h, m, -1}, 0});
  }

  template <typename Use>
  void visit_bigram(int m, Use use) const {
    use(Factor{head_bigrams, {tree_.head(m - 1), m - 1, tree_.head(m), m, -1}, 0});
  }

  template <typename Use>
  void visit_siblings(int m, Use use) const {
    const auto [left, right] = tree_.adjacent(m);
    for (const int s : {left, right})
      if (s > 0)
        for (const int c : tree_.modifiers(m)) use(Factor{sibling_children, {tree_.head(m), m, c, s, -1}, 0});
  }

  template <typename Use>
  void visit_family(int h, Use use) const {
    const std::vector<int> &all = tree_.modifiers(h);
    if (has_[all_siblings])
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) use(Factor{all_siblings, {h, all[i], all[j], -1, -1}, 0});
    if (h == 0) return;
    int left = 0, right = 0;
    Factor tags{child_tags, {h, end(), end(), end(), end()}, 0};
    for (const int m : all) {
      if (classes_.is_punctuation(m)) continue;
      if (left + right < 4) tags.node[1 + left + right] = m;
      ++(m < h ? left : right);
    }
    if (has_[valency]) use(Factor{valency, {h, -1, -1, -1, -1}, std::min(5, left + right)});
    if (has_[valency_sides])
      use(Factor{valency_sides, {h, -1, -1, -1, -1}, 6 * std::min(5, left) + std::min(5, right)});
    if (has_[child_tags]) use(tags);
  }

  template <typename Use>
  void visit_adposition(int p, Use use) const {
    for (const int c : tree_.modifiers(p))
      if (classes_.is_argument(c)) return use(Factor{pp_attachment, {p, tree_.head(p), c, -1, -1}, 0});
    const int c = tree_.head(p);
    if (c != 0) use(Factor{pp_attachment, {p, tree_.head(c), c, -1, -1}, 1});
  }

  // The nearest modifier of h left (side 0) or right of position k that may be a conjunct; 0: none.
  int nearest(int h, int k, int side) const {
    int found = 0;
    for (const int m : tree_.modifiers(h)) {
      if (!classes_.is_argument(m)) continue;
      if (side == 0 && m < k) found = m;
      if (side == 1 && m > k) return m;
    }
    return found;
  }

  struct Conjuncts {
    int head, left, right;  // left or right 0: none
  };
  Conjuncts conjuncts(int k) const {
    const int above = tree_.head(k);
    const auto up = [&](int v) { return v == 0 ? 0 : tree_.head(v); };
    switch (classes_.style()) {
      case 0:
        return {above, nearest(k, k, 0), nearest(k, k, 1)};
      case 1:
        return {up(above), above, nearest(above, k, 1)};
      case 2:
        return {up(above), above, nearest(k, k, 1)};
      case 3:
        return {up(above), nearest(above, k, 0), above};
      case 5:
        return {up(above), nearest(k, k, 0), above};
      default:
        return {up(up(above)), up(above), above};
    }
  }

  template <typename Use>
  void visit_conjunction(int k, Use use) const {
    const auto [head, left, right] = conjuncts(k);
    if (left == 0 || right == 0 || left >= right) return;
    if (has_[coordination]) use(Factor{coordination, {k, left, right, -1, -1}, 0});
    if (has_[shared_features]) visit_shared(left, right, use);
    if (has_[coordination_head])
      for (const int a : {left, right}) use(Factor{coordination_head, {k, head, a, -1, -1}, 0});
  }

  template <typename Use>
  void visit_shared(int left, int right, Use use) const {
    const Atoms &atoms = features_.atoms();
    const std::uint32_t *a = atoms.each + std::size_t(left) * atoms.each_width;
    const std::uint32_t *b = atoms.each + std::size_t(right) * atoms.each_width;
    for (int i = 0; i < atoms.each_width && a[i]; ++i)
      if (std::find(b, b + atoms.each_width, a[i]) != b + atoms.each_width)
        use(Factor{shared_features, {left, right, -1, -1, -1}, i});
  }

  template <typename Use>
  void visit_mark(int i, Use use) const {
    const int h = tree_.head(i), j = classes_.mate(i);
    if (tree_.head(j) == h) use(Factor{punctuation_pairs, {i, h, -1, -1, -1}, i < h && h < j});
  }

  template <typename Use>
  void visit_span(int m, Use use) const {
    const int first = tree_.first(m), last = tree_.last(m);
    const bool at_end = last + 1 == nodes();
    if (has_[span_length]) {
      const int before_mark = !at_end && classes_.is_punctuation(last + 1);
      use(Factor{span_length, {m, -1, -1, -1, -1}, std::min(5, last - first + 1) + 8 * at_end + 16 * before_mark});
    }
    if (has_[span_neighbours])
      use(Factor{
          span_neighbours, {m, tree_.head(m), first == 1 ? start() : first - 1, at_end ? end() : last + 1, -1}, 0});
  }

  template <typename Use>
  void visit_arc(int m, Use use) const {
    const int h = tree_.head(m), low = std::min(h, m), high = std::max(h, m);
    int outside = 0;
    for (int v = low + 1; v < high; ++v) outside += tree_.head(v) < low || tree_.head(v) > high;
    if (outside > 0) use(Factor{nonprojective, {h, m, -1, -1, -1}, std::min(7, outside)});
  }

  template <typename Use>
  void visit_sentence(Use use) const {
    int visited = 1;
    for (int v = 0; v >= 0; ++visited) {
      const std::vector<int> &all = tree_.modifiers(v);
      const auto next = std::find_if(all.rbegin(), all.rend(), [&](int m) { return !classes_.is_punctuation(m); });
      if (next == all.rend()) break;
      v = *next;
    }
    use(Factor{right_branching, {0, -1, -1, -1, -1}, visited});
  }

  const FactorFeatures &features_;
  const TokenClasses &classes_;
  const LinkedTree &tree_;
  bool has_[factor_kinds], has_side_, has_family_, has_conjunction_, has_span_;
};

}  // namespace treewright
