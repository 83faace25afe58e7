// Expected counts of the rules of a latent-variable grammar over given trees (Matsuzaki et al. 2005): the substates of
// the nodes are not observed. At a node r with children s and t (latent_rules.hpp has the weights):
//
//   inside_r(x)  = sum over y, z of  weight(A_x -> B_y C_z) inside_s(y) inside_t(z)
//   outside_s(y) = sum over x, z of  weight(A_x -> B_y C_z) outside_r(x) inside_t(z)
//   count(A_x -> B_y C_z) += outside_r(x) weight inside_s(y) inside_t(z) / inside_root
//
// and the same with a single child. Inside vectors are divided by their sum, and outside vectors scaled so that the sum
// of inside(x) outside(x) is one at every node; so nothing underflows. O(nodes K^3) time for K substates a symbol.
//
// The loss of a merge of two substates (Petrov et al. 2006): at each node the inside weights of the two are replaced by
// their mean, weighted with the frequencies of the substates, and the outside weights by their sum; the loss is the
// logarithm of the likelihood before over that after, summed over the nodes as if they were independent.
//
// Trees are divided into a fixed number of chunks whose counts are added in order: the number of threads changes no
// bit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "grammar/latent_rules.hpp"

namespace treewright {

// A node: its chain, and below that a rule with two nodes, or (rule -1) an entry of the lexicon: a tag with a word.
struct LatentNode {
  std::int32_t chain, rule, left, right;
};

struct LatentCounts {
  std::vector<double> rules, chains, words;
  double log_likelihood = 0;
  int impossible = 0;  // trees without probability

  void reset(std::size_t rule_count, std::size_t chain_count, std::size_t word_count) {
    rules.assign(rule_count, 0), chains.assign(chain_count, 0), words.assign(word_count, 0);
    log_likelihood = 0, impossible = 0;
  }

  void add(const LatentCounts &other) {
    for (std::size_t k = 0; k < rules.size(); ++k) rules[k] += other.rules[k];
    for (std::size_t k = 0; k < chains.size(); ++k) chains[k] += other.chains[k];
    for (std::size_t k = 0; k < words.size(); ++k) words[k] += other.words[k];
    log_likelihood += other.log_likelihood, impossible += other.impossible;
  }
};

class LatentTrees {
 public:
  // The nodes of each tree are listed parents first; begins has one entry a tree and one more.
  LatentTrees(std::vector<LatentNode> nodes, std::vector<int> begins, std::vector<double> weights,
              std::vector<int> entry_tags)
      : nodes_(std::move(nodes)),
        begins_(std::move(begins)),
        tree_weights_(std::move(weights)),
        entry_tags_(std::move(entry_tags)) {}

  std::size_t entries() const { return entry_tags_.size(); }
  const std::vector<int> &entry_tags() const { return entry_tags_; }

  // words has the probabilities of the entries, [entry, substate of its tag].
  void expect(const LatentShape &shape, const LatentWeights &weights, const double *words, int threads,
              LatentCounts &counts) const {
    const std::vector<std::size_t> word_at = places_of_words(shape);
    std::vector<LatentCounts> parts(chunks);
    run(threads, [&](int chunk) {
      parts[chunk].reset(shape.rule_at.back(), shape.chain_at.back(), word_at.back());
      Pass pass(*this, shape, weights, words, word_at);
      for (int tree = begin_of(chunk); tree < begin_of(chunk + 1); ++tree) pass.count(tree, parts[chunk]);
    });
    counts = std::move(parts[0]);
    for (int chunk = 1; chunk < chunks; ++chunk) counts.add(parts[chunk]);
    for (std::size_t k = 0; k < counts.rules.size(); ++k) counts.rules[k] *= weights.rules[k];
    for (std::size_t k = 0; k < counts.chains.size(); ++k) counts.chains[k] *= weights.chains[k];
    for (std::size_t k = 0; k < counts.words.size(); ++k) counts.words[k] *= words[k];
  }

