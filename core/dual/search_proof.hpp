// What a search tree proves, in a form that can be checked without the search.
//
// The nodes divide the trees: the two children of a node force one arc and rule it out. A node without children is
// bounded by L(u, v) of dual_decomposition_relaxation.hpp at one point: the multipliers of its arcs, and a solution of
// the tree's dual linear program (chu_liu_edmonds.hpp). An arc that the bound fixed within a node is a division too,
// whose other side is bounded at the multipliers of that moment. Propagation (arc_states.hpp) is not recorded: its
// consequences follow from the arcs. A node without a point is one from which propagation removed every tree.
//
// Arcs have the numbers with which the parts were given; the tree's weight of an arc is arc + u + v.
// Recording costs O(arcs) for each lower bound and one spanning tree a node.
#pragma once

#include <limits>
#include <vector>

#include "base/scores.hpp"
#include "dual/arc_states.hpp"
#include "dual/dual_decomposition_relaxation.hpp"
#include "trees/chu_liu_edmonds.hpp"

namespace treewright {

struct DualPoint {
  std::vector<double> u, v;  // one an arc
  TreeDual tree;
};

struct FixedArcs {
  int point;
  std::vector<int> in, out;
};

struct ProofNode {
  int parent;  // -1: the root of the search
  int arc;     // the division that it is a side of
  bool in;
  std::vector<FixedArcs> fixed;
  int point = -1;
};

class SearchProof {
 public:
  void open(int arcs) {
    nodes.clear(), points.clear();
    best_.u.assign(arcs, 0.0), best_.v.assign(arcs, 0.0), best_.tree = TreeDual();
  }

  void open_node(int parent, int arc, bool in) {
    nodes.push_back({parent, arc, in, {}, -1});
    best_bound_ = std::numeric_limits<double>::infinity();
  }

  // Arcs that the conditioned problem leaves out (conditioning.hpp). What they lose shows at the point where L is the
  // sum of the best scores: no multipliers, and no sets of words.
  void exclude(const std::vector<int> &arcs) {
    if (arcs.empty()) return;
    points.push_back(best_);
    nodes.back().fixed.push_back({int(points.size()) - 1, {}, arcs});
  }

  // The multipliers, at which L is `bound`, are the best of the node so far.
  void note(const Relaxation &relaxation, const std::vector<int> &origin, double bound) {
    best_bound_ = bound;
    copy(relaxation, origin, best_);
  }

  // Arcs that L and the losses at the multipliers decided. To be called after Relaxation::losses.
  void fix(const Relaxation &relaxation, const std::vector<int> &origin, const std::vector<int> &in,
           const std::vector<int> &out) {
    DualPoint point = best_;
    copy(relaxation, origin, point);
    point.tree = relaxation.tree_dual();
    points.push_back(std::move(point));
    nodes.back().fixed.push_back({int(points.size()) - 1, given(in, origin), given(out, origin)});
  }

  // The bound of the node is that of its best multipliers, or the one of its parent if that is lower.
  void bound_node(const Relaxation &relaxation, const std::vector<int> &origin, bool single_root) {
    ProofNode &node = nodes.back();
    if (node.parent >= 0 && bounds_[node.parent] < best_bound_) {
      node.point = nodes[node.parent].point;
      best_bound_ = bounds_[node.parent];
    } else {
      best_.tree = tree_dual(relaxation, origin, single_root);
      points.push_back(best_);
      node.point = int(points.size()) - 1;
    }
    bounds_.resize(nodes.size());
    bounds_.back() = best_bound_;
  }

  // The multipliers in the units of the scores given, if those of the search were multiplied by scale. Constants that
  // were added to all arcs into a word make no difference.
  void divide_by(double scale) {
    for (DualPoint &point : points) {
      point.tree.penalty /= scale;
      for (auto *column : {&point.u, &point.v, &point.tree.slack})
        for (double &multiplier : *column) multiplier /= scale;
    }
  }

  std::vector<ProofNode> nodes;
  std::vector<DualPoint> points;

 private:
  static void copy(const Relaxation &relaxation, const std::vector<int> &origin, DualPoint &to) {
    for (std::size_t id = 0; id < origin.size(); ++id)
      to.u[origin[id]] = relaxation.u[id], to.v[origin[id]] = relaxation.v[id];
  }

  static std::vector<int> given(const std::vector<int> &arcs, const std::vector<int> &origin) {
    std::vector<int> numbers;
    for (int id : arcs) numbers.push_back(origin[id]);
    return numbers;
  }

  TreeDual tree_dual(const Relaxation &relaxation, const std::vector<int> &origin, bool single_root) {
    const Parts &parts = relaxation.parts();
    weight_.resize(parts.arcs()), heads_.resize(parts.nodes);
    for (int id = 0; id < parts.arcs(); ++id) {
      const bool is_out = relaxation.state[id] == ArcState::out;
      weight_[id] = is_out ? forbidden : parts.arc[id] + (best_.u[origin[id]] + best_.v[origin[id]]);
    }
    spanning_tree_.decode(parts, weight_.data(), single_root, heads_.data());
    return spanning_tree_.dual();
  }

  DualPoint best_;
  double best_bound_ = 0;
  std::vector<double> bounds_, weight_;  // bounds_: of each node
  std::vector<int> heads_;
  ChuLiuEdmonds spanning_tree_;
};

}  // namespace treewright
