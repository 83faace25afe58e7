#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "factors/factor_climb.hpp"
#include "factors/factor_learning.hpp"
#include "features.hpp"
#include "searching.hpp"

namespace treewright {

using HeadRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // a tree a row
using NewRows = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;
using HashPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

static ClassTables class_tables(const std::vector<int> &tag_atoms, int form_atom,
                                const std::vector<std::uint32_t> &punctuation,
                                const std::vector<std::uint32_t> &conjunction,
                                const std::vector<std::uint32_t> &adposition, const HashPairs &marks, int style) {
  if (style < 0 || style >= coordination_styles) throw nb::value_error("no such style of coordination");
  return {tag_atoms, form_atom, punctuation, conjunction, adposition, marks, style};
}

static void check_rows(const HeadRows &trees, int nodes) {
  if (int(trees.shape(1)) != nodes) throw nb::value_error("trees must have one column a node");
}

// A tree over that many nodes, without a cycle.
static void check_whole_tree(const int *heads, int nodes) {
  for (int m = 1; m < nodes; ++m)
    if (heads[m] < 0 || heads[m] >= nodes) throw nb::value_error("heads must be nodes");
  for (int m = 1; m < nodes; ++m) {
    int steps = 0;
    for (int node = m; node != 0; node = heads[node])
      if (++steps == nodes) throw nb::value_error("heads has a cycle; it must be a tree");
  }
}

class TreeScorer {
 public:
  TreeScorer(const Tables &tables, int bits, const std::vector<int> &tag_atoms, int form_atom,
             const std::vector<std::uint32_t> &punctuation, const std::vector<std::uint32_t> &conjunction,
             const std::vector<std::uint32_t> &adposition, const HashPairs &marks, int style)
      : bits_((check_bits(bits), bits)),
        sentence_(checked(tables), bits,
                  class_tables(tag_atoms, form_atom, punctuation, conjunction, adposition, marks, style)) {}

  void open(AtomTable atoms, AtomTable each) {
    const Atoms opened = atoms_of(atoms, each);
    if (opened.nodes > max_factor_nodes) throw nb::value_error("the sentence is too long");
    sentence_.open(opened);
    each_ = each;  // read again whenever shared features are visited
  }

  // Kind, nodes and state of each factor of a tree.
  std::tuple<NewIndexColumn, NewRows, NewIndexColumn> factors(IndexColumn heads) {
    check_tree_of(heads);
    std::vector<int> kinds, nodes, states;
    sentence_.visit(heads.data(), [&](const Factor &factor) {
      kinds.push_back(factor.kind), states.push_back(factor.state);
      nodes.insert(nodes.end(), factor.node.begin(), factor.node.end());
    });
    NewRows rows = new_array<NewRows>(kinds.size(), 5);
    std::copy(nodes.begin(), nodes.end(), rows.data());
    return {copied<NewIndexColumn>(kinds.data(), kinds.size()), rows,
            copied<NewIndexColumn>(states.data(), states.size())};
  }

  NewScoreColumn scores(IndexColumn kind, HeadRows nodes, IndexColumn state, const Weights &weights, double scale) {
    check_factors(kind, nodes, state);
    NewScoreColumn scores = new_array<NewScoreColumn>(kind.shape(0));
    with_weights(weights, scale, bits_, [&](const auto &table) {
      FactorScores score(sentence_.features, table, known_);
      for (std::size_t i = 0; i < kind.shape(0); ++i)
        scores.data()[i] =
            score({kind(i), {nodes(i, 0), nodes(i, 1), nodes(i, 2), nodes(i, 3), nodes(i, 4)}, state(i)});
    });
    return scores;
  }

  // The sum of the scores of the factors of each tree.
  NewScoreColumn values(HeadRows trees, const Weights &weights, double scale) {
    check_trees_of(trees);
    NewScoreColumn values = new_array<NewScoreColumn>(trees.shape(0));
    with_weights(weights, scale, bits_, [&](const auto &table) {
      FactorScores score(sentence_.features, table, known_);
      for (std::size_t i = 0; i < trees.shape(0); ++i) {
        double sum = 0;
        sentence_.visit(&trees(i, 0), [&](const Factor &factor) { sum += score(factor); });
        values.data()[i] = sum;
      }
    });
    return values;
  }

  // The best heads, their value, the end of each climb.
  std::tuple<Heads, double, NewRows> climb(const Parts &parts, const ClimbOptions &options,
                                           std::optional<IndexColumn> first, const Weights &weights, double scale,
                                           double max_seconds) {
    check_parts_of(parts);
    if (first) check_tree(parts, *first);
    Heads heads = new_array<Heads>(parts.nodes);
    std::vector<int> ends;
    double value = 0;
    with_weights(weights, scale, bits_, [&](const auto &table) {
      const std::function<bool()> is_cancelled = signal_waits;
      Deadline watch(max_seconds, is_cancelled);
      value = climber_.decode(parts, sentence_, table, options, first ? first->data() : nullptr, watch, heads.data(),
                              [&](const ClimbTree &tree) {
                                ends.resize(ends.size() + parts.nodes);
                                tree.write(ends.data() + ends.size() - parts.nodes);
                              });
    });
    if (climber_.was_interrupted) throw nb::python_error();
    return {heads, value, rows_of(ends, parts.nodes)};
  }

