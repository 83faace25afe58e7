// Log partition and marginals of all trees by one matrix inverse, without a subtraction but for the last (see
// matrix_tree.hpp for sums that never subtract, and for sources).
//
// The row of word k holds the weights w(k, h) = a(h, k) of its heads. Eliminating k in place (Gauss-Jordan) with the sum
// of the row as the pivot (Grassmann, Taksar & Heyman 1985) adds products of nonnegative numbers only:
//
//   s        = sum over nodes j not yet eliminated of  w(k, j)
//   w(k, j)  = w(k, j) / s,   w(k, k) = 1 / s
//   w(i, j) += w(i, k) w(k, j),   w(i, k) = w(i, k) / s                  for every other row i
//
// and Z is the product of all s. Several roots: all words are eliminated, 0 is not, N = w is the inverse of the
// Laplacian, and
//
//   marginal(h, m) = a(h, m) (N(m, m) - N(h, m)),    marginal(0, m) = a(0, m) N(m, m)
//
// Single root: the word r with the best arc from the root stays, and the root's weights are a column beside the matrix
// that no s includes. With V(m) = w(r, m), V(r) = 1, g(h) = w(h, 0), g(r) = 0, N(r, .) = N(., r) = 0, and c = w(r, 0),
// by which Z is multiplied,
//
//   marginal(h, m) = a(h, m) (N(m, m) - N(h, m) + (g(h) - g(m)) V(m) / c),    marginal(0, m) = a(0, m) V(m) / c
//
// Every entry of N, V, g and c has a small relative error, so that the differences show how many digits they lost. Where
// that is more than 1 / min_difference, no result is returned. O(n^3), as many operations as an inverse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/four_doubles.hpp"
#include "base/semiring.hpp"
#include "trees/relative_scores.hpp"

namespace treewright {

#ifdef TREEWRIGHT_HAS_FOUR_DOUBLES

class TreeInverse {
 public:
  // Sets the log partition and, unless it is null, marginals[h, m] over nodes. arc is nodes x nodes, row-major; its
  // diagonal and column 0 are not read. out_of_range: what is not set needs another algorithm.
  Sums run(const double *arc, int nodes, bool single_root, double *log_partition, double *marginals) {
#ifdef TREEWRIGHT_FOR_AVX2
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2) return run_with_avx2(arc, nodes, single_root, log_partition, marginals);
#endif
    return run_here(arc, nodes, single_root, log_partition, marginals);
  }

  // After a run in multi-root mode: the steps that Wilson's walks take to draw a tree, on average.
  double mean_steps() const {
    double steps = Real::dot(root_.data(), root_factor_.data(), words_);
    for (int h = 0; h < words_; ++h)
      steps += Real::dot(weight_.data() + std::size_t(h) * width_, root_factor_.data(), words_);
    return steps;
  }

 private:
#ifdef TREEWRIGHT_FOR_AVX2
  TREEWRIGHT_FOR_AVX2 Sums run_with_avx2(const double *arc, int nodes, bool single_root, double *log_partition,
                                         double *marginals) {
    return run_here(arc, nodes, single_root, log_partition, marginals);
  }
#endif

  TREEWRIGHT_ALWAYS_INLINE Sums run_here(const double *arc, int nodes, bool single_root, double *log_partition,
                                         double *marginals) {
    if (const Sums sums = scores_.find(arc, nodes, single_root); sums != Sums::found) return sums;
    load(arc, nodes, single_root);
    log_partition_ = scores_.sum;
    if (!eliminate(words_ - single_root, marginals != nullptr)) return Sums::out_of_range;
    if (single_root) log_partition_ += std::log(row(words_ - 1)[words_]);
    *log_partition = log_partition_;
    if (!marginals) return Sums::found;
    single_root ? set_factors_of_single_root() : set_factors();
    if (!subtract() && !restore(single_root)) return Sums::out_of_range;
    write(nodes, marginals);
    return Sums::found;
  }

  double *row(int word) { return matrix_.data() + std::size_t(word) * width_; }

