// Head automata: the best set of modifiers of one head, read outwards from it (Koo et al. 2010, section 4).
//
// A side of a head has L candidate modifiers, numbered outwards from 0. State 0 is START, state i has
// just accepted candidate i - 1; table(p, q) scores the step from state p to candidate q, or to END
// when q = L: one (L + 1) x (L + 1) table, laid out as in parts.hpp.
//
//   ahead(q)      = score(q) + completion(q + 1),  ahead(L) = 0
//   completion(p) = max over p <= q <= L  of  table(p, q) + ahead(q)            value = completion(0)
//   arrival(q+1)  = score(q) + max over p <= q  of  arrival(p) + table(p, q),   arrival(0) = 0
//
//   with(q)    = arrival(q + 1) + completion(q + 1)                             max-marginals
//   without(q) = max over p <= q < r  of  arrival(p) + table(p, r) + ahead(r)
//
// A forced candidate may not be stepped over: state p reaches no further than the first one at or after
// it. With grandparents both sides share the head's own head g, whose scores are added to each accepted
// candidate: the same recurrences once for every g, side by side in memory. Grand-sibling scores depend on g and on the
// step, table(p, q) + grandsib(g, p, q), and leave the cost as it is.
//
// SiblingAutomaton O(L^2), GrandAutomaton O(G L^2) for G candidate heads, StateAutomaton O(L S^2) for S
// states of the caller's. The forward pass keeps maxima only; the path finds each argmax again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/rows.hpp"
#include "trees/parts.hpp"

namespace treewright {

// One side of a head: the input of its automaton.
struct AutomatonSide {
  int count;                     // L
  const double *table;           // (L + 1) x (L + 1); null: all zero
  const double *scores;          // what accepting each candidate adds; -inf forbids it
  const char *forced = nullptr;  // candidates that must be accepted; null: none
  // Grand-siblings: for each cell of the table one score for each candidate head of the head; null: all zero.
  const double *grandsib = nullptr;
};

// scores and forced are indexed by arc number.
inline AutomatonSide automaton_side(const Parts &parts, int side, const double *scores, const char *forced = nullptr) {
  const int first = parts.side_begin[side];
  return {parts.side_size(side),
          parts.has_transitions() ? parts.transitions.data() + parts.transition_begin[side] : nullptr, scores + first,
          forced ? forced + first : nullptr,
          parts.has_grandsib() && side >= 2 ? parts.grandsibs.data() + parts.grandsib_begin[side] : nullptr};
}

class SiblingAutomaton {
 public:
  static constexpr int all = std::numeric_limits<int>::max();

  // Sets chosen[q] to 1 for the modifiers of the best sequence and to 0 for the others; returns its
  // value, -inf (and nothing chosen) when none is allowed. When the last call was on the same side and only scores of
  // candidates up to `changed` are new, the completions beyond it are kept.
  double decode(const AutomatonSide &side, char *chosen, int changed = all) {
    const double value = complete(side, changed);
    std::fill_n(chosen, side.count, char(0));
    if (value == forbidden) return value;
    for (int p = 0;;) {
      const double *row = row_of(p);
      int next = p;
      for (int q = p + 1; q <= reach_[p]; ++q)
        if (row[q] + ahead_[q] > row[next] + ahead_[next]) next = q;
      if (next == count_) return value;
      chosen[next] = 1;
      p = next + 1;
    }
  }

  // The value alone.
  double complete(const AutomatonSide &side, int changed = all) {
    if (changed == all) open(side);
    for (int p = std::min(count_, changed); p >= 0; --p) {
      if (p < count_) ahead_[p] = side.scores[p] + completion_[p + 1];
      const double *row = row_of(p), *ahead = ahead_.data();
      completion_[p] = max_of_sums(row + p, ahead + p, reach_[p] - p + 1);
    }
    return completion_[0];
  }