  // One climb: the heads after every change, and the values that the gains add up to.
  std::pair<NewRows, NewScoreColumn> climb_path(const Parts &parts, IndexColumn start, bool single_root,
                                                bool projective, const Weights &weights, double scale) {
    check_parts_of(parts);
    check_tree(parts, start);
    std::vector<int> rows;
    std::vector<double> values;
    with_weights(weights, scale, bits_, [&](const auto &table) {
      FactorGains gains(sentence_, table, known_);
      const auto record = [&](const ClimbTree &now) {
        rows.resize(rows.size() + parts.nodes);
        now.write(rows.data() + rows.size() - parts.nodes);
        values.push_back(now.total().value());
      };
      climber_.climb(parts, {single_root, projective}, start.data(), gains, record, [] { return true; });
    });
    return {rows_of(rows, parts.nodes), copied<NewScoreColumn>(values.data(), values.size())};
  }

  // The sentences of a batch in turn: one result each, as `climb` gives it, with the number of climbs.
  std::vector<std::tuple<Heads, double, int>> batch_climb(const AtomBatch &batch,
                                                          const std::vector<const Parts *> &parts,
                                                          const ClimbOptions &options,
                                                          const std::vector<IndexColumn> &first, const Weights &weights,
                                                          double scale, double max_seconds) {
    const std::size_t count = batch.sentences();
    if (parts.size() != count || first.size() != count)
      throw nb::value_error("there must be parts and a tree a sentence");
    std::vector<std::tuple<Heads, double, int>> found;
    for (std::size_t s = 0; s < count; ++s) {
      if (parts[s]->nodes != batch.nodes(int(s))) throw nb::value_error("the parts do not fit the sentence");
      check_tree(*parts[s], first[s]);
      found.emplace_back(new_array<Heads>(parts[s]->nodes), 0.0, 0);
    }
    with_weights(weights, scale, bits_, [&](const auto &table) {
      const std::function<bool()> is_cancelled = signal_waits;
      for (std::size_t s = 0; s < count && !climber_.was_interrupted; ++s) {
        auto &[heads, value, restarts] = found[s];
        sentence_.open(batch.at(int(s)));
        Deadline watch(max_seconds, is_cancelled);
        value = climber_.decode(*parts[s], sentence_, table, options, first[s].data(), watch, heads.data(),
                                [](const ClimbTree &) {});
        restarts = climber_.restarts;
      }
      sentence_.features.close();
    });
    if (climber_.was_interrupted) throw nb::python_error();
    return found;
  }

  // Adds the counts of the factors of trees, each times its coefficient, to the gradient of the weights.
  void add_trees(BoundLearner &learner, HeadRows trees, ScoreColumn coefficients) {
    check_learner(learner, bits_);
    check_trees_of(trees);
    if (coefficients.shape(0) != trees.shape(0)) throw nb::value_error("there must be one coefficient a tree");
    nb::gil_scoped_release nogil;
    gradient_.clear();
    for (std::size_t i = 0; i < trees.shape(0); ++i) gradient_.add_tree(sentence_, &trees(i, 0), coefficients(i));
    gradient_.spread(sentence_.features, learner.learner);
  }

  // The same of the choices of heads in a tree; returns the loss.
  double add_choices(BoundLearner &learner, const Parts &parts, IndexColumn heads, IndexColumn gold, bool single_root,
                     bool projective, double temperature, double margin) {
    check_learner(learner, bits_);
    check_parts_of(parts);
    check_tree(parts, heads);
    check_tree_of(gold);
    if (!(temperature > 0)) throw nb::value_error("temperature must be positive");
    nb::gil_scoped_release nogil;
    gradient_.clear();
    const WeightTable<float> weights{learner.learner.weights(), 1.0};
    const double loss = gradient_.add_choices(parts, sentence_, weights, {single_root, projective}, heads.data(),
                                              gold.data(), temperature, margin);
    gradient_.spread(sentence_.features, learner.learner);
    return loss;
  }

 private:
  static std::vector<TemplateTable> checked(const Tables &tables) {
    const std::vector<TemplateTable> found = tables_of(tables, factor_kinds);
    for (const TemplateTable &table : found)
      for (const TemplateTable::Item &item : table.items)
        if (item.role < 0 || item.role >= factor_roles[table.kind]) throw nb::value_error("no such role");
    return found;
  }

