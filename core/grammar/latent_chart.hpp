// Chart of a latent-variable grammar: sums over all trees and substates of a sentence, coarse to fine.
//
// With the weights of latent_rules.hpp, for substate x of A over the words from i to j, and i < k < j:
//
//   base(A_x, i, i + 1)   = probability of the word
//   base(A_x, i, j)       = sum over rules A -> B C, y, z  of  weight[x, y, z] split(B_y, C_z, i, j)
//   split(B_y, C_z, i, j) = sum over k  of  top(B_y, i, k) top(C_z, k, j)
//   top(A_x, i, j)        = sum over chains A .. B, y  of  weight[x, y] base(B_y, i, j)
//
// Outside weights are the derivatives of the total. The sums over k run first, so that a rule costs K^3 once for a span
// and K^2 for each k. Where no k has both children is seen from two sets of bits.
//
// Numbers of a span share one exponent of two, which is that of the largest; outside weights have the inverse exponent,
// so that outside times inside is the probability of a substate. Nothing underflows in long sentences.
//
// Coarse to fine (Petrov and Klein 2007): a grammar has levels, with more and more substates. After the sums of a level
// the substates over a span whose probability is below a threshold are left out at the next level.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "grammar/cky.hpp"
#include "grammar/latent_rules.hpp"

namespace treewright {

// A level of a grammar with its weights; the substates of the level before are given by `coarser`.
struct LatentLevel {
  LatentShape shape;
  std::vector<double> rules, chains;
  std::vector<std::vector<int>> rules_of;  // by parent
  std::vector<int> preterminals;
  std::vector<std::size_t> word_at;  // of each preterminal, in a row of probabilities of a word; one more at the end
  std::vector<int> coarser;          // of each substate, counted over all symbols: its substate at the level before

  void index() {
    rules_of.assign(shape.symbols(), {});
    for (std::size_t r = 0; r < shape.rules.size(); ++r) rules_of[shape.rules[r][0]].push_back(int(r));
    word_at.assign(1, 0);
    for (int tag : preterminals) word_at.push_back(word_at.back() + shape.states[tag]);
  }
};

// Probabilities of what is in a tree of a sentence: a rule over i, k, j; a chain over i, j (k is 0 there).
struct LatentEvent {
  std::int32_t i, k, j, number;
  double probability;
};

// Substates over spans that may be used: flags [cell, substate] for tops and for bases; empty if all may be used.
struct LatentMask {
  std::vector<std::uint8_t> top, base;
};

class LatentChart {
 public:
  // words is [words, states of all preterminals]; every row is scaled so that its largest entry is 1, which changes no
  // probability of a tree. Returns false if there is no tree.
  bool inside(const LatentLevel &level, const double *word_weights, int words, const SpanConstraints &constraints,
              const LatentMask &mask) {
    level_ = &level, words_ = words, constraints_ = &constraints, mask_ = &mask;
    layout();
    for (int j = 1; j <= words; ++j)
      for (int i = j - 1; i >= 0; --i) {
        if (j - i == 1)
          read_word(i, word_weights + std::size_t(i) * level.word_at.back());
        else if (!is_closed(i, j))
          add_rules(i, j);
        add_chains(i, j);
        rescale(i, j);
      }
    return goal() && *goal() > 0;
  }

  // After inside, with a tree: the logarithm of the total.
  double log_total() const { return std::log(*goal()) + exponent_[cell(0, words_)] * std::log(2.0); }

  // After inside, with a tree. Events of at least the smallest probability are added if there is a list of them.
  void outside(std::vector<LatentEvent> *rule_events, std::vector<LatentEvent> *chain_events, double smallest) {
    smallest_ = smallest;
    outer_.assign(inner_.size(), 0);
    outer_[top_at(0, words_, goal_symbol)] = 1 / *goal();
    for (int width = words_; width >= 1; --width)
      for (int i = 0; i + width <= words_; ++i) {
        pass_chains(i, i + width, chain_events);
        if (width > 1) pass_rules(i, i + width, rule_events);
      }
  }

