// A tree under local search: the value of a word's head, the heads it may have, the best single change.
//
// A word is evaluated with its arc removed: `attachment(arc)` is what the tree gains when the word, with all that it
// dominates, is attached by that arc. It is the sum of one member function a part type, each O(1) or, for
// grandparents, O(modifiers of the word); a further part type is a further such function. The difference of two
// attachments is the change in value of moving the word (Zhang et al. 2014).
//
// A head is legal when the word does not dominate it, when it keeps the number of the root's modifiers at one in the
// single-root mode, and when the new arc crosses none in the projective mode. With a single root r no single change
// can replace r, so there is one more kind of change, the swap: some word takes r's place under 0, and r is attached
// somewhere below that word.
#pragma once

#include <algorithm>
#include <vector>

#include "search/climb_sides.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct TreeShape {
  bool single_root = true;
  bool projective = false;
};

// Word m is to be attached by arc `to`; in a swap so is the old root by `root_to`.
struct Change {
  int to = -1;
  int root_to = -1;
  Sum gain;
};

// What a tree is worth beside its parts: nothing. factors/factor_climb.hpp has third-order parts and global features.
struct NoOthers {
  Sum gain_of_move(int, int) const { return {}; }
  Sum gain_of_swap(int, int, int) const { return {}; }
  void move(int, int) const {}
  void swap(int, int, int) const {}
};

class ClimbTree {
 public:
  void reset(const Parts &parts, TreeShape shape, const int *heads) {
    parts_ = &parts;
    shape_ = shape;
    sides_.reset(parts);
    used_.assign(parts.nodes, -1);
    mark_.assign(parts.nodes, 0);
    stamp_ = 0;
    for (int m = 1; m < parts.nodes; ++m) attach(parts.find(heads[m], m));
    total_ = Sum();
    for (int m = 1; m < parts.nodes; ++m) {
      total_.add(parts.arc[used_[m]]);
      if (parts.has_grand() && head(m) != 0) total_.add(parts.grand(used_[head(m)], used_[m]));
    }
    if (parts.has_transitions()) sides_.each_part([&](double score) { total_.add(score); });
    for (int h = 1; parts.has_grandsib() && h < parts.nodes; ++h) sides_.add_grandsibs(used_[h], total_);
  }

  int nodes() const { return parts_->nodes; }
  int head(int m) const { return parts_->head[used_[m]]; }
  const Sum &total() const { return total_; }      // kept up by the gains of the changes made
  void add(const Sum &value) { total_ += value; }  // of what is scored beside the parts
  void write(int *heads) const {
    heads[0] = -1;
    for (int m = 1; m < nodes(); ++m) heads[m] = head(m);
  }

  // Every word after all that it dominates, the furthest from the root first.
  void bottom_up(std::vector<int> &order) const {
    order.clear();
    order.push_back(0);
    for (std::size_t next = 0; next < order.size(); ++next)
      sides_.each_out(order[next], [&](int arc) { order.push_back(parts_->modifier[arc]); });
    std::reverse(order.begin(), order.end());
    order.pop_back();  // the root
  }

  bool is_only_root(int m) const { return shape_.single_root && head(m) == 0; }

  // visit(change) for each other head that word m, which is not the single root's modifier, may have.
  template <typename Visit>
  void each_move(int m, Visit visit) {
    const int from = used_[m];
    if (parts_->in_size(m) < 2) return;
    mark_dominated(m);
    detach(from);
    const Sum now = attachment(from);
    for (int place = parts_->in_begin[m]; place < parts_->in_begin[m + 1]; ++place) {
      const int to = parts_->in_arc[place], h = parts_->head[to];
      if (to == from || is_marked(h) || (shape_.single_root && h == 0) || crosses(to)) continue;
      visit(Change{to, -1, attachment(to) - now});
    }
    attach(from);
  }

  // visit(change) for each word that may take the place of the single root's modifier, and each place for that one.
  template <typename Visit>
  void each_swap(Visit visit) {
    const int root_arc = only_root_arc(), root = parts_->modifier[root_arc];
    for (int arc = parts_->out_begin(0); arc < parts_->out_begin(0) + parts_->out_size(0); ++arc)
      if (arc != root_arc) each_swap(arc, root_arc, root, visit);
  }

  // visit(change) for the moves of a word, or for the swaps if it is the single root's modifier.
  template <typename Visit>
  void each_change(int m, Visit visit) {
    is_only_root(m) ? each_swap(visit) : each_move(m, visit);
  }

  // The best change of a word; to == -1 when none is better. `others` gives what is gained beside the parts.
  template <typename Others>
  Change best_change(int m, Others &others) {
    Change best;
    each_change(m, [&](Change change) {
      change.gain += gain_beside(change, others);
      if (change.gain.exceeds(best.gain)) best = change;
    });
    return best;
  }

