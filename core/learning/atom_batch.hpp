// The atoms of several sentences, copied row by row from a table of words into the layout of `Atoms`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/features.hpp"

namespace treewright {

// A table with one row per word.
struct AtomColumns {
  const std::uint32_t *data;
  int width;
};

class AtomBatch {
 public:
  // Rows row[begin[s] .. begin[s + 1]) of both tables are those of sentence s with its padding.
  AtomBatch(AtomColumns atoms, AtomColumns each, const int *row, std::vector<int> begin)
      : width_(atoms.width), each_width_(each.width), begin_(std::move(begin)) {
    atoms_.reserve(std::size_t(begin_.back()) * width_);
    each_.reserve(std::size_t(begin_.back()) * each_width_);
    for (int i = 0; i < begin_.back(); ++i) {
      const std::uint32_t *word = atoms.data + std::size_t(row[i]) * width_;
      const std::uint32_t *set = each.data + std::size_t(row[i]) * each_width_;
      atoms_.insert(atoms_.end(), word, word + width_);
      each_.insert(each_.end(), set, set + each_width_);
    }
  }

  int sentences() const { return int(begin_.size()) - 1; }
  int nodes(int s) const { return begin_[s + 1] - begin_[s] - 2 * Atoms::reach; }
  Atoms at(int s) const {
    return {atoms_.data() + std::size_t(begin_[s]) * width_,
            each_.data() + std::size_t(begin_[s] + Atoms::reach) * each_width_, nodes(s), width_, each_width_};
  }

 private:
  int width_, each_width_;
  std::vector<std::uint32_t> atoms_, each_;
  std::vector<int> begin_;
};

}  // namespace treewright
