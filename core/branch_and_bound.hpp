// The best second-order tree, proved: branch and bound on the dual bound of dual decomposition.
//
// A node of the search knows arcs that are forced and arcs that are out. Its bound is the smallest L(u, v) that
// Polyak steps find from its parent's multipliers (dual_decomposition_relaxation.hpp). It closes on agreement,
// when the bound comes down to the best value known, or when no tree is left. Otherwise the arc about which
// automata and tree disagreed most often is forced in one child and ruled out in the other. The node with the
// highest bound is next, the oldest among equals, so that the search is the same every time. The best value comes from
// the trees that the dual method passes, and from climbing once from the best of the first ten (climb.hpp).
//
// Every tenth round arcs are fixed (after Corro et al. 2016): an arc is out when L less what its use costs is no
// more than the best value, and forced when that holds for its absence. What the automata at its two ends lose
// (max-marginals) and what the tree loses (reduced costs) add up, for they belong to different terms of L. Then the
// consequences follow (arc_states.hpp), and at the root the parts are laid out anew over the arcs that are left.
//
// Exponential at worst; a handful of nodes where the relaxation is nearly tight, as it is for trained models.
// On a budget the answer is the best tree found, with a valid bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "arc_states.hpp"
#include "climb.hpp"
#include "dual_decomposition.hpp"
#include "dual_decomposition_relaxation.hpp"
#include "stopwatch.hpp"

namespace treewright {

struct SearchOptions {
  bool single_root = true;
  double tolerance = 1e-9;  // of the gap, relative to the value where that is above one
  double max_seconds = std::numeric_limits<double>::infinity();
  long long max_nodes = std::numeric_limits<long long>::max();
  bool trace = false;
};

// One entry an iteration, as in DualTrace, with the node it belongs to and the bound on all trees.
struct SearchTrace : DualTrace {
  std::vector<double> bound;
  std::vector<int> node;
};

class BranchAndBound {
 public:
  // True unless `wanted_back` said so. When there is no tree, value is -inf.
  bool solve(const Parts &parts, const SearchOptions &options, const std::function<bool()> &wanted_back) {
    Stopwatch watch(options.max_seconds, wanted_back);
    watch_ = &watch;
    options_ = options;
    given_ = &parts;
    value = closed_ = forbidden;
    rounding_ = 0;
    certificate = Certificate::none;
    agreed_ = interrupted_ = false;
    iterations = nodes = 0;
    trace = SearchTrace();
    heads.assign(parts.nodes, -1);
    queue_.clear();
    relaxation_.open(parts, {false, options.single_root, 1.0});
    visit(std::numeric_limits<double>::infinity());
    while (!queue_.empty() && nodes < options.max_nodes && !is_over()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Node node = std::move(queue_.back());
      queue_.pop_back();
      if (closes(node.bound)) break;  // and so does every other
      for (ArcState way : {ArcState::forced, ArcState::out}) {
        relaxation_.state = node.state, relaxation_.u = node.u, relaxation_.v = node.v;
        relaxation_.state[node.branch] = way;
        visit(node.bound);
      }
    }
    conclude();
    return !interrupted_;
  }

  std::vector<int> heads;
  double value = forbidden, bound = forbidden;
  Certificate certificate = Certificate::none;
  long long iterations = 0, nodes = 0;
  SearchTrace trace;

 private:
  static constexpr int root_rounds = 1000, node_rounds = 100;
  static constexpr int rounds_before_climb = 10, rounds_between_fixing = 10, rounds_between_checks = 20;
  static constexpr int patience = 5;         // rounds without a better bound before steps are halved
  static constexpr double worthwhile = 0.1;  // of the gap, to be gained between checks: else it is time to branch

  struct Node {
    double bound;
    long long number;
    int branch;
    std::vector<ArcState> state;
    std::vector<double> u, v;
    bool operator<(const Node &other) const {
      return bound < other.bound || (bound == other.bound && number > other.number);
    }
  };

  double slack() const { return options_.tolerance * std::max(1.0, std::abs(value)) + rounding_; }

  // Whether nothing under this bound is better than the best known; the bounds dropped for it are remembered.
  bool closes(double bound) {
    if (bound > forbidden && !(value > forbidden && bound <= value + slack())) return false;
    closed_ = std::max(closed_, bound);
    return true;
  }

  bool is_over() {
    interrupted_ = interrupted_ || watch_->interrupted();
    return interrupted_ || watch_->is_over();
  }

  bool propagate() { return propagation_.run(relaxation_.parts(), options_.single_root, relaxation_.state); }

  // Bounds the node that the relaxation's state describes; queues it unless it closes.
  void visit(double parent_bound) {
    ++nodes;
    if (!propagate()) return;
    relaxation_.start();
    const double bound = std::min(parent_bound, descend(parent_bound));
    if (closes(bound)) return;
    queue_.push_back({bound, nodes, most_contested(), relaxation_.state, relaxation_.u, relaxation_.v});
    std::push_heap(queue_.begin(), queue_.end());
  }

