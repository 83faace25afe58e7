// The chart of first-order projective trees (Eisner 1996) over a semiring: the best tree, sums over all trees, arc
// marginals and samples come from the same items.
//
// A half is a head h with all its modifiers on one side, up to the boundary b before node b: b > h covers h .. b - 1
// rightwards, b <= h covers b .. h leftwards. Two halves that meet share their boundary. With weights a(h, m), for
// i < j:
//
//   facing(i, j)     = sum over i < b <= j            of  half(i, b) half(j, b)
//   incomplete(h, m) = a(h, m) facing(h, m)
//   half(h, b)       = sum over modifiers m up to b   of  incomplete(h, m) half(m, b)
//   half(h, h)       = half(h, h + 1) = 1
//
//   multi root   total = half(0, n + 1)
//   single root  total = sum over r of  a(0, r) half(r, 1) half(r, n + 1)
//
// Every tree has one derivation. So the outside weights, the derivatives of the total with respect to each item, come
// from the same sums in reverse order (Baker 1979), and marginal(h, m) = incomplete(h, m) outside(h, m) / total. A
// single tree is read from the top down: each sum chooses one of its terms, the largest one for the best tree, a random
// one by its share for a sample; terms are computed again, so there are no backpointers.
//
// O(n^3) time, O(n^2) space; a tree is read in O(n^2). Halves are stored by head and by boundary, so that every inner
// loop runs along rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/matrix.hpp"
#include "base/semiring.hpp"

namespace treewright {

template <typename Semiring>
class ProjectiveChart {
 public:
  using Weight = typename Semiring::Weight;

  // The inside weights. arc is nodes x nodes, row-major; its diagonal and column 0 are not read. It must exist as long
  // as the chart is read. Weights of sums are relative to the best head of each word, times exp(scale); those of the
  // best tree are if the scores of the best heads are given, which must exist as long as well.
  void inside(const double *arc, int nodes, bool single_root, double scale = 0, const double *best = nullptr) {
    nodes_ = nodes;
    first_ = single_root ? 1 : 0;
    scale_ = scale;
    total_ = Semiring::zero;
    least_ = most_ = 1;
    taken_off_ = best;
    if (!load(arc)) return;
    for (SquareTable<Weight> *chart : {&half_, &half_of_boundary_, &incomplete_}) chart->resize(nodes_ + 1);
    for (int j = first_; j < nodes_; ++j) {
      set_half(j, j, Semiring::one);
      set_half(j, j + 1, Semiring::one);
      for (int i = j - 1; i >= first_; --i) {
        const Weight facing = record(Semiring::dot(half_.at(i, i + 1), half_.at(j, i + 1), j - i));
        incomplete_(i, j) = record(Semiring::times(facing, weight(i, j)));
        set_half(i, j + 1, Semiring::dot(incomplete_.at(i, i + 1), half_of_boundary_.at(j + 1, i + 1), j - i));
        if (i == 0) continue;  // node 0 has no head
        incomplete_(j, i) = record(Semiring::times(facing, weight(j, i)));
        set_half(j, i, Semiring::dot(incomplete_.at(j, i), half_of_boundary_.at(i, i), j - i));
      }
    }
    total_ = single_root ? sum_over_roots() : half(0, nodes_);
  }

  bool has_tree() const { return total_ != Semiring::zero; }
  Weight total() const { return total_; }
  double log_partition() const { return has_tree() ? Semiring::log(total_) + shift_ : forbidden; }

  // After inside, when there is a tree: one tree. choose(count, term) returns one of 0 .. count - 1 by their terms.
  template <typename Choose>
  void read_tree(Choose choose, int *heads) {
    heads[0] = -1;
    if (first_ == 1) {
      const int r = 1 + choose(nodes_ - 1, [&](int k) { return root_weight(1 + k); });
      heads[r] = 0;
      open_.assign({{r, 1}, {r, nodes_}});
    } else {
      open_.assign({{0, nodes_}});
    }
    while (!open_.empty()) {  // halves (h, b) that have not been read
      const auto [h, b] = open_.back();
      open_.pop_back();
      if (b == h || b == h + 1) continue;
      const int from = h < b ? h + 1 : b, count = h < b ? b - h - 1 : h - b;
      const int m = from + choose(count, product_of(incomplete_.at(h, from), half_of_boundary_.at(b, from)));
      heads[m] = h;
      const int i = std::min(h, m), j = std::max(h, m);
      const int met = i + 1 + choose(j - i, product_of(half_.at(i, i + 1), half_.at(j, i + 1)));
      open_.insert(open_.end(), {{m, b}, {i, met}, {j, met}});
    }
  }

