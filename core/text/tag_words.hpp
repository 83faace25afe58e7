// Words with their candidate tags, described for the tagger once for each form that occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bucket.hpp"
#include "text/lexicon.hpp"
#include "text/spelling.hpp"
#include "text/word_rows.hpp"

namespace treewright {

class TagWords : public WordRows {
 public:
  struct Settings {
    int min_known_count;  // a form seen so often has the tags it was seen with and no others
    int max_guesses;      // tags that suffixes suggest for other forms
  };

  // Atoms, in this order: form lower suffix1..7 prefix1..4 shape surface ambiguity suffix stem stem_tags after_stem
  static constexpr int width = 20;

  // first_of: for each tag the number of its value in the first column (UPOS).
  TagWords(Lexicon lexicon, Stems stems, std::vector<std::int32_t> first_of, Settings settings)
      : WordRows(width, int(first_of.size())),
        lexicon_(std::move(lexicon)),
        stems_(std::move(stems)),
        first_of_(std::move(first_of)),
        settings_(settings) {}

  // Returns the row of a new word. In training, `gold` is the tag of the occurrence to leave out; otherwise -1.
  int add(const Spelling &word, int gold, const Stems::Excluded &excluded_stems) {
    look_up(word, gold);
    list_candidates(gold);
    list_atoms(word, stems_.longest(word.lower, excluded_stems));
    return close(atoms_);
  }

 private:
  static constexpr std::size_t suffixes = 7, prefixes = 4;

  // How a tag is distributed over the occurrences of the form.
  enum Share : std::uint32_t { never, always, half_or_more, over_a_tenth, a_tenth_or_less };
  // How a tag is distributed over the occurrences of the form in lower case.
  enum LowerShare : std::uint32_t { no_lower_form, more_than_half, half_or_less, never_in_lower };

  void look_up(const Spelling &word, int gold) {
    const std::uint32_t key = text_hash(word.form), surface = word.surface_class();
    lexicon_.labels_of(key, gold, seen_);
    seen_total_ = total_of(seen_);
    excluded_.clear(), seen_lower_.clear();
    if (gold >= 0) lexicon_.contribution_of(key, excluded_);
    if (word.lower != word.form) lexicon_.labels_of(text_hash(word.lower), -1, seen_lower_);
    if (needs_guesses())
      lexicon_.guess(surface, word.lower, settings_.max_guesses, excluded_);
    else
      lexicon_.find_longest_suffix(surface, word.lower, excluded_);
  }
  bool needs_guesses() const { return seen_total_ < settings_.min_known_count; }

  void list_candidates(int gold) {
    for (const LabelCount &entry : seen_) list(entry.label);
    if (needs_guesses()) {
      for (const LabelCount &entry : seen_lower_) list(entry.label);
      for (const Lexicon::Guess &guess : lexicon_.guesses()) list(guess.label);
    }
    if (gold >= 0) list(gold);
  }

  void list(int label) {
    if (is_candidate(label)) return;
    const auto frequency = std::uint32_t(bucket(seen_total_, {1, 2, 4, 8}));
    const std::uint32_t evidence = (share_of(label) * 8 + frequency) * 4 + lower_share_of(label);
    add_candidate(label, evidence, guess_bucket(label) * 8 + frequency);
  }

  Share share_of(int label) const {
    const int count = count_of(seen_, label);
    if (count == 0) return never;
    if (count == seen_total_) return always;
    if (2 * count >= seen_total_) return half_or_more;
    return 10 * count > seen_total_ ? over_a_tenth : a_tenth_or_less;
  }
  LowerShare lower_share_of(int label) const {
    const int count = count_of(seen_lower_, label), total = total_of(seen_lower_);
    if (total == 0) return no_lower_form;
    if (2 * count > total) return more_than_half;
    return count > 0 ? half_or_less : never_in_lower;
  }
  std::uint32_t guess_bucket(int label) const {
    for (const Lexicon::Guess &guess : lexicon_.guesses())
      if (guess.label == label) return probability_bucket(guess.probability);
    return not_guessed;
  }

  void list_atoms(const Spelling &word, const Stems::Stem &stem) {
    const bool is_known = !seen_.empty(), is_known_in_lower = is_known || !seen_lower_.empty();
    atoms_.clear();
    atoms_.push_back(is_known ? text_hash(word.form) : 0);
    atoms_.push_back(is_known_in_lower ? text_hash(word.lower) : 0);
    for (std::size_t length = 1; length <= suffixes; ++length) atoms_.push_back(word.suffix(length));
    for (std::size_t length = 1; length <= prefixes; ++length) atoms_.push_back(word.prefix(length));
    atoms_.push_back(word.short_shape());
    atoms_.push_back(word.surface_class());
    atoms_.push_back(is_known ? ambiguity_class() : most_probable_first());
    atoms_.push_back(lexicon_.suffix());
    atoms_.push_back(stem.hash);
    atoms_.push_back(stem.tags);
    atoms_.push_back(stem.length > 0 ? text_hash(word.lower.substr(stem.length), 3) : word.suffix(3));
  }

  // The set of values in the first column that a known word was seen with, hashed.
  std::uint32_t ambiguity_class() {
    std::uint32_t hash = 1;
    values_.clear();
    for (const LabelCount &entry : seen_) {
      const int value = first_of_[entry.label];
      if (find_value(value) != values_.end()) continue;
      values_.push_back({value, 0});
      hash ^= mixed(std::uint32_t(value) + 101);
    }
    return hash;
  }

  // The value in the first column that is most probable for an unknown word given its suffixes, hashed.
  std::uint32_t most_probable_first() {
    values_.clear();
    for (const Lexicon::Guess &guess : lexicon_.guesses()) {
      const int value = first_of_[guess.label];
      if (find_value(value) == values_.end()) values_.push_back({value, 0});
      find_value(value)->probability += guess.probability;
    }
    const auto is_less = [](const Value &x, const Value &y) { return x.probability < y.probability; };
    const auto best = std::max_element(values_.begin(), values_.end(), is_less);
    return best == values_.end() ? 0 : mixed(std::uint32_t(best->number) + 1009);
  }

  struct Value {
    int number;
    double probability;
  };
  std::vector<Value>::iterator find_value(int number) {
    return std::find_if(values_.begin(), values_.end(), [&](const Value &value) { return value.number == number; });
  }

  Lexicon lexicon_;
  Stems stems_;
  std::vector<std::int32_t> first_of_;
  Settings settings_;

  // Of the word that is being described.
  LabelCounts seen_, seen_lower_, excluded_;
  int seen_total_ = 0;
  std::vector<Value> values_;
  std::vector<std::uint32_t> atoms_;
};

}  // namespace treewright
