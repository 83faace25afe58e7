// Conditioning: a decoding problem over scores whose sums do not round.
//
//   arc'(h, m) = scale x (arc(h, m) - the best arc into m)          the other parts are scaled only,
//
// unless there is a threshold (below): then every part is taken relative to the best in its place, which makes all
// scores as small as losses (and an arc from the root loses the best grandparent part of its word).
//
// The scale is a power of two that brings all scores below 1 in magnitude. Then every score is rounded to a multiple of
// a grid 2^-53 x 128 x nodes wide: sums and differences of multiples of the grid up to 128 x nodes are exact in
// doubles, so that a decoder that adds and compares them makes no rounding error. What the rounding to the grid can
// change in the value of a tree is known (`error`); it is 0 for scores that are multiples of the grid already, such as
// small integers.
//
// Parts that lose at least `threshold` (losses.hpp) are forbidden: large penalties would make the grid coarse. A tree
// with such a part loses at least the threshold, so that with any tree T found
//
//   best value - value(T) <= max(bound' - value'(T), loss(T) - threshold) + error
//
// O(parts).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "trees/losses.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Rounds to multiples of a power of two, to nearest.
class Grid {
 public:
  Grid() : Grid(0) {}
  explicit Grid(double width) : width_(width), shift_(1.5 * 4503599627370496.0 * width) {}  // 2^52

  double width() const { return width_; }
  double range() const { return shift_ / 3; }  // numbers up to here are rounded, and sums up to four times this exact
  double round(double x) const { return (x + shift_) - shift_; }

 private:
  double width_, shift_;
};

class Conditioning {
 public:
  // losses are those of given, and must outlive it. Parts that no tree has are forbidden unless `keeps_unusable`.
  void open(const Parts &given, Losses &losses, double threshold, bool keeps_unusable = false) {
    losses_ = &losses, threshold_ = threshold, keeps_unusable_ = keeps_unusable;
    is_centred_ = threshold < Losses::infinity;
    parts = given;
    error = 0;
    shift_and_forbid();
    choose_scale();
    round_all();
  }

  // Upper bound on what the best tree of the caller's problem gains over this one, from value and bound of `parts`.
  double gap(const int *heads, double value, double bound) const {
    constexpr double below = 1 - 8 * std::numeric_limits<double>::epsilon();  // losses are that accurate
    const double within = (bound - value) / scale, beyond = losses_->total(heads) - below * threshold_;
    return sum_upwards(std::max({0.0, within, beyond}), error);
  }

  // What has been taken off the arc (h, m), and off its other parts.
  double taken_off_arc(int id) const {
    const int m = parts.modifier[id];
    return losses_->best_arc[m] + (is_centred_ && parts.head[id] == 0 ? best_under_head(m) : 0);
  }
  double taken_off_others(int id) const {
    const int m = parts.modifier[id];
    if (!is_centred_) return 0;
    return losses_->best_sibling[m] + (parts.head[id] == 0 ? 0 : best_under_head(m));
  }
  // A value or bound of `parts` in the units of the given problem, rounded.
  double value(double conditioned) const { return conditioned / scale + constant_; }

  Parts parts = Parts(1, 0, nullptr, nullptr, nullptr);  // the arcs keep their numbers
  double scale = 1;
  double error = 0;  // of the difference of two trees' values, in the units of the given problem
  Grid grid;
  double largest_loss = 0;  // of the parts that are not forbidden

 private:
  // The best scores of the parts with the head of m's head, which an arc from the root has not.
  double best_under_head(int m) const { return losses_->best_grand[m] + losses_->best_grandsib[m]; }

  void shift_and_forbid() {
    largest_ = largest_loss = constant_ = 0;
    for (int m = 1; m < parts.nodes; ++m) constant_ += losses_->best_arc[m];
    if (is_centred_) constant_ = losses_->upper_bound();
    double shift_error = 0;
    for (int id = 0; id < parts.arcs(); ++id) {
      double &score = parts.arc[id];
      const double loss = losses_->is_unusable(id) ? Losses::infinity : losses_->arc(id);
      if (!keep(score, loss)) continue;
      double own_error = take_off(score, losses_->best_arc[parts.modifier[id]]);
      for (const auto *best : {&losses_->best_grand, &losses_->best_grandsib})
        if (is_centred_ && parts.head[id] == 0) own_error += take_off(score, (*best)[parts.modifier[id]]);
      shift_error = std::max(shift_error, own_error);
      largest_ = std::max(largest_, -score);
    }
    error += 2 * (parts.nodes - 1) * shift_error;
    second_order_error_ = 0;
    if (parts.has_transitions()) forbid_transitions();
    if (parts.has_grand()) forbid_grandparents();
    forbid_grandsibs();
  }

