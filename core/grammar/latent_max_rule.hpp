// The tree that maximises the product of the probabilities of its rules, under one grammar or several (Petrov and Klein
// 2007: max-rule-product; Petrov 2010: products of latent-variable grammars).
//
//   score(rule over i, k, j) = sum over grammars of log probability      (smallest where a grammar has none)
//   base(A, i, j) = max over rules A -> B C and k of  score(rule) + top(B, i, k) + top(C, k, j)
//   top(A, i, j)  = max over chains A .. B of         score(chain) + base(B, i, j)
//
// where base of a tag is the logarithm of its probability. The probabilities are those of latent_chart.hpp, summed over
// substates. The symbols, rules and chains of several grammars have common numbers. O(E log E) time for E events.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "grammar/latent_chart.hpp"

namespace treewright {

// What one grammar says of a sentence. Tags are events of the chain list's form with the number of their symbol.
struct LatentPosteriors {
  int words = 0;
  bool has_tree = false;
  double log_total = -std::numeric_limits<double>::infinity();
  std::vector<LatentEvent> rules, chains, tags;
};

// A grammar of a product: its posteriors, and the common number of each of its rules, chains and symbols.
struct ProductMember {
  const LatentPosteriors *posteriors;
  const std::int32_t *rule_numbers, *chain_numbers, *symbol_numbers;
};

class MaxRuleChart {
 public:
  // rules and chains have the common numbers of symbols. Returns the score of the tree, -inf without one; appends its
  // nodes, whose chains have common numbers.
  double read(const std::vector<ProductMember> &members, const std::vector<std::array<int, 3>> &rules,
              const std::vector<LatentChain> &chains, int symbols, std::vector<ChainNode> &nodes) {
    words_ = members[0].posteriors->words, symbols_ = symbols, chains_ = &chains, rules_ = &rules;
    collect(members);
    const std::size_t size = LatentChart::cell(words_ - 1, words_) + 1;
    top_.assign(size * symbols, {}), base_.assign(size * symbols, {});
    for (const Scored &tag : tags_) base(tag.i, tag.j, tag.number) = {tag.score, -1, 0};
    std::size_t next_rule = 0, next_chain = 0;
    for (int width = 1; width <= words_; ++width) {
      for (; next_rule < rule_scores_.size() && width_of(rule_scores_[next_rule]) == width; ++next_rule) {
        const Scored &found = rule_scores_[next_rule];
        const auto &rule = rules[found.number];
        const double value = found.score + top(found.i, found.k, rule[1]).value + top(found.k, found.j, rule[2]).value;
        raise(base(found.i, found.j, rule[0]), value, found.number, found.k);
      }
      for (; next_chain < chain_scores_.size() && width_of(chain_scores_[next_chain]) == width; ++next_chain) {
        const Scored &found = chain_scores_[next_chain];
        const LatentChain &chain = chains[found.number];
        raise(top(found.i, found.j, chain.top), found.score + base(found.i, found.j, chain.bottom).value, found.number,
              0);
      }
    }
    const double value = top(0, words_, LatentChart::goal_symbol).value;
    if (value > -std::numeric_limits<double>::infinity()) read_tree(nodes);
    return value;
  }

 private:
  struct Scored {
    std::int32_t i, k, j, number;
    double score;
  };
  struct Entry {
    double value = -std::numeric_limits<double>::infinity();
    int number = -1, k = 0;
  };

  static int width_of(const Scored &scored) { return scored.j - scored.i; }
  Entry &top(int i, int j, int symbol) { return top_[LatentChart::cell(i, j) * symbols_ + symbol]; }
  Entry &base(int i, int j, int symbol) { return base_[LatentChart::cell(i, j) * symbols_ + symbol]; }

  static void raise(Entry &entry, double value, int number, int k) {
    if (value > entry.value) entry = {value, number, k};
  }

  void collect(const std::vector<ProductMember> &members) {
    rule_scores_.clear(), chain_scores_.clear(), tags_.clear();
    for (const ProductMember &member : members) {
      add(member.posteriors->rules, member.rule_numbers, rule_scores_);
      add(member.posteriors->chains, member.chain_numbers, chain_scores_);
      add(member.posteriors->tags, member.symbol_numbers, tags_);
    }
    for (auto *scores : {&rule_scores_, &chain_scores_, &tags_}) join(*scores, int(members.size()));
  }

  static void add(const std::vector<LatentEvent> &events, const std::int32_t *numbers, std::vector<Scored> &scores) {
    for (const LatentEvent &event : events)
      scores.push_back(
          {event.i, event.k, event.j, numbers[event.number], std::log(std::max(event.probability, smallest))});
  }

  // Sorts by width and place, and adds the scores of the same event; a grammar without it gives the smallest.
  static void join(std::vector<Scored> &scores, int members) {
    const auto key = [](const Scored &one) { return std::array<int, 4>{one.j - one.i, one.i, one.number, one.k}; };
    std::stable_sort(scores.begin(), scores.end(),
                     [&](const Scored &first, const Scored &second) { return key(first) < key(second); });
    if (members == 1) return;
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < scores.size();) {
      std::size_t end = begin + 1;
      Scored sum = scores[begin];
      for (; end < scores.size() && key(scores[end]) == key(sum); ++end) sum.score += scores[end].score;
      sum.score += (members - int(end - begin)) * std::log(smallest);
      scores[kept++] = sum;
      begin = end;
    }
    scores.resize(kept);
  }

  void read_tree(std::vector<ChainNode> &nodes) {
    struct Open {
      int i, j, symbol;
    };
    std::vector<Open> open{{0, words_, LatentChart::goal_symbol}};
    while (!open.empty()) {
      const Open item = open.back();
      open.pop_back();
      const int chain = top(item.i, item.j, item.symbol).number;
      nodes.push_back({chain, item.i, item.j});
      if (item.j - item.i == 1) continue;
      const Entry &split = base(item.i, item.j, (*chains_)[chain].bottom);
      open.push_back({split.k, item.j, (*rules_)[split.number][2]});
      open.push_back({item.i, split.k, (*rules_)[split.number][1]});
    }
  }

  static constexpr double smallest =
      1e-10;  // probability of an event that a grammar of a product has not; as published
  int words_ = 0, symbols_ = 0;
  const std::vector<LatentChain> *chains_ = nullptr;
  const std::vector<std::array<int, 3>> *rules_ = nullptr;
  std::vector<Scored> rule_scores_, chain_scores_, tags_;
  std::vector<Entry> top_, base_;
};

}  // namespace treewright
