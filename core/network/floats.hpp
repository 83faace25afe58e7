// Arrays of 32-bit numbers for vector instructions: aligned to cache lines, widths rounded up to whole vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

// Before a loop over sums in an array of fixed size: they stay in registers only if the loop is unrolled.
#if defined(__clang__)
#define TREEWRIGHT_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define TREEWRIGHT_UNROLL _Pragma("GCC unroll 8")
#else
#define TREEWRIGHT_UNROLL
#endif

namespace treewright {

constexpr int vector_width = 8;     // numbers of an AVX register
constexpr int panel_width = 16;     // columns of a matrix that are stored together
constexpr float excluded = -1e38f;  // the score of what does not exist: its share of any sum of exp is zero

constexpr int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

class Floats {
 public:
  Floats() = default;
  explicit Floats(std::size_t size) { reserve(size); }

  // At least this many numbers; those that were there are lost when the array grows. New numbers are zero.
  void reserve(std::size_t size) {
    if (size <= size_) return;
    size_ = std::max(size, size_ + size_ / 2);
    data_.reset(static_cast<float *>(::operator new[](size_ * sizeof(float), alignment)));
    std::fill(data_.get(), data_.get() + size_, 0.0f);
  }

  float *data() { return data_.get(); }
  const float *data() const { return data_.get(); }
  float &operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Delete {
    void operator()(float *data) const { ::operator delete[](data, alignment); }
  };
  std::unique_ptr<float[], Delete> data_;
  std::size_t size_ = 0;
};

// A matrix as panels of 16 columns, each row by row; columns beyond its width are zero.
class PanelMatrix {
 public:
  PanelMatrix() = default;
  PanelMatrix(int depth, int width) { reset(depth, width); }

  void reset(int depth, int width) {
    depth_ = depth, panels_ = rounded_up(width, panel_width) / panel_width;
    const std::size_t size = std::size_t(depth) * panels_ * panel_width;
    numbers_.reserve(size);
    std::fill(numbers_.data(), numbers_.data() + size, 0.0f);
  }
  float &at(int row, int column) {
    return numbers_[(std::size_t(column / panel_width) * depth_ + row) * panel_width + column % panel_width];
  }
  const float *panel(int number) const { return numbers_.data() + std::size_t(number) * depth_ * panel_width; }
  int depth() const { return depth_; }
  int panels() const { return panels_; }
  int width() const { return panels_ * panel_width; }  // with the columns of zeros

 private:
  int depth_ = 0, panels_ = 0;
  Floats numbers_;
};

}  // namespace treewright
