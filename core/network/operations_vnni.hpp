// Products of integers with the instructions of AVX-512 VNNI (operations.hpp): four products added to a sum of 32 bits.
#pragma once

#include "network/operations_avx2.hpp"

#ifdef TREEWRIGHT_HAS_AVX2
#define TREEWRIGHT_VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni")))

namespace treewright::vnni {

// Rows x Panels sums of 16 columns in registers, beginning at a row of a and a panel of b.
template <int Rows, int Panels>
TREEWRIGHT_VNNI inline void multiply_block(const ByteRows &a, int first, const ByteMatrix &b, int panel, float *c,
                                           std::size_t c_stride) {
  __m512i sums[Rows][Panels];
  const std::int8_t *left = a.row(first);
  const std::size_t depth = std::size_t(a.depth), panel_size = depth * panel_width;
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    TREEWRIGHT_UNROLL
    for (int p = 0; p < Panels; ++p) sums[row][p] = _mm512_set1_epi32(-byte_offset * a.sums[first + row]);
  }
  const std::uint8_t *right = b.panel(panel);
  for (std::size_t k = 0; k < depth; k += byte_group, right += byte_group * panel_width) {
    __m512i numbers[Panels];
    TREEWRIGHT_UNROLL
    for (int p = 0; p < Panels; ++p) numbers[p] = _mm512_load_si512(right + p * panel_size);
    TREEWRIGHT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      std::int32_t group;
      std::memcpy(&group, left + row * depth + k, sizeof group);
      TREEWRIGHT_UNROLL
      for (int p = 0; p < Panels; ++p)
        sums[row][p] = _mm512_dpbusd_epi32(sums[row][p], numbers[p], _mm512_set1_epi32(group));
    }
  }
  TREEWRIGHT_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const __m512 scale = _mm512_set1_ps(a.scales[first + row]);
    TREEWRIGHT_UNROLL
    for (int p = 0; p < Panels; ++p) {
      float *out = c + (first + row) * c_stride + std::size_t(panel + p) * panel_width;
      const __m512 column_scales = _mm512_load_ps(b.column_scales() + (panel + p) * panel_width);
      const __m512 numbers = _mm512_maskz_cvtepi32_ps(0xffff, sums[row][p]);  // GCC 12 warns of the one without mask
      const __m512 products = _mm512_mul_ps(_mm512_mul_ps(numbers, scale), column_scales);
      _mm512_storeu_ps(out, _mm512_add_ps(_mm512_loadu_ps(out), products));
    }
  }
}

// All panels for one block of rows: more panels at a time if the rows are few, to have enough independent sums.
template <int Rows, int Panels>
TREEWRIGHT_VNNI inline void multiply_rows(const ByteRows &a, int first, const ByteMatrix &b, float *c,
                                          std::size_t c_stride) {
  int panel = 0;
  for (; panel + Panels <= b.panels(); panel += Panels) multiply_block<Rows, Panels>(a, first, b, panel, c, c_stride);
  for (; panel < b.panels(); ++panel) multiply_block<Rows, 1>(a, first, b, panel, c, c_stride);
}

TREEWRIGHT_VNNI inline void multiply(const ByteRows &a, const ByteMatrix &b, float *c, std::size_t c_stride) {
  constexpr int block = 8, panels = 2;  // 16 of 32 registers have sums
  const int whole = a.count / block * block;
  int panel = 0;
  for (; panel + panels <= b.panels(); panel += panels)
    for (int row = 0; row < whole; row += block) multiply_block<block, panels>(a, row, b, panel, c, c_stride);
  for (; panel < b.panels(); ++panel)
    for (int row = 0; row < whole; row += block) multiply_block<block, 1>(a, row, b, panel, c, c_stride);
  using Rows = void (*)(const ByteRows &, int, const ByteMatrix &, float *, std::size_t);
  constexpr Rows rest[block] = {nullptr,
                                multiply_rows<1, 8>,
                                multiply_rows<2, 4>,
                                multiply_rows<3, 4>,
                                multiply_rows<4, 4>,
                                multiply_rows<5, 2>,
                                multiply_rows<6, 2>,
                                multiply_rows<7, 2>};
  if (const Rows rows = rest[a.count - whole]) rows(a, whole, b, c, c_stride);
}

}  // namespace treewright::vnni
#endif
