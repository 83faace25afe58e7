// Dual decomposition for second-order trees (Koo et al. 2010, figures 1 and 2): the subgradient method
// on L(u, v) of dual_decomposition_relaxation.hpp.
//
//   u, v    +=  step x (z - y)                        z, y: what the automata and the tree chose
//   Koo      step = delta / (1 + eta)                 delta = L(first) - value(first tree),
//                                                     eta   = how often L has risen so far
//   Polyak   step = lambda x (L - best) / |z - y|^2   lambda starts at 1.9 and halves after 20 rounds
//                                                     without a better bound
//
// The result is the best tree found, under its full score. It is optimal when z = y (agreement), or
// when the smallest L seen comes down to its value (bound). The fractional solution of the linear program that the dual
// belongs to is approached by the mean of the trees, weighted by the steps (Nedic and Ozdaglar 2009), here
// over about the last half of the rounds.
//
// Where that program has a gap no multipliers close it. So when L comes down no more (over 20 rounds by less than a
// tenth of what lies between it and the best value), the iterations left go into a tighter relaxation, if requested:
// arcs are fixed by the bound (node_descent.hpp) and by probing (probing.hpp).
//
// A round costs O(n), the stale automata and one spanning tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/deadline.hpp"
#include "dual/dual_decomposition_relaxation.hpp"
#include "dual/node_descent.hpp"
#include "dual/probing.hpp"
#include "trees/parts.hpp"
#include "trees/stages.hpp"

namespace treewright {

struct DualOptions {
  RelaxationOptions pieces;
  bool polyak = false;
  int max_iterations = 5000;
  double tolerance = 1e-9;  // of the gap, relative to the spread of the scores (losses.hpp)
  double max_seconds = std::numeric_limits<double>::infinity();
  bool trace = false;
  bool tighten = false;  // when the bound comes to a halt
};

// The rule of the paper.
class KooSteps {
 public:
  void note(double dual, double best) {
    if (std::isinf(before_)) delta_ = best > forbidden ? dual - best : 1 + std::abs(dual);
    rises_ += dual > before_;  // no rounding: dual_decomposition_relaxation.hpp
    before_ = dual;
  }
  double next() const { return delta_ / (1 + rises_); }

 private:
  double before_ = std::numeric_limits<double>::infinity(), delta_ = 0;
  int rises_ = 0;
};

// Detects that L has stopped decreasing. The first steps of the paper may raise L far; that is not a stall.
class Stall {
 public:
  bool after(double dual, double best) {
    least_ = std::min(least_, dual);
    if (++rounds_ % stretch) return false;
    const bool found = std::abs(before_ - least_) < min_gain * (least_ - best);
    before_ = least_, least_ = infinity;
    return found;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr int stretch = 20;             // rounds that are compared; not tuned
  static constexpr double min_gain = 0.1;        // of the gap, from stretch to stretch; not tuned
  double before_ = infinity, least_ = infinity;  // the smallest L of the stretch before, and of this one
  int rounds_ = 0;
};

class DualDecomposition {
 public:
  // first_u and first_v are starting multipliers, one an arc, or null. False if `is_cancelled` returned true.
  // best.bound is -inf when there is no tree; best.value is -inf also when none was found within the limits.
  bool solve(const Parts &parts, const DualOptions &options, const double *first_u, const double *first_v,
             const std::function<bool()> &is_cancelled) {
    Deadline watch(options.max_seconds, is_cancelled);
    options_ = options;
    iterations = 0;
    trace = DualTrace();
    best = stages_.run(
        parts, options.pieces.single_root, options.tolerance, false,
        [&](const Conditioning &problem, const int *known, bool is_last) {
          const int rest = options.max_iterations - iterations;
          open(problem, known, is_last ? rest : (rest + 1) / 2, watch);
          return search(problem, first_u, first_v);
        },
        !options.pieces.facts);
    certificate = Certificate::none;
    if (best.is_certified(options.tolerance)) certificate = agreed_ ? Certificate::agreement : Certificate::bound;
    conclude(parts);
    return !node_.was_interrupted;
  }

  BoundedTree best;
  Certificate certificate = Certificate::none;
  int iterations = 0;
  DualTrace trace;
  std::vector<double> u, v;     // one an arc
  std::vector<double> average;  // the share of each arc in the averaged trees; the tree itself when it is certified

 private:
  static constexpr int patience = 20;  // rounds without a better bound before Polyak steps shrink; not tuned

  void open(const Conditioning &problem, const int *known, int max_iterations, Deadline &watch) {
    bound_ = std::numeric_limits<double>::infinity();
    agreed_ = false;
    mean_.assign(problem.parts.arcs(), 0.0), u = v = recent_ = mean_;
    mean_weight_ = recent_weight_ = 0;
    node_.open(problem, stages_.losses(), options_.pieces, options_.tolerance, max_iterations, watch, known);
  }

  StageResult search(const Conditioning &problem, const double *first_u, const double *first_v) {
    const std::size_t traced = trace.dual.size();
    if (node_.propagate()) {
      start(problem, first_u, first_v);
      const bool stalled = descend();
      u = node_.relaxation.u, v = node_.relaxation.v;
      if (stalled && !node_.is_over()) tighten();
    } else {
      bound_ = forbidden;
    }
    // Trees with a forbidden part have been found only: a climb may lead to one without.
    if (node_.value == forbidden && bound_ > forbidden && node_.heads.back() >= 0) node_.climb();
    iterations += int(node_.iterations);
    restore_units(problem, traced);
    const bool is_over = node_.is_over() && iterations >= options_.max_iterations;
    const double bound = node_.value > forbidden ? std::max(bound_, node_.value) : bound_;
    return {&node_.heads, node_.value, bound, !node_.is_over(), is_over || node_.is_out_of_time()};
  }

