// Gradients of training objectives with respect to the scores of parts, written in place of the scores: log-linear
// models (CRF), and differences of the parts of two trees for perceptron, MIRA and passive-aggressive updates.
// Scorers turn them into gradients of weights (scoring.hpp).
//
// A tree may be partial: heads[m] is -1 where the head of a word is open. The objective is then the log probability of
// all trees that have the other heads, and its gradient the expected counts over these trees minus those over all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/scores.hpp"
#include "charts/inside_outside.hpp"
#include "charts/part_sums.hpp"
#include "dual/automata.hpp"
#include "dual/belief_propagation.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

inline void clear_scores(Parts &parts) {
  for (std::vector<double> *scores : {&parts.arc, &parts.transitions, &parts.grands})
    std::fill(scores->begin(), scores->end(), 0.0);
}

inline void change_sign(Parts &parts) {
  for (std::vector<double> *scores : {&parts.arc, &parts.transitions, &parts.grands})
    for (double &score : *scores) score = -score;
}

// Whether some word has no head.
inline bool is_partial(const int *heads, int nodes) {
  return std::any_of(heads + 1, heads + nodes, [](int head) { return head < 0; });
}

// The arcs of the trees that have the heads given.
inline std::vector<int> agreeing_arcs(const Parts &parts, const int *heads) {
  std::vector<int> arcs;
  for (int e = 0; e < parts.arcs(); ++e)
    if (heads[parts.modifier[e]] < 0 || heads[parts.modifier[e]] == parts.head[e]) arcs.push_back(e);
  return arcs;
}

// Turns expected counts of parts into the counts of the tree minus the expected counts.
inline void subtract_from_tree(const int *heads, Parts &expected) {
  change_sign(expected);
  expected.for_parts_of(heads, [](double &score) { score += 1; });
}

// Turns expected counts over all trees into those over the trees that have the heads given minus those over all.
inline void subtract_from_agreeing(const std::vector<int> &arcs, Parts &agreeing, Parts &expected) {
  change_sign(expected);
  Parts::for_restricted(expected, agreeing, arcs, [](double &score, double count) { score += count; });
}

// The first-order log-linear model over all arcs of a sentence.
class ArcGradient {
 public:
  // Writes the gradient of log p(tree) by arc[h, m] and returns the expected number of wrong heads. A partial tree that
  // fits no projective tree is compared with all trees that have its heads.
  double run(const double *arc, int nodes, const int *heads, bool projective, bool single_root, double *gradient) {
    const std::size_t count = std::size_t(nodes) * nodes;
    if (projective)
      projective_.marginals(arc, nodes, single_root, gradient);
    else
      nonprojective_.marginals(arc, nodes, single_root, gradient);
    for (std::size_t i = 0; i < count; ++i) gradient[i] = -gradient[i];
    double wrong = 0;
    if (!is_partial(heads, nodes)) {
      for (int m = 1; m < nodes; ++m) wrong += gradient[std::size_t(heads[m]) * nodes + m] += 1;
      return wrong;
    }
    add_agreeing(arc, nodes, heads, projective, single_root, gradient);
    for (int m = 1; m < nodes; ++m)
      if (heads[m] >= 0) wrong += gradient[std::size_t(heads[m]) * nodes + m];
    return wrong;
  }

 private:
  // Adds the marginals over the trees that have the heads given.
  void add_agreeing(const double *arc, std::size_t nodes, const int *heads, bool projective, bool single_root,
                    double *gradient) {
    agreeing_.assign(arc, arc + nodes * nodes);
    marginals_.resize(nodes * nodes);
    for (std::size_t h = 0; h < nodes; ++h)
      for (std::size_t m = 1; m < nodes; ++m)
        if (heads[m] >= 0 && heads[m] != int(h)) agreeing_[h * nodes + m] = forbidden;
    double log_sum = forbidden;
    if (projective) log_sum = projective_.marginals(agreeing_.data(), int(nodes), single_root, marginals_.data());
    if (log_sum == forbidden) nonprojective_.marginals(agreeing_.data(), int(nodes), single_root, marginals_.data());
    for (std::size_t i = 0; i < marginals_.size(); ++i) gradient[i] += marginals_[i];
  }

  std::vector<double> agreeing_, marginals_;  // scores and marginals of the trees that have the heads given
  InsideOutside projective_;
  MatrixTree nonprojective_;
};

