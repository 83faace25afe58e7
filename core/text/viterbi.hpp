// Tag sequences scored by trigrams: the best one, and the probability of each tag.
//
// Position i has size(i) candidates; positions -1 and -2 have one, "before the sentence". local(i, a, b, c) scores
// candidate c of position i after b of position i - 1 and a of position i - 2; minus infinity forbids.
//
//   best(i, b, c)     = max over a     of  best(i - 1, a, b) + local(i, a, b, c)              (Viterbi 1967)
//   forward(i, b, c)  = logsum over a  of  forward(i - 1, a, b) + local(i, a, b, c)
//   backward(i, b, c) = logsum over d  of  backward(i + 1, c, d) + local(i + 1, b, c, d)
//   p(b, c at i)      = exp(forward(i, b, c) + backward(i, b, c) - log partition)
//
// O(n t^3) time for t candidates a position, O(n t^2) space.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace treewright {

class Trigrams {
 public:
  // Called once for each sentence, with the number of candidates of each position.
  void open(const std::vector<int> &sizes) {
    sizes_ = sizes;
    begin_.assign(sizes.size() + 1, 0);
    for (int i = 0; i < words(); ++i) begin_[i + 1] = begin_[i] + std::size_t(size(i - 1)) * size(i);
  }

  int words() const { return int(sizes_.size()); }
  int size(int i) const { return i < 0 ? 1 : sizes_[i]; }

  // Writes the best candidate of each position (the first among equals) and returns the value.
  template <typename Local>
  double best(Local local, int *tags) {
    forward_.resize(begin_.back());
    from_.resize(begin_.back());
    for (int i = 0; i < words(); ++i)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c) {
          double best = forbidden;
          int from = 0;
          for (int a = 0; a < size(i - 2); ++a) {
            const double value = before(i, a, b) + local(i, a, b, c);
            if (value > best) best = value, from = a;
          }
          forward_[at(i, b, c)] = best, from_[at(i, b, c)] = from;
        }
    return trace(tags);
  }

  // The log partition function; p_tag(i, c), p_pair and p_triple may be asked afterwards.
  template <typename Local>
  double sum(Local local) {
    forward_.resize(begin_.back());
    backward_.assign(begin_.back(), 0);
    for (int i = 0; i < words(); ++i)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c)
          forward_[at(i, b, c)] = log_sum(size(i - 2), [&](int a) { return before(i, a, b) + local(i, a, b, c); });
    for (int i = words() - 2; i >= 0; --i)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c)
          backward_[at(i, b, c)] =
              log_sum(size(i + 1), [&](int d) { return backward_[at(i + 1, c, d)] + local(i + 1, b, c, d); });
    const int last = words() - 1;
    total_ = words() == 0 ? 0 : log_sum(size(last - 1) * size(last), [&](int k) { return forward_[begin_[last] + k]; });
    return total_;
  }

  double p_pair(int i, int b, int c) const { return std::exp(forward_[at(i, b, c)] + backward_[at(i, b, c)] - total_); }
  double p_triple(int i, int a, int b, int c, double local) const {
    return std::exp(before(i, a, b) + local + backward_[at(i, b, c)] - total_);
  }
  double p_tag(int i, int c) const {
    double sum = 0;
    for (int b = 0; b < size(i - 1); ++b) sum += p_pair(i, b, c);
    return sum;
  }

 private:
  static constexpr double forbidden = -std::numeric_limits<double>::infinity();

  std::size_t at(int i, int b, int c) const { return begin_[i] + std::size_t(b) * size(i) + c; }
  double before(int i, int a, int b) const { return i == 0 ? 0 : forward_[at(i - 1, a, b)]; }

  template <typename Value>
  static double log_sum(int count, Value value) {
    if (count == 1) return value(0);
    double best = forbidden, sum = 0;
    for (int k = 0; k < count; ++k) best = std::max(best, value(k));
    if (best == forbidden) return forbidden;
    for (int k = 0; k < count; ++k) sum += std::exp(value(k) - best);
    return best + std::log(sum);
  }

  double trace(int *tags) const {
    if (words() == 0) return 0;
    const int last = words() - 1;
    const auto end = forward_.begin() + std::ptrdiff_t(begin_[last + 1]);
    const auto found = std::max_element(forward_.begin() + std::ptrdiff_t(begin_[last]), end);
    int b = int(found - forward_.begin() - std::ptrdiff_t(begin_[last])) / size(last);
    int c = int(found - forward_.begin() - std::ptrdiff_t(begin_[last])) % size(last);
    for (int i = last; i >= 0; --i) {
      tags[i] = c;
      const int a = from_[at(i, b, c)];
      c = b, b = a;
    }
    return *found;
  }

  std::vector<int> sizes_, from_;
  std::vector<std::size_t> begin_;
  std::vector<double> forward_, backward_;
  double total_ = 0;
};

}  // namespace treewright
