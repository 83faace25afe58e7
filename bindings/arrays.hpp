// Every array type that crosses the boundary, named once, with its dtype policy; and the conversions of standard types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/scores.hpp"

namespace nb = nanobind;

namespace treewright {

using Scores = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;   // [h, m]
using Scores3 = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;  // [h, m, s] or [g, h, m]
using Scores4 = nb::ndarray<const double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;  // [g, h, m, s]
using ScoreColumn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IndexColumn = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IndexRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using HashRows = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatColumn = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewScores = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using NewScores3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using NewScoreColumn = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using NewIndexColumn = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using NewIndexRows = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;  // heads, a row a tree; or cells of a table
using NewMask = nb::ndarray<nb::numpy, bool, nb::ndim<1>>;
using Heads = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

// The nodes of arc[h, m]: the root and the words.
inline int nodes_of(const Scores &arc) {
  if (arc.shape(0) != arc.shape(1) || arc.shape(0) < 2) throw nb::value_error("arc must be square, root and words");
  return int(arc.shape(0));
}

// The same, after a check that every arc has a score: kernels compute indices from comparisons of scores.
inline int checked_nodes(const Scores &arc) {
  const int nodes = nodes_of(arc);
  if (bad_arc(arc.data(), nodes) >= 0) throw nb::value_error("arc must have finite scores, or -inf to forbid");
  return nodes;
}

// A column or table of scores.
template <typename Array>
void check_scores_of(const char *name, const Array &scores) {
  if (bad_score(scores.data(), std::ptrdiff_t(scores.size())) >= 0)
    throw nb::value_error((std::string(name) + " must have finite scores, or -inf to forbid").c_str());
}

inline void check_finite(const char *name, double number) {
  if (!std::isfinite(number)) throw nb::value_error((std::string(name) + " must be finite").c_str());
}

// A tree over that many nodes: every word has another node as its head, or with `is_partial` the open head -1.
inline void check_heads(const IndexColumn &heads, int nodes, bool is_partial = false) {
  if (int(heads.shape(0)) != nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < nodes; ++m)
    if (heads(m) < -int(is_partial) || heads(m) >= nodes || heads(m) == m)
      throw nb::value_error("heads must be nodes, or -1 where they may be open");
}

inline void check_no_cycle(const int *heads, int nodes) {
  for (int m = 1; m < nodes; ++m) {
    int steps = 0;
    for (int node = m; node != 0; node = heads[node])
      if (++steps == nodes) throw nb::value_error("heads has a cycle; it must be a tree");
  }
}

// A fresh array that owns its memory.
template <typename Array, typename... Sizes>
Array new_array(Sizes... sizes) {
  using Scalar = typename Array::Scalar;
  const std::size_t shape[] = {std::size_t(sizes)...};
  std::size_t count = 1;
  for (std::size_t size : shape) count *= size;
  auto *data = new Scalar[count];
  nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<Scalar *>(p); });
  return Array(data, sizeof...(sizes), shape, owner);
}

template <typename Array, typename... Sizes>
Array zeros(Sizes... sizes) {
  Array array = new_array<Array>(sizes...);
  std::fill_n(array.data(), array.size(), typename Array::Scalar());
  return array;
}

// The numbers of a column; with a width, those of a table row by row.
template <typename Array, typename Numbers, typename... Width>
Array copied(const Numbers &numbers, Width... width) {
  Array array = new_array<Array>(numbers.size() / (std::size_t(1) * ... * width), width...);
  std::copy(numbers.begin(), numbers.end(), array.data());
  return array;
}

}  // namespace treewright