  // The best value with each candidate and the best without it; to be called after decode or complete
  // on the same side.
  void max_marginals(const AutomatonSide &side, double *with, double *without) {
    arrival_.assign(count_ + 1, forbidden);
    arrival_[0] = 0;
    std::fill_n(without, count_, forbidden);
    for (int p = 0; p <= count_; ++p) {
      if (p > 0) {
        arrival_[p] += side.scores[p - 1];
        with[p - 1] = arrival_[p] + completion_[p];
      }
      const double *row = row_of(p);
      for (int q = p; q < count_ && q <= reach_[p]; ++q)
        arrival_[q + 1] = std::max(arrival_[q + 1], arrival_[p] + row[q]);
      double over = forbidden;  // the best step from p to something beyond q
      for (int q = reach_[p] - 1; q >= p; --q) {
        over = std::max(over, row[q + 1] + ahead_[q + 1]);
        without[q] = std::max(without[q], arrival_[p] + over);
      }
    }
  }

 private:
  const double *row_of(int p) const { return table_ + std::size_t(p) * stride_; }

  void open(const AutomatonSide &side) {
    count_ = side.count;
    if (int(ahead_.size()) <= count_) {
      for (auto *row : {&ahead_, &completion_, &zeros_}) row->resize(count_ + 1);
      reach_.resize(count_ + 1);
    }
    table_ = side.table ? side.table : zeros_.data();
    stride_ = side.table ? count_ + 1 : 0;
    ahead_[count_] = 0;
    for (int p = count_, reach = count_; p >= 0; --p) {
      if (p < count_ && side.forced && side.forced[p]) reach = p;
      reach_[p] = reach;
    }
  }

  int count_ = 0;
  const double *table_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<double> ahead_, completion_, arrival_, zeros_;
  std::vector<int> reach_;
};

// Both sides of a head that has one of several candidate heads itself.
struct AutomatonHead {
  AutomatonSide left, right;
  int uppers;                  // candidate heads g; 1 for the root, which has none
  const double *upper_scores;  // what each adds; null: nothing
  const double *grand;         // uppers x (left.count + right.count), left candidates first; null: all zero
};

// scores and forced are indexed by arc number; upper_scores by the rank of the arc into h.
inline AutomatonHead automaton_head(const Parts &parts, int h, const double *scores, const double *upper_scores,
                                    const char *forced = nullptr) {
  return {automaton_side(parts, 2 * h, scores, forced), automaton_side(parts, 2 * h + 1, scores, forced),
          h == 0 ? 1 : parts.in_size(h), h == 0 ? nullptr : upper_scores,
          h > 0 && parts.has_grand() ? parts.grands.data() + parts.grand_begin[h] : nullptr};
}

class GrandAutomaton {
 public:
  static constexpr int all = SiblingAutomaton::all;

  // The best head g (its rank, -1 when nothing is allowed) and modifiers: chosen holds left.count + right.count
  // entries, left first. When the last call was on the same head and only scores of candidates up to `left` and `right`
  // are new (-1: none), the completions beyond them are kept; upper_scores may be new in any case.
  double decode(const AutomatonHead &head, int *upper, char *chosen, int left = all, int right = all) {
    complete(head, left, right);
    std::fill_n(chosen, head.left.count + head.right.count, char(0));
    *upper = -1;
    double best = forbidden;
    for (int g = 0; g < head.uppers; ++g)
      if (by_upper_[g] > best) best = by_upper_[g], *upper = g;
    if (*upper < 0) return best;
    follow(head.left, sides_[0], *upper, chosen);
    follow(head.right, sides_[1], *upper, chosen + head.left.count);
    return best;
  }

  // Fills by_upper(), the best value with each candidate head, and returns the largest.
  double complete(const AutomatonHead &head, int left = all, int right = all) {
    complete_side(head, head.left, 0, sides_[0], left);
    complete_side(head, head.right, head.left.count, sides_[1], right);
    if (int(by_upper_.size()) < head.uppers) by_upper_.resize(head.uppers);
    double best = forbidden;
    for (int g = 0; g < head.uppers; ++g) {
      by_upper_[g] = sides_[0].completion[g] + sides_[1].completion[g] + (head.upper_scores ? head.upper_scores[g] : 0);
      best = std::max(best, by_upper_[g]);
    }
    return best;
  }

