// The Lagrangian relaxation of second-order parsing: a spanning tree y, and a head automaton at every node, whose
// choices z need not agree with y. Multipliers u and v, one for each arc, penalise disagreement (Koo et al. 2010):
//
//   L(u, v) = max over trees y   of  sum over arcs of y  of  beta arc + u + v
//           + sum over nodes h of  max over z at h  of  its parts + (1 - beta) arc - u - v
//
// u belongs to the choice of h's modifiers, v to the choice of h's own head (models with grandparents
// only). For every u and v, L bounds the value of every tree from above; z - y is a direction of descent.
//
// Automata and words are solved again only when one of their multipliers changed, so a round costs
// O(n) and the automata that disagreed: O(L^2) a side with L candidates, O(G L^2) with G heads.
//
// Scores and multipliers are multiples of a grid (conditioning.hpp), so that L is computed without rounding as long as
// multipliers are not far larger than scores; otherwise rounding() bounds the error.
//
// Two facts about trees are written into the automata, which tightens the bound and costs nothing: the
// root has a child (exactly one with a single root), and no word's head is one of its modifiers. The automata of the
// paper do not have them (`facts = false`).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "base/scores.hpp"
#include "dual/arc_states.hpp"
#include "dual/automata.hpp"
#include "dual/dual_decomposition_tree.hpp"
#include "trees/conditioning.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct RelaxationOptions {
  bool projective = false;
  bool single_root = true;
  double beta = 0.001;  // the share of the arc scores in the subproblem of the tree
  Grid grid;            // of the scores, which are below 1 in magnitude; multipliers are multiples of its width
  bool facts = true;    // about trees, in the automata
};

class Relaxation {
 public:
  // Starts with every arc open and all multipliers zero.
  void open(const Parts &parts, const RelaxationOptions &options) {
    parts_ = parts;
    options_ = options;
    if (options_.facts && parts_.has_grand()) forbid_two_cycles();
    if (options_.facts && parts_.has_transitions())
      parts_.transition(1, 0, parts_.side_size(1)) = forbidden;  // the root has a child
    state.assign(parts_.arcs(), ArcState::open);
    u.assign(parts_.arcs(), 0.0);
    v.assign(parts_.arcs(), 0.0);
    allocate();
    start();
  }

  // After a change of state, u or v: everything is solved again.
  void start() {
    largest_ = 0;
    for (int id = 0; id < parts_.arcs(); ++id) {
      forced_[id] = state[id] == ArcState::forced;
      largest_ = std::max({largest_, std::abs(u[id]), std::abs(v[id])});
      set_scores(id);
    }
    for (int h = 0; h < parts_.nodes; ++h) touch_head(h, left | right);
    std::fill(changed_.begin(), changed_.end(), SiblingAutomaton::all);
    for (int m = 1; m < parts_.nodes; ++m) touch_word(m);
  }

  // Lays the parts out anew over the arcs that are not out, and starts. kept[id] is each one's number before.
  void shrink(std::vector<int> &kept);

  // L at the multipliers, with its y and z; -inf when there is no tree.
  double evaluate() {
    decode_automata();
    double value = 0;
    magnitude_ = 0;
    for (double part : head_value_) value += part, magnitude_ += std::abs(part);
    if (value > forbidden) value += decode_tree();
    if (value > forbidden) list_differences();
    return value;
  }

  // How many entries of z and y differ; 0: the tree is the best there is.
  int disagreements() const {
    int count = int(differences_.size());
    for (int h = 1; parts_.has_grand() && h < parts_.nodes; ++h) count += 2 * (upper_[h] != tree_[h]);
    return count;
  }

  // The arcs that either z or y has.
  const std::vector<int> &differences() const { return differences_; }

  // u and v a step towards agreement, at least as long as the grid is wide.
  void move(double length) {
    const double step = std::max(options_.grid.width(), multiplier(length));
    for (int id : differences_) {
      u[id] += chosen_[id] ? step : -step;
      largest_ = std::max(largest_, std::abs(u[id]));
      set_scores(id);
      touch_arc(id);
      touch_word(parts_.modifier[id]);
    }
    for (int h = 1; parts_.has_grand() && h < parts_.nodes; ++h) {
      if (upper_[h] == tree_[h]) continue;
      v[upper_[h]] += step, v[tree_[h]] -= step;
      largest_ = std::max({largest_, std::abs(v[upper_[h]]), std::abs(v[tree_[h]])});
      set_scores(upper_[h]), set_scores(tree_[h]);
      touch_head(h, upper);
      touch_word(h);
    }
  }

  // The value of a tree, given as the arc into each word, by the definition of the parts.
  double value(const std::vector<int> &tree);

