// Dual decomposition for second-order trees (Koo et al. 2010, figures 1 and 2): the subgradient method
// on L(u, v) of dual_decomposition_relaxation.hpp.
//
//   u, v    +=  step x (z - y)                        z, y: what the automata and the tree chose
//   Koo      step = delta / (1 + eta)                 delta = L(first) - value(first tree),
//                                                     eta   = how often L has risen so far
//   Polyak   step = lambda x (L - best) / |z - y|^2   lambda starts at 1.9 and halves after 20 rounds
//                                                     without a better bound
//
// The answer is the best tree seen, under its full score. It is the best there is when z = y (agreement), or
// when the smallest L seen comes down to its value (bound). The fractional solution of the linear program that the dual
// belongs to is approached by the mean of the trees, weighted by the steps (Nedic and Ozdaglar 2009), here
// over about the last half of the rounds.
//
// A round costs O(n), the stale automata and one spanning tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "dual_decomposition_relaxation.hpp"
#include "stopwatch.hpp"

namespace treewright {

// A step of twice (L - best) / |z - y|^2 is the longest that cannot lead away from the best multipliers when L comes
// down to best. Trained models then need half the rounds that a start at 1 takes, random scores as many.
constexpr double polyak_start = 1.9;

enum class Certificate { none, agreement, bound };

struct DualOptions {
  RelaxationOptions pieces;
  bool polyak = false;
  int max_iterations = 5000;
  double tolerance = 1e-9;  // of the gap, relative to the value where that is above one
  double max_seconds = std::numeric_limits<double>::infinity();
  bool trace = false;
};

// One entry an iteration.
struct DualTrace {
  std::vector<double> dual, best;
  std::vector<int> disagreements, recomputed;
};

class DualDecomposition {
 public:
  // u and v are starting multipliers, one an arc, or null. True unless `interrupted` said so. When there is no
  // tree, value is -inf.
  bool solve(const Parts &parts, const DualOptions &options, const double *u, const double *v,
             const std::function<bool()> &interrupted) {
    Stopwatch watch(options.max_seconds, interrupted);
    options_ = options;
    value = forbidden, bound = std::numeric_limits<double>::infinity();
    certificate = Certificate::none, iterations = 0;
    trace = DualTrace();
    heads.assign(parts.nodes, -1);
    relaxation_.open(parts, options.pieces);
    if (!propagation_.run(parts, options.pieces.single_root, relaxation_.state)) return infeasible();
    if (u) relaxation_.u.assign(u, u + parts.arcs());
    if (v && parts.has_grand()) relaxation_.v.assign(v, v + parts.arcs());
    relaxation_.start();
    mean_.assign(parts.arcs(), 0.0), recent_ = mean_;
    mean_weight_ = recent_weight_ = 0;
    return descend(watch);
  }

  std::vector<int> heads;
  double value = forbidden, bound = forbidden;
  Certificate certificate = Certificate::none;
  int iterations = 0;
  DualTrace trace;
  const std::vector<double> &u() const { return relaxation_.u; }
  const std::vector<double> &v() const { return relaxation_.v; }

  // The share of each arc in the averaged trees; the tree itself when it is certified.
  std::vector<double> average() const {
    std::vector<double> shares(mean_.size());
    const double weight = mean_weight_ + recent_weight_;
    if (certificate == Certificate::none && weight > 0) {
      for (std::size_t id = 0; id < shares.size(); ++id) shares[id] = (mean_[id] + recent_[id]) / weight;
    } else if (value > forbidden) {
      const Parts &parts = relaxation_.parts();
      for (int m = 1; m < parts.nodes; ++m) shares[parts.find(heads[m], m)] = 1;
    }
    return shares;
  }

 private:
  bool infeasible() {
    value = bound = forbidden;
    return true;
  }

  bool descend(Stopwatch &watch) {
    double before = std::numeric_limits<double>::infinity(), lambda = polyak_start, delta = 0;
    int rises = 0, without_gain = 0;
    while (iterations < options_.max_iterations) {
      if (watch.interrupted()) return false;
      const double dual = relaxation_.evaluate();
      ++iterations;
      if (dual == forbidden) return infeasible();
      rises += dual > before + 1e-12 * std::max(1.0, std::abs(before));
      before = dual;
      without_gain = dual < bound ? 0 : without_gain + 1;
      if (dual < bound) bound = dual, rounding_ = relaxation_.rounding();
      take_tree();
      const int apart = relaxation_.disagreements();
      record(dual, apart);
      if (certify(apart)) return true;
      if (iterations == 1) delta = value > forbidden ? dual - value : 1 + std::abs(dual);
      if (without_gain == 20) lambda /= 2, without_gain = 0;
      const double target = value > forbidden ? value : dual - 1 - std::abs(dual);
      const double step = options_.polyak ? lambda * (dual - target) / apart : delta / (1 + rises);
      average_tree(step);
      relaxation_.move(step);
      if (watch.is_over()) break;
    }
    return true;
  }

  void take_tree() {
    if (!relaxation_.tree_changed()) return;
    const double found = relaxation_.value(relaxation_.tree());
    if (!(found > value) && iterations > 1) return;
    value = found;
    const Parts &parts = relaxation_.parts();
    for (int m = 1; m < parts.nodes; ++m) heads[m] = parts.head[relaxation_.tree()[m]];
  }

  void record(double dual, int apart) {
    if (!options_.trace) return;
    trace.dual.push_back(dual), trace.best.push_back(value);
    trace.disagreements.push_back(apart), trace.recomputed.push_back(relaxation_.recomputed());
  }

  bool certify(int apart) {
    const double slack = options_.tolerance * std::max(1.0, std::abs(value)) + rounding_;
    if (apart == 0)
      certificate = Certificate::agreement;
    else if (value > forbidden && bound <= value + slack)
      certificate = Certificate::bound;
    if (certificate == Certificate::none) return false;
    bound = std::max(bound, value);  // rounding
    return true;
  }

  // The mean starts anew at powers of two; the stretch before the last start still counts.
  void average_tree(double step) {
    if ((iterations & (iterations - 1)) == 0) {
      std::swap(mean_, recent_), mean_weight_ = recent_weight_;
      std::fill(recent_.begin(), recent_.end(), 0.0), recent_weight_ = 0;
    }
    for (int m = 1; m < relaxation_.parts().nodes; ++m) recent_[relaxation_.tree()[m]] += step;
    recent_weight_ += step;
  }

  DualOptions options_;
  Relaxation relaxation_;
  Propagation propagation_;
  std::vector<double> mean_, recent_;
  double mean_weight_ = 0, recent_weight_ = 0, rounding_ = 0;
};

}  // namespace treewright
