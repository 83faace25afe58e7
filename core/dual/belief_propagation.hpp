// Expectations of second-order parts over all trees, crossing or not, by loopy belief propagation (Smith & Eisner
// 2008).
//
// No exact sum is to be had: the best tree alone is NP-hard. But two kinds of sums are easy: over trees with arc scores
// (matrix_tree.hpp), and over what one head may take, its own head and the modifiers of either side, with sibling, stop
// and grandparent scores (head_sums.hpp). They tell each other, arc by arc, the odds of that arc which they see and the
// other does not:
//
//   leaving(e)  = odds of P_h(e) / odds of e told to h            the automaton of e's head; it takes e or does not
//   entering(e) = P_m(e) / probability of e told to m             the automaton of e's modifier; it has one head
//   told to h   = P_tree(e) without what h itself said of it      P_tree: weights exp(arc(e)) leaving(e) entering(e)
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

#include "base/scores.hpp"
#include "dual/head_sums.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

class Beliefs {
 public:
  // Writes the belief in each part in the place of the scores of `expected`, a copy of `parts`, which must have a tree.
  void run(const Parts &parts, bool single_root, int rounds, Parts &expected) {
    parts_ = &parts, out_ = &expected;
    leaving_.assign(parts.arcs(), 1.0), entering_.assign(parts.arcs(), 1.0);
    belief_.resize(parts.arcs()), told_head_.resize(parts.arcs()), told_modifier_.resize(parts.arcs());
    heard_head_.assign(parts.arcs(), 0.0), heard_modifier_.assign(parts.arcs(), 0.0);
    const bool has_heads = parts.has_transitions() || parts.has_grand();
    if (has_heads) is_plain_ = plain_.open(parts), are_logs_open_ = false;
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
  static constexpr double surest = 4.85e8;       // odds of e^20, beyond which nobody need be told
  static constexpr double worth_telling = 1.01;  // times what was heard before
  static constexpr double least = 1e-300;        // of what is divided

  static double ratio(double on, double off) { return std::max(on, least) / std::max(off, least); }
  static double kept(double message) { return std::clamp(message, 1 / surest, surest); }
  // A message goes half of the way from what was said before, so that two who answer each other come to rest.
  void tell(double &message, double news) const { message = is_first_ ? kept(news) : std::sqrt(message * kept(news)); }

  void ask_tree(bool single_root) {
    const std::size_t nodes = parts_->nodes;
    arc_.assign(nodes * nodes, forbidden), marginal_.resize(nodes * nodes);
    for (int e = 0; e < parts_->arcs(); ++e)
      arc_[parts_->head[e] * nodes + parts_->modifier[e]] = parts_->arc[e] + std::log(leaving_[e] * entering_[e]);
    trees_.marginals(arc_.data(), parts_->nodes, single_root, marginal_.data());
    for (int m = 1; m < parts_->nodes; ++m) {
      double sum = 0;
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        sum += belief_[e] = marginal_[parts_->head[e] * nodes + m];
      }
      for (int k = parts_->in_begin[m]; k < parts_->in_begin[m + 1]; ++k) {
        const int e = parts_->in_arc[k];
        told_head_[e] = kept(ratio(belief_[e], sum - belief_[e]) / leaving_[e]);
        told_modifier_[e] = kept(ratio(belief_[e], sum) / entering_[e]);
      }
    }
  }

  static bool is_news(double told, double heard) {
    return told > worth_telling * heard || worth_telling * told < heard;
  }

  // Whether something that h was told has changed since it was asked.
  bool hears(int h) const {
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      if (is_news(told_head_[e], heard_head_[e])) return true;
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1] && parts_->has_grand(); ++k)
      if (is_news(told_modifier_[parts_->in_arc[k]], heard_modifier_[parts_->in_arc[k]])) return true;
    return false;
  }

  void listen(int h) {
    for (int e = parts_->out_begin(h); e < parts_->out_begin(h) + parts_->out_size(h); ++e)
      heard_head_[e] = told_head_[e];
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1]; ++k)
      heard_modifier_[parts_->in_arc[k]] = told_modifier_[parts_->in_arc[k]];
  }

  void ask_head(int h) {
    listen(h);
    if (is_plain_ && plain_.run(h, told_head_.data(), told_modifier_.data(), *out_)) return answer(h, plain_);
    if (!are_logs_open_) are_logs_open_ = logs_.open(*parts_);
    logs_.run(h, told_head_.data(), told_modifier_.data(), *out_);
    answer(h, logs_);
  }

  template <typename Semiring>
  void answer(int h, const HeadSums<Semiring> &sums) {
    for (int k = parts_->in_begin[h]; k < parts_->in_begin[h + 1] && parts_->has_grand(); ++k) {
      const int e = parts_->in_arc[k];
      tell(entering_[e], std::max(sums.probability[k - parts_->in_begin[h]], least) / told_modifier_[e]);
    }
    for (int q = 0; q < parts_->out_size(h); ++q) {
      const int e = parts_->out_begin(h) + q;
      tell(leaving_[e], ratio(sums.taken[q], 1 - sums.taken[q]) / told_head_[e]);
    }
  }

  const Parts *parts_ = nullptr;
  Parts *out_ = nullptr;
  MatrixTree trees_;
  HeadSums<Real> plain_;
  HeadSums<LogSum> logs_;
  bool is_first_ = true, is_plain_ = true, are_logs_open_ = false;
  std::vector<double> arc_, marginal_, belief_, told_head_, told_modifier_, leaving_, entering_, heard_head_,
      heard_modifier_;
};

}  // namespace treewright
