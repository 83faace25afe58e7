// The DMV (dependency model with valence) over tags: expected counts, best trees and counts of given trees
// for a whole corpus. One table a parameter; dmv.hpp does the work on each sentence.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "charts/dmv.hpp"

namespace treewright {

// Parameters, or counts of the same shape. Tags are 0..tags - 1; side 0 is left; v = 0: no modifier there yet.
struct DmvTables {
  int tags;
  double *root;    // [t]
  double *stop;    // [t, side, v]
  double *go;      // [t, side, v]
  double *attach;  // [head tag, side, modifier tag]

  double *attach_at(int head, int side, int modifier) const {
    return attach + (std::size_t(head) * 2 + side) * tags + modifier;
  }
};

// The constraints on a structure, and the length bias of its arcs.
struct DmvLimits {
  int depth = 0, chunk = 0;               // depth 0: no bound
  const bool *leaf = nullptr;             // [t], tags that take no modifiers
  const double *length_weight = nullptr;  // factor of an arc over k words, k = 1 .. lengths; the last serves beyond
  int lengths = 0;
};

class DmvCorpus {
 public:
  DmvCorpus(const DmvTables &tables, const DmvLimits &limits) : tables_(tables), limits_(limits) {}

  // Adds the expected counts of one sentence; returns its log likelihood, -inf when no tree is allowed.
  double expect(const std::int32_t *tags, int words, DmvTables &counts) {
    weigh(tags, words, scale_);
    double value = sum_.inside(weights_, limits_.depth, limits_.chunk);
    if (!(value > 1e-250 && value < 1e250)) {  // scale by the best tree's share a word, and try again
      const double best = decode(tags, words, nullptr, nullptr);
      if (!std::isfinite(best)) return best;
      const double scale = std::exp(-best / words);
      weigh(tags, words, scale);
      value = sum_.inside(weights_, limits_.depth, limits_.chunk);
      return collect(tags, words, counts, value, scale);
    }
    return collect(tags, words, counts, value, scale_);
  }

  // The best tree of one sentence and its log value; `extra` ([h, m], may be null) is added to each arc's log weight.
  double decode(const std::int32_t *tags, int words, const double *extra, int *heads) {
    weigh(tags, words, 1.0);
    for (std::vector<double> *weights : {&weights_.arc, &weights_.stop, &weights_.go})
      for (double &weight : *weights) weight = std::log(weight);
    if (extra)
      for (std::size_t i = 0; i < weights_.arc.size(); ++i) weights_.arc[i] += extra[i];
    const double value = max_.inside(weights_, limits_.depth, limits_.chunk);
    if (heads && std::isfinite(value)) max_.backtrace(heads);
    return value;
  }

  // Adds the events of one given tree (heads[0] = -1).
  static void count(const std::int32_t *tags, int words, const int *heads, DmvTables &counts) {
    for (int h = 1; h <= words; ++h) {
      const int t = tags[h - 1];
      if (heads[h] == 0) counts.root[t] += 1;
      for (int side = 0; side < 2; ++side) {
        const int step = side == 0 ? -1 : 1;
        bool inside = false;
        for (int m = h + step; m >= 1 && m <= words; m += step) {
          if (heads[m] != h) continue;
          counts.go[DmvWeights::side_at(t, side, inside)] += 1;
          *counts.attach_at(t, side, tags[m - 1]) += 1;
          inside = true;
        }
        counts.stop[DmvWeights::side_at(t, side, inside)] += 1;
      }
    }
  }

 private:
  double length_weight(int length) const {
    return limits_.lengths == 0 ? 1.0 : limits_.length_weight[std::min(length, limits_.lengths) - 1];
  }

  // Function words may take no modifiers, unless the sentence has nothing else.
  bool leaves_apply(const std::int32_t *tags, int words) const {
    if (!limits_.leaf) return false;
    for (int i = 0; i < words; ++i)
      if (!limits_.leaf[tags[i]]) return true;
    return false;
  }

  void weigh(const std::int32_t *tags, int words, double scale) {
    const bool leaves = leaves_apply(tags, words);
    weights_.resize(words);
    for (int h = 1; h <= words; ++h) {
      const int t = tags[h - 1];
      weights_.arc[weights_.arc_at(0, h)] = tables_.root[t] * scale;
      for (int k = 0; k < 4; ++k) {
        weights_.stop[std::size_t(h) * 4 + k] = tables_.stop[std::size_t(t) * 4 + k];
        weights_.go[std::size_t(h) * 4 + k] = leaves && limits_.leaf[t] ? 0 : tables_.go[std::size_t(t) * 4 + k];
      }
      for (int m = 1; m <= words; ++m)
        if (m != h)
          weights_.arc[weights_.arc_at(h, m)] =
              *tables_.attach_at(t, m > h, tags[m - 1]) * length_weight(std::abs(h - m)) * scale;
    }
  }

  double collect(const std::int32_t *tags, int words, DmvTables &counts, double value, double scale) {
    if (!(value > 0)) return forbidden;
    expected_.resize(words);
    sum_.outside(expected_, 1.0);
    for (int h = 1; h <= words; ++h) {
      const int t = tags[h - 1];
      counts.root[t] += expected_.arc[expected_.arc_at(0, h)];
      for (int k = 0; k < 4; ++k) {
        counts.stop[std::size_t(t) * 4 + k] += expected_.stop[std::size_t(h) * 4 + k];
        counts.go[std::size_t(t) * 4 + k] += expected_.go[std::size_t(h) * 4 + k];
      }
      for (int m = 1; m <= words; ++m)
        if (m != h) *counts.attach_at(t, m > h, tags[m - 1]) += expected_.arc[expected_.arc_at(h, m)];
    }
    return std::log(value) - words * std::log(scale);
  }

  static constexpr double scale_ = 20;  // about one over a typical share of an arc; every tree has one arc a word
  DmvTables tables_;
  DmvLimits limits_;
  DmvWeights weights_, expected_;
  Dmv<Real> sum_;
  Dmv<MaxPlus> max_;
};

}  // namespace treewright