  void forbid_transitions() {
    for (int side = 1; side < 2 * parts.nodes; ++side) {
      const int size = parts.side_size(side), begin = parts.side_begin[side];
      for (int p = 0; p <= size; ++p)
        for (int q = p; q <= size; ++q) {
          const bool is_out = (p > 0 && is_forbidden(begin + p - 1)) || (q < size && is_forbidden(begin + q));
          const double best = q == size ? losses_->best_stop[side] : losses_->best_sibling[parts.modifier[begin + q]];
          const double loss = losses_->is_unusable(side, p, q) ? unusable(parts.transition(side, p, q))
                                                               : losses_->transition(side, p, q);
          keep_second_order(parts.transition(side, p, q), is_out, loss, best);
        }
    }
  }

  void forbid_grandparents() {
    for (int h = 1; h < parts.nodes; ++h)
      for (int in = parts.in_begin[h]; in < parts.in_begin[h + 1]; ++in) {
        const int upper = parts.in_arc[in];
        for (int id = parts.out_begin(h); id < parts.out_begin(h) + parts.out_size(h); ++id) {
          const bool is_out = is_forbidden(upper) || is_forbidden(id),
                     is_cycle = parts.modifier[id] == parts.head[upper];
          const double best = losses_->best_grand[parts.modifier[id]];
          const double loss = is_cycle ? unusable(parts.grand(upper, id)) : losses_->grand(upper, id);
          keep_second_order(parts.grand(upper, id), is_out, loss, best);
        }
      }
  }

  void forbid_grandsibs() {
    parts.for_grandsibs([&](int upper, int side, int p, int q) {
      const int begin = parts.side_begin[side], id = begin + q;
      const bool is_out = is_forbidden(upper) || is_forbidden(id) || (p > 0 && is_forbidden(begin + p - 1));
      double &score = parts.grandsib(upper, side, p, q);
      const bool is_cyclic = parts.is_cyclic(upper, side, p, q);
      const double loss = is_cyclic ? unusable(score) : losses_->grandsib(upper, side, p, q);
      keep_second_order(score, is_out, loss, losses_->best_grandsib[parts.modifier[id]]);
    });
  }

  bool is_forbidden(int id) const { return parts.arc[id] == forbidden; }

  // The loss of a part that no tree has.
  double unusable(double score) const { return keeps_unusable_ && score > forbidden ? 0 : Losses::infinity; }

  void keep_second_order(double &score, bool is_out, double loss, double best) {
    if (!keep(score, is_out ? Losses::infinity : loss)) return;
    if (is_centred_) second_order_error_ = std::max(second_order_error_, take_off(score, best));
    largest_ = std::max(largest_, std::abs(score));
  }

  // Subtracts, and returns the rounding error without its sign.
  static double take_off(double &score, double best) {
    const double error = std::abs(two_sum_error(score, -best));
    score -= best;
    return error;
  }

  bool keep(double &score, double loss) {
    if (!(loss < threshold_ && loss < Losses::infinity)) {
      score = forbidden;
      return false;
    }
    largest_loss = std::max(largest_loss, loss);
    return true;
  }

  void choose_scale() {
    constexpr int least_exponent = -1000;  // the scale must be finite
    const int exponent = largest_ > 0 ? std::max(std::ilogb(largest_) + 1, least_exponent) : 0;
    scale = std::ldexp(1.0, -exponent);
    int log_nodes = 0;
    while ((1 << log_nodes) < parts.nodes) ++log_nodes;
    grid = Grid(std::ldexp(1.0, 7 + log_nodes - 53));
  }

  void round_all() {
    double arc_error = 0, other_error = 0;
    for (double &score : parts.arc) round(score, arc_error);
    for (double &score : parts.transitions) round(score, other_error);
    for (double &score : parts.grands) round(score, other_error);
    for (double &score : parts.grandsibs) round(score, other_error);
    // A sibling and two stops, a grandparent, a grand-sibling.
    const int kinds = 3 * parts.has_transitions() + parts.has_grand() + parts.has_grandsib();
    error += 2 * ((parts.nodes - 1) * arc_error + kinds * parts.nodes * (other_error + second_order_error_));
    error *= 1 + 1e-9;  // the rounding of its own computation
  }

  // The error in given units; the low bits of the score are taken off exactly.
  void round(double &score, double &largest_error) const {
    if (score == forbidden) return;
    const double rounded = grid.round(score * scale);
    largest_error = std::max(largest_error, std::abs(score - rounded / scale));
    score = rounded;
  }

  Losses *losses_ = nullptr;
  bool is_centred_ = false, keeps_unusable_ = false;
  double threshold_ = 0, largest_ = 0, constant_ = 0, second_order_error_ = 0;
};

}  // namespace treewright
