// Randomized greedy decoding (Zhang et al. 2014, Figure 1): climb from a random tree, many times, keep the best.
//
//   repeat   for each word m of the tree, the furthest from the root first:
//                give m the head that makes the value highest, if that is strictly better than its own
//   until    a pass changes nothing
//
// The order of a pass is that of the tree at its start; legality is that of the tree at the moment. In the bottom-up
// order every tree is within reach by as many changes as heads differ. Values only rise, so it ends. A pass over n
// words with k candidate heads each costs O(n k) for arcs, siblings and stops, and O(k) more a modifier with
// grandparents.
//
// The search ends when `patience` restarts in a row bring no improvement. The tree that a restart begins with depends
// on the seed and the restart's number alone, so the result depends on neither time nor threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/deadline.hpp"
#include "search/climb_start.hpp"
#include "search/climb_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct ClimbOptions {
  TreeShape shape;
  bool by_score = false;  // restarts begin with likely trees rather than with any
  int patience = 300;
  int max_restarts = 0;  // 0: no limit
  std::uint64_t seed = 0;
};

class Climber {
 public:
  // From one tree up to a tree that no single change improves; each(tree) after every change, and go_on() is called
  // before every word. Without it the tree stays where it is.
  template <typename Each, typename GoOn>
  void climb(ClimbTree &tree, Each each, GoOn go_on) {
    NoOthers others;
    climb(tree, each, go_on, others);
  }
  template <typename Each, typename GoOn, typename Others>
  void climb(ClimbTree &tree, Each each, GoOn go_on, Others &others) {
    for (bool changed = true; changed;) {
      changed = false;
      tree.bottom_up(order_);
      for (int m : order_) {
        if (!go_on()) return;
        const Change change = tree.best_change(m, others);
        if (change.to < 0) continue;
        tree.apply(change, others);
        each(tree);
        changed = true;
      }
    }
  }

  // One climb from a tree, in place; returns the value at its end.
  double improve(const Parts &parts, TreeShape shape, int *heads) {
    tree_.reset(parts, shape, heads);
    climb(tree_, [](const ClimbTree &) {}, [] { return true; });
    tree_.write(heads);
    return parts.value(heads);
  }

  // first, if given, is where the first climb begins; patience 0 then means that there is no other. Writes the best
  // heads, and returns their value: -inf when every climb ended at a tree with a forbidden part. Ends early when time
  // is up or the caller interrupts.
  double decode(const Parts &parts, const ClimbOptions &options, const int *first, Deadline &watch, int *heads) {
    Sum best;
    best_so_far_.clear();
    was_interrupted = false;
    start_.resize(parts.nodes);
    const bool at_random = !first || options.patience > 0;
    if (at_random && !random_.prepare(parts, options.shape, options.by_score, options.seed)) return forbidden;
    const auto go_on = [&] { return !watch.is_over() && !(was_interrupted = was_interrupted || watch.interrupted()); };
    for (int restart = 0, without = 0; restart == 0 || without < options.patience; ++restart) {
      if (restart > 0 && ((options.max_restarts > 0 && restart >= options.max_restarts) || !go_on())) break;
      if (first && restart == 0)
        std::copy(first, first + parts.nodes, start_.begin());
      else if (!random_.draw(restart, start_.data()))
        return forbidden;
      tree_.reset(parts, options.shape, start_.data());
      climb(tree_, [](const ClimbTree &) {}, go_on);
      const bool better = restart == 0 || tree_.total().exceeds(best);
      without = better ? 0 : without + 1;
      if (better) best = tree_.total(), tree_.write(heads);
      best_so_far_.push_back(best.value());
    }
    return best.forbidden_parts > 0 ? forbidden : parts.value(heads);  // the sum of gains has gathered rounding
  }

  bool was_interrupted = false;
  const std::vector<double> &best_so_far() const { return best_so_far_; }  // one entry a restart

 private:
  ClimbTree tree_;
  RandomTrees random_;
  std::vector<int> order_, start_;
  std::vector<double> best_so_far_;
};

}  // namespace treewright
