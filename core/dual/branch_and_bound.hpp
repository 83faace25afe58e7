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
#include "trees/stages.hpp"

namespace treewright {

struct SearchOptions {
  bool single_root = true;
  double tolerance = 1e-9;  // of the gap, relative to the spread of the scores (losses.hpp)
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
  // False if `is_cancelled` returned true. best.bound is -inf when there is no tree; best.value is -inf also when none
  // was found within the limits.
  bool solve(const Parts &parts, const SearchOptions &options, const std::function<bool()> &is_cancelled) {
    Deadline watch(options.max_seconds, is_cancelled);
    options_ = options;
    iterations = nodes = 0;
    trace = SearchTrace();
    node_.proof = options.proof ? &proof : nullptr;
    best = stages_.run(parts, options.single_root, options.tolerance, options.proof,
                       [&](const Conditioning &problem, const int *known, bool is_last) {
                         const long long rest = options.max_nodes - nodes;
                         return search(problem, known, is_last ? rest : std::min(rest, max_first_nodes), watch);
                       });
    certificate = Certificate::none;
    if (best.is_certified(options.tolerance))
      certificate = nodes == 1 && node_.agreed ? Certificate::agreement : Certificate::bound;
    return !node_.was_interrupted;
  }

  BoundedTree best;
  Certificate certificate = Certificate::none;
  long long iterations = 0, nodes = 0;
  SearchTrace trace;
  SearchProof proof;  // empty unless requested

 private:
  static constexpr long long no_limit = std::numeric_limits<long long>::max();
  static constexpr Effort at_root{1000, 10, true};
  static constexpr Effort at_node{100};               // queued nodes count on the arcs' numbers
  static constexpr long long max_first_nodes = 1000;  // to find that every tree has a penalty; not tuned

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

  StageResult search(const Conditioning &problem, const int *known, long long max_nodes, Deadline &watch) {
    const long long last = nodes + max_nodes;
    const std::size_t traced = trace.dual.size();
    queue_.clear();
    first_ = nodes + 1;
    node_.open(problem, stages_.losses(), {false, options_.single_root, 1.0, {}}, options_.tolerance, no_limit, watch,
               known);
    proof.open(problem.parts.arcs());
    unused_.clear();
    for (int id = 0; id < problem.parts.arcs(); ++id)
      if (problem.parts.arc[id] == forbidden && stages_.losses().is_candidate(id)) unused_.push_back(id);
    visit(std::numeric_limits<double>::infinity(), -1, -1, false);
    while (!queue_.empty() && nodes < last && !node_.is_over()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Node node = std::move(queue_.back());
      queue_.pop_back();
      if (node_.closes(node.bound)) {  // and so does every other
        queue_.clear();
        break;
      }
      for (ArcState way : {ArcState::forced, ArcState::out}) {
        node_.relaxation.state = node.state, node_.relaxation.u = node.u, node_.relaxation.v = node.v;
        node_.relaxation.state[node.branch] = way;
        visit(node.bound, int(node.number - first_), node.branch, way == ArcState::forced);
      }
    }
    iterations += node_.iterations;
    if (options_.proof) restore_proof(problem);
    for (auto *column : {&trace.dual, &trace.best, &trace.bound})
      for (std::size_t row = traced; row < column->size(); ++row) (*column)[row] = problem.value((*column)[row]);
    if (node_.value == forbidden) rescue();
    double bound = std::max(node_.value, node_.closed);
    if (!queue_.empty()) bound = std::max(bound, queue_.front().bound);
    return {&node_.heads, node_.value, bound, queue_.empty(), node_.is_over() || nodes >= options_.max_nodes};
  }

  // Trees with a forbidden part have been found only: a climb may lead to one without.
  void rescue() {
    if (!queue_.empty() && node_.heads.back() >= 0) node_.climb();
  }

  // The multipliers in the units of the scores given; what was taken off sibling and grandparent parts is part of u.
  void restore_proof(const Conditioning &problem) {
    proof.divide_by(problem.scale);
    for (DualPoint &point : proof.points)
      for (std::size_t id = 0; id < point.u.size(); ++id) point.u[id] += problem.taken_off_others(int(id));
  }

  // Bounds the node that the relaxation's state describes, one side of its parent's division; queues it unless it
  // closes.
  void visit(double parent_bound, int parent, int arc, bool in) {
    ++nodes;
    if (options_.proof) proof.open_node(parent, arc < 0 ? -1 : node_.origin[arc], in);
    if (options_.proof && parent < 0) proof.exclude(unused_);
    if (!node_.propagate()) return;
    node_.relaxation.start();
    const double found = node_.descend(nodes == first_ ? at_root : at_node, [&](double dual, int apart, double best) {
      record(dual, apart, parent_bound, std::min(parent_bound, best));
    });
    if (options_.proof) proof.bound_node(node_.relaxation, node_.origin, options_.single_root);
    const double bound = std::min(parent_bound, found);
    if (node_.closes(bound)) return;
    const Relaxation &relaxation = node_.relaxation;
    const int branch = most_contested();
    if (branch < 0) {  // one tree, on which tree and automata agree but for rounding
      node_.closed = std::max(node_.closed, bound);
      return;
    }
    queue_.push_back({bound, nodes, branch, relaxation.state, relaxation.u, relaxation.v});
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

  // The bound of a first child's parent still stands for the second child.
  void record(double dual, int apart, double parent_bound, double own_bound) {
    if (!options_.trace) return;
    const double others = queue_.empty() ? forbidden : queue_.front().bound;
    const bool is_first_child = (nodes - first_) % 2;
    trace.add(dual, node_.value,
              std::max({node_.value, node_.closed, others, is_first_child ? parent_bound : own_bound}), apart,
              node_.relaxation.recomputed());
    trace.node.push_back(int(nodes));
  }

  SearchOptions options_;
  Stages stages_;
  NodeDescent node_;
  long long first_ = 1;      // the number of the first node of the stage
  std::vector<Node> queue_;  // a heap
  std::vector<int> unused_;  // candidate arcs that the conditioned problem leaves out
};

}  // namespace treewright
