// Weights that learn: stochastic gradient ascent with a rate of its own for each weight (Duchi, Hazan & Singer 2011)
// and the average of all intermediate weights (Polyak & Juditsky 1992).
//
//   square += gradient^2;  change = rate * gradient / sqrt(square + floor);  weight += change
//   average after T steps = weight - total / T,  where total = sum of  step * change          (time stamps)
//
// The gradient of a step is summed first, so that a feature of several parts counts once. A large floor makes rare
// features learn slowly: close to plain gradient ascent, and better on held-out text than a small one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ahead.hpp"

namespace treewright {

struct Memory {  // what a weight remembers; on one cache line
  float square, gradient, total;
};

class Learner {
 public:
  // Weights by themselves, which scoring reads faster.
  Learner(float *weights, Memory *memory, float floor) : Learner(weights, 1, &memory->square, 3, floor) {}
  // Each weight and its memory together, four numbers.
  Learner(float *cells, float floor) : Learner(cells, 4, cells + 1, 4, floor) {}

  const float *weights() const { return weights_; }
  const Memory *memory() const { return reinterpret_cast<const Memory *>(memory_); }

  void add(std::uint32_t index, float gradient) {
    Memory &memory = memory_of(index);
    if (memory.gradient == 0) touched_.push_back(index);
    memory.gradient += gradient;
  }

  // Ends step number `step`, counted from 1.
  void step(double step, float rate) {
    change_all(step, [this, rate](Memory &memory) {
      memory.square += memory.gradient * memory.gradient;
      return rate * memory.gradient / std::sqrt(memory.square + floor_);
    });
  }

  // Ends a step in which every weight moves by `size` times its gradient: perceptron, MIRA, passive-aggressive.
  void move(double step, float size) {
    change_all(step, [size](const Memory &memory) { return size * memory.gradient; });
  }

  // The mean over `steps` steps and the weights before the first.
  void average(std::size_t count, double steps, float *means) const {
    const float divisor = float(steps + 1);
    for (std::size_t i = 0; i < count; ++i)
      means[i] = weights_[i * weight_stride_] - memory_[i * memory_stride_ + 2] / divisor;
  }

  // Of the gradient added so far.
  double squared_length() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    double sum = 0;
    for (const std::uint32_t index : touched_) sum += double(memory_of(index).gradient) * memory_of(index).gradient;
    return sum;
  }

 private:
  template <typename Change>
  void change_all(double step, Change change_of) {
    constexpr std::size_t ahead = 16;
    for (std::size_t k = 0; k < touched_.size(); ++k) {
      const std::uint32_t index = touched_[k];
      if (k + ahead < touched_.size()) ask_for(weights_ + std::size_t(touched_[k + ahead]) * weight_stride_);
      Memory &memory = memory_of(index);
      if (memory.gradient == 0) continue;  // it came twice, or its parts cancelled out
      const float change = change_of(memory);
      weights_[std::size_t(index) * weight_stride_] += change;
      memory.total += float(step * change);
      memory.gradient = 0;
    }
    touched_.clear();
  }

  Learner(float *weights, int weight_stride, float *memory, int memory_stride, float floor)
      : weights_(weights),
        memory_(memory),
        weight_stride_(weight_stride),
        memory_stride_(memory_stride),
        floor_(floor) {}

  Memory &memory_of(std::uint32_t index) {
    return *reinterpret_cast<Memory *>(memory_ + std::size_t(index) * memory_stride_);
  }

  float *weights_, *memory_;
  int weight_stride_, memory_stride_;
  float floor_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace treewright
