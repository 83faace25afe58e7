// Sets of numbers as the bits of a word.
#pragma once

#include <cstdint>

namespace treewright {

// The place of the lowest bit of a set that is not empty.
inline int lowest_bit(std::uint64_t set) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_ctzll(set);
#else
  int bit = 0;
  while (!(set >> bit & 1)) ++bit;
  return bit;
#endif
}

}  // namespace treewright
