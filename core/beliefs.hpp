// Expectations of second-order parts over all trees, crossing or not, by loopy belief propagation (Smith & Eisner
// 2008).
//
// No exact sum is to be had: the best tree alone is NP-hard. But two kinds of sums are easy: over trees with arc scores
// (matrix_tree.hpp), and over what one head may take, its own head and the modifiers of either side, with sibling, stop
// and grandparent scores (a head automaton with sums in place of maxima). They tell each other, arc by arc, the log
// odds of that arc which they see and the other does not:
//
//   leaving(e)  = log odds of P_h(e) - log odds of e told to h        the automaton of e's head; it takes e or does not
//   entering(e) = log P_m(e) - log probability of e told to m         the automaton of e's modifier; it has one head
//   told to h   = P_tree(e) without what h itself said of it          P_tree: weights arc(e) + leaving(e) + entering(e)
//
// Where only arcs have scores the tree alone is asked, and exact; otherwise a few rounds come close. The gradient of
// the log-linear model takes these beliefs for expectations.
//
// Cost of a round: O(n^3), and with k candidate heads a word O(n k^3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "matrix_tree.hpp"
#include "parts.hpp"
#include "scores.hpp"

namespace treewright {

class Beliefs {
 public:
  // Writes the belief in each part in the place of the scores of `expected`, a copy of `parts`, which must have a tree.
  void run(const Parts &parts, bool single_root, int rounds, Parts &expected) {
    parts_ = &parts, out_ = &expected;
    leaving_.assign(parts.arcs(), 0.0), entering_.assign(parts.arcs(), 0.0);
    belief_.resize(parts.arcs()), told_head_.resize(parts.arcs()), told_modifier_.resize(parts.arcs());
    heard_head_.assign(parts.arcs(), 2 * surest), heard_modifier_.assign(parts.arcs(), 2 * surest);
    const bool has_heads = parts.has_transitions() || parts.has_grand();
    for (int round = 0; has_heads && round < rounds; ++round) {
      ask_tree(single_root);
      bool is_news = false;
      is_first_ = round == 0;
      for (int h = 0; h < parts.nodes; ++h)
        if (round == 0 || hears(h)) is_news = true, ask_head(h);
      if (!is_news) break;
    }
    ask_tree(single_root);
    expected.arc = belief_;
  }

 private:
  static constexpr double surest = 20;           // log odds beyond which nobody need be told
  static constexpr double worth_telling = 0.01;  // a change of log odds

  static double kept(double message) { return std::clamp(message, -surest, surest); }
  // A message goes half of the way from what was said before, so that two who answer each other come to rest.
  void tell(double &message, double news) const { message = is_first_ ? kept(news) : (message + kept(news)) / 2; }
  static double log_ratio(double on, double off) {
    return std::log(std::max(on, 1e-300)) - std::log(std::max(off, 1e-300));
  }

