// Hashes of text, the same on every machine: they are the keys of the lists in model files.
#pragma once

#include <cstdint>
#include <string_view>

#include "learning/features.hpp"

namespace treewright {

using Text = std::u32string_view;

constexpr std::uint32_t text_seed = 0x811c9dc5U;  // FNV's offset basis

// FNV-1a over code points: the hash of a text that begins with what `hash` has read so far.
inline std::uint32_t hash_on(std::uint32_t hash, Text text) {
  for (const char32_t character : text) hash = (hash ^ std::uint32_t(character)) * 0x01000193U;
  return hash;
}

// Equal texts of different groups have different hashes.
inline std::uint32_t text_hash(Text text, std::uint32_t group = 0) {
  return mixed(hash_on(text_seed + mixed(group), text));
}

}  // namespace treewright