  // How far the value of every tree with arc id, and of every tree without it, lies below L at least: what the
  // automata at both its ends lose and the tree's reduced cost. After evaluate(), which found a tree.
  void losses(std::vector<double> &with, std::vector<double> &without);

  // After losses(), of trees that may cross: the solution of the dual program that the reduced costs belong to.
  TreeDual tree_dual() const { return oracle_.dual(); }

  const Parts &parts() const { return parts_; }
  const std::vector<int> &tree() const { return tree_; }  // y: the arc into each word
  bool tree_changed() const { return tree_changed_; }     // since the evaluation before
  int recomputed() const { return recomputed_; }          // head automata, in the last evaluation

  // The nearest number that a multiplier or a step may be.
  double multiplier(double x) const {
    const double range = options_.grid.range();
    return options_.grid.round(std::min(std::max(x, -range), range));
  }

  // What rounding may have taken from L in the last evaluation. It is 0 unless multipliers have grown: a head with k
  // candidates adds at most k (4 + |u|) + 4 + |v|, where each score is below 1.
  double rounding() const {
    constexpr double most = 15;  // then k (4 + 15) + 4 + 15 is below the 64 x nodes up to which sums are exact
    if (largest_ <= most && magnitude_ <= options_.grid.range()) return 0;
    double total = 0;
    for (int h = 0; h < parts_.nodes; ++h) {
      const double terms = parts_.out_size(h) + 4;
      total += 4 * terms * terms * (4 + 2 * largest_);
    }
    total += 8.0 * parts_.nodes * parts_.nodes * (3 + 2 * largest_) + 4.0 * parts_.nodes * magnitude_;
    return std::numeric_limits<double>::epsilon() * total;
  }

  std::vector<ArcState> state;  // of each arc
  std::vector<double> u, v;     // of each arc

 private:
  enum : char { left = 1, right = 2, upper = 4 };  // what changed at a head

  void forbid_two_cycles() {
    for (int upper = 0; upper < parts_.arcs(); ++upper) {
      const int g = parts_.head[upper], h = parts_.modifier[upper];
      const int lower = g == 0 ? -1 : parts_.find(h, g);
      if (lower >= 0) parts_.grand(upper, lower) = forbidden;
    }
  }

  void allocate() {
    const int arcs = parts_.arcs(), nodes = parts_.nodes;
    for (auto *column : {&automaton_score_, &tree_score_}) column->resize(arcs);
    for (auto *column : {&chosen_, &in_tree_, &forced_}) column->assign(arcs, 0);
    for (auto *column : {&upper_, &tree_}) column->assign(nodes, -1);
    head_value_.assign(2 * nodes, 0.0);
    stale_head_.assign(nodes, 0), stale_heads_.clear();
    stale_word_.assign(nodes, 0), stale_words_.clear();
    changed_.assign(2 * nodes, SiblingAutomaton::all);
    if (int(grand_automata_.size()) < nodes) grand_automata_.resize(nodes), sibling_automata_.resize(2 * nodes);
    oracle_.open(parts_, options_.projective, options_.single_root);
  }

  void set_scores(int id) {
    if (state[id] == ArcState::out || parts_.arc[id] == forbidden) {
      automaton_score_[id] = tree_score_[id] = forbidden;
    } else {
      const double share = options_.grid.round(options_.beta * parts_.arc[id]);
      automaton_score_[id] = parts_.arc[id] - share - u[id];
      tree_score_[id] = share + (u[id] + v[id]);
    }
  }

  void touch_head(int h, char what) {
    if (!stale_head_[h]) stale_heads_.push_back(h);
    stale_head_[h] |= what;
  }
  void touch_arc(int id) {
    const int side = Parts::side_of(parts_.head[id], parts_.modifier[id]);
    touch_head(parts_.head[id], side % 2 ? right : left);
    changed_[side] = std::max(changed_[side], id - parts_.side_begin[side]);
  }
  void touch_word(int m) {
    if (!stale_word_[m]) stale_words_.push_back(m);
    stale_word_[m] = 1;
  }

  void decode_automata() {
    recomputed_ = int(stale_heads_.size());
    for (int h : stale_heads_) {
      if (h == 0) {
        decode_root();
      } else if (parts_.has_grand()) {
        decode_grand(h);
      } else {
        if (stale_head_[h] & left) decode_side(2 * h);
        if (stale_head_[h] & right) decode_side(2 * h + 1);
      }
      stale_head_[h] = 0;
    }
    stale_heads_.clear();
  }

