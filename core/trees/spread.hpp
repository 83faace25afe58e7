// The spread of a tree: the scale of differences between trees, which tolerances are relative to. Defined on
// docs/decoding.md, "What certified means", and computed again by the checker (src/treewright/proofs/spread.py).
//
// It is the loss of the tree without penalties (losses.hpp), but at most 2^9 times the difference of its value from that
// of random trees, in which whatever all trees have cancels out. Random trees are left out as a matter of speed where
// they hardly change it: if there are more than `few_words`, and the loss is at most 2^9 times the margin of the heads.
//
// The random trees are states of a random walk that begins at the tree. A step draws a word m and a node h and makes h
// the head of m, if the arc is a candidate and the result is a tree; with a single root, a new child of node 0 becomes
// the head of the old one. Arcs may cross in them, also where the tree is projective. States with a forbidden part are
// left again, and fewer steps are taken from then on. Ties with the tree do not count, or the scale would be 0 where many
// trees are best: differences that the rounding of the scores can have made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"

namespace treewright {

constexpr double max_ratio = 1 << 9;  // of losses to differences between trees; not tuned

// The margin of the best heads: the smallest positive loss of an arc into each word, and of these the median.
class HeadMargin {
 public:
  explicit HeadMargin(int nodes) : margins_(nodes, infinity) {}

  void add(int m, double loss) {
    if (loss > 0 && loss < margins_[m]) margins_[m] = loss;
  }

  // 0 if there is none.
  double median() {
    margins_.erase(std::remove(margins_.begin(), margins_.end(), infinity), margins_.end());
    if (margins_.empty()) return 0;
    const auto middle = margins_.begin() + margins_.size() / 2;
    std::nth_element(margins_.begin(), middle, margins_.end());
    return *middle;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> margins_;
};

// Whether the loss of a tree may have masks that other trees have too.
inline bool needs_random_trees(int nodes, double loss, HeadMargin &margin) {
  constexpr int few_words = 8;  // in so few, no head may be without a mask but the best; not tuned
  return nodes <= few_words + 1 || loss > max_ratio * margin.median();
}

class TreeWalk {
 public:
  // A low rank, because the share of trees without a mask is estimated from few trees. Not tuned.
  static constexpr int trees = 15, max_rounds = 30, rank = 1;

  // The largest spread: a multiple of the difference between the values of the tree and of random trees, of which the
  // second smallest of 15 counts; +inf if no other tree was found, 0 if all of them are ties. has_arc(h, m) says whether
  // an arc is a candidate; for_parts_of(heads, use) calls use(score) for every part of a tree.
  template <typename HasArc, typename ForParts>
  double max_spread(int nodes, const int *heads, bool single_root, HasArc has_arc, ForParts for_parts_of) {
    std::vector<int> tree(heads, heads + nodes), next;
    std::vector<double> differences;
    const std::vector<double> own = sorted_scores(heads, for_parts_of);
    state_ = 0;
    int steps = 2 * nodes;
    bool has_tie = false;
    for (int round = 0; round < max_rounds && int(differences.size()) < trees; ++round) {
      next = tree;
      for (int step = 0; step < steps; ++step) move(next, single_root, has_arc);
      const std::vector<double> other = sorted_scores(next.data(), for_parts_of);
      if (other.front() == forbidden) {
        steps = std::max(1, steps / 2);
        continue;
      }
      tree = next;
      if (std::equal(tree.begin(), tree.end(), heads)) continue;
      const double difference = difference_of_sums(own, other);
      if (difference == 0)
        has_tie = true;
      else
        differences.push_back(difference);
    }
    if (differences.empty()) return has_tie ? 0 : infinity;
    const auto chosen = differences.begin() + rank * differences.size() / trees;
    std::nth_element(differences.begin(), chosen, differences.end());
    return max_ratio * *chosen;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  template <typename ForParts>
  static std::vector<double> sorted_scores(const int *heads, ForParts for_parts_of) {
    std::vector<double> scores;
    for_parts_of(heads, [&](double score) { scores.push_back(score); });
    std::sort(scores.begin(), scores.end());
    return scores;
  }

  // The size of the difference; 0 if it is at most what rounding each score to a double can make, half a unit in the
  // last place of each. Equal scores, such as masks, cancel out without rounding.
  static double difference_of_sums(const std::vector<double> &one, const std::vector<double> &other) {
    std::vector<double> rest;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(rest));
    const std::size_t own = rest.size();
    std::set_difference(other.begin(), other.end(), one.begin(), one.end(), std::back_inserter(rest));
    CheckedSum sum;
    double rounding = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      sum.add(i < own ? rest[i] : -rest[i]);
      if (rest[i] != 0) rounding += std::ldexp(1.0, std::ilogb(rest[i]) - 53);
    }
    const double size = std::abs(sum.value());
    if (!(size < infinity)) return infinity;  // NaN: the sum exceeds the doubles
    return size <= rounding ? 0 : size;
  }

  // A number below `end`: the generator is two lines, so that the checker can have the same.
  int draw(int end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return int((state_ >> 32) * std::uint64_t(end) >> 32);
  }

  template <typename HasArc>
  void move(std::vector<int> &tree, bool single_root, HasArc has_arc) {
    const int m = 1 + draw(int(tree.size()) - 1), h = draw(int(tree.size()));
    if (h == m || tree[m] == h || !has_arc(h, m)) return;
    if (h == 0 && single_root) {
      const int child = int(std::find(tree.begin() + 1, tree.end(), 0) - tree.begin());
      if (!has_arc(m, child)) return;
      tree[child] = m;
    } else {
      for (int above = h; above > 0; above = tree[above])
        if (above == m) return;
    }
    tree[m] = h;
  }

  std::uint64_t state_ = 0;
};

}  // namespace treewright
