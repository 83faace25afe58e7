// What each part loses against the best part of its kind, and with it the scale of the differences between trees.
//
// A tree has one arc, one sibling part and (unless its head is the root) one grandparent part and one grand-sibling part
// for each word m, and one stop for each side of a node. The loss of a part is its distance from the highest score in its place:
//
//   arc (h, m)       best arc into m - arc             sibling (h, m, s)   best sibling part of m - sib
//   stop (h, s)      best stop of the side - stop      grandparent         best grandparent part of m - grand
//   grand-sibling    best grand-sibling part of m - grandsib
//
// (an arc from the root has the scores 0 in place of the last two, and their losses count with the arc). The loss of a tree is the sum
// over its parts: the sum of all best scores, which bounds every tree, less the tree's value. Losses do not change when
// a constant is added to all heads of a word, and are computed from differences only, so that each has a relative error
// of few units in the last place. A part that loses more than a whole tree does is in no better tree.
//
// spread(tree) is the scale that tolerances refer to: the loss of the tree, without penalties that every tree has to
// take, such as masks. Losses of all parts form groups, with a factor of 2^20 between one and the next; the best score
// nearest to 0 is a group of its own if all losses are larger. The penalties are the losses from the first group on
// that is more than 2^10 times the size of the best scores (BestSize), which keeps losses of ordinary size next to ties
// that are broken by rounding or noise. Random trees limit it (spread.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/scores.hpp"
#include "trees/parts.hpp"
#include "trees/spread.hpp"

namespace treewright {

constexpr double penalty_of_best = 1 << 10;  // not tuned: the scores of one model differ by less

// The size of the best scores: the highest one, or if none is positive, that which is nearest to 0, because the best
// score in a place where every part has a mask is a mask. Arcs count only if no other part has a positive score: a
// constant added to all heads of a word changes them.
class BestSize {
 public:
  void add(double best) {
    if (best > highest_) highest_ = best;
    if (best < 0 && -best < nearest_) nearest_ = -best;
  }
  void add(const std::vector<double> &best) {
    for (double score : best) add(score);
  }
  void add_arcs(const std::vector<double> &best) {
    if (highest_ == 0) add(best);
  }
  double value() const { return highest_ > 0 || nearest_ == none ? highest_ : nearest_; }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();  // also what is forbidden
  double highest_ = 0, nearest_ = none;
};

// False when the losses are all of ordinary size next to the best scores.
inline bool may_have_penalty(double largest_loss, double best_size) {
  return largest_loss > penalty_of_best * best_size;
}

// Sizes by exponent, in groups with nothing in the 20 powers of two below each; not tuned, as above.
class SizeGroups {
 public:
  SizeGroups() { std::fill_n(least_, exponents, infinity); }

  void add(double size) {
    if (!(size > 0 && size < infinity)) return;
    double &cell = least_[exponent_of(size)];
    cell = std::min(cell, size);
  }

  void add_if_least(double size) {
    if (!(size > 0 && size < infinity)) return;
    const auto end = least_ + exponent_of(size) + 1;
    if (std::all_of(least_, end, [&](double least) { return least > size; })) add(size);
  }

  // The least size of every group but the first. Increasing.
  std::vector<double> starts() const {
    std::vector<double> found;
    int below = -1;
    for (int exponent = 0; exponent < exponents; ++exponent) {
      if (least_[exponent] == infinity) continue;
      if (below >= 0 && exponent - below > jump) found.push_back(least_[exponent]);
      below = exponent;
    }
    return found;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr int exponents = 2048, jump = 20;

  static std::size_t exponent_of(double positive) {
    std::uint64_t bits;
    std::memcpy(&bits, &positive, sizeof bits);
    return bits >> 52;
  }

  double least_[exponents];  // the least size with each exponent
};

// The size from which losses are penalties; +inf when there are none. starts are those of the groups.
inline double least_penalty(const std::vector<double> &starts, double best_size) {
  for (double start : starts)
    if (may_have_penalty(start, best_size)) return start;
  return std::numeric_limits<double>::infinity();
}

// The sum of a tree's losses without penalties.
inline double spread_of(const std::vector<double> &losses, double penalty) {
  double sum = 0;
  for (double loss : losses) sum += loss < penalty ? loss : 0;
  return sum;
}

// The sum of the sizes of the best scores in all places of one kind.
inline double total_size(const std::vector<double> &best) {
  double sum = 0;
  for (double score : best) sum += score == forbidden ? 0 : std::abs(score);
  return sum;
}

// An upper bound on what another tree gains over the one that a chart finds, which adds up the scores of a tree in some
// order. A tree that is not worse has at most 5 parts a node, and 6 with grand-siblings; together they have at most the
// size of the best scores (total_size of all kinds) and the loss. Twice: for the tree found and for the best one.
inline double second_order_rounding(const Parts &parts, double size_of_best, double loss) {
  const double parts_of_tree = (parts.has_grandsib() ? 6.0 : 5.0) * parts.nodes;
  return 2 * parts_of_tree * std::numeric_limits<double>::epsilon() * (size_of_best + loss);
}

class Losses {
 public:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  // The parts must outlive the losses.
  void open(const Parts &parts, bool single_root) {
    parts_ = &parts, single_root_ = single_root, has_groups_ = false;
    find_best_transitions();
    find_best_grandparents();
    find_best_grandsibs();
    find_best_of_words();
  }

