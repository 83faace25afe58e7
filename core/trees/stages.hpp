// Runs a search on conditioned scores (conditioning.hpp) and states its result in the units of the scores given.
//
// Large penalties, such as masks of -1e9, are first left out: each stage forbids the parts that lose at least a
// threshold (Losses::thresholds), the last stage none. A stage is enough when it finds a tree that loses less than its
// threshold. When all trees are decided and the gap is still above the tolerance, because the grid is too coarse or
// because the tolerance was that of a worse tree, the search is repeated without the parts that lose more than the
// whole tree found; they are in no better tree.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "trees/conditioning.hpp"
#include "trees/losses.hpp"
#include "trees/parts.hpp"

namespace treewright {

// A tree and an upper bound on what any other tree gains over it.
struct BoundedTree {
  std::vector<int> heads;
  double value = forbidden;  // -inf: no tree was found
  double bound = forbidden;  // on every tree, rounded upwards; -inf: there is none
  double gap = std::numeric_limits<double>::infinity();
  double spread = 0;  // of the scores around this tree; tolerances are relative to it

  bool is_certified(double tolerance) const { return value > forbidden && gap <= tolerance * spread; }
};

// What a search found in conditioned scores.
struct StageResult {
  const std::vector<int> *heads;
  double value, bound;
  bool is_complete;  // all trees are decided; otherwise a limit ended the search
  bool is_over;      // the limit is that of the caller, and nothing more can be done
};

// The tree and its bounds in the units of the given parts, from value and bound of the conditioned problem. The gap is
// that of the search alone unless the loss of the tree may be used, which is a bound too.
inline BoundedTree in_given_units(const Parts &given, Losses &losses, const Conditioning &problem,
                                  const std::vector<int> &heads, double value, double bound, bool uses_loss = true) {
  BoundedTree tree;
  tree.heads = heads;
  CheckedSum sum;
  const_cast<Parts &>(given).for_parts_of(heads.data(), [&](double score) { sum.add(score); });
  tree.value = sum.value();
  tree.gap = problem.gap(heads.data(), value, bound);
  if (uses_loss) tree.gap = std::min(tree.gap, losses.total(heads.data()));
  tree.spread = losses.spread(heads.data());
  tree.bound = sum.upper_bound(tree.gap);
  return tree;
}

class Stages {
 public:
  // search(problem, known tree or null, is_last) -> StageResult. problem() and losses() are those of the last call.
  // With a proof, bounds are those that the search records: none from losses, and no repetition, whose threshold
  // multipliers need not respect. keeps_unusable is that of conditioning.hpp.
  template <typename Search>
  BoundedTree run(const Parts &parts, bool single_root, double tolerance, bool has_proof, Search search,
                  bool keeps_unusable = false) {
    losses_.open(parts, single_root);
    has_proof_ = has_proof, keeps_unusable_ = keeps_unusable;
    const int max_tries = has_proof ? 0 : max_repetitions;
    BoundedTree best;
    std::vector<double> thresholds = losses_.thresholds();
    thresholds.push_back(Losses::infinity);
    bool is_done = false, is_complete = false;
    for (std::size_t stage = 0; stage < thresholds.size() && !is_done; ++stage) {
      const bool is_last = stage + 1 == thresholds.size();
      const StageResult found = call(parts, thresholds[stage], best, is_last, search);
      take(parts, found, is_last, best);
      is_complete = found.is_complete;
      is_done = found.is_over || (best.value > forbidden && losses_.total(best.heads.data()) <= thresholds[stage]);
    }
    for (int tries = 0; tries < max_tries && is_complete && is_blurred(best, tolerance); ++tries) {
      const StageResult found = call(parts, losses_.total(best.heads.data()), best, true, search);
      take(parts, found, true, best);
      is_complete = found.is_complete;
    }
    return best;
  }

  const Conditioning &problem() const { return problem_; }
  Losses &losses() { return losses_; }

 private:
  static constexpr int max_repetitions = 3;  // the first is enough unless it finds a far better tree; not tuned

  template <typename Search>
  StageResult call(const Parts &parts, double threshold, const BoundedTree &known, bool is_last, Search search) {
    problem_.open(parts, losses_, threshold, keeps_unusable_);
    return search(problem_, known.value > forbidden ? known.heads.data() : nullptr, is_last);
  }

  // Whether it is for the grid or the slack of the bounds that the tree is not certified.
  bool is_blurred(const BoundedTree &best, double tolerance) {
    constexpr double near = 1024;  // of the tolerance; not tuned
    if (best.value == forbidden || best.is_certified(tolerance)) return false;
    const double from_bounds = best.gap - problem_.error, allowed = tolerance * best.spread;
    const bool has_coarse_grid = problem_.largest_loss > losses_.total(best.heads.data());
    return from_bounds <= near * allowed && (has_coarse_grid || from_bounds > allowed);
  }

  // Only the last stage, which leaves out no penalties, can show that there is no tree.
  void take(const Parts &parts, const StageResult &found, bool is_last, BoundedTree &best) {
    if (found.value == forbidden) {
      if (best.value > forbidden) return;
      best.heads = *found.heads;
      const bool is_empty = is_last && found.is_complete && found.bound == forbidden;
      best.bound = is_empty ? forbidden : losses_.upper_bound();
      return;
    }
    best = in_given_units(parts, losses_, problem_, *found.heads, found.value, found.bound, !has_proof_);
  }

  Losses losses_;
  Conditioning problem_;
  bool has_proof_ = false, keeps_unusable_ = false;
};

}  // namespace treewright
