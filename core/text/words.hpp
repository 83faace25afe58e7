// What is known of a word from its letters and from a treebank: hashed atoms, candidate labels, and how each candidate
// is related to the word.
//
// A label is a tag, or the edit script of a lemma. Lists of labels with their counts are found by hashed keys. Labels
// for a word that was not seen often come from rare words that end alike, by endings of growing length k (Brants 2000):
//
//   p_k(label) = (count_k(label) + p_{k-1}(label)) / (total_k + 1)
//
// While learning, a rare word is described as if it (its type, where endings and stems are concerned) had not been
// counted: what the model learns of it is then what holds for words never seen.
//
// Cost: O(length x log lists + candidates) a word, once for each word that occurs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "learning/features.hpp"
#include "text/tagger.hpp"

namespace treewright {

using Text = std::u32string_view;

constexpr std::uint32_t text_seed = 0x811c9dc5U;

inline std::uint32_t hash_on(std::uint32_t hash, Text text) {  // FNV-1a, a character at a time
  for (const char32_t letter : text) hash = (hash ^ std::uint32_t(letter)) * 0x01000193U;
  return hash;
}
inline std::uint32_t text_hash(Text text, std::uint32_t group = 0) {
  return mixed(hash_on(text_seed + mixed(group), text));
}

struct Count {
  std::int32_t label, count;
};
using Counts = std::vector<Count>;

inline int total_of(const Counts &counts) {
  int total = 0;
  for (const Count &entry : counts) total += entry.count;
  return total;
}
inline int count_of(const Counts &counts, int label) {
  for (const Count &entry : counts)
    if (entry.label == label) return entry.count;
  return 0;
}

// Takes one from the counts that are meant, and those away that nothing is left of.
template <typename Meant>
void without(Counts &counts, Meant meant) {
  for (Count &entry : counts) entry.count -= meant(entry);
  counts.erase(std::remove_if(counts.begin(), counts.end(), [](const Count &entry) { return entry.count <= 0; }),
               counts.end());
}

// Labels with counts by key; the keys are sorted.
struct Listing {
  const std::uint32_t *keys;
  const std::int32_t *begin;  // one more than there are keys
  const std::uint16_t *labels, *counts;
  std::size_t size;

  bool find(std::uint32_t key, Counts &found) const {
    found.clear();
    const std::uint32_t *place = std::lower_bound(keys, keys + size, key);
    if (place == keys + size || *place != key) return false;
    const std::size_t row = std::size_t(place - keys);
    for (std::int32_t k = begin[row]; k < begin[row + 1]; ++k) found.push_back({labels[k], counts[k]});
    return true;
  }
};

// The letters of a word: its kinds are A (capital), a (other letter), 0 (digit), - (hyphen) or anything else.
struct Letters {
  Text form, lower, kinds;

  std::uint32_t end(std::size_t length) const {
    return length <= lower.size() ? text_hash(lower.substr(lower.size() - length)) : text_hash(lower, 1);
  }
  std::uint32_t start(std::size_t length) const {
    return length <= lower.size() ? text_hash(lower.substr(0, length)) : text_hash(lower, 2);
  }

  // At most five runs of one kind.
  std::uint32_t shape() const {
    std::uint32_t hash = text_seed;
    char32_t last = 0;
    int runs = 0;
    for (const char32_t kind : kinds) {
      if (kind == last) continue;
      if (++runs > 5) break;
      hash = hash_on(hash, Text(&kind, 1)), last = kind;
    }
    return mixed(hash);
  }