  // After decode or complete: the best value with each candidate head.
  const double *by_upper() const { return by_upper_.data(); }

  // The best value with each candidate modifier and the best without it, left candidates first; to be
  // called after decode or complete on the same head.
  void max_marginals(const AutomatonHead &head, double *with, double *without) {
    std::fill_n(with, head.left.count + head.right.count, forbidden);
    std::fill_n(without, head.left.count + head.right.count, forbidden);
    marginals_of_side(head, head.left, 0, sides_[0], sides_[1], with, without);
    marginals_of_side(head, head.right, head.left.count, sides_[1], sides_[0], with + head.left.count,
                      without + head.left.count);
  }

 private:
  struct Charts {
    std::vector<double> ahead, completion;  // one row a candidate or state, one column a candidate head
    std::vector<int> reach;
  };

  static double step(const AutomatonSide &side, int p, int q) {
    return side.table ? side.table[std::size_t(p) * (side.count + 1) + q] : 0;
  }
  // The grand-sibling scores of a step, one a candidate head; null: all zero.
  const double *grandsibs(const AutomatonSide &side, int p, int q) const {
    return side.grandsib ? side.grandsib + (std::size_t(p) * (side.count + 1) + q) * uppers_ : nullptr;
  }
  double step(const AutomatonSide &side, int p, int q, int g) const {
    return step(side, p, q) + (side.grandsib ? grandsibs(side, p, q)[g] : 0);
  }

  void open_side(const AutomatonHead &head, const AutomatonSide &side, Charts &charts) {
    const std::size_t cells = std::size_t(side.count + 1) * head.uppers;
    if (charts.ahead.size() < cells) charts.ahead.resize(cells), charts.completion.resize(cells);
    if (int(charts.reach.size()) <= side.count) charts.reach.resize(side.count + 1);
    std::fill_n(charts.ahead.data() + std::size_t(side.count) * head.uppers, head.uppers, 0.0);
    for (int p = side.count, reach = side.count; p >= 0; --p) {
      if (p < side.count && side.forced && side.forced[p]) reach = p;
      charts.reach[p] = reach;
    }
    uppers_ = head.uppers;
  }

  void complete_side(const AutomatonHead &head, const AutomatonSide &side, int offset, Charts &charts, int changed) {
    if (changed == all) open_side(head, side, charts);
    const int uppers = head.uppers, columns = head.left.count + head.right.count;
    for (int p = std::min(side.count, changed); p >= 0; --p) {
      double *completion = charts.completion.data() + std::size_t(p) * uppers;
      double *ahead = charts.ahead.data() + std::size_t(p) * uppers;
      if (p < side.count) {
        const double *grand = head.grand ? head.grand + offset + p : nullptr;
        for (int g = 0; g < uppers; ++g)
          ahead[g] = completion[uppers + g] + side.scores[p] + (grand ? grand[std::size_t(g) * columns] : 0);
      }
      std::fill_n(completion, uppers, forbidden);
      for (int q = p; q <= charts.reach[p]; ++q) {
        const double score = step(side, p, q);
        const double *from = charts.ahead.data() + std::size_t(q) * uppers;
        if (const double *own = grandsibs(side, p, q)) {
#pragma omp simd
          for (int g = 0; g < uppers; ++g) completion[g] = std::max(completion[g], score + own[g] + from[g]);
          continue;
        }
#pragma omp simd
        for (int g = 0; g < uppers; ++g)
          completion[g] = score + from[g] > completion[g] ? score + from[g] : completion[g];
      }
    }
  }

  void follow(const AutomatonSide &side, const Charts &charts, int g, char *chosen) const {
    const auto value = [&](int p, int q) { return step(side, p, q, g) + charts.ahead[std::size_t(q) * uppers_ + g]; };
    for (int p = 0;;) {
      int next = p;
      for (int q = p + 1; q <= charts.reach[p]; ++q)
        if (value(p, q) > value(p, next)) next = q;
      if (next == side.count) return;
      chosen[next] = 1;
      p = next + 1;
    }
  }

