// The k best trees, first order, all different, best first; fewer when there are no more.
//
// SpanningKBest: any trees. All trees are split by their words' heads (Lawler 1972): below a best tree with the arcs
// e(1) .. e(n) lie n classes of other trees, the i-th with e(1) .. e(i - 1) and without e(i). A class is not decoded at
// once: as long as it is only known that it loses what another head of that word must cost, by the reduced costs
// of the tree above, that bound is its key in the queue. A class that comes first by its bound is decoded
// (Chu-Liu-Edmonds, O(n^2)) and queued again by its value; one that comes first by its value is the next tree. Few
// classes are ever decoded: one to six a tree for random scores of 10 to 160 words, at most n.
//
// ProjectiveKBest: projective trees. Each item of Eisner's chart lists its derivations one after the other, on
// demand (Huang & Chiang 2005, algorithm 3): the next is the best of those that take one step further down the
// list of one of their two parts. Every tree has one derivation, so none comes twice. O(n^3 + k n log n).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <queue>
#include <utility>
#include <vector>

#include "charts/projective.hpp"
#include "trees/chu_liu_edmonds.hpp"

namespace treewright {

// Best first. Trees whose values differ by rounding only may come in any order.
struct KBest {
  int nodes = 0;
  std::vector<int> heads;      // one tree after the other, `nodes` entries each
  std::vector<double> values;  // of each tree

  void add(const double *arc, const int *tree) {
    double value = 0;
    for (int m = 1; m < nodes; ++m) value += arc[std::size_t(tree[m]) * nodes + m];
    heads.insert(heads.end(), tree, tree + nodes);
    values.push_back(value);
  }
};

class SpanningKBest {
 public:
  KBest decode(const double *arc, int nodes, bool single_root, int k) {
    arc_ = arc, nodes_ = nodes, single_root_ = single_root;
    classes_.clear();
    queue_ = {};
    KBest found{nodes, {}, {}};
    solve(Class{std::vector<int>(nodes, -1), {}, {}, 0, {}, {}});
    while (int(found.values.size()) < k && !queue_.empty()) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (entry.place >= 0) {
        solve(child(classes_[entry.of], entry.place));
        continue;
      }
      found.add(arc, classes_[entry.of].heads.data());
      open_children(entry.of);
    }
    return found;
  }

 private:
  struct Class {
    std::vector<int> forced;                     // head of each word, -1: open
    std::vector<std::pair<int, int>> forbidden;  // arcs (h, m)
    std::vector<int> heads;                      // its best tree
    double value;
    std::vector<double> loss;  // a lower bound of the loss of any other head, for each word
    std::vector<int> order;    // the open words, cheapest loss first
  };

  struct Entry {
    double bound;
    int of, place;  // place -1: the class itself, solved; otherwise its child without the arc of order[place]
    bool operator<(const Entry &other) const { return bound < other.bound; }
  };

  Class child(const Class &above, int place) const {
    Class below{above.forced, above.forbidden, {}, 0, {}, {}};
    for (int p = 0; p < place; ++p) below.forced[above.order[p]] = above.heads[above.order[p]];
    below.forbidden.emplace_back(above.heads[above.order[place]], above.order[place]);
    return below;
  }

  // Decodes a class and queues it, unless it is empty.
  void solve(Class added) {
    const std::size_t n = nodes_;
    weight_.assign(arc_, arc_ + n * n);
    for (auto [h, m] : added.forbidden) weight_[h * n + m] = forbidden;
    for (int m = 1; m < nodes_; ++m)
      if (added.forced[m] >= 0)
        for (int h = 0; h < nodes_; ++h)
          if (h != added.forced[m]) weight_[h * n + m] = forbidden;
    added.heads.resize(n);
    added.value = decoder_.decode(weight_.data(), nodes_, single_root_, added.heads.data());
    if (added.value == forbidden) return;
    costs_.resize(n * n);
    decoder_.reduced_costs(costs_.data());
    added.loss.assign(n, -forbidden);
    for (int h = 0; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m)
        if (h != added.heads[m]) added.loss[m] = std::min(added.loss[m], costs_[h * n + m]);
    queue_.push({added.value, int(classes_.size()), -1});
    classes_.push_back(std::move(added));
  }

