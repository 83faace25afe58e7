// The inner loops of the dynamic programs: maxima of sums along rows.
//
// Four independent maxima: a single one would make each comparison depend on the previous one, and most rows are too
// short for the set-up of a wider loop (twice as fast at 30 words as `omp simd`, and no slower at 150).
#pragma once

#include "base/scores.hpp"

namespace treewright {

template <typename Sum>
inline double max_over(int count, Sum sum) {
  double lanes[4] = {forbidden, forbidden, forbidden, forbidden};
  int k = 0;
  for (; k + 4 <= count; k += 4)
    for (int lane = 0; lane < 4; ++lane) {
      const double value = sum(k + lane);
      lanes[lane] = value > lanes[lane] ? value : lanes[lane];
    }
  const double even = lanes[0] > lanes[2] ? lanes[0] : lanes[2], odd = lanes[1] > lanes[3] ? lanes[1] : lanes[3];
  double best = even > odd ? even : odd;
  for (; k < count; ++k) {
    const double value = sum(k);
    best = value > best ? value : best;
  }
  return best;
}

// The first place of the maximum; 0 when count is 0.
template <typename Sum>
inline int argmax_over(int count, Sum sum) {
  int best = 0;
  for (int k = 1; k < count; ++k)
    if (sum(k) > sum(best)) best = k;
  return best;
}

inline double max_of_sums(const double *a, const double *b, int count) {
  return max_over(count, [=](int k) { return a[k] + b[k]; });
}
inline double max_of_sums(const double *a, const double *b, const double *c, int count) {
  return max_over(count, [=](int k) { return a[k] + b[k] + c[k]; });
}
inline int argmax_of_sums(const double *a, const double *b, int count) {
  return argmax_over(count, [=](int k) { return a[k] + b[k]; });
}
inline int argmax_of_sums(const double *a, const double *b, const double *c, int count) {
  return argmax_over(count, [=](int k) { return a[k] + b[k] + c[k]; });
}

// A hint to the processor: this row will be read next.
inline void prefetch(const double *row, int count) {
#if defined(__GNUC__)
  for (int k = 0; k < count; k += 8) __builtin_prefetch(row + k);
#else
  (void)row, (void)count;
#endif
}

}  // namespace treewright
