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

#include "base/aligned.hpp"
#include "base/double_vectors.hpp"
#include "base/semiring.hpp"
#include "trees/relative_scores.hpp"

namespace treewright {

#ifdef TREEWRIGHT_HAS_DOUBLE_VECTORS

class TreeInverse {
 public:
  // Sets the log partition and, unless it is null, marginals[h, m] over nodes. arc is nodes x nodes, row-major; its
  // diagonal and column 0 are not read. out_of_range: what is not set needs another algorithm.
  Sums run(const double *arc, int nodes, bool single_root, double *log_partition, double *marginals) {
#ifdef TREEWRIGHT_FOR_AVX2
    static const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx512) return run_with_avx512(arc, nodes, single_root, log_partition, marginals);
    if (has_avx2) return run_with_avx2(arc, nodes, single_root, log_partition, marginals);
#endif
    return run_here<4>(arc, nodes, single_root, log_partition, marginals);
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
  TREEWRIGHT_FOR_AVX512 Sums run_with_avx512(const double *arc, int nodes, bool single_root, double *log_partition,
                                             double *marginals) {
    return run_here<8>(arc, nodes, single_root, log_partition, marginals);
  }
  TREEWRIGHT_FOR_AVX2 Sums run_with_avx2(const double *arc, int nodes, bool single_root, double *log_partition,
                                         double *marginals) {
    return run_here<4>(arc, nodes, single_root, log_partition, marginals);
  }
#endif

  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE Sums run_here(const double *arc, int nodes, bool single_root, double *log_partition,
                                         double *marginals) {
    resize(nodes);
    copy_scores<lanes>(arc, nodes, single_root);
    if (const Sums sums = scores_.compare(arc, nodes, single_root); sums != Sums::found) return sums;
    load<lanes>(arc, single_root);
    log_partition_ = scores_.sum;
    if (!eliminate<lanes>(words_ - single_root, marginals != nullptr)) return Sums::out_of_range;
    if (single_root) log_partition_ += std::log(row(words_ - 1)[words_]);
    *log_partition = log_partition_;
    if (!marginals) return Sums::found;
    single_root ? set_factors_of_single_root() : set_factors();
    if (!subtract<lanes>() && !restore(single_root)) return Sums::out_of_range;
    write<lanes>(nodes, marginals);
    return Sums::found;
  }

  double *row(int word) { return matrix_.data() + std::size_t(word) * width_; }
  double *weights_of(int place) { return weight_.data() + std::size_t(place) * width_; }

  void resize(int nodes) {
    words_ = nodes - 1;
    rows_ = (words_ + 3) / 4 * 4, width_ = (words_ + 8) / 8 * 8;
    for (Aligned<double> *each : {&root_, &diagonal_, &root_factor_, &least_}) {
      each->reserve(width_);
      std::fill_n(each->data(), width_, 0.0);
    }
    for (Aligned<double> *each : {&weight_, &matrix_}) each->reserve(std::size_t(width_) * width_);
  }

  // Copies the scores of the arcs between words, -inf where there are none, and finds the best head of each word.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void copy_scores(const double *arc, int nodes, bool single_root) {
    using Doubles = typename Vector<lanes>::Doubles;
    using Integers = typename Vector<lanes>::Integers;
    const int n = words_, width = width_;
    const Doubles none = Doubles{} + forbidden;
    scores_.best.resize(width);
    double *const best = scores_.best.data();
    std::fill_n(best, width, forbidden);
    if (!single_root) std::copy_n(arc + 1, n, best);
    for (int h = 0; h < n; ++h) {
      const std::size_t begin = std::size_t(h + 1) * nodes + 1;
      const double *scores = arc + begin;
      double *const to = weights_of(h);
      if (begin + width > std::size_t(nodes) * nodes) {  // a whole number of vectors cannot be read there
        std::copy_n(scores, n, root_.data());
        scores = root_.data();
      }
      for (int m = 0; m < width; m += lanes) {
        const Integers place = Vector<lanes>::lane + m;
        const Doubles given = doubles_at<lanes>(scores + m), top = doubles_at<lanes>(best + m);
        const Doubles score = place == h ? none : given;
        doubles_at<lanes>(to + m) = score;
        doubles_at<lanes>(best + m) = score > top ? score : top;
      }
    }
  }

