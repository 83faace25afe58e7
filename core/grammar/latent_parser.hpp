// A latent-variable grammar with the coarser levels that its history of splits gives, and sums over the trees of a
// sentence from coarse to fine (Petrov and Klein 2007).
//
// A coarse level joins substates. With X, Y, Z the sets of substates that are joined, and frequency(x) that of the
// training data:
//
//   weight(A_X -> B_Y C_Z) = sum over x in X of  frequency(x) / frequency(X)  sum over y in Y, z in Z of weight[x, y,
//   z]
//
// and the same for chains and words. A level without a tree, because too much was left out, is skipped; when the finest
// has none its sums are computed again over everything.
#pragma once

#include <cstddef>
#include <vector>

#include "grammar/latent_chart.hpp"
#include "grammar/latent_max_rule.hpp"

namespace treewright {

// Memory of one search; a thread has one of its own.
struct LatentWorkspace {
  LatentChart chart;
  LatentMask mask;
  std::vector<double> joined_words;
};

class LatentParser {
 public:
  // joined[l][s] is the substate of the symbol at level l, counted from 0 in its symbol, for each substate s of the
  // finest level, counted over all symbols. Levels are listed from coarse to fine, without the finest.
  // frequencies are those of substates at the top of a chain, and at its bottom.
  LatentParser(LatentShape shape, std::vector<double> rules, std::vector<double> chains, std::vector<int> preterminals,
               const std::vector<std::vector<int>> &joined, const double *top_frequencies,
               const double *base_frequencies)
      : base_frequencies_(base_frequencies, base_frequencies + shape.state_at.back()) {
    LatentLevel finest;
    finest.shape = std::move(shape), finest.rules = std::move(rules), finest.chains = std::move(chains);
    finest.preterminals = std::move(preterminals);
    finest.index();
    joined_ = joined;
    for (const auto &states : joined_) levels_.push_back(projected(finest, states, top_frequencies));
    levels_.push_back(std::move(finest));
    for (std::size_t l = 1; l < levels_.size(); ++l) set_coarser(l);
  }

  const LatentLevel &finest() const { return levels_.back(); }
  const std::vector<LatentLevel> &levels() const { return levels_; }

  // Sums over the trees of a sentence. thresholds has one entry for each level but the finest. Events of a lower
  // probability than the smallest are not listed.
  void sums(const double *word_weights, int words, const SpanConstraints &constraints,
            const std::vector<double> &thresholds, double smallest, LatentWorkspace &space,
            LatentPosteriors &found) const {
    found = {};
    found.words = words;
    if (!fill(word_weights, words, constraints, thresholds, space)) return;
    found.has_tree = true, found.log_total = space.chart.log_total();
    space.chart.outside(&found.rules, &found.chains, smallest);
    for (int i = 0; i < words; ++i)
      for (int tag : finest().preterminals) {
        const double probability = space.chart.tag_probability(i, tag);
        if (probability > 0) found.tags.push_back({i, 0, i + 1, tag, probability});
      }
  }

 private:
  // The inside sums of the finest level over what the coarse ones left; false without a tree.
  bool fill(const double *word_weights, int words, const SpanConstraints &constraints,
            const std::vector<double> &thresholds, LatentWorkspace &space) const {
    LatentMask &mask = space.mask;
    mask = {};
    int reached = -1;  // the level of the mask
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
      if (thresholds[l] == -std::numeric_limits<double>::infinity()) continue;
      if (reached >= 0) mask = spread(mask, reached, int(l));
      reached = int(l);
      join_words(word_weights, words, int(l), space.joined_words);
      if (!space.chart.inside(levels_[l], space.joined_words.data(), words, constraints, mask)) {
        if (mask.top.empty()) return false;
        mask = {}, reached = -1;
        continue;
      }
      space.chart.outside(nullptr, nullptr, 0);
      mask = space.chart.refined(levels_[l + 1], thresholds[l]);
      reached = int(l) + 1;
    }
    if (reached >= 0) mask = spread(mask, reached, int(levels_.size()) - 1);
    if (space.chart.inside(finest(), word_weights, words, constraints, mask)) return true;
    if (mask.top.empty()) return false;
    mask = {};
    return space.chart.inside(finest(), word_weights, words, constraints, mask);
  }

  // Extends a mask to a finer level: a substate may be used if the one it was split from may.
  LatentMask spread(const LatentMask &mask, int from, int to) const {
    if (from == to || mask.top.empty()) return mask;
    const std::size_t coarse = levels_[from].shape.state_at.back(), fine = levels_[to].shape.state_at.back();
    std::vector<int> number(fine);
    for (std::size_t s = 0; s < fine; ++s) {
      int state = int(s);
      for (int l = to; l > from; --l) state = levels_[l].coarser[state];
      number[s] = state;
    }
    LatentMask found;
    const std::size_t cells = mask.top.size() / coarse;
    found.top.resize(cells * fine), found.base.resize(cells * fine);
    for (std::size_t c = 0; c < cells; ++c)
      for (std::size_t s = 0; s < fine; ++s) {
        found.top[c * fine + s] = mask.top[c * coarse + number[s]];
        found.base[c * fine + s] = mask.base[c * coarse + number[s]];
      }
    return found;
  }

