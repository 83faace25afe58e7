// The best second-order tree, proved: branch and bound on the dual bound of dual decomposition.
//
// A node of the search is a set of forced arcs and a set of excluded arcs. It is bounded from its parent's multipliers
// (node_descent.hpp), which closes it when no tree of it is better than the best value known. Otherwise the arc about
// which automata and tree disagreed most often is forced in one child and ruled out in the other. The node with the
// highest bound is next, the oldest among equals, so that the search is the same every time. The best value comes from
// the trees that the dual method passes, and from climbing once from the best of the first ten (climb.hpp).
//
// Exponential at worst; a handful of nodes where the relaxation is nearly tight, as it is for trained models.
// With a budget the result is the best tree found, with a valid bound.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "dual/arc_states.hpp"
#include "dual/node_descent.hpp"

namespace treewright {

struct SearchOptions {
  bool single_root = true;
  double tolerance = 1e-9;  // of the gap, relative to the value where that is above one
  double max_seconds = std::numeric_limits<double>::infinity();
  long long max_nodes = std::numeric_limits<long long>::max();
  bool trace = false;
  bool proof = false;
};

// One entry an iteration, as in DualTrace, with the node it belongs to.
struct SearchTrace : DualTrace {
  std::vector<int> node;
};

class BranchAndBound {
 public:
  // False if `is_cancelled` returned true. When there is no tree, value is -inf.
  bool solve(const Parts &parts, const SearchOptions &options, const std::function<bool()> &is_cancelled) {
    Deadline watch(options.max_seconds, is_cancelled);
    options_ = options;
    nodes = 0;
    trace = SearchTrace();
    queue_.clear();
    node_.proof = options.proof ? &proof : nullptr;
    proof.open(parts.arcs());
    node_.open(parts, {false, options.single_root, 1.0}, options.tolerance, no_limit, watch);
    visit(std::numeric_limits<double>::infinity(), -1, -1, false);
    while (!queue_.empty() && nodes < options.max_nodes && !node_.is_over()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Node node = std::move(queue_.back());
      queue_.pop_back();
      if (node_.closes(node.bound)) break;  // and so does every other
      for (ArcState way : {ArcState::forced, ArcState::out}) {
        node_.relaxation.state = node.state, node_.relaxation.u = node.u, node_.relaxation.v = node.v;
        node_.relaxation.state[node.branch] = way;
        visit(node.bound, int(node.number) - 1, node.branch, way == ArcState::forced);
      }
    }
    conclude();
    return !node_.was_interrupted;
  }

  std::vector<int> heads;
  double value = forbidden, bound = forbidden;
  Certificate certificate = Certificate::none;
  long long iterations = 0, nodes = 0;
  SearchTrace trace;
  SearchProof proof;  // empty unless requested

 private:
  static constexpr long long no_limit = std::numeric_limits<long long>::max();
  static constexpr Effort at_root{1000, 10, true};
  static constexpr Effort at_node{100};  // queued nodes count on the arcs' numbers

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

  // Bounds the node that the relaxation's state describes, one side of its parent's division; queues it unless it
  // closes.
  void visit(double parent_bound, int parent, int arc, bool in) {
    ++nodes;
    if (options_.proof) proof.open_node(parent, arc < 0 ? -1 : node_.origin[arc], in);
    if (!node_.propagate()) return;
    node_.relaxation.start();
    const double found = node_.descend(nodes == 1 ? at_root : at_node, [&](double dual, int apart, double best) {
      record(dual, apart, parent_bound, std::min(parent_bound, best));
    });
    if (options_.proof) proof.bound_node(node_.relaxation, node_.origin, options_.single_root);
    const double bound = std::min(parent_bound, found);
    if (node_.closes(bound)) return;
    const Relaxation &relaxation = node_.relaxation;
    queue_.push_back({bound, nodes, most_contested(), relaxation.state, relaxation.u, relaxation.v});
    std::push_heap(queue_.begin(), queue_.end());
  }

  int most_contested() const {
    int branch = -1;
    for (int id = 0; id < node_.relaxation.parts().arcs(); ++id)
      if (node_.relaxation.state[id] == ArcState::open &&
          (branch < 0 || node_.conflicts()[id] > node_.conflicts()[branch]))
        branch = id;
    return branch;
  }

  // Even numbers are first children, whose parent's bound still stands for the second.
  void record(double dual, int apart, double parent_bound, double own_bound) {
    if (!options_.trace) return;
    const double others = queue_.empty() ? forbidden : queue_.front().bound;
    trace.add(dual, node_.value, std::max({node_.value, node_.closed, others, nodes % 2 ? own_bound : parent_bound}),
              apart, node_.relaxation.recomputed());
    trace.node.push_back(int(nodes));
  }

  void conclude() {
    heads = node_.heads, value = node_.value, iterations = node_.iterations;
    bound = std::max(value, node_.closed);
    if (!queue_.empty()) bound = std::max(bound, queue_.front().bound);
    certificate = Certificate::none;
    if (value > forbidden && bound <= value + node_.slack())
      certificate = nodes == 1 && node_.agreed ? Certificate::agreement : Certificate::bound;
  }

  SearchOptions options_;
  NodeDescent node_;
  std::vector<Node> queue_;  // a heap
};

}  // namespace treewright
