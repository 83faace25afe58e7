// The best trees of a batch, written to columns.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "trees/first_order_bound.hpp"

namespace treewright {

class BestTrees {
 public:
  using Numbers = std::vector<double>;
  // The heads of all trees one after the other, int32 in memory that NumPy views in less time than it takes to make an
  // array here; of each tree where its heads end, value, bound, gap and spread.
  using Columns = std::tuple<nb::bytearray, std::vector<int>, Numbers, Numbers, Numbers, Numbers>;

  explicit BestTrees(const std::vector<int> &nodes) {
    int end = 0;
    ends_.reserve(nodes.size());
    for (int count : nodes) ends_.push_back(end += count);
    for (Numbers *column : {&value_, &bound_, &gap_, &spread_}) column->resize(nodes.size());
    heads_.resize(end * sizeof(int));
  }

  int *heads_of(std::size_t item) { return static_cast<int *>(heads_.data()) + (item ? ends_[item - 1] : 0); }
  void set(std::size_t item, const Bounds &tree) {
    value_[item] = tree.value, bound_[item] = tree.bound, gap_[item] = tree.gap, spread_[item] = tree.spread;
  }
  Columns columns() && {
    return {std::move(heads_), std::move(ends_), std::move(value_),
            std::move(bound_), std::move(gap_),  std::move(spread_)};
  }

 private:
  nb::bytearray heads_;
  std::vector<int> ends_;
  Numbers value_, bound_, gap_, spread_;
};

}  // namespace treewright
