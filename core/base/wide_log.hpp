// LogSum for scores of any size: sums over trees where masks of -1e9 or -3.4e38 stand beside ordinary scores.
//
// A double has 53 bits for a sum of scores: beside 1e16, nothing is left of 0.7. Here logarithms are fixed-point numbers
// with the range of all scores and a unit of 2^-96, so that products are exact and each sum is rounded by about 1e-16,
// whatever the sizes of its terms are.
//
// A weight w(t) = sum of exp(t score), at t = 1, also has its entropy, log w - d log w / dt: that of the distribution
// over its terms. Entropies of factors add up, and that of a sum with shares p and q is p (H - log p) + q (H' - log q).
// No large numbers are subtracted, as in log Z less the expected value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/scores.hpp"

namespace treewright {

// Above this size logarithms of weights are held as WideLog: the largest rounding error of a double is 2e-12 there.
constexpr double widest_log = 1 << 14;

inline bool is_wide(const double *scores, std::size_t count) {
  return std::any_of(scores, scores + count, [](double x) { return std::abs(x) > widest_log && x != forbidden; });
}

// A two's complement number of 18 * 64 bits, 96 of them after the point: sums of 2^58 scores of 1e300 are in range.
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(double x) {
    int exponent;
    // Scores that were scaled beyond the range of a double are the largest one; not a number is none at all.
    const double size = std::isnan(x) ? 0 : std::min(std::abs(x), std::numeric_limits<double>::max());
    const double fraction = std::frexp(size, &exponent);
    auto mantissa = std::uint64_t(std::ldexp(fraction, 53));
    int shift = exponent - 53 + fraction_bits;
    if (shift < 0) {
      mantissa = shift > -64 ? mantissa >> -shift : 0;
      shift = 0;
    }
    limbs_[shift / 64] = mantissa << shift % 64;
    if (shift % 64 > 0 && shift / 64 + 1 < limbs) limbs_[shift / 64 + 1] = mantissa >> (64 - shift % 64);
    if (x < 0) *this = FixedPoint() - *this;
  }

  FixedPoint operator+(const FixedPoint &other) const {
    FixedPoint sum;
    std::uint64_t carry = 0;
    for (int k = 0; k < limbs; ++k) {
      const std::uint64_t part = limbs_[k] + carry;
      sum.limbs_[k] = part + other.limbs_[k];
      carry = (part < carry) | (sum.limbs_[k] < part);
    }
    return sum;
  }

  FixedPoint operator-(const FixedPoint &other) const {
    FixedPoint difference;
    std::uint64_t borrow = 0;
    for (int k = 0; k < limbs; ++k) {
      const std::uint64_t part = limbs_[k] - other.limbs_[k];
      difference.limbs_[k] = part - borrow;
      borrow = (limbs_[k] < other.limbs_[k]) | (part < borrow);
    }
    return difference;
  }

  bool operator==(const FixedPoint &other) const { return limbs_ == other.limbs_; }
  bool is_negative() const { return limbs_[limbs - 1] >> 63; }

  double value() const {
    if (is_negative()) return -(FixedPoint() - *this).value();
    int top = limbs - 1;
    while (top > 0 && limbs_[top] == 0) --top;
    double sum = 0;
    for (int k = std::max(0, top - 2); k <= top; ++k) sum += std::ldexp(double(limbs_[k]), 64 * k - fraction_bits);
    return sum;
  }

 private:
  static constexpr int limbs = 18, fraction_bits = 96;
  std::array<std::uint64_t, limbs> limbs_{};  // the lowest first
};

struct WideWeight {
  FixedPoint log;
  double entropy = 0;
  bool is_zero = true;

  WideWeight() = default;
  WideWeight(double score) : is_zero(score == forbidden) {  // NOLINT: scores are weights
    if (!is_zero) log = FixedPoint(score);
  }
  WideWeight(const FixedPoint &log, double entropy) : log(log), entropy(entropy), is_zero(false) {}

