// Sums over all projective trees: log partition and arc marginals, by inside and outside weights (Baker 1979, over the
// items of Eisner 1996).
//
// A half is a head h with all its modifiers on one side, up to the boundary b before node b: b > h covers h .. b - 1
// rightwards, b <= h covers b .. h leftwards. With weights a(h, m) = exp(arc(h, m)), for i < j:
//
//   facing(i, j)     = sum over i < b <= j            of  half(i, b) half(j, b)
//   incomplete(h, m) = a(h, m) facing(h, m)
//   half(h, b)       = sum over modifiers m up to b   of  incomplete(h, m) half(m, b)      half(h, h) = half(h, h + 1)
//   = 1
//
//   multi root   Z = half(0, n + 1)
//   single root  Z = sum over r of  a(0, r) half(r, 1) half(r, n + 1)
//
// Every tree has one derivation, so the outside weights, the derivatives of Z with respect to each item, come from the
// same sums read backwards, and marginal(h, m) = incomplete(h, m) outside(h, m) / Z. O(n^3) time, O(n^2) space.
// Halves are kept by head and by boundary, so that every inner loop walks along rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "charts/semiring.hpp"

namespace treewright {

template <typename Semiring>
class ProjectiveSums {
 public:
  // The inside weights. arc is nodes x nodes, row-major; its diagonal and column 0 are not read. Weights are relative
  // to the best head of each word, times exp(scale).
  void inside(const double *arc, int nodes, bool single_root, double scale = 0) {
    nodes_ = nodes;
    first_ = single_root ? 1 : 0;
    scale_ = scale;
    total_ = Semiring::zero;
    least_ = most_ = 1;
    if (!load(arc)) return;
    for (Matrix *chart : {&half_, &half_of_boundary_, &incomplete_}) chart->resize(nodes_ + 1);
    for (int j = first_; j < nodes_; ++j) {
      set_half(j, j, Semiring::one);
      set_half(j, j + 1, Semiring::one);
      for (int i = j - 1; i >= first_; --i) {
        const double facing = Semiring::dot(half_.at(i, i + 1), half_.at(j, i + 1), j - i);
        note(facing);
        incomplete_(i, j) = note(Semiring::times(facing, weight(i, j)));
        set_half(i, j + 1, Semiring::dot(incomplete_.at(i, i + 1), half_of_boundary_.at(j + 1, i + 1), j - i));
        if (i == 0) continue;  // nothing is the head of the root
        incomplete_(j, i) = note(Semiring::times(facing, weight(j, i)));
        set_half(j, i, Semiring::dot(incomplete_.at(j, i), half_of_boundary_.at(i, i), j - i));
      }
    }
    total_ = single_root ? sum_over_roots() : half(0, nodes_);
  }

  bool has_tree() const { return total_ != Semiring::zero; }
  double log_partition() const { return has_tree() ? Semiring::log(total_) + shift_ : forbidden; }

  // Plain weights below 1e-308 are lost. Surely nothing that matters was, when all sums stay so far within the range of
  // a double that no product can leave it. Otherwise, what a lost weight would have added to Z is itself times an
  // outside weight. Arc weights are at most 1 (without scale) and there are fewer than 27/4 to the power n trees, so
  // that no outside weight is above that, over Z: small enough (sure), or small enough unless an outside weight is as
  // large as can be, which `outside` then notices (possible).
  bool is_surely_exact() const {
    return Semiring::zero != 0 || (least_ > 1e-150 && most_ < 1e150) || outside_is_below(260);
  }
  bool is_possibly_exact() const { return is_surely_exact() || outside_is_below(590); }

  // The scale that would bring the halves that begin with the first node near 1, as far as they are in range.
  double better_scale() const {
    int end = nodes_;
    while (end > first_ + 1 && !(half(first_, end) > 1e-250 && half(first_, end) < 1e250)) --end;
    return scale_ - Semiring::log(half(first_, end)) / (end - first_);
  }

