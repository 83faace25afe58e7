#include <algorithm>
#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "text/lemma_words.hpp"
#include "text/tag_words.hpp"
#include "text/template_hashes.hpp"

namespace treewright {

using HashColumn = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ShortColumn = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::u32string text_of(const nb::str &text) {
  std::u32string found(std::size_t(PyUnicode_GetLength(text.ptr())), U' ');
  static_assert(sizeof(char32_t) == sizeof(Py_UCS4));
  if (!found.empty() &&
      !PyUnicode_AsUCS4(text.ptr(), reinterpret_cast<Py_UCS4 *>(found.data()), Py_ssize_t(found.size()), 0))
    throw nb::python_error();
  return found;
}

// LabelLists with their arrays, which it keeps alive.
struct BoundLabelLists {
  HashColumn keys;
  IndexColumn begin;
  ShortColumn labels, counts;

  BoundLabelLists(HashColumn keys, IndexColumn begin, ShortColumn labels, ShortColumn counts)
      : keys(keys), begin(begin), labels(labels), counts(counts) {
    const std::size_t size = keys.shape(0);
    if (begin.shape(0) != size + 1) throw nb::value_error("begin must have one entry more than keys");
    if (labels.shape(0) != counts.shape(0)) throw nb::value_error("labels and counts must be of one length");
    if (begin(0) != 0 || std::size_t(begin(size)) != labels.shape(0))
      throw nb::value_error("begin must start with 0 and end with the number of labels");
    for (std::size_t i = 0; i < size; ++i) {
      if (begin(i) > begin(i + 1)) throw nb::value_error("begin must not descend");
      if (i > 0 && keys(i - 1) >= keys(i)) throw nb::value_error("keys must be sorted, each once");
    }
    for (std::size_t i = 0; i < size; ++i) check_counts(i);
  }

  int max_label() const {
    int found = -1;
    for (std::size_t i = 0; i < labels.shape(0); ++i) found = std::max(found, int(labels(i)));
    return found;
  }
  LabelLists lists() const { return {keys.data(), begin.data(), labels.data(), counts.data(), keys.shape(0)}; }

 private:
  // Probabilities are quotients of counts and their sums.
  void check_counts(std::size_t list) const {
    std::int64_t total = 0;
    for (std::int32_t k = begin(list); k < begin(list + 1); ++k) {
      if (counts(k) == 0) throw nb::value_error("counts must be positive");
      total += counts(k);
    }
    if (total >= std::numeric_limits<std::int32_t>::max()) throw nb::value_error("the counts of a key are too large");
  }
};

// A Spelling with its text.
struct BoundSpelling {
  std::u32string form, lower, shape;
  BoundSpelling(const nb::str &form, const nb::str &lower, const nb::str &shape)
      : form(text_of(form)), lower(text_of(lower)), shape(text_of(shape)) {}
  Spelling spelling() const { return {form, lower, shape}; }
};

static Stems::Excluded excluded_of(const HashRows &pairs) {
  Stems::Excluded found;
  if (pairs.shape(0) > 0 && pairs.shape(1) != 2) throw nb::value_error("excluded must have columns lemma and tag");
  for (std::size_t i = 0; i < pairs.shape(0); ++i) found.push_back({pairs(i, 0), std::int32_t(pairs(i, 1))});
  return found;
}

class BoundTagWords : public TagWords {
 public:
  BoundTagWords(BoundLabelLists words, BoundLabelLists suffixes, BoundLabelLists stems,
                std::vector<std::int32_t> first_of, int min_known_count, int max_guesses)
      : TagWords({words.lists(), suffixes.lists()}, Stems(stems.lists()), first_of, {min_known_count, max_guesses}),
        kept_alive_{words, suffixes, stems} {
    if (std::max(words.max_label(), suffixes.max_label()) >= labels())
      throw nb::value_error("a label is not the number of a tag");
    if (max_guesses < 0) throw nb::value_error("max_guesses must not be negative");
  }

  int add(const nb::str &form, const nb::str &lower, const nb::str &shape, int gold, const HashRows &excluded) {
    if (gold >= labels()) throw nb::value_error("gold is not the number of a tag");
    const BoundSpelling word(form, lower, shape);
    return TagWords::add(word.spelling(), gold, excluded_of(excluded));
  }

 private:
  std::vector<BoundLabelLists> kept_alive_;
};

class BoundLemmaWords : public LemmaWords {
 public:
  using ScriptCells =
      std::tuple<bool, std::size_t, nb::str, std::size_t, nb::str>;  // in the order of EditScript's text

  BoundLemmaWords(BoundLabelLists words, BoundLabelLists suffixes, BoundLabelLists stems,
                  const std::vector<ScriptCells> &scripts)
      : LemmaWords({words.lists(), suffixes.lists()}, Stems(stems.lists()), scripts_of(scripts)),
        kept_alive_{words, suffixes, stems} {
    if (std::max(words.max_label(), suffixes.max_label()) >= labels())
      throw nb::value_error("a label is not the number of a script");
  }

  int add(const nb::str &form, const nb::str &lower, const nb::str &shape, std::uint32_t upos, std::uint32_t feats,
          int tag, int gold, const HashRows &excluded) {
    if (gold >= labels()) throw nb::value_error("gold is not the number of a script");
    const BoundSpelling word(form, lower, shape);
    return LemmaWords::add({word.spelling(), upos, feats, tag}, gold, excluded_of(excluded));
  }
  int most_frequent(const nb::str &form, std::uint32_t upos, std::uint32_t feats) {
    const std::u32string text = text_of(form);
    return LemmaWords::most_frequent({{text, {}, {}}, upos, feats, -1});
  }

