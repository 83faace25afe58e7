// The operations of the network with AVX2 and FMA instructions (operations.hpp). Only these functions are compiled for
// them, so that the module runs on every x86-64.
#pragma once

#include "network/operations_portable.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TREEWRIGHT_HAS_AVX2 1

#include <immintrin.h>

#define TREEWRIGHT_AVX2 __attribute__((target("avx2,fma")))

namespace treewright::avx2 {

TREEWRIGHT_AVX2 inline __m256 exp_of(__m256 x) {
  using namespace portable;
  x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-max_exp)), _mm256_set1_ps(max_exp));
  const __m256 n =
      _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(log2_e)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(log_2_high), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(log_2_low), r);
  __m256 sum = _mm256_set1_ps(exp_terms[0]);
  for (int i = 1; i < 6; ++i) sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(exp_terms[i]));
  const __m256 value = _mm256_add_ps(_mm256_fmadd_ps(sum, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1.0f));
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

// Rows x Panels blocks of sums in registers. Each sum adds its products in the order of k, in a block of any shape.
template <int Rows, int Panels>
TREEWRIGHT_AVX2 inline void multiply_block(const float *a, std::size_t a_stride, const PanelMatrix &b, int panel,
                                           float *c, std::size_t c_stride) {
  __m256 sums[Rows][2 * Panels];
  float *out = c + std::size_t(panel) * panel_width;
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    TREEWRIGHT_UNROLL
    for (int i = 0; i < 2 * Panels; ++i) sums[row][i] = _mm256_loadu_ps(out + row * c_stride + i * vector_width);
  }
  const float *right = b.panel(panel);
  const std::size_t panel_size = std::size_t(b.depth()) * panel_width;
  for (int k = 0; k < b.depth(); ++k, right += panel_width) {
    TREEWRIGHT_UNROLL
    for (int p = 0; p < Panels; ++p) {
      const __m256 low = _mm256_load_ps(right + p * panel_size);
      const __m256 high = _mm256_load_ps(right + p * panel_size + vector_width);
      TREEWRIGHT_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const __m256 left = _mm256_broadcast_ss(a + row * a_stride + k);
        sums[row][2 * p] = _mm256_fmadd_ps(left, low, sums[row][2 * p]);
        sums[row][2 * p + 1] = _mm256_fmadd_ps(left, high, sums[row][2 * p + 1]);
      }
    }
  }
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    TREEWRIGHT_UNROLL
    for (int i = 0; i < 2 * Panels; ++i) _mm256_storeu_ps(out + row * c_stride + i * vector_width, sums[row][i]);
  }
}

// All panels for one block of rows: several panels at a time if the rows are few, to have enough independent sums.
template <int Rows, int Panels>
TREEWRIGHT_AVX2 inline void multiply_rows(const float *a, std::size_t a_stride, const PanelMatrix &b, float *c,
                                          std::size_t c_stride) {
  int panel = 0;
  for (; panel + Panels <= b.panels(); panel += Panels)
    multiply_block<Rows, Panels>(a, a_stride, b, panel, c, c_stride);
  for (; panel < b.panels(); ++panel) multiply_block<Rows, 1>(a, a_stride, b, panel, c, c_stride);
}

TREEWRIGHT_AVX2 inline void multiply(const float *a, std::size_t a_stride, int rows, const PanelMatrix &b, float *c,
                                     std::size_t c_stride) {
  constexpr int block = 6;  // 12 of 16 registers have sums
  const int whole = rows / block * block;
  for (int panel = 0; panel < b.panels(); ++panel)
    for (int row = 0; row < whole; row += block)
      multiply_block<block, 1>(a + row * a_stride, a_stride, b, panel, c + row * c_stride, c_stride);
  a += whole * a_stride, c += whole * c_stride;
  switch (rows - whole) {
    case 1:
      return multiply_rows<1, 4>(a, a_stride, b, c, c_stride);
    case 2:
      return multiply_rows<2, 2>(a, a_stride, b, c, c_stride);
    case 3:
      return multiply_rows<3, 2>(a, a_stride, b, c, c_stride);
    case 4:
      return multiply_rows<4, 1>(a, a_stride, b, c, c_stride);
    case 5:
      return multiply_rows<5, 1>(a, a_stride, b, c, c_stride);
  }
}

TREEWRIGHT_AVX2 inline void lstm_cell(const float *gates, int units, float *cell, float *state) {
  for (int j = 0; j < units; j += vector_width) {
    const __m256 i = sigmoid(_mm256_loadu_ps(gates + j)), f = sigmoid(_mm256_loadu_ps(gates + units + j));
    const __m256 g = tanh_of(_mm256_loadu_ps(gates + 2 * units + j));
    const __m256 o = sigmoid(_mm256_loadu_ps(gates + 3 * units + j));
    const __m256 c = _mm256_fmadd_ps(f, _mm256_loadu_ps(cell + j), _mm256_mul_ps(i, g));
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
