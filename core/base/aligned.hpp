// Arrays for vector instructions: aligned to cache lines, widths rounded up to whole vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

// Before a loop over sums in an array of fixed size: they stay in registers only if the loop is unrolled.
#if defined(__clang__)
#define TREEWRIGHT_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define TREEWRIGHT_UNROLL _Pragma("GCC unroll 16")
#else
#define TREEWRIGHT_UNROLL
#endif

namespace treewright {

constexpr int vector_width = 8;     // floats of an AVX register
constexpr int panel_width = 16;     // columns of a matrix that are stored together
constexpr float excluded = -1e38f;  // the score of what does not exist: its share of any sum of exp is zero

constexpr int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

template <typename Number>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size) { reserve(size); }

  // At least this many numbers; those that were there are lost when the array grows. New numbers are zero.
  void reserve(std::size_t size) {
    if (size <= size_) return;
    size_ = std::max(size, size_ + size_ / 2);
    data_.reset(static_cast<Number *>(::operator new[](size_ * sizeof(Number), alignment)));
    std::fill(data_.get(), data_.get() + size_, Number(0));
  }

  Number *data() { return data_.get(); }
  const Number *data() const { return data_.get(); }
  Number &operator[](std::size_t i) { return data_[i]; }
  Number operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Delete {
    void operator()(Number *data) const { ::operator delete[](data, alignment); }
  };
  std::unique_ptr<Number[], Delete> data_;
  std::size_t size_ = 0;
};

using Floats = Aligned<float>;

}  // namespace treewright
