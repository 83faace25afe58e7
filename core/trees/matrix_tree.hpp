// Sums over all trees that grow out of node 0: log partition and arc marginals.
//
// These are the sums that the matrix-tree theorem computes as a determinant and its inverse (Tutte 1984; Koo et al.
// 2007; Smith & Smith 2007; McDonald & Satta 2007), here without a subtraction. With weights a(h, m) = exp(arc(h, m)),
// eliminating a word k leaves the sum over trees of the other nodes unchanged up to the factor s(k):
//
//   s(k)     = sum over heads h of  a(h, k)                      over the nodes that are left, and 0
//   a(h, m) += a(h, k) a(k, m) / s(k)                            m is attached to h through k
//   Z        = product of all s(k)
//
// This is elimination on the Laplacian with every diagonal entry taken as the sum that it represents, never as a
// difference (Grassmann, Taksar & Heyman 1985): as exact for scores that are hundreds apart as for small ones. The
// inverse of the determinant loses all digits when the best heads of two words are each other.
//
// Marginals: walk from h to its head, drawn by weight, to that one's head, and so on. Q(h) is the probability to
// reach 0 before m, and
//
//   marginal(h, m) = a(h, m) Q(h) / sum over h' of a(h', m) Q(h')             Q(0) = 1, Q(m) = 0
//   Q(k)           = sum over the nodes h left when k was eliminated  of  a(h, k) / s(k) Q(h)
//
// The column of m needs all other words eliminated. Eliminating one half of the words and then, for each word of the
// other half, the rest in the same way, and so on, shares the work: O(n^3) in all, about as much as to invert a matrix.
//
// Single root: as the weights of the root's arcs go to zero together, trees with one of them outweigh the rest. Root
// weights are therefore held as multiples of an infinitesimal; their order is 1, that of all other weights 0, and
// terms of higher order are dropped. A word whose only head left is 0 makes the order of Z grow by one and
// passes the arcs from 0 on to its modifiers with order 0. Z has order 1 when there is a tree with one root child.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/add_four.hpp"
#include "base/semiring.hpp"
#include "base/wide_log.hpp"
#include "trees/relative_scores.hpp"
#include "trees/tree_inverse.hpp"

namespace treewright {

template <typename Semiring>
class TreeElimination {
 public:
  using Weight = typename Semiring::Weight;

  // Sets the log partition and, unless it is null, marginals[h, m] over nodes. arc is nodes x nodes, row-major; its
  // diagonal and column 0 are not read.
  Sums run(const double *arc, int nodes, bool single_root, double *log_partition, double *marginals) {
    single_root_ = single_root;
    words_ = nodes - 1;
    order_ = 0, has_dropped_zero_ = false;
    if (const Sums loaded = load(arc, nodes); loaded != Sums::found) return loaded;
    const Sums sums = marginals ? all_columns(marginals, nodes) : sum_alone();
    *log_partition = Semiring::is_wide ? Semiring::log(product_) : log_partition_;
    return sums == Sums::found && has_dropped_zero_ && !outweighs_losses() ? nothing : sums;
  }

  // The probability of each head of one word, in multi-root mode; O(n^3) with a smaller constant than all marginals.
  Sums run_for(const double *arc, int nodes, int word, double *probabilities) {
    single_root_ = false;
    words_ = nodes - 1;
    if (const Sums loaded = load(arc, nodes); loaded != Sums::found) return loaded;
    const Sums sums = eliminate(open(0, word % words_, words_ - 1), false);  // which leaves the word, the last in line
    if (sums != Sums::found) return sums;
    leave_alone(1, word - 1);
    reach_zero(levels_[0]);
    return column(word - 1, probabilities, 1);
  }

  // After a run with marginals in multi-root mode: the steps that Wilson's walks take to draw a tree, on average.
  double mean_steps() const { return mean_steps_; }

  // After a run, when there is a tree and weights are wide: that of the distribution over trees.
  double entropy() const { return std::max(0.0, product_.entropy); }

 private:
  // Among logarithms a sum is zero only when it has no term; a plain one may also have been too small.
  static constexpr bool zero_is_none = !Semiring::is_bounded;
  static constexpr Sums nothing = zero_is_none ? Sums::no_tree : Sums::out_of_range;