  // After inside, when there is a tree: marginals[h, m] over nodes. False when something lost could matter.
  bool outside(double *marginals) {
    largest_outside_ = 0;
    std::fill_n(marginals, std::size_t(nodes_) * nodes_, 0.0);
    for (Matrix *chart : {&outside_half_, &outside_half_of_boundary_, &outside_}) {
      chart->resize(nodes_ + 1);
      for (int row = 0; row <= nodes_; ++row) std::fill_n(&(*chart)(row, 0), nodes_ + 1, Semiring::zero);
    }
    first_ ? open_at_each_root(marginals) : open_at_the_wall();
    for (int j = nodes_ - 1; j > first_; --j)
      for (int i = first_; i < j; ++i) {
        // half(i, j + 1), and half(j, i), give to the incomplete items and halves that they are made of ...
        give(outside_half(i, j + 1), i, i + 1, j + 1, j - i);
        if (i > 0) give(outside_half(j, i), j, i, i, j - i);
        // ... and incomplete(i, j) and incomplete(j, i) to the halves that face each other between i and j.
        double facing = Semiring::times(*outside_.at(i, j), weight(i, j));
        marginals[std::size_t(i) * nodes_ + j] = probability(i, j);
        if (i > 0) {
          facing = Semiring::plus(facing, Semiring::times(*outside_.at(j, i), weight(j, i)));
          marginals[std::size_t(j) * nodes_ + i] = probability(j, i);
        }
        if (facing == Semiring::zero) continue;
        Semiring::add_scaled(&outside_half_(i, i + 1), facing, half_.at(j, i + 1), j - i);
        Semiring::add_scaled(&outside_half_(j, i + 1), facing, half_.at(i, i + 1), j - i);
        largest_outside_ = std::max({largest_outside_, facing, *outside_.at(i, j), *outside_.at(j, i)});
      }
    return Semiring::zero != 0 || largest_outside_ < 1e280;
  }

  // For those who read the chart: inside weights, and where the halves of the words begin.
  int nodes() const { return nodes_; }
  bool single_root() const { return first_ == 1; }
  const double *halves_of(int h, int b) const { return half_.at(h, b); }                 // along b
  const double *halves_up_to(int b, int h) const { return half_of_boundary_.at(b, h); }  // along h
  const double *incomplete_of(int h, int m) const { return incomplete_.at(h, m); }       // along m
  double root_weight(int r) const {
    return Semiring::times(weight(0, r), Semiring::times(half(r, 1), half(r, nodes_)));
  }

 private:
  double weight(int h, int m) const { return weight_[std::size_t(h) * nodes_ + m]; }
  double half(int h, int b) const { return *half_.at(h, b); }
  void set_half(int h, int b, double value) { half_(h, b) = half_of_boundary_(b, h) = note(value); }
  double note(double value) {
    if (value < least_ && value != Semiring::zero) least_ = value;
    if (value > most_) most_ = value;
    return value;
  }
  double outside_half(int h, int b) const {
    return Semiring::plus(*outside_half_.at(h, b), *outside_half_of_boundary_.at(b, h));
  }
  double probability(int h, int m) const {
    return Semiring::value(Semiring::times(*incomplete_.at(h, m), *outside_.at(h, m)));
  }

  bool load(const double *arc) {
    weight_.resize(std::size_t(nodes_) * nodes_);
    best_.assign(nodes_, forbidden);
    for (int h = 0; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m)
        if (h != m) best_[m] = std::max(best_[m], arc[std::size_t(h) * nodes_ + m]);
    shift_ = 0;
    for (int m = 1; m < nodes_; ++m) {
      if (best_[m] == forbidden) return false;
      if (!Semiring::is_relative) best_[m] = 0;
      best_[m] -= scale_;
      shift_ += best_[m];
    }
    for (int h = 0; h < nodes_; ++h)
      for (int m = 1; m < nodes_; ++m) {
        const double score = h == m ? forbidden : arc[std::size_t(h) * nodes_ + m];
        weight_[std::size_t(h) * nodes_ + m] = note(Semiring::of_log(score - best_[m]));
        if (Semiring::zero == 0 && score > forbidden && weight(h, m) == Semiring::zero) least_ = 0;
      }
    return true;
  }

