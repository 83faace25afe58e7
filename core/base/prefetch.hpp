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

// The cells of a part: pairs that differ by `near`, and single ones.
struct Cells {
  std::vector<std::uint32_t> pairs, singles;
  std::uint32_t near = 0;

  void clear() { pairs.clear(), singles.clear(); }
};

// Lists the cells of a part and prefetches them.
template <typename Cell>
struct CellList {
  const Cell *data;
  Cells &cells;
  void operator()(std::uint32_t i) {
    cells.singles.push_back(i);
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
  void list(std::vector<std::uint32_t> &list, int count, Index index) {
    const std::size_t begin = list.size();
    list.resize(begin + count);
    std::uint32_t *place = list.data() + begin;
    for (int t = 0; t < count; ++t) place[t] = index(t);
    for (int t = 0; t < count; ++t) prefetch(data + place[t]);
  }
};

// Calls work(task, cells) for each part, one part later than its cells were prefetched.
template <typename Cell, typename Task, typename Work>
class PrefetchQueue {
 public:
  PrefetchQueue(const Cell *data, Work work) : data_(data), work_(work) {}

  template <typename Visit>
  void add(Task task, Visit visit) {
    Cells &cells = cells_[turn_];
    cells.clear();
    visit(CellList<Cell>{data_, cells});
    finish();
    task_ = task, waiting_ = true, turn_ = !turn_;
  }
  void finish() {
    if (waiting_) work_(task_, cells_[!turn_]);
    waiting_ = false;
  }

 private:
  const Cell *data_;
  Work work_;
  Cells cells_[2];
  Task task_{};
  bool turn_ = false, waiting_ = false;
};

}  // namespace treewright
