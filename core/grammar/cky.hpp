// The chart of Cocke, Kasami and Younger over a semiring: the best tree and sums over all trees of a grammar
// (rules.hpp), with constraints.
//
// Words are between the positions 0 .. n. For a symbol A over the words from i to j, with i < k < j:
//
//   base(A, i, i + 1) = lexical score of A for the word
//   base(A, i, j)     = sum over rules A -> B C   of  score(A -> B C) sum over k of  top(B, i, k) top(C, k, j)
//   top(A, i, j)      = sum over chains A .. B    of  score(chain) base(B, i, j)
//   total             = top(goal, 0, n)
//
// Outside weights, the derivatives of the total, come from the same sums in reverse order (Baker 1979). A tree is read
// from the top down: each maximum finds its term again, so there are no backpointers; of equal terms the first is
// taken.
//
// Constraints: nothing is over a closed span; over some spans only some chains are allowed.
//
// O(n^3 R) time for R rules, O(n^2 S) space for S symbols. The weights top(B, i, .) and top(C, ., j) are rows, with the
// range of positions where they are not zero, so that the sum over k runs along two rows where both ranges meet; most
// rules have no such k.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/semiring.hpp"
#include "grammar/extent_rows.hpp"
#include "grammar/rules.hpp"

namespace treewright {

// Constraints on one sentence. closed is [n + 1, n + 1] or null; each masked span has a flag for each chain.
struct SpanConstraints {
  const bool *closed = nullptr;
  int masked = 0;
  const std::int32_t *spans = nullptr;  // [masked, 2]
  const bool *allowed = nullptr;        // [masked, chains]
};

// A node of a tree: a chain over the words first .. last - 1. Nodes are listed parents first, from left to right.
struct ChainNode {
  int chain, first, last;
};

template <typename Semiring>
class CkyChart {
 public:
  // lexical is [words, preterminals], logarithms; `shift` is subtracted from each. All arguments are read until the
  // chart is filled the next time.
  void inside(const ContextFreeRules &rules, const double *lexical, int words, const SpanConstraints &constraints,
              double shift = 0) {
    rules_ = &rules, lexical_ = lexical, words_ = words, shift_ = shift, closed_ = constraints.closed;
    const std::size_t symbols = rules.symbols(), cells = std::size_t(words) * (words + 1) / 2;
    base_.assign(cells * symbols, Semiring::zero);
    left_.resize(words * symbols, words + 1);
    right_.resize(std::size_t(words + 1) * rules.rights(), words + 1);
    started_.assign(words, {});
    mask_.assign(cells, nullptr);
    for (int m = 0; m < constraints.masked; ++m)
      mask_[cell(constraints.spans[2 * m], constraints.spans[2 * m + 1])] =
          constraints.allowed + std::size_t(m) * rules.chains().size();
    load_scores();
    for (int i = words - 1; i >= 0; --i)  // in this order the rows of i stay in the cache
      for (int j = i + 1; j <= words; ++j) fill(i, j);
  }

  double total() const { return top(0, words_, rules_->goal()); }
  bool has_tree() const { return total() != Semiring::zero; }
  int words() const { return words_; }
  const ContextFreeRules &rules() const { return *rules_; }
  double top(int i, int j, int symbol) const { return left_.get(left_row(i, symbol), j); }
  double base(int i, int j, int symbol) const { return base_[at(i, j) + symbol]; }
  double chain_weight(int c) const { return chain_weight_[c]; }
  bool allows(int i, int j, int chain) const {
    const bool *mask = mask_[cell(i, j)];
    return !mask || mask[chain];
  }

  // After inside, for MaxPlus: the best tree with the goal over any span; top has it over all words only.
  double best_goal(int i, int j) const {
    double best = Semiring::zero;
    for (const int c : rules_->chains_of(rules_->goal()))
      if (allows(i, j, c)) best = std::max(best, chain_weight_[c] + base(i, j, rules_->chains()[c].bottom));
    return best;
  }

  // After inside, for MaxPlus: appends the best tree with a symbol at its top.
  void read_tree(int i, int j, int symbol, std::vector<ChainNode> &nodes) const {
    std::vector<Open> open{{i, j, symbol}};
    while (!open.empty()) {
      const Open item = open.back();
      open.pop_back();
      const int chain = best_chain(item);
      nodes.push_back({chain, item.i, item.j});
      if (item.j - item.i == 1) continue;
      const Split split = best_split(item.i, item.j, rules_->chains()[chain].bottom);
      open.push_back({split.k, item.j, split.right});
      open.push_back({item.i, split.k, split.left});
    }
  }