  // Parts less a constant for each word: what belongs to the automata is part of u.
  double shift_of(const Conditioning &problem, int id) const {
    return (1 - options_.pieces.beta) * problem.taken_off_arc(id) + problem.taken_off_others(id);
  }

  void start(const Conditioning &problem, const double *first_u, const double *first_v) {
    Relaxation &relaxation = node_.relaxation;
    find_second_best(problem.parts);
    for (int id = 0; id < problem.parts.arcs(); ++id) {
      const double share = (1 - options_.pieces.beta) * second_best_[problem.parts.modifier[id]];
      relaxation.u[id] = relaxation.multiplier(share - problem.taken_off_others(id) * problem.scale);
      if (first_u) relaxation.u[id] = relaxation.multiplier((first_u[id] - shift_of(problem, id)) * problem.scale);
      if (first_v && problem.parts.has_grand()) relaxation.v[id] = relaxation.multiplier(first_v[id] * problem.scale);
    }
    relaxation.start();
  }

  // The second best arc into each word: at these multipliers arcs alone would let one head choose the word. The paper
  // begins with u = 0, which depends on constants that are added to all heads of a word.
  void find_second_best(const Parts &parts) {
    second_best_.assign(parts.nodes, 0.0);
    for (int m = 1; m < parts.nodes; ++m) {
      double best = forbidden, second = forbidden;
      for (int in = parts.in_begin[m]; in < parts.in_begin[m + 1]; ++in) {
        const double score = parts.arc[parts.in_arc[in]];
        second = std::max(second, std::min(best, score));
        best = std::max(best, score);
      }
      second_best_[m] = second > forbidden ? second : -1;  // scores are below 1 in magnitude
    }
  }

  void restore_units(const Conditioning &problem, std::size_t traced) {
    for (std::size_t id = 0; id < u.size(); ++id) {
      u[id] = u[id] / problem.scale + shift_of(problem, int(id));
      v[id] = v[id] / problem.scale;
    }
    for (auto *column : {&trace.dual, &trace.best, &trace.bound})
      for (std::size_t row = traced; row < column->size(); ++row) (*column)[row] = problem.value((*column)[row]);
  }

  // The method of the paper. Whether it ended because the bound came to a halt.
  bool descend() {
    KooSteps koo;
    PolyakSteps polyak(patience, true);
    Stall stall;
    do {
      const double dual = node_.evaluate();
      if (dual == forbidden) {
        bound_ = forbidden;
        return false;
      }
      koo.note(dual, node_.value), polyak.note(dual < bound_);
      bound_ = std::min(bound_, dual);
      const int apart = node_.relaxation.disagreements();
      record(dual, apart, bound_);
      agreed_ = apart == 0;
      if (agreed_ || node_.closes(bound_)) return false;
      const double step = options_.polyak ? polyak.next(dual, node_.value, apart) : koo.next();
      average_tree(step);
      node_.relaxation.move(step);
      if (options_.tighten && stall.after(dual, node_.value)) return true;
    } while (!node_.is_over());
    return false;
  }

  // From multipliers at which the tree has all of the arc scores: the paper's first steps change so many by so much
  // that a new start is faster than continuing. Arcs that were removed keep their multipliers.
  void tighten() {
    Relaxation &relaxation = node_.relaxation;
    for (std::size_t id = 0; id < u.size(); ++id) {
      const double arc = relaxation.parts().arc[id];
      relaxation.u[id] = arc > forbidden ? relaxation.multiplier((1 - options_.pieces.beta) * arc) : 0;
      relaxation.v[id] = 0;
    }
    node_.climb();
    bound_ = probing_.tighten(node_, bound_, [&](double dual, int apart, double open) { record(dual, apart, open); });
    bound_ = std::max({bound_, node_.closed, node_.value});
    for (std::size_t id = 0; id < node_.origin.size(); ++id)
      u[node_.origin[id]] = relaxation.u[id], v[node_.origin[id]] = relaxation.v[id];
  }

  // open: a bound on the trees that may be better than the best known.
  void record(double dual, int apart, double open) {
    if (!options_.trace) return;
    trace.add(dual, node_.value, std::max({open, node_.closed, node_.value}), apart, node_.relaxation.recomputed());
  }

  // The mean starts anew at powers of two; the stretch before the last start still counts.
  void average_tree(double step) {
    if ((node_.iterations & (node_.iterations - 1)) == 0) {
      std::swap(mean_, recent_), mean_weight_ = recent_weight_;
      std::fill(recent_.begin(), recent_.end(), 0.0), recent_weight_ = 0;
    }
    const Relaxation &relaxation = node_.relaxation;
    for (int m = 1; m < relaxation.parts().nodes; ++m) recent_[relaxation.tree()[m]] += step;
    recent_weight_ += step;
  }

  void conclude(const Parts &parts) {
    average.assign(parts.arcs(), 0.0);
    const double weight = mean_weight_ + recent_weight_;
    if (certificate == Certificate::none && weight > 0) {
      for (std::size_t id = 0; id < average.size(); ++id) average[id] = (mean_[id] + recent_[id]) / weight;
    } else if (best.value > forbidden) {
      for (int m = 1; m < parts.nodes; ++m) average[parts.find(best.heads[m], m)] = 1;
    }
  }

  DualOptions options_;
  Stages stages_;
  double bound_ = 0;  // in the units of the stage, as all of the following
  bool agreed_ = false;
  NodeDescent node_;
  Probing probing_;
  std::vector<double> mean_, recent_;
  std::vector<double> second_best_;  // of the arcs into each word, where the multipliers begin
  double mean_weight_ = 0, recent_weight_ = 0;
};

}  // namespace treewright