  // Words in the order in which they go, the first `gone` of them eliminated. Row k holds the weights of k's heads,
  // then the probabilities of a step to them.
  struct Level {
    int size, gone;
    std::vector<int> word;
    std::vector<Weight> cells, root;
    std::vector<char> order;                // of root
    char lowest;                            // order of the root's arcs to the words that are gone, and above
    std::vector<double> error, root_error;  // what a cell of the row and its root may have lost to underflow
    double step_error, root_step_error;     // the same of all steps, in sum
    Weight *row(int k) { return cells.data() + std::size_t(k) * size; }
    int left() const { return size - gone; }
  };

  // What the steps from a word to other words, and to 0, may have lost to underflow.
  struct StepErrors {
    double word = 0, root = 0;
  };

  // Weights are relative to the best head of each word, so that they lie in 0 .. 1, but for wide ones.
  Sums load(const double *arc, int nodes) {
    const int n = words_;
    log_partition_ = mean_steps_ = 0, product_ = Semiring::one;
    weight_.resize(std::size_t(n) * n), root_.resize(n);
    lowest_.resize(n), step_error_.resize(n), root_step_error_.resize(n);
    for (int order = 0; order <= single_root_; ++order) reach_[order].resize(std::size_t(n) * n);
    scores_.best.assign(n, 0.0), scores_.root = 0;
    if constexpr (!Semiring::is_wide) {
      const Sums sums = scores_.find(arc, nodes, single_root_);
      if (sums == Sums::no_tree || (sums == Sums::out_of_range && Semiring::is_bounded)) return sums;
      log_partition_ = scores_.sum;
    }
    for (int m = 0; m < n; ++m) root_[m] = Semiring::of_log(arc[m + 1] - scores_.best[m] - scores_.root);
    for (int h = 0; h < n; ++h) {
      const double *row = arc + std::size_t(h + 1) * nodes + 1;
      for (int m = 0; m < n; ++m)
        weight_[std::size_t(m) * n + h] = m == h ? Semiring::zero : Semiring::of_log(row[m] - scores_.best[m]);
    }
    return Sums::found;
  }

  void multiply(const Weight &sum) {
    if constexpr (Semiring::is_wide)
      product_ = Semiring::times(product_, sum);
    else
      log_partition_ += Semiring::log(sum);
  }

  int left_above(int depth) const { return depth ? levels_[depth - 1].left() : words_; }

  // Copies the words that the level above has left, in the order begin, begin + 1, ..., 0, 1, ...; `gone` will go.
  Level &open(int depth, int begin, int gone) {
    const int size = left_above(depth);
    if (int(levels_.size()) <= depth) levels_.resize(depth + 1);
    Level &level = levels_[depth];
    level.size = size, level.gone = gone;
    level.word.resize(size), level.root.resize(size), level.order.resize(size);
    level.error.resize(size), level.root_error.resize(size);
    level.step_error = level.root_step_error = 0;
    level.lowest = depth ? levels_[depth - 1].lowest : single_root_;
    if (level.cells.size() < std::size_t(size) * size) level.cells.resize(std::size_t(size) * size);
    for (int k = 0; k < size; ++k) {
      const int from = k + begin < size ? k + begin : k + begin - size;
      const Weight *row;
      if (depth) {
        Level &above = levels_[depth - 1];
        level.word[k] = above.word[above.gone + from];
        level.root[k] = above.root[above.gone + from];
        level.order[k] = above.order[above.gone + from];
        level.error[k] = above.error[above.gone + from];
        level.root_error[k] = above.root_error[above.gone + from];
        row = above.row(above.gone + from) + above.gone;
      } else {
        level.word[k] = from, level.root[k] = root_[from], level.order[k] = single_root_;
        level.error[k] = level.root_error[k] = underflow;
        row = weight_.data() + std::size_t(from) * size;
      }
      std::copy(row + begin, row + size, level.row(k));
      std::copy(row, row + begin, level.row(k) + size - begin);
    }
    return level;
  }

  // Words go in blocks of four: a row below a block is read and written once for all of its words, not once a word.
  // Every cell receives the same terms in the same order as without blocks.
  Sums eliminate(Level &level, bool count) {
    for (int begin = 0; begin < level.gone; begin += block) {
      const int end = std::min(begin + block, level.gone);
      for (int k = begin; k < end; ++k) {
        if (!normalise(level, k, count, steps_[k - begin])) return nothing;
        for (int m = k + 1; m < end; ++m) attach_through(level, m, k, steps_[k - begin]);
      }
      for (int m = end; m < level.size; ++m) {
        if constexpr (std::is_same_v<Semiring, Real>)
          if (end - begin == block) {
            attach_through_four(level, m, begin);
            continue;
          }
        for (int k = begin; k < end; ++k) attach_through(level, m, k, steps_[k - begin]);
      }
    }
    return Sums::found;
  }