  // After outside: what a finer level may use.
  LatentMask refined(const LatentLevel &finer, double threshold) const {
    const std::size_t states = finer.shape.state_at.back(), cells = cell(words_ - 1, words_) + 1;
    LatentMask found;
    found.top.assign(cells * states, 0), found.base.assign(cells * states, 0);
    const double smallest = std::exp(threshold);
    for (int j = 1; j <= words_; ++j)
      for (int i = 0; i < j; ++i)
        for (int symbol = 0; symbol < finer.shape.symbols(); ++symbol) {
          const std::size_t row = cell(i, j) * states;
          keep(top_at(i, j, symbol), finer, symbol, smallest, &found.top[row]);
          keep(base_at(i, j, symbol), finer, symbol, smallest, &found.base[row]);
        }
    return found;
  }

  // After outside: the probability of a preterminal.
  double tag_probability(int i, int symbol) const {
    const int at = base_at(i, i + 1, symbol);
    double total = 0;
    if (at >= 0)
      for (int x = 0; x < level_->shape.states[symbol]; ++x) total += inner_[at + x] * outer_[at + x];
    return total;
  }

  static constexpr int goal_symbol = 0;

  static std::size_t cell(int i, int j) { return std::size_t(j) * (j - 1) / 2 + i; }

 private:
  int top_at(int i, int j, int symbol) const { return top_[cell(i, j) * level_->shape.symbols() + symbol]; }
  int base_at(int i, int j, int symbol) const { return base_[cell(i, j) * level_->shape.symbols() + symbol]; }
  bool allows(int i, int j, std::size_t chain) const {
    for (int m = 0; m < constraints_->masked; ++m)
      if (constraints_->spans[2 * m] == i && constraints_->spans[2 * m + 1] == j)
        return constraints_->allowed[m * level_->shape.chains.size() + chain];
    return true;
  }

  // Calls use(k) for every division of a span such that both children of a rule have weights.
  template <typename Use>
  void for_divisions(const std::array<int, 3> &rule, int i, int j, const Use &use) const {
    const std::uint64_t *left = &begins_[(std::size_t(rule[1]) * (words_ + 1) + i) * blocks_];
    const std::uint64_t *right = &ends_[(std::size_t(rule[2]) * (words_ + 1) + j) * blocks_];
    for (int block = (i + 1) / 64; block <= (j - 1) / 64; ++block) {
      std::uint64_t both = left[block] & right[block];
      while (both) {
        const int k = block * 64 + lowest_bit(both);
        both &= both - 1;
        if (k > i && k < j) use(k);
      }
    }
  }

  bool is_closed(int i, int j) const {
    return constraints_->closed && constraints_->closed[std::size_t(i) * (words_ + 1) + j];
  }
  const double *goal() const {
    const int at = top_at(0, words_, goal_symbol);
    return at < 0 ? nullptr : &inner_[at];
  }

  // Gives every symbol that may be used over a span its place.
  void layout() {
    const LatentShape &shape = level_->shape;
    const std::size_t symbols = shape.symbols(), cells = cell(words_ - 1, words_) + 1, states = shape.state_at.back();
    top_.assign(cells * symbols, -1), base_.assign(cells * symbols, -1);
    exponent_.assign(cells, 0);
    blocks_ = words_ / 64 + 1;
    begins_.assign(symbols * (words_ + 1) * blocks_, 0), ends_.assign(symbols * (words_ + 1) * blocks_, 0);
    is_preterminal_.assign(symbols, 0);
    for (int tag : level_->preterminals) is_preterminal_[tag] = 1;
    std::size_t size = 0;
    for (int j = 1; j <= words_; ++j)
      for (int i = 0; i < j; ++i)
        for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
          const std::size_t place = cell(i, j) * symbols + symbol, row = cell(i, j) * states;
          if (has_any(mask_->top, row, int(symbol))) top_[place] = int(size), size += shape.states[symbol];
          if (bool(is_preterminal_[symbol]) == (j - i == 1) && has_any(mask_->base, row, int(symbol)))
            base_[place] = int(size), size += shape.states[symbol];
        }
    inner_.assign(size, 0);
  }

