// Semirings: charts over trees are written once, and the semiring determines what they compute.
//
//   Real     sums of products of weights: fast, but weights may leave the range of a double
//   LogSum   the same sums over logarithms of weights: slower, any range
//   MaxPlus  the score of the best tree
//   WideLog  LogSum for scores of very different sizes (wide_log.hpp)
//
// Real never subtracts, so that the relative error of a sum stays that of its largest terms; the algorithms detect when
// weights lost below 1e-308 could matter, and start again with LogSum.
//
// The product of three factors, times(a, b, c), is (a b) c in MaxPlus and a (b c) in the other two. Floating-point
// addition is not associative: with this order fixed, values and trained weights are the same bits everywhere.
#pragma once

#include <cmath>

#include "base/rows.hpp"
#include "base/scores.hpp"

namespace treewright {

struct Real {
  using Weight = double;
  static constexpr double zero = 0, one = 1;
  static constexpr bool is_relative = true;  // weights are taken relative to the best head of each word
  static constexpr bool is_bounded = true;   // weights may leave the range of a double
  static constexpr bool folds_left = false;  // times(a, b, c) is a (b c)
  static constexpr bool is_wide = false;     // weights are no doubles, and exact in any range

  static double of_log(double log_weight) { return std::exp(log_weight); }
  static double of_value(double weight) { return weight; }
  static double log(double weight) { return std::log(weight); }
  static double value(double weight) { return weight; }

  static double plus(double a, double b) { return a + b; }
  static double times(double a, double b) { return a * b; }
  static double times(double a, double b, double c) { return a * (b * c); }
  static double over(double a, double b) { return a / b; }
  // The share of an expectation that a term of a sum receives.
  static double share(double expected, double sum, double term) { return expected / sum * term; }

  static double sum(const double *row, int count) {
    return lanes(count, [=](int k) { return row[k]; });
  }
  static double dot(const double *a, const double *b, int count) {
    return lanes(count, [=](int k) { return a[k] * b[k]; });
  }
  static double dot(const double *a, const double *b, const double *c, int count) {
    return lanes(count, [=](int k) { return a[k] * (b[k] * c[k]); });
  }
  static double plus_dot(double first, const double *a, const double *b, int count) { return first + dot(a, b, count); }
  static void scale(double *row, double divisor, int count) {
    const double factor = 1 / divisor;
    for (int k = 0; k < count; ++k) row[k] *= factor;
  }
  static void add_scaled(double *target, double factor, const double *row, int count) {
#pragma omp simd
    for (int k = 0; k < count; ++k) target[k] += factor * row[k];
  }

 private:
  // Four independent sums, so that no addition depends on the previous one.
  template <typename Term>
  static double lanes(int count, Term term) {
    double sums[4] = {0, 0, 0, 0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
      for (int lane = 0; lane < 4; ++lane) sums[lane] += term(k + lane);
    double total = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (; k < count; ++k) total += term(k);
    return total;
  }
};

struct LogSum {
  using Weight = double;
  static constexpr double zero = forbidden, one = 0;
  static constexpr bool is_relative = true, is_bounded = false, folds_left = false, is_wide = false;

  static double of_log(double log_weight) { return log_weight; }
  static double of_value(double weight) { return std::log(weight); }
  static double log(double weight) { return weight; }
  static double value(double weight) { return std::exp(weight); }

  static double plus(double a, double b) {
    if (a < b) return plus(b, a);
    return b == forbidden ? a : a + std::log1p(std::exp(b - a));
  }
  static double times(double a, double b) { return a + b; }
  static double times(double a, double b, double c) { return a + (b + c); }
  static double over(double a, double b) { return a - b; }
  static double share(double expected, double sum, double term) { return expected * std::exp(term - sum); }

  static double sum(const double *row, int count) {
    return sum_of(count, [=](int k) { return row[k]; });
  }
  static double dot(const double *a, const double *b, int count) {
    return sum_of(count, [=](int k) { return a[k] + b[k]; });
  }
  static double dot(const double *a, const double *b, const double *c, int count) {
    return sum_of(count, [=](int k) { return a[k] + (b[k] + c[k]); });
  }
  static double plus_dot(double first, const double *a, const double *b, int count) {
    return sum_of(count + 1, [=](int k) { return k == 0 ? first : a[k - 1] + b[k - 1]; });
  }
  static void scale(double *row, double divisor, int count) {
    for (int k = 0; k < count; ++k) row[k] -= divisor;
  }
  static void add_scaled(double *target, double factor, const double *row, int count) {
    for (int k = 0; k < count; ++k) target[k] = plus(target[k], factor + row[k]);
  }

  template <typename Term>
  static double sum_of(int count, Term term) {
    double largest = forbidden;
    for (int k = 0; k < count; ++k) largest = term(k) > largest ? term(k) : largest;
    if (largest == forbidden) return forbidden;
    double total = 0;
    for (int k = 0; k < count; ++k) total += std::exp(term(k) - largest);
    return largest + std::log(total);
  }
};

struct MaxPlus {
  using Weight = double;
  static constexpr double zero = forbidden, one = 0;
  static constexpr bool is_relative = false, is_bounded = false, folds_left = true, is_wide = false;

  static double of_log(double score) { return score; }
  static double log(double score) { return score; }

  static double plus(double a, double b) { return a > b ? a : b; }
  static double times(double a, double b) { return a + b; }
  static double times(double a, double b, double c) { return (a + b) + c; }

  static double sum(const double *row, int count) {
    return max_over(count, [=](int k) { return row[k]; });
  }
  static double dot(const double *a, const double *b, int count) { return max_of_sums(a, b, count); }
  static double plus_dot(double first, const double *a, const double *b, int count) {
    return plus(first, max_of_sums(a, b, count));
  }

  template <typename Term>
  static double sum_of(int count, Term term) {
    double largest = forbidden;
    for (int k = 0; k < count; ++k) largest = plus(largest, term(k));
    return largest;
  }
};

}  // namespace treewright
