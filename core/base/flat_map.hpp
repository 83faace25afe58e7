// A hash map with open addressing and 128-bit keys; clearing takes constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treewright {

template <typename Value>
class FlatMap {
 public:
  struct Key {
    std::uint64_t first, second;
  };

  FlatMap() : cells_(1 << 10) {}

  void clear() { ++generation_, used_ = 0; }

  // The value of a key, default-constructed if it is new; and whether it is new. Valid until the next call.
  std::pair<Value *, bool> emplace(Key key) {
    if (2 * (used_ + 1) > cells_.size()) grow();
    Cell &cell = cells_[place(key)];
    if (cell.generation == generation_) return {&cell.value, false};
    cell = {key, generation_, Value()};
    ++used_;
    return {&cell.value, true};
  }

 private:
  struct Cell {
    Key key{};
    std::uint32_t generation = 0;
    Value value{};
  };

  static std::size_t hash(Key key) {
    std::uint64_t h = (key.first ^ (key.second * 0x9E3779B97F4A7C15ull)) * 0xBF58476D1CE4E5B9ull;
    return h ^ (h >> 32);
  }
  std::size_t place(Key key) const {
    std::size_t at = hash(key) & (cells_.size() - 1);
    while (cells_[at].generation == generation_ &&
           (cells_[at].key.first != key.first || cells_[at].key.second != key.second))
      at = (at + 1) & (cells_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Cell> old(2 * cells_.size());
    old.swap(cells_);
    for (const Cell &cell : old)
      if (cell.generation == generation_) cells_[place(cell.key)] = cell;
  }

  std::vector<Cell> cells_;
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace treewright
