// Scores of parts from weights, and the way back: the gradient of weights from that of parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/prefetch.hpp"
#include "base/scores.hpp"
#include "charts/part_sums.hpp"
#include "dual/automata.hpp"
#include "dual/belief_propagation.hpp"
#include "learning/features.hpp"
#include "learning/learning.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Weights as training has them, or as eight-bit multiples of a scale: a quarter of the memory traffic, and sums that
// are exact whatever the order of their terms.
template <typename Weight>
struct WeightTable {
  const Weight *data;
  double scale;
};

template <typename Weight>
double sum_of(const WeightTable<Weight> &table, const Cells &cells) {
  using Sum = std::conditional_t<std::is_integral_v<Weight>, std::int32_t, float>;
  Sum all = 0, near = 0;  // two sums, so that one addition need not wait for the other
  for (const std::uint32_t i : cells.pairs) all += table.data[i], near += table.data[i ^ cells.near];
  for (const std::uint32_t i : cells.singles) all += table.data[i];
  return table.scale * (double(all) + double(near));
}

template <typename Weight>
auto sums_ahead(const WeightTable<Weight> &table) {
  const auto write = [table](double *score, const Cells &cells) { *score = sum_of(table, cells); };
  return OneAhead<Weight, double *, decltype(write)>(table.data, write);
}

inline auto gradients_ahead(Learner &learner) {
  const auto spread = [&learner](float gradient, const Cells &cells) {
    for (const std::uint32_t i : cells.pairs) learner.add(i, gradient), learner.add(i ^ cells.near, gradient);
    for (const std::uint32_t i : cells.singles) learner.add(i, gradient);
  };
  return OneAhead<float, float, decltype(spread)>(learner.gradient(), spread);
}

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
  auto sums = sums_ahead(weights);
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

// `gradient` holds one number a part.
inline void spread_gradient(const PartFeatures &features, Parts &gradient, Learner &learner) {
  auto spread = gradients_ahead(learner);
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

inline void clear_scores(Parts &parts) {
  for (std::vector<double> *scores : {&parts.arc, &parts.transitions, &parts.grands})
    std::fill(scores->begin(), scores->end(), 0.0);
}

// Turns expectations into what the parts of a tree have more of.
inline void subtract_from(const int *heads, Parts &expected) {
  for (std::vector<double> *scores : {&expected.arc, &expected.transitions, &expected.grands})
    for (double &score : *scores) score = -score;
  expected.for_parts_of(heads, [](double &score) { score += 1; });
}

// The gradient of log p(tree) by the score of each part, p being over the projective trees of the candidate arcs and
// the tree itself, if it is not one of them. Returns -log p(tree) and writes the gradient in place of the scores of
// `gradient`, a copy of `parts`.
inline double projective_gradient(PartSums &kernel, const Parts &parts, const int *heads, bool single_root,
                                  bool is_outside, Parts &gradient) {
  const double projective = kernel.run(parts, single_root, gradient), value = parts.value(heads);
  subtract_from(heads, gradient);
  if (!is_outside) return projective - value;
  const double highest = std::max(projective, value);
  const double all = highest + std::log(std::exp(projective - highest) + std::exp(value - highest));
  const double share = std::exp(projective - all);  // of the projective trees, and hence what the tree lacks
  for (std::vector<double> *scores : {&gradient.arc, &gradient.transitions, &gradient.grands})
    for (double &score : *scores) score *= share;
  return all - value;
}

// The same over all trees, with beliefs for expectations; returns how many heads the model expects to miss.
inline double crossing_gradient(Beliefs &kernel, const Parts &parts, const int *heads, bool single_root, int rounds,
                                Parts &gradient) {
  kernel.run(parts, single_root, rounds, gradient);
  subtract_from(heads, gradient);
  double missed = 0;
  for (int e = 0; e < gradient.arcs(); ++e)
    if (heads[gradient.modifier[e]] == gradient.head[e]) missed += gradient.arc[e];
  return missed;
}

// What the parts of a tree have more of than those of another. Both have candidate arcs alone.
inline void difference(const int *heads, const int *others, Parts &gradient) {
  clear_scores(gradient);
  gradient.for_parts_of(heads, [](double &score) { score += 1; });
  gradient.for_parts_of(others, [](double &score) { score -= 1; });
}

// What the parts of a tree have more of than the best choice of every head by itself, which need not make a tree
// together: each takes modifiers, and with grandparents the head that suits it (Koo et al. 2010, section 6). Returns
// how many arcs of the tree nobody chose.
class FreeChoice {
 public:
  double difference(const Parts &parts, const int *heads, Parts &gradient) {
    clear_scores(gradient);
    gradient.for_parts_of(heads, [](double &score) { score += 1; });
    chosen_.resize(parts.arcs());
    for (int h = 0; h < parts.nodes; ++h) {
      int upper = -1;
      char *chosen = chosen_.data() + parts.out_begin(h);
      if (parts.has_grand() && h > 0 && parts.out_size(h) > 0) {
        automaton_.decode(automaton_head(parts, h, parts.arc.data(), nullptr), &upper, chosen);
        upper = parts.in_arc[parts.in_begin[h] + upper];
      } else {
        for (int side = 2 * h; side < 2 * h + 2; ++side)
          side_.decode(automaton_side(parts, side, parts.arc.data()), chosen_.data() + parts.side_begin[side]);
      }
      for (int side = std::max(1, 2 * h); side < 2 * h + 2; ++side) take(side, upper, gradient);
    }
    double missed = 0;
    for (int m = 1; m < parts.nodes; ++m) missed += !chosen_[parts.find(heads[m], m)];
    return missed;
  }

 private:
  void take(int side, int upper, Parts &gradient) {
    int last = 0;
    for (int q = 0; q < gradient.side_size(side); ++q) {
      const int e = gradient.side_begin[side] + q;
      if (!chosen_[e]) continue;
      gradient.arc[e] -= 1;
      if (gradient.has_transitions()) gradient.transition(side, last, q) -= 1;
      if (upper >= 0) gradient.grand(upper, e) -= 1;
      last = q + 1;
    }
    if (gradient.has_transitions()) gradient.transition(side, last, gradient.side_size(side)) -= 1;
  }

  SiblingAutomaton side_;
  GrandAutomaton automaton_;
  std::vector<char> chosen_;
};

// Every arc, as a matrix arc[h, m] over nodes.
template <typename Weight>
void score_all_arcs(const PartFeatures &features, const WeightTable<Weight> &weights, double *arc) {
  const int nodes = features.nodes();
  auto sums = sums_ahead(weights);
  for (int h = 0; h < nodes; ++h)
    for (int m = 0; m < nodes; ++m, ++arc) {
      *arc = forbidden;
      if (m != 0 && m != h) sums.add(arc, [&](auto use) { features.visit_arc(h, m, use); });
    }
  sums.finish();
}

inline void spread_arc_gradient(const PartFeatures &features, const double *gradient, Learner &learner) {
  const int nodes = features.nodes();
  auto spread = gradients_ahead(learner);
  for (int h = 0; h < nodes; ++h)
    for (int m = 1; m < nodes; ++m) {
      const double value = gradient[std::size_t(h) * nodes + m];
      if (m != h && std::abs(value) > smallest_gradient)
        spread.add(float(value), [&](auto use) { features.visit_arc(h, m, use); });
    }
  spread.finish();
}

}  // namespace treewright
