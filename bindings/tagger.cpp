#include "text/tagger.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "text/word_rows.hpp"

namespace treewright {

using HashTable = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using TemplateItems =
    nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // templ, atom, offset
using FloatColumn = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RoundedColumn = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LearningCells = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Decoded = std::tuple<NewIndexColumn, double, std::optional<NewScoreColumn>>;

class BoundTagModel {
 public:
  BoundTagModel(TemplateItems items, int templates, HashTable tag_parts, int bits, int keep, int word_atom,
                bool trigrams)
      : bits_(checked(bits, keep, word_atom)),
        atoms_(word_atom + 1),
        model_(table_of(items, templates), parts_of(tag_parts),
               {bits, int(tag_parts.shape(1)), keep, word_atom, trigrams}) {
    for (std::size_t i = 0; i < items.shape(0); ++i) {
      atoms_ = std::max(atoms_, items(i, 1) + 1);
      if (items(i, 0) < 0 || items(i, 0) >= templates || items(i, 1) < 0)
        throw nb::value_error("an item names no template or atom");
    }
  }

  Decoded decode(HashTable atoms, IndexColumn begin, IndexColumn pool, IndexColumn rows, FloatColumn weights,
                 std::optional<Scores> adjust, bool confidence) {
    return best(check(atoms, begin, pool, rows), rows, PlainWeights{checked(weights), 1}, adjust, confidence);
  }
  Decoded decode_words(const WordRows &words, IndexColumn rows, RoundedColumn weights, float scale,
                       std::optional<Scores> adjust, bool confidence) {
    return best(check(words, rows), rows, RoundedWeights{checked(weights), scale}, adjust, confidence);
  }

  double learn(HashTable atoms, IndexColumn begin, IndexColumn pool, IndexColumn rows, IndexColumn gold,
               LearningCells cells, double step, float rate, float floor, float cost) {
    return step_on(check(atoms, begin, pool, rows), rows, gold, cells, step, rate, floor, cost);
  }
  double learn_words(const WordRows &words, IndexColumn rows, IndexColumn gold, LearningCells cells, double step,
                     float rate, float floor, float cost) {
    return step_on(check(words, rows), rows, gold, cells, step, rate, floor, cost);
  }

 private:
  template <typename Weights>
  Decoded best(const WordTable &words, const IndexColumn &rows, const Weights &weights,
               const std::optional<Scores> &adjust, bool confidence) {
    const std::size_t n = rows.shape(0);
    if (adjust && (adjust->shape(0) != n || int(adjust->shape(1)) != model_.tags()))
      throw nb::value_error("adjust must have a row a word and a column a tag");
    NewIndexColumn tags = new_array<NewIndexColumn>(n);
    std::optional<NewScoreColumn> sure;
    if (confidence) sure = new_array<NewScoreColumn>(n);
    double value;
    {
      nb::gil_scoped_release nogil;
      value = model_.decode(words, rows.data(), int(n), weights, adjust ? adjust->data() : nullptr, tags.data(),
                            sure ? sure->data() : nullptr);
    }
    return {tags, value, sure};
  }

  double step_on(const WordTable &words, const IndexColumn &rows, const IndexColumn &gold, LearningCells &cells,
                 double step, float rate, float floor, float cost) {
    if (cells.shape(0) != std::size_t(1) << bits_ || cells.shape(1) != 4)
      throw nb::value_error("cells do not have 2^bits rows of four");
    if (gold.shape(0) != rows.shape(0)) throw nb::value_error("gold must have an entry a word");
    for (std::size_t i = 0; i < gold.shape(0); ++i) {
      const std::int32_t *first = words.pool + words.begin[rows(i)], *last = words.pool + words.begin[rows(i) + 1];
      if (std::find(first, last, gold(i)) == last) throw nb::value_error("a gold tag is no candidate");
    }
    nb::gil_scoped_release nogil;
    Learner learner(cells.data(), floor);
    const double loss = model_.learn(words, rows.data(), int(rows.shape(0)), cells.data(), learner, gold.data(), cost);
    learner.step(step, rate);
    return loss;
  }

  template <typename Column>
  const typename Column::Scalar *checked(const Column &weights) const {
    if (weights.shape(0) != std::size_t(1) << bits_) throw nb::value_error("weights do not have 2^bits rows");
    return weights.data();
  }
  static int checked(int bits, int keep, int word_atom) {
    if (bits < 8 || bits > 28 || keep < 1 || word_atom < 0)
      throw nb::value_error("bits must be 8 to 28, keep and word_atom not negative");
    return bits;
  }
  static TemplateTable table_of(const TemplateItems &items, int templates) {
    if (items.shape(1) != 3) throw nb::value_error("items must have three columns");
    TemplateTable table{0, 0, templates, {}};
    for (std::size_t i = 0; i < items.shape(0); ++i) table.items.push_back({0, items(i, 0), items(i, 1), items(i, 2)});
    return table;
  }
  static std::vector<std::uint32_t> parts_of(const HashTable &parts) {
    if (parts.shape(0) < 2 || parts.shape(1) < 1) throw nb::value_error("there must be a tag, with a part");
    return {parts.data(), parts.data() + parts.size()};
  }

