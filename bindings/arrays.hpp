// Every array type that crosses the boundary, named once, with its dtype policy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewScores = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using NewScores3 = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
using NewScoreColumn = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using NewIndexColumn = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using NewMask = nb::ndarray<nb::numpy, bool, nb::ndim<1>>;
using Heads = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using Trees = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;        // heads, a row a tree
using NewHeadRows = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;  // a tree a row

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

// A tree over that many nodes: every word has another node as its head.
inline void check_heads(const IndexColumn &heads, int nodes) {
  if (int(heads.shape(0)) != nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < nodes; ++m)
    if (heads(m) < 0 || heads(m) >= nodes || heads(m) == m) throw nb::value_error("heads must be nodes");
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

template <typename Array, typename Scalar>
Array copied(const Scalar *data, std::size_t count) {
  Array array = new_array<Array>(count);
  std::copy(data, data + count, array.data());
  return array;
}

}  // namespace treewright
