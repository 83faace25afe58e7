// Adds four rows to a target, each times its factor: target[k] + a[k] factor[0] + b[k] factor[1] + ..., in this order.
// The target is read and written once for four products. With AVX2 twice as many numbers at a time give the same bits.
#pragma once

namespace treewright {

inline void add_four_portable(double *target, const double *factor, const double *a, const double *b, const double *c,
                              const double *d, int count) {
  const double of_a = factor[0], of_b = factor[1], of_c = factor[2], of_d = factor[3];
#pragma omp simd
  for (int k = 0; k < count; ++k) target[k] = target[k] + of_a * a[k] + of_b * b[k] + of_c * c[k] + of_d * d[k];
}

#if defined(__GNUC__) && defined(__x86_64__)

__attribute__((target("avx2"))) inline void add_four_avx2(double *target, const double *factor, const double *a,
                                                          const double *b, const double *c, const double *d,
                                                          int count) {
  const double of_a = factor[0], of_b = factor[1], of_c = factor[2], of_d = factor[3];
#pragma omp simd
  for (int k = 0; k < count; ++k) target[k] = target[k] + of_a * a[k] + of_b * b[k] + of_c * c[k] + of_d * d[k];
}

inline void add_four(double *target, const double *factor, const double *a, const double *b, const double *c,
                     const double *d, int count) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  (has_avx2 ? add_four_avx2 : add_four_portable)(target, factor, a, b, c, d, count);
}

#else

inline void add_four(double *target, const double *factor, const double *a, const double *b, const double *c,
                     const double *d, int count) {
  add_four_portable(target, factor, a, b, c, d, count);
}

#endif

}  // namespace treewright