  // Weights below 1e-308 are lost in Real. No loss matters when all sums stay so far within the range of a double that
  // no product can leave it. Otherwise, a lost weight would have added itself times an outside weight to the total. No
  // outside weight is above the bound of `log10_bound` over the total: small enough (surely exact), or small enough
  // unless an outside weight is as large as possible, which `outside` then detects (possibly exact).
  bool is_surely_exact() const {
    return !Semiring::is_bounded || (least_ > 1e-150 && most_ < 1e150) || outside_is_below(260);
  }
  bool is_possibly_exact() const { return is_surely_exact() || outside_is_below(590); }

  // The scale that would bring the halves that begin with the first node near 1, as far as they are in range.
  double better_scale() const {
    int end = nodes_;
    while (end > first_ + 1 && !(half(first_, end) > 1e-250 && half(first_, end) < 1e250)) --end;
    return scale_ - Semiring::log(half(first_, end)) / (end - first_);
  }

  // After inside, when there is a tree: marginals[h, m] over nodes. False when a lost weight could matter.
  bool outside(double *marginals) {
    largest_outside_ = 0;
    std::fill_n(marginals, std::size_t(nodes_) * nodes_, 0.0);
    for (SquareTable<Weight> *chart : {&outside_half_, &outside_half_of_boundary_, &outside_incomplete_}) {
      chart->resize(nodes_ + 1);
      for (int row = 0; row <= nodes_; ++row) std::fill_n(&(*chart)(row, 0), nodes_ + 1, Semiring::zero);
    }
    first_ ? start_outside_at_roots(marginals) : start_outside_at_node_0();
    for (int j = nodes_ - 1; j > first_; --j)
      for (int i = first_; i < j; ++i) {
        add_outside_of_half(outside_half(i, j + 1), i, i + 1, j + 1, j - i);
        if (i > 0) add_outside_of_half(outside_half(j, i), j, i, i, j - i);
        Weight facing = Semiring::times(*outside_incomplete_.at(i, j), weight(i, j));
        marginals[std::size_t(i) * nodes_ + j] = probability(i, j);
        if (i > 0) {
          facing = Semiring::plus(facing, Semiring::times(*outside_incomplete_.at(j, i), weight(j, i)));
          marginals[std::size_t(j) * nodes_ + i] = probability(j, i);
        }
        if (facing == Semiring::zero) continue;
        Semiring::add_scaled(&outside_half_(i, i + 1), facing, half_.at(j, i + 1), j - i);
        Semiring::add_scaled(&outside_half_(j, i + 1), facing, half_.at(i, i + 1), j - i);
        largest_outside_ =
            std::max({largest_outside_, facing, *outside_incomplete_.at(i, j), *outside_incomplete_.at(j, i)});
      }
    return !Semiring::is_bounded || largest_outside_ < 1e280;
  }

  int nodes() const { return nodes_; }
  const Weight *halves_of(int h, int b) const { return half_.at(h, b); }            // along b
  const Weight *incomplete_of(int h, int m) const { return incomplete_.at(h, m); }  // along m

 private:
  Weight weight(int h, int m) const {
    const double given = weight_[std::size_t(h) * nodes_ + m];
    if constexpr (Semiring::is_relative || Semiring::is_wide) return given;
    return taken_off_ ? given - taken_off_[m] : given;
  }
  Weight half(int h, int b) const { return *half_.at(h, b); }
  void set_half(int h, int b, const Weight &value) { half_(h, b) = half_of_boundary_(b, h) = record(value); }
  static auto product_of(const Weight *a, const Weight *b) {
    return [=](int k) { return Semiring::times(a[k], b[k]); };
  }
  Weight root_weight(int r) const { return Semiring::times(weight(0, r), half(r, 1), half(r, nodes_)); }

  // Keeps the range of all weights up to date.
  const Weight &record(const Weight &value) {
    if constexpr (Semiring::is_bounded) {
      if (value < least_ && value != Semiring::zero) least_ = value;
      if (value > most_) most_ = value;
    }
    return value;
  }

  Weight outside_half(int h, int b) const {
    return Semiring::plus(*outside_half_.at(h, b), *outside_half_of_boundary_.at(b, h));
  }
  double probability(int h, int m) const {
    return Semiring::value(Semiring::times(*incomplete_.at(h, m), *outside_incomplete_.at(h, m)));
  }

  // False when a word has no head.
  bool load(const double *arc) {
    shift_ = 0;
    weight_ = arc;
    if constexpr (Semiring::is_relative) return load_relative(arc);
    return true;
  }

