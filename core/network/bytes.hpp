// Matrices and rows of integers of 8 bits, whose products are exact sums of 32 bits.
//
//   (x W)_j  ~  row_scale  sum over k of  a_k w_kj  column_scale_j,    a_k = round(x_k scale_k / row_scale)
//
// A matrix W has the integers w from -127 to 127 times a scale for each of its rows k (weights, as a model file has
// them) or columns j (rows of another product). The scale of a row x is the largest |x_k scale_k| divided by 127.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/aligned.hpp"

namespace treewright {

constexpr int byte_limit = 127;   // of the integers of a row or a matrix
constexpr int byte_offset = 128;  // added to the integers of a matrix: the products of VNNI are signed times unsigned
constexpr int byte_group = 4;     // rows of a matrix whose integers of one column are stored together

// Panels of 16 columns; a panel has groups of 4 rows, and a group the 4 integers of each column side by side.
// Rows and columns beyond its size are zero.
class ByteMatrix {
 public:
  ByteMatrix() = default;
  ByteMatrix(int depth, int width) { reset(depth, width); }

  void reset(int depth, int width) {
    depth_ = rounded_up(depth, vector_width), panels_ = rounded_up(width, panel_width) / panel_width;
    const std::size_t size = std::size_t(depth_) * panels_ * panel_width;
    numbers_.reserve(size), row_scales_.reserve(depth_), column_scales_.reserve(this->width());
    std::fill_n(numbers_.data(), size, std::uint8_t(byte_offset));
    std::fill_n(row_scales_.data(), depth_, 1.0f);
    std::fill_n(column_scales_.data(), this->width(), 1.0f);
  }
  void set(int row, int column, std::int8_t number) { numbers_[place(row, column)] = stored(number); }
  // Replaces a whole column by `depth` integers.
  void set_column(int column, const std::int8_t *numbers) {
    for (int row = 0; row < depth_; row += byte_group) {
      std::uint8_t *group = numbers_.data() + place(row, column);
      for (int i = 0; i < byte_group; ++i) group[i] = stored(numbers[row + i]);
    }
  }
  float &row_scale(int row) { return row_scales_[row]; }
  float &column_scale(int column) { return column_scales_[column]; }

  const std::uint8_t *panel(int number) const { return numbers_.data() + std::size_t(number) * depth_ * panel_width; }
  const float *row_scales() const { return row_scales_.data(); }
  const float *column_scales() const { return column_scales_.data(); }
  int depth() const { return depth_; }  // a multiple of vector_width
  int panels() const { return panels_; }
  int width() const { return panels_ * panel_width; }

 private:
  static std::uint8_t stored(std::int8_t number) { return std::uint8_t(number + byte_offset); }
  std::size_t place(int row, int column) const {
    const std::size_t group = std::size_t(column / panel_width) * (depth_ / byte_group) + row / byte_group;
    return (group * panel_width + column % panel_width) * byte_group + row % byte_group;
  }

  int depth_ = 0, panels_ = 0;
  Aligned<std::uint8_t> numbers_;
  Floats row_scales_, column_scales_;
};

// The rows of a left factor as integers.
struct ByteRows {
  int count = 0, depth = 0;
  Aligned<std::int8_t> numbers;
  Aligned<std::int32_t> sums;  // of the integers of each row
  Floats scales;

  void reset(int new_count, int new_depth) {
    count = new_count, depth = new_depth;
    numbers.reserve(std::size_t(count) * depth), sums.reserve(count), scales.reserve(count);
  }
  std::int8_t *row(int number) { return numbers.data() + std::size_t(number) * depth; }
  const std::int8_t *row(int number) const { return numbers.data() + std::size_t(number) * depth; }
};

}  // namespace treewright
