// The best derivation of a sentence under a latent-variable grammar: the tree with substates of the highest
// probability, over the spans and substates that a chart of sums (latent_chart.hpp) has weights for.
//
//   base(A_x, i, j) = max over rules A -> B C, k, y, z of  log weight[x, y, z] + top(B_y, i, k) + top(C_z, k, j)
//   top(A_x, i, j)  = max over chains A .. B, y of         log weight[x, y] + base(B_y, i, j)
//
// O(n^3 R K^3) time for R rules. Of equal terms the first is taken.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "grammar/latent_chart.hpp"

namespace treewright {

class LatentViterbi {
 public:
  // The chart has been filled by inside with a tree; words are the same rows. Appends the tree, parents first, and
  // returns the logarithm of its probability.
  double read(const LatentChart &chart, const double *word_weights, std::vector<ChainNode> &nodes) {
    chart_ = &chart;
    const LatentLevel &level = chart.level();
    best_.assign(chart.size(), -std::numeric_limits<double>::infinity());
    back_.assign(chart.size(), {});
    for (int j = 1; j <= chart.words(); ++j)
      for (int i = j - 1; i >= 0; --i) {
        if (j - i == 1)
          read_word(i, word_weights + std::size_t(i) * level.word_at.back());
        else
          add_rules(i, j);
        add_chains(i, j);
      }
    read_tree(nodes);
    return best_[chart.top_at(0, chart.words(), LatentChart::goal_symbol)];
  }

 private:
  struct Back {  // of a base: rule, k and the substates of the children; of a top: chain and the substate of its base
    int number = -1, k = 0, left = 0, right = 0;
  };

  bool is_used(int at) const { return chart_->inner()[at] > 0; }

  void raise(int at, double value, const Back &back) {
    if (value > best_[at]) best_[at] = value, back_[at] = back;
  }

  void read_word(int i, const double *row) {
    const LatentLevel &level = chart_->level();
    for (std::size_t t = 0; t < level.preterminals.size(); ++t) {
      const int at = chart_->base_at(i, i + 1, level.preterminals[t]);
      if (at < 0) continue;
      for (std::size_t x = level.word_at[t]; x < level.word_at[t + 1]; ++x) {
        const int place = at + int(x - level.word_at[t]);
        if (is_used(place)) best_[place] = std::log(row[x]);
      }
    }
  }

  void add_rules(int i, int j) {
    const LatentLevel &level = chart_->level();
    const LatentShape &shape = level.shape;
    for (std::size_t r = 0; r < shape.rules.size(); ++r) {
      const auto &rule = shape.rules[r];
      const int at = chart_->base_at(i, j, rule[0]);
      if (at < 0) continue;
      const int ys = shape.states[rule[1]], zs = shape.states[rule[2]];
      chart_->for_divisions(rule, i, j, [&](int k) {
        const int left = chart_->top_at(i, k, rule[1]), right = chart_->top_at(k, j, rule[2]);
        const double *weight = &level.rules[shape.rule_at[r]];
        for (int x = 0; x < shape.states[rule[0]]; ++x, weight += std::size_t(ys) * zs) {
          if (!is_used(at + x)) continue;
          for (int y = 0; y < ys; ++y)
            for (int z = 0; z < zs; ++z)
              if (weight[y * zs + z] > 0)
                raise(at + x, std::log(weight[y * zs + z]) + best_[left + y] + best_[right + z], {int(r), k, y, z});
        }
      });
    }
  }

  void add_chains(int i, int j) {
    const LatentLevel &level = chart_->level();
    const LatentShape &shape = level.shape;
    for (std::size_t c = 0; c < shape.chains.size(); ++c) {
      const LatentChain &chain = shape.chains[c];
      const int top = chart_->top_at(i, j, chain.top), base = chart_->base_at(i, j, chain.bottom);
      if (top < 0 || base < 0 || !chart_->allows(i, j, c)) continue;
      const double *weight = &level.chains[shape.chain_at[c]];
      const int ys = shape.states[chain.bottom];
      for (int x = 0; x < shape.states[chain.top]; ++x)
        for (int y = chain.is_single ? x : 0; y < (chain.is_single ? x + 1 : ys); ++y) {
          const double share = weight[chain.is_single ? x : x * ys + y];
          if (share > 0 && is_used(top + x)) raise(top + x, std::log(share) + best_[base + y], {int(c), 0, y, 0});
        }
    }
  }

  void read_tree(std::vector<ChainNode> &nodes) const {
    struct Open {
      int i, j, symbol, state;
    };
    const LatentShape &shape = chart_->level().shape;
    std::vector<Open> open{{0, chart_->words(), LatentChart::goal_symbol, 0}};
    while (!open.empty()) {
      const Open item = open.back();
      open.pop_back();
      const Back &chain = back_[chart_->top_at(item.i, item.j, item.symbol) + item.state];
      nodes.push_back({chain.number, item.i, item.j});
      if (item.j - item.i == 1) continue;
      const Back &rule = back_[chart_->base_at(item.i, item.j, shape.chains[chain.number].bottom) + chain.left];
      open.push_back({rule.k, item.j, shape.rules[rule.number][2], rule.right});
      open.push_back({item.i, rule.k, shape.rules[rule.number][1], rule.left});
    }
  }

  const LatentChart *chart_ = nullptr;
  std::vector<double> best_;
  std::vector<Back> back_;
};

}  // namespace treewright