  // Words have their places in the sentence, except that the one which stays changes places with the last.
  TREEWRIGHT_ALWAYS_INLINE void load(const double *arc, int nodes, bool single_root) {
    const int n = words_ = nodes - 1;
    rows_ = (n + 3) / 4 * 4, width_ = (n + 8) / 8 * 8;
    for (std::vector<double> *each : {&root_, &diagonal_, &root_factor_, &least_}) each->assign(width_, 0.0);
    weight_.resize(std::size_t(rows_) * width_), matrix_.resize(weight_.size());
    scores_.best.resize(width_, 0.0);
    stays_ = n - 1;
    if (single_root)
      for (int m = n - 1; m >= 0; --m)
        if (arc[m + 1] - scores_.best[m] == scores_.root) stays_ = m;
    // Up to three scores after the last word are read, too: rows at the end are copied.
    const auto readable = [&](const double *scores) {
      if (scores + rows_ <= arc + std::size_t(nodes) * nodes) return scores;
      std::copy_n(scores, n, diagonal_.data());
      return static_cast<const double *>(diagonal_.data());
    };
    load_row(readable(arc + 1), scores_.root, root_.data());
    for (int h = 0; h < n; ++h) {
      double *weights = weight_.data() + std::size_t(place(h)) * width_;
      load_row(readable(arc + std::size_t(h + 1) * nodes + 1), 0.0, weights);
      weights[place(h)] = 0;
    }
    std::fill(weight_.begin() + std::size_t(n) * width_, weight_.end(), 0.0);
    transpose_weights();
    for (int m = 0; m < rows_; ++m) {
      std::fill(row(m) + rows_, row(m) + width_, 0.0);
      row(m)[n] = root_[m];
    }
  }

  // Sets the matrix to the weights, heads of a word in its row.
  TREEWRIGHT_ALWAYS_INLINE void transpose_weights() {
    for (int h = 0; h < rows_; h += 4) {
      const double *a = weight_.data() + std::size_t(h) * width_, *b = a + width_, *c = b + width_, *d = c + width_;
      for (int m = 0; m < rows_; ++m) four_at(row(m) + h) = Four{a[m], b[m], c[m], d[m]};
    }
  }

  int place(int word) const { return word == stays_ ? words_ - 1 : word == words_ - 1 ? stays_ : word; }

  TREEWRIGHT_ALWAYS_INLINE void load_row(const double *scores, double root, double *weights) {
    const int rows = rows_;
    const double *const best = scores_.best.data();
    for (int m = 0; m < rows; m += 4) {
      Four x = four_at(scores + m) - four_at(best + m) - root;
      exp_of_four(x);
      four_at(weights + m) = x;
    }
    std::fill(weights + words_, weights + width_, 0.0);
    std::swap(weights[stays_], weights[words_ - 1]);
  }

  // Rows of a block are eliminated among themselves first; then the block is added to four other rows at a time.
  // Without the inverse, the rows below are sufficient, and the columns that are left.
  TREEWRIGHT_ALWAYS_INLINE bool eliminate(int pivots, bool with_inverse) {
    const int block = width_ <= 64 ? 4 : max_block;  // the faster one of 4, 8 and 16
    double product = 1;
    for (int begin = 0; begin < pivots; begin += block) {
      const int end = std::min(begin + block, rows_), count = std::min(block, pivots - begin);
      for (int k = begin; k < begin + count; ++k) {
        const double sum = sum_after(row(k), k, pivots);
        if (!(sum >= min_pivot)) return false;
        product *= sum;
        if (!(product > 1e-200 && product < 1e200)) log_partition_ += std::log(product), product = 1;
        scale(row(k), 1 / sum);
        set(row(k), k, 1 / sum);
        for (int i = begin; i < end; ++i)
          if (i != k) add_row(row(i), row(k), k);
      }
      for (int i = with_inverse ? 0 : end; i < rows_; i += 4)
        if (i < begin || i >= end) add_block(i, begin, count, with_inverse ? 0 : begin / 8 * 8);
    }
    log_partition_ += std::log(product);
    return true;
  }

  // Cells are read and written in aligned groups of four: the processor waits where a wide read meets narrow writes.
  TREEWRIGHT_ALWAYS_INLINE static void set(double *values, int k, double value) {
    const FourIntegers lane = {0, 1, 2, 3}, is_k = lane == k % 4;
    Four &four = four_at(values + k / 4 * 4);
    four = Four(FourIntegers(four) & ~is_k) + Four(FourIntegers(Four{} + value) & is_k);
  }

