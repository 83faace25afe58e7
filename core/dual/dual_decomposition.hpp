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

namespace treewright {

struct DualOptions {
  RelaxationOptions pieces;
  bool polyak = false;
  int max_iterations = 5000;
  double tolerance = 1e-9;  // of the gap, relative to the value where that is above one
  double max_seconds = std::numeric_limits<double>::infinity();
  bool trace = false;
  bool tighten = false;  // when the bound comes to a halt
};

// The rule of the paper.
class KooSteps {
 public:
  void note(double dual, double best) {
    if (std::isinf(before_)) delta_ = best > forbidden ? dual - best : 1 + std::abs(dual);
    rises_ += dual > before_ + 1e-12 * std::max(1.0, std::abs(before_));
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
  static constexpr int stretch = 20;             // rounds that are compared; by convention
  static constexpr double min_gain = 0.1;        // of the gap, from stretch to stretch; by convention
  double before_ = infinity, least_ = infinity;  // the smallest L of the stretch before, and of this one
  int rounds_ = 0;
};

class DualDecomposition {
 public:
  // first_u and first_v are starting multipliers, one an arc, or null. False if `is_cancelled` returned true. When
  // there is no tree, value is -inf.
  bool solve(const Parts &parts, const DualOptions &options, const double *first_u, const double *first_v,
             const std::function<bool()> &is_cancelled) {
    Deadline watch(options.max_seconds, is_cancelled);
    open(parts, options, watch);
    if (node_.propagate()) {
      start(parts, first_u, first_v);
      const bool stalled = descend();
      u = node_.relaxation.u, v = node_.relaxation.v;
      if (stalled && !node_.is_over()) tighten();
    } else {
      bound = forbidden;
    }
    conclude(parts);
    return !node_.was_interrupted;
  }

  std::vector<int> heads;
  double value = forbidden, bound = forbidden;
  Certificate certificate = Certificate::none;
  int iterations = 0;
  DualTrace trace;
  std::vector<double> u, v;     // one an arc
  std::vector<double> average;  // the share of each arc in the averaged trees; the tree itself when it is certified

 private:
  static constexpr int patience = 20;  // rounds without a better bound before Polyak steps are halved; by convention

  void open(const Parts &parts, const DualOptions &options, Deadline &watch) {
    options_ = options;
    certificate = Certificate::none, bound = std::numeric_limits<double>::infinity();
    trace = DualTrace();
    mean_.assign(parts.arcs(), 0.0), u = v = recent_ = mean_;
    mean_weight_ = recent_weight_ = 0;
    node_.open(parts, options.pieces, options.tolerance, options.max_iterations, watch);
  }

  void start(const Parts &parts, const double *first_u, const double *first_v) {
    if (first_u) node_.relaxation.u.assign(first_u, first_u + parts.arcs());
    if (first_v && parts.has_grand()) node_.relaxation.v.assign(first_v, first_v + parts.arcs());
    node_.relaxation.start();
  }

  // The method of the paper. Whether it ended because the bound came to a halt.
  bool descend() {
    KooSteps koo;
    PolyakSteps polyak(patience);
    Stall stall;
    do {
      const double dual = node_.evaluate();
      if (dual == forbidden) {
        bound = forbidden;
        return false;
      }
      koo.note(dual, node_.value), polyak.note(dual < bound);
      if (dual < bound) bound = dual, node_.rounding = node_.relaxation.rounding();
      const int apart = node_.relaxation.disagreements();
      record(dual, apart, bound);
      if (certify(apart)) return false;
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
      relaxation.u[id] = arc > forbidden ? (1 - options_.pieces.beta) * arc : 0;
      relaxation.v[id] = 0;
    }
    node_.climb();
    bound = probing_.tighten(node_, bound, [&](double dual, int apart, double open) { record(dual, apart, open); });
    bound = std::max({bound, node_.closed, node_.value});
    if (node_.value > forbidden && bound <= node_.value + node_.slack()) certificate = Certificate::bound;
    for (std::size_t id = 0; id < node_.origin.size(); ++id)
      u[node_.origin[id]] = relaxation.u[id], v[node_.origin[id]] = relaxation.v[id];
  }

  // open: a bound on the trees that may be better than the best known.
  void record(double dual, int apart, double open) {
    if (!options_.trace) return;
    trace.add(dual, node_.value, std::max({open, node_.closed, node_.value}), apart, node_.relaxation.recomputed());
  }

  bool certify(int apart) {
    if (apart == 0)
      certificate = Certificate::agreement;
    else if (node_.value > forbidden && bound <= node_.value + node_.slack())
      certificate = Certificate::bound;
    if (certificate == Certificate::none) return false;
    bound = std::max(bound, node_.value);  // rounding
    return true;
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
    heads = node_.heads, iterations = int(node_.iterations);
    value = bound > forbidden ? node_.value : forbidden;
    average.assign(parts.arcs(), 0.0);
    const double weight = mean_weight_ + recent_weight_;
    if (certificate == Certificate::none && weight > 0) {
      for (std::size_t id = 0; id < average.size(); ++id) average[id] = (mean_[id] + recent_[id]) / weight;
    } else if (value > forbidden) {
      for (int m = 1; m < parts.nodes; ++m) average[parts.find(heads[m], m)] = 1;
    }
  }

  DualOptions options_;
  NodeDescent node_;
  Probing probing_;
  std::vector<double> mean_, recent_;
  double mean_weight_ = 0, recent_weight_ = 0;
};

}  // namespace treewright
