// Words with their tags and candidate edit scripts, described for the lemmatiser.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/lexicon.hpp"
#include "text/spelling.hpp"
#include "text/word_rows.hpp"

namespace treewright {

// How a lemma is made from a form: characters are dropped and added at either end, or the lemma is given as a whole.
struct EditScript {
  bool is_whole;  // the lemma is `start`
  std::size_t drop_start, drop_end;
  std::u32string start, end;  // in lower case

  // Writes the lemma in lower case; returns false if the form is too short or the lemma would be empty.
  bool apply(Text lower, std::u32string &lemma) const {
    lemma = start;
    if (is_whole) return !lemma.empty();
    if (drop_start > lower.size() || drop_end > lower.size() - drop_start) return false;
    lemma += lower.substr(drop_start, lower.size() - drop_start - drop_end);
    lemma += end;
    return !lemma.empty();
  }
};

class LemmaWords : public WordRows {
 public:
  // Atoms, in this order: suffix1..6 prefix1..3 shape surface upos feats lower
  static constexpr int width = 14;

  LemmaWords(Lexicon lexicon, Stems stems, std::vector<EditScript> scripts)
      : WordRows(width, int(scripts.size())),
        lexicon_(std::move(lexicon)),
        stems_(std::move(stems)),
        scripts_(std::move(scripts)) {}

  struct TaggedWord {
    Spelling word;
    std::uint32_t upos, feats;  // hashed
    std::int32_t tag;           // the number of the universal tag among those of the stems

    std::uint32_t key() const { return text_hash(word.form, mixed(upos) ^ feats); }
  };

  // The most frequent script of a word with this tag, -1 if it was not seen with it.
  int most_frequent(const TaggedWord &tagged) {
    lexicon_.labels_of(tagged.key(), -1, counts_);
    return counts_.empty() ? -1 : counts_.front().label;
  }

  // Returns the row of a new word, -1 if no script fits it. In training, `gold` is its script, and the word is left out
  // of the counts; otherwise -1.
  int add(const TaggedWord &tagged, int gold, const Stems::Excluded &excluded_stems) {
    counts_.clear();
    if (gold >= 0) lexicon_.contribution_of(tagged.key(), counts_);
    lexicon_.guess(tagged.upos, tagged.word.lower, max_guesses, counts_);
    for (const Lexicon::Guess &guess : lexicon_.guesses()) list(tagged, guess, excluded_stems);
    if (gold >= 0 && !is_candidate(gold)) add_candidate(gold, gold_only, not_guessed);
    if (!has_candidates()) return -1;
    list_atoms(tagged);
    return close(atoms_);
  }

 private:
  static constexpr int max_guesses = 20;          // not tuned; the gold script is added in training
  static constexpr std::uint32_t gold_only = 3;   // evidence, after those of Stems::Evidence
  static constexpr std::uint32_t lemma_ends = 1;  // the group of the ends of lemmas; as in tagger/lexicon.py
  static constexpr std::size_t lemma_end = 3;     // characters, with the mark of the start; as in tagger/lexicon.py
  static constexpr std::size_t suffixes = 6, prefixes = 3;

  void list(const TaggedWord &tagged, const Lexicon::Guess &guess, const Stems::Excluded &excluded_stems) {
    if (!scripts_[guess.label].apply(tagged.word.lower, lemma_)) return;
    const Stems::Evidence evidence = stems_.evidence(text_hash(lemma_), tagged.tag, excluded_stems);
    if (evidence == Stems::unknown_lemma && lemma_ != tagged.word.lower && !has_known_end(lemma_)) return;
    add_candidate(guess.label, evidence, probability_bucket(guess.probability));
  }

  // Whether a lemma of the training data ends with the same characters; true for a model without lemma ends.
  bool has_known_end(const std::u32string &lemma) const {
    if (!lexicon_.has_suffix(lemma_ends, Text())) return true;
    const std::u32string marked = U'^' + lemma;
    return lexicon_.has_suffix(lemma_ends, Text(marked).substr(marked.size() - std::min(marked.size(), lemma_end)));
  }

  void list_atoms(const TaggedWord &tagged) {
    const Spelling &word = tagged.word;
    atoms_.clear();
    for (std::size_t length = 1; length <= suffixes; ++length) atoms_.push_back(word.suffix(length));
    for (std::size_t length = 1; length <= prefixes; ++length) atoms_.push_back(word.prefix(length));
    atoms_.push_back(word.short_shape());
    atoms_.push_back(word.surface_class());
    atoms_.push_back(tagged.upos);
    atoms_.push_back(tagged.feats);
    atoms_.push_back(text_hash(word.lower));
  }

  Lexicon lexicon_;
  Stems stems_;
  std::vector<EditScript> scripts_;

  // Of the word that is being described.
  LabelCounts counts_;
  std::u32string lemma_;
  std::vector<std::uint32_t> atoms_;
};

}  // namespace treewright
