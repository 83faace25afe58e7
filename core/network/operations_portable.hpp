// The operations of the network in plain C++ (operations.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "network/bytes.hpp"

namespace treewright::portable {

// exp(x) = 2^n exp(r) with |r| <= log(2) / 2, and a polynomial of degree 6 for exp(r) (Cephes, expf). Beyond +-max_exp
// the result is that of the limit; NaN gives that of the lower limit.
constexpr float max_exp = 87.0f, log2_e = 1.44269504f, log_2_high = 0.693359375f, log_2_low = -2.12194440e-4f;
constexpr float exp_terms[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                               4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
constexpr float min_largest = 1e-30f;  // rows of smaller numbers are zero: the inverse of their scale could overflow

// The nearest whole number, the even one of two, if |x| < 2^22.
inline float nearest(float x) {
  constexpr float shift = 12582912.0f;  // 1.5 * 2^23: the sum has no bits for fractions
  return (x + shift) - shift;
}

inline float exp_of(float x) {
  x = x > -max_exp ? x : -max_exp;
  x = x < max_exp ? x : max_exp;
  const float n = nearest(x * log2_e), r = (x - n * log_2_high) - n * log_2_low;
  float sum = exp_terms[0];
  for (int i = 1; i < 6; ++i) sum = sum * r + exp_terms[i];
  const float value = (sum * (r * r) + r) + 1.0f;
  const std::uint32_t bits = std::uint32_t(std::int32_t(n) + 127) << 23;
  float factor;
  std::memcpy(&factor, &bits, sizeof factor);
  return value * factor;
}

inline float sigmoid(float x) { return 1.0f / (1.0f + exp_of(-x)); }
inline float tanh_of(float x) { return 1.0f - 2.0f / (1.0f + exp_of(2.0f * x)); }

inline void quantise(const float *x, const float *factors, int depth, std::int8_t *out, std::int32_t *sum,
                     float *scale) {
  float largest = 0;
  for (int k = 0; k < depth; ++k) largest = std::max(largest, std::abs(x[k] * factors[k]));
  const float inverse = largest < min_largest ? 0.0f : float(byte_limit) / largest;
  *scale = largest < min_largest ? 0.0f : largest / float(byte_limit);
  *sum = 0;
  for (int k = 0; k < depth; ++k) {
    const auto number = std::int32_t(nearest((x[k] * factors[k]) * inverse));
    *sum += number;
    out[k] = std::int8_t(number);
  }
}

inline void multiply(const ByteRows &a, const ByteMatrix &b, float *c, std::size_t c_stride) {
  for (int panel = 0; panel < b.panels(); ++panel)
    for (int row = 0; row < a.count; ++row) {
      const std::int8_t *left = a.row(row);
      const std::uint8_t *right = b.panel(panel);
      std::int32_t sums[panel_width];
      std::fill_n(sums, panel_width, -byte_offset * a.sums[row]);
      for (int k = 0; k < a.depth; k += byte_group, right += byte_group * panel_width)
        for (int j = 0; j < panel_width; ++j)
          for (int i = 0; i < byte_group; ++i)
            sums[j] += std::int16_t(left[k + i]) * std::int16_t(right[byte_group * j + i]);
      const float *column_scales = b.column_scales() + panel * panel_width;
      float *out = c + row * c_stride + std::size_t(panel) * panel_width;
      for (int j = 0; j < panel_width; ++j) out[j] += (float(sums[j]) * a.scales[row]) * column_scales[j];
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
