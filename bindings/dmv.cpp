#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "charts/dmv_corpus.hpp"

namespace treewright {

using Counts = std::tuple<NewScoreColumn, NewScores3, NewScores3, NewScores3>;

// Finite and not negative; logarithms are taken of them.
static void check_probabilities(const char *name, const double *numbers, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    if (!(numbers[k] >= 0 && numbers[k] <= largest_score))
      throw nb::value_error((std::string(name) + " must not be negative, NaN or infinite").c_str());
}

static DmvTables checked_tables(ScoreColumn root, Scores3 stop, Scores3 go, Scores3 attach) {
  const std::size_t tags = root.shape(0);
  for (const Scores3 &table : {stop, go})
    if (table.shape(0) != tags || table.shape(1) != 2 || table.shape(2) != 2)
      throw nb::value_error("stop and go must be [tag, side, valence]");
  if (attach.shape(0) != tags || attach.shape(1) != 2 || attach.shape(2) != tags)
    throw nb::value_error("attach must be [head tag, side, modifier tag]");
  check_probabilities("root", root.data(), root.size());
  check_probabilities("stop", stop.data(), stop.size());
  check_probabilities("go", go.data(), go.size());
  check_probabilities("attach", attach.data(), attach.size());
  // The tables are read only: DmvTables serves parameters and counts alike.
  return {int(tags), const_cast<double *>(root.data()), const_cast<double *>(stop.data()),
          const_cast<double *>(go.data()), const_cast<double *>(attach.data())};
}

static void check_corpus(IndexColumn tags, IndexColumn ends, int kinds) {
  std::int32_t last = 0;
  for (std::size_t i = 0; i < ends.shape(0); last = ends(i++))
    if (ends(i) <= last) throw nb::value_error("ends must increase: every sentence has a word");
  if (std::size_t(last) != tags.shape(0)) throw nb::value_error("the last end must be the number of tags");
  for (std::size_t i = 0; i < tags.shape(0); ++i)
    if (tags(i) < 0 || tags(i) >= kinds) throw nb::value_error("a tag is out of range");
}

static DmvLimits checked_limits(int tags, Mask leaf, ScoreColumn length_weight, int depth, int chunk) {
  if (leaf.shape(0) != std::size_t(tags)) throw nb::value_error("leaf must have one entry a tag");
  if (depth < 0 || chunk < 0) throw nb::value_error("depth and chunk must not be negative");
  check_probabilities("length_weight", length_weight.data(), length_weight.size());
  return {depth, chunk, leaf.data(), length_weight.data(), int(length_weight.shape(0))};
}

static Counts new_counts(int tags) {
  return {zeros<NewScoreColumn>(tags), zeros<NewScores3>(tags, 2, 2), zeros<NewScores3>(tags, 2, 2),
          zeros<NewScores3>(tags, 2, tags)};
}

static DmvTables tables_of(Counts &counts) {
  return {int(std::get<0>(counts).shape(0)), std::get<0>(counts).data(), std::get<1>(counts).data(),
          std::get<2>(counts).data(), std::get<3>(counts).data()};
}

static std::pair<NewScoreColumn, Counts> dmv_expectations(IndexColumn tags, IndexColumn ends, ScoreColumn root,
                                                          Scores3 stop, Scores3 go, Scores3 attach, Mask leaf,
                                                          ScoreColumn length_weight, int depth, int chunk) {
  const DmvTables tables = checked_tables(root, stop, go, attach);
  const DmvLimits limits = checked_limits(tables.tags, leaf, length_weight, depth, chunk);
  check_corpus(tags, ends, tables.tags);
  NewScoreColumn values = new_array<NewScoreColumn>(ends.shape(0));
  Counts counts = new_counts(tables.tags);
  DmvTables sums = tables_of(counts);
  {
    nb::gil_scoped_release nogil;
    DmvCorpus corpus(tables, limits);
    std::int32_t begin = 0;
    for (std::size_t i = 0; i < ends.shape(0); begin = ends(i++))
      values.data()[i] = corpus.expect(tags.data() + begin, ends(i) - begin, sums);
  }
  return {values, counts};
}

static std::pair<Heads, NewScoreColumn> dmv_decode(IndexColumn tags, IndexColumn ends, ScoreColumn root, Scores3 stop,
                                                   Scores3 go, Scores3 attach, Mask leaf, ScoreColumn length_weight,
                                                   int depth, int chunk, std::optional<Scores> extra) {
  const DmvTables tables = checked_tables(root, stop, go, attach);
  const DmvLimits limits = checked_limits(tables.tags, leaf, length_weight, depth, chunk);
  check_corpus(tags, ends, tables.tags);
  if (extra && (ends.shape(0) != 1 || extra->shape(0) != tags.shape(0) + 1 || extra->shape(1) != tags.shape(0) + 1))
    throw nb::value_error("extra is [h, m] of one sentence");
  if (extra) check_scores_of("extra", *extra);
  Heads heads = new_array<Heads>(tags.shape(0));
  NewScoreColumn values = new_array<NewScoreColumn>(ends.shape(0));
  {
    nb::gil_scoped_release nogil;
    DmvCorpus corpus(tables, limits);
    std::vector<int> tree;
    std::int32_t begin = 0;
    for (std::size_t i = 0; i < ends.shape(0); begin = ends(i++)) {
      const int words = ends(i) - begin;
      tree.assign(words + 1, -1);
      values.data()[i] = corpus.decode(tags.data() + begin, words, extra ? extra->data() : nullptr, tree.data());
      std::copy(tree.begin() + 1, tree.end(), heads.data() + begin);
    }
  }
  return {heads, values};
}

static Counts dmv_counts(IndexColumn tags, IndexColumn ends, IndexColumn heads, int kinds) {
  check_corpus(tags, ends, kinds);
  if (heads.shape(0) != tags.shape(0)) throw nb::value_error("heads must have one entry a word");
  std::int32_t begin = 0;
  for (std::size_t i = 0; i < ends.shape(0); begin = ends(i++))
    for (std::int32_t k = begin; k < ends(i); ++k)
      if (heads(k) < 0 || heads(k) > ends(i) - begin) throw nb::value_error("a head is out of range");
  Counts counts = new_counts(kinds);
  DmvTables sums = tables_of(counts);
  {
    nb::gil_scoped_release nogil;
    std::vector<int> tree;
    begin = 0;
    for (std::size_t i = 0; i < ends.shape(0); begin = ends(i++)) {
      tree.assign(1, -1);
      tree.insert(tree.end(), heads.data() + begin, heads.data() + ends(i));
      DmvCorpus::count(tags.data() + begin, ends(i) - begin, tree.data(), sums);
    }
  }
  return counts;
}

void bind_dmv(nb::module_ &m) {
  m.def("dmv_expectations", &dmv_expectations, nb::arg("tags").noconvert(), nb::arg("ends").noconvert(),
        nb::arg("root").noconvert(), nb::arg("stop").noconvert(), nb::arg("go").noconvert(),
        nb::arg("attach").noconvert(), nb::arg("leaf").noconvert(), nb::arg("length_weight").noconvert(),
        nb::arg("depth"), nb::arg("chunk"),
        "Log likelihood of each sentence, and the expected counts (root, stop, go, attach) of the corpus.");
  m.def("dmv_decode", &dmv_decode, nb::arg("tags").noconvert(), nb::arg("ends").noconvert(),
        nb::arg("root").noconvert(), nb::arg("stop").noconvert(), nb::arg("go").noconvert(),
        nb::arg("attach").noconvert(), nb::arg("leaf").noconvert(), nb::arg("length_weight").noconvert(),
        nb::arg("depth"), nb::arg("chunk"), nb::arg("extra").noconvert().none(),
        "Heads of every word (as CoNLL numbers) and the log value of each sentence's best tree.");
  m.def("dmv_counts", &dmv_counts, nb::arg("tags").noconvert(), nb::arg("ends").noconvert(),
        nb::arg("heads").noconvert(), nb::arg("kinds"), "Counts (root, stop, go, attach) of given trees.");
}

}  // namespace treewright
