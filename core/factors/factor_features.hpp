// Which weights a factor uses: one a template, the xor of a row for each role (learning/features.hpp), of the
// directions between the nodes and of the state. Templates that end with `distance` also depend on the distance of the
// first two.
//
// Cost: O(tokens x templates) a sentence, then O(templates) a factor.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "factors/factors.hpp"
#include "learning/features.hpp"
#include "learning/learning.hpp"
#include "learning/scoring.hpp"

namespace treewright {

class FactorFeatures {
 public:
  FactorFeatures(std::vector<TemplateTable> tables, int bits)
      : tables_(std::move(tables)), rows_(tables_.size()), mask_((1U << bits) - 1) {
    for (int &table : table_of_) table = -1;
    for (std::size_t i = 0; i < tables_.size(); ++i)
      if (tables_[i].templates > 0) table_of_[tables_[i].kind] = int(i);
  }

  void open(const Atoms &atoms) {
    atoms_ = atoms;
    for (std::size_t i = 0; i < tables_.size(); ++i)
      if (tables_[i].templates > 0) rows_[i].fill(atoms, tables_[i], factor_roles[tables_[i].kind]);
  }

  const Atoms &atoms() const { return atoms_; }
  int nodes() const { return atoms_.nodes; }
  bool has(int kind) const { return table_of_[kind] >= 0; }

  // What the sum of the weights is multiplied by.
  double value(const Factor &factor) const {
    return factor.kind == right_branching ? double(factor.state) / atoms_.nodes : 1.0;
  }

  // The cells of a factor in `cells`, which is emptied first.
  void list(const Factor &factor, std::vector<std::uint32_t> &cells) const {
    cells.clear();
    const int table = table_of_[factor.kind];
    if (table < 0) return;
    const Rows &rows = rows_[table];
    const int templates = rows.templates(), roles = factor_roles[factor.kind];
    cells.assign(templates, mixed(std::uint32_t(flags_of(factor)) * 0x9e3779b9U + state_of(factor)));
    for (int role = 0; role < roles; ++role) {
      const std::uint32_t *row = rows.at(role, factor.node[role]);
      for (int t = 0; t < templates; ++t) cells[t] ^= row[t];
    }
    const std::vector<char> &with_distance = tables_[table].with_distance;
    const std::uint32_t near = roles > 1 ? mixed(distance_bin(factor.node[0], factor.node[1]) + 0x51ed27U) : 0;
    for (int t = 0; t < templates; ++t) cells[t] = (with_distance[t] ? cells[t] ^ near : cells[t]) & mask_;
  }

 private:
  std::uint32_t state_of(const Factor &factor) const {
    if (factor.kind == right_branching) return 0;
    if (factor.kind == shared_features)
      return atoms_.each[std::size_t(factor.node[0]) * atoms_.each_width + factor.state];
    return std::uint32_t(factor.state);
  }

  // The directions between the nodes, and for head bigrams which of them are the same.
  static int flags_of(const Factor &factor) {
    const std::array<int, 5> &x = factor.node;
    switch (factor.kind) {
      case grand_siblings:
        return x[0] < x[1];
      case tri_siblings:
        return x[0] < x[2];
      case great_grandparents:
        return (x[0] < x[1]) + 2 * (x[1] < x[2]) + 4 * (x[2] < x[3]);
      case head_bigrams:
        return (x[0] < x[1]) + 2 * (x[2] < x[3]) + 4 * (x[0] == x[2] ? 1 : x[2] == x[1] ? 2 : x[0] == x[3] ? 3 : 0);
      case sibling_children:
        return (x[0] < x[1]) + 2 * (x[1] < x[2]) + 4 * (x[1] < x[3]);
      case all_siblings:
        return (x[0] < x[1]) + 2 * (x[0] < x[2]);
      case pp_attachment:
      case coordination_head:
        return (x[0] < x[1]) + 2 * (x[1] < x[2]);
      case span_neighbours:
      case nonprojective:
        return x[0] < x[1];
      default:
        return 0;
    }
  }

  std::vector<TemplateTable> tables_;
  std::vector<Rows> rows_;
  int table_of_[factor_kinds];
  std::uint32_t mask_;
  Atoms atoms_{};
};

// The scores of the factors of one sentence, each computed once.
template <typename Weight>
class FactorScores {
 public:
  FactorScores(const FactorFeatures &features, WeightTable<Weight> weights, FlatMap<double> &known)
      : features_(features), weights_(weights), known_(known) {
    known_.clear();
  }

  double operator()(const Factor &factor) {
    const auto [score, is_new] = known_.emplace(factor.key());
    if (is_new) *score = computed(factor);
    return *score;
  }

 private:
  double computed(const Factor &factor) {
    using Sum = std::conditional_t<std::is_integral_v<Weight>, std::int32_t, float>;
    features_.list(factor, cells_);
    for (const std::uint32_t i : cells_) prefetch(weights_.data + i);
    Sum sum = 0;
    for (const std::uint32_t i : cells_) sum += weights_.data[i];
    return weights_.scale * double(sum) * features_.value(factor);
  }

  const FactorFeatures &features_;
  WeightTable<Weight> weights_;
  FlatMap<double> &known_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace treewright
