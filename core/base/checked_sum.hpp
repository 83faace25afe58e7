// A sum of doubles with an upper bound on its rounding error.
//
// Knuth's two-sum yields the error of each addition exactly; the errors are summed and added at the end (Ogita, Rump
// and Oishi 2005), so that the value is the sum rounded once, but for terms of the order of epsilon squared.
#pragma once

#include <cmath>
#include <limits>

#include "base/scores.hpp"

namespace treewright {

// The error of the rounded sum a + b, exactly: a + b = (rounded sum) + two_sum_error.
inline double two_sum_error(double a, double b) {
  const double sum = a + b, part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// a + b rounded upwards.
inline double sum_upwards(double a, double b) {
  const double sum = a + b;
  if (std::isinf(sum) || two_sum_error(a, b) <= 0) return sum;
  return std::nextafter(sum, std::numeric_limits<double>::infinity());
}

class CheckedSum {
 public:
  void add(double x) {
    if (x == forbidden) {
      has_forbidden_ = true;
      return;
    }
    const double error = two_sum_error(sum_, x);
    sum_ += x, errors_ += error;
    error_magnitude_ += std::abs(error);
    ++terms_;
  }

  double value() const { return has_forbidden_ ? forbidden : sum_ + errors_; }

  // An upper bound on |value - exact sum|; 0 when no addition rounded.
  double error() const {
    if (error_magnitude_ == 0) return 0;
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return std::abs(two_sum_error(sum_, errors_)) + terms_ * epsilon * error_magnitude_;
  }

  // An upper bound on the exact sum plus `more`.
  double upper_bound(double more) const {
    return has_forbidden_ ? forbidden : sum_upwards(value(), sum_upwards(more, error()));
  }

 private:
  double sum_ = 0, errors_ = 0, error_magnitude_ = 0;
  int terms_ = 0;
  bool has_forbidden_ = false;
};

}  // namespace treewright