  // +inf for what is forbidden.
  double arc(int id) const {
    const int m = parts_->modifier[id];
    if (parts_->arc[id] == forbidden) return infinity;
    const double own = best_arc[m] - parts_->arc[id];
    return parts_->head[id] == 0 ? own + best_grand[m] + best_grandsib[m] : own;
  }
  double transition(int side, int p, int q) const {
    const double score = parts_->transition(side, p, q);
    if (score == forbidden) return infinity;
    if (q == parts_->side_size(side)) return best_stop[side] - score;
    return best_sibling[parts_->modifier[parts_->side_begin[side] + q]] - score;
  }
  double grand(int upper, int lower) const {
    const double score = parts_->grand(upper, lower);
    return score == forbidden ? infinity : best_grand[parts_->modifier[lower]] - score;
  }

  double grandsib(int upper, int side, int p, int q) const {
    const double score = parts_->grandsib(upper, side, p, q);
    const int m = parts_->modifier[parts_->side_begin[side] + q];
    return score == forbidden ? infinity : best_grandsib[m] - score;
  }

  bool is_candidate(int id) const { return parts_->arc[id] != forbidden; }
  // Whether no tree can have the arc, because every sibling, grandparent or grand-sibling part of it is forbidden.
  bool is_unusable(int id) const {
    return parts_->arc[id] == forbidden || sibling_[id] == forbidden || grand_[id] == forbidden ||
           grandsib_[id] == forbidden;
  }
  // The root has a child, and with a single root no second one.
  bool is_unusable(int side, int p, int q) const {
    if (side != 1) return false;
    return q == parts_->side_size(side) ? p < first_last_state(side) : p > last_state(side, q);
  }

  // Calls use(loss) for every part of a tree; false when it uses an arc that is no candidate.
  template <typename Use>
  bool for_losses_of(const int *heads, Use use);

  // The loss of a tree, rounded upwards by far more than its error; +inf when it has a forbidden part.
  double total(const int *heads) {
    double sum = 0;
    const bool found = for_losses_of(heads, [&](double loss) { sum += loss; });
    return found ? sum * (1 + 8 * parts_->nodes * std::numeric_limits<double>::epsilon()) : infinity;
  }

  double spread(const int *heads);
  // The spread for searches, which may be smaller: every group of losses but the first counts as penalties.
  double search_spread(const int *heads) { return std::min(spread(heads), loss_without_penalties(heads, 0)); }

  // The size of the best scores of all places.
  double size_of_best() const {
    return total_size(best_arc) + total_size(best_sibling) + total_size(best_grand) + total_size(best_stop) +
           total_size(best_grandsib);
  }

  // Every part at its best; rounded, so that it is a bound but for a few units in the last place.
  double upper_bound() const {
    double sum = 0;
    for (int m = 1; m < parts_->nodes; ++m) sum += best_arc[m] + best_sibling[m] + best_grand[m] + best_grandsib[m];
    for (double stop : best_stop) sum += stop;
    return sum;
  }

  // Losses that begin a group of much higher ones, increasing; computed on first use.
  const std::vector<double> &thresholds() {
    find_groups();
    return thresholds_;
  }

  std::vector<double> best_arc, best_sibling, best_grand, best_grandsib;  // of each word; 0 where there is no such part
  std::vector<double> best_stop;                                          // of each side