  bool has_any(const std::vector<std::uint8_t> &flags, std::size_t row, int symbol) const {
    if (flags.empty()) return true;
    const auto begin = flags.begin() + row + level_->shape.state_at[symbol];
    return std::any_of(begin, begin + level_->shape.states[symbol], [](std::uint8_t flag) { return flag != 0; });
  }

  void apply_mask(const std::vector<std::uint8_t> &flags, int i, int j, int symbol, double *weights) const {
    if (flags.empty()) return;
    const std::uint8_t *allowed = &flags[cell(i, j) * level_->shape.state_at.back() + level_->shape.state_at[symbol]];
    for (int x = 0; x < level_->shape.states[symbol]; ++x)
      if (!allowed[x]) weights[x] = 0;
  }

  void read_word(int i, const double *row) {
    for (std::size_t t = 0; t < level_->preterminals.size(); ++t) {
      const int symbol = level_->preterminals[t], at = base_at(i, i + 1, symbol);
      if (at < 0) continue;
      std::copy(row + level_->word_at[t], row + level_->word_at[t + 1], &inner_[at]);
      apply_mask(mask_->base, i, i + 1, symbol, &inner_[at]);
    }
  }

  // The factors of the divisions of a span: its exponent is the largest sum of those of two parts.
  void set_factors(int i, int j) {
    factors_.assign(words_ + 1, 0);
    int &exponent = exponent_[cell(i, j)];
    exponent = unused;
    for (int k = i + 1; k < j; ++k)
      if (exponent_[cell(i, k)] != unused && exponent_[cell(k, j)] != unused)
        exponent = std::max(exponent, exponent_[cell(i, k)] + exponent_[cell(k, j)]);
    if (exponent != unused) read_factors(i, j);
  }

  void read_factors(int i, int j) {
    factors_.assign(words_ + 1, 0);
    for (int k = i + 1; k < j; ++k)
      if (exponent_[cell(i, k)] != unused && exponent_[cell(k, j)] != unused)
        factors_[k] = std::ldexp(1.0, exponent_[cell(i, k)] + exponent_[cell(k, j)] - exponent_[cell(i, j)]);
  }

  void add_rules(int i, int j) {
    set_factors(i, j);
    const LatentShape &shape = level_->shape;
    for (int parent = 0; parent < shape.symbols(); ++parent) {
      const int at = base_at(i, j, parent);
      if (at < 0) continue;
      for (int number : level_->rules_of[parent]) {
        const std::array<int, 3> &rule = shape.rules[number];
        const int xs = shape.states[parent], ys = shape.states[rule[1]], zs = shape.states[rule[2]];
        const double *weight = &level_->rules[shape.rule_at[number]];
        if (xs * ys * zs == 1) {
          double total = 0;
          for_divisions(rule, i, j, [&](int k) {
            total += factors_[k] * inner_[top_at(i, k, rule[1])] * inner_[top_at(k, j, rule[2])];
          });
          inner_[at] += *weight * total;
          continue;
        }
        bool is_used = false;
        for_divisions(rule, i, j, [&](int k) {
          if (!is_used) pairs_.assign(std::size_t(ys) * zs, 0);
          is_used = true;
          const double *left = &inner_[top_at(i, k, rule[1])], *right = &inner_[top_at(k, j, rule[2])];
          for (int y = 0; y < ys; ++y) {
            if (left[y] == 0) continue;
            const double scaled = factors_[k] * left[y];
            double *row = &pairs_[std::size_t(y) * zs];
#pragma omp simd
            for (int z = 0; z < zs; ++z) row[z] += scaled * right[z];
          }
        });
        if (!is_used) continue;
        const std::size_t length = std::size_t(ys) * zs;
        for (int x = 0; x < xs; ++x, weight += length) {
          if (!is_allowed(mask_->base, i, j, parent, x)) continue;
          double total = 0;
          const double *pairs = pairs_.data();
#pragma omp simd reduction(+ : total)
          for (std::size_t k = 0; k < length; ++k) total += weight[k] * pairs[k];
          inner_[at + x] += total;
        }
      }
    }
  }