  void marginals_of_side(const AutomatonHead &head, const AutomatonSide &side, int offset, const Charts &charts,
                         const Charts &other, double *with, double *without) {
    const int count = side.count, columns = head.left.count + head.right.count;
    for (int g = 0; g < head.uppers; ++g) {
      arrival_.assign(count + 1, forbidden);
      arrival_[0] = other.completion[g] + (head.upper_scores ? head.upper_scores[g] : 0);
      for (int p = 0; p <= count; ++p) {
        if (p > 0) {
          arrival_[p] += side.scores[p - 1];
          if (head.grand) arrival_[p] += head.grand[std::size_t(g) * columns + offset + p - 1];
          with[p - 1] = std::max(with[p - 1], arrival_[p] + charts.completion[std::size_t(p) * uppers_ + g]);
        }
        for (int q = p; q < count && q <= charts.reach[p]; ++q)
          arrival_[q + 1] = std::max(arrival_[q + 1], arrival_[p] + step(side, p, q, g));
        double over = forbidden;  // the best step from p to something beyond q
        for (int q = charts.reach[p] - 1; q >= p; --q) {
          over = std::max(over, step(side, p, q + 1, g) + charts.ahead[std::size_t(q + 1) * uppers_ + g]);
          without[q] = std::max(without[q], arrival_[p] + over);
        }
      }
    }
  }

  int uppers_ = 0;
  Charts sides_[2];
  std::vector<double> by_upper_, arrival_, over_;
};

// States of the caller's: accepting candidate q in state s and going to state t scores moves(q, s, t), passing
// it over, unless it is forced, keeps the state and scores nothing. start and stop score the first and the last state.
//
//   completion(L, s) = stop(s)
//   completion(q, s) = max( completion(q + 1, s),  max over t of  moves(q, s, t) + completion(q + 1, t) )
struct StateTable {
  int count, states;
  const double *start, *stop;    // states
  const double *moves;           // count x states x states
  const bool *forced = nullptr;  // candidates that must be accepted; null: none

  bool is_forced(int q) const { return forced && forced[q]; }
};

class StateAutomaton {
 public:
  // entered[q] is the state entered with candidate q, -1 when it was passed over; *first the state started in.
  double decode(const StateTable &table, int *first, int *entered) {
    complete(table);
    std::fill_n(entered, table.count, -1);
    *first = -1;
    double best = forbidden;
    for (int s = 0; s < table.states; ++s)
      if (table.start[s] + *completion(0, s) > best) best = table.start[s] + *completion(0, s), *first = s;
    for (int q = 0, s = *first; s >= 0 && q < table.count; ++q) {
      if (!table.is_forced(q) && *completion(q, s) == *completion(q + 1, s)) continue;
      const double *row = moves(table, q, s), *next = completion(q + 1, 0);
      int to = 0;
      for (int t = 1; t < table.states; ++t)
        if (row[t] + next[t] > row[to] + next[to]) to = t;
      entered[q] = s = to;
    }
    return best;
  }

 private:
  static const double *moves(const StateTable &table, int q, int s) {
    return table.moves + (std::size_t(q) * table.states + s) * table.states;
  }
  double *completion(int q, int s) { return completion_.data() + std::size_t(q) * states_ + s; }

  void complete(const StateTable &table) {
    states_ = table.states;
    completion_.resize(std::size_t(table.count + 1) * table.states);
    std::copy_n(table.stop, table.states, completion(table.count, 0));
    for (int q = table.count - 1; q >= 0; --q)
      for (int s = 0; s < table.states; ++s) {
        const double *row = moves(table, q, s), *next = completion(q + 1, 0);
        double best = table.is_forced(q) ? forbidden : next[s];
        for (int t = 0; t < table.states; ++t) best = std::max(best, row[t] + next[t]);
        *completion(q, s) = best;
      }
  }

  int states_ = 0;
  std::vector<double> completion_;
};

}  // namespace treewright
