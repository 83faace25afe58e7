// First-order non-projective decoding: the best spanning tree that grows out of node 0
// (Chu and Liu 1965, Edmonds 1967; dense version of Tarjan 1977, Camerini et al. 1979).
//
// Every node, word or contracted cycle, chooses its best incoming arc and stores its weight:
//
//   row(v, u)  = arc(u, v)                                      for a word v
//   row(c, u)  = max over members v of c of  row(v, u) - dual(v)    for a contracted cycle c, u outside c
//   dual(v)    = max over u outside v of  row(v, u)             source(v) = the u that attains it
//
// Choices are followed into a path until it reaches the root or a finished node; when it closes a cycle, the cycle
// is contracted and chooses its best incoming arc. Then, from the outermost nodes inwards, the arc that enters a cycle
// replaces the choice of one member; that member is the argmax, computed again from the rows.
//
// Single root: exactly one arc leaves 0. The best tree with any number of root arcs is computed first. While it has
// several, a penalty on every arc that leaves 0 is raised to the smallest value at which one of the nodes that chose 0
// has a better head among the words. That node changes its head; if this closes a cycle, the contracted node chooses
// again under the current penalty. When one root arc is left, the tree is the best under the penalty, hence the best
// among all trees with one root child (Gabow and Tarjan 1984; Zmigrod et al. 2020).
//
// The duals prove that the tree is optimal: its value is their sum, and for every arc
//
//   reduced_cost(u, v) = (sum of dual(S) over nodes S with v inside and u outside) - arc(u, v)  >=  0,
//
// by which every tree with that arc falls short of the best (arcs that leave 0 less the penalty). O(n^2) time: a
// contraction of k nodes merges k rows and removes k - 1 nodes. A word's row is copied only when the word gets into a
// cycle, and where the choices of the words are a tree already, there is no other step. Forbidden arcs are never
// chosen: duals are finite, and -inf less a dual stays -inf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/scores.hpp"
#include "trees/best_heads.hpp"
#include "trees/parts.hpp"

namespace treewright {

// A solution of the dual linear program of the best tree. Every tree enters each set of words at least once, so that
// for any slack >= 0
//
//   value of a tree  <=  sum over words m of  max over u of ( arc(u, m) + sum of slack(S) with m inside, u outside )
//                        -  sum over sets of slack(S)
//
// With a single root the penalty is taken off the arcs that leave 0 and added to the bound.
struct TreeDual {
  double penalty = 0;
  std::vector<double> slack;          // of each set
  std::vector<int> set_begin, words;  // set s holds words[set_begin[s]] .. words[set_begin[s + 1])
};

class ChuLiuEdmonds {
 public:
  // arc is nodes x nodes, row-major, head first; the diagonal and column 0 are not read. Writes heads[0..nodes);
  // heads[0] = -1. Returns the value, -inf when no tree is allowed (heads are then all -1).
  double decode(const double *arc, int nodes, bool single_root, int *heads) {
    return find(arc, nodes, single_root, heads) ? value(heads) : forbidden;
  }

  // Writes the heads and returns whether there is a tree, without its value.
  bool find(const double *arc, int nodes, bool single_root, int *heads) {
    dense_ = arc, parts_ = nullptr, chosen_ = nullptr, nodes_ = nodes;
    return find(single_root, heads);
  }

  // Decodes over candidate arcs, with a weight for each in place of the scores in parts; -inf takes an arc away. A
  // caller that has computed the best arc into each word (-1: none) passes them as chosen.
  double decode(const Parts &parts, const double *weight, bool single_root, int *heads, const int *chosen = nullptr) {
    dense_ = nullptr, parts_ = &parts, weight_ = weight, chosen_ = chosen, nodes_ = parts.nodes;
    return find(single_root, heads) ? value(heads) : forbidden;
  }

  // Of the last decode: the best head of each word, and whether they are the tree.
  const BestHeads &best() const { return best_; }
  bool has_best_heads() const { return is_greedy_; }

  // Of the last decode, which found a tree and whose arguments are still there. Every tree with that arc is at least
  // this much below the best; infinite for arcs no tree can have. costs is nodes x nodes, head first.
  void reduced_costs(double *costs);
  void reduced_costs_of_parts(double *costs);  // one an arc

  // Of the last decode. When it found no tree the bound is as low as its largest multipliers make it.
  TreeDual dual() const;

 private:
  enum State : char { fresh, on_path, finished };
  static constexpr double largest_multiplier = 1e300;  // stands for infinity, which files of numbers cannot hold

