// Word classes by the likelihood of a class bigram model (Brown et al. 1992), found by exchange (Kneser & Ney 1993;
// Martin, Liermann & Ney 1998), and a binary tree over the classes by greedy merging (Brown et al. 1992).
//
//   value = sum over classes g, h of f(n(g, h)) - 2 sum over g of f(n(g)) + sum over words w of f(n(w)),  f(n) = n log
//   n
//
// which is the log likelihood of the text: of each class given the class before it, and of each word given its class.
//
// Exchange: at the start each of the most frequent words has a class of its own and all others share the last one. Each
// word in turn moves to the class with the largest value. A row of n(g, h) is looked at for every class next to the
// word, so that a sweep over V words and K classes costs O(K * bigrams).
//
// Merging: the pair of classes whose union loses least of the value is merged until one class is left. The change of
// the value is a sum over the neighbours h of both classes,
//
//   sum over h of t(n(i, h), n(j, h)) + t(n(h, i), n(h, j)),   t(a, b) = f(a + b) - f(a) - f(b),
//
// and of terms of i and j alone. A merge changes the terms of two neighbours, so that all changes are updated in
// O(K^2): O(K^3) time and O(K^2) memory in all. t(a, 0) = 0: most terms are skipped.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace treewright {

// f(n) = n log n; small n from a table.
class NLogN {
 public:
  explicit NLogN(std::int64_t largest)
      : table_(std::size_t(std::min<std::int64_t>(largest + 1, std::int64_t(1) << 16))) {
    for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = of(double(n));
  }
  double operator()(std::int64_t n) const {
    return n < std::int64_t(table_.size()) ? table_[std::size_t(n)] : of(double(n));
  }

 private:
  static double of(double n) { return n > 1 ? n * std::log(n) : 0.0; }
  std::vector<double> table_;
};

// A bigram of two units (words), and how often it occurs.
struct Bigram {
  std::int32_t first, second, count;
};

struct ClassCount {
  std::int32_t place, count;
};

// A merge of class `second` into class `first`.
struct ClassMerge {
  std::int32_t first, second;
};

class WordClasses {
 public:
  // Units are numbered by falling frequency; the last one is the boundary of a sentence, which has a class of its own,
  // the last one too. Bigrams: each pair once; the sum of their counts is below 2^31. class_of: the classes of the
  // units, or empty for those at the start.
  WordClasses(int units, int classes, const std::vector<Bigram> &bigrams, std::vector<std::int32_t> class_of)
      : classes_(classes), width_(classes + 1), class_of_(std::move(class_of)), f_(total_of(bigrams)) {
    if (class_of_.empty()) {
      for (int unit = 0; unit < units; ++unit) class_of_.push_back(std::min(unit, classes - 1));
      class_of_.back() = classes;
    }
    count_bigrams(units, bigrams);
    count_classes(bigrams);
  }

  const std::vector<std::int32_t> &class_of() const { return class_of_; }

  double value() const {
    double sum = 0.0;
    for (std::int32_t count : rows_) sum += f_(count);
    for (std::int64_t total : totals_) sum -= 2 * f_(total);
    for (std::int64_t count : counts_) sum += f_(count);
    return sum;
  }

  // Moves the units from `begin` to `end` to their best classes; returns how many moved.
  int sweep(int begin, int end) {
    int moved = 0;
    for (int unit = begin; unit < end; ++unit) moved += move(unit);
    return moved;
  }

  // The merges that make one class of all, the cheapest first. Does not change the classes.
  std::vector<ClassMerge> merges() const;

 private:
  static std::int64_t total_of(const std::vector<Bigram> &bigrams) {
    std::int64_t total = 0;
    for (const Bigram &bigram : bigrams) total += bigram.count;
    return total;
  }

  void count_bigrams(int units, const std::vector<Bigram> &bigrams) {
    twice_.assign(std::size_t(units), 0);
    counts_.assign(std::size_t(units), 0);
    begins_[0].assign(std::size_t(units) + 1, 0);
    begins_[1].assign(std::size_t(units) + 1, 0);
    for (const Bigram &bigram : bigrams) {
      counts_[bigram.second] += bigram.count;
      if (bigram.first == bigram.second)
        twice_[bigram.first] += bigram.count;
      else
        ++begins_[0][bigram.second + 1], ++begins_[1][bigram.first + 1];
    }
    for (int side = 0; side < 2; ++side) {
      for (int unit = 0; unit < units; ++unit) begins_[side][unit + 1] += begins_[side][unit];
      neighbours_[side].resize(begins_[side].back());
    }
    std::vector<std::size_t> next[2] = {begins_[0], begins_[1]};
    for (const Bigram &bigram : bigrams) {
      if (bigram.first == bigram.second) continue;
      neighbours_[0][next[0][bigram.second]++] = {bigram.first, bigram.count};
      neighbours_[1][next[1][bigram.first]++] = {bigram.second, bigram.count};
    }
  }