 private:
  static std::vector<EditScript> scripts_of(const std::vector<ScriptCells> &scripts) {
    std::vector<EditScript> found;
    for (const auto &[is_whole, drop_start, start, drop_end, end] : scripts)
      found.push_back({is_whole, drop_start, drop_end, text_of(start), text_of(end)});
    return found;
  }

  std::vector<BoundLabelLists> kept_alive_;
};

using AtomTable = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // [atom, place]
using PlaceColumn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewFeatures = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;  // [place, template]

// items: rows of a template's number, the number of an atom and an offset, in the order of the templates.
static NewFeatures template_features(AtomTable atoms, IndexRows items, PlaceColumn places) {
  const auto rows = std::int64_t(atoms.shape(0)), width = std::int64_t(atoms.shape(1));
  if (items.shape(1) != 3) throw nb::value_error("items must have columns template, atom and offset");
  HashTemplates templates;
  std::int64_t first = 0, last = 0;  // offsets
  for (std::size_t i = 0; i < items.shape(0); ++i) {
    const std::int32_t number = items(i, 0), atom = items(i, 1), offset = items(i, 2);
    if (number == std::int32_t(templates.size())) templates.emplace_back();
    if (number != std::int32_t(templates.size()) - 1) throw nb::value_error("items must be in the order of templates");
    if (atom < 0 || atom >= rows) throw nb::value_error("an item is of no atom");
    templates.back().push_back({atom, offset});
    first = std::min(first, std::int64_t(offset)), last = std::max(last, std::int64_t(offset));
  }
  for (std::size_t i = 0; i < places.shape(0); ++i)
    if (places(i) < -first || places(i) >= width - last) throw nb::value_error("a place is too near to the edge");
  NewFeatures features = new_array<NewFeatures>(places.shape(0), templates.size());
  nb::gil_scoped_release nogil;
  hash_templates(atoms.data(), std::size_t(width), templates, places.data(), places.shape(0), features.data());
  return features;
}

void bind_words(nb::module_ &m) {
  nb::class_<BoundLabelLists>(m, "LabelLists", "Labels with counts by sorted keys (core/text/lexicon.hpp).")
      .def(nb::init<HashColumn, IndexColumn, ShortColumn, ShortColumn>(), nb::arg("keys").noconvert(),
           nb::arg("begin").noconvert(), nb::arg("labels").noconvert(), nb::arg("counts").noconvert());
  nb::class_<WordRows>(m, "WordRows", "Words with atoms and candidates (core/text/word_rows.hpp).")
      .def("__len__", &WordRows::size)
      .def("clear", &WordRows::clear, "Remove all words.");
  nb::class_<BoundTagWords, WordRows>(m, "TagWords", "Words with their candidate tags (core/text/tag_words.hpp).")
      .def(nb::init<BoundLabelLists, BoundLabelLists, BoundLabelLists, std::vector<std::int32_t>, int, int>(),
           nb::arg("words"), nb::arg("suffixes"), nb::arg("stems"), nb::arg("first_of"), nb::arg("min_known_count"),
           nb::arg("max_guesses"))
      .def("add", &BoundTagWords::add, nb::arg("form"), nb::arg("lower"), nb::arg("shape"), nb::arg("gold"),
           nb::arg("excluded").noconvert(), "Add a word and return its row; gold is -1 outside training.");
  nb::class_<BoundLemmaWords, WordRows>(m, "LemmaWords",
                                        "Tagged words with their candidate edit scripts (core/text/lemma_words.hpp).")
      .def(nb::init<BoundLabelLists, BoundLabelLists, BoundLabelLists,
                    const std::vector<BoundLemmaWords::ScriptCells> &>(),
           nb::arg("words"), nb::arg("suffixes"), nb::arg("stems"), nb::arg("scripts"))
      .def("add", &BoundLemmaWords::add, nb::arg("form"), nb::arg("lower"), nb::arg("shape"), nb::arg("upos"),
           nb::arg("feats"), nb::arg("tag"), nb::arg("gold"), nb::arg("excluded").noconvert(),
           "Add a word and return its row, -1 if no script fits it; gold is -1 outside training.")
      .def("seen", &BoundLemmaWords::most_frequent, nb::arg("form"), nb::arg("upos"), nb::arg("feats"),
           "The most frequent script of a word with this tag, -1 if it was not seen with it.");
  m.def("template_features", &template_features, nb::arg("atoms").noconvert(), nb::arg("items").noconvert(),
        nb::arg("places").noconvert(),
        "A row of hashed templates for each place of atoms[atom, place] (core/text/template_hashes.hpp).");
  m.def(
      "text_hash", [](const nb::str &text, std::uint32_t group) { return text_hash(text_of(text), group); },
      nb::arg("text"), nb::arg("group") = 0, "A hash of 32 bits, the same on every machine.");
  m.def(
      "suffix_key",
      [](std::uint32_t group, const nb::str &suffix) { return Lexicon::suffix_key(group, text_of(suffix)); },
      nb::arg("group"), nb::arg("suffix"), "The key of a suffix of a group of words.");
  m.def(
      "surface_class",
      [](const nb::str &shape) {
        const std::u32string text = text_of(shape);
        return Spelling{{}, {}, text}.surface_class();
      },
      nb::arg("shape"), "Casing, digits and hyphens of a word, as a number.");
  m.def(
      "lemma_key",
      [](const nb::str &form, std::uint32_t upos, std::uint32_t feats) {
        const std::u32string text = text_of(form);
        return LemmaWords::TaggedWord{{text, {}, {}}, upos, feats, -1}.key();
      },
      nb::arg("form"), nb::arg("upos"), nb::arg("feats"), "The key of a word with its tag.");
}

}  // namespace treewright
