// The gradient of the weights of factors: counts of factors in trees, each tree times a coefficient.
//
// Two objectives use it. With several trees, the coefficients are those of a softmax over them (the caller's). In one
// tree, each word chooses its head among those that it could move to while all other words keep theirs, log-linear with
// a margin for wrong heads: the choices of hill climbing. In the gold tree this is pseudo-likelihood (Besag 1975); in
// the tree of the second-order parts it learns to correct that.
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

  // The choices of the heads of all words, each in a tree whose other words keep theirs; returns the sum over the words
  // of -log p(gold head). A word whose gold head is no choice there is left out. Scores of parts and factors are
  // divided by the temperature. A swap of the single root's modifier is right if both of its words get their gold
  // heads.
  template <typename Weight>
  double add_choices(const Parts &parts, FactorSentence &sentence, WeightTable<Weight> weights, TreeShape shape,
                     const int *heads, const int *gold, double temperature, double margin) {
    FactorGains<Weight> gains(sentence, weights, known_);
    tree_.reset(parts, shape, heads);
    gains.reset(parts.nodes, heads);
    double loss = 0;
    for (int m = 1; m < parts.nodes; ++m) {
      changes_.clear();
      right_ = heads[m] == gold[m] ? stays : nothing;
      tree_.each_change(m, [&](Change change) {
        if (change.gain.forbidden_parts > 0) return;
        change.gain.finite = (change.gain + tree_.gain_beside(change, gains)).finite / temperature;
        if (is_right(parts, change, gold)) right_ = int(changes_.size());
        changes_.push_back(change);
      });
      if (right_ != nothing && !changes_.empty()) loss += add_choice(parts, gains, margin);
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
  static constexpr int stays = -1, nothing = -2;  // in place of the number of the right change

  static bool is_right(const Parts &parts, const Change &change, const int *gold) {
    const auto has = [&](int arc) { return gold[parts.modifier[arc]] == parts.head[arc]; };
    return has(change.to) && (change.root_to < 0 || has(change.root_to));
  }

  // To stay has gain 0.
  template <typename Weight>
  double add_choice(const Parts &parts, FactorGains<Weight> &gains, double margin) {
    const double stay = right_ == stays ? 0 : margin;
    double highest = stay, sum = 0;
    for (int i = 0; i < int(changes_.size()); ++i) {
      if (i != right_) changes_[i].gain.finite += margin;
      highest = std::max(highest, changes_[i].gain.finite);
    }
    for (const Change &change : changes_) sum += std::exp(change.gain.finite - highest);
    const double log_sum = highest + std::log(sum + std::exp(stay - highest));
    for (int i = 0; i < int(changes_.size()); ++i) {
      const double coefficient = (i == right_) - std::exp(changes_[i].gain.finite - log_sum);
      if (std::abs(coefficient) > smallest_gradient) add_difference(parts, changes_[i], gains, coefficient);
    }
    return log_sum - (right_ == stays ? 0 : changes_[right_].gain.finite);
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

  int right_ = nothing;  // the number of the right change of a word
  FlatMap<double> counts_, known_;
  std::vector<FlatMap<double>::Key> keys_;
  std::vector<std::uint32_t> cells_;
  std::vector<Change> changes_;
  ClimbTree tree_;
};

}  // namespace treewright