  static NewRows rows_of(const std::vector<int> &cells, int width) {
    NewRows rows = new_array<NewRows>(cells.size() / width, width);
    std::copy(cells.begin(), cells.end(), rows.data());
    return rows;
  }

  int nodes() const {
    if (sentence_.features.nodes() == 0) throw nb::value_error("open a sentence first");
    return sentence_.features.nodes();
  }
  void check_parts_of(const Parts &parts) const {
    if (parts.nodes != nodes()) throw nb::value_error("the parts do not fit the sentence");
  }
  void check_tree_of(const IndexColumn &heads) const {
    if (int(heads.shape(0)) != nodes()) throw nb::value_error("heads must have one entry a node");
    check_whole_tree(heads.data(), nodes());
  }
  void check_trees_of(const HeadRows &trees) const {
    check_rows(trees, nodes());
    for (std::size_t i = 0; i < trees.shape(0); ++i) check_whole_tree(&trees(i, 0), nodes());
  }
  void check_factors(const IndexColumn &kind, const HeadRows &nodes_given, const IndexColumn &state) const {
    const std::size_t count = kind.shape(0);
    if (nodes_given.shape(0) != count || nodes_given.shape(1) != 5 || state.shape(0) != count)
      throw nb::value_error("kind, nodes and state must have one row a factor");
    for (std::size_t i = 0; i < count; ++i) {
      if (kind(i) < 0 || kind(i) >= factor_kinds || state(i) < 0) throw nb::value_error("no such kind of factor");
      for (int role = 0; role < 5; ++role) {
        const bool is_role = role < factor_roles[kind(i)];
        if (nodes_given(i, role) < (is_role ? 0 : -1) || nodes_given(i, role) >= nodes() + Rows::absent_nodes)
          throw nb::value_error("a factor has a node that the sentence does not have");
      }
      if (kind(i) == shared_features &&
          (state(i) >= sentence_.features.atoms().each_width || nodes_given(i, 0) >= nodes()))
        throw nb::value_error("a factor has a feature that its word does not have");
    }
  }

  int bits_;
  FactorSentence sentence_;
  FactorClimber climber_;
  FactorGradient gradient_;
  FlatMap<double> known_;
  AtomTable each_;
};

void bind_factors(nb::module_ &m) {
  nb::class_<TreeScorer>(m, "TreeScorer", "Scores third-order parts and global features of trees (core/factors).")
      .def(nb::init<const Tables &, int, const std::vector<int> &, int, const std::vector<std::uint32_t> &,
                    const std::vector<std::uint32_t> &, const std::vector<std::uint32_t> &, const HashPairs &, int>(),
           nb::arg("tables"), nb::arg("bits"), nb::arg("tag_atoms"), nb::arg("form_atom"), nb::arg("punctuation"),
           nb::arg("conjunction"), nb::arg("adposition"), nb::arg("marks"), nb::arg("style"))
      .def("open", &TreeScorer::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(),
           "The sentence that the methods for one sentence score.")
      .def("factors", &TreeScorer::factors, nb::arg("heads").noconvert(), "Kind, nodes and state of a tree's factors.")
      .def("scores", &TreeScorer::scores, nb::arg("kind").noconvert(), nb::arg("nodes").noconvert(),
           nb::arg("state").noconvert(), nb::arg("weights").noconvert(), nb::arg("scale"), "The scores of factors.")
      .def("values", &TreeScorer::values, nb::arg("trees").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("scale"), "The sum of the scores of the factors of each tree.")
      .def("climb", &TreeScorer::climb, nb::arg("parts"), nb::arg("options"), nb::arg("first").noconvert().none(),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("max_seconds"),
           "The best heads, their value, and the end of each climb.")
      .def("climb_path", &TreeScorer::climb_path, nb::arg("parts"), nb::arg("start").noconvert(),
           nb::arg("single_root"), nb::arg("projective"), nb::arg("weights").noconvert(), nb::arg("scale"),
           "One climb: the heads after every change, and the values that the gains add up to.")
      .def("batch_climb", &TreeScorer::batch_climb, nb::arg("batch"), nb::arg("parts"), nb::arg("options"),
           nb::arg("first"), nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("max_seconds"),
           "The best heads of each sentence, their value, and how many climbs were made.")
      .def("add_trees", &TreeScorer::add_trees, nb::arg("learner"), nb::arg("trees").noconvert(),
           nb::arg("coefficients").noconvert(), "Adds the counts of trees to the gradient of the weights.")
      .def("add_choices", &TreeScorer::add_choices, nb::arg("learner"), nb::arg("parts"), nb::arg("heads").noconvert(),
           nb::arg("gold").noconvert(), nb::arg("single_root"), nb::arg("projective"), nb::arg("temperature"),
           nb::arg("margin"), "Adds the gradient of the choices of heads in a tree, and returns the loss.");
}

}  // namespace treewright
