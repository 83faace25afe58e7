// The operations of the network with AVX2 instructions (operations.hpp). Only these functions are compiled for
// them, so that the module runs on every x86-64.
#pragma once

#include <numeric>

#include "network/operations_portable.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TREEWRIGHT_HAS_AVX2 1

#include <immintrin.h>

#define TREEWRIGHT_AVX2 __attribute__((target("avx2")))

namespace treewright::avx2 {

TREEWRIGHT_AVX2 inline __m256 exp_of(__m256 x) {
  using namespace portable;
  x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-max_exp)), _mm256_set1_ps(max_exp));
  const __m256 n =
      _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(log2_e)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_sub_ps(x, _mm256_mul_ps(n, _mm256_set1_ps(log_2_high)));
  r = _mm256_sub_ps(r, _mm256_mul_ps(n, _mm256_set1_ps(log_2_low)));
  __m256 sum = _mm256_set1_ps(exp_terms[0]);
  for (int i = 1; i < 6; ++i) sum = _mm256_add_ps(_mm256_mul_ps(sum, r), _mm256_set1_ps(exp_terms[i]));
  const __m256 square = _mm256_mul_ps(r, r);
  const __m256 value = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(sum, square), r), _mm256_set1_ps(1.0f));
  const __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(value, _mm256_castsi256_ps(bits));
}

TREEWRIGHT_AVX2 inline __m256 sigmoid(__m256 x) {
  const __m256 one = _mm256_set1_ps(1.0f);
  return _mm256_div_ps(one, _mm256_add_ps(one, exp_of(_mm256_sub_ps(_mm256_setzero_ps(), x))));
}

TREEWRIGHT_AVX2 inline __m256 tanh_of(__m256 x) {
  const __m256 one = _mm256_set1_ps(1.0f), two = _mm256_set1_ps(2.0f);
  return _mm256_sub_ps(one, _mm256_div_ps(two, _mm256_add_ps(one, exp_of(_mm256_mul_ps(two, x)))));
}

TREEWRIGHT_AVX2 inline void quantise(const float *x, const float *factors, int depth, std::int8_t *out,
                                     std::int32_t *sum, float *scale) {
  const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  __m256 most = _mm256_setzero_ps();
  for (int k = 0; k < depth; k += vector_width) {
    const __m256 product = _mm256_mul_ps(_mm256_loadu_ps(x + k), _mm256_loadu_ps(factors + k));
    most = _mm256_max_ps(most, _mm256_and_ps(product, no_sign));
  }
  float lanes[vector_width];
  _mm256_storeu_ps(lanes, most);
  const float largest = *std::max_element(lanes, lanes + vector_width);
  const float inverse = largest < portable::min_largest ? 0.0f : float(byte_limit) / largest;
  *scale = largest < portable::min_largest ? 0.0f : largest / float(byte_limit);
  __m256i sums = _mm256_setzero_si256();
  for (int k = 0; k < depth; k += vector_width) {
    const __m256 product = _mm256_mul_ps(_mm256_loadu_ps(x + k), _mm256_loadu_ps(factors + k));
    const __m256i numbers = _mm256_cvtps_epi32(_mm256_mul_ps(product, _mm256_set1_ps(inverse)));
    sums = _mm256_add_epi32(sums, numbers);
    const __m128i pairs = _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i *>(out + k), _mm_packs_epi16(pairs, pairs));
  }
  std::int32_t totals[vector_width];
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(totals), sums);
  *sum = std::accumulate(totals, totals + vector_width, 0);
}

