// Four or eight doubles at a time. On x86-64 a kernel is compiled three times, with AVX-512, with AVX2 and without; all
// have the same operations in the same order, without fused products, so that they give the same bits.
#pragma once

#if defined(__GNUC__)
#define TREEWRIGHT_HAS_DOUBLE_VECTORS 1

#include <cstdint>

#define TREEWRIGHT_ALWAYS_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define TREEWRIGHT_FOR_AVX2 __attribute__((target("avx2")))
#define TREEWRIGHT_FOR_AVX512 __attribute__((target("avx512f,avx512dq")))
#endif

namespace treewright {

template <int lanes>
struct Vector;

template <>
struct Vector<4> {
  using Doubles = double __attribute__((vector_size(32), aligned(8), may_alias));
  using Integers = std::int64_t __attribute__((vector_size(32)));
  using Bits = std::uint64_t __attribute__((vector_size(32)));
  static constexpr Integers lane = {0, 1, 2, 3};
};

template <>
struct Vector<8> {
  using Doubles = double __attribute__((vector_size(64), aligned(8), may_alias));
  using Integers = std::int64_t __attribute__((vector_size(64)));
  using Bits = std::uint64_t __attribute__((vector_size(64)));
  static constexpr Integers lane = {0, 1, 2, 3, 4, 5, 6, 7};
};

template <int lanes>
TREEWRIGHT_ALWAYS_INLINE typename Vector<lanes>::Doubles &doubles_at(double *row) {
  return *reinterpret_cast<typename Vector<lanes>::Doubles *>(row);
}
template <int lanes>
TREEWRIGHT_ALWAYS_INLINE const typename Vector<lanes>::Doubles &doubles_at(const double *row) {
  return *reinterpret_cast<const typename Vector<lanes>::Doubles *>(row);
}

// Replaces each x, which is at most 0, by exp(x), with a relative error below 1.8e-16, and by 0 below -708, where exp(x)
// is no normal number. With n the integer nearest to x / log 2, exp(x) = 2^n exp(r) with r = x - n log 2, and
// exp(r) = 1 + r + r^2 p(r), where p is the polynomial of degree 9 through the Chebyshev nodes; its error is 1.3e-17.
template <int lanes>
TREEWRIGHT_ALWAYS_INLINE void exp_of(typename Vector<lanes>::Doubles &x) {
  using Doubles = typename Vector<lanes>::Doubles;
  using Bits = typename Vector<lanes>::Bits;
  constexpr double log2_e = 1.4426950408889634, log_2_high = 0x1.62e42fee00000p-1, log_2_low = 0x1.a39ef35793c76p-33;
  constexpr double integers = 0x1.8p52;  // added to a number, it leaves the nearest integer in the lowest bits
  const Doubles sum = x * log2_e + integers, n = sum - integers;
  const Doubles r = (x - n * log_2_high) - n * log_2_low;
  const Doubles r2 = r * r, r4 = r2 * r2;
  // Pairs of terms, then pairs of pairs: a shorter chain of operations than one term after the other.
  const Doubles first = (0.5 + r * 0.16666666666666669) + (0.04166666666662416 + r * 0.008333333333330063) * r2;
  const Doubles second =
      (0.0013888888917199863 + r * 0.00019841269863042963) + (2.4801521317484083e-05 + r * 2.7557268476553695e-06) * r2;
  const Doubles third = 2.7620078203806394e-07 + r * 2.5100377619606372e-08;
  const Doubles series = (r + (first + (second + third * r4) * r4) * r2) + 1.0;
  x = Doubles((Bits(series) + (Bits(sum) << 52)) & Bits(x > -708.0));
}

}  // namespace treewright

#endif