 private:
  double loss_without_penalties(const int *heads, double best_size) {
    of_tree_.clear();
    double largest_loss = 0;
    for_losses_of(heads, [&](double loss) { of_tree_.push_back(loss), largest_loss = std::max(largest_loss, loss); });
    const bool may_have = may_have_penalty(largest_loss, best_size);
    if (!may_have) return spread_of(of_tree_, infinity);
    find_groups();
    return spread_of(of_tree_, least_penalty(penalties_, best_size));
  }

  // The last state that candidate q of a side can follow.
  int last_state(int side, int q) const { return side == 1 && single_root_ ? 0 : q; }
  // The first state after which a side can end.
  int first_last_state(int side) const { return side == 1 && parts_->side_size(side) ? 1 : 0; }

  void find_best_transitions() {
    const Parts &parts = *parts_;
    sibling_.assign(parts.arcs(), 0.0);
    best_stop.assign(2 * parts.nodes, 0.0);
    if (!parts.has_transitions()) return;
    for (int side = 1; side < 2 * parts.nodes; ++side) {
      const int size = parts.side_size(side), begin = parts.side_begin[side];
      std::fill_n(sibling_.begin() + begin, size, forbidden);
      best_stop[side] = forbidden;
      for (int p = 0; p <= size; ++p) {
        const double *row = &parts.transitions[parts.transition_begin[side] + std::size_t(p) * (size + 1)];
        for (int q = p; q < size && p <= last_state(side, q); ++q)
          sibling_[begin + q] = std::max(sibling_[begin + q], row[q]);
        if (p >= first_last_state(side)) best_stop[side] = std::max(best_stop[side], row[size]);
      }
    }
  }

  void find_best_grandparents() {
    const Parts &parts = *parts_;
    grand_.assign(parts.arcs(), 0.0);
    if (!parts.has_grand()) return;
    for (int h = 1; h < parts.nodes; ++h) {
      const int begin = parts.out_begin(h), size = parts.out_size(h);
      double *best = grand_.data() + begin;
      std::fill_n(best, size, forbidden);
      const double *row = parts.grands.data() + parts.grand_begin[h];
      for (int in = parts.in_begin[h]; in < parts.in_begin[h + 1]; ++in, row += size) {
        const int back = parts.find(h, parts.head[parts.in_arc[in]]) - begin;  // no tree has both arcs
        const double best_back = back >= 0 ? best[back] : 0;
#pragma omp simd
        for (int k = 0; k < size; ++k) best[k] = row[k] > best[k] ? row[k] : best[k];
        if (back >= 0) best[back] = best_back;
      }
      for (int k = 0; parts.outermost && k < size; ++k) best[k] = std::max(best[k], 0.0);  // there may be no part
    }
  }

  void find_best_grandsibs() {
    const Parts &parts = *parts_;
    grandsib_.assign(parts.arcs(), 0.0);
    if (!parts.has_grandsib()) return;
    std::fill(grandsib_.begin() + parts.out_begin(1), grandsib_.end(), forbidden);  // the root has no parts
    parts.for_grandsibs([&](int upper, int side, int p, int q) {
      double &best = grandsib_[parts.side_begin[side] + q];
      if (!parts.is_cyclic(upper, side, p, q)) best = std::max(best, parts.grandsib(upper, side, p, q));
    });
  }

  // Over the arcs that can be in a tree as far as their own parts say.
  void find_best_of_words() {
    const Parts &parts = *parts_;
    const auto bests = {&best_arc, &best_sibling, &best_grand, &best_grandsib};
    for (auto *best : bests) best->assign(parts.nodes, forbidden);
    for (int id = 0; id < parts.arcs(); ++id) {
      if (is_unusable(id)) continue;
      const int m = parts.modifier[id];
      best_arc[m] = std::max(best_arc[m], parts.arc[id]);
      best_sibling[m] = std::max(best_sibling[m], sibling_[id]);
      best_grand[m] = std::max(best_grand[m], grand_[id]);
      best_grandsib[m] = std::max(best_grandsib[m], grandsib_[id]);
    }
    for (auto *best : bests)
      for (double &score : *best) score = score == forbidden ? 0 : score;
    BestSize size;
    for (const auto *best : {&best_sibling, &best_grand, &best_grandsib, &best_stop}) size.add(*best);
    size.add_arcs(best_arc);
    best_size_ = size.value();
  }