  bool load_relative(const double *arc) {
    if (!find_best_heads(arc)) return false;
    CheckedSum shifts;
    for (int m = 1; m < nodes_; ++m) {
      best_[m] -= scale_;
      shifts.add(best_[m]);
    }
    double root_shift = 0;  // of the arcs from node 0, of which a tree with a single root has one
    if (first_ == 1) {
      root_shift = forbidden;
      for (int m = 1; m < nodes_; ++m) root_shift = std::max(root_shift, arc[m] - best_[m]);
      if (root_shift == forbidden) return false;
      shifts.add(root_shift);
    }
    shift_ = shifts.value();
    relative_.resize(std::size_t(nodes_) * nodes_);
    weight_ = relative_.data();
    for (int h = 0; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m) {
        const double score = h == m ? forbidden : arc[std::size_t(h) * nodes_ + m] - (h ? 0 : root_shift);
        relative_[std::size_t(h) * nodes_ + m] = record(Semiring::of_log(score - best_[m]));
        if (Semiring::is_bounded && score > forbidden && weight(h, m) == Semiring::zero) least_ = 0;
      }
    if constexpr (Semiring::is_bounded) sum_heads();
    return true;
  }

  // Sets best_ to the score of the best head of each word, with a single root the best one among the words unless node
  // 0 is better by far. Long texts without sentence ends have many words that could be the root, and only one is: in
  // weights relative to node 0, all trees would be too light. False when a word has no head.
  bool find_best_heads(const double *arc) {
    constexpr double far = 200;  // not tuned; e^200 is far from the limits of a double
    best_.assign(nodes_, forbidden);
    for (int h = 1; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m)
        if (h != m) best_[m] = std::max(best_[m], arc[std::size_t(h) * nodes_ + m]);
    for (int m = 1; m < nodes_; ++m) {
      if (first_ == 0 || arc[m] - best_[m] > far || best_[m] == forbidden) best_[m] = std::max(best_[m], arc[m]);
      if (best_[m] == forbidden) return false;
    }
    return true;
  }

  void sum_heads() {
    heads_.assign(nodes_, 0.0);
    for (int h = first_; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m) heads_[m] += relative_[std::size_t(h) * nodes_ + m];
    log10_heads_ = first_ * std::log10(nodes_);  // any word may be the root
    for (int m = 1; m < nodes_; ++m) log10_heads_ += std::max(std::log10(heads_[m]), 0.0);
  }

  Weight sum_over_roots() const {
    Weight sum = Semiring::zero;
    for (int r = 1; r < nodes_; ++r) sum = Semiring::plus(sum, root_weight(r));
    return sum;
  }

  // An upper bound on the weight of all structures over some of the words. There are fewer than (27/4)^n trees with arc
  // weights of at most 1 (without scale); and every word has one head, so that the product of the sums over the heads
  // of each word is a bound as well, which is the lower one where few heads are likely.
  double log10_bound() const {
    return std::min(nodes_ * (std::log10(6.75) + std::max(scale_, 0.0) / ln10), log10_heads_);
  }

  // Whether no outside weight can have more digits before the point, and no inside weight too many for a double.
  bool outside_is_below(double digits) const {
    return total_ > 0 && most_ < 1e300 && log10_bound() - std::log10(total_) < digits;
  }

  void start_outside_at_node_0() { outside_half_(0, nodes_) = Semiring::over(Semiring::one, total_); }

  void start_outside_at_roots(double *marginals) {
    for (int r = 1; r < nodes_; ++r) {
      const Weight root = Semiring::over(weight(0, r), total_);
      outside_half_(r, 1) = Semiring::plus(*outside_half_.at(r, 1), Semiring::times(root, half(r, nodes_)));
      outside_half_(r, nodes_) = Semiring::plus(*outside_half_.at(r, nodes_), Semiring::times(root, half(r, 1)));
      marginals[r] = Semiring::value(Semiring::over(root_weight(r), total_));
    }
  }

  // From half(h, b) to the factors of its terms, over the modifiers from, from + 1, ...
  void add_outside_of_half(const Weight &outside, int h, int from, int b, int count) {
    if (outside == Semiring::zero) return;
    largest_outside_ = std::max(largest_outside_, outside);
    Semiring::add_scaled(&outside_incomplete_(h, from), outside, half_of_boundary_.at(b, from), count);
    Semiring::add_scaled(&outside_half_of_boundary_(b, from), outside, incomplete_.at(h, from), count);
  }

  int nodes_ = 0, first_ = 0;
  static constexpr double ln10 = 2.302585092994046;
  double shift_ = 0, scale_ = 0;
  double log10_heads_ = 0;  // of the product of the sums of the weights of all heads of each word
  Weight total_ = Semiring::zero, least_ = 1, most_ = 1, largest_outside_ = 0;
  const double *weight_ = nullptr;     // the scores themselves, or relative_
  const double *taken_off_ = nullptr;  // the scores of the best heads, or none
  std::vector<double> relative_, best_, heads_;
  SquareTable<Weight> half_, half_of_boundary_, incomplete_;
  // Outside weights of halves are accumulated along rows of one or the other layout and added when they are used.
  SquareTable<Weight> outside_half_, outside_half_of_boundary_, outside_incomplete_;
  std::vector<std::pair<int, int>> open_;
};

}  // namespace treewright
