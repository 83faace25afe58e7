// Sums over the choices of one head: its own head g, and the modifiers of either side, with sibling, stop and
// grandparent scores (the head automata of automata.hpp with sums in place of maxima), and the expectation of every
// part. Weights are exponentials of scores; odds(q) is the message about the arc to candidate q, prior(g) the message
// about the arc from g.
//
//   after(p, g)      = sum over q from p to L of  step(p, q) taking(q, g)
//   taking(q, g)     = odds(q) grand(g, q) after(q + 1, g); taking(L, g) = 1: no further modifier
//   weight(g)        = prior(g) after(0, g) of the left side, times after(0, g) of the right
//
//   before(0, g)     = probability of g / after(0, g)
//   arriving(q, g)   = sum over p up to q of  before(p, g) step(p, q)
//   before(q + 1, g) = odds(q) grand(g, q) arriving(q, g)
//
//   expected step(p, q)  = step(p, q) times the sum over g of  before(p, g) taking(q, g)
//   expected grand(g, q) = arriving(q, g) taking(q, g)
//
// Exponentials of scores are taken once a sentence; each run is then multiplications and additions along rows, one
// column a head g. The semiring determines how weights are represented (base/semiring.hpp).
//
// Cost: O(g L^2) for a side of L candidates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/semiring.hpp"
#include "trees/parts.hpp"

namespace treewright {

template <typename Semiring>
class HeadSums {
 public:
  // False when the scores are outside the range of the semiring.
  bool load(const Parts &parts) {
    parts_ = &parts;
    if (!is_in_range(parts.transitions) || !is_in_range(parts.grands)) return false;
    load_steps();
    load_grands();
    return true;
  }

  // The sum over the choices of h under the messages about arcs, indexed by arc. False when it leaves the range of the
  // semiring.
  bool sum(int h, const double *to_head, const double *to_modifier) {
    has_grand_ = parts_->has_grand() && h > 0;
    states_ = has_grand_ ? parts_->in_size(h) : 1;
    head_probability.assign(states_, Semiring::one);
    if (has_grand_)
      for (int g = 0; g < states_; ++g)
        head_probability[g] = Semiring::of_value(to_modifier[parts_->in_arc[parts_->in_begin[h] + g]]);
    for (int side = 2 * h; side < 2 * h + 2; ++side)
      if (!sum_side(side, to_head)) return false;
    sum_ = Semiring::sum(head_probability.data(), states_);
    return true;
  }
  double log_sum() const { return Semiring::log(sum_); }

  // Computes the sum, and writes the expectations of the head's siblings, stops and grandparents in place of the scores
  // of `expected`.
  bool run(int h, const double *to_head, const double *to_modifier, Parts &expected) {
    if (!sum(h, to_head, to_modifier)) return false;
    modifier_probability.clear();
    for (int side = 2 * h; side < 2 * h + 2; ++side) expect_side(side, expected);
    for (double &weight : head_probability) weight = Semiring::value(Semiring::over(weight, sum_));
    return true;
  }

  // After a run:
  std::vector<double> head_probability;      // of each arc into h; one entry where grandparents have no scores
  std::vector<double> modifier_probability;  // of each arc out of h

 private:
  // Half of the exponents of a double on either side, so that neither a product of two weights nor a quotient of two
  // sums leaves its range.
  static constexpr double max_log_weight = 150, max_sum = 1e150;
  static constexpr bool is_bounded = Semiring::zero == 0;

  static bool is_in_range(const std::vector<double> &scores) {
    return !is_bounded ||
           std::all_of(scores.begin(), scores.end(), [](double score) { return std::abs(score) < max_log_weight; });
  }

  void load_steps() {
    step_.resize(parts_->transitions.size());
    for (int side = 0; parts_->has_transitions() && side < 2 * parts_->nodes; ++side) {
      const int states = parts_->side_size(side) + 1;
      const std::size_t begin = parts_->transition_begin[side];
      for (int p = 0; p < states; ++p)
        for (int q = p; q < states; ++q)
          step_[begin + p * states + q] = Semiring::of_log(parts_->transitions[begin + p * states + q]);
    }
  }

