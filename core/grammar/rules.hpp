// A context-free grammar whose trees have at most two children a node, with scores.
//
// A node over several words is a symbol with a binary rule, over one word a symbol with a lexical score. Above each
// such node is exactly one unary chain: a rule from the symbol at its top to the symbol at its bottom. A chain of one
// symbol stands for no unary node at all. A chain is a rule by itself, so that no tree has two of them over the same
// words: there are no cycles of unary rules, and sums over all trees are finite.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace treewright {

struct BinaryRule {
  int parent, left, right;
  double score;
};

struct UnaryChain {
  int top, bottom;
  double score;
};

class ContextFreeRules {
 public:
  ContextFreeRules(int symbols, int goal, const std::vector<BinaryRule> &rules, std::vector<UnaryChain> chains,
                   std::vector<int> preterminals)
      : symbols_(symbols), goal_(goal), chains_(std::move(chains)), preterminals_(std::move(preterminals)) {
    number_rights(rules);
    index_rules(rules);
    chains_of_.resize(symbols);
    for (std::size_t c = 0; c < chains_.size(); ++c) chains_of_[chains_[c].top].push_back(int(c));
  }

  int symbols() const { return symbols_; }
  int goal() const { return goal_; }
  const std::vector<UnaryChain> &chains() const { return chains_; }
  const std::vector<int> &preterminals() const { return preterminals_; }

  // Symbols that are the right one of some rule have numbers of their own, others -1; in binarised grammars they are
  // few.
  int rights() const { return rights_; }
  int right_number(int symbol) const { return right_number_[symbol]; }

  // The rules by the pair of their left and right symbols: the pairs of each left symbol, and the parents of each pair.
  struct Pair {
    int left, right;  // the number of the right symbol among rights
    int begin, end;   // of its parents
  };
  struct Parent {
    int symbol;
    double score;
  };
  const std::vector<Pair> &pairs() const { return pairs_; }
  int begin(int left) const { return begin_[left]; }
  int end(int left) const { return begin_[left + 1]; }
  const std::vector<Parent> &parents() const { return parents_; }

  // The rules with a parent.
  const std::vector<BinaryRule> &rules_of(int parent) const { return rules_of_[parent]; }

  // The numbers of the chains with a top.
  const std::vector<int> &chains_of(int top) const { return chains_of_[top]; }

 private:
  void number_rights(const std::vector<BinaryRule> &rules) {
    right_number_.assign(symbols_, -1);
    for (const BinaryRule &rule : rules)
      if (right_number_[rule.right] < 0) right_number_[rule.right] = rights_++;
  }

  void index_rules(const std::vector<BinaryRule> &rules) {
    std::vector<BinaryRule> sorted = rules;
    std::stable_sort(sorted.begin(), sorted.end(), [&](const BinaryRule &a, const BinaryRule &b) {
      return a.left != b.left ? a.left < b.left : right_number_[a.right] < right_number_[b.right];
    });
    begin_.assign(symbols_ + 1, 0);
    for (const BinaryRule &rule : sorted) {
      const int right = right_number_[rule.right], place = int(parents_.size());
      if (pairs_.empty() || pairs_.back().left != rule.left || pairs_.back().right != right) {
        pairs_.push_back({rule.left, right, place, place});
        ++begin_[rule.left + 1];
      }
      parents_.push_back({rule.parent, rule.score});
      ++pairs_.back().end;
    }
    for (int s = 0; s < symbols_; ++s) begin_[s + 1] += begin_[s];
    rules_of_.resize(symbols_);
    for (const BinaryRule &rule : rules) rules_of_[rule.parent].push_back(rule);
  }

  int symbols_, goal_, rights_ = 0;
  std::vector<UnaryChain> chains_;
  std::vector<int> preterminals_, right_number_, begin_;
  std::vector<Pair> pairs_;
  std::vector<Parent> parents_;
  std::vector<std::vector<int>> chains_of_;
  std::vector<std::vector<BinaryRule>> rules_of_;
};

}  // namespace treewright
