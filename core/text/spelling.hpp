// The spelling of a word: its affixes, its shape and its surface class.
#pragma once

#include <cstddef>
#include <cstdint>

#include "text/text_hash.hpp"

namespace treewright {

enum class Casing : std::uint32_t { no_letters, lower, capitalised, upper, mixed };

struct Spelling {
  Text form, lower;
  Text shape;  // a class a character: A (capital), a (other letter), 0 (digit), other characters as they are

  // The hash of an affix. A word that is shorter than `length` is its own affix, marked as a whole word.
  std::uint32_t suffix(std::size_t length) const {
    return length <= lower.size() ? text_hash(lower.substr(lower.size() - length)) : text_hash(lower, whole_suffix);
  }
  std::uint32_t prefix(std::size_t length) const {
    return length <= lower.size() ? text_hash(lower.substr(0, length)) : text_hash(lower, whole_prefix);
  }

  // The hash of the shape with equal neighbours merged ("Aaa-00" becomes "Aa-0"), cut after five classes.
  std::uint32_t short_shape() const {
    std::uint32_t hash = text_seed;
    char32_t last = 0;
    int runs = 0;
    for (const char32_t character : shape) {
      if (character == last) continue;
      if (++runs > max_runs) break;
      hash = hash_on(hash, Text(&character, 1));
      last = character;
    }
    return mixed(hash);
  }

  // Casing, whether there is a digit, and whether there is a hyphen beside letters, as one number above 0.
  std::uint32_t surface_class() const {
    const bool has_digit = count(U'0') > 0;
    const bool has_hyphen = count(U'-') > 0 && count(U'A') + count(U'a') > 0;
    return 1 + std::uint32_t(casing()) + casings * has_digit + 2 * casings * has_hyphen;
  }

 private:
  static constexpr std::uint32_t whole_suffix = 1, whole_prefix = 2;  // groups of text_hash
  static constexpr std::uint32_t casings = 5;
  static constexpr int max_runs = 5;  // not tuned: longer shapes are rare

  int count(char32_t character_class) const {
    int found = 0;
    for (const char32_t character : shape) found += character == character_class;
    return found;
  }

  Casing casing() const {
    const int capitals = count(U'A'), letters = capitals + count(U'a');
    if (letters == 0) return Casing::no_letters;
    if (capitals == 0) return Casing::lower;
    if (shape.front() != U'A') return Casing::mixed;
    return capitals == letters && letters > 1 ? Casing::upper : Casing::capitalised;
  }
};

}  // namespace treewright