  // Transposed against the parts: a row a candidate, a column a head.
  void load_grands() {
    grand_.resize(parts_->grands.size());
    for (int h = 1; parts_->has_grand() && h < parts_->nodes; ++h) {
      const int states = parts_->in_size(h), size = parts_->out_size(h);
      const std::size_t begin = parts_->grand_begin[h];
      for (int g = 0; g < states; ++g)
        for (int q = 0; q < size; ++q)
          grand_[begin + q * states + g] = Semiring::of_log(parts_->grands[begin + g * size + q]);
    }
  }

  struct Charts {
    std::vector<double> after, taking, factor;  // factor(q, g) = odds(q) grand(g, q)
  };

  double *row(std::vector<double> &chart, int k) const { return chart.data() + std::size_t(k) * states_; }
  double step(int side, int p, int q) const {
    return parts_->has_transitions()
               ? step_[parts_->transition_begin[side] + std::size_t(p) * (parts_->side_size(side) + 1) + q]
               : Semiring::one;
  }

  void fill_factors(int side, const double *to_head, Charts &charts) const {
    const int size = parts_->side_size(side), begin = parts_->side_begin[side], h = side / 2;
    const double *grand =
        has_grand_ ? grand_.data() + parts_->grand_begin[h] + std::size_t(begin - parts_->out_begin(h)) * states_
                   : nullptr;
    for (int q = 0; q < size; ++q) {
      const double odds = Semiring::of_value(to_head[begin + q]);
      double *factor = row(charts.factor, q);
      for (int g = 0; g < states_; ++g) factor[g] = grand ? Semiring::times(odds, *grand++) : odds;
    }
  }

  bool sum_side(int side, const double *to_head) {
    const int size = parts_->side_size(side);
    Charts &charts = charts_[side % 2];
    for (auto *chart : {&charts.after, &charts.taking, &charts.factor}) chart->resize(std::size_t(size + 1) * states_);
    fill_factors(side, to_head, charts);
    std::fill_n(row(charts.taking, size), states_, Semiring::one);
    for (int p = size; p >= 0; --p) {
      double *after = row(charts.after, p);
      std::fill_n(after, states_, Semiring::zero);
      for (int q = p; q <= size; ++q) Semiring::add_scaled(after, step(side, p, q), row(charts.taking, q), states_);
      for (int g = 0; p > 0 && g < states_; ++g)
        row(charts.taking, p - 1)[g] = Semiring::times(row(charts.factor, p - 1)[g], after[g]);
    }
    bool is_finite = true;
    for (int g = 0; g < states_; ++g) {
      is_finite = is_finite && (!is_bounded || charts.after[g] < max_sum);
      head_probability[g] = Semiring::times(head_probability[g], charts.after[g]);
    }
    return is_finite;
  }

  void expect_side(int side, Parts &expected) {
    const int size = parts_->side_size(side), begin = parts_->side_begin[side];
    Charts &charts = charts_[side % 2];
    before_.resize(std::size_t(size + 1) * states_), arriving_.resize(states_);
    for (int g = 0; g < states_; ++g)
      before_[g] = head_probability[g] == Semiring::zero
                       ? Semiring::zero
                       : Semiring::over(Semiring::over(head_probability[g], sum_), charts.after[g]);
    for (int q = 0; q <= size; ++q) {
      const double *taking = row(charts.taking, q);
      std::fill(arriving_.begin(), arriving_.end(), Semiring::zero);
      for (int p = 0; p <= q; ++p) {
        const double weight = step(side, p, q);
        Semiring::add_scaled(arriving_.data(), weight, row(before_, p), states_);
        if (parts_->has_transitions())
          expected.transition(side, p, q) =
              Semiring::value(Semiring::times(weight, Semiring::dot(row(before_, p), taking, states_)));
      }
      if (q == size) break;
      double all = 0;
      for (int g = 0; g < states_; ++g) {
        const double weight = Semiring::value(Semiring::times(arriving_[g], taking[g]));
        all += weight;
        if (has_grand_) expected.grand(parts_->in_arc[parts_->in_begin[side / 2] + g], begin + q) = weight;
        row(before_, q + 1)[g] = Semiring::times(row(charts.factor, q)[g], arriving_[g]);
      }
      modifier_probability.push_back(all);
    }
  }

  const Parts *parts_ = nullptr;
  bool has_grand_ = false;
  double sum_ = Semiring::zero;
  int states_ = 0;  // heads g, or one where grandparents have no scores
  std::vector<double> step_, grand_;
  Charts charts_[2];
  std::vector<double> before_, arriving_;
};

}  // namespace treewright