  bool is_allowed(const std::vector<std::uint8_t> &flags, int i, int j, int symbol, int x) const {
    return flags.empty() || flags[cell(i, j) * level_->shape.state_at.back() + level_->shape.state_at[symbol] + x];
  }

  // Calls use(c, chain, top, base, weight) for each chain c that is allowed over a span, with the places of its symbols.
  template <typename Use>
  void for_chains(int i, int j, Use use) const {
    const LatentShape &shape = level_->shape;
    for (std::size_t c = 0; c < shape.chains.size(); ++c) {
      const LatentChain &chain = shape.chains[c];
      const int top = top_at(i, j, chain.top), base = base_at(i, j, chain.bottom);
      if (top >= 0 && base >= 0 && allows(i, j, c)) use(c, chain, top, base, &level_->chains[shape.chain_at[c]]);
    }
  }

  void add_chains(int i, int j) {
    const LatentShape &shape = level_->shape;
    for_chains(i, j, [&](std::size_t, const LatentChain &chain, int top, int base, const double *weight) {
      const int xs = shape.states[chain.top], ys = shape.states[chain.bottom];
      if (chain.is_single)
        for (int x = 0; x < xs; ++x) inner_[top + x] += weight[x] * inner_[base + x];
      else
        for (int x = 0; x < xs; ++x, weight += ys)
          for (int y = 0; y < ys; ++y) inner_[top + x] += weight[y] * inner_[base + y];
    });
    for (int symbol = 0; symbol < shape.symbols(); ++symbol) {
      const int top = top_at(i, j, symbol);
      if (top >= 0) apply_mask(mask_->top, i, j, symbol, &inner_[top]);
    }
  }

  // Divides the numbers of a span by a power of two, and marks the symbols that have weights.
  void rescale(int i, int j) {
    const LatentShape &shape = level_->shape;
    double largest = 0;
    const auto for_symbols = [&](const std::vector<int> &places, const auto &use) {
      for (int symbol = 0; symbol < shape.symbols(); ++symbol) {
        const int at = places[cell(i, j) * shape.symbols() + symbol];
        if (at >= 0) use(symbol, &inner_[at], shape.states[symbol]);
      }
    };
    const auto find_largest = [&](int, const double *weights, int states) {
      for (int x = 0; x < states; ++x) largest = std::max(largest, weights[x]);
    };
    for_symbols(top_, find_largest), for_symbols(base_, find_largest);
    int &exponent = exponent_[cell(i, j)];
    if (largest == 0 || exponent == unused) {
      exponent = unused;
      return;
    }
    const int shift = std::ilogb(largest);
    const double factor = std::ldexp(1.0, -shift);
    exponent += shift;
    const auto divide = [&](int, double *weights, int states) {
      for (int x = 0; x < states; ++x) weights[x] *= factor;
    };
    for_symbols(base_, divide);
    for_symbols(top_, [&](int symbol, double *weights, int states) {
      divide(symbol, weights, states);
      if (std::all_of(weights, weights + states, [](double weight) { return weight == 0; })) return;
      const std::size_t side = words_ + 1;
      begins_[(symbol * side + i) * blocks_ + j / 64] |= std::uint64_t(1) << (j % 64);
      ends_[(symbol * side + j) * blocks_ + i / 64] |= std::uint64_t(1) << (i % 64);
    });
  }

  void pass_chains(int i, int j, std::vector<LatentEvent> *events) {
    const LatentShape &shape = level_->shape;
    for_chains(i, j, [&](std::size_t c, const LatentChain &chain, int top, int base, const double *weight) {
      const int xs = shape.states[chain.top], ys = shape.states[chain.bottom];
      double probability = 0;
      for (int x = 0; x < xs; ++x) {
        const double above = inner_[top + x] == 0 ? 0 : outer_[top + x];  // a substate left out has no trees
        if (above == 0) continue;
        for (int y = chain.is_single ? x : 0; y < (chain.is_single ? x + 1 : ys); ++y) {
          const double below = above * weight[chain.is_single ? x : x * ys + y];
          outer_[base + y] += below;
          probability += below * inner_[base + y];
        }
      }
      if (events && probability > smallest_) events->push_back({i, 0, j, std::int32_t(c), probability});
    });
  }

