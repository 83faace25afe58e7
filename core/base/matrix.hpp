// Square tables that keep their memory from sentence to sentence.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

template <typename Weight>
class SquareTable {
 public:
  void resize(int size) {
    size_ = size;
    if (cells_.size() < std::size_t(size) * size) cells_.resize(std::size_t(size) * size);
  }
  Weight &operator()(int row, int column) { return cells_[std::size_t(row) * size_ + column]; }
  const Weight *at(int row, int column) const { return cells_.data() + std::size_t(row) * size_ + column; }

 private:
  int size_ = 0;
  std::vector<Weight> cells_;
};

using Matrix = SquareTable<double>;

}  // namespace treewright
