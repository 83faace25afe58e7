// Random numbers that are the same everywhere for the same seed: xoshiro256++ (Blackman & Vigna 2021), its state filled
// by splitmix64.
#pragma once

#include <algorithm>
#include <cstdint>

namespace treewright {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t &word : state_) {
      std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0], shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // In [0, 1), all 53 bits of it.
  double uniform() { return double(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

  std::uint64_t state_[4];
};

// The place of the first running total above a random share of the last one. Totals must not all be zero.
inline int draw_by_totals(Random &random, const double *totals, int count) {
  const double share = random.uniform() * totals[count - 1];
  const int place = int(std::upper_bound(totals, totals + count, share) - totals);
  if (place < count) return place;
  return int(std::lower_bound(totals, totals + count, totals[count - 1]) - totals);  // rounding: the last with weight
}

}  // namespace treewright
