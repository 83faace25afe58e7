// Acyclic graphs in which a word may have several heads (McDonald and Pereira 2006, section 3): from a tree, make the
// change that raises the value most, until none does. A change gives a word a further head, or another head in the
// place of one it has. No change may close a cycle.
//
// Every head's sides are scored as in a tree, each head's on its own; a grandparent part counts for every pair of
// arcs (g, h), (h, m) of the graph. A graph without cycles in which every word has a head is reachable from 0.
//
// With one arc out of 0, that arc stays as it is: whatever else its word's head could be lies below it.
// Evaluating all changes costs O(candidate arcs), with grandparents O(n * arcs of the graph) more; reachability is kept
// in a matrix, O(n^2) for a change that adds arcs only, and O(n * arcs) for one that removes an arc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/deadline.hpp"
#include "search/climb_sides.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct GraphOptions {
  bool single_root = true;
  int limit = 0;  // of changes; 0: none
};

class GraphClimber {
 public:
  // on[id] marks the arcs of the graph, before and after; arcs with fixed[id] stay. Returns how many changes; it
  // makes no more when time is up or the caller interrupts.
  int decode(const Parts &parts, const GraphOptions &options, const bool *fixed, Deadline &watch, bool *on) {
    reset(parts, on);
    was_interrupted = false;
    int changes = 0;
    while ((options.limit == 0 || changes < options.limit) && !watch.is_over() &&
           !(was_interrupted = watch.interrupted())) {
      const Swap best = best_change(options, fixed);
      if (best.in < 0) break;
      apply(best);
      ++changes;
    }
    for (int id = 0; id < parts.arcs(); ++id) on[id] = sides_.has(id);
    return changes;
  }

  bool was_interrupted = false;

  // The scores of the parts of a graph by their definition; the arcs need not form an acyclic graph.
  std::vector<double> scores(const Parts &parts, const bool *on) {
    sides_.reset(parts);
    parts_ = &parts;
    for (int id = 0; id < parts.arcs(); ++id)
      if (on[id]) sides_.insert(id);
    std::vector<double> scores;
    const auto add = [&](double score) { scores.push_back(score); };
    for (int id = 0; id < parts.arcs(); ++id) {
      if (!on[id]) continue;
      add(parts.arc[id]);
      if (parts.has_grand()) sides_.each_out(parts.modifier[id], [&](int below) { add(parts.grand(id, below)); });
    }
    if (parts.has_transitions()) sides_.each_part(add);
    return scores;
  }

 private:
  struct Swap {
    int in = -1, out = -1;  // arcs; -1: none; a change without `in` is none
    Sum gain;
  };

  void reset(const Parts &parts, const bool *on) {
    parts_ = &parts;
    sides_.reset(parts);
    heads_.assign(parts.nodes, {});
    for (int id = 0; id < parts.arcs(); ++id)
      if (on[id]) insert(id);
    find_reach();
  }

  void insert(int arc) {
    sides_.insert(arc);
    heads_[parts_->modifier[arc]].push_back(arc);
  }
  void erase(int arc) {
    sides_.erase(arc);
    std::vector<int> &heads = heads_[parts_->modifier[arc]];
    heads.erase(std::find(heads.begin(), heads.end(), arc));
  }

  // What the value gains when an arc that is not in the graph comes in.
  Sum insertion(int arc) const {
    Sum sum;
    sum.add(parts_->arc[arc]);
    if (parts_->has_transitions()) sides_.add_insertion(arc, sum);
    if (parts_->has_grand()) {
      for (int above : heads_[parts_->head[arc]]) sum.add(parts_->grand(above, arc));
      sides_.each_out(parts_->modifier[arc], [&](int below) { sum.add(parts_->grand(arc, below)); });
    }
    return sum;
  }

  // What the value loses when an arc goes. Two arcs into one word share no part, so that taking one out and bringing
  // another in adds up.
  Sum removal(int arc) {
    sides_.erase(arc);
    const Sum sum = insertion(arc);
    sides_.insert(arc);
    return sum;
  }

  Swap best_change(const GraphOptions &options, const bool *fixed) {
    Swap best;
    for (int m = 1; m < parts_->nodes; ++m) {
      losses_.clear();
      for (int arc : heads_[m]) losses_.push_back(removal(arc));
      for (int place = parts_->in_begin[m]; place < parts_->in_begin[m + 1]; ++place) {
        const int arc = parts_->in_arc[place], h = parts_->head[arc];
        if (sides_.has(arc) || reaches(m, h) || (options.single_root && h == 0)) continue;
        consider_arc(arc, options, fixed, best);
      }
    }
    return best;
  }

  void consider_arc(int arc, const GraphOptions &options, const bool *fixed, Swap &best) {
    const Sum gain = insertion(arc);
    if (gain.exceeds(best.gain)) best = {arc, -1, gain};
    const std::vector<int> &heads = heads_[parts_->modifier[arc]];
    for (std::size_t i = 0; i < heads.size(); ++i)
      if (may_go(heads[i], options, fixed) && gain.exceeds(best.gain + losses_[i]))
        best = {arc, heads[i], gain - losses_[i]};
  }

  bool may_go(int arc, const GraphOptions &options, const bool *fixed) const {
    return !fixed[arc] && !(options.single_root && parts_->head[arc] == 0);
  }

  void apply(const Swap &change) {
    if (change.out >= 0) erase(change.out);
    insert(change.in);
    if (change.out >= 0)
      find_reach();
    else
      extend_reach(parts_->head[change.in], parts_->modifier[change.in]);
  }

  bool reaches(int from, int to) const { return reach_[std::size_t(from) * parts_->nodes + to]; }

  void find_reach() {
    const int nodes = parts_->nodes;
    reach_.assign(std::size_t(nodes) * nodes, 0);
    for (int from = 0; from < nodes; ++from) {
      char *row = reach_.data() + std::size_t(from) * nodes;
      row[from] = 1;
      open_.assign(1, from);
      while (!open_.empty()) {
        const int h = open_.back();
        open_.pop_back();
        sides_.each_out(h, [&](int arc) {
          const int m = parts_->modifier[arc];
          if (!row[m]) row[m] = 1, open_.push_back(m);
        });
      }
    }
  }

  // The arc (h, m) has come in: what reaches h now reaches what m reaches.
  void extend_reach(int h, int m) {
    const int nodes = parts_->nodes;
    const char *below = reach_.data() + std::size_t(m) * nodes;
    for (int from = 0; from < nodes; ++from) {
      char *row = reach_.data() + std::size_t(from) * nodes;
      if (!row[h] || from == m) continue;
      for (int to = 0; to < nodes; ++to) row[to] |= below[to];
    }
  }

  const Parts *parts_ = nullptr;
  Sides sides_;
  std::vector<std::vector<int>> heads_;  // the arcs into each word
  std::vector<Sum> losses_;              // of the heads of the word under consideration
  std::vector<char> reach_;              // [from, to]
  std::vector<int> open_;
};

}  // namespace treewright