  bool find(bool single_root, int *heads) {
    choose_for_words();
    is_greedy_ = best_.are_tree(single_root);
    if (is_greedy_) {
      best_.copy_to(heads);
      return true;
    }
    begin_contractions();
    const bool found = grow_paths() && (!single_root || keep_one_root_arc());
    if (found)
      expand(heads);
    else
      std::fill(heads, heads + nodes_, -1);
    return found;
  }

  void choose_for_words() {
    penalty_ = 0;
    if (dense_) return best_.choose(dense_, nodes_);
    best_.clear(nodes_);
    if (chosen_)
      take_chosen();
    else
      choose_for_words_sparse();
  }

  void begin_contractions() {
    count_ = nodes_;
    const std::size_t most = 2 * std::size_t(nodes_);
    dual_.resize(most), source_.resize(most);
    std::copy_n(best_.score.begin(), nodes_, dual_.begin());
    std::copy_n(best_.head.begin(), nodes_, source_.begin());
    state_.assign(most, fresh), state_[0] = finished;
    parent_.assign(most, -1);
    row_.assign(most, -1);
    rows_used_ = 0;
    if (row_capacity_ < most * nodes_) {
      rows_.reset(new double[most * nodes_]);  // not filled: pages that no cycle needs are never touched
      row_capacity_ = most * nodes_;
    }
    top_.resize(nodes_), next_word_.assign(nodes_, -1);
    first_word_.resize(most), last_word_.resize(most);
    for (int v = 0; v < nodes_; ++v) top_[v] = first_word_[v] = last_word_[v] = v;
    member_begin_.assign(nodes_ + 1, 0);
    members_.clear();
  }

  void choose_for_words_sparse() {
    for (int m = 1; m < nodes_; ++m)
      for (int in = parts_->in_begin[m]; in < parts_->in_begin[m + 1]; ++in) {
        const int id = parts_->in_arc[in];
        if (weight_[id] > best_.score[m]) best_.score[m] = weight_[id], best_.head[m] = parts_->head[id];
      }
  }

  void take_chosen() {
    for (int m = 1; m < nodes_; ++m)
      if (chosen_[m] >= 0) best_.score[m] = weight_[chosen_[m]], best_.head[m] = parts_->head[chosen_[m]];
  }

  bool grow_paths() {
    for (int m = 1; m < nodes_; ++m)
      if (state_[top_[m]] == fresh && !grow_path(top_[m])) return false;
    return true;
  }

  bool grow_path(int v) {
    for (path_.clear();;) {
      if (dual_[v] == forbidden) return false;  // nothing enters v
      state_[v] = on_path;
      path_.push_back(v);
      const int from = top_[source_[v]];
      if (state_[from] == finished) break;
      v = state_[from] == fresh ? from : contract(from);
    }
    for (int node : path_) state_[node] = finished;
    return true;
  }

  struct Choice {
    int source;
    double weight;
  };

  struct RootChild {
    int node;
    Choice word;  // what it would have instead of the root
    double loss;
  };

  bool keep_one_root_arc() {
    const auto is_root_child = [&](int node) { return parent_[node] < 0 && source_[node] == 0; };
    int count = 0;
    for (int node = 1; node < count_; ++node) count += is_root_child(node);
    if (count == 1) return true;
    root_children_.clear();
    for (int node = 1; node < count_; ++node)
      if (is_root_child(node)) materialise(node), root_children_.push_back(root_child(node));
    while (root_children_.size() > 1) {
      const auto least = std::min_element(root_children_.begin(), root_children_.end(),
                                          [](const RootChild &a, const RootChild &b) { return a.loss < b.loss; });
      const RootChild child = *least;
      if (child.word.weight == forbidden) {  // nothing but the root enters any of them
        penalty_ = largest_multiplier;
        return false;
      }
      root_children_.erase(least);
      penalty_ = std::max(penalty_, child.loss);
      leave_root(child);
    }
    return true;
  }

  RootChild root_child(int node) {
    const Choice word = best_source(node, 1);
    return {node, word, row(node)[0] - word.weight};
  }

  void leave_root(RootChild child) {
    for (;;) {
      source_[child.node] = child.word.source, dual_[child.node] = child.word.weight;
      if (!closes_a_cycle(child.node)) return;
      const int cycle = contract(child.node);
      if (source_[cycle] != 0) {
        child = {cycle, {source_[cycle], dual_[cycle]}, 0};
        continue;
      }
      child = root_child(cycle);
      if (child.loss > penalty_) {
        root_children_.push_back(child);
        return;
      }
    }
  }

