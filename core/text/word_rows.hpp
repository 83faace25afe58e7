// The words of a text as the tagger reads them (WordTable), each with hashed atoms and candidate labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/tagger.hpp"

namespace treewright {

class WordRows {
 public:
  WordRows(int width, int labels) : width_(width), labels_(labels) { clear(); }

  // Removes all words; the rows of the padding remain.
  void clear() {
    const int padding = 2 * Atoms::reach;
    atoms_.clear(), pool_.clear(), relations_.clear(), own_scores_.clear();
    begin_.assign(padding + 1, 0);
    for (std::uint32_t i = 0; i < std::uint32_t(padding * width_); ++i) atoms_.push_back(mixed(i + 1));
  }

  int size() const { return int(begin_.size()) - 1; }
  int labels() const { return labels_; }  // every candidate is below this number
  WordTable table() const { return {atoms_.data(), begin_.data(), pool_.data(), relations_.data(), width_, related}; }

  // Keeps the scores that do not depend on the words around, of one model and its weights.
  void keep_scores(const void *model, const std::int8_t *weights) {
    scoring_model_ = model, scoring_weights_ = weights;
    own_scores_.clear();
  }
  // Null if they are not kept for this model and these weights.
  OwnScores *own_scores(const void *model, const std::int8_t *weights) {
    return model == scoring_model_ && weights == scoring_weights_ ? &own_scores_ : nullptr;
  }

  const std::int32_t *first(int row) const { return pool_.data() + begin_[row]; }
  const std::int32_t *last(int row) const { return pool_.data() + begin_[row + 1]; }

 protected:
  static constexpr int related = 2;                   // features of a candidate, besides those of its word
  static constexpr std::uint32_t not_guessed = 31;    // the bucket of labels that no suffix suggests
  static constexpr std::uint32_t rarest_bucket = 30;  // that of probabilities up to 2^-30

  // Adds a candidate to the word that is not closed yet.
  void add_candidate(int label, std::uint32_t evidence, std::uint32_t guess) {
    pool_.push_back(label);
    relations_.push_back(mixed(evidence + 0x5bd1e995U));
    relations_.push_back(mixed(guess + 0x1b873593U));
  }
  bool is_candidate(int label) const {
    return std::find(pool_.begin() + begin_.back(), pool_.end(), label) != pool_.end();
  }
  bool has_candidates() const { return std::size_t(begin_.back()) < pool_.size(); }

  // Ends the word and returns its row.
  int close(const std::vector<std::uint32_t> &atoms) {
    atoms_.insert(atoms_.end(), atoms.begin(), atoms.end());
    begin_.push_back(std::int32_t(pool_.size()));
    return size() - 1;
  }

  static std::uint32_t probability_bucket(double p) {
    return std::uint32_t(std::min(double(rarest_bucket), -std::log2(p)));
  }

 private:
  int width_, labels_;
  std::vector<std::uint32_t> atoms_, relations_;
  std::vector<std::int32_t> begin_, pool_;
  OwnScores own_scores_;
  const void *scoring_model_ = nullptr;
  const std::int8_t *scoring_weights_ = nullptr;
};

}  // namespace treewright
