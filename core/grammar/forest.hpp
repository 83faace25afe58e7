// A packed forest: a hypergraph whose paths from the goal are derivations of one sentence.
//
// A node has edges; an edge has up to two nodes below it, a score and up to one arc (h, m) of the dependency tree. A
// node whose edge has no node below it is a word under its tag. The score of a derivation is the sum over its edges.
// With adjustments u per arc and w per word and tag, for every node v in order
//
//   inside(v) = sum over edges e of v of  score(e) + u(arc of e) + inside(first(e)) + inside(second(e))
//   inside(v) = score(e) + w(word of v, tag of v)                                                          for words
//
// over MaxPlus (the best derivation) or LogSum (all derivations). The nodes below an edge come before its node. Linear
// in the number of edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/scores.hpp"

namespace treewright {

struct ForestEdge {
  std::int32_t first = -1, second = -1;  // nodes, -1 for none
  std::int32_t arc = -1;                 // h * (words + 1) + m, -1 for none
  double score = 0;
};

struct ForestNode {
  std::int32_t label = 0;           // of a finished constituent; -1 for any other node
  std::int32_t begin = 0, end = 0;  // the first word and that after the last, from 0
  std::int32_t head = 0, tag = 0;   // the head word and its tag
  std::int64_t edges = 0;           // where its edges begin
};

// A constituent of a derivation; parents come before their children.
struct Constituent {
  std::int32_t label, begin, end, head, tag;
};

// What is added to the scores of arcs and of tags.
struct ForestAdjustment {
  const double *arcs;            // [h, m] over the root and the words
  const double *tags = nullptr;  // [word, tag - 1], nullptr for zeros
};

class Forest {
 public:
  int words = 0, tags = 0;
  std::vector<ForestNode> nodes;  // the goal is the last; none when there is no derivation
  std::vector<ForestEdge> edges;

  bool is_empty() const { return nodes.empty(); }
  std::int64_t edges_end(std::size_t node) const {
    return node + 1 < nodes.size() ? nodes[node + 1].edges : std::int64_t(edges.size());
  }

  // The value of the best derivation under adjustments; `best` receives the best edge of each node, -1 for none.
  // Of equal edges the first is taken.
  double best(const ForestAdjustment &adjustment, std::vector<std::int64_t> &best, std::vector<double> &value) const {
    value.assign(nodes.size(), forbidden);
    best.assign(nodes.size(), -1);
    for (std::size_t v = 0; v < nodes.size(); ++v)
      for (std::int64_t e = nodes[v].edges; e < edges_end(v); ++e) {
        const double sum = value_of(nodes[v], edges[e], adjustment, value);
        if (sum > value[v]) value[v] = sum, best[v] = e;
      }
    return nodes.empty() ? forbidden : value.back();
  }

  // The logarithm of the sum over all derivations of exp(score).
  double log_sum(const ForestAdjustment &adjustment) const {
    std::vector<double> value(nodes.size(), forbidden), terms;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      terms.clear();
      for (std::int64_t e = nodes[v].edges; e < edges_end(v); ++e)
        terms.push_back(value_of(nodes[v], edges[e], adjustment, value));
      value[v] = log_sum_exp(terms);
    }
    return nodes.empty() ? forbidden : value.back();
  }

  // The constituents and the heads (1-based, heads[0] = -1) of the derivation that `best` chose.
  void read(const std::vector<std::int64_t> &best, std::vector<Constituent> &constituents, int *heads) const {
    std::vector<std::int32_t> open{std::int32_t(nodes.size()) - 1};
    heads[0] = -1;
    while (!open.empty()) {
      const ForestNode &node = nodes[open.back()];
      const ForestEdge &edge = edges[best[open.back()]];
      open.pop_back();
      if (node.label >= 0) constituents.push_back({node.label, node.begin, node.end, node.head, node.tag});
      if (edge.arc >= 0) heads[edge.arc % (words + 1)] = edge.arc / (words + 1);
      if (edge.second >= 0) open.push_back(edge.second);
      if (edge.first >= 0) open.push_back(edge.first);
    }
  }

  static bool is_word(const ForestEdge &edge) { return edge.first < 0 && edge.second < 0; }

  static double log_sum_exp(const std::vector<double> &terms) {
    double largest = forbidden, sum = 0;
    for (double term : terms) largest = std::max(largest, term);
    if (largest == forbidden) return forbidden;
    for (double term : terms) sum += std::exp(term - largest);
    return largest + std::log(sum);
  }