  // The sum of the cells after `begin`, the last of them included.
  TREEWRIGHT_ALWAYS_INLINE static double sum_after(const double *values, int begin, int last) {
    const FourIntegers lane = {0, 1, 2, 3};
    Four sums = {};
    for (int j = begin / 4 * 4; j <= last; j += 4)
      sums += Four(FourIntegers(four_at(values + j)) & (lane > begin - j) & (lane <= last - j));
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

  TREEWRIGHT_ALWAYS_INLINE void scale(double *values, double factor) {
    const int width = width_;
    for (int j = 0; j < width; j += 4) four_at(values + j) *= factor;
  }

  TREEWRIGHT_ALWAYS_INLINE void add_row(double *to, const double *from, int k) {
    const double factor = to[k];
    set(to, k, 0);
    const int width = width_;
    for (int j = 0; j < width; j += 4) four_at(to + j) += factor * four_at(from + j);
  }

  TREEWRIGHT_ALWAYS_INLINE void add_block(int i, int begin, int count, int first_column) {
    double factor[max_block][4];
    double *const a = row(i), *const b = row(i + 1), *const c = row(i + 2), *const d = row(i + 3);
    for (int k = 0; k < count; ++k)
      for (int r = 0; r < 4; ++r) factor[k][r] = row(i + r)[begin + k];
    for (int r = 0; r < 4; ++r) {
      int k = 0;
      for (; k + 4 <= count; k += 4) four_at(row(i + r) + begin + k) = Four{};
      for (; k < count; ++k) set(row(i + r), begin + k, 0);
    }
    const double *const block = row(begin);
    const int width = width_;
    for (int j = first_column; j < width; j += 8) {
      Four a0 = four_at(a + j), a1 = four_at(a + j + 4), b0 = four_at(b + j), b1 = four_at(b + j + 4);
      Four c0 = four_at(c + j), c1 = four_at(c + j + 4), d0 = four_at(d + j), d1 = four_at(d + j + 4);
      const double *from = block + j;
      for (int k = 0; k < count; ++k, from += width) {
        const Four x = four_at(from), y = four_at(from + 4);
        a0 += factor[k][0] * x, a1 += factor[k][0] * y, b0 += factor[k][1] * x, b1 += factor[k][1] * y;
        c0 += factor[k][2] * x, c1 += factor[k][2] * y, d0 += factor[k][3] * x, d1 += factor[k][3] * y;
      }
      four_at(a + j) = a0, four_at(a + j + 4) = a1, four_at(b + j) = b0, four_at(b + j + 4) = b1;
      four_at(c + j) = c0, four_at(c + j + 4) = c1, four_at(d + j) = d0, four_at(d + j + 4) = d1;
    }
  }

  void set_factors() {
    for (int m = 0; m < words_; ++m) {
      diagonal_[m] = root_factor_[m] = row(m)[m];
      least_[m] = min_difference * diagonal_[m];
      row(m)[words_] = 0;
    }
  }

  void set_factors_of_single_root() {
    const int last = words_ - 1;
    const double c = row(last)[words_];
    double largest = 0;
    for (int h = 0; h < last; ++h) largest = std::max(largest, row(h)[words_]);
    for (int m = 0; m < last; ++m) {
      const double through = row(last)[m] / c, collected = row(m)[words_];
      root_factor_[m] = through;
      diagonal_[m] = row(m)[m] - through * collected;
      least_[m] = min_difference * (row(m)[m] + through * (collected + largest));
      row(m)[last] = 0;
    }
    std::fill_n(row(last), width_, 0.0);
    root_factor_[last] = 1 / c, diagonal_[last] = least_[last] = 0;
  }

  // Replaces the inverse by the differences that marginals are multiples of. True when none of them lost its digits.
  TREEWRIGHT_ALWAYS_INLINE bool subtract() {
    FourIntegers is_lost = {};
    for (int h = 0; h < words_; ++h) {
      double *to = row(h);
      const double *weights = weight_.data() + std::size_t(h) * width_, collected = to[words_];
      for (int m = 0; m < width_; m += 4) {
        const Four factor = four_at(root_factor_.data() + m);
        const Four difference = (four_at(diagonal_.data() + m) - four_at(to + m)) + collected * factor;
        is_lost |= (difference < four_at(least_.data() + m)) & (four_at(weights + m) > 0.0);
        four_at(to + m) = difference;
      }
    }
    return !(is_lost[0] | is_lost[1] | is_lost[2] | is_lost[3]);
  }

  // A difference D(h, m) that lost its digits follows from those of the heads of h, by sums without a subtraction:
  //
  //   D(h, m) sum over nodes j of a(j, h)  =  sum over words j of  a(j, h) D(j, m)  +  a(0, h) root_factor(m)
  //
  // Iterated from zero (Gauss-Seidel), the lost ones of a column rise to their values, at once where no strong arcs form
  // a cycle among them. False when they do not come to rest.
  TREEWRIGHT_ALWAYS_INLINE bool restore(bool single_root) {
    std::swap(matrix_, differences_), matrix_.resize(differences_.size());
    transpose_weights();
    total_.resize(words_), column_.assign(width_, 0.0);
    for (int h = 0; h < words_; ++h) total_[h] = sum_after(row(h), -1, words_ - 1) + (single_root ? 0 : root_[h]);
    bool is_restored = true;
    for (int m = 0; m < words_ && is_restored; ++m) {
      lost_.clear();
      for (int h = 0; h < words_; ++h) {
        column_[h] = differences_[std::size_t(h) * width_ + m];
        if (h != m && column_[h] < least_[m]) lost_.push_back(h);
      }
      // The smaller ones are those of words whose heads have small ones.
      std::sort(lost_.begin(), lost_.end(), [&](int a, int b) { return column_[a] < column_[b]; });
      for (const int h : lost_) column_[h] = 0;
      column_[m] = 0;
      is_restored = iterate(m);
      for (const int h : lost_) differences_[std::size_t(h) * width_ + m] = column_[h];
    }
    std::swap(matrix_, differences_);
    return is_restored;
  }

  TREEWRIGHT_ALWAYS_INLINE bool iterate(int m) {
    bool changes = !lost_.empty();
    for (int sweep = 0; sweep < max_sweeps && changes; ++sweep) {
      changes = false;
      for (const int h : lost_) {
        Four sums = {};
        for (int j = 0; j < rows_; j += 4) sums += four_at(row(h) + j) * four_at(column_.data() + j);
        const double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]) + root_[h] * root_factor_[m];
        const double before = std::exchange(column_[h], sum / total_[h]);
        changes |= column_[h] - before > 1e-13 * column_[h];
      }
    }
    return !changes;
  }

  TREEWRIGHT_ALWAYS_INLINE void write(int nodes, double *marginals) {
    write_row(root_.data(), root_factor_.data(), marginals);
    for (int h = 0; h < words_; ++h)
      write_row(weight_.data() + std::size_t(place(h)) * width_, row(place(h)), marginals + std::size_t(h + 1) * nodes);
  }

  TREEWRIGHT_ALWAYS_INLINE void write_row(const double *weights, const double *differences, double *to) {
    to[0] = 0;
    int m = 0;  // 0 is added so that no marginal is -0
    for (; m + 4 <= words_; m += 4) four_at(to + 1 + m) = four_at(weights + m) * four_at(differences + m) + 0.0;
    for (; m < words_; ++m) to[1 + m] = weights[m] * differences[m] + 0.0;
    std::swap(to[1 + stays_], to[words_]);
  }

  // Below the first, sums and their inverses are so far apart that underflow might matter; the second leaves a difference
  // 12 digits. Not tuned.
  static constexpr double min_pivot = 1e-9, min_difference = 1e-3;
  static constexpr int max_sweeps = 20;  // not tuned
  static constexpr int max_block = 16;

  int words_ = 0, rows_ = 0, width_ = 0, stays_ = 0;  // rows_ and width_: padded by zeros
  double log_partition_ = 0;
  RelativeScores scores_;
  std::vector<double> weight_, root_;                   // [h, m] and [m]
  std::vector<double> matrix_;                          // w of the comment above, column n for the root
  std::vector<double> diagonal_, root_factor_, least_;  // [m]
  std::vector<double> differences_, total_, column_;    // to restore differences: [h, m], [h], [h]
  std::vector<int> lost_;
};

#else

class TreeInverse {
 public:
  Sums run(const double *, int, bool, double *, double *) { return Sums::out_of_range; }
  double mean_steps() const { return 0; }
};

#endif

}  // namespace treewright