  WordTable check(const HashTable &atoms, const IndexColumn &begin, const IndexColumn &pool,
                  const IndexColumn &rows) const {
    if (int(atoms.shape(1)) < atoms_ || begin.shape(0) < atoms.shape(0) + 1 || atoms.shape(0) < 2 * Atoms::reach)
      throw nb::value_error("the table of words lacks atoms, candidates or padding");
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      if (rows(i) < 0 || std::size_t(rows(i)) >= atoms.shape(0)) throw nb::value_error("there is no such word");
      const std::int32_t first = begin(rows(i)), last = begin(rows(i) + 1);
      if (first < 0 || first >= last || std::size_t(last) > pool.shape(0))
        throw nb::value_error("a word has no candidates");
      for (std::int32_t k = first; k < last; ++k)
        if (pool(k) < 0 || pool(k) >= model_.tags()) throw nb::value_error("a candidate is no tag");
    }
    return {atoms.data(), begin.data(), pool.data(), nullptr, int(atoms.shape(1)), 0};
  }
  WordTable check(const WordRows &words, const IndexColumn &rows) const {
    const WordTable table = words.table();
    if (table.width < atoms_) throw nb::value_error("the words lack atoms");
    for (std::size_t i = 0; i < rows.shape(0); ++i)
      if (rows(i) < 0 || rows(i) >= words.size() || words.first(rows(i)) == words.last(rows(i)))
        throw nb::value_error("there is no such word, or it has no candidates");
    return table;
  }

  int bits_, atoms_;
  TagModel model_;
};

// scores[i, c] plus trigram[a, b, c]; tag number `tags` stands before the sentence.
struct DenseTrigrams {
  const double *scores, *trigram, *adjust;
  int tags;
  int number(int i, int k) const { return i < 0 ? tags : k; }
  double operator()(int i, int a, int b, int c) const {
    const std::size_t at = std::size_t(i) * tags + c;
    const std::size_t context = std::size_t(number(i - 2, a)) * (tags + 1) + number(i - 1, b);
    return scores[at] + trigram[context * tags + c] + (adjust ? adjust[at] : 0);
  }
};

static DenseTrigrams dense(const Scores &scores, const Scores3 &trigram, const std::optional<Scores> &adjust) {
  const std::size_t tags = scores.shape(1);
  if (tags < 1 || trigram.shape(0) != tags + 1 || trigram.shape(1) != tags + 1 || trigram.shape(2) != tags)
    throw nb::value_error("trigram must be [tags + 1, tags + 1, tags]");
  if (adjust && (adjust->shape(0) != scores.shape(0) || adjust->shape(1) != tags))
    throw nb::value_error("adjust must have the shape of scores");
  return {scores.data(), trigram.data(), adjust ? adjust->data() : nullptr, int(tags)};
}

static std::pair<NewIndexColumn, double> viterbi(Scores scores, Scores3 trigram, std::optional<Scores> adjust) {
  const DenseTrigrams local = dense(scores, trigram, adjust);
  NewIndexColumn tags = new_array<NewIndexColumn>(scores.shape(0));
  nb::gil_scoped_release nogil;
  thread_local Trigrams lattice;
  lattice.open(std::vector<int>(scores.shape(0), local.tags));
  const double value = lattice.best(local, tags.data());
  return {tags, value};
}

static std::pair<NewScores, double> tag_sums(Scores scores, Scores3 trigram, std::optional<Scores> adjust) {
  const DenseTrigrams local = dense(scores, trigram, adjust);
  const int n = int(scores.shape(0));
  NewScores marginal = new_array<NewScores>(n, local.tags);
  nb::gil_scoped_release nogil;
  thread_local Trigrams lattice;
  lattice.open(std::vector<int>(n, local.tags));
  const double total = lattice.sum(local);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < local.tags; ++c) marginal.data()[std::size_t(i) * local.tags + c] = lattice.p_tag(i, c);
  return {marginal, total};
}

void bind_tagger(nb::module_ &m) {
  nb::class_<BoundTagModel>(m, "TagModel", "Tags one sentence after another (core/text/tagger.hpp).")
      .def(nb::init<TemplateItems, int, HashTable, int, int, int, bool>(), nb::arg("items").noconvert(),
           nb::arg("templates"), nb::arg("tag_parts").noconvert(), nb::arg("bits"), nb::arg("keep"),
           nb::arg("word_atom"), nb::arg("trigrams"))
      .def("decode", &BoundTagModel::decode, nb::arg("atoms").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("pool").noconvert(), nb::arg("rows").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("adjust").noconvert().none(), nb::arg("confidence"),
           "The best tags, their value, and the probability of each where it is wanted.")
      .def("decode_words", &BoundTagModel::decode_words, nb::arg("words"), nb::arg("rows").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("adjust").noconvert().none(),
           nb::arg("confidence"), "The same for words that the core describes.")
      .def("learn", &BoundTagModel::learn, nb::arg("atoms").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("pool").noconvert(), nb::arg("rows").noconvert(), nb::arg("gold").noconvert(),
           nb::arg("cells").noconvert(), nb::arg("step"), nb::arg("rate"), nb::arg("floor"), nb::arg("cost"),
           "One step on one sentence; returns the loss.")
      .def("learn_words", &BoundTagModel::learn_words, nb::arg("words"), nb::arg("rows").noconvert(),
           nb::arg("gold").noconvert(), nb::arg("cells").noconvert(), nb::arg("step"), nb::arg("rate"),
           nb::arg("floor"), nb::arg("cost"), "The same for words that the core describes.");
  m.def("viterbi", &viterbi, nb::arg("scores").noconvert(), nb::arg("trigram").noconvert(),
        nb::arg("adjust").noconvert().none(), "The best tag sequence and its value.");
  m.def("tag_sums", &tag_sums, nb::arg("scores").noconvert(), nb::arg("trigram").noconvert(),
        nb::arg("adjust").noconvert().none(), "The probability of each tag, and the log partition function.");
}

}  // namespace treewright
