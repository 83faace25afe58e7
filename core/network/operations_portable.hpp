// The operations of the network in plain C++ (operations.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "network/floats.hpp"

namespace treewright::portable {

// exp(x) = 2^n exp(r) with |r| <= log(2) / 2, and a polynomial of degree 6 for exp(r) (Cephes, expf). Beyond +-max_exp
// the result is that of the limit; NaN gives that of the lower limit.
constexpr float max_exp = 87.0f, log2_e = 1.44269504f, log_2_high = 0.693359375f, log_2_low = -2.12194440e-4f;
constexpr float exp_terms[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                               4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};

inline float exp_of(float x) {
  x = x > -max_exp ? x : -max_exp;
  x = x < max_exp ? x : max_exp;
  const float scaled = x * log2_e;
  const auto power = std::int32_t(scaled + (scaled < 0 ? -0.5f : 0.5f));
  const float n = float(power), r = (x - n * log_2_high) - n * log_2_low;
  float sum = exp_terms[0];
  for (int i = 1; i < 6; ++i) sum = sum * r + exp_terms[i];
  const float value = sum * (r * r) + r + 1.0f;
  const std::uint32_t bits = std::uint32_t(power + 127) << 23;
  float factor;
  std::memcpy(&factor, &bits, sizeof factor);
  return value * factor;
}

inline float sigmoid(float x) { return 1.0f / (1.0f + exp_of(-x)); }
inline float tanh_of(float x) { return 1.0f - 2.0f / (1.0f + exp_of(2.0f * x)); }

#if defined(__GNUC__) || defined(__clang__)
typedef float Quad
    __attribute__((vector_size(16), aligned(4), may_alias));  // the registers that every processor of 64 bits has
inline Quad repeated(float x) { return Quad{x, x, x, x}; }
constexpr int quad_width = 4;
#else
typedef float Quad;
inline Quad repeated(float x) { return x; }
constexpr int quad_width = 1;
#endif

template <int Rows>
inline void multiply_block(const float *a, std::size_t a_stride, const float *right, int depth, float *c,
                           std::size_t c_stride) {
  constexpr int quads = panel_width / quad_width;
  Quad sums[Rows][quads];
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    TREEWRIGHT_UNROLL
    for (int i = 0; i < quads; ++i) sums[row][i] = reinterpret_cast<const Quad *>(c + row * c_stride)[i];
  }
  for (int k = 0; k < depth; ++k, right += panel_width) {
    TREEWRIGHT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const Quad left = repeated(a[row * a_stride + k]);
      TREEWRIGHT_UNROLL
      for (int i = 0; i < quads; ++i) sums[row][i] += left * reinterpret_cast<const Quad *>(right)[i];
    }
  }
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    TREEWRIGHT_UNROLL
    for (int i = 0; i < quads; ++i) reinterpret_cast<Quad *>(c + row * c_stride)[i] = sums[row][i];
  }
}

inline void multiply(const float *a, std::size_t a_stride, int rows, const PanelMatrix &b, float *c,
                     std::size_t c_stride) {
  for (int panel = 0; panel < b.panels(); ++panel) {
    const float *right = b.panel(panel);
    float *out = c + std::size_t(panel) * panel_width;
    int row = 0;
    for (; row + 2 <= rows; row += 2)
      multiply_block<2>(a + row * a_stride, a_stride, right, b.depth(), out + row * c_stride, c_stride);
    if (row < rows) multiply_block<1>(a + row * a_stride, a_stride, right, b.depth(), out + row * c_stride, c_stride);
  }
}

inline void lstm_cell(const float *gates, int units, float *cell, float *state) {
  for (int j = 0; j < units; ++j) {
    const float i = sigmoid(gates[j]), f = sigmoid(gates[units + j]);
    const float g = tanh_of(gates[2 * units + j]), o = sigmoid(gates[3 * units + j]);
    cell[j] = f * cell[j] + i * g;
    state[j] = o * tanh_of(cell[j]);
  }
}

inline float sum_of_exp(const float *scores, int count, float largest) {
  float lanes[vector_width] = {};
  for (int i = 0; i < count; ++i) lanes[i % vector_width] += exp_of(scores[i] - largest);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace treewright::portable
