// Scores of parts from weights, and the gradient of the weights from the gradient of the scores.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/prefetch.hpp"
#include "base/scores.hpp"
#include "learning/features.hpp"
#include "learning/learning.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Weights as floats, as in training, or as eight-bit multiples of a scale: a quarter of the memory traffic, and sums
// that are exact in any order.
template <typename Weight>
struct WeightTable {
  const Weight *data;
  double scale;
};

template <typename Weight>
double sum_of(const WeightTable<Weight> &table, const Cells &cells) {
  using Sum = std::conditional_t<std::is_integral_v<Weight>, std::int32_t, float>;
  Sum all = 0, near = 0;  // two sums, so that the additions do not depend on each other
  for (const std::uint32_t i : cells.pairs) all += table.data[i], near += table.data[i ^ cells.near];
  for (const std::uint32_t i : cells.singles) all += table.data[i];
  return table.scale * (double(all) + double(near));
}

template <typename Weight>
auto score_writer(const WeightTable<Weight> &table) {
  const auto write = [table](double *score, const Cells &cells) { *score = sum_of(table, cells); };
  return PrefetchQueue<Weight, double *, decltype(write)>(table.data, write);
}

inline auto gradient_writer(Learner &learner) {
  const auto spread = [&learner](float gradient, const Cells &cells) {
    for (const std::uint32_t i : cells.pairs) learner.add(i, gradient), learner.add(i ^ cells.near, gradient);
    for (const std::uint32_t i : cells.singles) learner.add(i, gradient);
  };
  return PrefetchQueue<float, float, decltype(spread)>(learner.gradient(), spread);
}

constexpr double smallest_gradient = 1e-3;  // not tuned: smaller gradients of parts are ignored, to save time

// Calls use(h, s, m, right, score) for each sibling part and stop; s and m as PartFeatures::visit_sibling takes them.
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
  auto sums = score_writer(weights);
  for (int e = 0; e < parts.arcs(); ++e)
    sums.add(&parts.arc[e], [&](auto use) { features.visit_arc(parts.head[e], parts.modifier[e], use); });
  if (parts.has_transitions())
    for_transitions(features, parts, [&](int h, int s, int m, bool right, double &score) {
      sums.add(&score, [&](auto use) { features.visit_sibling(h, s, m, right, use); });
    });
  if (parts.has_grand())
    for_grandparents(parts, [&](int g, int h, int m, double &score) {
      sums.add(&score, [&](auto use) { features.visit_grandparent(g, h, m, use); });
    });
  sums.finish();
}

// Adds the gradient of the parts, stored in place of their scores, to that of the weights.
inline void spread_gradient(const PartFeatures &features, Parts &gradient, Learner &learner) {
  auto spread = gradient_writer(learner);
  const auto add = [&](double value, auto visit) {
    if (std::abs(value) > smallest_gradient) spread.add(float(value), visit);
  };
  for (int e = 0; e < gradient.arcs(); ++e)
    add(gradient.arc[e], [&](auto use) { features.visit_arc(gradient.head[e], gradient.modifier[e], use); });
  if (gradient.has_transitions())
    for_transitions(features, gradient, [&](int h, int s, int m, bool right, double value) {
      add(value, [&](auto use) { features.visit_sibling(h, s, m, right, use); });
    });
  if (gradient.has_grand())
    for_grandparents(gradient, [&](int g, int h, int m, double value) {
      add(value, [&](auto use) { features.visit_grandparent(g, h, m, use); });
    });
  spread.finish();
}

// Every arc, as a matrix arc[h, m] over nodes.
template <typename Weight>
void score_all_arcs(const PartFeatures &features, const WeightTable<Weight> &weights, double *arc) {
  const int nodes = features.nodes();
  auto sums = score_writer(weights);
  for (int h = 0; h < nodes; ++h)
    for (int m = 0; m < nodes; ++m, ++arc) {
      *arc = forbidden;
      if (m != 0 && m != h) sums.add(arc, [&](auto use) { features.visit_arc(h, m, use); });
    }
  sums.finish();
}

inline void spread_arc_gradient(const PartFeatures &features, const double *gradient, Learner &learner) {
  const int nodes = features.nodes();
  auto spread = gradient_writer(learner);
  for (int h = 0; h < nodes; ++h)
    for (int m = 1; m < nodes; ++m) {
      const double value = gradient[std::size_t(h) * nodes + m];
      if (m != h && std::abs(value) > smallest_gradient)
        spread.add(float(value), [&](auto use) { features.visit_arc(h, m, use); });
    }
  spread.finish();
}

}  // namespace treewright