  // Whether choices lead from the node back to it; path_ is then the cycle, from the node on.
  bool closes_a_cycle(int node) {
    path_.assign(1, node);
    for (int above = top_[source_[node]]; above != node; above = top_[source_[above]]) {
      if (above == 0) return false;
      path_.push_back(above);
    }
    return true;
  }

  // The path from `begin` to its end is a cycle: one node from now on, taken off the path.
  int contract(int begin) {
    const int cycle = count_++;
    std::size_t at = path_.size();
    while (path_[--at] != begin) {
    }
    const int *member = path_.data() + at;
    const int size = int(path_.size() - at);
    merge_rows(cycle, member, size);
    join_words(cycle, member, size);
    members_.insert(members_.end(), member, member + size);
    member_begin_.push_back(int(members_.size()));
    path_.resize(at);
    choose(cycle);
    return cycle;
  }

  void merge_rows(int cycle, const int *member, int size) {
    for (int k = 0; k < size; ++k) materialise(member[k]);
    row_[cycle] = rows_used_++;
    double *merged = row(cycle);
    const double *a = row(member[0]), *b = row(member[1]);
    const double dual_a = dual_[member[0]], dual_b = dual_[member[1]];
#pragma omp simd
    for (int u = 0; u < nodes_; ++u) merged[u] = a[u] - dual_a > b[u] - dual_b ? a[u] - dual_a : b[u] - dual_b;
    for (int k = 2; k < size; ++k) {
      const double *c = row(member[k]), dual = dual_[member[k]];
#pragma omp simd
      for (int u = 0; u < nodes_; ++u) merged[u] = c[u] - dual > merged[u] ? c[u] - dual : merged[u];
    }
  }

  // The members' lists of words become one; no arc from inside the cycle enters it.
  void join_words(int cycle, const int *member, int size) {
    for (int k = 0; k < size; ++k) parent_[member[k]] = cycle;
    for (int k = 1; k < size; ++k) next_word_[last_word_[member[k - 1]]] = first_word_[member[k]];
    first_word_[cycle] = first_word_[member[0]];
    last_word_[cycle] = last_word_[member[size - 1]];
    double *merged = row(cycle);
    for (int word = first_word_[cycle]; word >= 0; word = next_word_[word]) {
      top_[word] = cycle;
      merged[word] = forbidden;
    }
  }

  void choose(int node) {
    const Choice choice = best_source(node, 0);
    source_[node] = choice.source, dual_[node] = choice.weight;
  }

  Choice best_source(int node, int first) {
    const double *from = row(node);
    double best = forbidden;
#pragma omp simd reduction(max : best)
    for (int u = first; u < nodes_; ++u) best = from[u] > best ? from[u] : best;
    int source = first;
    while (best > forbidden && from[source] != best) ++source;
    return {source, best};
  }

  double *row(int node) { return rows_.get() + std::size_t(row_[node]) * nodes_; }

  void materialise(int v) {
    if (row_[v] >= 0) return;
    row_[v] = rows_used_++;
    double *to = row(v);
    if (dense_) {
      for (int u = 0; u < nodes_; ++u) to[u] = dense_[std::size_t(u) * nodes_ + v];
      to[v] = forbidden;
      return;
    }
    std::fill(to, to + nodes_, forbidden);
    for (int in = parts_->in_begin[v]; in < parts_->in_begin[v + 1]; ++in)
      to[parts_->head[parts_->in_arc[in]]] = weight_[parts_->in_arc[in]];
  }

  void expand(int *heads) {
    heads[0] = -1;
    open_.clear();
    for (int node = 1; node < count_; ++node)
      if (parent_[node] < 0) open_.emplace_back(node, source_[node]);
    while (!open_.empty()) {
      auto [node, source] = open_.back();
      open_.pop_back();
      while (node >= nodes_) {
        const int *begin = members_.data() + member_begin_[node], *end = members_.data() + member_begin_[node + 1];
        int entered = *begin;
        for (const int *v = begin; v < end; ++v)
          if (row(*v)[source] - dual_[*v] > row(entered)[source] - dual_[entered]) entered = *v;
        for (const int *v = begin; v < end; ++v)
          if (*v != entered) open_.emplace_back(*v, source_[*v]);
        node = entered;
      }
      heads[node] = source;
    }
  }

  double value(const int *heads) const {
    double total = 0;
    for (int m = 1; m < nodes_; ++m)
      total += dense_ ? dense_[std::size_t(heads[m]) * nodes_ + m] : weight_[arc_into(m, heads[m])];
    return total;
  }