  void open_children(int of) {
    Class &above = classes_[of];
    for (int m = 1; m < nodes_; ++m)
      if (above.loss[m] < -forbidden) above.order.push_back(m);
    std::stable_sort(above.order.begin(), above.order.end(),
                     [&](int a, int b) { return above.loss[a] < above.loss[b]; });
    for (int place = 0; place < int(above.order.size()); ++place)
      queue_.push({above.value - above.loss[above.order[place]], of, place});
  }

  const double *arc_ = nullptr;
  int nodes_ = 0;
  bool single_root_ = false;
  std::vector<Class> classes_;
  std::priority_queue<Entry> queue_;
  std::vector<double> weight_, costs_;
  ChuLiuEdmonds decoder_;
};

class ProjectiveKBest {
 public:
  KBest decode(const double *arc, int nodes, bool single_root, int k) {
    arc_ = arc, nodes_ = nodes, single_root_ = single_root;
    chart_.inside(arc, nodes, single_root);
    lists_.clear();
    list_of_.assign(2 * std::size_t(nodes + 1) * (nodes + 1) + 1, -1);
    KBest found{nodes, {}, {}};
    std::vector<int> heads(nodes);
    if (!chart_.has_tree()) return found;
    const int top = single_root ? int(list_of_.size()) - 1 : half(0, nodes);
    while (int(found.values.size()) < k && has(top, int(found.values.size()))) {
      read(top, int(found.values.size()), heads.data());
      found.add(arc, heads.data());
    }
    return found;
  }

 private:
  // The rank-th best derivations of the two parts, joined at `at`: a modifier, a boundary or a root.
  struct Derivation {
    double value;
    int at, left, right;
    bool operator<(const Derivation &other) const { return value < other.value; }
  };

  struct List {
    std::vector<Derivation> found;
    std::priority_queue<Derivation> next;
    int step = 0;  // of queueing the successors of the last one found: 1 when the right part's is done
    bool is_complete = false;
  };

  // Items by number: half(h, b), then incomplete(h, m), then the top of single-root trees.
  int half(int h, int b) const { return h * (nodes_ + 1) + b; }
  int incomplete(int h, int m) const { return (nodes_ + 1) * (nodes_ + 1) + half(h, m); }
  bool is_top(int item) const { return item == int(list_of_.size()) - 1; }
  bool is_incomplete(int item) const { return item >= (nodes_ + 1) * (nodes_ + 1); }
  int first_of(int item) const { return item % ((nodes_ + 1) * (nodes_ + 1)) / (nodes_ + 1); }
  int second_of(int item) const { return item % (nodes_ + 1); }
  bool is_empty_half(int item) const {
    const int past = second_of(item) - first_of(item);
    return !is_incomplete(item) && (past == 0 || past == 1);
  }

  // The two parts of an item that are joined at `at`.
  std::pair<int, int> parts(int item, int at) const {
    if (is_top(item)) return {half(at, 1), half(at, nodes_)};
    const int h = first_of(item), end = second_of(item);
    if (is_incomplete(item)) return {half(std::min(h, end), at), half(std::max(h, end), at)};
    return {incomplete(h, at), half(at, end)};
  }

  // Calls use(at) for every way to join the parts of an item.
  template <typename Use>
  void for_joints(int item, Use use) const {
    const int h = first_of(item), end = second_of(item);
    if (is_top(item)) {
      for (int r = 1; r < nodes_; ++r) use(r);
    } else if (is_incomplete(item)) {
      for (int b = std::min(h, end) + 1; b <= std::max(h, end); ++b) use(b);
    } else if (h < end) {
      for (int m = h + 1; m < end; ++m) use(m);
    } else {
      for (int m = end; m < h; ++m) use(m);
    }
  }

