// Scores of parts from weights, and the way back: the gradient of weights from that of parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "features.hpp"
#include "learning.hpp"
#include "part_sums.hpp"
#include "parts.hpp"
#include "scores.hpp"

namespace treewright {

// Weights as training has them, or as eight-bit multiples of a scale: a quarter of the memory traffic, and sums that
// are exact whatever the order of their terms.
template <typename Weight>
struct WeightTable {
  const Weight *data;
  double scale;
};

// Sums the weights that a part visits: two sums, so that one addition need not wait for the other.
template <typename Weight>
struct WeightSum {
  using Sum = std::conditional_t<std::is_integral_v<Weight>, std::int32_t, float>;
  explicit WeightSum(const WeightTable<Weight> &table) : table(table) {}
  void operator()(std::uint32_t i) { all += table.data[i]; }
  void operator()(std::uint32_t i, std::uint32_t j) {
    all += table.data[i];
    near += table.data[j];
  }
  double total() const { return table.scale * (double(all) + double(near)); }

  WeightTable<Weight> table;
  Sum all = 0, near = 0;
};

struct GradientSpread {
  Learner &learner;
  float gradient;
  void operator()(std::uint32_t i) { learner.add(i, gradient); }
  void operator()(std::uint32_t i, std::uint32_t j) {
    learner.add(i, gradient);
    learner.add(j, gradient);
  }
};

constexpr double smallest_gradient = 1e-3;  // parts that the model is this sure about teach it nothing

// Calls use(h, s, m, cell) for each sibling part and stop, s and m as PartFeatures wants them.
template <typename Use>
void for_transitions(const PartFeatures &features, Parts &parts, Use use) {
  for (int side = 1; side < 2 * parts.nodes; ++side) {  // side 0, the root's left, has no parts
    const int size = parts.side_size(side), *m = parts.modifier.data() + parts.side_begin[side];
    for (int p = 0; p <= size; ++p)
      for (int q = p; q <= size; ++q)
        use(side / 2, p == 0 ? features.start() : m[p - 1], q == size ? features.end() : m[q], side % 2 == 1,
            parts.transition(side, p, q));
  }
}

template <typename Use>
void for_grandparents(Parts &parts, Use use) {
  for (int upper = 0; upper < parts.arcs(); ++upper) {
    const int g = parts.head[upper], h = parts.modifier[upper];
    for (int lower = parts.out_begin(h); lower < parts.out_begin(h) + parts.out_size(h); ++lower)
      if (parts.modifier[lower] != g) use(g, h, parts.modifier[lower], parts.grand(upper, lower));
  }
}

template <typename Weight>
void score_parts(const PartFeatures &features, const WeightTable<Weight> &weights, Parts &parts) {
  for (int e = 0; e < parts.arcs(); ++e) {
    WeightSum<Weight> sum(weights);
    features.visit_arc(parts.head[e], parts.modifier[e], sum);
    parts.arc[e] = sum.total();
  }
  if (parts.has_transitions())
    for_transitions(features, parts, [&](int h, int s, int m, bool right, double &score) {
      WeightSum<Weight> sum(weights);
      features.visit_sibling(h, s, m, right, sum);
      score = sum.total();
    });
  if (parts.has_grand())
    for_grandparents(parts, [&](int g, int h, int m, double &score) {
      WeightSum<Weight> sum(weights);
      features.visit_grandparent(g, h, m, sum);
      score = sum.total();
    });
}

// `gradient` holds one number a part.
inline void spread_gradient(const PartFeatures &features, Parts &gradient, Learner &learner) {
  for (int e = 0; e < gradient.arcs(); ++e)
    if (std::abs(gradient.arc[e]) > smallest_gradient)
      features.visit_arc(gradient.head[e], gradient.modifier[e], GradientSpread{learner, float(gradient.arc[e])});
  if (gradient.has_transitions())
    for_transitions(features, gradient, [&](int h, int s, int m, bool right, double value) {
      if (std::abs(value) > smallest_gradient)
        features.visit_sibling(h, s, m, right, GradientSpread{learner, float(value)});
    });
  if (gradient.has_grand())
    for_grandparents(gradient, [&](int g, int h, int m, double value) {
      if (std::abs(value) > smallest_gradient)
        features.visit_grandparent(g, h, m, GradientSpread{learner, float(value)});
    });
}

// The gradient of log p(tree) by the score of each part, p being over the projective trees of the candidate arcs and,
// for models whose trees may cross, two more: the tree itself if it is not projective, and the best rival that is not.
// One rival stands for the many: a sum over all trees is out of reach with second-order parts.
class TreeGradient {
 public:
  // Returns -log p(tree) and writes the gradient in place of the scores of `gradient`, a copy of `parts`.
  // rival: the heads of a tree that is neither projective nor the tree itself, or null; it counts exp(crowd) times.
  double run(const Parts &parts, const int *heads, bool single_root, bool is_outside, const int *rival, double crowd,
             Parts &gradient) {
    const double projective = sums_.run(parts, single_root, gradient), value = parts.value(heads);
    const double other = rival ? parts.value(rival) + crowd : forbidden;
    const double highest = std::max({projective, is_outside ? value : forbidden, other});
    const double all = highest + std::log(std::exp(projective - highest) +
                                          (is_outside ? std::exp(value - highest) : 0) + std::exp(other - highest));
    const double share = std::exp(projective - all);
    for (std::vector<double> *scores : {&gradient.arc, &gradient.transitions, &gradient.grands})
      for (double &score : *scores) score *= -share;
    const double missing = is_outside ? 1 - std::exp(value - all) : 1;
    gradient.for_parts_of(heads, [missing](double &score) { score += missing; });
    if (rival) {
      const double excess = std::exp(other - all);
      gradient.for_parts_of(rival, [excess](double &score) { score -= excess; });
    }
    return all - value;
  }

 private:
  PartSums sums_;
};

// Every arc, as a matrix arc[h, m] over nodes.
template <typename Weight>
void score_all_arcs(const PartFeatures &features, const WeightTable<Weight> &weights, double *arc) {
  const int nodes = features.nodes();
  for (int h = 0; h < nodes; ++h)
    for (int m = 0; m < nodes; ++m, ++arc) {
      *arc = forbidden;
      if (m == 0 || m == h) continue;
      WeightSum<Weight> sum(weights);
      features.visit_arc(h, m, sum);
      *arc = sum.total();
    }
}

inline void spread_arc_gradient(const PartFeatures &features, const double *gradient, Learner &learner) {
  const int nodes = features.nodes();
  for (int h = 0; h < nodes; ++h)
    for (int m = 1; m < nodes; ++m) {
      const double value = gradient[std::size_t(h) * nodes + m];
      if (m != h && std::abs(value) > smallest_gradient)
        features.visit_arc(h, m, GradientSpread{learner, float(value)});
    }
}

}  // namespace treewright
