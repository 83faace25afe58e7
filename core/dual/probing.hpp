// Tightens a relaxation without a search tree: probing, as in mixed-integer programming (Savelsbergh 1994).
//
//   descend (node_descent.hpp), which fixes arcs by the bound
//   for the open arcs, the most contested first:
//     bound the trees on the side of the arc where the best tree known is not, from the same multipliers:
//       the side closes: the arc is decided for good
//     otherwise bound the side where it is:
//       the side closes: the arc is decided for good, and what was found out on the other side holds
//     otherwise the bound is the higher of the two, and what is fixed alike on both sides holds
//   until something is fixed: its consequences follow, and all begins again
//
// Ends on a certificate, at the limits of the descent, or when no open arc decides anything. Every change fixes an arc,
// so with A arcs there are at most A + 1 passes of at most 2 A probes; a few probes in all where the relaxation is
// nearly tight.
#pragma once

#include <algorithm>
#include <vector>

#include "dual/arc_states.hpp"
#include "dual/node_descent.hpp"
#include "trees/parts.hpp"

namespace treewright {

class Probing {
 public:
  // A bound on all trees that are better than the best known, at most the one given; -inf when there is none.
  // each(L, disagreements, bound) after every iteration. The node is left at its own multipliers, not at a probe's.
  template <typename Each>
  double tighten(NodeDescent &node, double bound, Each each) {
    node_ = &node, bound_ = bound;
    do {
      if (!node.propagate()) return forbidden;
      node.restart(true);
      const double found = node.descend(at_root, [&](double dual, int apart, double best) {  //
        each(dual, apart, std::min(bound_, best));
      });
      bound_ = std::min(bound_, found);
    } while (!is_done() && probe_open_arcs(each) && !is_done());
    return bound_;
  }

 private:
  static constexpr Effort at_root{1000, 0, true}, at_probe{100};

  struct Side {
    std::vector<ArcState> state;
    std::vector<double> u, v;
  };

  bool is_done() { return node_->closes(bound_) || node_->is_over(); }

  void save(Side &side) const {
    const Relaxation &at = node_->relaxation;
    side.state = at.state, side.u = at.u, side.v = at.v;
  }
  void load(const Side &side) {
    Relaxation &at = node_->relaxation;
    at.state = side.state, at.u = side.u, at.v = side.v;
  }

  // Whether an arc was decided; the node's state is then updated.
  template <typename Each>
  bool probe_open_arcs(Each each) {
    save(middle_);
    list_open_arcs();
    for (int arc : open_) {
      if (decides(arc, each)) return true;
      if (is_done()) break;
    }
    load(middle_);
    return false;
  }

  // The most contested first, among equals the first.
  void list_open_arcs() {
    open_.clear();
    for (std::size_t id = 0; id < middle_.state.size(); ++id)
      if (middle_.state[id] == ArcState::open) open_.push_back(int(id));
    const std::vector<int> &conflicts = node_->conflicts();
    std::stable_sort(open_.begin(), open_.end(), [&](int a, int b) { return conflicts[a] > conflicts[b]; });
  }

  template <typename Each>
  bool decides(int arc, Each each) {
    const Parts &parts = node_->relaxation.parts();
    const bool has = node_->heads[parts.modifier[arc]] == parts.head[arc];
    const ArcState near = has ? ArcState::forced : ArcState::out, far = has ? ArcState::out : ArcState::forced;
    const double far_bound = probe(arc, far, each);
    if (node_->closes(far_bound)) {
      load(middle_);
      node_->relaxation.state[arc] = near;
      return true;
    }
    if (node_->is_over()) return false;
    save(far_);
    const double near_bound = probe(arc, near, each);
    if (node_->closes(near_bound)) {
      load(far_);
      return true;
    }
    bound_ = std::min(bound_, std::max(far_bound, near_bound));
    return sides_fixed_alike();
  }

  // The bound of the trees on one side of the arc.
  template <typename Each>
  double probe(int arc, ArcState side, Each each) {
    load(middle_);
    node_->relaxation.state[arc] = side;
    if (!node_->propagate()) return forbidden;
    node_->relaxation.start();
    return node_->descend(at_probe, [&](double dual, int apart, double) { each(dual, apart, bound_); });
  }

  // Whether the probes of both sides, the far one saved, fixed some arc in the same way.
  bool sides_fixed_alike() {
    const std::vector<ArcState> near_state = node_->relaxation.state;
    load(middle_);
    bool changed = false;
    for (int id : open_) {
      if (near_state[id] == ArcState::open || near_state[id] != far_.state[id]) continue;
      node_->relaxation.state[id] = near_state[id];
      changed = true;
    }
    return changed;
  }

  NodeDescent *node_ = nullptr;
  double bound_ = 0;
  Side middle_, far_;      // before a probe, and at the end of the first
  std::vector<int> open_;  // arcs
};

}  // namespace treewright