  // Divides the weights of k's heads by their sum. False when that is zero, or may have lost too much to underflow:
  // weights below 1e-308 are lost in Real. That matters only when the weights with which they are compared have become
  // as small, because the larger weights form cycles.
  bool normalise(Level &level, int k, bool count, StepErrors &lost) {
    const int left = level.size - k - 1;
    Weight *row = level.row(k) + k + 1;
    const Weight words = Semiring::sum(row, left);
    const bool only_root = level.order[k] == 1 && words == Semiring::zero;
    const Weight sum = only_root ? level.root[k] : level.order[k] == 1 ? words : Semiring::plus(words, level.root[k]);
    if (sum == Semiring::zero) return false;
    if constexpr (!zero_is_none) {
      lost = {level.error[k] / sum, level.root_error[k] / sum};
      level.step_error += lost.word, level.root_step_error += lost.root;
      if (!(lost.word < tolerance)) return false;
    }
    if (count) multiply(sum), order_ += only_root;
    if (only_root) level.order[k] = level.lowest = 0, has_dropped_zero_ = !zero_is_none;
    Semiring::scale(row, sum, left);
    level.root[k] = Semiring::over(level.root[k], sum);
    return true;
  }

  // Attaches m to the heads of k, of which `lost` may be missing.
  static void attach_through(Level &level, int m, int k, const StepErrors &lost) {
    const Weight of_k = level.row(m)[k];
    if (of_k == Semiring::zero) return;
    Semiring::add_scaled(level.row(m) + k + 1, of_k, level.row(k) + k + 1, level.size - k - 1);
    attach_to_root(level, m, k, lost);
  }

  static void attach_to_root(Level &level, int m, int k, const StepErrors &lost) {
    const Weight of_k = level.row(m)[k];
    if constexpr (!zero_is_none) level.error[m] += of_k * lost.word, level.root_error[m] += of_k * lost.root;
    add_root(level, m, Semiring::times(of_k, level.root[k]), level.order[k]);
  }

  void attach_through_four(Level &level, int m, int begin) {
    double *to = level.row(m) + begin;
    const double *a = level.row(begin) + begin, *b = a + level.size, *c = b + level.size, *d = c + level.size;
    to[1] += to[0] * a[1];
    to[2] = to[2] + to[0] * a[2] + to[1] * b[2];
    to[3] = to[3] + to[0] * a[3] + to[1] * b[3] + to[2] * c[3];
    add_four(to + 4, to, a + 4, b + 4, c + 4, d + 4, level.size - begin - 4);
    for (int k = 0; k < block; ++k) attach_to_root(level, m, begin + k, steps_[k]);
  }

  // A zero was taken to mean that there is no such arc, though its weight may have been lost. No graph in which every
  // word has one head weighs more than the product of all words' sums over heads; each loss is below 1e-308 of that,
  // and there are at most n^3: true when the trees found outweigh them all.
  bool outweighs_losses() const {
    double most = scores_.sum + std::log(double(words_));
    for (int m = 0; m < words_; ++m)
      most += Semiring::log(Semiring::plus(Semiring::sum(weight_.data() + std::size_t(m) * words_, words_), root_[m]));
    return log_partition_ > most - 600;
  }

  static void add_root(Level &level, int m, const Weight &weight, char order) {
    if (weight == Semiring::zero || order > level.order[m]) return;
    level.root[m] = order < level.order[m] ? weight : Semiring::plus(level.root[m], weight);
    level.order[m] = order;
  }

  // The last word left is attached to 0.
  Sums close(const Level &level) {
    const int last = level.size - 1;
    if (level.root[last] == Semiring::zero) return nothing;
    if constexpr (!zero_is_none)
      if (level.root_error[last] > tolerance * level.root[last]) return nothing;
    multiply(level.root[last]);
    return single_root_ && order_ + level.order[last] != 1 ? nothing : Sums::found;
  }

