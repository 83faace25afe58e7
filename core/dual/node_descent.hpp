// Bounds the trees of one node of a search: those that have every arc that is forced and none that is out.
//
// From the multipliers as they are, Polyak steps bring L(u, v) of dual_decomposition_relaxation.hpp down:
//
//   step = lambda x (L - best) / |z - y|^2      lambda starts at 1.9, halved after rounds without a better bound
//
// until tree and automata agree, the bound comes down to the best value known, no tree is left, or 20 rounds gained
// less than a tenth of the gap. The best tree is that of all nodes: those that L passes, and a climb (climb.hpp).
//
// Every tenth round arcs are fixed (after Corro et al. 2016): an arc is out when L less what its use costs is no
// more than the best value, and forced when that holds for its absence. What the automata at its two ends lose
// (max-marginals) and what the tree loses (reduced costs) add up, for they belong to different terms of L. Then the
// consequences follow (arc_states.hpp), and where numbers of arcs are not kept elsewhere the parts are laid out anew
// over the arcs that are left.
//
// A round costs O(n), the stale automata and one spanning tree; fixing costs as much as a round that decodes all
// automata.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/deadline.hpp"
#include "dual/arc_states.hpp"
#include "dual/dual_decomposition_relaxation.hpp"
#include "dual/search_proof.hpp"
#include "search/climb.hpp"
#include "trees/conditioning.hpp"
#include "trees/losses.hpp"

namespace treewright {

enum class Certificate { none, agreement, bound };

// One entry an iteration; bound is one on all trees.
struct DualTrace {
  std::vector<double> dual, best, bound;
  std::vector<int> disagreements, recomputed;

  void add(double dual_value, double best_value, double bound_on_all, int apart, int stale_automata) {
    dual.push_back(dual_value), best.push_back(best_value), bound.push_back(bound_on_all);
    disagreements.push_back(apart), recomputed.push_back(stale_automata);
  }
};

class PolyakSteps {
 public:
  // Lambda is halved, or with `is_harmonic` divided by 1, 2, 3 and so on: then steps of a long run add up to any
  // length, and L comes down to its minimum even if the best value known stays below it.
  explicit PolyakSteps(int patience, bool is_harmonic = false) : patience_(patience), is_harmonic_(is_harmonic) {}

  void note(bool gained) { without_gain_ = gained ? 0 : without_gain_ + 1; }

  double next(double dual, double best, int apart) {
    if (without_gain_ == patience_) {
      ++reductions_, without_gain_ = 0;
      lambda_ = is_harmonic_ ? longest / (1 + reductions_) : lambda_ / 2;
    }
    const double target = best > forbidden ? best : dual - 1 - std::abs(dual);  // scores are below 1
    return lambda_ * (dual - target) / apart;
  }

 private:
  // A step of twice (L - best) / |z - y|^2 is the longest that cannot lead away from the best multipliers when L comes
  // down to best. Trained models then need half the rounds that a start at 1 takes, random scores as many.
  static constexpr double longest = 1.9;
  double lambda_ = longest;
  int without_gain_ = 0, reductions_ = 0, patience_;
  bool is_harmonic_;
};

// The limits of a descent, and the operations that it may use.
struct Effort {
  int rounds;
  int climb_after = 0;  // rounds; 0: not at all
  bool shrinks = false;
};

class NodeDescent {
 public:
  // All arcs open that are not forbidden, and the tree `known` the best so far, unless it is null. What is passed must
  // outlive the descents.
  void open(const Conditioning &problem, Losses &losses, RelaxationOptions pieces, double tolerance,
            long long max_iterations, Deadline &watch, const int *known) {
    const Parts &parts = problem.parts;
    given_ = &parts, losses_ = &losses, scale_ = problem.scale, error_ = problem.error, watch_ = &watch;
    shape_ = {pieces.single_root, pieces.projective}, tolerance_ = tolerance, max_iterations_ = max_iterations;
    heads.assign(parts.nodes, -1);
    value = closed = forbidden, slack_ = 0;
    iterations = 0;
    agreed = was_interrupted = false;
    pieces.grid = problem.grid;
    relaxation.open(parts, pieces);
    for (int id = 0; id < parts.arcs(); ++id)
      if (parts.arc[id] == forbidden) relaxation.state[id] = ArcState::out;
    if (known) take(parts.value(known), known);
    conflicts_.assign(parts.arcs(), 0);
    origin.resize(parts.arcs());
    for (int id = 0; id < parts.arcs(); ++id) origin[id] = id;
  }

  // The gap at which a bound is met.
  double slack() const { return slack_; }

  // Whether nothing under this bound is better than the best known; the bounds dropped for it are remembered.
  bool closes(double bound) {
    if (bound > forbidden && !(value > forbidden && bound <= value + slack())) return false;
    closed = std::max(closed, bound);
    return true;
  }

  bool is_over() {
    was_interrupted = was_interrupted || watch_->interrupted();
    return was_interrupted || iterations >= max_iterations_ || watch_->is_over();
  }

  bool is_out_of_time() { return was_interrupted || watch_->is_over(); }

  // False when no tree is left.
  bool propagate() { return propagation_.run(relaxation.parts(), shape_.single_root, relaxation.state); }

  // L at the multipliers, rounded upwards; its tree is taken when it is better than the best.
  double evaluate() {
    const double dual = relaxation.evaluate();
    ++iterations;
    if (dual == forbidden) return dual;
    take_tree();
    return dual + relaxation.rounding();
  }

