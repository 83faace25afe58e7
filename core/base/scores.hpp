// Which numbers are scores: finite ones up to 1e300, so that no sum overflows, and -inf, which forbids.
// Each check looks only at the cells that belong to a part and returns the first bad one, -1 when all are good.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace treewright {

constexpr double forbidden = -std::numeric_limits<double>::infinity();
constexpr double largest_score = 1e300;  // not tuned: sums of 10^8 such scores are still finite

inline bool is_score(double x) { return (std::abs(x) <= largest_score) | (x == forbidden); }

// Whether a test holds for all scores. Failures are counted as doubles, which keeps the loop in vector registers, and
// in several lanes, so that no addition waits for the one before.
template <typename Test>
bool all_scores(const double *scores, std::ptrdiff_t count, Test test) {
  constexpr int lanes = 8;
  double failures[lanes] = {};
  std::ptrdiff_t k = 0;
  for (; k + lanes <= count; k += lanes)
    for (int lane = 0; lane < lanes; ++lane) failures[lane] += test(scores[k + lane]) ? 0.0 : 1.0;
  for (; k < count; ++k) failures[0] += test(scores[k]) ? 0.0 : 1.0;
  return std::all_of(failures, failures + lanes, [](double failed) { return failed == 0; });
}

inline std::ptrdiff_t bad_score(const double *scores, std::ptrdiff_t count) {
  const auto is_finite = [](double x) { return std::abs(x) <= largest_score; };
  if (all_scores(scores, count, is_finite)) return -1;  // the usual case, in which nothing is forbidden
  if (all_scores(scores, count, is_score)) return -1;
  std::ptrdiff_t first = 0;
  while (is_score(scores[first])) ++first;
  return first;
}

inline std::ptrdiff_t bad_arc(const double *arc, int nodes) {
  const std::ptrdiff_t n = nodes;
  if (bad_score(arc, n * n) < 0) return -1;  // most often also the cells that are no arcs are scores
  for (std::ptrdiff_t h = 0; h < n; ++h) {
    const std::ptrdiff_t left = bad_score(arc + h * n + 1, h - 1), right = bad_score(arc + h * n + h + 1, n - h - 1);
    if (left >= 0) return h * n + 1 + left;
    if (right >= 0) return h * n + h + 1 + right;
  }
  return -1;
}

inline std::ptrdiff_t bad_sibling(const double *sib, int nodes) {
  const std::ptrdiff_t n = nodes;
  for (std::ptrdiff_t h = 0; h < n; ++h)
    for (std::ptrdiff_t m = 1; m < n; ++m) {
      if (m == h) continue;
      const std::ptrdiff_t row = (h * n + m) * n;
      const std::ptrdiff_t begin = h < m ? h : m + 1, end = h < m ? m : h + 1;
      const std::ptrdiff_t bad = bad_score(sib + row + begin, end - begin);
      if (bad >= 0) return row + begin + bad;
    }
  return -1;
}

// The first number of at least 0 that find(g, h, m) returns for three nodes of a grandparent part, or -1.
template <typename Find>
std::ptrdiff_t first_grand(int nodes, Find find) {
  for (std::ptrdiff_t g = 0; g < nodes; ++g)
    for (std::ptrdiff_t h = 1; h < nodes; ++h)
      for (std::ptrdiff_t m = 1; m < nodes; ++m)
        if (g != h && h != m && g != m)
          if (const std::ptrdiff_t cell = find(g, h, m); cell >= 0) return cell;
  return -1;
}

inline std::ptrdiff_t bad_grand(const double *grand, int nodes) {
  const std::ptrdiff_t n = nodes;
  return first_grand(nodes, [&](auto g, auto h, auto m) -> std::ptrdiff_t {
    const std::ptrdiff_t cell = (g * n + h) * n + m;
    return is_score(grand[cell]) ? -1 : cell;
  });
}

inline std::ptrdiff_t bad_grandsib(const double *grandsib, int nodes) {
  const std::ptrdiff_t n = nodes;
  return first_grand(nodes, [&](auto g, auto h, auto m) -> std::ptrdiff_t {
    for (std::ptrdiff_t s = h < m ? h : m + 1, end = h < m ? m : h + 1; s < end; ++s) {
      const std::ptrdiff_t cell = ((g * n + h) * n + m) * n + s;
      if (g != s && !is_score(grandsib[cell])) return cell;
    }
    return -1;
  });
}

inline std::ptrdiff_t bad_stop(const double *stop, int nodes) {
  const std::ptrdiff_t n = nodes;
  for (std::ptrdiff_t h = 0; h < n; ++h)
    for (std::ptrdiff_t s = 0; s < n; ++s)
      for (std::ptrdiff_t side = 0; side < 2; ++side) {
        const bool belongs = s == h ? h > 0 || side == 1 : s > 0 && (s > h) == (side == 1);
        if (belongs && !is_score(stop[(h * n + s) * 2 + side])) return (h * n + s) * 2 + side;
      }
  return -1;
}

}  // namespace treewright
