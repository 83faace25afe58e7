// Sentences from atoms to labelled trees in one go: candidate arcs (pruner.hpp), the parts over them (scoring.hpp), the
// best tree, its labels (labeller.hpp). For trees that are projective, or scored by their arcs alone: there the best
// one is found by one dynamic program or spanning tree.
//
// Stage after stage over all sentences, so that the weights of one stage stay in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "charts/grand_eisner.hpp"
#include "charts/sibling_eisner.hpp"
#include "learning/labeller.hpp"
#include "learning/pruner.hpp"
#include "learning/scoring.hpp"

namespace treewright {

// What pruning leaves of a sentence.
struct Survivors {
  std::vector<int> heads, modifiers;
  std::vector<double> marginals;
};

class Chain {
 public:
  struct Rules {
    PruningRules pruning;
    bool siblings, grandparents;
    double largest_chart;  // bytes; a sentence that wants more is left undone
  };

  template <typename Weight>
  Survivors prune(const PartFeatures &features, const WeightTable<Weight> &weights, const PruningRules &rules) {
    const std::size_t nodes = features.nodes();
    marginal_.resize(nodes * nodes);
    pruner_.run(features, weights, rules, nullptr, marginal_.data());
    Survivors left{pruner_.heads, pruner_.modifiers, {}};
    for (std::size_t i = 0; i < left.heads.size(); ++i)
      left.marginals.push_back(marginal_[left.heads[i] * nodes + left.modifiers[i]]);
    return left;
  }

  // Writes heads[0..nodes) and returns the value of the tree; NaN when it was not looked for.
  template <typename Weight>
  double decode(const PartFeatures &features, const WeightTable<Weight> &weights, const Rules &rules,
                const Survivors &left, int *heads) {
    const int nodes = features.nodes();
    const std::vector<double> zeros(left.heads.size(), 0.0);
    Parts parts(nodes, int(left.heads.size()), left.heads.data(), left.modifiers.data(), zeros.data());
    if (rules.siblings) parts.add_transitions();
    if (rules.grandparents) parts.add_grand();
    std::fill_n(heads, nodes, -1);
    if (rules.grandparents && GrandEisner::bytes(parts) > rules.largest_chart)
      return std::numeric_limits<double>::quiet_NaN();
    score_parts(features, weights, parts);
    const bool single_root = rules.pruning.single_root;
    if (rules.grandparents) return decode_grandparents(parts, single_root, heads);
    if (rules.siblings) return siblings_.decode(parts, single_root, heads);
    if (!rules.pruning.projective) return crossing_.decode(parts, parts.arc.data(), single_root, heads);
    arc_.assign(std::size_t(nodes) * nodes, forbidden);
    for (int e = 0; e < parts.arcs(); ++e) arc_[std::size_t(parts.head[e]) * nodes + parts.modifier[e]] = parts.arc[e];
    return projective_.decode(arc_.data(), nodes, single_root, heads);
  }

  // The marginal of each node's head, 1 for the root.
  static void confidences(const Survivors &left, const int *heads, int nodes, double *confidence) {
    confidence[0] = 1;
    for (int m = 1; m < nodes; ++m) confidence[m] = 0;
    for (std::size_t i = 0; i < left.heads.size(); ++i)
      if (heads[left.modifiers[i]] == left.heads[i]) confidence[left.modifiers[i]] = left.marginals[i];
  }

 private:
  double decode_grandparents(const Parts &parts, bool single_root, int *heads) {
    constexpr double worth_keeping = 1 << 26;  // bytes; a larger chart goes back when its sentence is done
    const double value = grandparents_.decode(parts, single_root, heads);
    if (GrandEisner::bytes(parts) > worth_keeping) grandparents_ = GrandEisner();
    return value;
  }

  Pruner pruner_;
  Eisner projective_;
  ChuLiuEdmonds crossing_;
  PrunedSiblingEisner siblings_;
  GrandEisner grandparents_;
  std::vector<double> marginal_, arc_;
};

}  // namespace treewright
