// Random trees with probability proportional to the product of their arcs' weights a(h, m) = exp(arc(h, m)).
//
// WalkSampler: any trees that grow out of node 0 (Wilson 1996). From each word not yet in the tree, walk from head to
// head, each drawn by its weight, until the tree is met; the last head drawn for each word on the way is its head. It
// takes the sum over m of 1 / P(a walk from m reaches 0 before m) steps on average, which is computed beforehand by the
// sums that give marginals. Where walks would stay in cycles of strong arcs for longer than elimination takes, heads
// are drawn one word after the other instead, each from its exact distribution given those before it, O(n^4) a tree.
// The choice depends on the scores alone, so that both methods draw from the same distribution.
//
// TreeSampler: the same with one or several children of node 0. One: the child r is drawn by its marginal, then a tree
// that grows out of r.
//
// ProjectiveSampler: the chart of inside weights is read from the top down, and each sum chooses one of its terms by
// its share; O(n^2) a tree.
//
// SecondOrderSampler: the same over the chart with siblings, stops and grandparents.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "charts/choice.hpp"
#include "charts/inside_outside.hpp"
#include "charts/part_sums.hpp"
#include "trees/matrix_tree.hpp"

namespace treewright {

class WalkSampler {
 public:
  // arc is nodes x nodes, row-major; its diagonal and column 0 are not read. False when there is no tree.
  bool prepare(const double *arc, int nodes, MatrixTree &sums) {
    nodes_ = nodes;
    arc_.assign(arc, arc + std::size_t(nodes) * nodes);
    totals_.resize(arc_.size());
    double least = 1;  // the smallest probability of a step to 0
    for (int m = 1; m < nodes; ++m) least = std::min(least, add_totals(m));
    // A walk takes 1 / least steps on average at most; usually this bound is sufficient.
    const double n = nodes - 1, limit = 100 * n + n * n * n;
    walks_ = n <= limit * least;
    if (walks_) return true;
    std::vector<double> marginals(arc_.size());
    if (sums.marginals(arc, nodes, false, marginals.data()) == forbidden) return false;
    walks_ = sums.mean_steps() <= limit;
    return true;
  }

  void draw(Random &random, MatrixTree &sums, int *heads) {
    heads[0] = -1;
    walks_ ? walk(random, heads) : condition(random, sums, heads);
  }

  bool walks() const { return walks_; }

 private:
  double score(int h, int m) const { return arc_[std::size_t(h) * nodes_ + m]; }

  // Fills a row of totals_; returns the share of 0.
  double add_totals(int m) {
    double best = forbidden, total = 0;
    for (int h = 0; h < nodes_; ++h)
      if (h != m) best = std::max(best, score(h, m));
    if (best == forbidden) return 0;
    double *totals = totals_.data() + std::size_t(m) * nodes_;
    for (int h = 0; h < nodes_; ++h) {
      if (h != m) total += std::exp(score(h, m) - best);
      totals[h] = total;
    }
    return totals[0] / total;
  }

  void walk(Random &random, int *heads) {
    in_tree_.assign(nodes_, 0);
    in_tree_[0] = 1;
    for (int m = 1; m < nodes_; ++m) {
      for (int v = m; !in_tree_[v]; v = heads[v])
        heads[v] = draw_by_totals(random, totals_.data() + std::size_t(v) * nodes_, nodes_);
      for (int v = m; !in_tree_[v]; v = heads[v]) in_tree_[v] = 1;
    }
  }

  void condition(Random &random, MatrixTree &sums, int *heads) {
    left_ = arc_;
    probability_.resize(nodes_);
    for (int m = 1; m < nodes_; ++m) {
      sums.head_probabilities(left_.data(), nodes_, m, probability_.data());
      for (int h = 1; h < nodes_; ++h) probability_[h] += probability_[h - 1];
      heads[m] = draw_by_totals(random, probability_.data(), nodes_);
      for (int h = 0; h < nodes_; ++h)
        if (h != heads[m]) left_[std::size_t(h) * nodes_ + m] = forbidden;
    }
  }

