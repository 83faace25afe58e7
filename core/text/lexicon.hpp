// The lexicon of a treebank: the labels of word forms and of suffixes, and the tags of lemmas.
//
// A label is a tag, or the edit script of a lemma. Lists of labels with their counts are found by hashed keys. Labels
// of a rare or unknown word are guessed from its suffixes, of growing length k (Brants 2000):
//
//   p_k(label) = (count_k(label) + p_{k-1}(label)) / (total_k + 1)
//
// In training, a rare word is described as if it were unknown (leave-one-out): `excluded` names the counts to ignore.
//
// Cost: O(length x log lists + labels) a word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/text_hash.hpp"

namespace treewright {

struct LabelCount {
  std::int32_t label, count;
};
using LabelCounts = std::vector<LabelCount>;

inline int total_of(const LabelCounts &counts) {
  int total = 0;
  for (const LabelCount &entry : counts) total += entry.count;
  return total;
}
inline int count_of(const LabelCounts &counts, int label) {
  for (const LabelCount &entry : counts)
    if (entry.label == label) return entry.count;
  return 0;
}

// Subtracts one from the count of each label for which is_excluded(label), and erases entries that reach zero.
template <typename Predicate>
void subtract(LabelCounts &counts, Predicate is_excluded) {
  for (LabelCount &entry : counts) entry.count -= is_excluded(entry.label);
  const auto is_empty = [](const LabelCount &entry) { return entry.count <= 0; };
  counts.erase(std::remove_if(counts.begin(), counts.end(), is_empty), counts.end());
}

// Labels with counts by key: those of keys[i] are labels[begin[i]] to labels[begin[i + 1] - 1]. The keys ascend.
struct LabelLists {
  const std::uint32_t *keys;
  const std::int32_t *begin;  // size + 1 entries
  const std::uint16_t *labels, *counts;
  std::size_t size;

  bool has(std::uint32_t key) const { return std::binary_search(keys, keys + size, key); }

  bool find(std::uint32_t key, LabelCounts &found) const {
    found.clear();
    const std::uint32_t *place = std::lower_bound(keys, keys + size, key);
    if (place == keys + size || *place != key) return false;
    const std::size_t row = std::size_t(place - keys);
    for (std::int32_t k = begin[row]; k < begin[row + 1]; ++k) found.push_back({labels[k], counts[k]});
    return true;
  }
};

// Labels of word forms and of suffixes. Suffixes are counted in groups: by surface class for tags, by UPOS for scripts.
class Lexicon {
 public:
  static constexpr int max_suffix = 6;           // characters; not tuned, as in src/treewright/tagger/lexicon.py
  static constexpr int max_rare_count = 6;       // occurrences of a word that contributes to suffixes; as in lexicon.py
  static constexpr std::uint32_t no_suffix = 0;  // the key of the labels of all rare words

  struct Guess {
    int label;
    double probability;
  };

  Lexicon(LabelLists words, LabelLists suffixes) : words_(words), suffixes_(suffixes) {}

  static std::uint32_t suffix_key(std::uint32_t group, Text suffix) { return text_hash(suffix, group + 7); }

  // The labels of a word form; without one occurrence of `excluded` if that is not negative.
  void labels_of(std::uint32_t key, int excluded, LabelCounts &found) const {
    words_.find(key, found);
    if (excluded >= 0) subtract(found, [&](int label) { return label == excluded; });
  }

  // The labels that a word contributed to the counts of its suffixes: none unless it is rare.
  void contribution_of(std::uint32_t key, LabelCounts &found) const {
    words_.find(key, found);
    if (total_of(found) > max_rare_count) found.clear();
  }

  bool has_suffix(std::uint32_t group, Text suffix) const { return suffixes_.has(suffix_key(group, suffix)); }

  // Finds the max_guesses most probable labels given the suffixes of a word, and its longest known suffix.
  void guess(std::uint32_t group, Text lower, int max_guesses, const LabelCounts &excluded) {
    guesses_.clear();
    suffix_ = no_suffix;
    if (find_suffix(no_suffix, excluded)) interpolate();
    for (int length = 0; length <= longest_suffix(lower); ++length) {
      const std::uint32_t key = key_of(group, lower, length);
      if (!find_suffix(key, excluded)) continue;
      suffix_ = key;
      interpolate();
    }
    for (const Guess &guess : guesses_) slot_[guess.label] = 0;
    keep_best(max_guesses);
  }

  // Finds the longest known suffix alone, for a word that needs no guesses.
  void find_longest_suffix(std::uint32_t group, Text lower, const LabelCounts &excluded) {
    guesses_.clear();
    suffix_ = no_suffix;
    for (int length = longest_suffix(lower); length >= 0 && suffix_ == no_suffix; --length) {
      const std::uint32_t key = key_of(group, lower, length);
      if (find_suffix(key, excluded)) suffix_ = key;
    }
  }

