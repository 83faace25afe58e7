// AdaGrad: stochastic gradient ascent with a learning rate for each weight (Duchi, Hazan & Singer 2011), and the
// average of all intermediate weights (Polyak & Juditsky 1992).
//
//   square += gradient^2;  change = rate * gradient / sqrt(square + epsilon);  weight += change
//   average after T steps = weight - total / T,  where total = sum of  step * change          (time stamps)
//
// The gradient of a step is summed first, so that a feature of several parts counts once. A large epsilon makes rare
// features learn slowly: close to plain gradient ascent, and better on held-out text than a small one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prefetch.hpp"

namespace treewright {

struct Memory {  // the state of a weight between steps
  float square, total;
};

class Learner {
 public:
  // Weights and gradient in arrays of their own, which scoring reads faster; the gradient is zero between steps.
  Learner(float *weights, float *gradient, Memory *memory, float adagrad_epsilon)
      : Learner(weights, gradient, 1, &memory->square, &memory->total, 2, adagrad_epsilon) {}
  // Interleaved cells: weight, square, gradient, total.
  Learner(float *cells, float adagrad_epsilon)
      : Learner(cells, cells + 2, 4, cells + 1, cells + 3, 4, adagrad_epsilon) {}

  const float *weights() const { return weights_; }
  const float *gradient() const { return gradient_; }

  void add(std::uint32_t index, float gradient) {
    float &sum = gradient_[std::size_t(index) * stride_];
    if (sum == 0) touched_.push_back(index);
    sum += gradient;
  }

  // Ends step number `step`, counted from 1.
  void step(double step, float rate) {
    change_all(step, [this, rate](float gradient, float &square) {
      square += gradient * gradient;
      return rate * gradient / std::sqrt(square + adagrad_epsilon_);
    });
  }

  // Ends a step in which every weight moves by `size` times its gradient: perceptron, MIRA, passive-aggressive.
  void move(double step, float size) {
    change_all(step, [size](float gradient, float &) { return size * gradient; });
  }

  // The mean over `steps` steps and the weights before the first.
  void average(std::size_t count, double steps, float *means) const {
    const float divisor = float(steps + 1);
    for (std::size_t i = 0; i < count; ++i) means[i] = weights_[i * stride_] - total_[i * memory_stride_] / divisor;
  }

  // The squared length of the gradient added so far.
  double squared_length() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    double sum = 0;
    for (const std::uint32_t index : touched_) {
      const double gradient = gradient_[std::size_t(index) * stride_];
      sum += gradient * gradient;
    }
    return sum;
  }

 private:
  template <typename Change>
  void change_all(double step, Change change_of) {
    constexpr std::size_t ahead = 32;  // rows, not tuned; it changes the speed only
    for (std::size_t k = 0; k < touched_.size(); ++k) {
      if (k + ahead < touched_.size()) prefetch_all(touched_[k + ahead]);
      const std::size_t at = std::size_t(touched_[k]) * stride_, in_memory = std::size_t(touched_[k]) * memory_stride_;
      const float gradient = gradient_[at];
      if (gradient == 0) continue;  // listed twice, or its terms cancelled out
      const float change = change_of(gradient, square_[in_memory]);
      weights_[at] += change;
      total_[in_memory] += float(step * change);
      gradient_[at] = 0;
    }
    touched_.clear();
  }

  void prefetch_all(std::size_t index) const {
    prefetch(weights_ + index * stride_);
    prefetch(gradient_ + index * stride_);
    prefetch(square_ + index * memory_stride_);
  }

  Learner(float *weights, float *gradient, int stride, float *square, float *total, int memory_stride,
          float adagrad_epsilon)
      : weights_(weights),
        gradient_(gradient),
        square_(square),
        total_(total),
        stride_(stride),
        memory_stride_(memory_stride),
        adagrad_epsilon_(adagrad_epsilon) {}

  float *weights_, *gradient_, *square_, *total_;
  int stride_, memory_stride_;
  float adagrad_epsilon_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace treewright