  Sums sum_alone() {
    Level &level = open(0, 0, words_ - 1);
    const Sums sums = eliminate(level, true);
    return sums == Sums::found ? close(level) : sums;
  }

  Sums all_columns(double *marginals, int nodes) {
    std::fill_n(marginals, std::size_t(nodes) * nodes, 0.0);
    closed_ = false;
    Sums sums = descend(0);
    for (int m = 0; m < words_ && sums == Sums::found; ++m) sums = column(m, marginals + m + 1, nodes);
    return sums;
  }

  // Until one word is left. The depth is the binary logarithm of the number of words.
  Sums descend(int depth) {
    const int size = left_above(depth);
    if (size == 1) {
      const Level &level = depth ? levels_[depth - 1] : open(0, 0, 0);
      if (!closed_) {
        const Sums sums = close(level);
        if (sums != Sums::found) return sums;
        closed_ = true;
      }
      leave_alone(depth, level.word[level.size - 1]);
      return Sums::found;
    }
    const int half = size / 2;
    for (const int begin : {0, half}) {
      Sums sums = eliminate(open(depth, begin, begin ? size - half : half), !closed_);
      if (sums == Sums::found) sums = descend(depth + 1);
      if (sums != Sums::found) return sums;
      reach_zero(levels_[depth]);
    }
    return Sums::found;
  }

  // All words but m are eliminated in the levels above the depth.
  void leave_alone(int depth, int m) {
    lowest_[m] = depth ? levels_[depth - 1].lowest : 0;
    step_error_[m] = root_step_error_[m] = 0;
    for (int d = 0; d < depth; ++d)
      step_error_[m] += levels_[d].step_error, root_step_error_[m] += levels_[d].root_step_error;
    for (int order = 0; order <= single_root_; ++order) reach(order, m)[m] = Semiring::zero;
  }

  // Q of a word, by the word m that is left: with steps to 0 of the given order only.
  Weight *reach(int order, int word) { return reach_[order].data() + std::size_t(word) * words_; }

  // Computes Q of the words that a level eliminates from that of the words it leaves, with each of the latter as m: all
  // columns at once, so that the work is a product of matrices.
  void reach_zero(Level &level) {
    const int first = *std::min_element(level.word.begin() + level.gone, level.word.end()), columns = level.left();
    const char lowest = *std::min_element(lowest_.begin() + first, lowest_.begin() + first + columns);
    for (char order = lowest; order <= single_root_; ++order)
      for (int k = level.gone - 1; k >= 0; --k) {
        Weight *to = reach(order, level.word[k]) + first;
        std::fill_n(to, columns, level.order[k] == order ? level.root[k] : Semiring::zero);
        const Weight *step = level.row(k);
        const auto from = [&](int h) { return reach(order, level.word[h]) + first; };
        int h = k + 1;
        if constexpr (std::is_same_v<Semiring, Real>)
          for (; h + 4 <= level.size; h += 4)
            add_four(to, step + h, from(h), from(h + 1), from(h + 2), from(h + 3), columns);
        for (; h < level.size; ++h) Semiring::add_scaled(to, step[h], from(h), columns);
      }
  }

  // Writes the probabilities of m's heads 0, 1, ..., `stride` apart.
  Sums column(int m, double *probabilities, std::size_t stride) {
    const Weight *weight = weight_.data() + std::size_t(m) * words_;
    Weight root = Semiring::zero, total = Semiring::zero;
    reached_.resize(words_);
    // The lowest order at which 0 is reached: the root's own arc has order 1 in single-root mode.
    for (char order = lowest_[m]; order <= single_root_ && total == Semiring::zero; ++order) {
      for (int h = 0; h < words_; ++h) reached_[h] = reach(order, h)[m];
      root = order == single_root_ ? root_[m] : Semiring::zero;
      total = Semiring::plus(Semiring::dot(weight, reached_.data(), words_), root);
    }
    if (total == Semiring::zero || !is_exact(m, total)) return nothing;
    probabilities[0] = Semiring::value(Semiring::over(root, total));
    for (int h = 0; h < words_; ++h)
      probabilities[(h + 1) * stride] = Semiring::value(Semiring::over(Semiring::times(weight[h], reached_[h]), total));
    mean_steps_ += Semiring::value(Semiring::over(Semiring::plus(Semiring::sum(weight, words_), root_[m]), total));
    return Sums::found;
  }

