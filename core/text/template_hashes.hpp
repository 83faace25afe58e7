// Hashed feature templates of the tokeniser. A template joins atoms of the places around one; its hash is
//
//   state = atom + start;   for each further atom: state = (state ^ state >> 29) * 0xbf58..., state += atom;
//   hash  = (state ^ state >> 32) * 0x94d0...
//
// A feature is the upper half of the hash of a template's hash (of its atom, if it has one only) and its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

struct AtomPlace {
  std::int32_t atom, offset;
};
using HashTemplates = std::vector<std::vector<AtomPlace>>;

class TemplateHash {
 public:
  explicit TemplateHash(std::uint64_t first) : state_(first + 0x632be59bd9b4e019U) {}
  void add(std::uint64_t value) { state_ = mix(29, 0xbf58476d1ce4e5b9U) + value; }
  std::uint64_t value() const { return mix(32, 0x94d049bb133111ebU); }

 private:
  std::uint64_t mix(int shift, std::uint64_t factor) const { return (state_ ^ (state_ >> shift)) * factor; }

  std::uint64_t state_;
};

// Writes a row of features for each of `count` places. atoms: a row of `width` places for each atom.
inline void hash_templates(const std::uint64_t *atoms, std::size_t width, const HashTemplates &templates,
                           const std::int64_t *places, std::size_t count, std::uint32_t *features) {
  const auto value = [=](AtomPlace item, std::int64_t place) {
    return atoms[std::size_t(item.atom) * width + std::size_t(place + item.offset)];
  };
  for (const std::int64_t *place = places; place < places + count; ++place)
    for (std::size_t number = 0; number < templates.size(); ++number) {
      const std::vector<AtomPlace> &items = templates[number];
      std::uint64_t joined = value(items[0], *place);
      if (items.size() > 1) {
        TemplateHash hash(joined);
        for (std::size_t k = 1; k < items.size(); ++k) hash.add(value(items[k], *place));
        joined = hash.value();
      }
      TemplateHash feature(joined);
      feature.add(number);
      *features++ = std::uint32_t(feature.value() >> 32);
    }
}

}  // namespace treewright