  void pass_rules(int i, int j, std::vector<LatentEvent> *events) {
    if (exponent_[cell(i, j)] == unused) return;
    read_factors(i, j);
    const LatentShape &shape = level_->shape;
    for (int parent = 0; parent < shape.symbols(); ++parent) {
      const int at = base_at(i, j, parent);
      if (at < 0) continue;
      const int xs = shape.states[parent];
      double largest = 0;
      above_.assign(xs, 0);
      for (int x = 0; x < xs; ++x) {
        above_[x] = inner_[at + x] == 0 ? 0 : outer_[at + x];
        largest = std::max(largest, above_[x] * inner_[at + x]);
      }
      if (largest == 0) continue;
      for (int number : level_->rules_of[parent]) pass_rule(number, i, j, events);
    }
  }

  void pass_rule(int number, int i, int j, std::vector<LatentEvent> *events) {
    const LatentShape &shape = level_->shape;
    const std::array<int, 3> &rule = shape.rules[number];
    const int xs = shape.states[rule[0]], ys = shape.states[rule[1]], zs = shape.states[rule[2]];
    const double *weight = &level_->rules[shape.rule_at[number]];
    bool is_used = false;
    for_divisions(rule, i, j, [&](int k) {
      if (!is_used) {  // pairs_[y, z] = sum over x of outside(x) weight[x, y, z]
        const std::size_t length = std::size_t(ys) * zs;
        pairs_.assign(length, 0);
        double *pairs = pairs_.data();
        for (int x = 0; x < xs; ++x) {
          const double above = above_[x], *row = weight + x * length;
          if (above == 0) continue;
#pragma omp simd
          for (std::size_t p = 0; p < length; ++p) pairs[p] += above * row[p];
        }
        is_used = true;
      }
      const int left_at = top_at(i, k, rule[1]), right_at = top_at(k, j, rule[2]);
      const double *left = &inner_[left_at], *right = &inner_[right_at];
      double *left_outer = &outer_[left_at], *right_outer = &outer_[right_at];
      double probability = 0;
      for (int y = 0; y < ys; ++y) {
        if (left[y] == 0) continue;
        const double *row = &pairs_[std::size_t(y) * zs], scaled = factors_[k] * left[y];
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (int z = 0; z < zs; ++z) {
          total += row[z] * right[z];
          right_outer[z] += scaled * row[z];
        }
        left_outer[y] += factors_[k] * total;
        probability += scaled * total;
      }
      if (events && probability > smallest_) events->push_back({i, k, j, number, probability});
    });
  }

  void keep(int at, const LatentLevel &finer, int symbol, double smallest, std::uint8_t *flags) const {
    if (at < 0) return;
    const int first = int(level_->shape.state_at[symbol]);
    for (std::size_t x = finer.shape.state_at[symbol]; x < finer.shape.state_at[symbol + 1]; ++x) {
      const int coarse = at + finer.coarser[x] - first;
      flags[x] = inner_[coarse] * outer_[coarse] >= smallest && inner_[coarse] > 0;
    }
  }

  static constexpr int unused = -(1 << 29);  // the exponent of a span without weights
  const LatentLevel *level_ = nullptr;
  const SpanConstraints *constraints_ = nullptr;
  const LatentMask *mask_ = nullptr;
  int words_ = 0, blocks_ = 0;
  double smallest_ = 0;
  std::vector<int> top_, base_, exponent_;    // [cell, symbol], [cell]
  std::vector<double> inner_, outer_;         // by the places of top_ and base_
  std::vector<std::uint64_t> begins_, ends_;  // [symbol, begin or end, block]: where spans of the symbol end, begin
  std::vector<std::uint8_t> is_preterminal_;
  std::vector<double> factors_, pairs_, above_;
};

}  // namespace treewright