  // losses[k] is that of merging the substates 2 k and 2 k + 1, counted over all symbols that have an even number of
  // substates; frequencies has the expected number of nodes with each substate.
  void merge_losses(const LatentShape &shape, const LatentWeights &weights, const double *words,
                    const double *frequencies, int threads, std::vector<double> &losses) const {
    const std::vector<std::size_t> word_at = places_of_words(shape);
    std::vector<std::vector<double>> parts(chunks);
    run(threads, [&](int chunk) {
      parts[chunk].assign(shape.state_at.back(), 0);
      Pass pass(*this, shape, weights, words, word_at);
      for (int tree = begin_of(chunk); tree < begin_of(chunk + 1); ++tree)
        pass.add_losses(tree, frequencies, parts[chunk]);
    });
    losses.assign(shape.state_at.back(), 0);
    for (const auto &part : parts)
      for (std::size_t k = 0; k < losses.size(); ++k) losses[k] += part[k];
  }

 private:
  static constexpr int chunks = 8;  // not tuned: more threads than most machines have

  // Inside and outside weights of one tree.
  class Pass {
   public:
    Pass(const LatentTrees &trees, const LatentShape &shape, const LatentWeights &weights, const double *words,
         const std::vector<std::size_t> &word_at)
        : trees_(trees), shape_(shape), weights_(weights), words_(words), word_at_(word_at) {}

    void count(int tree, LatentCounts &counts) {
      if (!inside(tree)) {
        ++counts.impossible;
        return;
      }
      counts.log_likelihood += trees_.tree_weights_[tree] * log_likelihood_;
      outside(tree, &counts);
    }

    void add_losses(int tree, const double *frequencies, std::vector<double> &losses) {
      if (!inside(tree)) return;
      outside(tree, nullptr);
      const double weight = trees_.tree_weights_[tree];
      for (int k = trees_.begins_[tree]; k < trees_.begins_[tree + 1]; ++k) {
        const LatentNode &node = trees_.nodes_[k];
        const Place &place = places_[k - trees_.begins_[tree]];
        const LatentChain &chain = shape_.chains[node.chain];
        add_losses_at(chain.top, place.top, frequencies, weight, losses);
        if (!chain.is_single) add_losses_at(chain.bottom, place.base, frequencies, weight, losses);
      }
    }

   private:
    struct Place {
      std::size_t top, base;         // where the vectors begin
      double top_scale, base_scale;  // what they were divided by
    };

    bool inside(int tree) {
      const int begin = trees_.begins_[tree], end = trees_.begins_[tree + 1];
      places_.resize(end - begin);
      std::size_t size = 0;
      for (int k = begin; k < end; ++k) {
        const LatentChain &chain = shape_.chains[trees_.nodes_[k].chain];
        places_[k - begin] = {size, size + shape_.states[chain.top], 0, 0};
        size += shape_.states[chain.top] + shape_.states[chain.bottom];
      }
      inner_.assign(size, 0), outer_.assign(size, 0);
      log_likelihood_ = 0;
      for (int k = end - 1; k >= begin; --k) {
        const LatentNode &node = trees_.nodes_[k];
        Place &place = places_[k - begin];
        double *base = &inner_[place.base], *top = &inner_[place.top];
        const LatentChain &chain = shape_.chains[node.chain];
        const int xs = shape_.states[chain.top], ys = shape_.states[chain.bottom];
        if (node.rule < 0) {
          std::copy_n(words_ + word_at_[node.left], ys, base);
        } else {
          const auto &[parent, left, right] = shape_.rules[node.rule];
          add_products(weights_.rules + shape_.rule_at[node.rule], &inner_[places_[node.left - begin].top],
                       &inner_[places_[node.right - begin].top], shape_.states[parent], shape_.states[left],
                       shape_.states[right], base);
        }
        place.base_scale = normalise(base, ys);
        const double *weight = weights_.chains + shape_.chain_at[node.chain];
        if (chain.is_single)
          for (int x = 0; x < xs; ++x) top[x] = weight[x] * base[x];
        else
          for (int x = 0; x < xs; ++x, weight += ys)
            for (int y = 0; y < ys; ++y) top[x] += weight[y] * base[y];
        place.top_scale = normalise(top, xs);
        if (place.base_scale == 0 || place.top_scale == 0) return false;
        log_likelihood_ += std::log(place.base_scale) + std::log(place.top_scale);
      }
      return true;
    }

