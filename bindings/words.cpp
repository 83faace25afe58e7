#include "text/words.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "arrays.hpp"

namespace treewright {

using HashColumn = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ShortColumn = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OwnStems = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // lemma, tag

static std::u32string text_of(const nb::str &text) {
  std::u32string found(std::size_t(PyUnicode_GetLength(text.ptr())), U' ');
  static_assert(sizeof(char32_t) == sizeof(Py_UCS4));
  if (!found.empty() &&
      !PyUnicode_AsUCS4(text.ptr(), reinterpret_cast<Py_UCS4 *>(found.data()), Py_ssize_t(found.size()), 0))
    throw nb::python_error();
  return found;
}

// Labels by key: the arrays, kept for as long as they are read.
struct Lists {
  HashColumn keys;
  IndexColumn begin;
  ShortColumn labels, counts;

  Lists(HashColumn keys, IndexColumn begin, ShortColumn labels, ShortColumn counts)
      : keys(keys), begin(begin), labels(labels), counts(counts) {
    const std::size_t size = keys.shape(0);
    if (begin.shape(0) != size + 1 || labels.shape(0) != counts.shape(0) || begin(0) != 0 ||
        std::size_t(begin(size)) != labels.shape(0))
      throw nb::value_error("lists do not have a beginning each, and a count for each label");
    for (std::size_t i = 0; i < size; ++i)
      if (begin(i) > begin(i + 1) || (i > 0 && keys(i - 1) >= keys(i)))
        throw nb::value_error("the keys of lists are not sorted, or their places are not");
  }

  int largest() const {
    int found = -1;
    for (std::size_t i = 0; i < labels.shape(0); ++i) found = std::max(found, int(labels(i)));
    return found;
  }
  Listing listing() const { return {keys.data(), begin.data(), labels.data(), counts.data(), keys.shape(0)}; }
};

// The letters of a word, with the text they are seen in.
struct OwnedLetters {
  std::u32string form, lower, kinds;
  OwnedLetters(const nb::str &form, const nb::str &lower, const nb::str &kinds)
      : form(text_of(form)), lower(text_of(lower)), kinds(text_of(kinds)) {}
  Letters letters() const { return {form, lower, kinds}; }
};

static std::vector<Stems::Own> stems_of(const OwnStems &own) {
  std::vector<Stems::Own> found;
  if (own.shape(0) > 0 && own.shape(1) != 2) throw nb::value_error("stems are a lemma and a tag each");
  for (std::size_t i = 0; i < own.shape(0); ++i) found.push_back({own(i, 0), std::int32_t(own(i, 1))});
  return found;
}

class BoundTagWords : public TagWords {
 public:
  BoundTagWords(Lists words, Lists endings, Lists stems, std::vector<std::int32_t> first_of, int sure, int most)
      : TagWords({words.listing(), endings.listing()}, Stems(stems.listing()), first_of, {sure, most}),
        kept_{words, endings, stems} {
    if (std::max(words.largest(), endings.largest()) >= int(first_of.size()))
      throw nb::value_error("a listed tag is none");
    tags_ = int(first_of.size());
  }

  int add(const nb::str &form, const nb::str &lower, const nb::str &kinds, int left_out, const OwnStems &own) {
    if (left_out >= tags_) throw nb::value_error("there is no such tag");
    const OwnedLetters word(form, lower, kinds);
    return TagWords::add(word.letters(), left_out, stems_of(own));
  }

 private:
  std::vector<Lists> kept_;
  int tags_;
};

class BoundLemmaWords : public LemmaWords {
 public:
  // Is it the lemma itself, what is dropped and put at the start, and at the end.
  using Cells = std::vector<std::tuple<bool, std::size_t, nb::str, std::size_t, nb::str>>;

  BoundLemmaWords(Lists words, Lists endings, Lists stems, const Cells &scripts)
      : LemmaWords({words.listing(), endings.listing()}, Stems(stems.listing()), scripts_of(scripts)),
        kept_{words, endings, stems},
        scripts_(int(scripts.size())) {
    if (std::max(words.largest(), endings.largest()) >= scripts_) throw nb::value_error("a listed script is none");
  }