  // Capitals, digits and hyphens, and whether there are letters at all.
  std::uint32_t kind() const {
    int letters = 0, capitals = 0, digits = 0, hyphens = 0;
    for (const char32_t kind : kinds) {
      letters += kind == U'A' || kind == U'a', capitals += kind == U'A';
      digits += kind == U'0', hyphens += kind == U'-';
    }
    const bool first = !kinds.empty() && kinds.front() == U'A';
    const std::uint32_t cased = letters == 0                                  ? 0
                                : first && capitals == letters && letters > 1 ? 3
                                : first                                       ? 2
                                : capitals > 0                                ? 4
                                                                              : 1;
    return 1 + cased + 5 * (digits > 0) + 10 * (letters > 0 && hyphens > 0);
  }
};

// Labels of words and of endings.
class Lexicon {
 public:
  static constexpr int longest = 6;    // letters of an ending
  static constexpr int rare = 6;       // occurrences up to which a word's endings say something about words never seen
  static constexpr double far = 1000;  // guesses so many times less probable than the best are left out

  Lexicon(Listing words, Listing endings) : words_(words), endings_(endings) {}

  static std::uint32_t ending_key(std::uint32_t group, Text ending) { return text_hash(ending, group + 7); }
  static constexpr std::uint32_t all_words = 0;  // the key of what is no ending of any group

  // What a word was seen with; without one occurrence of left_out where that is not negative.
  void seen(std::uint32_t key, int left_out, Counts &found) const {
    words_.find(key, found);
    if (left_out >= 0) without(found, [&](const Count &entry) { return entry.label == left_out; });
  }

  // What the endings must not count: the labels of a rare word, itself.
  void own(std::uint32_t key, Counts &found) const {
    words_.find(key, found);
    if (total_of(found) > rare) found.clear();
  }

  // At most `most` labels by endings, the most probable first, and the longest ending that other words have.
  void guess(std::uint32_t group, Text form, int most, const Counts &own) {
    guesses_.clear(), ending_ = all_words;
    for (int length = -1; length <= std::min(int(form.size()), longest); ++length) {
      const std::uint32_t key = length < 0 ? all_words : key_of(group, form, length);
      if (!find_ending(key, own)) break;
      if (length >= 0) ending_ = key;
      mix(total_of(counts_));
    }
    for (const auto &[label, p] : guesses_) slot_[label] = 0;
    const std::size_t kept = std::min(guesses_.size(), std::size_t(most));
    std::partial_sort(
        guesses_.begin(), guesses_.begin() + std::ptrdiff_t(kept), guesses_.end(),
        [](const auto &x, const auto &y) { return x.second != y.second ? x.second > y.second : x.first < y.first; });
    guesses_.resize(kept);
    while (!guesses_.empty() && guesses_.back().second * far < guesses_.front().second) guesses_.pop_back();
  }

  // The ending alone.
  void guess_nothing(std::uint32_t group, Text form, const Counts &own) {
    guesses_.clear(), ending_ = all_words;
    for (int length = std::min(int(form.size()), longest); length >= 0 && ending_ == all_words; --length)
      if (find_ending(key_of(group, form, length), own)) ending_ = key_of(group, form, length);
  }

  const std::vector<std::pair<int, double>> &guesses() const { return guesses_; }
  std::uint32_t ending() const { return ending_; }

 private:
  static std::uint32_t key_of(std::uint32_t group, Text form, int length) {
    return ending_key(group, form.substr(form.size() - std::size_t(length)));
  }

  bool find_ending(std::uint32_t key, const Counts &own) {
    if (!endings_.find(key, counts_)) return false;
    if (!own.empty()) without(counts_, [&](const Count &entry) { return count_of(own, entry.label) > 0; });
    return !counts_.empty();
  }

  void mix(int total) {
    const double scale = 1.0 / (total + (guesses_.empty() ? 0 : 1));
    for (auto &[label, p] : guesses_) p *= scale;
    for (const Count &entry : counts_) {
      if (std::size_t(entry.label) >= slot_.size()) slot_.resize(std::size_t(entry.label) + 1, 0);
      int &slot = slot_[entry.label];
      if (slot == 0) guesses_.push_back({entry.label, 0.0}), slot = int(guesses_.size());
      guesses_[slot - 1].second += entry.count * scale;
    }
  }

