// The operations of the network that take its time, for the processor that the program runs on.
//
// Counts of units and scores are multiples of vector_width; strides are numbers between rows. Every result has a fixed
// order of summation: it depends neither on other rows nor on the place of its row. All sets of operations give the same
// bits, if the compiler does not contract products and sums (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/operations_avx2.hpp"
#include "network/operations_portable.hpp"
#include "network/operations_vnni.hpp"

namespace treewright {

struct Operations {
  // The products of x and factors as integers (bytes.hpp), their sum and their scale.
  void (*quantise)(const float *x, const float *factors, int depth, std::int8_t *out, std::int32_t *sum, float *scale);
  // c += a b; c has room for all columns of the panels of b.
  void (*multiply)(const ByteRows &a, const ByteMatrix &b, float *c, std::size_t c_stride);
  // One step of an LSTM: gates i, f, g, o before their non-linearities; the cell is replaced by the new one.
  void (*lstm_cell)(const float *gates, int units, float *cell, float *state);
  // The sum of exp(score - largest).
  float (*sum_of_exp)(const float *scores, int count, float largest);
};

inline const Operations portable_operations{portable::quantise, portable::multiply, portable::lstm_cell,
                                            portable::sum_of_exp};

// The sets of operations that this processor has, the fastest last.
inline const std::vector<Operations> &available_operations() {
  static const std::vector<Operations> sets = [] {
    std::vector<Operations> found{portable_operations};
#ifdef TREEWRIGHT_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
      found.push_back({avx2::quantise, avx2::multiply, avx2::lstm_cell, avx2::sum_of_exp});
      if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))
        found.push_back({avx2::quantise, vnni::multiply, avx2::lstm_cell, avx2::sum_of_exp});
    }
#endif
    return found;
  }();
  return sets;
}

inline const Operations &fastest_operations() { return available_operations().back(); }

}  // namespace treewright