  AutomatonSide side_of(int side) const {
    return automaton_side(parts_, side, automaton_score_.data(), forced_.data());
  }
  AutomatonHead head_of(int h) {
    upper_score_.resize(parts_.in_size(h));
    for (int g = 0; g < parts_.in_size(h); ++g) {
      const int id = parts_.in_arc[parts_.in_begin[h] + g];
      upper_score_[g] = state[id] == ArcState::out ? forbidden : -v[id];
    }
    return automaton_head(parts_, h, automaton_score_.data(), upper_score_.data(), forced_.data());
  }

  void decode_side(int side) {
    head_value_[side] =
        sibling_automata_[side].decode(side_of(side), chosen_.data() + parts_.side_begin[side], changed_[side]);
    changed_[side] = -1;
  }

  void decode_grand(int h) {
    int rank;
    head_value_[2 * h] = grand_automata_[h].decode(head_of(h), &rank, chosen_.data() + parts_.out_begin(h),
                                                   changed_[2 * h], changed_[2 * h + 1]);
    changed_[2 * h] = changed_[2 * h + 1] = -1;
    upper_[h] = rank < 0 ? -1 : parts_.in_arc[parts_.in_begin[h] + rank];
  }

  void decode_root() {
    char *chosen = chosen_.data() + parts_.side_begin[1];
    const int count = parts_.side_size(1);
    if (!options_.single_root || !options_.facts) {
      decode_side(1);
      if (!options_.facts || parts_.has_transitions() || std::find(chosen, chosen + count, 1) != chosen + count) return;
      // Nothing scores sequences and every arc costs: the best one child is the best choice of some.
    }
    std::fill_n(chosen, count, char(0));
    head_value_[1] = forbidden;
    int best = -1;
    for (int q = 0; q < count; ++q)
      if (only_child(q) > head_value_[1]) head_value_[1] = only_child(q), best = q;
    if (best >= 0) chosen[best] = 1;
  }

  // The value of the root with its candidate q and no other.
  double only_child(int q) const {
    const double score = automaton_score_[parts_.side_begin[1] + q];
    if (!parts_.has_transitions()) return score;
    return score + parts_.transition(1, 0, q) + parts_.transition(1, q + 1, parts_.side_size(1));
  }

  double decode_tree() {
    for (int m : stale_words_) {
      stale_word_[m] = 0;
      oracle_.look_again(m, tree_score_.data());
    }
    stale_words_.clear();
    tree_changed_ = false;
    const double value = oracle_.solve(tree_score_.data());
    for (int m = 1; m < parts_.nodes && value > forbidden; ++m) {
      const int id = oracle_.tree()[m];
      if (id == tree_[m]) continue;
      tree_changed_ = true;
      if (tree_[m] >= 0) in_tree_[tree_[m]] = 0;
      in_tree_[id] = 1;
      tree_[m] = id;
    }
    return value;
  }

  void list_differences() {
    differences_.clear();
    const std::size_t arcs = chosen_.size();
    for (std::size_t id = 0; id < arcs; ++id) {
      while (id + 8 <= arcs && std::memcmp(&chosen_[id], &in_tree_[id], 8) == 0) id += 8;
      if (id < arcs && chosen_[id] != in_tree_[id]) differences_.push_back(int(id));
    }
  }

  void lose_at_root(std::vector<double> &with, std::vector<double> &without) const;
  void lose_at_side(int side, std::vector<double> &with, std::vector<double> &without);
  void lose_at_grand(int h, std::vector<double> &with, std::vector<double> &without);
  void lose(int begin, int end, double best, std::vector<double> &with, std::vector<double> &without) const;

  Parts parts_ = Parts(1, 0, nullptr, nullptr, nullptr);
  RelaxationOptions options_;
  std::vector<double> automaton_score_, tree_score_;  // (1 - beta) arc - u and beta arc + u + v, of each arc
  std::vector<char> chosen_, in_tree_, forced_;       // z, y, and what must be in both, of each arc
  std::vector<int> differences_;                      // where z and y differ
  std::vector<int> upper_, tree_;                     // the arc into each word, by its automaton and by the tree
  std::vector<double> head_value_;                    // of each side; with grandparents both are in the left one's
  std::vector<int> stale_heads_, stale_words_;
  std::vector<char> stale_head_, stale_word_;
  int recomputed_ = 0;
  double largest_ = 0;    // no multiplier has been further from 0 since the start
  double magnitude_ = 0;  // the sum of the heads' values without their signs
  bool tree_changed_ = false;
  std::vector<int> changed_;  // the furthest candidate of each side whose score did
  // One a side and one a head: what did not change is not computed again; they also compute max-marginals.
  std::vector<SiblingAutomaton> sibling_automata_;
  std::vector<GrandAutomaton> grand_automata_;
  TreeOracle oracle_;
  std::vector<int> last_;
  std::vector<double> upper_score_, best_with_, best_without_;
};