  double descend(double parent_bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double best = infinity, before = infinity, lambda = polyak_start;
    int without_gain = 0;
    const int rounds = nodes == 1 ? root_rounds : node_rounds;
    conflicts_.assign(relaxation_.parts().arcs(), 0);
    for (int round = 1;; ++round) {
      const double dual = relaxation_.evaluate();
      ++iterations;
      if (dual == forbidden) {
        record(dual, 0, parent_bound, forbidden);
        return forbidden;
      }
      without_gain = dual < best ? 0 : without_gain + 1;
      if (dual < best) best = dual, rounding_ = std::max(rounding_, relaxation_.rounding());
      take_tree();
      const int apart = relaxation_.disagreements();
      record(dual, apart, parent_bound, std::min(parent_bound, best));
      if (apart == 0) return agree();
      if (nodes == 1 && round == rounds_before_climb) climb();
      if (closes(best) || round >= rounds || is_over()) return best;
      if (round % rounds_between_checks == 0) {
        if (before - best < worthwhile * (best - value)) return best;
        before = best;
      }
      if (round % rounds_between_fixing == 0 && fix(dual)) {
        if (!propagate()) return forbidden;
        restart();
        continue;
      }
      if (without_gain == patience) lambda /= 2, without_gain = 0;
      for (int id : relaxation_.differences()) ++conflicts_[id];
      const double target = value > forbidden ? value : dual - 1 - std::abs(dual);
      relaxation_.move(lambda * (dual - target) / apart);
    }
  }

  // No tree of this node is better than the one agreed on, which has been taken.
  double agree() {
    agreed_ = nodes == 1;
    return forbidden;
  }

  void restart() {
    if (nodes > 1) return relaxation_.start();  // queued nodes count on the arcs' numbers
    relaxation_.shrink(kept_);
    for (std::size_t id = 0; id < kept_.size(); ++id) conflicts_[id] = conflicts_[kept_[id]];
    conflicts_.resize(kept_.size());
  }

  void take_tree() {
    if (!relaxation_.tree_changed()) return;
    const double found = relaxation_.value(relaxation_.tree());
    if (!(found > value) && iterations > 1) return;
    value = found;
    const Parts &parts = relaxation_.parts();
    for (int m = 1; m < parts.nodes; ++m) heads[m] = parts.head[relaxation_.tree()[m]];
  }

  // Whether the bound decided some open arc. To be called after evaluate(), which returned dual.
  bool fix(double dual) {
    if (value == forbidden) return false;
    relaxation_.losses(with_, without_);
    bool changed = false;
    for (int id = 0; id < relaxation_.parts().arcs(); ++id) {
      ArcState &state = relaxation_.state[id];
      if (state != ArcState::open) continue;
      if (closes(dual - with_[id]))
        state = ArcState::out, changed = true;
      else if (closes(dual - without_[id]))
        state = ArcState::forced, changed = true;
    }
    return changed;
  }

  // Local changes to the best tree so far: a better value makes steps better aimed, and fixes more.
  void climb() {
    climbed_ = heads;
    const double found = climber_.improve(*given_, {options_.single_root, false}, climbed_.data());
    if (found > value) value = found, heads = climbed_;
  }

  int most_contested() const {
    int branch = -1;
    for (int id = 0; id < relaxation_.parts().arcs(); ++id)
      if (relaxation_.state[id] == ArcState::open && (branch < 0 || conflicts_[id] > conflicts_[branch])) branch = id;
    return branch;
  }

  // Even numbers are first children, whose parent's bound still stands for the second.
  void record(double dual, int apart, double parent_bound, double own_bound) {
    if (!options_.trace) return;
    trace.dual.push_back(dual), trace.best.push_back(value);
    trace.disagreements.push_back(apart), trace.recomputed.push_back(relaxation_.recomputed());
    trace.node.push_back(int(nodes));
    const double others = queue_.empty() ? forbidden : queue_.front().bound;
    trace.bound.push_back(std::max({value, closed_, others, nodes % 2 == 0 ? parent_bound : own_bound}));
  }

  void conclude() {
    bound = std::max(value, closed_);
    if (!queue_.empty()) bound = std::max(bound, queue_.front().bound);
    if (value > forbidden && bound <= value + slack())
      certificate = agreed_ ? Certificate::agreement : Certificate::bound;
  }

  SearchOptions options_;
  const Parts *given_ = nullptr;
  Stopwatch *watch_ = nullptr;
  Relaxation relaxation_;
  Propagation propagation_;
  Climber climber_;
  std::vector<int> climbed_;
  bool agreed_ = false, interrupted_ = false;
  double closed_ = forbidden, rounding_ = 0;
  std::vector<int> conflicts_, kept_;  // conflicts_: how often each arc was disagreed about at this node
  std::vector<double> with_, without_;
  std::vector<Node> queue_;  // a heap
};

}  // namespace treewright
