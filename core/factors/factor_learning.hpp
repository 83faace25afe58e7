// The gradient of the weights of factors: counts of factors in trees, each tree times a coefficient.
//
// Two objectives use it. With several trees, the coefficients are the caller's. In the gold tree, each word chooses its
// head among those that it could move to while all other words keep theirs, log-linear with a margin for wrong heads:
// the choices of hill climbing, which makes it pseudo-likelihood (Besag 1975).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "factors/factor_climb.hpp"
#include "learning/learning.hpp"

namespace treewright {

class FactorGradient {
 public:
  void clear() { counts_.clear(), keys_.clear(); }

  void add(const Factor &factor, double coefficient) {
    const auto [count, is_new] = counts_.emplace(factor.key());
    if (is_new) keys_.push_back(factor.key());
    *count += coefficient;
  }

  void add_tree(FactorSentence &sentence, const int *heads, double coefficient) {
    sentence.visit(heads, [&](const Factor &factor) { add(factor, coefficient); });
  }

  // The choices of the heads of all words in the gold tree; returns the sum over the words of -log p(gold head).
  template <typename Weight>
  double add_choices(const Parts &parts, FactorSentence &sentence, WeightTable<Weight> weights, TreeShape shape,
                     const int *gold, double margin) {
    FactorGains<Weight> gains(sentence, weights, known_);
    tree_.reset(parts, shape, gold);
    gains.reset(parts.nodes, gold);
    double loss = 0;
    for (int m = 1; m < parts.nodes; ++m) {
      changes_.clear();
      tree_.each_change(m, [&](Change change) {
        if (change.gain.forbidden_parts > 0) return;
        change.gain.finite = (change.gain + tree_.gain_beside(change, gains)).finite;
        changes_.push_back(change);
      });
      if (!changes_.empty()) loss += add_choice(parts, gains, margin);
    }
    return loss;
  }

  // Adds the gradient of the weights to the learner.
  void spread(const FactorFeatures &features, Learner &learner) {
    for (const auto key : keys_) {
      const Factor factor = Factor::of(key);
      const double count = *counts_.emplace(key).first * features.value(factor);
      if (std::abs(count) <= smallest_gradient) continue;
      features.list(factor, cells_);
      for (const std::uint32_t i : cells_) learner.add(i, float(count));
    }
  }

 private:
  // To keep the gold head has gain 0.
  template <typename Weight>
  double add_choice(const Parts &parts, FactorGains<Weight> &gains, double margin) {
    double highest = 0, sum = 0;
    for (Change &change : changes_) {
      change.gain.finite += margin;
      highest = std::max(highest, change.gain.finite);
    }
    for (const Change &change : changes_) sum += std::exp(change.gain.finite - highest);
    const double log_sum = highest + std::log(sum + std::exp(-highest));
    for (const Change &change : changes_) {
      const double coefficient = -std::exp(change.gain.finite - log_sum);
      if (std::abs(coefficient) > smallest_gradient) add_difference(parts, change, gains, coefficient);
    }
    return log_sum;
  }

  template <typename Weight>
  void add_difference(const Parts &parts, const Change &change, FactorGains<Weight> &gains, double coefficient) {
    const auto count = [&](const Factor &factor, double sign) { add(factor, coefficient * sign); };
    const int m = parts.modifier[change.to], h = parts.head[change.to];
    if (change.root_to < 0)
      gains.visit_difference({{m, h}}, count);
    else
      gains.visit_difference({{m, 0}, {parts.modifier[change.root_to], parts.head[change.root_to]}}, count);
  }

  FlatMap<double> counts_, known_;
  std::vector<FlatMap<double>::Key> keys_;
  std::vector<std::uint32_t> cells_;
  std::vector<Change> changes_;
  ClimbTree tree_;
};

}  // namespace treewright