  template <typename Others>
  Sum gain_beside(const Change &change, Others &others) const {
    const int m = parts_->modifier[change.to], h = parts_->head[change.to];
    if (change.root_to < 0) return others.gain_of_move(m, h);
    return others.gain_of_swap(m, parts_->modifier[change.root_to], parts_->head[change.root_to]);
  }

  template <typename Others>
  void apply(const Change &change, Others &others) {
    const int root_arc = change.root_to < 0 ? -1 : only_root_arc();
    const int m = parts_->modifier[change.to];
    if (root_arc >= 0)
      others.swap(m, parts_->modifier[root_arc], parts_->head[change.root_to]);
    else
      others.move(m, parts_->head[change.to]);
    detach(used_[m]);
    if (root_arc >= 0) detach(root_arc);
    attach(change.to);
    if (root_arc >= 0) attach(change.root_to);
    total_ += change.gain;
  }

 private:
  void attach(int arc) {
    used_[parts_->modifier[arc]] = arc;
    sides_.insert(arc);
  }
  // The word keeps all that it dominates; used_ is -1 until it is attached again.
  void detach(int arc) {
    used_[parts_->modifier[arc]] = -1;
    sides_.erase(arc);
  }

  Sum attachment(int arc) const {
    Sum sum;
    sum.add(parts_->arc[arc]);
    if (parts_->has_transitions()) sides_.add_insertion(arc, sum);
    if (parts_->has_grand()) add_grandparents(arc, sum);
    if (parts_->has_grandsib()) add_grandsibs(arc, sum);
    return sum;
  }

  // The arc under its head's own, and the arcs below it. A head that is itself detached has no arc yet; the
  // pair is counted when that head is attached.
  void add_grandparents(int arc, Sum &sum) const {
    const int above = used_[parts_->head[arc]];
    if (above >= 0) sum.add(parts_->grand(above, arc));
    sides_.each_out(parts_->modifier[arc], [&](int below) { sum.add(parts_->grand(arc, below)); });
  }

  void add_grandsibs(int arc, Sum &sum) const {
    const int above = used_[parts_->head[arc]];
    if (above >= 0) sides_.add_insertion_under(above, arc, sum);
    sides_.add_grandsibs(arc, sum);
  }

  int only_root_arc() const {
    int found = -1;
    sides_.each_out(0, [&](int arc) { found = arc; });
    return found;
  }

  // The word m of `arc`, (0, m), becomes the root, and the old one goes below it.
  template <typename Visit>
  void each_swap(int arc, int root_arc, int root, Visit visit) {
    const int m = parts_->modifier[arc], from = used_[m];
    mark_dominated(m);
    detach(root_arc);
    const Sum root_now = attachment(root_arc);
    detach(from);
    Sum now = attachment(from);
    now += root_now;
    if (!crosses(arc)) {
      const Sum there = attachment(arc);
      attach(arc);
      for (int place = parts_->in_begin[root]; place < parts_->in_begin[root + 1]; ++place) {
        const int to = parts_->in_arc[place];
        if (is_marked(parts_->head[to]) && !crosses(to)) visit(Change{arc, to, there + attachment(to) - now});
      }
      detach(arc);
    }
    attach(from);
    attach(root_arc);
  }

  void mark_dominated(int m) {
    ++stamp_;
    marked_.assign(1, m);
    mark_[m] = stamp_;
    while (!marked_.empty()) {
      const int h = marked_.back();
      marked_.pop_back();
      sides_.each_out(h, [&](int arc) {
        mark_[parts_->modifier[arc]] = stamp_;
        marked_.push_back(parts_->modifier[arc]);
      });
    }
  }
  bool is_marked(int h) const { return mark_[h] == stamp_; }

  // Whether an arc crosses one of the tree's. Trees without crossing arcs, the root at the left end, are projective.
  bool crosses(int arc) const {
    if (!shape_.projective) return false;
    const int i = std::min(parts_->head[arc], parts_->modifier[arc]);
    const int j = std::max(parts_->head[arc], parts_->modifier[arc]);
    for (int m = 1; m < nodes(); ++m) {
      if (used_[m] < 0) continue;
      const int a = std::min(head(m), m), b = std::max(head(m), m);
      if ((i < a && a < j && j < b) || (a < i && i < b && b < j)) return true;
    }
    return false;
  }

  const Parts *parts_ = nullptr;
  TreeShape shape_;
  Sides sides_;
  Sum total_;
  std::vector<int> used_;  // the arc into each word
  std::vector<int> mark_, marked_;
  int stamp_ = 0;
};

}  // namespace treewright