  void count_classes(const std::vector<Bigram> &bigrams) {
    rows_.assign(std::size_t(width_) * width_, 0);
    columns_ = rows_;
    totals_.assign(width_, 0);
    for (const Bigram &bigram : bigrams) add(class_of_[bigram.first], class_of_[bigram.second], bigram.count);
    for (std::size_t unit = 0; unit < counts_.size(); ++unit) totals_[class_of_[unit]] += counts_[unit];
    for (auto &counts : class_counts_) counts.assign(width_, 0);
    gains_.assign(classes_, 0.0);
  }

  void add(int g, int h, std::int32_t count) {
    rows_[std::size_t(g) * width_ + h] += count;
    columns_[std::size_t(h) * width_ + g] += count;
  }

  // The classes before (side 0) or after (side 1) a unit, with counts.
  void gather(int unit, int side) {
    for (const ClassCount &entry : places_[side]) class_counts_[side][entry.place] = 0;
    places_[side].clear();
    for (std::size_t k = begins_[side][unit]; k < begins_[side][unit + 1]; ++k) {
      std::int32_t &count = class_counts_[side][class_of_[neighbours_[side][k].place]];
      if (count == 0) places_[side].push_back({class_of_[neighbours_[side][k].place], 0});
      count += neighbours_[side][k].count;
    }
    for (ClassCount &entry : places_[side]) entry.count = class_counts_[side][entry.place];
  }

  // Removes a unit from a class (sign -1) or adds it (sign 1).
  void shift(int unit, int place, int sign) {
    for (const ClassCount &entry : places_[0]) add(entry.place, place, sign * entry.count);
    for (const ClassCount &entry : places_[1]) add(place, entry.place, sign * entry.count);
    add(place, place, sign * twice_[unit]);
    totals_[place] += sign * counts_[unit];
  }

  bool move(int unit) {
    gather(unit, 0);
    gather(unit, 1);
    const int own = class_of_[unit];
    shift(unit, own, -1);
    find_gains(unit);
    int best = 0;
    for (int g = 1; g < classes_; ++g)
      if (gains_[g] > gains_[best]) best = g;
    constexpr double tolerance = 1e-9;  // a unit stays where another class is no better but for rounding
    if (gains_[best] <= gains_[own] + tolerance) best = own;
    shift(unit, best, 1);
    class_of_[unit] = best;
    return best != own;
  }

  // The gain of the value with the unit in each class, but for a constant.
  void find_gains(int unit) {
    std::fill(gains_.begin(), gains_.end(), 0.0);
    for (const ClassCount &entry : places_[0]) add_gains(&rows_[std::size_t(entry.place) * width_], entry.count);
    for (const ClassCount &entry : places_[1]) add_gains(&columns_[std::size_t(entry.place) * width_], entry.count);
    for (int g = 0; g < classes_; ++g) {
      const std::int64_t own = rows_[std::size_t(g) * width_ + g], left = class_counts_[0][g],
                         right = class_counts_[1][g];
      // The bigram of a class with itself changes by both neighbours, and by the unit following itself.
      if (left || right || twice_[unit])
        gains_[g] += change(own, left + right + twice_[unit]) - change(own, left) - change(own, right);
      gains_[g] -= 2 * (f_(totals_[g] + counts_[unit]) - f_(totals_[g]));
    }
  }

  double change(std::int64_t before, std::int64_t count) const { return f_(before + count) - f_(before); }

  // A neighbour gives f(count) in every class but those where its bigram occurs already.
  void add_gains(const std::int32_t *cells, std::int32_t count) {
    const double alone = f_(count);
    for (int g = 0; g < classes_; ++g) gains_[g] += cells[g] == 0 ? alone : change(cells[g], count);
  }

  int classes_, width_;
  std::vector<std::int32_t> class_of_;
  NLogN f_;
  std::vector<std::int64_t> counts_, totals_;  // of units and of classes
  std::vector<std::int32_t> twice_;            // how often a unit follows itself
  std::vector<std::size_t> begins_[2];         // of the neighbours of each unit, before and after it
  std::vector<ClassCount> neighbours_[2];
  std::vector<std::int32_t> rows_, columns_;  // n(g, h) and its transpose
  std::vector<std::int32_t> class_counts_[2];
  std::vector<ClassCount> places_[2];
  std::vector<double> gains_;
};

