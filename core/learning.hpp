// Weights that learn: stochastic gradient ascent with a rate of its own for each weight (Duchi, Hazan & Singer 2011)
// and the average of all intermediate weights (Polyak & Juditsky 1992).
//
//   square += gradient^2;  change = rate * gradient / sqrt(square + floor);  weight += change
//   average after T steps = weight - total / T,  where total = sum of  step * change          (time stamps)
//
// The gradient of a step is summed first, so that a feature of several parts counts once. A large floor makes rare
// features learn slowly: close to plain gradient ascent, and better on held-out text than a small one.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

struct Cell {  // on one cache line
  float weight, square, gradient, total;
};

class Learner {
 public:
  Learner(Cell *cells, float rate, float floor) : cells_(cells), rate_(rate), floor_(floor) {}

  float weight(std::uint32_t index) const { return cells_[index].weight; }

  void add(std::uint32_t index, float gradient) {
    Cell &cell = cells_[index];
    if (cell.gradient == 0) touched_.push_back(index);
    cell.gradient += gradient;
  }

  // Ends step number `step`, counted from 1.
  void step(double step) {
    for (const std::uint32_t index : touched_) {
      Cell &cell = cells_[index];
      if (cell.gradient == 0) continue;  // it came twice, or its parts cancelled out
      cell.square += cell.gradient * cell.gradient;
      const float change = rate_ * cell.gradient / std::sqrt(cell.square + floor_);
      cell.weight += change;
      cell.total += float(step * change);
      cell.gradient = 0;
    }
    touched_.clear();
  }

  void set_rate(float rate) { rate_ = rate; }

 private:
  Cell *cells_;
  float rate_, floor_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace treewright