  // After inside, when there is a tree: brackets[label, i, j] and tags[i, preterminal], which are added to. Label lists
  // of chains are given by begins and labels. Returns the largest outside weight.
  double outside(const std::int32_t *label_begins, const std::int32_t *labels, double *brackets, double *tags) {
    outside_left_.resize_like(left_);
    outside_right_.resize_like(right_);
    *outside_left_.at(left_row(0, rules_->goal()), words_) = Semiring::over(Semiring::one, total());
    const std::size_t side = std::size_t(words_) + 1;
    std::vector<double> outer(rules_->symbols());
    double largest = Semiring::zero;
    for (int width = words_; width >= 1; --width)
      for (int i = 0; i + width <= words_; ++i) {
        const int j = i + width;
        std::fill(outer.begin(), outer.end(), Semiring::zero);
        const auto &chains = rules_->chains();
        for (std::size_t c = 0; c < chains.size(); ++c) {
          const UnaryChain &chain = chains[c];
          const double inner = base(i, j, chain.bottom);
          if (inner == Semiring::zero || !allows(i, j, int(c))) continue;
          const double above = Semiring::times(outside_top(i, j, chain.top), chain_weight_[c]);
          outer[chain.bottom] = Semiring::plus(outer[chain.bottom], above);
          const double posterior = Semiring::value(Semiring::times(above, inner));
          for (int l = label_begins[c]; l < label_begins[c + 1]; ++l)
            brackets[(std::size_t(labels[l]) * side + i) * side + j] += posterior;
        }
        largest = std::max(largest, *std::max_element(outer.begin(), outer.end()));
        if (width == 1)
          read_tags(i, outer, tags);
        else
          spread(i, j, outer);
      }
    return largest;
  }

  double largest_inside() const { return *std::max_element(base_.begin(), base_.end()); }

 private:
  using Rows = ExtentRows<Semiring>;
  using Pair = ContextFreeRules::Pair;
  struct Open {
    int i, j, symbol;
  };
  struct Split {
    int k, left, right;
  };

  static std::size_t cell(int i, int j) { return std::size_t(j) * (j - 1) / 2 + i; }
  std::size_t at(int i, int j) const { return cell(i, j) * rules_->symbols(); }
  std::size_t left_row(int i, int symbol) const { return std::size_t(i) * rules_->symbols() + symbol; }
  std::size_t right_row(int j, int number) const { return std::size_t(j) * rules_->rights() + number; }
  bool is_closed(int i, int j) const { return closed_ && closed_[std::size_t(i) * (words_ + 1) + j]; }

  double outside_top(int i, int j, int symbol) const {
    const int number = rules_->right_number(symbol);
    const double from_left = outside_left_.get(left_row(i, symbol), j);
    return number < 0 ? from_left : Semiring::plus(from_left, outside_right_.get(right_row(j, number), i));
  }

  void load_scores() {
    weights_.clear();
    chain_weight_.clear();
    for (const auto &parent : rules_->parents()) weights_.push_back(Semiring::of_log(parent.score));
    for (const UnaryChain &chain : rules_->chains()) chain_weight_.push_back(Semiring::of_log(chain.score));
  }

  void fill(int i, int j) {
    double *inner = &base_[at(i, j)];
    if (j - i == 1) {
      const auto &preterminals = rules_->preterminals();
      for (std::size_t p = 0; p < preterminals.size(); ++p)
        inner[preterminals[p]] = Semiring::of_log(lexical_[i * preterminals.size() + p] - shift_);
    } else {
      if (is_closed(i, j)) return;
      for_each_meeting(i, j, [&](const Pair &pair, const double *lefts, const double *rights, int, int count) {
        const double parts = Semiring::dot(lefts, rights, count);
        for (int p = pair.begin; p < pair.end; ++p) {
          double &sum = inner[rules_->parents()[p].symbol];
          sum = Semiring::plus(sum, Semiring::times(weights_[p], parts));
        }
      });
    }
    close(i, j, inner);
  }