// Rows sums of a panel in registers, beginning at a row of a. The sums of two products of |a| and w with the sign of a
// fit into 16 bits: 2 * 127 * 127 < 2^15.
template <int Rows>
TREEWRIGHT_AVX2 inline void multiply_block(const ByteRows &a, int first, const ByteMatrix &b, int panel, float *c,
                                           std::size_t c_stride) {
  constexpr int halves = panel_width / vector_width;
  const __m256i ones = _mm256_set1_epi16(1), offset = _mm256_set1_epi8(char(byte_offset));
  const std::int8_t *left = a.row(first);
  const std::uint8_t *right = b.panel(panel);
  const std::size_t depth = std::size_t(a.depth);
  __m256i sums[Rows][halves];
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) sums[row][0] = sums[row][1] = _mm256_setzero_si256();
  for (std::size_t k = 0; k < depth; k += byte_group, right += byte_group * panel_width) {
    __m256i numbers[halves];
    TREEWRIGHT_UNROLL
    for (int i = 0; i < halves; ++i)  // adding 128 to a byte is flipping its first bit, and so is subtracting it
      numbers[i] = _mm256_xor_si256(_mm256_load_si256(reinterpret_cast<const __m256i *>(right) + i), offset);
    TREEWRIGHT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      std::int32_t group;
      std::memcpy(&group, left + row * depth + k, sizeof group);
      const __m256i signs = _mm256_set1_epi32(group), sizes = _mm256_abs_epi8(signs);
      TREEWRIGHT_UNROLL
      for (int i = 0; i < halves; ++i) {
        const __m256i pairs = _mm256_maddubs_epi16(sizes, _mm256_sign_epi8(numbers[i], signs));
        sums[row][i] = _mm256_add_epi32(sums[row][i], _mm256_madd_epi16(pairs, ones));
      }
    }
  }
  const float *column_scales = b.column_scales() + panel * panel_width;
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const __m256 scale = _mm256_set1_ps(a.scales[first + row]);
    TREEWRIGHT_UNROLL
    for (int i = 0; i < halves; ++i) {
      float *out = c + (first + row) * c_stride + std::size_t(panel) * panel_width + i * vector_width;
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[row][i]), scale);
      const __m256 product = _mm256_mul_ps(scaled, _mm256_load_ps(column_scales + i * vector_width));
      _mm256_storeu_ps(out, _mm256_add_ps(_mm256_loadu_ps(out), product));
    }
  }
}

TREEWRIGHT_AVX2 inline void multiply(const ByteRows &a, const ByteMatrix &b, float *c, std::size_t c_stride) {
  constexpr int block = 4;  // 8 of 16 registers have sums
  const int whole = a.count / block * block;
  for (int panel = 0; panel < b.panels(); ++panel) {
    for (int row = 0; row < whole; row += block) multiply_block<block>(a, row, b, panel, c, c_stride);
    switch (a.count - whole) {
      case 1:
        multiply_block<1>(a, whole, b, panel, c, c_stride);
        break;
      case 2:
        multiply_block<2>(a, whole, b, panel, c, c_stride);
        break;
      case 3:
        multiply_block<3>(a, whole, b, panel, c, c_stride);
        break;
    }
  }
}

TREEWRIGHT_AVX2 inline void lstm_cell(const float *gates, int units, float *cell, float *state) {
  for (int j = 0; j < units; j += vector_width) {
    const __m256 i = sigmoid(_mm256_loadu_ps(gates + j)), f = sigmoid(_mm256_loadu_ps(gates + units + j));
    const __m256 g = tanh_of(_mm256_loadu_ps(gates + 2 * units + j));
    const __m256 o = sigmoid(_mm256_loadu_ps(gates + 3 * units + j));
    const __m256 c = _mm256_add_ps(_mm256_mul_ps(f, _mm256_loadu_ps(cell + j)), _mm256_mul_ps(i, g));
    _mm256_storeu_ps(cell + j, c);
    _mm256_storeu_ps(state + j, _mm256_mul_ps(o, tanh_of(c)));
  }
}

TREEWRIGHT_AVX2 inline float sum_of_exp(const float *scores, int count, float largest) {
  __m256 sums = _mm256_setzero_ps();
  for (int i = 0; i < count; i += vector_width)
    sums = _mm256_add_ps(sums, exp_of(_mm256_sub_ps(_mm256_loadu_ps(scores + i), _mm256_set1_ps(largest))));
  float lanes[vector_width];
  _mm256_storeu_ps(lanes, sums);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace treewright::avx2
#endif
