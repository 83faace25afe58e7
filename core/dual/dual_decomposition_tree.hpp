// The tree subproblem of dual decomposition: the best tree over the same candidate arcs, under
// weights of which few changed since the last call.
//
// The best arc into each word is kept; only words whose weights changed are updated. When those arcs
// form a tree they are the best tree, O(changed words + n). Otherwise Chu-Liu-Edmonds decides, O(n^2) at
// worst. Trees without crossing arcs come from Eisner's chart, O(n^3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "base/scores.hpp"
#include "charts/eisner.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/parts.hpp"

namespace treewright {

class TreeOracle {
 public:
  void open(const Parts &parts, bool projective, bool single_root) {
    parts_ = &parts;
    projective_ = projective;
    single_root_ = single_root;
    best_in_.assign(parts.nodes, -1);
    tree_.assign(parts.nodes, -1);
    heads_.resize(parts.nodes);
    seen_.assign(parts.nodes, -1);
    if (projective) matrix_.resize(parts.nodes);
  }

  // The weights of arcs into m changed.
  void look_again(int m, const double *weight) {
    int best = -1;
    double most = forbidden;
    for (int in = parts_->in_begin[m]; in < parts_->in_begin[m + 1]; ++in) {
      const int id = parts_->in_arc[in];
      if (weight[id] > most) most = weight[id], best = id;
    }
    best_in_[m] = best;
  }

  // The value of the best tree after look_again for every changed word, -inf when there is none.
  double solve(const double *weight) {
    if (!projective_ && best_arcs_are_a_tree())
      tree_ = best_in_;
    else if (!decode(weight))
      return forbidden;
    double value = 0;
    for (int m = 1; m < parts_->nodes; ++m) value += weight[tree_[m]];
    return value;
  }

  // The arc into each word, -1 for node 0.
  const std::vector<int> &tree() const { return tree_; }

  // After reduced_costs, of trees that may cross.
  TreeDual dual() const { return spanning_tree_.dual(); }

  // By how much at least every tree with each arc falls short of the best. False when there is no tree.
  bool reduced_costs(const double *weight, double *costs) {
    if (projective_) {  // computing it from the chart costs as much as several rounds
      std::fill_n(costs, parts_->arcs(), 0.0);
      return true;
    }
    if (!decode(weight)) return false;
    spanning_tree_.reduced_costs_of_parts(costs);
    return true;
  }

 private:
  bool best_arcs_are_a_tree() {
    int roots = 0;
    for (int m = 1; m < parts_->nodes; ++m) {
      if (best_in_[m] < 0) return false;
      heads_[m] = parts_->head[best_in_[m]];
      roots += heads_[m] == 0;
    }
    if (roots == 0 || (single_root_ && roots > 1)) return false;
    std::fill(seen_.begin(), seen_.end(), 0);
    for (int m = 1; m < parts_->nodes; ++m) {
      int up = m;
      for (; up != 0 && seen_[up] == 0; up = heads_[up]) seen_[up] = m;
      if (up != 0 && seen_[up] == m) return false;  // the way up from m met itself
    }
    return true;
  }

  bool decode(const double *weight) {
    const double value = projective_
                             ? eisner_.decode(whole(weight), parts_->nodes, single_root_, heads_.data())
                             : spanning_tree_.decode(*parts_, weight, single_root_, heads_.data(), best_in_.data());
    if (value == forbidden) return false;
    for (int m = 1; m < parts_->nodes; ++m) {
      const bool is_best = best_in_[m] >= 0 && parts_->head[best_in_[m]] == heads_[m];
      tree_[m] = is_best ? best_in_[m] : parts_->find(heads_[m], m);
    }
    return true;
  }

  const double *whole(const double *weight) {
    const int nodes = parts_->nodes;
    for (int h = 0; h < nodes; ++h)
      for (int m = 0; m < nodes; ++m) matrix_(h, m) = forbidden;
    for (int id = 0; id < parts_->arcs(); ++id) matrix_(parts_->head[id], parts_->modifier[id]) = weight[id];
    return matrix_.at(0, 0);
  }

  const Parts *parts_ = nullptr;
  bool projective_ = false, single_root_ = false;
  std::vector<int> best_in_, tree_, heads_, seen_;
  ChuLiuEdmonds spanning_tree_;
  Eisner eisner_;
  Matrix matrix_;
};

}  // namespace treewright
