// How one tree is read from a chart: each sum chooses one of its terms.
#pragma once

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "base/rows.hpp"

namespace treewright {

// The best tree. The first of equal terms is chosen.
struct LargestTerm {
  template <typename Term>
  int operator()(int count, Term term) const {
    return argmax_over(count, term);
  }
};

// A random tree: each term is chosen by its share of the sum, which must not be zero.
template <typename Semiring>
class RandomTerm {
 public:
  explicit RandomTerm(Random &random) : random_(random) {}

  template <typename Term>
  int operator()(int count, Term term) {
    totals_.resize(count);
    typename Semiring::Weight largest = Semiring::zero;
    for (int k = 0; k < count; ++k) largest = std::max(largest, term(k));
    double total = 0;
    for (int k = 0; k < count; ++k) totals_[k] = total += Semiring::value(Semiring::over(term(k), largest));
    return draw_by_totals(random_, totals_.data(), count);
  }

 private:
  Random &random_;
  std::vector<double> totals_;
};

}  // namespace treewright