  // Calls visit(pair, top(B, i, k ..), top(C, k .., j), k, count) for the pairs B, C of rules whose ranges meet.
  template <typename Visit>
  void for_each_meeting(int i, int j, Visit visit) const {
    const std::size_t rights = right_row(j, 0);
    for (const int left : started_[i]) {
      const std::size_t row = left_row(i, left);
      const auto from = left_.extent(row);
      const Pair *end = rules_->pairs().data() + rules_->end(left);
      for (const Pair *pair = rules_->pairs().data() + rules_->begin(left); pair != end; ++pair) {
        const auto to = right_.extent(rights + pair->right);
        const int k = std::max(from.begin, to.begin), count = std::min(from.end, to.end) - k;
        if (count > 0) visit(*pair, left_.at(row, k), right_.at(rights + pair->right, k), k, count);
      }
    }
  }

  // The chains above the nodes of a span.
  void close(int i, int j, const double *inner) {
    const bool is_whole = i == 0 && j == words_;
    const auto &chains = rules_->chains();
    row_.assign(rules_->symbols(), Semiring::zero);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const UnaryChain &chain = chains[c];
      if (inner[chain.bottom] == Semiring::zero || (chain.top == rules_->goal() && !is_whole)) continue;
      if (!allows(i, j, int(c))) continue;
      row_[chain.top] = Semiring::plus(row_[chain.top], Semiring::times(chain_weight_[c], inner[chain.bottom]));
    }
    for (int s = 0; s < rules_->symbols(); ++s) {
      if (row_[s] == Semiring::zero) continue;
      const std::size_t row = left_row(i, s);
      const auto used = left_.extent(row);
      if (used.begin == used.end) started_[i].push_back(s);
      left_.set(row, j, row_[s]);
      if (const int number = rules_->right_number(s); number >= 0) right_.set(right_row(j, number), i, row_[s]);
    }
  }

  // From the outside weights of the nodes of a span to those of their parts.
  void spread(int i, int j, const std::vector<double> &outer) {
    for_each_meeting(i, j, [&](const Pair &pair, const double *lefts, const double *rights, int k, int count) {
      double weight = Semiring::zero;
      for (int p = pair.begin; p < pair.end; ++p)
        weight = Semiring::plus(weight, Semiring::times(outer[rules_->parents()[p].symbol], weights_[p]));
      if (weight == Semiring::zero) return;
      Semiring::add_scaled(outside_left_.at(left_row(i, pair.left), k), weight, rights, count);
      Semiring::add_scaled(outside_right_.at(right_row(j, pair.right), k), weight, lefts, count);
    });
  }

  void read_tags(int i, const std::vector<double> &outer, double *tags) const {
    const auto &preterminals = rules_->preterminals();
    for (std::size_t p = 0; p < preterminals.size(); ++p)
      tags[i * preterminals.size() + p] =
          Semiring::value(Semiring::times(outer[preterminals[p]], base(i, i + 1, preterminals[p])));
  }

  int best_chain(const Open &item) const {
    int best = -1;
    double largest = Semiring::zero;
    for (const int c : rules_->chains_of(item.symbol)) {
      const double value = Semiring::times(chain_weight_[c], base(item.i, item.j, rules_->chains()[c].bottom));
      if (value > largest && allows(item.i, item.j, c)) best = c, largest = value;
    }
    return best;
  }

  Split best_split(int i, int j, int parent) const {
    Split best{-1, -1, -1};
    double largest = Semiring::zero;
    for (int k = i + 1; k < j; ++k)
      for (const BinaryRule &rule : rules_->rules_of(parent)) {
        const double value = rule.score + (top(i, k, rule.left) + top(k, j, rule.right));
        if (value > largest) best = {k, rule.left, rule.right}, largest = value;
      }
    return best;
  }

  const ContextFreeRules *rules_ = nullptr;
  const double *lexical_ = nullptr;
  const bool *closed_ = nullptr;
  int words_ = 0;
  double shift_ = 0;
  std::vector<double> weights_, chain_weight_;        // of rules and chains
  std::vector<double> base_, row_;                    // [cell, symbol], and the tops of one cell
  Rows left_, right_, outside_left_, outside_right_;  // top(B, i, .) and top(C, ., j)
  std::vector<std::vector<int>> started_;             // the symbols over some span that begins at a position
  std::vector<const bool *> mask_;                    // of the cells
};

}  // namespace treewright
