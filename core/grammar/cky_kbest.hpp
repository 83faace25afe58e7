// The k best trees of a chart, lazily (Huang and Chiang 2005, algorithm 3).
//
// An item of the chart (a symbol over some words, below or above its chain) has a list of its best derivations, longest
// where it is needed most. A derivation is a chain or a rule with a split, and the ranks of the derivations of the
// items below. The best candidate of an item is popped from a heap; then its successors, with one rank increased, are
// candidates. Values of rank 0 are those of the chart, so that candidates are set up without a look at other items.
//
// A candidate with the ranks (a, b) comes from (a - 1, b) if a > 0, else from (0, b - 1): each is reached once.
// Requests for ranks of other items are kept on a stack of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "grammar/cky.hpp"

namespace treewright {

class CkyKBest {
 public:
  explicit CkyKBest(const CkyChart<MaxPlus> &chart) : chart_(chart) {
    goal_ = chart.has_tree() ? item_of(0, chart.words(), chart.rules().goal(), true) : -1;
  }

  // The value of the tree with a rank, and its nodes; false when there are not so many trees.
  bool tree(int rank, double &value, std::vector<ChainNode> &nodes) {
    if (goal_ < 0 || !reach(goal_, rank)) return false;
    value = items_[goal_].found[rank].value;
    std::vector<Request> open{{goal_, rank}};
    while (!open.empty()) {
      const Request request = open.back();
      open.pop_back();
      reach(request.item, request.rank);
      const Derivation derivation = items_[request.item].found[request.rank];
      const Key key = items_[request.item].key;
      if (key.is_top) nodes.push_back({derivation.edge, key.i, key.j});
      if (derivation.right >= 0) open.push_back({derivation.right, derivation.right_rank});
      if (derivation.left >= 0) open.push_back({derivation.left, derivation.left_rank});
    }
    return true;
  }

 private:
  struct Key {
    int i, j, symbol;
    bool is_top;
  };
  struct Derivation {
    double value, score;
    int edge;         // the chain of an item above its chain
    int left, right;  // items below, -1 for none
    int left_rank, right_rank;
    bool operator<(const Derivation &other) const { return value < other.value; }  // a heap has the largest first
  };
  struct Item {
    Key key;
    std::vector<Derivation> found, candidates;
    int expanded = 2;  // successors of the last derivation that are candidates already
    bool is_exhausted = false;
  };
  struct Request {
    int item, rank;
  };

  int item_of(int i, int j, int symbol, bool is_top) {
    const std::uint64_t cell = std::uint64_t(j) * (j - 1) / 2 + i;
    const std::uint64_t name = (cell * chart_.rules().symbols() + symbol) * 2 + is_top;
    const auto [place, is_new] = numbers_.try_emplace(name, int(items_.size()));
    if (is_new) {
      items_.push_back({{i, j, symbol, is_top}, {}, {}, 2, false});
      is_open_.push_back(0);
    }
    return place->second;
  }

  // The value of the best derivation, from the chart.
  double best_value(const Key &key) const {
    return key.is_top ? chart_.top(key.i, key.j, key.symbol) : chart_.base(key.i, key.j, key.symbol);
  }

  void open(int number) {
    is_open_[number] = 1;
    const Key key = items_[number].key;
    std::vector<Derivation> candidates;
    if (key.is_top)
      open_chains(key, candidates);
    else if (key.j - key.i == 1)
      candidates.push_back({best_value(key), 0, -1, -1, -1, 0, 0});
    else
      open_splits(key, candidates);
    std::make_heap(candidates.begin(), candidates.end());
    items_[number].candidates = std::move(candidates);
  }

  void open_chains(const Key &key, std::vector<Derivation> &candidates) {
    for (const int c : chart_.rules().chains_of(key.symbol)) {
      const int bottom = chart_.rules().chains()[c].bottom;
      const double inner = chart_.base(key.i, key.j, bottom);
      if (inner == forbidden || !chart_.allows(key.i, key.j, c)) continue;
      const double score = chart_.chain_weight(c);
      candidates.push_back({score + inner, score, c, item_of(key.i, key.j, bottom, false), -1, 0, 0});
    }
  }

  void open_splits(const Key &key, std::vector<Derivation> &candidates) {
    for (int k = key.i + 1; k < key.j; ++k)
      for (const BinaryRule &rule : chart_.rules().rules_of(key.symbol)) {
        const double left = chart_.top(key.i, k, rule.left), right = chart_.top(k, key.j, rule.right);
        if (left == forbidden || right == forbidden) continue;
        candidates.push_back({rule.score + (left + right), rule.score, -1, item_of(key.i, k, rule.left, true),
                              item_of(k, key.j, rule.right, true), 0, 0});
      }
  }

  bool has(int number, int rank) const { return int(items_[number].found.size()) > rank; }

  // Whether an item has so many derivations; they are computed if they are not there yet.
  bool reach(int number, int rank) {
    std::vector<Request> requests{{number, rank}};
    while (!requests.empty()) {
      const Request request = requests.back();
      if (has(request.item, request.rank) || items_[request.item].is_exhausted) {
        requests.pop_back();
        continue;
      }
      if (!is_open_[request.item]) open(request.item);
      if (items_[request.item].expanded < 2)
        expand(request.item, requests);
      else
        pop(request.item);
    }
    return has(number, rank);
  }

  void pop(int number) {
    Item &item = items_[number];
    if (item.candidates.empty()) {
      item.is_exhausted = true;
      return;
    }
    std::pop_heap(item.candidates.begin(), item.candidates.end());
    item.found.push_back(item.candidates.back());
    item.candidates.pop_back();
    item.expanded = 0;
  }

  // Adds the next successor of the last derivation, or requests the derivation below that it needs.
  void expand(int number, std::vector<Request> &requests) {
    Item &item = items_[number];
    Derivation next = item.found.back();
    const bool is_left = item.expanded == 0;
    const int below = is_left ? next.left : next.right;
    if (below < 0 || (!is_left && next.left_rank > 0)) {
      ++item.expanded;
      return;
    }
    int &rank = is_left ? next.left_rank : next.right_rank;
    ++rank;
    if (!has(below, rank)) {
      if (items_[below].is_exhausted)
        ++item.expanded;
      else
        requests.push_back({below, rank});
      return;
    }
    const double right = next.right < 0 ? 0.0 : value_at(next.right, next.right_rank);
    next.value = next.score + (value_at(next.left, next.left_rank) + right);
    item.candidates.push_back(next);
    std::push_heap(item.candidates.begin(), item.candidates.end());
    ++item.expanded;
  }

  double value_at(int number, int rank) const {
    return rank == 0 ? best_value(items_[number].key) : items_[number].found[rank].value;
  }

  const CkyChart<MaxPlus> &chart_;
  int goal_ = -1;
  std::vector<Item> items_;
  std::vector<char> is_open_;
  std::unordered_map<std::uint64_t, int> numbers_;
};

}  // namespace treewright
