// Expectations of second-order parts over all trees, projective or not, and an approximate log partition, by loopy
// belief propagation (Smith & Eisner 2008).
//
// The exact sum is intractable: finding the best tree alone is NP-hard. Two kinds of factors have sums in polynomial
// time: one tree factor with the arc scores (matrix_tree.hpp), and for each head an automaton over its own head and its
// modifiers on both sides, with sibling, stop and grandparent scores (head_sums.hpp). The variables are the heads of
// the words. The messages of an arc e = (h, m), as odds of "e is in the tree" against "it is not", are
//
//   from_head(e)     = odds of P_h(e) / to_head(e)                from the automaton of h; it takes e or does not
//   from_modifier(e) = P_m(e) / to_modifier(e)                    from the automaton of m, which has exactly one head
//   to_head(e)       = odds of P_tree(e) / from_head(e)           P_tree: weights exp(arc) from_head from_modifier
//   to_modifier(e)   = P_tree(e) / from_modifier(e)
//
// The Bethe approximation of the log partition, with every sum taken over the messages into its factor:
//
//   log Z = log Z_tree + sum over h of log Z_h
//           - sum over m of log( sum over e into m of to_modifier(e) from_modifier(e) )
//           - sum over e of log( 1 + to_head(e) from_head(e) )
//
// (the term of each variable cancels that of its edge to the tree factor). Where only arcs have scores the tree factor
// alone is exact; otherwise a few rounds are a good approximation. The gradient of the log-linear model uses these
// beliefs as expectations.
//
// Cost of a round: O(n^3), and with k candidate heads a word O(n k^3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/scores.hpp"
#include "dual/head_sums.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

class Beliefs {
 public:
  // Writes the belief in each part in the place of the scores of `expected`, a copy of `parts`; zeros when there is no
  // tree.
  void run(const Parts &parts, bool single_root, int rounds, Parts &expected) {
    parts_ = &parts, out_ = &expected;
    for (std::vector<double> *messages : {&from_head_, &from_modifier_}) messages->assign(parts.arcs(), 1.0);
    for (std::vector<double> *messages : {&previous_to_head_, &previous_to_modifier_})
      messages->assign(parts.arcs(), 0.0);
    for (std::vector<double> *values : {&belief_, &message_to_head_, &message_to_modifier_})
      values->resize(parts.arcs());
    has_heads_ = parts.has_transitions() || parts.has_grand();
    if (has_heads_) is_real_loaded_ = real_.load(parts), is_log_loaded_ = false;
    for (int round = 0; has_heads_ && round < rounds; ++round) {
      update_tree(single_root);
      if (tree_log_partition_ == forbidden) break;
      bool is_converged = true;
      is_first_round_ = round == 0;
      for (int h = 0; h < parts.nodes; ++h)
        if (round == 0 || changed(h)) is_converged = false, update_head(h);
      if (is_converged) break;
    }
    update_tree(single_root);
    if (tree_log_partition_ == forbidden)
      for (std::vector<double> *scores : {&expected.transitions, &expected.grands})
        std::fill(scores->begin(), scores->end(), 0.0);
    expected.arc = belief_;
  }

  // After run, while `parts` still exist: the Bethe approximation of the log partition over all trees, -inf when there
  // is none. It is exact where only arcs have scores.
  double log_partition() {
    if (!has_heads_ || tree_log_partition_ == forbidden) return tree_log_partition_;
    double sum = tree_log_partition_;
    for (int h = 0; h < parts_->nodes; ++h) sum += head_log_sum(h) - edge_log_sum(h);
    for (int e = 0; e < parts_->arcs(); ++e) sum -= std::log1p(message_to_head_[e] * from_head_[e]);
    return sum;
  }

 private:
  static constexpr double max_odds = 4.85e8;         // e^20, not tuned: messages are kept finite
  static constexpr double change_tolerance = 1.01;   // not tuned: a ratio of messages that counts as no change
  static constexpr double min_probability = 1e-300;  // keeps divisions finite; close to the smallest normal double

  static double odds(double on, double off) { return std::max(on, min_probability) / std::max(off, min_probability); }
  static double bounded(double message) { return std::clamp(message, 1 / max_odds, max_odds); }
  // Messages are damped: the new one is the geometric mean of the old and the computed one, so that loopy updates
  // converge. The messages of the first round have no predecessor.
  void damp(double &message, double computed) const {
    message = is_first_round_ ? bounded(computed) : std::sqrt(message * bounded(computed));
  }