  bool operator==(const WideWeight &other) const { return is_zero == other.is_zero && (is_zero || log == other.log); }
  bool operator!=(const WideWeight &other) const { return !(*this == other); }
  bool operator<(const WideWeight &other) const {
    return !other.is_zero && (is_zero || (log - other.log).is_negative());
  }
};

struct WideLog {
  using Weight = WideWeight;
  inline static const Weight zero{forbidden}, one{0.0};
  static constexpr bool is_relative = false, is_bounded = false, folds_left = false, is_wide = true;

  static Weight of_log(double log_weight) { return log_weight; }
  static double log(const Weight &weight) { return weight.is_zero ? forbidden : weight.log.value(); }
  static double value(const Weight &weight) { return std::exp(log(weight)); }

  static Weight plus(const Weight &a, const Weight &b) {
    Sum sum;
    sum.add(a), sum.add(b);
    return sum.weight();
  }
  static Weight times(const Weight &a, const Weight &b) {
    return a.is_zero || b.is_zero ? zero : Weight(a.log + b.log, a.entropy + b.entropy);
  }
  static Weight times(const Weight &a, const Weight &b, const Weight &c) { return times(a, times(b, c)); }
  static Weight over(const Weight &a, const Weight &b) {
    return a.is_zero ? zero : Weight(a.log - b.log, a.entropy - b.entropy);
  }
  static double share(double expected, const Weight &sum, const Weight &term) {
    return term.is_zero ? 0 : expected * std::exp((term.log - sum.log).value());
  }

  static Weight sum(const Weight *row, int count) {
    return sum_of(count, [=](int k) -> const Weight & { return row[k]; });
  }
  static Weight dot(const Weight *a, const Weight *b, int count) {
    return sum_of(count, [=](int k) { return times(a[k], b[k]); });
  }
  static Weight dot(const Weight *a, const Weight *b, const Weight *c, int count) {
    return sum_of(count, [=](int k) { return times(a[k], b[k], c[k]); });
  }
  static Weight plus_dot(const Weight &first, const Weight *a, const Weight *b, int count) {
    return plus(first, dot(a, b, count));
  }
  static void scale(Weight *row, const Weight &divisor, int count) {
    for (int k = 0; k < count; ++k) row[k] = over(row[k], divisor);
  }
  static void add_scaled(Weight *target, const Weight &factor, const Weight *row, int count) {
    for (int k = 0; k < count; ++k) target[k] = plus(target[k], times(factor, row[k]));
  }

  template <typename Term>
  static Weight sum_of(int count, Term term) {
    Sum sum;
    for (int k = 0; k < count; ++k) sum.add(term(k));
    return sum.weight();
  }

 private:
  // Terms relative to the largest so far: their sum, and the sum of each times its entropy less its logarithm.
  class Sum {
   public:
    void add(const Weight &term) {
      if (term.is_zero) return;
      if (total_ == 0) {
        largest_ = term.log, total_ = 1, entropies_ = term.entropy;
        return;
      }
      const double difference = (term.log - largest_).value();
      if (difference <= 0) return add_share(std::exp(difference), term.entropy - difference);
      const double factor = std::exp(-difference);
      entropies_ = factor > 0 ? factor * (entropies_ + difference * total_) : 0;
      total_ *= factor;
      largest_ = term.log;
      add_share(1, term.entropy);
    }

    Weight weight() const {
      if (total_ == 0) return zero;
      const double log_total = std::log(total_);
      return {total_ == 1 ? largest_ : largest_ + FixedPoint(log_total), entropies_ / total_ + log_total};
    }

   private:
    void add_share(double share, double entropy) {
      if (share > 0) total_ += share, entropies_ += share * entropy;
    }

    FixedPoint largest_;
    double total_ = 0, entropies_ = 0;
  };
};

}  // namespace treewright