  Listing words_, endings_;
  Counts counts_;
  std::vector<std::pair<int, double>> guesses_;
  std::vector<int> slot_;  // one more than the place of a label among the guesses, 0 if it is none
  std::uint32_t ending_ = 0;
};

// Lemmas in lower case, with the universal tags they were seen with: how many forms of each.
class Stems {
 public:
  explicit Stems(Listing lemmas) : lemmas_(lemmas) {}

  struct Own {  // a lemma and tag of the word that is left out
    std::uint32_t lemma;
    std::int32_t tag;
  };
  struct Stem {
    std::uint32_t hash, classes;
    std::size_t length;  // letters; 0 where there is none
  };

  // The longest beginning of a word that is a lemma of other words, and which tags those have.
  Stem longest(Text lower, const std::vector<Own> &own) {
    prefixes_.assign(1, text_seed + mixed(0));
    for (const char32_t letter : lower.substr(0, longest_stem))
      prefixes_.push_back(hash_on(prefixes_.back(), Text(&letter, 1)));
    for (std::size_t length = prefixes_.size() - 1; length > 1; --length) {
      const std::uint32_t hash = mixed(prefixes_[length]);
      if (!find(hash, own)) continue;
      std::uint32_t classes = 0;
      for (const Count &entry : counts_) classes ^= mixed(std::uint32_t(entry.label) + 1);
      return {hash, classes, length};
    }
    return {0, 0, 0};
  }

  // 0: no such lemma; 1: with another tag; 2: with this one.
  int known(std::uint32_t lemma, int tag, const std::vector<Own> &own) {
    if (!find(lemma, own)) return 0;
    return count_of(counts_, tag) > 0 ? 2 : 1;
  }

 private:
  static constexpr std::size_t longest_stem = 24;

  bool find(std::uint32_t lemma, const std::vector<Own> &own) {
    if (!lemmas_.find(lemma, counts_)) return false;
    for (const Own &pair : own)
      if (pair.lemma == lemma) without(counts_, [&](const Count &entry) { return entry.label == pair.tag; });
    return !counts_.empty();
  }

  Listing lemmas_;
  Counts counts_;
  std::vector<std::uint32_t> prefixes_;
};

// The rows of words as the tagger reads them; the padding comes first.
class WordRows {
 public:
  explicit WordRows(int width) : width_(width) { clear(); }

  void clear() {
    atoms_.clear(), pool_.clear(), relations_.clear();
    begin_.assign(2 * Atoms::reach + 1, 0);
    for (std::uint32_t i = 0; i < std::uint32_t(2 * Atoms::reach * width_); ++i) atoms_.push_back(mixed(i + 1));
  }

  int size() const { return int(begin_.size()) - 1; }
  WordTable table() const { return {atoms_.data(), begin_.data(), pool_.data(), relations_.data(), width_, related}; }
  const std::int32_t *first(int row) const { return pool_.data() + begin_[row]; }
  const std::int32_t *last(int row) const { return pool_.data() + begin_[row + 1]; }

 protected:
  static constexpr int related = 2;

  void candidate(int label, std::uint32_t one, std::uint32_t two) {
    pool_.push_back(label);
    relations_.push_back(mixed(one + 0x5bd1e995U)), relations_.push_back(mixed(two + 0x1b873593U));
  }
  bool is_candidate(int label) const {
    return std::find(pool_.begin() + begin_.back(), pool_.end(), label) != pool_.end();
  }
  int close(const std::vector<std::uint32_t> &atoms) {
    atoms_.insert(atoms_.end(), atoms.begin(), atoms.end());
    begin_.push_back(std::int32_t(pool_.size()));
    return size() - 1;
  }
  bool has_candidates() const { return std::size_t(begin_.back()) < pool_.size(); }

  // Powers of two.
  static std::uint32_t unlikeliness(double p) { return std::uint32_t(std::min(30.0, -std::log2(p))); }