  // Words have their places in the sentence, except that the one which stays changes places with the last.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void load(const double *arc, bool single_root) {
    const int n = words_;
    stays_ = n - 1;
    if (single_root)
      for (int m = n - 1; m >= 0; --m)
        if (arc[m + 1] - scores_.best[m] == scores_.root) stays_ = m;
    std::fill_n(root_.data(), width_, forbidden);
    std::copy_n(arc + 1, n, root_.data());
    std::fill(scores_.best.begin() + n, scores_.best.end(), 0.0);
    weigh<lanes>(root_.data(), scores_.root);
    for (int h = 0; h < n; ++h) weigh<lanes>(weights_of(h), 0.0);
    if (stays_ != n - 1) std::swap_ranges(weights_of(stays_), weights_of(stays_) + width_, weights_of(n - 1));
    std::fill_n(weights_of(n), std::size_t(rows_ - n) * width_, 0.0);
    transpose_weights();
    for (int m = 0; m < rows_; ++m) {
      std::fill(row(m) + rows_, row(m) + width_, 0.0);
      row(m)[n] = root_[m];
    }
  }

  // Replaces scores by weights relative to the best head of each word.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void weigh(double *scores, double root) {
    using Doubles = typename Vector<lanes>::Doubles;
    using Integers = typename Vector<lanes>::Integers;
    const int n = words_, width = width_;
    const double *const best = scores_.best.data();
    for (int m = 0; m < width; m += lanes) {
      Doubles x = doubles_at<lanes>(scores + m) - doubles_at<lanes>(best + m) - root;
      exp_of<lanes>(x);
      const Integers place = Vector<lanes>::lane + m;
      doubles_at<lanes>(scores + m) = place < n ? x : Doubles{};
    }
    std::swap(scores[stays_], scores[words_ - 1]);
  }

  // Sets the matrix to the weights, heads of a word in its row.
  TREEWRIGHT_ALWAYS_INLINE void transpose_weights() {
    for (int h = 0; h < rows_; h += 4) {
      const double *a = weights_of(h), *b = a + width_, *c = b + width_, *d = c + width_;
      for (int m = 0; m < rows_; ++m) doubles_at<4>(row(m) + h) = Vector<4>::Doubles{a[m], b[m], c[m], d[m]};
    }
  }

  int place(int word) const { return word == stays_ ? words_ - 1 : word == words_ - 1 ? stays_ : word; }

  // The rows of a block are eliminated first, four at a time; then the block is added to four other rows at a time.
  // Without the inverse, the rows below are sufficient, and the columns that are left.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE bool eliminate(int pivots, bool with_inverse) {
    const int block = width_ <= 64 ? 4 : max_block;
    product_ = 1;
    for (int begin = 0; begin < pivots; begin += block) {
      const int end = std::min(begin + block, rows_), count = std::min(block, pivots - begin);
      for (int first = begin; first < begin + count; first += 4) {
        const int several = std::min(4, begin + count - first);
        if (!eliminate_four<lanes>(first, several, pivots)) return false;
        for (int i = begin; i < end; i += 4)
          if (i != first) add_block<lanes>(i, first, several, 0);
      }
      for (int i = with_inverse ? 0 : end; i < rows_; i += 4)
        if (i < begin || i >= end) add_block<lanes>(i, begin, count, with_inverse ? 0 : begin / 8 * 8);
    }
    log_partition_ += std::log(product_);
    return true;
  }

  // Eliminates `count` of four rows among themselves, with the sum of columns up to `last`. The pivots need only the 4 x 4
  // cells on the diagonal and the sums of the cells after these; each row is then replaced by a sum of multiples of the
  // four, all columns alike.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE bool eliminate_four(int begin, int count, int last) {
    using Doubles = typename Vector<lanes>::Doubles;
    using Bits = typename Vector<lanes>::Bits;
    const int width = width_;
    double *const rows = row(begin);
    const int after_count = std::max(0, last - begin - 3);
    double partial[4][8];  // the sums of the cells after the four columns, in eight lanes
    for (int r = 0; r < 4; ++r)
      for (int part = 0; part < 8; part += lanes) {
        Doubles sum = {};
        for (int j = (begin + 4) / 8 * 8 + part; j <= last; j += 8) {
          const Bits place = Bits(Vector<lanes>::lane + (j - begin - 4)), inside = Bits{} + std::uint64_t(after_count);
          sum += place < inside ? doubles_at<lanes>(rows + r * width + j) : Doubles{};
        }
        doubles_at<lanes>(partial[r] + part) = sum;
      }
    double cell[4][4], after[4], to[4][4];
    for (int r = 0; r < 4; ++r) {
      const double *x = partial[r];
      after[r] = ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
      for (int k = 0; k < 4; ++k) cell[r][k] = rows[r * width + begin + k];
    }
    TREEWRIGHT_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (k >= count) break;
      double sum = after[k];
      for (int j = k + 1; j < 4; ++j)
        if (begin + j <= last) sum += cell[k][j];
      if (!(sum >= min_pivot)) return false;
      product_ *= sum;
      if (!(product_ > 1e-200 && product_ < 1e200)) log_partition_ += std::log(product_), product_ = 1;
      const double factor = 1 / sum;
      for (int j = 0; j < 4; ++j) cell[k][j] *= factor;
      after[k] *= factor, cell[k][k] = factor;
      for (int i = 0; i < 4; ++i) {
        if (i == k) continue;
        const double of_k = cell[i][k];
        cell[i][k] = 0;
        for (int j = 0; j < 4; ++j) cell[i][j] += of_k * cell[k][j];
        after[i] += of_k * after[k];
      }
    }
    for (int r = 0; r < 4; ++r)
      for (int k = 0; k < 4; ++k) to[r][k] = k < count ? cell[r][k] : k == r ? 1.0 : 0.0;
    for (int j = 0; j < width; j += lanes) {
      const Doubles a = doubles_at<lanes>(rows + j), b = doubles_at<lanes>(rows + width + j);
      const Doubles c = doubles_at<lanes>(rows + 2 * width + j), d = doubles_at<lanes>(rows + 3 * width + j);
      for (int r = 0; r < 4; ++r)
        doubles_at<lanes>(rows + r * width + j) = (to[r][0] * a + to[r][1] * b) + (to[r][2] * c + to[r][3] * d);
    }
    for (int r = 0; r < 4; ++r)
      doubles_at<4>(rows + r * width + begin) = Vector<4>::Doubles{cell[r][0], cell[r][1], cell[r][2], cell[r][3]};
    return true;
  }

  // Adds the rows begin, begin + 1, ... to four rows, and sets the columns of the same numbers to what is added.
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void add_block(int i, int begin, int count, int first_column) {
    double factor[max_block][4];
    for (int k = 0; k < count; ++k)
      for (int r = 0; r < 4; ++r) factor[k][r] = row(i + r)[begin + k];
    const int width = width_;
    int j = first_column;
    for (; j + 2 * lanes <= width; j += 2 * lanes) add_columns<lanes, 2>(i, factor, begin, count, j);
    if (j < width) add_columns<lanes, 1>(i, factor, begin, count, j);
  }

  template <int lanes, int vectors>
  TREEWRIGHT_ALWAYS_INLINE void add_columns(int i, const double (*factor)[4], int begin, int count, int j) {
    using Doubles = typename Vector<lanes>::Doubles;
    using Bits = typename Vector<lanes>::Bits;
    const std::size_t width = width_;
    double *const rows = row(i) + j;
    Doubles sum[4][vectors];
    for (int r = 0; r < 4; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] = doubles_at<lanes>(rows + r * width + v * lanes);
    if (j < begin + count && j + vectors * lanes > begin)
      for (int v = 0; v < vectors; ++v) {
        const Bits place = Bits(Vector<lanes>::lane + (j + v * lanes - begin)), inside = Bits{} + std::uint64_t(count);
        for (int r = 0; r < 4; ++r) sum[r][v] = place >= inside ? sum[r][v] : Doubles{};
      }
    const double *from = row(begin) + j;
    for (int k = 0; k < count; ++k, from += width)
      for (int v = 0; v < vectors; ++v) {
        const Doubles x = doubles_at<lanes>(from + v * lanes);
        for (int r = 0; r < 4; ++r) sum[r][v] += factor[k][r] * x;
      }
    for (int r = 0; r < 4; ++r)
      for (int v = 0; v < vectors; ++v) doubles_at<lanes>(rows + r * width + v * lanes) = sum[r][v];
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
  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE bool subtract() {
    using Doubles = typename Vector<lanes>::Doubles;
    Doubles lost = {};  // weights of those that did
    for (int h = 0; h < words_; ++h) {
      double *to = row(h);
      const double *weights = weights_of(h), collected = to[words_];
      for (int m = 0; m < width_; m += lanes) {
        const Doubles factor = doubles_at<lanes>(root_factor_.data() + m);
        const Doubles difference =
            (doubles_at<lanes>(diagonal_.data() + m) - doubles_at<lanes>(to + m)) + collected * factor;
        lost += difference < doubles_at<lanes>(least_.data() + m) ? doubles_at<lanes>(weights + m) : Doubles{};
        doubles_at<lanes>(to + m) = difference;
      }
    }
    for (int lane = 0; lane < lanes; ++lane)
      if (lost[lane] > 0) return false;
    return true;
  }

  // A difference D(h, m) that lost its digits follows from those of the heads of h, by sums without a subtraction:
  //
  //   D(h, m) sum over nodes j of a(j, h)  =  sum over words j of  a(j, h) D(j, m)  +  a(0, h) root_factor(m)
  //
  // Iterated from zero (Gauss-Seidel), the lost ones of a column rise to their values, at once where no strong arcs form
  // a cycle among them. False when they do not come to rest.
  TREEWRIGHT_ALWAYS_INLINE bool restore(bool single_root) {
    std::swap(matrix_, differences_), matrix_.reserve(std::size_t(width_) * width_);
    transpose_weights();
    total_.resize(words_), column_.assign(width_, 0.0);
    for (int h = 0; h < words_; ++h) total_[h] = Real::sum(row(h), words_) + (single_root ? 0 : root_[h]);
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
        Vector<4>::Doubles sums = {};
        for (int j = 0; j < rows_; j += 4) sums += doubles_at<4>(row(h) + j) * doubles_at<4>(column_.data() + j);
        const double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]) + root_[h] * root_factor_[m];
        const double before = std::exchange(column_[h], sum / total_[h]);
        changes |= column_[h] - before > 1e-13 * column_[h];
      }
    }
    return !changes;
  }

  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void write(int nodes, double *marginals) {
    write_row<lanes>(root_.data(), root_factor_.data(), marginals);
    for (int h = 0; h < words_; ++h)
      write_row<lanes>(weights_of(place(h)), row(place(h)), marginals + std::size_t(h + 1) * nodes);
  }

  template <int lanes>
  TREEWRIGHT_ALWAYS_INLINE void write_row(const double *weights, const double *differences, double *to) {
    to[0] = 0;
    int m = 0;  // 0 is added so that no marginal is -0
    for (; m + lanes <= words_; m += lanes)
      doubles_at<lanes>(to + 1 + m) = doubles_at<lanes>(weights + m) * doubles_at<lanes>(differences + m) + 0.0;
    if (m < words_ && m > 0) {
      m = words_ - lanes;
      doubles_at<lanes>(to + 1 + m) = doubles_at<lanes>(weights + m) * doubles_at<lanes>(differences + m) + 0.0;
    } else {
      for (; m < words_; ++m) to[1 + m] = weights[m] * differences[m] + 0.0;
    }
    std::swap(to[1 + stays_], to[words_]);
  }

  // Below the first, sums and their inverses are so far apart that underflow might matter; the second leaves a difference
  // 12 digits. Not tuned.
  static constexpr double min_pivot = 1e-9, min_difference = 1e-3;
  static constexpr int max_sweeps = 20;  // not tuned
  static constexpr int max_block = 16;

  int words_ = 0, rows_ = 0, width_ = 0, stays_ = 0;  // rows_ and width_: padded by zeros
  double log_partition_ = 0, product_ = 1;            // product_: of the sums that log_partition_ has not
  RelativeScores scores_;
  Aligned<double> weight_, root_;                   // [h, m] and [m]
  Aligned<double> matrix_;                          // w of the comment above, column n for the root
  Aligned<double> diagonal_, root_factor_, least_;  // [m]
  Aligned<double> differences_;                     // to restore differences: [h, m]
  std::vector<double> total_, column_;              // to restore differences: [h]
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
