// Candidate arcs: those that an arc-factored model finds worth a closer look.
//
// Of each word, the heads whose marginal probability is at least `threshold` times that of the best (Koo & Collins
// 2010), at most `max_heads` of them; and every arc of the model's own best tree, so that a tree always survives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "charts/eisner.hpp"
#include "charts/inside_outside.hpp"
#include "learning/scoring.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/matrix_tree.hpp"

namespace treewright {

struct PruningRules {
  bool projective, single_root;
  double threshold;
  int max_heads;
};

class Pruner {
 public:
  // Fills marginal[h, m] over nodes and the candidate arcs, by modifier; those of `gold`, unless it is null, are added.
  template <typename Weight>
  void run(const PartFeatures &features, const WeightTable<Weight> &weights, const PruningRules &rules, const int *gold,
           double *marginal) {
    const int nodes = features.nodes();
    arc_.resize(std::size_t(nodes) * nodes);
    best_.resize(nodes);
    score_all_arcs(features, weights, arc_.data());
    if (rules.projective) {
      projective_sums_.marginals(arc_.data(), nodes, rules.single_root, marginal);
      projective_trees_.decode(arc_.data(), nodes, rules.single_root, best_.data());
    } else {
      sums_.marginals(arc_.data(), nodes, rules.single_root, marginal);
      trees_.decode(arc_.data(), nodes, rules.single_root, best_.data());
    }
    keep(nodes, marginal, rules.threshold, rules.max_heads, {best_.data(), gold});
  }

  // The candidate arcs by their marginals, and those of the trees given; null is none.
  void keep(int nodes, const double *marginal, double threshold, int max_heads, const std::vector<const int *> &trees) {
    heads.clear(), modifiers.clear();
    for (int m = 1; m < nodes; ++m) {
      keep_likely(nodes, m, marginal, threshold, max_heads);
      for (const int *tree : trees)
        if (tree) kept_.push_back(tree[m]);
      std::sort(kept_.begin(), kept_.end());
      kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
      heads.insert(heads.end(), kept_.begin(), kept_.end());
      modifiers.insert(modifiers.end(), kept_.size(), m);
    }
  }

  std::vector<int> heads, modifiers;

 private:
  void keep_likely(int nodes, int m, const double *marginal, double threshold, int max_heads) {
    const auto of = [&](int h) { return marginal[std::size_t(h) * nodes + m]; };
    double best = 0;
    for (int h = 0; h < nodes; ++h) best = std::max(best, of(h));
    kept_.clear();
    for (int h = 0; h < nodes; ++h)
      if (of(h) >= threshold * best && of(h) > 0) kept_.push_back(h);
    if (int(kept_.size()) <= max_heads) return;
    std::nth_element(kept_.begin(), kept_.begin() + max_heads, kept_.end(),
                     [&](int a, int b) { return of(a) != of(b) ? of(a) > of(b) : a < b; });
    kept_.resize(max_heads);
  }

  InsideOutside projective_sums_;
  MatrixTree sums_;
  Eisner projective_trees_;
  ChuLiuEdmonds trees_;
  std::vector<double> arc_;
  std::vector<int> best_, kept_;
};

}  // namespace treewright
