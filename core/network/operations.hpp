// The operations of the network that take its time, for the processor that the program runs on.
//
// Counts of units and scores are multiples of vector_width; strides are numbers between rows. Every result has a fixed
// order of summation: it depends neither on other rows nor on the place of its row.
#pragma once

#include <cstddef>

#include "network/operations_avx2.hpp"
#include "network/operations_portable.hpp"

namespace treewright {

struct Operations {
  // c += a b, for `rows` rows of a and c; c has room for all columns of the panels of b.
  void (*multiply)(const float *a, std::size_t a_stride, int rows, const PanelMatrix &b, float *c,
                   std::size_t c_stride);
  // One step of an LSTM: gates i, f, g, o before their non-linearities; the cell is replaced by the new one.
  void (*lstm_cell)(const float *gates, int units, float *cell, float *state);
  // The sum of exp(score - largest).
  float (*sum_of_exp)(const float *scores, int count, float largest);
};

inline const Operations portable_operations{portable::multiply, portable::lstm_cell, portable::sum_of_exp};

inline bool has_avx2() {
#ifdef TREEWRIGHT_HAS_AVX2
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

inline const Operations &fastest_operations() {
#ifdef TREEWRIGHT_HAS_AVX2
  static const Operations vectorised{avx2::multiply, avx2::lstm_cell, avx2::sum_of_exp};
  if (has_avx2()) return vectorised;
#endif
  return portable_operations;
}

}  // namespace treewright