// The gradient of log p(tree) by the score of each part, where p is a distribution over the projective trees of the
// candidate arcs and, with `is_outside`, the tree itself, which is not one of them. Returns -log p(tree). `gradient`
// is a copy of `parts` whose scores are overwritten.
//
// Of a partial tree, which some projective tree of the candidate arcs must contain: the gradient of the log probability
// of all trees that contain it. Returns infinity, with a gradient of zero, when there is none.
inline double projective_gradient(PartSums &kernel, const Parts &parts, const int *heads, bool single_root,
                                  bool is_outside, Parts &gradient) {
  if (is_partial(heads, parts.nodes)) {
    const std::vector<int> arcs = agreeing_arcs(parts, heads);
    const Parts agreeing = parts.restricted(arcs);
    Parts expected = agreeing;
    const double decided = kernel.run(agreeing, single_root, expected);
    if (decided == forbidden) return clear_scores(gradient), -forbidden;
    const double all = kernel.run(parts, single_root, gradient);
    subtract_from_agreeing(arcs, expected, gradient);
    return all - decided;
  }
  const double projective = kernel.run(parts, single_root, gradient), value = parts.value(heads);
  subtract_from_tree(heads, gradient);
  if (!is_outside) return projective - value;
  const double highest = std::max(projective, value);
  const double all = highest + std::log(std::exp(projective - highest) + std::exp(value - highest));
  const double share = std::exp(projective - all);  // the probability of the projective trees: 1 - p(tree)
  for (std::vector<double> *scores : {&gradient.arc, &gradient.transitions, &gradient.grands})
    for (double &score : *scores) score *= share;
  return all - value;
}

// The gradient over all trees, with the beliefs of loopy belief propagation as expected counts. Returns the expected
// number of wrong heads, since the log partition is not known.
inline double nonprojective_gradient(Beliefs &kernel, const Parts &parts, const int *heads, bool single_root,
                                     int rounds, Parts &gradient) {
  kernel.run(parts, single_root, rounds, gradient);
  if (is_partial(heads, parts.nodes)) {
    const std::vector<int> arcs = agreeing_arcs(parts, heads);
    const Parts agreeing = parts.restricted(arcs);
    Parts expected = agreeing;
    kernel.run(agreeing, single_root, rounds, expected);
    const bool has_tree = std::any_of(expected.arc.begin(), expected.arc.end(), [](double p) { return p > 0; });
    if (!has_tree) return clear_scores(gradient), -forbidden;
    subtract_from_agreeing(arcs, expected, gradient);
  } else {
    subtract_from_tree(heads, gradient);
  }
  double wrong = 0;
  for (int e = 0; e < gradient.arcs(); ++e)
    if (heads[gradient.modifier[e]] == gradient.head[e]) wrong += gradient.arc[e];
  return wrong;
}

// The counts of the parts of one tree minus those of another. All arcs of both must be candidates.
inline void tree_difference(const int *heads, const int *others, Parts &gradient) {
  clear_scores(gradient);
  gradient.for_parts_of(heads, [](double &score) { score += 1; });
  gradient.for_parts_of(others, [](double &score) { score -= 1; });
}

// The counts of the parts of a tree minus those of the best state sequence of each head automaton. The automata are
// decoded independently, so that their choices need not form a tree: each chooses its modifiers and, with
// grandparents, its own head (Koo et al. 2010, section 6). Returns how many arcs of the tree no automaton chose.
class AutomataDifference {
 public:
  double run(const Parts &parts, const int *heads, Parts &gradient) {
    clear_scores(gradient);
    gradient.for_parts_of(heads, [](double &score) { score += 1; });
    chosen_.resize(parts.arcs());
    for (int h = 0; h < parts.nodes; ++h) {
      const int upper = decode(parts, h);
      for (int side = std::max(1, 2 * h); side < 2 * h + 2; ++side) subtract(side, upper, gradient);
    }
    double missed = 0;
    for (int m = 1; m < parts.nodes; ++m) missed += !chosen_[parts.find(heads[m], m)];
    return missed;
  }

 private:
  // Marks the chosen modifiers of h and returns the arc from its chosen head, -1 without grandparents.
  int decode(const Parts &parts, int h) {
    if (parts.has_grand() && h > 0 && parts.out_size(h) > 0) {
      int upper = -1;
      automaton_.decode(automaton_head(parts, h, parts.arc.data(), nullptr), &upper,
                        chosen_.data() + parts.out_begin(h));
      return parts.in_arc[parts.in_begin[h] + upper];
    }
    for (int side = 2 * h; side < 2 * h + 2; ++side)
      side_.decode(automaton_side(parts, side, parts.arc.data()), chosen_.data() + parts.side_begin[side]);
    return -1;
  }

  void subtract(int side, int upper, Parts &gradient) const {
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

// Loss-augmented scores: each arc that the tree does not have gets `margin` more; arcs of open words stay as they are.
inline void add_margin(const int *heads, double margin, Parts &parts) {
  for (int e = 0; e < parts.arcs(); ++e)
    if (heads[parts.modifier[e]] >= 0 && heads[parts.modifier[e]] != parts.head[e]) parts.arc[e] += margin;
}

}  // namespace treewright