// Greedy merging; the changes of the value by the merge of each pair are kept up to date. Merged classes are dropped
// from the list of those left.
class ClassMerging {
 public:
  ClassMerging(int classes, std::vector<std::int32_t> rows, std::vector<std::int64_t> totals, const NLogN &f)
      : classes_(classes),
        width_(classes + 1),
        rows_(rows.begin(), rows.end()),
        columns_(rows_.size()),
        totals_(std::move(totals)),
        changes_(std::size_t(classes) * classes, 0.0),
        f_(f) {
    for (int g = 0; g < width_; ++g)
      for (int h = 0; h < width_; ++h) columns_[at(h, g)] = rows_[at(g, h)];
    for (int g = 0; g < classes; ++g) left_.push_back(g);
    for (int i = 0; i < classes; ++i)
      for (int j = i + 1; j < classes; ++j) change_of(i, j) = change(i, j);
  }

  std::vector<ClassMerge> run() {
    std::vector<ClassMerge> found;
    while (left_.size() > 1) {
      found.push_back(cheapest());
      merge(found.back());
    }
    return found;
  }

 private:
  std::size_t at(int g, int h) const { return std::size_t(g) * width_ + h; }

  double term(std::int64_t a, std::int64_t b) const { return a == 0 || b == 0 ? 0.0 : f_(a + b) - f_(a) - f_(b); }

  // The terms of one neighbour of i and j.
  double terms(int h, int i, int j) const {
    return term(columns_[at(h, i)], columns_[at(h, j)]) + term(rows_[at(h, i)], rows_[at(h, j)]);
  }

  // The change of the value when i and j are merged: the terms of all other neighbours, the bigrams among i and j, and
  // the totals.
  double change(int i, int j) const {
    double sum = 0.0;
    for (int h = 0; h < width_; ++h)
      if (h != i && h != j)
        sum += term(rows_[at(i, h)], rows_[at(j, h)]) + term(columns_[at(i, h)], columns_[at(j, h)]);
    const std::int64_t ii = rows_[at(i, i)], ij = rows_[at(i, j)], ji = rows_[at(j, i)], jj = rows_[at(j, j)];
    sum += f_(ii + ij + ji + jj) - f_(ii) - f_(ij) - f_(ji) - f_(jj);
    return sum - 2 * term(totals_[i], totals_[j]);
  }

  double &change_of(int i, int j) { return changes_[std::size_t(std::min(i, j)) * classes_ + std::max(i, j)]; }

  ClassMerge cheapest() const {
    ClassMerge best{left_[0], left_[1]};
    double best_change = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < left_.size(); ++a)
      for (std::size_t b = a + 1; b < left_.size(); ++b)
        if (const double found = changes_[std::size_t(left_[a]) * classes_ + left_[b]]; found > best_change) {
          best_change = found;
          best = {left_[a], left_[b]};
        }
    return best;
  }

  void merge(ClassMerge pair) {
    const int into = pair.first, gone = pair.second;
    update_changes(into, gone, -1.0);
    for (int h = 0; h < width_; ++h) {
      rows_[at(into, h)] += rows_[at(gone, h)], rows_[at(gone, h)] = 0;
      columns_[at(into, h)] += columns_[at(gone, h)], columns_[at(gone, h)] = 0;
    }
    for (int h = 0; h < width_; ++h) {
      rows_[at(h, into)] += rows_[at(h, gone)], rows_[at(h, gone)] = 0;
      columns_[at(h, into)] += columns_[at(h, gone)], columns_[at(h, gone)] = 0;
    }
    totals_[into] += totals_[gone], totals_[gone] = 0;
    left_.erase(std::find(left_.begin(), left_.end(), gone));
    update_changes(into, gone, 1.0);
    for (int other : left_)
      if (other != into) change_of(into, other) = change(into, other);
  }

  // Adds (sign 1) or removes (sign -1) the terms of two neighbours in all pairs; pairs with these two are computed
  // anew.
  void update_changes(int first, int second, double sign) {
    for (std::size_t a = 0; a < left_.size(); ++a) {
      const int i = left_[a];
      if (i == first || i == second || (!has_any(first, i) && !has_any(second, i))) continue;
      double *row = &changes_[std::size_t(i) * classes_];
      for (std::size_t b = a + 1; b < left_.size(); ++b) {
        const int j = left_[b];
        if (j == first || j == second) continue;
        row[j] += sign * (terms(first, i, j) + terms(second, i, j));
      }
    }
  }

  bool has_any(int h, int i) const { return rows_[at(h, i)] != 0 || columns_[at(h, i)] != 0; }

  int classes_, width_;
  std::vector<std::int64_t> rows_, columns_;
  std::vector<std::int64_t> totals_;
  std::vector<double> changes_;  // of the value, for pairs i < j
  std::vector<int> left_;
  const NLogN &f_;
};

inline std::vector<ClassMerge> WordClasses::merges() const { return ClassMerging(classes_, rows_, totals_, f_).run(); }

}  // namespace treewright
