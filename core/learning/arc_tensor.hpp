// Scores of arcs by a low-rank tensor over features of the head, of the modifier and of their distance (Lei et al.
// 2014):
//
//   score(h, m) = sum over r of  u(h, r) * v(m, r) * (w(0, r) + w(d, r)),   d the signed distance of h and m
//   u(h, r) = sum of U[f, r] over the features f of h,  v(m, r) = sum of V[f, r] over the features f of m
//
// Several tensors of the same rank, which are trained each for itself from other random numbers, may stand side by side
// in the rows: the score is then the mean of theirs.
//
// The parameters are the rows of one table: those of the distances first, then those of the hashed features; U before
// V. A feature is a template of one word (learning/features.hpp), for some templates joined by each of the word's
// morphological features in turn.
//
// Cost: O(words x features x rank) a sentence, then O(rank) an arc.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bucket.hpp"
#include "learning/features.hpp"
#include "learning/scoring.hpp"
#include "trees/parts.hpp"

namespace treewright {

class ArcTensor {
 public:
  enum Kind { plain, with_each, kinds };
  static constexpr int distances = 15;  // 0 is for all distances, 1 to 7 leftward, 8 to 14 rightward
  static constexpr int min_feature_rows = 2;

  // The table has at least `distances` + min_feature_rows rows of `tensors` times `rank` numbers in its 2^bits.
  ArcTensor(std::vector<TemplateTable> tables, int bits, int rank, int tensors)
      : tables_(std::move(tables)),
        rows_(tables_.size()),
        tensors_(tensors),
        rank_(rank),
        width_(rank * tensors),
        hashed_((std::uint32_t((std::size_t(1) << bits) / width_) - distances) / 2) {}

  void open(const Atoms &atoms) {
    nodes_ = atoms.nodes;
    for (std::size_t i = 0; i < tables_.size(); ++i) rows_[i].fill(atoms, tables_[i], 1);
    features_.clear(), begin_.assign(1, 0);
    for (int node = 0; node < nodes_; ++node) {
      for (std::size_t i = 0; i < tables_.size(); ++i) list(atoms, i, node);
      begin_.push_back(int(features_.size()));
    }
  }

  int nodes() const { return nodes_; }
  int tensors() const { return tensors_; }

  static int distance(int h, int m) {
    const int bin = bucket(std::abs(h - m), {1, 2, 3, 4, 5, 6, 11});
    return h < m ? 7 + bin : bin;
  }

  // Adds the scores of the arcs to those that the parts have: the mean of all tensors.
  template <typename Weight>
  void add_scores(const WeightTable<Weight> &weights, Parts &parts) {
    project(weights);
    for (int e = 0; e < parts.arcs(); ++e)
      parts.arc[e] += double(score(parts.head[e], parts.modifier[e], 0, width_)) / tensors_;
  }

  // Adds the scores by one tensor.
  template <typename Weight>
  void add_scores_of(int tensor, const WeightTable<Weight> &weights, Parts &parts) {
    project(weights);
    for (int e = 0; e < parts.arcs(); ++e)
      parts.arc[e] += double(score(parts.head[e], parts.modifier[e], tensor * rank_, (tensor + 1) * rank_));
  }

  // Adds the gradient of the arcs' scores by one tensor, stored in place of these scores, to that of its parameters.
  void spread(int tensor, const Parts &gradient, Learner &learner) {
    project(WeightTable<float>{learner.weights(), 1.0});
    head_gradient_.assign(head_.size(), 0), modifier_gradient_.assign(modifier_.size(), 0);
    distance_gradient_.assign(distance_.size(), 0);
    for (int e = 0; e < gradient.arcs(); ++e)
      if (std::abs(gradient.arc[e]) > smallest_gradient)
        add_arc(tensor, gradient.head[e], gradient.modifier[e], float(gradient.arc[e]));
    for (int d = 0; d < distances; ++d) add_row(learner, std::uint32_t(d), &distance_gradient_[at(d)]);
    for (int node = 0; node < nodes_; ++node) {
      each_row(node, false, [&](std::uint32_t row) { add_row(learner, row, &head_gradient_[at(node)]); });
      each_row(node, true, [&](std::uint32_t row) { add_row(learner, row, &modifier_gradient_[at(node)]); });
    }
  }