  const std::vector<Guess> &guesses() const { return guesses_; }  // the most probable first
  std::uint32_t suffix() const { return suffix_; }                // the key of the longest known suffix

 private:
  // Guesses that are less probable than the best one by this factor are dropped; not tuned, it saves time only.
  static constexpr double max_ratio = 1000;

  static int longest_suffix(Text lower) { return std::min(int(lower.size()), max_suffix); }
  static std::uint32_t key_of(std::uint32_t group, Text lower, int length) {
    return suffix_key(group, lower.substr(lower.size() - std::size_t(length)));
  }

  bool find_suffix(std::uint32_t key, const LabelCounts &excluded) {
    if (!suffixes_.find(key, counts_)) return false;
    if (!excluded.empty()) subtract(counts_, [&](int label) { return count_of(excluded, label) > 0; });
    return !counts_.empty();
  }

  // From p_{k-1} to p_k, with the counts in counts_.
  void interpolate() {
    const double scale = 1.0 / (total_of(counts_) + (guesses_.empty() ? 0 : 1));
    for (Guess &guess : guesses_) guess.probability *= scale;
    for (const LabelCount &entry : counts_) guess_of(entry.label).probability += entry.count * scale;
  }

  Guess &guess_of(int label) {
    if (std::size_t(label) >= slot_.size()) slot_.resize(std::size_t(label) + 1, 0);
    if (slot_[label] == 0) {
      guesses_.push_back({label, 0.0});
      slot_[label] = int(guesses_.size());
    }
    return guesses_[slot_[label] - 1];
  }

  void keep_best(int max_guesses) {
    const std::size_t kept = std::min(guesses_.size(), std::size_t(max_guesses));
    const auto is_better = [](const Guess &x, const Guess &y) {
      return x.probability != y.probability ? x.probability > y.probability : x.label < y.label;
    };
    std::partial_sort(guesses_.begin(), guesses_.begin() + std::ptrdiff_t(kept), guesses_.end(), is_better);
    guesses_.resize(kept);
    while (!guesses_.empty() && guesses_.back().probability * max_ratio < guesses_.front().probability)
      guesses_.pop_back();
  }

  LabelLists words_, suffixes_;
  LabelCounts counts_;
  std::vector<Guess> guesses_;
  std::vector<int> slot_;  // 1 + the place of a label among the guesses, 0 if it is not among them
  std::uint32_t suffix_ = no_suffix;
};

// Lemmas in lower case with their universal tags; a count is the number of forms with that lemma and tag.
class Stems {
 public:
  explicit Stems(LabelLists lemmas) : lemmas_(lemmas) {}

  struct LemmaTag {
    std::uint32_t lemma;  // hashed
    std::int32_t tag;
  };
  using Excluded = std::vector<LemmaTag>;  // the lemmas and tags of a form that is left out

  struct Stem {
    std::uint32_t hash, tags;  // 0 if there is no stem
    std::size_t length;        // characters
  };
  enum Evidence { unknown_lemma, lemma_with_other_tag, lemma_with_same_tag };

  // The longest prefix of a word, of two characters or more, that is a lemma of other words; and the tags of that
  // lemma.
  Stem longest(Text lower, const Excluded &excluded) {
    prefixes_.assign(1, text_seed + mixed(0));
    for (const char32_t character : lower.substr(0, max_stem))
      prefixes_.push_back(hash_on(prefixes_.back(), Text(&character, 1)));
    for (std::size_t length = prefixes_.size() - 1; length > 1; --length) {
      const std::uint32_t hash = mixed(prefixes_[length]);
      if (find(hash, excluded)) return {hash, tags_hash(), length};
    }
    return {0, 0, 0};
  }

  Evidence evidence(std::uint32_t lemma, int tag, const Excluded &excluded) {
    if (!find(lemma, excluded)) return unknown_lemma;
    return count_of(counts_, tag) > 0 ? lemma_with_same_tag : lemma_with_other_tag;
  }

 private:
  static constexpr std::size_t max_stem = 24;  // characters, not tuned; bounds the time for very long words

  std::uint32_t tags_hash() const {
    std::uint32_t hash = 0;
    for (const LabelCount &entry : counts_) hash ^= mixed(std::uint32_t(entry.label) + 1);
    return hash;
  }

  bool find(std::uint32_t lemma, const Excluded &excluded) {
    if (!lemmas_.find(lemma, counts_)) return false;
    for (const LemmaTag &pair : excluded)
      if (pair.lemma == lemma) subtract(counts_, [&](int label) { return label == pair.tag; });
    return !counts_.empty();
  }

  LabelLists lemmas_;
  LabelCounts counts_;
  std::vector<std::uint32_t> prefixes_;  // unfinished hashes
};

}  // namespace treewright