 private:
  double value_of(const ForestNode &node, const ForestEdge &edge, const ForestAdjustment &adjustment,
                  const std::vector<double> &value) const {
    double sum = edge.score;
    if (edge.arc >= 0) sum += adjustment.arcs[edge.arc];
    if (is_word(edge) && adjustment.tags) sum += adjustment.tags[std::size_t(node.begin) * tags + node.tag - 1];
    if (edge.first >= 0) sum += value[edge.first];
    if (edge.second >= 0) sum += value[edge.second];
    return sum;
  }
};

// Collects nodes and edges in any order of edges, then keeps what a derivation of the goal can use.
class ForestBuilder {
 public:
  void open(int words, int tags) {
    words_ = words, tags_ = tags;
    nodes_.clear(), edges_.clear(), used_.clear(), rank_.clear();
  }
  // The nodes below an edge belong to shorter spans than its node, or to the same span and were added before; the
  // nodes of a span that come last may be added at any time.
  int add_node(const ForestNode &node, bool is_last = false) {
    nodes_.push_back(node);
    used_.push_back(0);
    rank_.push_back(2 * (node.end - node.begin) + is_last);
    return int(nodes_.size()) - 1;
  }
  void add_edge(int node, const ForestEdge &edge) { edges_.push_back({node, edge}); }

  std::size_t edges() const { return edges_.size(); }
  std::size_t size() const { return nodes_.size() + edges_.size(); }

  void use(int node) { used_[node] = 1; }
  bool is_used(int node) const { return used_[node]; }
  // Of the edges from `begin` on, keeps those of used nodes and, in turn, of the nodes below them. All edges of a node
  // were added before it was put below another.
  void drop_unused(std::size_t begin) {
    for (std::size_t e = edges_.size(); e-- > begin;)
      if (used_[edges_[e].node]) use_below(edges_[e].edge);
    const auto is_unused = [&](const Owned &edge) { return !used_[edge.node]; };
    edges_.erase(std::remove_if(edges_.begin() + begin, edges_.end(), is_unused), edges_.end());
  }

  // The part of the forest below the goal, a node that was added last.
  Forest finish(int goal) {
    std::vector<std::int64_t> begin(nodes_.size() + 1, 0);
    for (const Owned &owned : edges_) ++begin[owned.node + 1];
    for (std::size_t v = 0; v < nodes_.size(); ++v) begin[v + 1] += begin[v];
    std::vector<std::int64_t> order(edges_.size()), next(begin.begin(), begin.end() - 1);
    for (std::size_t e = 0; e < edges_.size(); ++e) order[next[edges_[e].node]++] = std::int64_t(e);
    std::vector<int> nodes(nodes_.size());
    for (std::size_t v = 0; v < nodes.size(); ++v) nodes[v] = int(v);
    std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) { return rank_[a] < rank_[b]; });

    used_.assign(nodes_.size(), 0);
    used_[goal] = 1;
    for (std::size_t at = nodes.size(); at-- > 0;)
      for (std::int64_t k = begin[nodes[at]]; used_[nodes[at]] && k < begin[nodes[at] + 1]; ++k)
        use_below(edges_[order[k]].edge);
    Forest forest;
    forest.words = words_, forest.tags = tags_;
    std::vector<int> renamed(nodes_.size(), -1);
    for (int v : nodes) {
      if (!used_[v]) continue;
      renamed[v] = int(forest.nodes.size());
      forest.nodes.push_back(nodes_[v]);
      forest.nodes.back().edges = std::int64_t(forest.edges.size());
      for (std::int64_t k = begin[v]; k < begin[v + 1]; ++k) {
        ForestEdge edge = edges_[order[k]].edge;
        if (edge.first >= 0) edge.first = renamed[edge.first];
        if (edge.second >= 0) edge.second = renamed[edge.second];
        forest.edges.push_back(edge);
      }
    }
    return forest;
  }

 private:
  struct Owned {
    int node;
    ForestEdge edge;
  };
  void use_below(const ForestEdge &edge) {
    if (edge.first >= 0) used_[edge.first] = 1;
    if (edge.second >= 0) used_[edge.second] = 1;
  }

  int words_ = 0, tags_ = 0;
  std::vector<ForestNode> nodes_;
  std::vector<char> used_;
  std::vector<int> rank_;
  std::vector<Owned> edges_;
};

}  // namespace treewright
