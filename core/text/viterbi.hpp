// Tag sequences scored by trigrams: the best one, and the probability of each tag.
//
// Position i has size(i) candidates; positions -1 and -2 have one, "before the sentence". local(i, a, b, c) scores
// candidate c of position i after b of position i - 1 and a of position i - 2; minus infinity forbids.
//
//   forward(i, b, c)  = sum over a  of  forward(i - 1, a, b) + local(i, a, b, c)
//   backward(i, b, c) = sum over d  of  backward(i + 1, c, d) + local(i + 1, b, c, d)
//   p(b, c at i)      = exp(forward(i, b, c) + backward(i, b, c) - log partition)
//
// where the sum is the maximum for the best sequence (MaxPlus; Viterbi 1967), and the logarithm of a sum of
// exponentials for probabilities (LogSum; forward-backward).
//
// O(n t^3) time for t candidates a position, O(n t^2) space.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/semiring.hpp"

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

  // Writes the best candidate of each position (the first among equals) and returns the score of the sequence.
  template <typename Local>
  double best(Local local, int *tags) {
    if (words() == 0) return 0;
    fill_forward<MaxPlus>(local);
    return trace(local, tags);
  }

  // Returns the log partition function; p_tag, p_pair and p_triple are defined afterwards.
  template <typename Local>
  double sum(Local local) {
    log_partition_ = 0;
    if (words() == 0) return 0;
    fill_forward<LogSum>(local);
    fill_backward<LogSum>(local);
    const int last = words() - 1;
    const double *cells = forward_.data() + begin_[last];
    log_partition_ = sum_of<LogSum>(size(last - 1) * size(last), [=](int k) { return cells[k]; });
    return log_partition_;
  }

  double p_pair(int i, int b, int c) const {
    return std::exp(forward_[at(i, b, c)] + backward_[at(i, b, c)] - log_partition_);
  }
  double p_triple(int i, int a, int b, int c, double local) const {
    return std::exp(before(i, a, b) + local + backward_[at(i, b, c)] - log_partition_);
  }
  double p_tag(int i, int c) const {
    double sum = 0;
    for (int b = 0; b < size(i - 1); ++b) sum += p_pair(i, b, c);
    return sum;
  }

 private:
  std::size_t at(int i, int b, int c) const { return begin_[i] + std::size_t(b) * size(i) + c; }
  double before(int i, int a, int b) const { return i == 0 ? 0 : forward_[at(i - 1, a, b)]; }

  // Most positions have one candidate, and the sum of one term needs no logarithm.
  template <typename Semiring, typename Term>
  static double sum_of(int count, Term term) {
    return count == 1 ? term(0) : Semiring::sum_of(count, term);
  }

  template <typename Semiring, typename Local>
  void fill_forward(Local local) {
    forward_.resize(begin_.back());
    for (int i = 0; i < words(); ++i)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c)
          forward_[at(i, b, c)] =
              sum_of<Semiring>(size(i - 2), [&](int a) { return before(i, a, b) + local(i, a, b, c); });
  }

  template <typename Semiring, typename Local>
  void fill_backward(Local local) {
    backward_.assign(begin_.back(), 0);
    for (int i = words() - 2; i >= 0; --i)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c)
          backward_[at(i, b, c)] =
              sum_of<Semiring>(size(i + 1), [&](int d) { return backward_[at(i + 1, c, d)] + local(i + 1, b, c, d); });
  }

  // From the last position to the first, finding the term that is the maximum once more.
  template <typename Local>
  double trace(Local local, int *tags) const {
    const int last = words() - 1;
    const auto first_cell = forward_.begin() + std::ptrdiff_t(begin_[last]);
    const auto best = std::max_element(first_cell, forward_.end());
    int b = int(best - first_cell) / size(last), c = int(best - first_cell) % size(last);
    for (int i = last; i >= 0; --i) {
      tags[i] = c;
      int a = 0;
      while (a < size(i - 2) - 1 && before(i, a, b) + local(i, a, b, c) != forward_[at(i, b, c)]) ++a;
      c = b, b = a;
    }
    return *best;
  }

  std::vector<int> sizes_;
  std::vector<std::size_t> begin_;
  std::vector<double> forward_, backward_;
  double log_partition_ = 0;
};

}  // namespace treewright
