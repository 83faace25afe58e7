// How many trees are local optima of a first-order score: no single change of a head makes them better
// (Zhang et al. 2014, Figure 2). Several root modifiers are allowed, as in that paper.
//
// Give every word its best head. If that is a tree, it is the only optimum. Otherwise an optimum keeps all arcs of a
// cycle but one, so for each of its words w: contract the cycle so that it is entered at w, and continue.
//
// A contracted cycle is a group of words with the one word `enter` that takes its head from outside; the best head of
// a group is the best word outside it for `enter`. So a state is two numbers a word, and no matrix is ever copied:
// O(n) a state, and an explicit stack instead of recursion. The number can double with every word; counting ends above
// `cap`. Scores must not tie: the cycle argument does not cover optima with heads of equal score.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/scores.hpp"

namespace treewright {

class OptimaCounter {
 public:
  // arc is nodes x nodes, head first. The number of optima, cap + 1 when there are more than cap.
  long count(const double *arc, int nodes, long cap) {
    arc_ = arc, nodes_ = nodes;
    stack_.clear();
    State words;
    for (int m = 0; m < nodes; ++m) words.group.push_back(m), words.enter.push_back(m), words.best.push_back(0);
    for (int m = 1; m < nodes; ++m)
      if (!choose(words, m)) return 0;
    long found = 0;
    stack_.push_back(std::move(words));
    while (!stack_.empty() && found <= cap) {
      State state = std::move(stack_.back());
      stack_.pop_back();
      find_cycle(state);
      if (cycle_.empty())
        ++found;
      else
        for (int entered : cycle_) contract(state, entered);
    }
    return found;
  }

 private:
  // group[w] names the group of word w by one of its words; enter and best are those of the groups so named.
  struct State {
    std::vector<int> group, enter, best;
  };

  // The best head of a group, the lowest of equals; false when it has none.
  bool choose(State &state, int group) const {
    double highest = forbidden;
    for (int h = 0; h < nodes_; ++h) {
      if (state.group[h] == group) continue;
      const double score = arc_[std::size_t(h) * nodes_ + state.enter[group]];
      if (score > highest) highest = score, state.best[group] = h;
    }
    return highest > forbidden;
  }

  // The groups of a cycle of best heads; none when they form a tree.
  void find_cycle(const State &state) {
    cycle_.clear();
    seen_.assign(nodes_, -1);
    seen_[0] = 0;
    for (int m = 1; m < nodes_; ++m) {
      int group = state.group[m];
      while (seen_[group] < 0) {
        seen_[group] = m;
        group = state.group[state.best[group]];
      }
      if (group == 0 || seen_[group] != m) continue;  // it ends where an earlier walk or the root was
      const int first = group;
      do {
        cycle_.push_back(group);
        group = state.group[state.best[group]];
      } while (group != first);
      return;
    }
  }

  void contract(const State &state, int entered) {
    State next = state;
    const int name = cycle_.front();
    in_cycle_.assign(nodes_, 0);
    for (int group : cycle_) in_cycle_[group] = 1;
    for (int m = 1; m < nodes_; ++m)
      if (in_cycle_[state.group[m]]) next.group[m] = name;
    next.enter[name] = state.enter[entered];
    if (choose(next, name)) stack_.push_back(std::move(next));
  }

  const double *arc_ = nullptr;
  int nodes_ = 0;
  std::vector<State> stack_;
  std::vector<int> cycle_, seen_;
  std::vector<char> in_cycle_;
};

}  // namespace treewright
