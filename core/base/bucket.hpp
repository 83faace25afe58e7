// Numbers in buckets, as features use them.
#pragma once

#include <initializer_list>

namespace treewright {

// How many of the ascending bounds a value reaches: bucket(7, {1, 5, 10}) is 2.
constexpr int bucket(int value, std::initializer_list<int> bounds) {
  int reached = 0;
  for (const int bound : bounds) reached += value >= bound;
  return reached;
}

static_assert(bucket(0, {1, 5, 10}) == 0 && bucket(1, {1, 5, 10}) == 1 && bucket(10, {1, 5, 10}) == 3);

}  // namespace treewright
