// The arcs of a structure, side by side and outwards from each head, as local search changes them.
//
// before(arc) and after(arc) are the states that Parts::transition takes: the nearest arc of the structure
// between the head and this arc, the nearest one beyond it. Both are O(1); insert and erase walk over the side's
// candidates between two arcs of the structure. A word may have one head or several, so that trees and
// graphs both use it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/scores.hpp"
#include "trees/parts.hpp"

namespace treewright {

// A sum of scores in which forbidden parts are counted apart: a change can be judged from a structure that has some,
// and nothing is ever taken from -inf. size is the sum of the absolute scores that were added and subtracted.
struct Sum {
  int forbidden_parts = 0;
  double finite = 0, size = 0;

  void add(double score) { score == forbidden ? void(++forbidden_parts) : add_finite(score); }
  void subtract(double score) { score == forbidden ? void(--forbidden_parts) : add_finite(-score); }
  Sum &operator+=(const Sum &other) {
    forbidden_parts += other.forbidden_parts, finite += other.finite, size += other.size;
    return *this;
  }
  friend Sum operator-(Sum a, const Sum &b) {
    a.forbidden_parts -= b.forbidden_parts, a.finite -= b.finite, a.size += b.size;
    return a;
  }
  friend Sum operator+(Sum a, const Sum &b) { return a += b; }

  // Strictly better, by more than rounding could make it: local search that took less could go round in circles. A sum
  // of k scores has an error of at most k * 1.2e-16 * size.
  bool exceeds(const Sum &other) const {
    if (forbidden_parts != other.forbidden_parts) return forbidden_parts < other.forbidden_parts;
    return finite > other.finite + 1e-13 * (size + other.size);
  }
  double value() const { return forbidden_parts > 0 ? forbidden : finite; }

 private:
  void add_finite(double score) { finite += score, size += std::abs(score); }
};

class Sides {
 public:
  void reset(const Parts &parts) {
    parts_ = &parts;
    on_.assign(parts.arcs(), 0);
    before_.assign(parts.arcs(), 0);
    after_.resize(parts.arcs());
    first_.resize(2 * parts.nodes);
    for (int side = 0; side < 2 * parts.nodes; ++side) {
      first_[side] = parts.side_size(side);
      for (int id = parts.side_begin[side]; id < parts.side_begin[side + 1]; ++id) after_[id] = first_[side];
    }
  }

  bool has(int arc) const { return on_[arc]; }
  int before(int arc) const { return before_[arc]; }  // 0: START, i: the side's i-th candidate
  int after(int arc) const { return after_[arc]; }    // from 0; the side's size: END

  void insert(int arc) {
    const int side = side_of(arc), begin = parts_->side_begin[side], rank = arc - begin;
    on_[arc] = 1;
    for (int r = rank + 1; r <= after_[arc] && r < parts_->side_size(side); ++r) before_[begin + r] = rank + 1;
    for (int r = std::max(before_[arc] - 1, 0); r < rank; ++r) after_[begin + r] = rank;
    if (before_[arc] == 0) first_[side] = rank;
  }

  void erase(int arc) {
    const int side = side_of(arc), begin = parts_->side_begin[side], rank = arc - begin;
    on_[arc] = 0;
    for (int r = rank + 1; r <= after_[arc] && r < parts_->side_size(side); ++r) before_[begin + r] = before_[arc];
    for (int r = std::max(before_[arc] - 1, 0); r < rank; ++r) after_[begin + r] = after_[arc];
    if (before_[arc] == 0) first_[side] = after_[arc];
  }

  // What the sibling and stop parts of a side gain when the arc, which is not in the structure, comes in.
  void add_insertion(int arc, Sum &sum) const {
    const int side = side_of(arc), rank = arc - parts_->side_begin[side], p = before_[arc], q = after_[arc];
    sum.add(parts_->transition(side, p, rank));
    sum.add(parts_->transition(side, rank + 1, q));
    sum.subtract(parts_->transition(side, p, q));
  }

  // What the grand-sibling parts under `upper`, the arc into the head of `arc`, gain when the arc comes in.
  void add_insertion_under(int upper, int arc, Sum &sum) const {
    const int side = side_of(arc), rank = arc - parts_->side_begin[side], p = before_[arc], q = after_[arc];
    sum.add(parts_->grandsib(upper, side, p, rank));
    sum.add(parts_->grandsib(upper, side, rank + 1, q));
    sum.subtract(parts_->grandsib(upper, side, p, q));
  }

  // The grand-sibling parts of the modifiers of a word, whose own arc is `upper`.
  void add_grandsibs(int upper, Sum &sum) const {
    const int h = parts_->modifier[upper];
    for (int side = 2 * h; side < 2 * h + 2; ++side) {
      const int begin = parts_->side_begin[side], size = parts_->side_size(side);
      int last = 0;
      for (int rank = first_[side]; rank < size; last = rank + 1, rank = after_[begin + rank])
        sum.add(parts_->grandsib(upper, side, last, rank));
    }
  }

  // visit(arc) for every arc of the structure that leaves h.
  template <typename Visit>
  void each_out(int h, Visit visit) const {
    for (int side = 2 * h; side < 2 * h + 2; ++side) {
      const int begin = parts_->side_begin[side], size = parts_->side_size(side);
      for (int rank = first_[side]; rank < size; rank = after_[begin + rank]) visit(begin + rank);
    }
  }

  // The current parts of every side.
  template <typename Use>
  void each_part(Use use) const {
    for (int side = 1; side < 2 * parts_->nodes; ++side) {  // side 0, the root's left, has no parts
      const int begin = parts_->side_begin[side], size = parts_->side_size(side);
      int last = 0;
      for (int rank = first_[side]; rank < size; rank = after_[begin + rank]) {
        use(parts_->transition(side, last, rank));
        last = rank + 1;
      }
      use(parts_->transition(side, last, size));
    }
  }

 private:
  int side_of(int arc) const { return Parts::side_of(parts_->head[arc], parts_->modifier[arc]); }

  const Parts *parts_ = nullptr;
  std::vector<char> on_;
  std::vector<int> before_, after_;  // of each arc
  std::vector<int> first_;           // of each side: the rank of its first arc in the structure
};

}  // namespace treewright