  void update_tree(bool single_root) {
    const std::size_t nodes = parts_->nodes;
    arc_.assign(nodes * nodes, forbidden), marginal_.resize(nodes * nodes);
    for (int e = 0; e < parts_->arcs(); ++e)
      arc_[parts_->head[e] * nodes + parts_->modifier[e]] =
          parts_->arc[e] + std::log(from_head_[e] * from_modifier_[e]);
    tree_log_partition_ = trees_.marginals(arc_.data(), parts_->nodes, single_root, marginal_.data());
    for (int m = 1; m < parts_->nodes; ++m) {
      double sum = 0;
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        sum += belief_[e] = marginal_[parts_->head[e] * nodes + m];
      }
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        message_to_head_[e] = bounded(odds(belief_[e], sum - belief_[e]) / from_head_[e]);
        message_to_modifier_[e] = bounded(odds(belief_[e], sum) / from_modifier_[e]);
      }
    }
  }

  static bool changed(double message, double previous) {
    return message > change_tolerance * previous || change_tolerance * message < previous;
  }

  // Whether a message to the automaton of h has changed since its last update.
  bool changed(int h) const {
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      if (changed(message_to_head_[e], previous_to_head_[e])) return true;
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1] && parts_->has_grand(); ++k) {
      const int e = parts_->in_arc[k];
      if (changed(message_to_modifier_[e], previous_to_modifier_[e])) return true;
    }
    return false;
  }

  void remember_messages(int h) {
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      previous_to_head_[e] = message_to_head_[e];
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1]; ++k)
      previous_to_modifier_[parts_->in_arc[k]] = message_to_modifier_[parts_->in_arc[k]];
  }

  HeadSums<LogSum> &log_sums() {
    if (!is_log_loaded_) is_log_loaded_ = log_.load(*parts_);
    return log_;
  }

  void update_head(int h) {
    remember_messages(h);
    const double *to_head = message_to_head_.data(), *to_modifier = message_to_modifier_.data();
    if (is_real_loaded_ && real_.run(h, to_head, to_modifier, *out_)) return send_messages(h, real_);
    log_sums().run(h, to_head, to_modifier, *out_);
    send_messages(h, log_);
  }

  template <typename Semiring>
  void send_messages(int h, const HeadSums<Semiring> &sums) {
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1] && parts_->has_grand(); ++k) {
      const int e = parts_->in_arc[k];
      const double probability = sums.head_probability[k - parts_->in_begin[h]];
      damp(from_modifier_[e], std::max(probability, min_probability) / message_to_modifier_[e]);
    }
    for (int q = 0; q < parts_->out_size(h); ++q) {
      const int e = parts_->out_begin(h) + q;
      const double probability = sums.modifier_probability[q];
      damp(from_head_[e], odds(probability, 1 - probability) / message_to_head_[e]);
    }
  }

  // log Z_h under the present messages.
  double head_log_sum(int h) {
    const double *to_head = message_to_head_.data(), *to_modifier = message_to_modifier_.data();
    if (is_real_loaded_ && real_.sum(h, to_head, to_modifier) && real_.log_sum() > forbidden) return real_.log_sum();
    log_sums().sum(h, to_head, to_modifier);
    return log_.log_sum();
  }

  // The edge between the variable of m and the automaton of m.
  double edge_log_sum(int m) const {
    if (!parts_->has_grand() || m == 0) return 0;
    double sum = 0;
    for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k)
      sum += message_to_modifier_[parts_->in_arc[k]] * from_modifier_[parts_->in_arc[k]];
    return std::log(sum);
  }

  const Parts *parts_ = nullptr;
  Parts *out_ = nullptr;
  MatrixTree trees_;
  HeadSums<Real> real_;
  HeadSums<LogSum> log_;
  bool has_heads_ = false, is_first_round_ = true, is_real_loaded_ = true, is_log_loaded_ = false;
  double tree_log_partition_ = forbidden;
  std::vector<double> arc_, marginal_, belief_;
  std::vector<double> message_to_head_, message_to_modifier_, previous_to_head_, previous_to_modifier_;
  std::vector<double> from_head_, from_modifier_;
};

}  // namespace treewright
