#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "grammar/collins_chart.hpp"

namespace treewright {

// Rows of events; the numbers of column c are in ends[c].
static void check_events(const char *name, const IndexRows &events, const std::vector<std::pair<int, int>> &ends) {
  if (events.shape(1) != ends.size())
    throw nb::value_error((std::string(name) + " must have " + std::to_string(ends.size()) + " columns").c_str());
  for (std::size_t row = 0; row < events.shape(0); ++row)
    for (std::size_t column = 0; column < ends.size(); ++column)
      if (events(row, column) < ends[column].first || events(row, column) >= ends[column].second)
        throw nb::value_error(
            (std::string(name) + " has a number out of range in column " + std::to_string(column)).c_str());
}

static void add_events(CollinsModel &model, const IndexRows &heads, const IndexRows &modifiers, const IndexRows &tops) {
  using Ends = std::pair<int, int>;
  const Ends symbol{1, model.symbols()}, outer{0, model.symbols()}, tag{1, model.tags() + 1},
      no_tag{0, model.tags() + 1};
  const Ends word{0, model.words()}, flag{0, 2}, distance{0, 4}, count{1, 1 << 30};
  check_events("heads", heads, {symbol, symbol, word, tag, count});
  check_events("modifiers", modifiers, {flag, symbol, symbol, tag, word, flag, distance, outer, no_tag, word, count});
  check_events("tops", tops, {symbol, tag, word, count});
  for (std::size_t row = 0; row < heads.shape(0); ++row)
    model.add(HeadEvent{heads(row, 0), heads(row, 1), heads(row, 2), heads(row, 3), heads(row, 4)});
  for (std::size_t row = 0; row < modifiers.shape(0); ++row) {
    const auto at = [&](std::size_t column) { return int(modifiers(row, column)); };
    model.add(ModifierEvent{{at(0), at(1), at(2), at(3), at(4), at(5), at(6)}, at(7), at(8), at(9), at(10)});
  }
  for (std::size_t row = 0; row < tops.shape(0); ++row)
    model.add(TopEvent{tops(row, 0), tops(row, 1), tops(row, 2), tops(row, 3)});
}

static void make_model(CollinsModel *self, int tags, int words, int base, std::vector<int> classes, Mask is_verb,
                       IndexRows heads, IndexRows modifiers, IndexRows tops) {
  const int symbols = int(classes.size());
  if (symbols > 1 << 14 || tags < 1 || tags >= symbols || words < 1) throw nb::value_error("bad numbers of symbols");
  if (is_verb.shape(0) != std::size_t(symbols)) throw nb::value_error("is_verb must have one entry a symbol");
  for (int value : classes)
    if (value < 0 || value > 3) throw nb::value_error("classes must be 0 to 3");
  nb::gil_scoped_release nogil;
  new (self) CollinsModel(symbols, tags, words, base, std::move(classes),
                          std::vector<char>(is_verb.data(), is_verb.data() + symbols));
  add_events(*self, heads, modifiers, tops);
}

static void check_input(const CollinsModel &model, const CollinsInput &input) {
  const std::size_t n = input.words.size();
  if (n == 0 || n > 4000) throw nb::value_error("a sentence must have 1 to 4000 words");
  if (input.tags.size() != n) throw nb::value_error("tags must have one entry a word");
  for (int word : input.words)
    if (word < 0 || word >= model.words()) throw nb::value_error("a word is out of range");
  for (const std::vector<int> &tags : input.tags)
    for (int tag : tags)
      if (tag < 1 || tag > model.tags()) throw nb::value_error("a tag is out of range");
}

static void check_adjustment(const Scores &adjustment, int words) {
  if (int(adjustment.shape(0)) != words + 1 || int(adjustment.shape(1)) != words + 1)
    throw nb::value_error("adjustment must be [h, m] over the root and the words");
  check_scores_of("adjustment", adjustment);
}

// Adjustments of arcs, and of tags if there are some.
static ForestAdjustment checked(const Scores &arcs, const std::optional<Scores> &tags, int words, int count) {
  check_adjustment(arcs, words);
  if (!tags) return {arcs.data()};
  if (int(tags->shape(0)) != words || int(tags->shape(1)) != count)
    throw nb::value_error("tag_adjustment must have a row a word and a column a tag");
  check_scores_of("tag_adjustment", *tags);
  return {arcs.data(), tags->data()};
}

static std::tuple<Forest, bool, bool> make_forest(const CollinsModel &model, std::vector<int> words,
                                                  std::vector<std::vector<int>> tags, Scores adjustment, double beam,
                                                  int max_unary, bool partial, std::size_t max_size) {
  const CollinsInput input{std::move(words), std::move(tags)};
  check_input(model, input);
  check_adjustment(adjustment, int(input.words.size()));
  if (max_unary < 0 || max_unary > 15) throw nb::value_error("max_unary must be 0 to 15");
  nb::gil_scoped_release nogil;
  CollinsChart chart(model, input, {beam, max_unary, partial, max_size});
  Forest forest = chart.build(adjustment.data());
  return {std::move(forest), chart.is_full, chart.is_partial};
}

static std::tuple<double, NewIndexRows, Heads> best_of(const Forest &forest, Scores adjustment,
                                                       std::optional<Scores> tag_adjustment) {
  const ForestAdjustment adjustments = checked(adjustment, tag_adjustment, forest.words, forest.tags);
  std::vector<Constituent> constituents;
  Heads heads = new_array<Heads>(forest.words + 1);
  std::fill_n(heads.data(), forest.words + 1, -1);
  double value;
  {
    nb::gil_scoped_release nogil;
    std::vector<std::int64_t> best;
    std::vector<double> values;
    value = forest.best(adjustments, best, values);
    if (value > forbidden) forest.read(best, constituents, heads.data());
  }
  NewIndexRows table = new_array<NewIndexRows>(constituents.size(), 5);
  std::int32_t *cell = table.data();
  for (const Constituent &c : constituents)
    for (std::int32_t field : {c.label, c.begin, c.end, c.head, c.tag}) *cell++ = field;
  return {value, table, heads};
}

static double log_sum_of(const Forest &forest, Scores adjustment) {
  check_adjustment(adjustment, forest.words);
  nb::gil_scoped_release nogil;
  return forest.log_sum({adjustment.data()});
}

static std::pair<NewIndexRows, NewScoreColumn> edges_of(const Forest &forest) {
  NewIndexRows table = new_array<NewIndexRows>(forest.edges.size(), 4);
  NewScoreColumn scores = new_array<NewScoreColumn>(forest.edges.size());
  for (std::size_t v = 0; v < forest.nodes.size(); ++v)
    for (std::int64_t e = forest.nodes[v].edges; e < forest.edges_end(v); ++e) {
      const ForestEdge &edge = forest.edges[e];
      const std::int32_t row[] = {std::int32_t(v), edge.first, edge.second, edge.arc};
      std::copy_n(row, 4, table.data() + 4 * e);
      scores.data()[e] = edge.score;
    }
  return {table, scores};
}

static NewIndexRows words_of(const Forest &forest) {
  std::vector<std::int32_t> cells;
  for (std::size_t v = 0; v < forest.nodes.size(); ++v)
    if (forest.nodes[v].edges < forest.edges_end(v) && Forest::is_word(forest.edges[forest.nodes[v].edges]))
      cells.insert(cells.end(), {forest.nodes[v].begin, forest.nodes[v].tag});
  return copied<NewIndexRows>(cells, 2);
}

void bind_collins(nb::module_ &m) {
  nb::class_<Forest>(m, "Forest", "A packed forest of the derivations of one sentence.")
      .def_prop_ro("nodes", [](const Forest &forest) { return forest.nodes.size(); })
      .def_prop_ro("edges", [](const Forest &forest) { return forest.edges.size(); })
      .def("best", &best_of, nb::arg("adjustment"), nb::arg("tag_adjustment") = nb::none(),
           "Value, constituents (label, begin, end, head, tag) and heads of the best derivation; -inf for none.")
      .def("log_sum", &log_sum_of, nb::arg("adjustment"), "The logarithm of the sum over all derivations.")
      .def("words", &words_of, "The words, from 0, and their tags that occur in derivations.")
      .def("arrays", &edges_of,
           "Node, first and second node below, and arc of each edge; and the scores of the edges.");
  nb::class_<CollinsModel>(m, "CollinsModel", "The probabilities of Collins' model 1, from counts of events.")
      .def("__init__", &make_model, nb::arg("tags"), nb::arg("words"), nb::arg("base"), nb::arg("classes"),
           nb::arg("is_verb"), nb::arg("heads"), nb::arg("modifiers"), nb::arg("tops"))
      .def("forest", &make_forest, nb::arg("words"), nb::arg("tags"), nb::arg("adjustment"), nb::arg("beam"),
           nb::arg("max_unary"), nb::arg("partial"), nb::arg("max_size"),
           "The derivations of a sentence; whether the limit of size was reached (the forest is then empty); and "
           "whether the derivations are covers by several phrases.");
  m.attr("PIECE_PENALTY") = CollinsChart::piece_penalty;
}

}  // namespace treewright