  int nodes_ = 0;
  bool walks_ = true;
  std::vector<double> arc_, totals_;  // totals_[m, h]: the weights of the heads of m up to h
  std::vector<char> in_tree_;
  std::vector<double> left_, probability_;
};

class TreeSampler {
 public:
  // False when there is no tree.
  bool prepare(const double *arc, int nodes, bool single_root) {
    nodes_ = nodes, single_root_ = single_root, arc_ = arc;
    if (!single_root) return whole_.prepare(arc, nodes, sums_);
    roots_.resize(std::size_t(nodes) * nodes);
    if (sums_.marginals(arc, nodes, true, roots_.data()) == forbidden) return false;
    roots_[0] = 0;
    for (int r = 1; r < nodes; ++r) roots_[r] += roots_[r - 1];
    below_.clear();
    below_.resize(nodes);
    return true;
  }

  // arc is still there.
  void draw(Random &random, int *heads) {
    has_walked_ = true;
    if (!single_root_) {
      has_walked_ = whole_.walks();
      return whole_.draw(random, sums_, heads);
    }
    const int r = draw_by_totals(random, roots_.data(), nodes_);
    heads[0] = -1, heads[r] = 0;
    if (nodes_ == 2) return;
    if (!below_[r]) below_[r] = sampler_below(r);
    inner_.resize(nodes_ - 1);
    has_walked_ = below_[r]->walks();
    below_[r]->draw(random, sums_, inner_.data());
    for (int m = 1; m < nodes_ - 1; ++m) heads[outer(m, r)] = outer(inner_[m], r);
  }

  bool has_walked() const { return has_walked_; }  // the last tree was drawn by walks, which is fast

 private:
  // Without node 0, and with r in its place: the words before r move up by one.
  static int outer(int inner, int r) { return inner == 0 ? r : inner < r ? inner : inner + 1; }

  std::unique_ptr<WalkSampler> sampler_below(int r) {
    const std::size_t inside = nodes_ - 1;
    std::vector<double> arc(inside * inside, forbidden);
    for (std::size_t h = 0; h < inside; ++h)
      for (std::size_t m = 1; m < inside; ++m)
        if (h != m) arc[h * inside + m] = arc_[std::size_t(outer(int(h), r)) * nodes_ + outer(int(m), r)];
    auto sampler = std::make_unique<WalkSampler>();
    sampler->prepare(arc.data(), int(inside), sums_);
    return sampler;
  }

  int nodes_ = 0;
  bool single_root_ = false, has_walked_ = true;
  const double *arc_ = nullptr;
  MatrixTree sums_;
  WalkSampler whole_;
  std::vector<double> roots_;                        // running totals of the roots' probabilities, in the first row
  std::vector<std::unique_ptr<WalkSampler>> below_;  // of each root, made when it is first drawn
  std::vector<int> inner_;
};

class ProjectiveSampler {
 public:
  // arc must exist as long as trees are drawn. False when there is no tree.
  bool prepare(const double *arc, int nodes, bool single_root) {
    is_real_ = inside_in_range(real_, arc, nodes, single_root);
    if (is_real_) return real_.has_tree();
    is_wide_ = is_wide(arc, std::size_t(nodes) * nodes);
    is_wide_ ? wide_.inside(arc, nodes, single_root) : log_.inside(arc, nodes, single_root);
    return is_wide_ ? wide_.has_tree() : log_.has_tree();
  }

  void draw(Random &random, int *heads) {
    if (is_real_) return real_.read_tree(RandomTerm<Real>(random), heads);
    is_wide_ ? wide_.read_tree(RandomTerm<WideLog>(random), heads) : log_.read_tree(RandomTerm<LogSum>(random), heads);
  }

 private:
  bool is_real_ = true, is_wide_ = false;
  ProjectiveChart<Real> real_;
  ProjectiveChart<LogSum> log_;
  ProjectiveChart<WideLog> wide_;
};

class SecondOrderSampler {
 public:
  // parts must exist as long as trees are drawn. False when there is no tree.
  bool prepare(const Parts &parts, bool single_root) {
    is_wide_ = is_wide(parts);
    return is_wide_ ? !wide_.inside(parts, single_root).is_zero : chart_.inside(parts, single_root) > forbidden;
  }

  void draw(Random &random, int *heads) {
    is_wide_ ? wide_.read_tree(RandomTerm<WideLog>(random), heads)
             : chart_.read_tree(RandomTerm<LogSum>(random), heads);
  }

 private:
  bool is_wide_ = false;
  SecondOrderChart<LogSum> chart_;
  SecondOrderChart<WideLog> wide_;
};

}  // namespace treewright