  bool is_exact(int m, const Weight &total) const {
    if constexpr (zero_is_none) {
      return true;
    } else {
      const double largest = single_root_ ? *std::max_element(reached_.begin(), reached_.end()) : 1;
      const double error = underflow + step_error_[m] * largest + root_step_error_[m];
      return error * words_ < tolerance * total;
    }
  }

  // A bound above the smallest normal double (2.2e-308), and a relative error far below that of a double; not tuned.
  static constexpr double underflow = 1e-300, tolerance = 1e-20;

  static constexpr int block = 4;  // words eliminated together, as attach_through_four has it

  bool single_root_ = false, closed_ = false, has_dropped_zero_ = false;
  int words_ = 0, order_ = 0;  // order_: of the product of sums so far
  double log_partition_ = 0, mean_steps_ = 0;
  Weight product_ = Semiring::one;     // of all sums, where weights are wide, instead of log_partition_
  std::vector<Weight> weight_, root_;  // [m, h] and [m]
  RelativeScores scores_;
  std::vector<Weight> reach_[2];                      // Q by order, word and the word m that is left
  std::vector<Weight> reached_;                       // Q of one m
  std::vector<char> lowest_;                          // of each m: the order of the root's arcs to other words
  std::vector<double> step_error_, root_step_error_;  // of each m: what the steps of other words may have lost, in sum
  std::vector<Level> levels_;
  StepErrors steps_[block];  // of the words of a block
};

class MatrixTree {
 public:
  // The log partition, -inf when there is no tree.
  double log_partition(const double *arc, int nodes, bool single_root) { return run(arc, nodes, single_root, nullptr); }

  // The log partition, and marginals[h, m] over nodes: each word's column sums to one; column 0 and the diagonal are
  // zero, and so is everything when there is no tree.
  double marginals(const double *arc, int nodes, bool single_root, double *marginals) {
    const double log_partition = run(arc, nodes, single_root, marginals);
    if (log_partition == forbidden) std::fill_n(marginals, std::size_t(nodes) * nodes, 0.0);
    return log_partition;
  }

  // The probability of each of the word's heads, with one or several root children allowed. There must be a tree.
  void head_probabilities(const double *arc, int nodes, int word, double *probabilities) {
    if (real_.run_for(arc, nodes, word, probabilities) != Sums::out_of_range) return;
    if (is_wide(arc, std::size_t(nodes) * nodes))
      wide_.run_for(arc, nodes, word, probabilities);
    else
      log_.run_for(arc, nodes, word, probabilities);
  }

  // The entropy of the distribution over trees, for scores of any size; -inf when there is no tree.
  double entropy(const double *arc, int nodes, bool single_root) {
    double log_partition;
    const Sums sums = wide_.run(arc, nodes, single_root, &log_partition, nullptr);
    return sums == Sums::found ? wide_.entropy() : forbidden;
  }

  // After marginals in multi-root mode: the steps that Wilson's walks take to draw a tree, on average.
  double mean_steps() const { return mean_steps_; }

 private:
  double run(const double *arc, int nodes, bool single_root, double *marginals) {
    double log_partition = forbidden, found = forbidden;
    Sums sums = run_with(inverse_, arc, nodes, single_root, &found, marginals);
    if (sums == Sums::out_of_range) sums = run_with(real_, arc, nodes, single_root, &log_partition, marginals);
    if (sums == Sums::out_of_range)
      sums = is_wide(arc, std::size_t(nodes) * nodes)
                 ? run_with(wide_, arc, nodes, single_root, &log_partition, marginals)
                 : run_with(log_, arc, nodes, single_root, &log_partition, marginals);
    if (sums != Sums::found) return forbidden;
    return found == forbidden ? log_partition : found;  // the same with and without marginals
  }

  template <typename Kernel>
  Sums run_with(Kernel &kernel, const double *arc, int nodes, bool single_root, double *log_partition,
                double *marginals) {
    const Sums sums = kernel.run(arc, nodes, single_root, log_partition, marginals);
    mean_steps_ = single_root || !marginals ? 0 : kernel.mean_steps();
    return sums;
  }

  double mean_steps_ = 0;
  TreeInverse inverse_;
  TreeElimination<Real> real_;
  TreeElimination<LogSum> log_;
  TreeElimination<WideLog> wide_;
};

}  // namespace treewright