  void join_words(const double *word_weights, int words, int l, std::vector<double> &joined_words) const {
    const LatentLevel &level = levels_[l], &fine = finest();
    joined_words.assign(std::size_t(words) * level.word_at.back(), 0);
    for (int i = 0; i < words; ++i)
      for (std::size_t t = 0; t < fine.preterminals.size(); ++t) {
        const int tag = fine.preterminals[t];
        for (int x = 0; x < fine.shape.states[tag]; ++x) {
          const std::size_t state = fine.shape.state_at[tag] + x;
          joined_words[i * level.word_at.back() + level.word_at[t] + joined_[l][state]] +=
              word_share_[l][state] * word_weights[i * fine.word_at.back() + fine.word_at[t] + x];
        }
      }
  }

  // frequency(x) / frequency(X) of each substate.
  static std::vector<double> shares(const LatentShape &fine, const LatentShape &coarse, const std::vector<int> &states,
                                    const double *frequencies) {
    std::vector<double> totals(coarse.state_at.back(), 0), found(fine.state_at.back());
    std::vector<int> members(coarse.state_at.back(), 0);
    const auto number = [&](int symbol, std::size_t s) { return coarse.state_at[symbol] + states[s]; };
    for (int symbol = 0; symbol < fine.symbols(); ++symbol)
      for (std::size_t s = fine.state_at[symbol]; s < fine.state_at[symbol + 1]; ++s)
        totals[number(symbol, s)] += frequencies[s], ++members[number(symbol, s)];
    for (int symbol = 0; symbol < fine.symbols(); ++symbol)
      for (std::size_t s = fine.state_at[symbol]; s < fine.state_at[symbol + 1]; ++s) {
        const double total = totals[number(symbol, s)];
        found[s] = total > 0 ? frequencies[s] / total : 1.0 / members[number(symbol, s)];
      }
    return found;
  }

  LatentLevel projected(const LatentLevel &fine, const std::vector<int> &states, const double *top_frequencies) {
    const LatentShape &shape = fine.shape;
    std::vector<int> counts(shape.symbols(), 1);
    for (int symbol = 0; symbol < shape.symbols(); ++symbol)
      for (std::size_t s = shape.state_at[symbol]; s < shape.state_at[symbol + 1]; ++s)
        counts[symbol] = std::max(counts[symbol], states[s] + 1);
    LatentLevel level;
    level.shape = LatentShape(counts, shape.rules, shape.chains);
    level.preterminals = fine.preterminals;
    level.index();
    const std::vector<double> top = shares(shape, level.shape, states, top_frequencies);
    word_share_.push_back(shares(shape, level.shape, states, base_frequencies_.data()));
    join_rules(fine, states, word_share_.back(), level);
    join_chains(fine, states, top, level);
    return level;
  }

  static void join_rules(const LatentLevel &fine, const std::vector<int> &states, const std::vector<double> &share,
                         LatentLevel &level) {
    const LatentShape &shape = fine.shape;
    level.rules.assign(level.shape.rule_at.back(), 0);
    for (std::size_t r = 0; r < shape.rules.size(); ++r) {
      const auto &[parent, left, right] = shape.rules[r];
      const double *weight = &fine.rules[shape.rule_at[r]];
      double *joined = &level.rules[level.shape.rule_at[r]];
      const int ys = level.shape.states[left], zs = level.shape.states[right];
      for (int x = 0; x < shape.states[parent]; ++x) {
        const std::size_t state = shape.state_at[parent] + x;
        for (int y = 0; y < shape.states[left]; ++y)
          for (int z = 0; z < shape.states[right]; ++z, ++weight)
            joined[(std::size_t(states[state]) * ys + states[shape.state_at[left] + y]) * zs +
                   states[shape.state_at[right] + z]] += share[state] * *weight;
      }
    }
  }

  static void join_chains(const LatentLevel &fine, const std::vector<int> &states, const std::vector<double> &share,
                          LatentLevel &level) {
    const LatentShape &shape = fine.shape;
    level.chains.assign(level.shape.chain_at.back(), 0);
    for (std::size_t c = 0; c < shape.chains.size(); ++c) {
      const LatentChain &chain = shape.chains[c];
      const double *weight = &fine.chains[shape.chain_at[c]];
      double *joined = &level.chains[level.shape.chain_at[c]];
      const int ys = level.shape.states[chain.bottom];
      for (int x = 0; x < shape.states[chain.top]; ++x) {
        const std::size_t state = shape.state_at[chain.top] + x;
        if (chain.is_single) {
          joined[states[state]] += share[state] * *weight++;
          continue;
        }
        for (int y = 0; y < shape.states[chain.bottom]; ++y, ++weight)
          joined[states[state] * ys + states[shape.state_at[chain.bottom] + y]] += share[state] * *weight;
      }
    }
  }

  // The substate of level l - 1 of each substate of level l.
  void set_coarser(std::size_t l) {
    const LatentShape &fine = levels_.back().shape;
    LatentLevel &level = levels_[l];
    level.coarser.assign(level.shape.state_at.back(), 0);
    for (int symbol = 0; symbol < fine.symbols(); ++symbol)
      for (std::size_t s = fine.state_at[symbol]; s < fine.state_at[symbol + 1]; ++s) {
        const std::size_t own = l + 1 == levels_.size() ? s : level.shape.state_at[symbol] + joined_[l][s];
        level.coarser[own] = int(levels_[l - 1].shape.state_at[symbol]) + joined_[l - 1][s];
      }
  }

  std::vector<double> base_frequencies_;
  std::vector<std::vector<int>> joined_;
  std::vector<LatentLevel> levels_;
  std::vector<std::vector<double>> word_share_;  // of each level, for the substates of the finest
};

}  // namespace treewright
