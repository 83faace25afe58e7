// Which numbers are scores: finite ones up to 1e300, so that no sum overflows, and -inf, which forbids.
// Each check looks only at the cells that belong to a part and returns the first bad one, -1 when all are good.
#pragma once

#include <cstddef>
#include <limits>

namespace treewright {

constexpr double forbidden = -std::numeric_limits<double>::infinity();
constexpr double largest_score = 1e300;

inline bool is_score(double x) { return (x <= largest_score && x >= -largest_score) || x == forbidden; }

inline std::ptrdiff_t bad_score(const double *scores, std::ptrdiff_t count) {
  for (std::ptrdiff_t k = 0; k < count; ++k)
    if (!is_score(scores[k])) return k;
  return -1;
}

// Writes to clean the arcs with the diagonal and the arcs into 0 forbidden, whatever stood there.
inline std::ptrdiff_t clean_arcs(const double *arc, int nodes, double *clean) {
  const std::ptrdiff_t n = nodes;
  bool good = true;
  for (std::ptrdiff_t h = 0; h < n; ++h) {
    const double *from = arc + h * n;
    double *to = clean + h * n;
    for (std::ptrdiff_t m = 0; m < n; ++m) to[m] = from[m];
    to[0] = to[h] = forbidden;
    for (std::ptrdiff_t m = 0; m < n; ++m) good &= is_score(to[m]);
  }
  return good ? -1 : bad_score(clean, n * n);
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

inline std::ptrdiff_t bad_grand(const double *grand, int nodes) {
  const std::ptrdiff_t n = nodes;
  for (std::ptrdiff_t g = 0; g < n; ++g)
    for (std::ptrdiff_t h = 1; h < n; ++h)
      for (std::ptrdiff_t m = 1; m < n; ++m)
        if (g != h && h != m && g != m && !is_score(grand[(g * n + h) * n + m])) return (g * n + h) * n + m;
  return -1;
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