    // Adds products of outside and inside weights to the counts, without the weights of the rules.
    void outside(int tree, LatentCounts *counts) {
      const int begin = trees_.begins_[tree], end = trees_.begins_[tree + 1];
      const double tree_weight = trees_.tree_weights_[tree];
      outer_[places_[0].top] = 1 / inner_[places_[0].top];  // the goal has one substate
      for (int k = begin; k < end; ++k) {
        const LatentNode &node = trees_.nodes_[k];
        const Place &place = places_[k - begin];
        const LatentChain &chain = shape_.chains[node.chain];
        pass_chain(node, chain, place, counts, tree_weight);
        if (node.rule < 0) {
          if (!counts) continue;
          double *count = &counts->words[word_at_[node.left]];
          for (int y = 0; y < shape_.states[chain.bottom]; ++y)
            count[y] += tree_weight * outer_[place.base + y] / place.base_scale;
        } else {
          pass_rule(node, place, places_[node.left - begin], places_[node.right - begin], counts, tree_weight);
        }
      }
    }

    void pass_chain(const LatentNode &node, const LatentChain &chain, const Place &place, LatentCounts *counts,
                    double tree_weight) {
      const int xs = shape_.states[chain.top], ys = shape_.states[chain.bottom];
      const double *weight = weights_.chains + shape_.chain_at[node.chain], *inner = &inner_[place.base];
      double *count = counts ? &counts->chains[shape_.chain_at[node.chain]] : nullptr, *outer = &outer_[place.base];
      for (int x = 0; x < xs; ++x) {
        const double above = outer_[place.top + x] / place.top_scale;
        if (chain.is_single) {
          outer[x] = above * weight[x];
          if (count) count[x] += tree_weight * above * inner[x];
          continue;
        }
        for (int y = 0; y < ys; ++y) outer[y] += above * weight[std::size_t(x) * ys + y];
        if (count)
          for (int y = 0; y < ys; ++y) count[std::size_t(x) * ys + y] += tree_weight * above * inner[y];
      }
    }

    void pass_rule(const LatentNode &node, const Place &place, const Place &left_place, const Place &right_place,
                   LatentCounts *counts, double tree_weight) {
      const auto &[parent, left_symbol, right_symbol] = shape_.rules[node.rule];
      const int xs = shape_.states[parent], ys = shape_.states[left_symbol], zs = shape_.states[right_symbol];
      const double *weight = weights_.rules + shape_.rule_at[node.rule];
      const double *left = &inner_[left_place.top], *right = &inner_[right_place.top];
      double *left_outer = &outer_[left_place.top], *right_outer = &outer_[right_place.top];
      double *count = counts ? &counts->rules[shape_.rule_at[node.rule]] : nullptr;
      for (int x = 0; x < xs; ++x) {
        const double above = outer_[place.base + x] / place.base_scale;
        if (above == 0) {
          weight += std::size_t(ys) * zs;
          if (count) count += std::size_t(ys) * zs;
          continue;
        }
        for (int y = 0; y < ys; ++y, weight += zs) {
          const double pair = above * left[y];
          double row = 0;
#pragma omp simd reduction(+ : row)
          for (int z = 0; z < zs; ++z) {
            row += weight[z] * right[z];
            right_outer[z] += pair * weight[z];
          }
          left_outer[y] += above * row;
          if (!count) continue;
          const double counted = tree_weight * pair;
#pragma omp simd
          for (int z = 0; z < zs; ++z) count[z] += counted * right[z];
          count += zs;
        }
      }
    }

