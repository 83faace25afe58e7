// Software prefetching for tables of weights that are larger than the cache: the cells of one part are prefetched while
// those of the part before are used. The results do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

// A hint that an address will be read soon.
inline void prefetch(const void *place) {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#else
  (void)place;
#endif
}

// Indices of cells. Its memory is kept, and what is appended is not initialised.
class CellIndices {
 public:
  void clear() { size_ = 0; }
  // The place of `count` more indices, to be written at once.
  std::uint32_t *append(std::size_t count) {
    const std::size_t begin = size_;
    size_ += count;
    if (size_ > memory_.size()) memory_.resize(2 * size_);
    return memory_.data() + begin;
  }
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t i) const { return memory_[i]; }
  const std::uint32_t *begin() const { return memory_.data(); }
  const std::uint32_t *end() const { return memory_.data() + size_; }

 private:
  std::vector<std::uint32_t> memory_;
  std::size_t size_ = 0;
};

// The cells of a part: pairs that differ by `near`, and single ones.
struct Cells {
  CellIndices pairs, singles;
  std::uint32_t near = 0;

  void clear() { pairs.clear(), singles.clear(); }
};

// Lists the cells of a part and prefetches them.
template <typename Cell>
struct CellList {
  const Cell *data;
  Cells &cells;
  void operator()(std::uint32_t i) {
    *cells.singles.append(1) = i;
    prefetch(data + i);
  }
  // Many at a time: index(0), index(1), ...
  template <typename Index>
  void singles(int count, Index index) {
    list(cells.singles, count, index);
  }
  template <typename Index>
  void pairs(int count, std::uint32_t near, Index index) {
    cells.near = near;  // small, so that both cells are on one cache line
    list(cells.pairs, count, index);
  }

 private:
  template <typename Index>
  void list(CellIndices &list, int count, Index index) {
    std::uint32_t *place = list.append(count);
    for (int t = 0; t < count; ++t) place[t] = index(t);
    for (int t = 0; t < count; ++t) prefetch(data + place[t]);
  }
};

// Calls work(task, cells) for each part in order, a few parts later than its cells were prefetched.
template <typename Cell, typename Task, typename Work>
class PrefetchQueue {
 public:
  PrefetchQueue(const Cell *data, Work work) : data_(data), work_(work) {}

  template <typename Visit>
  void add(Task task, Visit visit) {
    if (waiting_ == length) work_on_first();
    Entry &last = entries_[(first_ + waiting_++) % length];
    last.task = task, last.cells.clear();
    visit(CellList<Cell>{data_, last.cells});
  }
  void finish() {
    while (waiting_) work_on_first();
  }

 private:
  static constexpr unsigned length = 4;  // parts that wait: few, so that their cells stay in the first cache
  struct Entry {
    Task task{};
    Cells cells;
  };

  void work_on_first() {
    work_(entries_[first_].task, entries_[first_].cells);
    first_ = (first_ + 1) % length, --waiting_;
  }

  const Cell *data_;
  Work work_;
  Entry entries_[length];
  unsigned first_ = 0, waiting_ = 0;
};

}  // namespace treewright