inline double Relaxation::value(const std::vector<int> &tree) {
  const int nodes = parts_.nodes;
  double total = 0;
  for (int m = 1; m < nodes; ++m) {
    const int h = parts_.head[tree[m]];
    total += parts_.arc[tree[m]];
    if (parts_.has_grand() && h != 0) total += parts_.grand(tree[h], tree[m]);
  }
  if (!parts_.has_transitions()) return total;
  last_.assign(2 * nodes, 0);  // the state of each side's automaton
  const auto accept = [&](int id) {
    const int side = Parts::side_of(parts_.head[id], parts_.modifier[id]), q = id - parts_.side_begin[side];
    total += parts_.transition(side, last_[side], q);
    if (parts_.has_grandsib() && side >= 2) total += parts_.grandsib(tree[side / 2], side, last_[side], q);
    last_[side] = q + 1;
  };
  for (int m = 1; m < nodes; ++m)  // right sides, outwards
    if (parts_.head[tree[m]] < m) accept(tree[m]);
  for (int m = nodes - 1; m > 0; --m)  // left sides, outwards
    if (parts_.head[tree[m]] > m) accept(tree[m]);
  for (int side = 1; side < 2 * nodes; ++side) total += parts_.transition(side, last_[side], parts_.side_size(side));
  return total;
}

inline void Relaxation::shrink(std::vector<int> &kept) {
  kept.clear();
  const std::size_t arcs = parts_.arcs();
  const std::unique_ptr<bool[]> keep(new bool[arcs]);
  for (std::size_t id = 0; id < arcs; ++id)
    if ((keep[id] = state[id] != ArcState::out)) {
      state[kept.size()] = state[id], u[kept.size()] = u[id], v[kept.size()] = v[id];
      kept.push_back(int(id));
    }
  state.resize(kept.size()), u.resize(kept.size()), v.resize(kept.size());
  parts_ = parts_.restricted(keep.get());
  allocate();
  start();
}

inline void Relaxation::losses(std::vector<double> &with, std::vector<double> &without) {
  const int arcs = parts_.arcs();
  with.resize(arcs), best_with_.resize(arcs), best_without_.resize(arcs);
  without.assign(arcs, 0.0);
  oracle_.reduced_costs(tree_score_.data(), with.data());
  if (options_.single_root)
    lose_at_root(with, without);
  else
    lose_at_side(1, with, without);
  for (int h = 1; h < parts_.nodes; ++h) {
    if (parts_.has_grand()) {
      lose_at_grand(h, with, without);
    } else {
      lose_at_side(2 * h, with, without);
      lose_at_side(2 * h + 1, with, without);
    }
  }
}

inline void Relaxation::lose(int begin, int end, double best, std::vector<double> &with,
                             std::vector<double> &without) const {
  for (int id = begin; id < end; ++id) {
    with[id] += std::max(0.0, best - best_with_[id]);
    without[id] += std::max(0.0, best - best_without_[id]);
  }
}

inline void Relaxation::lose_at_side(int side, std::vector<double> &with, std::vector<double> &without) {
  const int begin = parts_.side_begin[side], end = parts_.side_begin[side + 1];
  if (begin == end) return;
  sibling_automata_[side].max_marginals(side_of(side), &best_with_[begin], &best_without_[begin]);
  lose(begin, end, head_value_[side], with, without);
}

inline void Relaxation::lose_at_root(std::vector<double> &with, std::vector<double> &without) const {
  const int begin = parts_.side_begin[1], end = parts_.side_begin[2];
  double second = forbidden;
  for (int id = begin; id < end; ++id)
    if (!chosen_[id]) second = std::max(second, only_child(id - begin));
  for (int id = begin; id < end; ++id) {
    with[id] += head_value_[1] - only_child(id - begin);
    if (chosen_[id]) without[id] += head_value_[1] - second;
  }
}

inline void Relaxation::lose_at_grand(int h, std::vector<double> &with, std::vector<double> &without) {
  const int begin = parts_.out_begin(h), end = begin + parts_.out_size(h);
  const double best = head_value_[2 * h];
  if (begin < end) {
    grand_automata_[h].max_marginals(head_of(h), &best_with_[begin], &best_without_[begin]);
    lose(begin, end, best, with, without);
  }
  const double *by_upper = grand_automata_[h].by_upper();
  const int *in = parts_.in_arc.data() + parts_.in_begin[h];
  double second = forbidden;
  for (int g = 0; g < parts_.in_size(h); ++g)
    if (in[g] != upper_[h]) second = std::max(second, by_upper[g]);
  for (int g = 0; g < parts_.in_size(h); ++g) {
    with[in[g]] += best - by_upper[g];
    if (in[g] == upper_[h]) without[in[g]] += best - second;
  }
}

}  // namespace treewright