  // The score that joining adds to those of the parts.
  double joint(int item, int at) const {
    if (is_top(item)) return arc_[at];
    return is_incomplete(item) ? arc_[std::size_t(first_of(item)) * nodes_ + second_of(item)] : 0;
  }

  double value(int item, int rank) const {
    if (rank > 0) return lists_[list_of_[item]].found[rank].value;
    return is_incomplete(item) ? *chart_.incomplete_of(first_of(item), second_of(item))
                               : *chart_.halves_of(first_of(item), second_of(item));
  }

  Derivation joined(int item, int at, int left, int right) const {
    const auto [a, b] = parts(item, at);
    return {value(a, left) + value(b, right) + joint(item, at), at, left, right};
  }

  List &list(int item) {
    if (list_of_[item] < 0) {
      list_of_[item] = int(lists_.size());
      lists_.emplace_back();
    }
    return lists_[list_of_[item]];
  }

  // Whether the item has a derivation of that rank, which is then listed.
  bool has(int item, int rank) {
    while (!is_known(item, rank)) grow(item);
    return is_empty_half(item) ? rank == 0 : int(list(item).found.size()) > rank;
  }

  bool is_known(int item, int rank) {
    return is_empty_half(item) || list(item).is_complete || int(list(item).found.size()) > rank;
  }

  // Lists the next derivation of an item. The parts whose lists must grow first are on a stack, without recursion.
  void grow(int item) {
    waiting_.assign(1, item);
    while (!waiting_.empty()) {
      const int now = waiting_.back(), part = queue_successors(now);
      if (part >= 0) {
        waiting_.push_back(part);
        continue;
      }
      take_next(list(now));
      waiting_.pop_back();
    }
  }

  // Queues what may follow the last derivation found; returns the part whose list must grow for that, -1 when done.
  int queue_successors(int item) {
    List &own = list(item);
    if (own.found.empty()) {
      for_joints(item, [&](int at) {
        const Derivation best = joined(item, at, 0, 0);
        if (best.value > forbidden) own.next.push(best);
      });
      return -1;
    }
    const Derivation last = own.found.back();
    const auto [left, right] = parts(item, last.at);
    if (own.step == 0) {
      if (!is_known(right, last.right + 1)) return right;
      if (has(right, last.right + 1)) own.next.push(joined(item, last.at, last.left, last.right + 1));
      own.step = 1;
    }
    // The left part moves on only while the right one is at its best, so that no pair of ranks comes twice.
    if (own.step == 1 && last.right == 0) {
      if (!is_known(left, last.left + 1)) return left;
      if (has(left, last.left + 1)) own.next.push(joined(item, last.at, last.left + 1, 0));
    }
    own.step = 0;
    return -1;
  }

  static void take_next(List &own) {
    if (own.next.empty()) {
      own.is_complete = true;
      return;
    }
    own.found.push_back(own.next.top());
    own.next.pop();
  }

  // The tree of a listed derivation.
  void read(int item, int rank, int *heads) {
    heads[0] = -1;
    open_.assign(1, {item, rank});
    while (!open_.empty()) {
      const auto [now, at_rank] = open_.back();
      open_.pop_back();
      if (is_empty_half(now)) continue;
      has(now, at_rank);
      const Derivation taken = list(now).found[at_rank];
      if (is_top(now)) heads[taken.at] = 0;
      if (is_incomplete(now) && !is_top(now)) heads[second_of(now)] = first_of(now);
      const auto [left, right] = parts(now, taken.at);
      open_.insert(open_.end(), {{left, taken.left}, {right, taken.right}});
    }
  }

  const double *arc_ = nullptr;
  int nodes_ = 0;
  bool single_root_ = false;
  ProjectiveChart<MaxPlus> chart_;
  std::deque<List> lists_;    // which does not move its lists when it grows
  std::vector<int> list_of_;  // of each item; -1: no list yet
  std::vector<int> waiting_;
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
