// Sums over all trees of a sentence: the log partition, the probability of each bracket and each tag.
//
// The sums are computed with weights first, after the score of each word was lowered by the mean score of the best
// tree, so that the total is at least 1. Weights below 1e-308 are lost then; they matter only beside outside weights of
// more than 1e150. Where such large weights occur the sums are computed again with logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "grammar/cky.hpp"

namespace treewright {

struct ChainLabels {
  const std::int32_t *begins, *labels;  // of each chain
  int count;                            // different labels
};

class CkySums {
 public:
  // Returns the log partition, -inf when there is no tree; adds to brackets [label, i, j] and sets tags [i,
  // preterminal].
  double compute(const ContextFreeRules &rules, const double *lexical, int words, const SpanConstraints &constraints,
                 const ChainLabels &labels, double *brackets, double *tags) {
    best_.inside(rules, lexical, words, constraints);
    if (!best_.has_tree()) return forbidden;
    const double shift = best_.total() / words;
    const std::size_t cells = std::size_t(labels.count) * (words + 1) * (words + 1);
    real_.inside(rules, lexical, words, constraints, shift);
    if (real_.largest_inside() < largest_weight && real_.total() >= 0.5) {
      if (real_.outside(labels.begins, labels.labels, brackets, tags) < largest_weight)
        return std::log(real_.total()) + shift * words;
      std::fill_n(brackets, cells, 0.0);
    }
    log_.inside(rules, lexical, words, constraints, shift);
    log_.outside(labels.begins, labels.labels, brackets, tags);
    return log_.total() + shift * words;
  }

 private:
  static constexpr double largest_weight = 1e150;
  CkyChart<MaxPlus> best_;
  CkyChart<Real> real_;
  CkyChart<LogSum> log_;
};

}  // namespace treewright