 private:
  int width_;
  std::vector<std::uint32_t> atoms_, relations_;
  std::vector<std::int32_t> begin_, pool_;
};

// Words and their tags.
class TagWords : public WordRows {
 public:
  struct Settings {
    int sure, most;
  };

  // atoms: form lower end1..7 start1..4 shape kind class ending stem stem_class rest
  static constexpr int width = 20;

  // first_of: the number of each tag's value in the first column.
  TagWords(Lexicon lexicon, Stems stems, std::vector<std::int32_t> first_of, Settings settings)
      : WordRows(width), lexicon_(lexicon), stems_(stems), first_of_(std::move(first_of)), set_(settings) {}

  // The row of a word. left_out: the tag of the occurrence that must not count while learning, or -1.
  int add(const Letters &word, int left_out, const std::vector<Stems::Own> &own_stems) {
    const std::uint32_t key = text_hash(word.form), kind = word.kind();
    lexicon_.seen(key, left_out, seen_);
    own_.clear(), low_.clear();
    if (left_out >= 0) lexicon_.own(key, own_);
    if (word.lower != word.form) lexicon_.seen(text_hash(word.lower), -1, low_);
    if (total_of(seen_) < set_.sure)
      lexicon_.guess(kind, word.lower, set_.most, own_);
    else
      lexicon_.guess_nothing(kind, word.lower, own_);
    list_candidates(left_out);
    const Stems::Stem stem = stems_.longest(word.lower, own_stems);
    const bool is_known = !seen_.empty(), is_known_lower = is_known || !low_.empty();
    atoms_.assign({is_known ? key : 0, is_known_lower ? text_hash(word.lower) : 0});
    for (std::size_t length = 1; length <= 7; ++length) atoms_.push_back(word.end(length));
    for (std::size_t length = 1; length <= 4; ++length) atoms_.push_back(word.start(length));
    atoms_.insert(atoms_.end(), {word.shape(), kind, class_of(), lexicon_.ending(), stem.hash, stem.classes});
    atoms_.push_back(stem.length ? text_hash(word.lower.substr(stem.length), 3) : word.end(3));
    return close(atoms_);
  }

 private:
  void list_candidates(int left_out) {
    const int total = total_of(seen_);
    const bool is_sure = total >= set_.sure;
    for (const Count &entry : seen_) list(entry.label, total);
    if (!is_sure) {
      for (const Count &entry : low_) list(entry.label, total);
      for (const auto &[label, p] : lexicon_.guesses()) list(label, total);
    }
    if (left_out >= 0) list(left_out, total);
  }

  void list(int label, int total) {
    if (is_candidate(label)) return;
    const std::uint32_t times = total == 0 ? 0 : total == 1 ? 1 : total < 4 ? 2 : total < 8 ? 3 : 4;
    const int count = count_of(seen_, label), low = count_of(low_, label), low_total = total_of(low_);
    const std::uint32_t share = count == 0           ? 0
                                : count == total     ? 1
                                : 2 * count >= total ? 2
                                : 10 * count > total ? 3
                                                     : 4;
    const std::uint32_t in_lower = low_total == 0 ? 0 : 2 * low > low_total ? 1 : low > 0 ? 2 : 3;
    std::uint32_t guessed = 31;
    for (const auto &[other, p] : lexicon_.guesses())
      if (other == label) guessed = unlikeliness(p);
    candidate(label, (share * 8 + times) * 4 + in_lower, guessed * 8 + times);
  }

  // The first column's values that the word may have; of a new word the one that its ending makes most probable.
  std::uint32_t class_of() {
    values_.clear();
    if (!seen_.empty()) {
      std::uint32_t hash = 1;
      for (const Count &entry : seen_) {
        const int value = first_of_[entry.label];
        if (std::find_if(values_.begin(), values_.end(), [&](const auto &x) { return x.first == value; }) !=
            values_.end())
          continue;
        values_.push_back({value, 0}), hash ^= mixed(std::uint32_t(value) + 101);
      }
      return hash;
    }
    for (const auto &[label, p] : lexicon_.guesses()) {
      const int value = first_of_[label];
      const auto known = std::find_if(values_.begin(), values_.end(), [&](const auto &x) { return x.first == value; });
      if (known == values_.end())
        values_.push_back({value, p});
      else
        known->second += p;
    }
    const auto best = std::max_element(values_.begin(), values_.end(),
                                       [](const auto &x, const auto &y) { return x.second < y.second; });
    return best == values_.end() ? 0 : mixed(std::uint32_t(best->first) + 1009);
  }

