// A square table that keeps its memory from sentence to sentence.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

class Matrix {
 public:
  void resize(int size) {
    size_ = size;
    if (cells_.size() < std::size_t(size) * size) cells_.resize(std::size_t(size) * size);
  }
  double &operator()(int row, int column) { return cells_[std::size_t(row) * size_ + column]; }
  const double *at(int row, int column) const { return cells_.data() + std::size_t(row) * size_ + column; }

 private:
  int size_ = 0;
  std::vector<double> cells_;
};

}  // namespace treewright
