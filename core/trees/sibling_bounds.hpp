// The bounds of a tree over whole arrays of arcs, siblings and stops, as Losses and DirectDecoder compute them over
// Parts. O(n^3), along rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/checked_sum.hpp"
#include "base/scores.hpp"
#include "trees/first_order_bound.hpp"
#include "trees/losses.hpp"

namespace treewright {

class SiblingBounds {
 public:
  // sib and stop may be null. heads is the best tree by a chart that adds the scores as they are. The spread is 0 where
  // penalties may be among its losses, or where a part is forbidden, and with it the best score of a place may be that
  // of no tree: the caller then decodes over Parts.
  Bounds of(int nodes, const double *arc, const double *sib, const double *stop, bool single_root, const int *heads) {
    n_ = nodes, arc_ = arc, sib_ = sib, stop_ = stop;
    multiples_ = Multiples(), are_multiples_ = n_ <= (1 << 10), has_forbidden_ = false;
    best_arc_.assign(n_, forbidden), best_sibling_.assign(n_, sib ? forbidden : 0);
    best_stop_.assign(2 * n_, stop ? forbidden : 0);
    for (std::size_t h = 0; h < n_; ++h) find_best(h, single_root);
    losses_.clear();
    CheckedSum sum;
    for_parts_of(heads, [&](double score, double best) { sum.add(score), losses_.push_back(best - score); });
    double loss = 0, largest_loss = 0;
    for (double each : losses_) loss += each, largest_loss = std::max(largest_loss, each);
    const double size = total_size(best_arc_) + total_size(best_sibling_) + total_size(best_stop_);
    const double gap = loss == 0 || are_multiples_ ? 0 : std::min(2 * loss, second_order_rounding(nodes, size, loss));
    BestSize best_size;
    best_size.add(best_sibling_), best_size.add(best_stop_), best_size.add_arcs(best_arc_);
    const double spread = has_forbidden_ || may_have_penalty(largest_loss, best_size.value()) ? 0 : loss;
    return {sum.value(), sum.upper_bound(gap), gap, spread};
  }

 private:
  double highest(const double *scores, std::size_t count) {
    double best[4] = {forbidden, forbidden, forbidden, forbidden};  // so that no maximum waits for the one before
    bool has_forbidden = false;
    const auto see = [&](double score, int k) {
      best[k] = score > best[k] ? score : best[k];
      has_forbidden |= score == forbidden;
    };
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4)
      see(scores[k], 0), see(scores[k + 1], 1), see(scores[k + 2], 2), see(scores[k + 3], 3);
    for (; k < count; ++k) see(scores[k], 0);
    has_forbidden_ |= has_forbidden;
    for (k = 0; are_multiples_ && k < count; ++k) are_multiples_ = multiples_.has(scores[k]);
    return std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  }

  void find_best(std::size_t h, bool single_root) {
    for (std::size_t m = 1; m < n_; ++m) {
      if (m == h) continue;
      best_arc_[m] = std::max(best_arc_[m], highest(arc_ + h * n_ + m, 1));
      if (!sib_) continue;
      const std::size_t begin = h < m ? h : m + 1, end = h < m ? m : h + 1;
      const std::size_t count = h == 0 && single_root ? 1 : end - begin;
      best_sibling_[m] = std::max(best_sibling_[m], highest(sib_ + (h * n_ + m) * n_ + begin, count));
    }
    for (std::size_t s = 0; stop_ && s < n_; ++s)
      for (std::size_t side = 0; side < 2; ++side) {
        const bool belongs = s == h ? h > 0 : s > 0 && (s > h) == (side == 1);
        if (belongs)
          best_stop_[2 * h + side] = std::max(best_stop_[2 * h + side], highest(stop_ + (h * n_ + s) * 2 + side, 1));
      }
  }

  // Calls use(score, the best in its place).
  template <typename Use>
  void for_parts_of(const int *heads, Use use) {
    for (std::size_t m = 1; m < n_; ++m) use(arc_[heads[m] * n_ + m], best_arc_[m]);
    for (int h = 0; h < int(n_); ++h)
      for (int side = h > 0 ? 0 : 1; side < 2; ++side) {
        int last = h;
        for (int m = side ? h + 1 : h - 1; m > 0 && m < int(n_); m += side ? 1 : -1) {
          if (heads[m] != h) continue;
          if (sib_) use(sib_[(h * n_ + m) * n_ + last], best_sibling_[m]);
          last = m;
        }
        if (stop_) use(stop_[(h * n_ + last) * 2 + side], best_stop_[2 * h + side]);
      }
  }

  std::size_t n_ = 0;
  const double *arc_ = nullptr, *sib_ = nullptr, *stop_ = nullptr;
  Multiples multiples_;
  bool are_multiples_ = true, has_forbidden_ = false;
  std::vector<double> best_arc_, best_sibling_, best_stop_, losses_;
};

}  // namespace treewright