  Lexicon lexicon_;
  Stems stems_;
  std::vector<std::int32_t> first_of_;
  Settings set_;
  Counts seen_, low_, own_;
  std::vector<std::pair<int, double>> values_;
  std::vector<std::uint32_t> atoms_;
};

// How a lemma is made: letters dropped and put at either end, or the lemma itself.
struct EditScript {
  bool is_whole;
  std::size_t drop_start, drop_end;
  std::u32string start, end;  // in lower case

  // The hash of the lemma in lower case; false if the form is too short.
  bool apply(Text lower, std::uint32_t &hash) const {
    if (is_whole) return hash = text_hash(start), !start.empty();
    if (drop_start + drop_end > lower.size()) return false;
    const Text kept = lower.substr(drop_start, lower.size() - drop_start - drop_end);
    hash = mixed(hash_on(hash_on(hash_on(text_seed + mixed(0), start), kept), end));
    return start.size() + kept.size() + end.size() > 0;
  }
};

// Words with their tags, and their edit scripts.
class LemmaWords : public WordRows {
 public:
  static constexpr int most = 20;

  // atoms: end1..6 start1..3 shape kind upos feats whole
  static constexpr int width = 14;

  LemmaWords(Lexicon lexicon, Stems stems, std::vector<EditScript> scripts)
      : WordRows(width), lexicon_(lexicon), stems_(stems), scripts_(std::move(scripts)) {}

  struct Tagged {
    Letters word;
    std::uint32_t upos, feats;  // hashed
    std::int32_t tag;           // the number of the universal tag among the stems'

    std::uint32_t key() const { return text_hash(word.form, mixed(upos) ^ feats); }
  };

  // The script that a word with this tag was seen with most often, or -1.
  int seen(const Tagged &given) {
    lexicon_.seen(given.key(), -1, own_);
    return own_.empty() ? -1 : own_.front().label;
  }

  // The row of a word, -1 if no script fits it. gold: the script to learn, the word being left out, or -1.
  int add(const Tagged &given, int gold, const std::vector<Stems::Own> &own_stems) {
    const Letters &word = given.word;
    own_.clear();
    if (gold >= 0) lexicon_.own(given.key(), own_);
    lexicon_.guess(given.upos, word.lower, most, own_);
    for (const auto &[label, p] : lexicon_.guesses()) list(given, label, unlikeliness(p), own_stems);
    if (gold >= 0 && !is_candidate(gold)) candidate(gold, 3, 31);
    if (!has_candidates()) return -1;
    atoms_.clear();
    for (std::size_t length = 1; length <= 6; ++length) atoms_.push_back(word.end(length));
    for (std::size_t length = 1; length <= 3; ++length) atoms_.push_back(word.start(length));
    atoms_.insert(atoms_.end(), {word.shape(), word.kind(), given.upos, given.feats, text_hash(word.lower)});
    return close(atoms_);
  }

 private:
  void list(const Tagged &given, int label, std::uint32_t guessed, const std::vector<Stems::Own> &own_stems) {
    std::uint32_t lemma;
    if (scripts_[label].apply(given.word.lower, lemma))
      candidate(label, std::uint32_t(stems_.known(lemma, given.tag, own_stems)), guessed);
  }

  Lexicon lexicon_;
  Stems stems_;
  std::vector<EditScript> scripts_;
  Counts own_;
  std::vector<std::uint32_t> atoms_;
};

}  // namespace treewright
