// Candidate arcs of a sentence under an arc-factored model (Koo & Collins 2010).
//
// Of each word, the heads whose marginal probability is at least `threshold` times that of the most probable head, at
// most `max_heads` of them (of equally probable heads the smaller ones), and the arcs of the model's best tree, so that
// the candidates always contain a tree.
//
// Cost: O(n^3) for the marginals, O(n^2) for the choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/scores.hpp"
#include "charts/eisner.hpp"
#include "charts/inside_outside.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/matrix_tree.hpp"

namespace treewright {

struct PruningRules {
  bool projective, single_root;
  double threshold;
  int max_heads;
  int min_heads = 1;  // so many of the most probable heads are candidates whatever the threshold is
};

class CandidateArcs {
 public:
  // Writes marginal[h, m] and fills heads and modifiers, ordered by modifier, then head. The arcs of `gold`, unless it
  // is null, are added. Returns the value of the best tree; without any tree it is -inf and there are no candidates.
  double run(const double *arc, int nodes, const PruningRules &rules, const int *gold, double *marginal) {
    heads.clear(), modifiers.clear();
    best_.resize(nodes);
    const double value = solve(arc, nodes, rules, marginal);
    if (value == forbidden) return value;
    for (int m = 1; m < nodes; ++m) {
      select_by_marginal(nodes, m, marginal, rules);
      selected_.push_back(best_[m]);
      if (gold) selected_.push_back(gold[m]);
      std::sort(selected_.begin(), selected_.end());
      selected_.erase(std::unique(selected_.begin(), selected_.end()), selected_.end());
      heads.insert(heads.end(), selected_.begin(), selected_.end());
      modifiers.insert(modifiers.end(), selected_.size(), m);
    }
    return value;
  }

  std::vector<int> heads, modifiers;

 private:
  double solve(const double *arc, int nodes, const PruningRules &rules, double *marginal) {
    if (rules.projective) {
      projective_sums_.marginals(arc, nodes, rules.single_root, marginal);
      return projective_tree_.decode(arc, nodes, rules.single_root, best_.data());
    }
    nonprojective_sums_.marginals(arc, nodes, rules.single_root, marginal);
    return nonprojective_tree_.decode(arc, nodes, rules.single_root, best_.data());
  }

  void select_by_marginal(int nodes, int m, const double *marginal, const PruningRules &rules) {
    const auto of = [&](int h) { return marginal[std::size_t(h) * nodes + m]; };
    double best = 0;
    for (int h = 0; h < nodes; ++h) best = std::max(best, of(h));
    selected_.clear();
    for (int h = 0; h < nodes; ++h)
      if (of(h) >= rules.threshold * best && of(h) > 0) selected_.push_back(h);
    if (int(selected_.size()) < rules.min_heads) return select_most_probable(nodes, of, rules.min_heads);
    if (int(selected_.size()) > rules.max_heads) keep_most_probable(of, rules.max_heads);
  }

  template <typename Of>
  void select_most_probable(int nodes, Of of, int count) {
    selected_.clear();
    for (int h = 0; h < nodes; ++h)
      if (of(h) > 0) selected_.push_back(h);
    if (int(selected_.size()) > count) keep_most_probable(of, count);
  }

  template <typename Of>
  void keep_most_probable(Of of, int count) {
    std::nth_element(selected_.begin(), selected_.begin() + count, selected_.end(),
                     [&](int a, int b) { return of(a) != of(b) ? of(a) > of(b) : a < b; });
    selected_.resize(count);
  }

  InsideOutside projective_sums_;
  MatrixTree nonprojective_sums_;
  Eisner projective_tree_;
  ChuLiuEdmonds nonprojective_tree_;
  std::vector<int> best_, selected_;
};

}  // namespace treewright
