// The probability of the arcs of a tree, where a tree has the weight exp(value / temperature).
//
// A temperature above 1 flattens the distribution: trained models give their best tree too much weight (Guo et al.
// 2017). Projective trees are summed exactly (second_order.hpp), others by loopy belief propagation
// (belief_propagation.hpp).
//
// The projective sum is taken over plain weights, which is several times faster than over logarithms. They are relative
// to the given tree: every tree has one arc into each word, and for each word one sibling part, at most one grandparent
// part and two stops. The scores of these parts in the given tree are subtracted from all arcs into the word. All trees
// lose the same, the given one has the weight 1, and the weights of good trees and of their spans stay near it. If
// weights are out of range nonetheless, logarithms are summed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "charts/part_sums.hpp"
#include "charts/second_order.hpp"
#include "dual/belief_propagation.hpp"
#include "trees/parts.hpp"

namespace treewright {

class ArcConfidence {
 public:
  struct Rules {
    double temperature;
    bool projective, single_root;
    int rounds;  // of belief propagation
  };

  // Writes the probability of the arc into each word; all arcs of the tree are candidates.
  void run(const Parts &parts, const int *heads, const Rules &rules, double *confidence) {
    used_.assign(parts.nodes, -1);
    for (int m = 1; m < parts.nodes; ++m) used_[m] = parts.find(heads[m], m);
    if (rules.projective && sum_weights(parts, heads, rules)) return write(confidence);
    weights_ = parts.scaled(1 / rules.temperature);
    expected_ = weights_;
    if (rules.projective)
      sums_.run(weights_, rules.single_root, expected_);
    else
      beliefs_.run(weights_, rules.single_root, rules.rounds, expected_);
    arcs_.arc = expected_.arc;
    write(confidence);
  }

 private:
  // Not tuned: half of the exponents of a double: neither a product of two weights nor a quotient leaves its range.
  static constexpr double max_log_weight = 150, max_sum = 1e150;

  void write(double *confidence) const {
    for (int m = 1; m < weights_.nodes; ++m) confidence[m - 1] = std::clamp(arcs_.arc[used_[m]], 0.0, 1.0);
  }

  // False when weights are out of range.
  bool sum_weights(const Parts &parts, const int *heads, const Rules &rules) {
    weights_ = parts;
    for (int m = 1; m < parts.nodes; ++m) {
      const double own = scores_of_word(parts, heads, m);
      for (int k = parts.in_begin[m]; k < parts.in_begin[m + 1]; ++k) weights_.arc[parts.in_arc[k]] -= own;
    }
    if (!exponentiate(rules.temperature)) return false;
    const double total = chart_.inside(weights_, rules.single_root);
    if (!(total > 1 / max_sum && total < max_sum)) return false;
    arcs_.arc.assign(parts.arcs(), 0.0);
    chart_.expectations(arcs_);
    return std::all_of(arcs_.arc.begin(), arcs_.arc.end(), [](double share) { return std::isfinite(share); });
  }

  // The scores of the parts of the tree that are counted with word m.
  double scores_of_word(const Parts &parts, const int *heads, int m) const {
    const int e = used_[m], h = heads[m];
    double sum = parts.arc[e];
    if (parts.has_grand() && h > 0) sum += parts.grand(used_[h], e);
    if (!parts.has_transitions()) return sum;
    const int side = Parts::side_of(h, m);
    sum += parts.transition(side, last_before(parts, side, parts.rank_out(e)), parts.rank_out(e));
    for (int own = 2 * m; own < 2 * m + 2; ++own)
      sum += parts.transition(own, last_before(parts, own, parts.side_size(own)), parts.side_size(own));
    return sum;
  }

  // The state of a side after its last modifier in the tree before candidate q: 0 if there is none.
  int last_before(const Parts &parts, int side, int q) const {
    while (q > 0 && used_[parts.modifier[parts.side_begin[side] + q - 1]] != parts.side_begin[side] + q - 1) --q;
    return q;
  }

  // False when a weight is out of range.
  bool exponentiate(double temperature) {
    bool is_in_range = exponentiate(weights_.arc.data(), weights_.arc.size(), temperature) &&
                       exponentiate(weights_.grands.data(), weights_.grands.size(), temperature);
    for (int side = 0; weights_.has_transitions() && side < 2 * weights_.nodes; ++side)
      for (int p = 0, states = weights_.side_size(side) + 1; p < states && is_in_range; ++p)
        is_in_range = exponentiate(&weights_.transition(side, p, p), states - p, temperature);
    return is_in_range;
  }

  static bool exponentiate(double *scores, std::size_t count, double temperature) {
    double largest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double exponent = scores[k] / temperature;
      largest = std::max(largest, std::abs(exponent));
      scores[k] = std::exp(exponent);
    }
    return largest < max_log_weight;
  }

  Parts weights_{1, 0, nullptr, nullptr, nullptr}, expected_ = weights_;
  Parts arcs_ = weights_;  // no more than the expectations of arcs
  SecondOrderChart<Real> chart_;
  PartSums sums_;
  Beliefs beliefs_;
  std::vector<int> used_;  // the arc into each word of the tree
};

}  // namespace treewright