 private:
  std::size_t at(int row) const { return std::size_t(row) * width_; }

  float score(int h, int m, int begin, int end) const {
    const float *u = &head_[at(h)], *v = &modifier_[at(m)], *w = &distance_[at(distance(h, m))];
    float sum = 0;
    for (int r = begin; r < end; ++r) sum += u[r] * v[r] * w[r];
    return sum;
  }

  void list(const Atoms &atoms, std::size_t table, int node) {
    const std::uint32_t *row = rows_[table].at(0, node), *each = atoms.each + std::size_t(node) * atoms.each_width;
    const int templates = rows_[table].templates();
    const auto add = [&](std::uint32_t value) {
      for (int t = 0; t < templates; ++t) features_.push_back(scaled(mixed(row[t] ^ value)));
    };
    if (tables_[table].kind == plain) return add(0);
    for (int k = 0; k < atoms.each_width && each[k]; ++k) add(mixed(each[k]));
  }
  // A hash as one of the rows of one side.
  std::uint32_t scaled(std::uint32_t hash) const { return std::uint32_t((std::uint64_t(hash) * hashed_) >> 32); }

  // use(row) for the features of a node, as a head or as a modifier.
  template <typename Use>
  void each_row(int node, bool is_modifier, Use use) const {
    const std::uint32_t first = distances + (is_modifier ? hashed_ : 0);
    for (int i = begin_[node]; i < begin_[node + 1]; ++i) use(first + features_[i]);
  }

  // The sums of the rows of each node, and the rows of the distances with that of all distances added.
  template <typename Weight>
  void project(const WeightTable<Weight> &weights) {
    const float scale = float(weights.scale);
    const auto add = [&](float *sums, std::uint32_t row) {
      const Weight *from = weights.data + std::size_t(row) * width_;
      for (int r = 0; r < width_; ++r) sums[r] += scale * float(from[r]);
    };
    head_.assign(at(nodes_), 0), modifier_.assign(at(nodes_), 0), distance_.assign(at(distances), 0);
    for (int node = 0; node < nodes_; ++node) {
      each_row(node, false, [&](std::uint32_t row) { add(&head_[at(node)], row); });
      each_row(node, true, [&](std::uint32_t row) { add(&modifier_[at(node)], row); });
    }
    for (int d = 0; d < distances; ++d) {
      add(&distance_[at(d)], std::uint32_t(d));
      if (d > 0) add(&distance_[at(d)], 0);
    }
  }

  void add_arc(int tensor, int h, int m, float gradient) {
    const int d = distance(h, m);
    for (int r = tensor * rank_; r < (tensor + 1) * rank_; ++r) {
      const float u = head_[at(h) + r], v = modifier_[at(m) + r], w = distance_[at(d) + r];
      head_gradient_[at(h) + r] += gradient * v * w;
      modifier_gradient_[at(m) + r] += gradient * u * w;
      distance_gradient_[r] += gradient * u * v;
      distance_gradient_[at(d) + r] += gradient * u * v;
    }
  }

  void add_row(Learner &learner, std::uint32_t row, const float *gradient) const {
    const std::uint32_t first = row * std::uint32_t(width_);
    for (int r = 0; r < width_; ++r)
      if (gradient[r] != 0) learner.add(first + std::uint32_t(r), gradient[r]);
  }

  std::vector<TemplateTable> tables_;
  std::vector<Rows> rows_;
  int tensors_, rank_, width_, nodes_ = 0;  // width_: numbers of a row
  std::uint32_t hashed_;                    // rows of hashed features for each side
  std::vector<std::uint32_t> features_;     // of the nodes, one after the other
  std::vector<int> begin_;
  std::vector<float> head_, modifier_, distance_;  // sums of rows
  std::vector<float> head_gradient_, modifier_gradient_, distance_gradient_;
};

}  // namespace treewright
