// Rows of weights over positions of which only a range is in use, and all else is zero. Memory outside the ranges is
// not initialised, so that a chart of many symbols costs what is used of it.
#pragma once

#include <cstddef>
#include <vector>

namespace treewright {

template <typename Semiring>
class ExtentRows {
 public:
  struct Extent {
    int begin, end;
  };

  void resize(std::size_t rows, int length) {
    length_ = length;
    if (cells_.size() < rows * length) cells_.resize(rows * length);
    extents_.assign(rows, {0, 0});
  }

  Extent extent(std::size_t row) const { return extents_[row]; }
  const double *at(std::size_t row, int place) const { return &cells_[row * length_ + place]; }
  double *at(std::size_t row, int place) { return &cells_[row * length_ + place]; }
  double get(std::size_t row, int place) const {
    const Extent used = extents_[row];
    return place >= used.begin && place < used.end ? *at(row, place) : Semiring::zero;
  }

  // Sets a weight; the range grows to it, with zeros between.
  void set(std::size_t row, int place, double weight) {
    Extent &used = extents_[row];
    if (used.begin == used.end) used = {place, place};
    for (; used.end <= place; ++used.end) *at(row, used.end) = Semiring::zero;
    while (used.begin > place) *at(row, --used.begin) = Semiring::zero;
    *at(row, place) = weight;
  }

  // Takes the ranges of other rows; all weights are zero.
  void resize_like(const ExtentRows &others) {
    length_ = others.length_;
    if (cells_.size() < others.cells_.size()) cells_.resize(others.cells_.size());
    extents_ = others.extents_;
    for (std::size_t row = 0; row < extents_.size(); ++row)
      for (int place = extents_[row].begin; place < extents_[row].end; ++place) *at(row, place) = Semiring::zero;
  }

 private:
  int length_ = 0;
  std::vector<double> cells_;
  std::vector<Extent> extents_;
};

}  // namespace treewright