  int arc_into(int m, int head) const {
    const bool is_chosen = chosen_ && chosen_[m] >= 0 && parts_->head[chosen_[m]] == head;
    return is_chosen ? chosen_[m] : parts_->find(head, m);
  }

  void sum_duals(int v);
  double reduced_cost(int u, int v, double weight) const;

  const double *dense_ = nullptr, *weight_ = nullptr;
  const int *chosen_ = nullptr;
  const Parts *parts_ = nullptr;
  int nodes_ = 0, count_ = 0;  // count_: words and cycles so far, and the root
  double penalty_ = 0;         // on arcs that leave 0
  std::vector<State> state_;
  BestHeads best_;
  std::vector<double> dual_;
  bool is_greedy_ = false;                               // the last tree needed no contraction
  std::vector<int> source_, parent_;                     // of each node; -1: not contracted
  std::vector<int> top_;                                 // the outermost node around each word
  std::vector<int> first_word_, last_word_, next_word_;  // the words of each node, as a list
  std::vector<int> member_begin_, members_;              // of each cycle
  std::vector<int> path_, row_;                          // row_: where a node's row is, -1: not copied yet
  std::vector<std::pair<int, int>> open_;
  std::vector<RootChild> root_children_;
  std::unique_ptr<double[]> rows_;
  std::size_t row_capacity_ = 0;
  int rows_used_ = 0;
  std::vector<double> crossed_;  // of each source u: the sum of the duals of the nodes around v that leave u outside
};

// crossed_[u] for all u: nodes around v are nested, so u is outside exactly those met before they first share one.
inline void ChuLiuEdmonds::sum_duals(int v) {
  crossed_.resize(nodes_);
  if (is_greedy_) return std::fill(crossed_.begin(), crossed_.end(), best_.score[v]);
  double sum = dual_[v];
  int inner = v;
  for (int node = parent_[v]; node >= 0; inner = node, node = parent_[node]) {
    // The words of `node` are one list, in which those of `inner` are one stretch.
    for (int word = first_word_[node]; word != first_word_[inner]; word = next_word_[word]) crossed_[word] = sum;
    for (int word = last_word_[inner]; word != last_word_[node];) crossed_[word = next_word_[word]] = sum;
    sum += dual_[node];
  }
  if (source_[inner] == 0) sum -= penalty_;
  for (int u = 0; u < nodes_; ++u)
    if (u == 0 || top_[u] != inner) crossed_[u] = sum;
}

// After sum_duals(v).
inline double ChuLiuEdmonds::reduced_cost(int u, int v, double weight) const {
  if (weight == forbidden || u == v) return -forbidden;
  const double cost = crossed_[u] - (u == 0 ? weight - penalty_ : weight);
  return cost > 0 ? cost : 0;  // rounding
}

inline TreeDual ChuLiuEdmonds::dual() const {
  TreeDual found;
  found.penalty = penalty_;
  const int sets = is_greedy_ ? 0 : count_ - nodes_;
  found.slack.reserve(sets), found.set_begin.reserve(sets + 1);
  found.words.reserve(sets ? 2 * nodes_ : 0);  // most often enough
  found.set_begin.push_back(0);
  for (int node = nodes_; node < nodes_ + sets; ++node) {
    const double taken_off = parent_[node] < 0 && source_[node] == 0 ? penalty_ : 0;
    const double slack = taken_off - dual_[node];
    if (!(slack > 0)) continue;
    found.slack.push_back(std::min(slack, largest_multiplier));
    for (int word = first_word_[node];; word = next_word_[word]) {
      found.words.push_back(word);
      if (word == last_word_[node]) break;
    }
    found.set_begin.push_back(int(found.words.size()));
  }
  return found;
}

inline void ChuLiuEdmonds::reduced_costs(double *costs) {
  for (int u = 0; u < nodes_; ++u) costs[std::size_t(u) * nodes_] = -forbidden;
  for (int v = 1; v < nodes_; ++v) {
    sum_duals(v);
    for (int u = 0; u < nodes_; ++u) {
      const std::size_t cell = std::size_t(u) * nodes_ + v;
      costs[cell] = reduced_cost(u, v, dense_[cell]);
    }
  }
}

inline void ChuLiuEdmonds::reduced_costs_of_parts(double *costs) {
  for (int v = 1; v < nodes_; ++v) {
    sum_duals(v);
    for (int in = parts_->in_begin[v]; in < parts_->in_begin[v + 1]; ++in) {
      const int id = parts_->in_arc[in];
      costs[id] = reduced_cost(parts_->head[id], v, weight_[id]);
    }
  }
}

}  // namespace treewright