  void ask_tree(bool single_root) {
    const std::size_t nodes = parts_->nodes;
    arc_.assign(nodes * nodes, forbidden), marginal_.resize(nodes * nodes);
    for (int e = 0; e < parts_->arcs(); ++e)
      arc_[parts_->head[e] * nodes + parts_->modifier[e]] = parts_->arc[e] + leaving_[e] + entering_[e];
    trees_.marginals(arc_.data(), parts_->nodes, single_root, marginal_.data());
    for (int m = 1; m < parts_->nodes; ++m) {
      double sum = 0;
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        sum += belief_[e] = marginal_[parts_->head[e] * nodes + m];
      }
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        told_head_[e] = kept(log_ratio(belief_[e], sum - belief_[e]) - leaving_[e]);
        told_modifier_[e] = kept(log_ratio(belief_[e], sum) - entering_[e]);
      }
    }
  }

  // Whether something that h was told has changed since it was asked.
  bool hears(int h) const {
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      if (std::abs(told_head_[e] - heard_head_[e]) > worth_telling) return true;
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1] && parts_->has_grand(); ++k)
      if (std::abs(told_modifier_[parts_->in_arc[k]] - heard_modifier_[parts_->in_arc[k]]) > worth_telling) return true;
    return false;
  }

  // Notes what h is told and takes back what it answered before.
  void listen(int h) {
    for (int side = 2 * h; side < 2 * h + 2 && parts_->has_transitions(); ++side)
      std::fill(out_->transitions.begin() + std::ptrdiff_t(out_->transition_begin[side]),
                out_->transitions.begin() + std::ptrdiff_t(out_->transition_begin[side + 1]), 0.0);
    if (parts_->has_grand())
      std::fill(out_->grands.begin() + std::ptrdiff_t(out_->grand_begin[h]),
                out_->grands.begin() + std::ptrdiff_t(out_->grand_begin[h + 1]), 0.0);
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      heard_head_[e] = told_head_[e];
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1]; ++k)
      heard_modifier_[parts_->in_arc[k]] = told_modifier_[parts_->in_arc[k]];
  }

  // The automaton of h for each arc into it: what all its choices weigh, and the expectation of every part.
  void ask_head(int h) {
    listen(h);
    const bool has_grand = parts_->has_grand() && h > 0;
    const int states = has_grand ? parts_->in_size(h) : 1, begin = parts_->out_begin(h), size = parts_->out_size(h);
    const auto into = [&](int k) { return has_grand ? parts_->in_arc[parts_->in_begin[h] + k] : -1; };
    weight_.assign(states, 0.0), taken_.assign(size, 0.0), chance_.clear();
    for (int k = 0; k < states; ++k) {
      if (has_grand) weight_[k] = told_modifier_[into(k)];
      for (int side = 2 * h; side < 2 * h + 2; ++side) weight_[k] += sum_side(side, into(k));
    }
    const double best = *std::max_element(weight_.begin(), weight_.end());
    double sum = 0;
    for (double &weight : weight_) sum += weight = std::exp(weight - best);
    const double *chance = chance_.data();
    for (int k = 0; k < states; ++k) {
      if (has_grand) tell(entering_[into(k)], log_ratio(weight_[k], sum) - told_modifier_[into(k)]);
      for (int side = 2 * h; side < 2 * h + 2; ++side) chance = weigh_side(side, into(k), weight_[k] / sum, chance);
    }
    for (int q = 0; q < size; ++q)
      tell(leaving_[begin + q], log_ratio(taken_[q], 1 - taken_[q]) - told_head_[begin + q]);
  }

  double step(int side, int p, int q) const { return parts_->has_transitions() ? parts_->transition(side, p, q) : 0; }

  // The log sum over what a side may take under the arc `upper` into its head, -1 being none. Adds to chance_, from the
  // last candidate to the start: the chance that nothing follows it, or each of those beyond.
  double sum_side(int side, int upper) {
    const int size = parts_->side_size(side), begin = parts_->side_begin[side];
    follows_.resize(size);  // what candidate q and all that may follow it weigh
    double all = 0;
    for (int p = size; p >= 0; --p) {
      const std::size_t at = chance_.size();
      double best = step(side, p, size);
      chance_.push_back(best);
      for (int q = p; q < size; ++q) {
        chance_.push_back(step(side, p, q) + follows_[q]);
        best = std::max(best, chance_.back());
      }
      double sum = 0;
      for (std::size_t k = at; k < chance_.size(); ++k) sum += chance_[k] = std::exp(chance_[k] - best);
      for (std::size_t k = at; k < chance_.size(); ++k) chance_[k] /= sum;
      all = best + std::log(sum);
      if (p > 0)
        follows_[p - 1] = all + told_head_[begin + p - 1] + (upper < 0 ? 0 : parts_->grand(upper, begin + p - 1));
    }
    return all;
  }

  // Adds the side's expectations, `share` of them; returns where the chances of the next side begin.
  const double *weigh_side(int side, int upper, double share, const double *chance) {
    const int size = parts_->side_size(side), begin = parts_->side_begin[side], first = parts_->out_begin(side / 2);
    const double *end = chance + std::size_t(size + 1) * (size + 2) / 2, *row = end;
    if (share < negligible) return end;
    reached_.assign(size + 1, 0.0);
    reached_[0] = share;
    for (int p = 0; p <= size; ++p) {
      row -= size - p + 1;
      if (reached_[p] < negligible) continue;
      for (int q = p; q <= size; ++q) {
        const double weight = reached_[p] * row[q == size ? 0 : q - p + 1];
        if (q < size) reached_[q + 1] += weight;
        if (parts_->has_transitions()) out_->transition(side, p, q) += weight;
      }
    }
    for (int q = 0; q < size; ++q) {
      taken_[begin + q - first] += reached_[q + 1];
      if (upper >= 0) out_->grand(upper, begin + q) += reached_[q + 1];
    }
    return end;
  }

  static constexpr double negligible = 1e-9;

  const Parts *parts_ = nullptr;
  Parts *out_ = nullptr;
  MatrixTree trees_;
  bool is_first_ = true;
  std::vector<double> arc_, marginal_, belief_, told_head_, told_modifier_, leaving_, entering_, heard_head_,
      heard_modifier_;
  std::vector<double> weight_, taken_, chance_, follows_, reached_;
};

}  // namespace treewright