    void add_losses_at(int symbol, std::size_t at, const double *frequencies, double weight,
                       std::vector<double> &losses) const {
      const int states = shape_.states[symbol];
      if (states % 2) return;
      double total = 0;
      for (int x = 0; x < states; ++x) total += inner_[at + x] * outer_[at + x];
      if (total <= 0) return;
      for (int x = 0; x < states; x += 2) {
        const std::size_t number = shape_.state_at[symbol] + x;
        const double first = frequencies[number], second = frequencies[number + 1];
        if (first + second <= 0) continue;
        const double *inner = &inner_[at + x], *outer = &outer_[at + x];
        const double before = inner[0] * outer[0] + inner[1] * outer[1];
        const double merged = (first * inner[0] + second * inner[1]) / (first + second) * (outer[0] + outer[1]);
        losses[number] += weight * -std::log(std::max((total - before + merged) / total, smallest_ratio));
      }
    }

    static double normalise(double *vector, int size) {
      double total = 0;
      for (int x = 0; x < size; ++x) total += vector[x];
      if (total > 0)
        for (int x = 0; x < size; ++x) vector[x] /= total;
      return total;
    }

    static constexpr double smallest_ratio = 1e-300;  // keeps a loss finite
    const LatentTrees &trees_;
    const LatentShape &shape_;
    const LatentWeights &weights_;
    const double *words_;
    const std::vector<std::size_t> &word_at_;
    std::vector<Place> places_;
    std::vector<double> inner_, outer_;
    double log_likelihood_ = 0;
  };

  std::vector<std::size_t> places_of_words(const LatentShape &shape) const {
    std::vector<std::size_t> places{0};
    for (int tag : entry_tags_) places.push_back(places.back() + shape.states[tag]);
    return places;
  }

  int begin_of(int chunk) const { return int((begins_.size() - 1) * std::size_t(chunk) / chunks); }

  template <typename Work>
  static void run(int threads, const Work &work) {
    std::atomic<int> next{0};
    const auto loop = [&] {
      for (int chunk = next++; chunk < chunks; chunk = next++) work(chunk);
    };
    std::vector<std::thread> others;
    for (int t = 1; t < std::min(threads, chunks); ++t) others.emplace_back(loop);
    loop();
    for (std::thread &other : others) other.join();
  }

  std::vector<LatentNode> nodes_;
  std::vector<int> begins_;
  std::vector<double> tree_weights_;
  std::vector<int> entry_tags_;
};

// Relative frequencies of the rules of each substate, and of its chains. Weights below the smallest are dropped.
inline void relative_frequencies(const LatentShape &shape, const double *rule_counts, const double *chain_counts,
                                 double smallest, double *rules, double *chains) {
  const auto totals_of = [&](const std::vector<std::size_t> &at, const double *counts, const auto &parent_of) {
    std::vector<double> totals(shape.state_at.back(), 0);
    for (std::size_t r = 0; r + 1 < at.size(); ++r) {
      const int parent = parent_of(r);
      const std::size_t row = (at[r + 1] - at[r]) / shape.states[parent];
      for (int x = 0; x < shape.states[parent]; ++x) {
        double total = 0;
        for (std::size_t k = 0; k < row; ++k) total += counts[at[r] + x * row + k];
        totals[shape.state_at[parent] + x] += total;
      }
    }
    return totals;
  };
  const auto divide = [&](const std::vector<std::size_t> &at, const double *counts, const auto &parent_of,
                          double *weights) {
    const std::vector<double> totals = totals_of(at, counts, parent_of);
    for (std::size_t r = 0; r + 1 < at.size(); ++r) {
      const int parent = parent_of(r);
      const std::size_t row = (at[r + 1] - at[r]) / shape.states[parent];
      const double *count = counts + at[r];
      double *weight = weights + at[r];
      for (int x = 0; x < shape.states[parent]; ++x, count += row, weight += row) {
        const double total = totals[shape.state_at[parent] + x];
        for (std::size_t k = 0; k < row; ++k) {
          const double share = total > 0 ? count[k] / total : 0;
          weight[k] = share < smallest ? 0 : share;
        }
      }
    }
  };
  divide(shape.rule_at, rule_counts, [&](std::size_t r) { return shape.rules[r][0]; }, rules);
  divide(shape.chain_at, chain_counts, [&](std::size_t c) { return shape.chains[c].top; }, chains);
}

}  // namespace treewright