  void find_groups();

  // Calls use(loss) for every part; in the order of memory.
  template <typename Use>
  void for_all(Use use) const;

  const Parts *parts_ = nullptr;
  bool single_root_ = true;
  double best_size_ = 0;
  std::vector<double> sibling_, grand_, grandsib_;  // the best part of each arc
  std::vector<double> of_tree_;
  bool has_groups_ = false;
  std::vector<double> thresholds_, penalties_;  // starts of the groups of losses, and with the best score
  std::vector<int> used_;
  TreeWalk tree_walk_;
};

template <typename Use>
bool Losses::for_losses_of(const int *heads, Use use) {
  const Parts &parts = *parts_;
  used_.assign(parts.nodes, -1);
  for (int m = 1; m < parts.nodes; ++m)
    if (heads[m] < 0 || (used_[m] = parts.find(heads[m], m)) < 0) return false;
  for (int m = 1; m < parts.nodes; ++m) {
    use(arc(used_[m]));
    if (parts.counts_grand(used_.data(), used_[m]))
      use(grand(used_[heads[m]], used_[m]));
    else if (parts.outermost && heads[m] != 0)
      use(best_grand[m]);  // outermost grandchildren only: the score without a part is 0
  }
  if (!parts.has_transitions()) return true;
  for (int side = 1; side < 2 * parts.nodes; ++side) {
    int last = 0;
    for (int q = 0; q < parts.side_size(side); ++q) {
      const int id = parts.side_begin[side] + q;
      if (used_[parts.modifier[id]] != id) continue;
      use(transition(side, last, q));
      if (parts.has_grandsib() && side >= 2) use(grandsib(used_[side / 2], side, last, q));
      last = q + 1;
    }
    use(transition(side, last, parts.side_size(side)));
  }
  return true;
}

template <typename Use>
void Losses::for_all(Use use) const {
  const Parts &parts = *parts_;
  for (int id = 0; id < parts.arcs(); ++id) use(arc(id));
  for (int side = 1; parts.has_transitions() && side < 2 * parts.nodes; ++side)
    for (int p = 0; p <= parts.side_size(side); ++p)
      for (int q = p; q <= parts.side_size(side); ++q) use(transition(side, p, q));
  for (int h = 1; parts.has_grand() && h < parts.nodes; ++h)
    for (int in = parts.in_begin[h]; in < parts.in_begin[h + 1]; ++in)
      for (int id = parts.out_begin(h); id < parts.out_begin(h) + parts.out_size(h); ++id)
        if (parts.modifier[id] != parts.head[parts.in_arc[in]]) use(grand(parts.in_arc[in], id));
  parts.for_grandsibs([&](int upper, int side, int p, int q) {
    if (!parts.is_cyclic(upper, side, p, q)) use(grandsib(upper, side, p, q));
  });
}

inline void Losses::find_groups() {
  if (has_groups_) return;
  SizeGroups groups;
  for_all([&](double loss) { groups.add(loss); });
  thresholds_ = groups.starts();
  double nearest = infinity;
  for (const auto *best : {&best_arc, &best_sibling, &best_grand, &best_grandsib, &best_stop})
    for (double score : *best)
      if (score != 0) nearest = std::min(nearest, std::abs(score));
  groups.add_if_least(nearest);
  penalties_ = groups.starts();
  has_groups_ = true;
}

inline double Losses::spread(const int *heads) {
  const double loss = loss_without_penalties(heads, best_size_);
  HeadMargin margin(parts_->nodes);
  for (int id = 0; id < parts_->arcs(); ++id) {
    const int m = parts_->modifier[id];
    margin.add(m, best_arc[m] - parts_->arc[id]);
  }
  if (loss == 0 || !needs_random_trees(parts_->nodes, loss, margin)) return loss;
  Parts &parts = const_cast<Parts &>(*parts_);
  const auto has_arc = [&](int h, int m) {
    const int id = parts.find(h, m);
    return id >= 0 && parts.arc[id] != forbidden;
  };
  const auto for_parts_of = [&](const int *tree, auto use) { parts.for_parts_of(tree, use); };
  return std::min(loss, tree_walk_.max_spread(parts.nodes, heads, single_root_, has_arc, for_parts_of));
}

}  // namespace treewright