  double sum_over_roots() const {
    double sum = Semiring::zero;
    for (int r = 1; r < nodes_; ++r) sum = Semiring::plus(sum, root_weight(r));
    return sum;
  }

  // Whether no outside weight can have more digits before the point, and no inside weight too many for a double.
  bool outside_is_below(double digits) const {
    const double largest_inside = nodes_ * (std::log10(6.75) + std::max(scale_, 0.0) / ln10);
    return total_ > 0 && largest_inside < 300 && largest_inside - std::log10(total_) < digits;
  }

  void open_at_the_wall() { outside_half_(0, nodes_) = Semiring::over(Semiring::one, total_); }

  void open_at_each_root(double *marginals) {
    for (int r = 1; r < nodes_; ++r) {
      const double root = Semiring::over(weight(0, r), total_);
      outside_half_(r, 1) = Semiring::plus(*outside_half_.at(r, 1), Semiring::times(root, half(r, nodes_)));
      outside_half_(r, nodes_) = Semiring::plus(*outside_half_.at(r, nodes_), Semiring::times(root, half(r, 1)));
      marginals[r] = Semiring::value(Semiring::over(root_weight(r), total_));
    }
  }

  // half(h, b) is a sum over the modifiers from, from + 1, ...
  void give(double outside, int h, int from, int b, int count) {
    if (outside == Semiring::zero) return;
    largest_outside_ = std::max(largest_outside_, outside);
    Semiring::add_scaled(&outside_(h, from), outside, half_of_boundary_.at(b, from), count);
    Semiring::add_scaled(&outside_half_of_boundary_(b, from), outside, incomplete_.at(h, from), count);
  }

  int nodes_ = 0, first_ = 0;
  static constexpr double ln10 = 2.302585092994046;
  double total_ = Semiring::zero, shift_ = 0, scale_ = 0, least_ = 1, most_ = 1, largest_outside_ = 0;
  std::vector<double> weight_, best_;
  Matrix half_, half_of_boundary_, incomplete_;
  // Outside weights come along rows of one or the other layout and are added up when they are used.
  Matrix outside_half_, outside_half_of_boundary_, outside_;
};

// Plain inside weights under a scale that keeps them in range, when one is found: the first tries grow along the
// sentence, so that a few are enough for weights of any length that are not too unlike each other.
inline bool inside_in_range(ProjectiveSums<Real> &sums, const double *arc, int nodes, bool single_root) {
  double scale = 0;
  for (int tries = 0; tries < 5; ++tries) {
    sums.inside(arc, nodes, single_root, scale);
    if (sums.is_surely_exact()) return true;
    const double better = sums.better_scale();
    if (better == scale) break;
    scale = better;
  }
  return false;
}

class InsideOutside {
 public:
  // The log partition, -inf when there is no projective tree.
  double log_partition(const double *arc, int nodes, bool single_root) {
    if (inside_in_range(plain_, arc, nodes, single_root)) return plain_.log_partition();
    logs_.inside(arc, nodes, single_root);
    return logs_.log_partition();
  }

  // The same, and marginals[h, m] over nodes: each word's column sums to one; all zero when there is no tree.
  double marginals(const double *arc, int nodes, bool single_root, double *marginals) {
    plain_.inside(arc, nodes, single_root);
    if (plain_.is_possibly_exact() || inside_in_range(plain_, arc, nodes, single_root))
      if (finish(plain_, marginals)) return plain_.log_partition();
    logs_.inside(arc, nodes, single_root);
    finish(logs_, marginals);
    return logs_.log_partition();
  }

 private:
  template <typename Sums>
  static bool finish(Sums &sums, double *marginals) {
    if (sums.has_tree()) return sums.outside(marginals);
    std::fill_n(marginals, std::size_t(sums.nodes()) * sums.nodes(), 0.0);
    return true;
  }

  ProjectiveSums<Real> plain_;
  ProjectiveSums<LogSum> logs_;
};

}  // namespace treewright
