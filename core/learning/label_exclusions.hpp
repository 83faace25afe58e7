// The best labels of the modifiers of one head, where some labels exclude each other.
//
// Labels a and b exclude each other if no two modifiers of one head may have them; a label that may occur once excludes
// itself. Modifiers are labelled one after the other, and a state is the set of excluding labels that are in use:
//
//   best(S + l) = max over S and l of best(S) + score(m, l)
//
// Labels without exclusions leave the set as it is, so that only the best of them matters for each modifier. An
// assignment with fewer violations is better than one with a higher score: where the candidates of the modifiers permit
// no valid assignment, as few exclusions as possible are violated. A state that cannot become better than the greedy
// assignment, even with the best label of every modifier that is left, is dropped.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treewright {

struct LabelChoice {
  std::int32_t label;
  float score;
};

class LabelExclusions {
 public:
  static constexpr int max_labels = 64;  // that exclude some label: a set of them is one word of memory

  LabelExclusions() = default;

  // Each pair of labels exclude each other; the labels of the pairs are at most max_labels different ones.
  LabelExclusions(int labels, const std::vector<std::pair<int, int>> &pairs) : bit_(labels, 0), excluded_(labels, 0) {
    std::uint64_t next = 1;
    const auto bit = [&](int label) {
      if (!bit_[label]) bit_[label] = next, next <<= 1;
      return bit_[label];
    };
    for (const auto &[a, b] : pairs) excluded_[a] |= bit(b), excluded_[b] |= bit(a);
  }

  bool empty() const { return bit_.empty(); }

  // Whether two of the labels exclude each other.
  template <typename Labels>
  bool has_violation(const Labels &labels) const {
    std::uint64_t used = 0;
    for (const std::int32_t label : labels) {
      if (used & excluded_[label]) return true;
      used |= bit_[label];
    }
    return false;
  }

  // The best label of each modifier; choices[i] are those of the i-th.
  void assign(const std::vector<std::vector<LabelChoice>> &choices, std::vector<std::int32_t> &labels) {
    const State greedy = greedy_assignment(choices);
    double left = 0;  // the best score of the modifiers that are not labelled yet
    for (const std::vector<LabelChoice> &some : choices) left += best_score(some);
    // The slack covers the rounding of sums in different orders.
    Limit limit{greedy.violations, greedy.score - 1e-9 * (1 + std::abs(greedy.score) + std::abs(left))};
    states_.assign(1, State{});
    std::size_t begin = 0;
    for (const std::vector<LabelChoice> &some : choices) {
      const std::size_t end = states_.size();
      place_.clear();
      left -= best_score(some), limit.left = left;
      for (std::size_t from = begin; from < end; ++from) extend(from, end, some, limit);
      if (states_.size() - end > max_states) keep_best(end);
      begin = end;
    }
    labels.resize(choices.size());
    int at = int(std::min_element(states_.begin() + begin, states_.end(), is_better) - states_.begin());
    for (std::size_t i = choices.size(); i-- > 0; at = states_[at].before) labels[i] = states_[at].label;
  }

 private:
  struct State {
    std::uint64_t used = 0;
    int violations = 0, before = -1;
    double score = 0;
    std::int32_t label = -1;
  };

  // What a state must not exceed, and reach with the modifiers that are left if it has as many violations.
  struct Limit {
    int violations;
    double score, left = 0;
  };

  static double best_score(const std::vector<LabelChoice> &choices) {
    double best = choices[0].score;
    for (const LabelChoice &choice : choices) best = std::max(best, double(choice.score));
    return best;
  }

  // Not tuned: a layer with more states, which takes a head with dozens of modifiers, keeps the best of them.
  static constexpr std::size_t max_states = 4096;

  static bool is_better(const State &a, const State &b) {
    return a.violations != b.violations ? a.violations < b.violations : a.score > b.score;
  }

  State after(const State &state, int before, LabelChoice choice) const {
    const bool violates = state.used & excluded_[choice.label];
    return {state.used | bit_[choice.label], state.violations + violates, before, state.score + choice.score,
            choice.label};
  }

  // States that follow states_[from], in the layer that begins at `end`.
  void extend(std::size_t from, std::size_t end, const std::vector<LabelChoice> &choices, const Limit &limit) {
    const LabelChoice *free = nullptr;
    for (const LabelChoice &choice : choices) {
      if (bit_[choice.label])
        add(after(states_[from], int(from), choice), end, limit);
      else if (!free || choice.score > free->score)
        free = &choice;
    }
    if (free) add(after(states_[from], int(from), *free), end, limit);
  }

  void add(const State &state, std::size_t end, const Limit &limit) {
    if (state.violations > limit.violations) return;
    if (state.violations == limit.violations && state.score + limit.left < limit.score) return;
    const auto [found, is_new] = place_.try_emplace(state.used, states_.size() - end);
    if (is_new)
      states_.push_back(state);
    else if (is_better(state, states_[end + found->second]))
      states_[end + found->second] = state;
  }

  void keep_best(std::size_t end) {
    std::stable_sort(states_.begin() + end, states_.end(), is_better);
    states_.resize(end + max_states);
  }

  // Each modifier takes its best label that violates nothing.
  State greedy_assignment(const std::vector<std::vector<LabelChoice>> &choices) const {
    State state;
    for (const std::vector<LabelChoice> &some : choices) {
      State best = after(state, 0, some[0]);
      for (const LabelChoice &choice : some) {
        const State next = after(state, 0, choice);
        if (is_better(next, best)) best = next;
      }
      state = best;
    }
    return state;
  }

  std::vector<std::uint64_t> bit_, excluded_;  // by label: its own bit, 0 without exclusions; the bits it excludes
  std::vector<State> states_;
  std::unordered_map<std::uint64_t, std::size_t> place_;  // in the layer, by the set in use
};

}  // namespace treewright