  int add(const nb::str &form, const nb::str &lower, const nb::str &kinds, std::uint32_t upos, std::uint32_t feats,
          int tag, int gold, const OwnStems &own) {
    if (gold >= scripts_) throw nb::value_error("there is no such script");
    const OwnedLetters word(form, lower, kinds);
    return LemmaWords::add({word.letters(), upos, feats, tag}, gold, stems_of(own));
  }
  int seen(const nb::str &form, std::uint32_t upos, std::uint32_t feats) {
    const std::u32string text = text_of(form);
    return LemmaWords::seen({{text, {}, {}}, upos, feats, -1});
  }

 private:
  static std::vector<EditScript> scripts_of(const Cells &scripts) {
    std::vector<EditScript> found;
    for (const auto &[is_whole, drop_start, start, drop_end, end] : scripts)
      found.push_back({is_whole, drop_start, drop_end, text_of(start), text_of(end)});
    return found;
  }

  std::vector<Lists> kept_;
  int scripts_;
};

void bind_words(nb::module_ &m) {
  nb::class_<Lists>(m, "Lists", "Labels with counts by sorted keys (core/text/words.hpp).")
      .def(nb::init<HashColumn, IndexColumn, ShortColumn, ShortColumn>(), nb::arg("keys").noconvert(),
           nb::arg("begin").noconvert(), nb::arg("labels").noconvert(), nb::arg("counts").noconvert());
  nb::class_<WordRows>(m, "WordRows", "Words as the tagger reads them.")
      .def("__len__", &WordRows::size)
      .def("clear", &WordRows::clear, "Forget all words.");
  nb::class_<BoundTagWords, WordRows>(m, "TagWords", "Words and the tags they may have.")
      .def(nb::init<Lists, Lists, Lists, std::vector<std::int32_t>, int, int>(), nb::arg("words"), nb::arg("endings"),
           nb::arg("stems"), nb::arg("first_of"), nb::arg("sure"), nb::arg("most"))
      .def("add", &BoundTagWords::add, nb::arg("form"), nb::arg("lower"), nb::arg("kinds"), nb::arg("left_out"),
           nb::arg("own").noconvert(), "The row of a new word.");
  nb::class_<BoundLemmaWords, WordRows>(m, "LemmaWords", "Words with their tags and the edit scripts they may have.")
      .def(nb::init<Lists, Lists, Lists, const BoundLemmaWords::Cells &>(), nb::arg("words"), nb::arg("endings"),
           nb::arg("stems"), nb::arg("scripts"))
      .def("add", &BoundLemmaWords::add, nb::arg("form"), nb::arg("lower"), nb::arg("kinds"), nb::arg("upos"),
           nb::arg("feats"), nb::arg("tag"), nb::arg("gold"), nb::arg("own").noconvert(),
           "The row of a new word, -1 if no script fits it.")
      .def("seen", &BoundLemmaWords::seen, nb::arg("form"), nb::arg("upos"), nb::arg("feats"),
           "The script that the word was seen with most often, or -1.");
  m.def(
      "text_hash", [](const nb::str &text, std::uint32_t group) { return text_hash(text_of(text), group); },
      nb::arg("text"), nb::arg("group") = 0, "Thirty-two bits of a text, the same everywhere.");
  m.def(
      "ending_key",
      [](std::uint32_t group, const nb::str &ending) { return Lexicon::ending_key(group, text_of(ending)); },
      nb::arg("group"), nb::arg("ending"), "The key of an ending of a group of words.");
  m.def(
      "word_kind",
      [](const nb::str &kinds) {
        const std::u32string text = text_of(kinds);
        return Letters{{}, {}, text}.kind();
      },
      nb::arg("kinds"), "Capitals, digits and hyphens of a word, as a number.");
  m.def(
      "lemma_key",
      [](const nb::str &form, std::uint32_t upos, std::uint32_t feats) {
        const std::u32string text = text_of(form);
        return LemmaWords::Tagged{{text, {}, {}}, upos, feats, -1}.key();
      },
      nb::arg("form"), nb::arg("upos"), nb::arg("feats"), "The key of a word with its tag.");
}

}  // namespace treewright
