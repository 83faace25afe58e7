// When a search must end: its time limit is reached, or the caller interrupts it.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>

namespace treewright {

class Deadline {
 public:
  Deadline(double max_seconds, const std::function<bool()> &is_cancelled)
      : max_seconds_(max_seconds), is_cancelled_(is_cancelled) {}

  bool is_over() { return std::isfinite(max_seconds_) && seconds() >= max_seconds_; }

  // Calls is_cancelled, at most at every 256th call and once in a tenth of a second.
  bool interrupted() {
    if (!is_cancelled_ || ++calls_ % 256) return false;
    if (seconds() < next_) return false;
    next_ = seconds() + 0.1;
    return is_cancelled_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Clock::time_point begin_ = Clock::now();
  double max_seconds_, next_ = 0.1;
  const std::function<bool()> &is_cancelled_;
  unsigned calls_ = 0;
};

}  // namespace treewright