  // The smallest L of the node's descent; -inf when no tree that is left is better than the best known.
  // each(L, disagreements, smallest L) after every iteration.
  template <typename Each>
  double descend(const Effort &effort, Each each) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double best = infinity, before = infinity;
    PolyakSteps steps(patience);
    // A proof without fixed arcs is shorter: at the root of a search that is recorded, arcs are fixed only after the
    // descent has stalled.
    bool fixes = !(proof && effort.shrinks);
    agreed = false;
    conflicts_.assign(relaxation.parts().arcs(), 0);
    for (int round = 1;; ++round) {
      const double dual = evaluate();
      const int apart = dual > forbidden ? relaxation.disagreements() : 0;
      steps.note(dual < best);
      best = std::min(best, dual);
      each(dual, apart, best);
      agreed = dual > forbidden && apart == 0;
      if (proof && (dual == best || apart == 0)) proof->note(relaxation, origin, dual);
      if (apart == 0) return closes(dual) ? forbidden : dual;  // no tree, or none better than the one agreed on
      if (round == effort.climb_after) climb();
      if (closes(best) || round >= effort.rounds || is_over()) return best;
      if (round % rounds_between_checks == 0) {
        if (before - best < min_gain * (best - value)) {
          if (fixes) return best;
          fixes = true;
        }
        before = best;
      }
      if (fixes && round % rounds_between_fixing == 0 && fix(dual)) {
        if (!propagate()) return forbidden;
        restart(effort.shrinks);
        continue;
      }
      for (int id : relaxation.differences()) ++conflicts_[id];
      relaxation.move(steps.next(dual, value, apart));
    }
  }

  // After a change of states: everything is solved again, over the arcs that are left.
  void restart(bool shrinks) {
    if (!shrinks) return relaxation.start();
    relaxation.shrink(kept_);
    for (std::size_t id = 0; id < kept_.size(); ++id)
      conflicts_[id] = conflicts_[kept_[id]], origin[id] = origin[kept_[id]];
    conflicts_.resize(kept_.size()), origin.resize(kept_.size());
  }

  // Local changes to the best tree so far: a better value makes steps better aimed, and fixes more.
  void climb() {
    climbed_ = heads;
    const double found = climber_.improve(*given_, shape_, climbed_.data());
    if (found > value) take(found, climbed_.data());
  }

  // How often tree and automata disagreed about each arc in the last descent.
  const std::vector<int> &conflicts() const { return conflicts_; }

  Relaxation relaxation;
  std::vector<int> origin;  // the number that each of its arcs was given with
  std::vector<int> heads;   // of the best tree found, whose value is `value`
  double value = forbidden;
  double closed = forbidden;  // the highest bound that anything was dropped for
  long long iterations = 0;
  bool agreed = false;  // the last descent ended so
  bool was_interrupted = false;
  SearchProof *proof = nullptr;  // where the bounds are recorded; null: nowhere

 private:
  static constexpr int rounds_between_fixing = 10, rounds_between_checks = 20;  // not tuned
  static constexpr int patience = 5;       // rounds without a better bound before steps are halved; not tuned
  static constexpr double min_gain = 0.1;  // of the gap, between checks; not tuned

  void take_tree() {
    if (!relaxation.tree_changed()) return;
    const double found = relaxation.value(relaxation.tree());
    if (!(found > value) && heads.back() >= 0) return;
    const Parts &parts = relaxation.parts();
    found_.assign(parts.nodes, -1);
    for (int m = 1; m < parts.nodes; ++m) found_[m] = parts.head[relaxation.tree()[m]];
    take(found, found_.data());
  }

  // The share of the tolerance that bounds may use; the rest is for the rounding of scores to the grid, and for a
  // spread that comes down with a better tree. Not tuned.
  static constexpr double share_of_bounds = 0.25;
  static constexpr double share_of_error = 1.0 / 64;  // not tuned

  void take(double found, const int *tree) {
    value = found;
    heads.assign(tree, tree + heads.size());
    if (value == forbidden) return;
    const double tolerated = tolerance_ * losses_->search_spread(tree);
    slack_ = share_of_bounds * tolerated * scale_;
    // Where the rounding of scores to the grid alone is more than the tolerance, no bound leads to a certificate.
    if (tolerated < error_) slack_ = std::max(slack_, share_of_error * error_ * scale_);
  }

  // Whether the bound decided some open arc. To be called after evaluate(), which returned dual.
  bool fix(double dual) {
    if (value == forbidden) return false;
    relaxation.losses(with_, without_);
    const double upper = dual + 4 * relaxation.rounding();  // losses are differences of terms of L
    fixed_in_.clear(), fixed_out_.clear();
    for (int id = 0; id < relaxation.parts().arcs(); ++id) {
      ArcState &state = relaxation.state[id];
      if (state != ArcState::open) continue;
      if (closes(upper - with_[id]))
        state = ArcState::out, fixed_out_.push_back(id);
      else if (closes(upper - without_[id]))
        state = ArcState::forced, fixed_in_.push_back(id);
    }
    const bool changed = !fixed_in_.empty() || !fixed_out_.empty();
    if (proof && changed) proof->fix(relaxation, origin, fixed_in_, fixed_out_);
    return changed;
  }

  const Parts *given_ = nullptr;
  Losses *losses_ = nullptr;
  double scale_ = 1, error_ = 0, slack_ = 0;
  Deadline *watch_ = nullptr;
  TreeShape shape_;
  double tolerance_ = 0;
  long long max_iterations_ = 0;
  Propagation propagation_;
  Climber climber_;
  std::vector<int> climbed_, found_, conflicts_, kept_, fixed_in_, fixed_out_;
  std::vector<double> with_, without_;
};

}  // namespace treewright
