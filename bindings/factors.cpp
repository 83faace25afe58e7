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

using HashPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

static ClassTables class_tables(const std::vector<int> &tag_atoms, int form_atom,
                                const std::vector<std::uint32_t> &punctuation,
                                const std::vector<std::uint32_t> &conjunction,
                                const std::vector<std::uint32_t> &adposition, const HashPairs &marks, int style) {
  if (style < 0 || style >= coordination_styles) throw nb::value_error("no such style of coordination");
  return {tag_atoms, form_atom, punctuation, conjunction, adposition, marks, style};
}

// A tree over that many nodes, without a cycle.
static void check_whole_tree(const int *heads, int nodes) {
  for (int m = 1; m < nodes; ++m)
    if (heads[m] < 0 || heads[m] >= nodes) throw nb::value_error("heads must be nodes");
  check_no_cycle(heads, nodes);
}

class TreeScorer {
 public:
  TreeScorer(const Tables &tables, int bits, const std::vector<int> &tag_atoms, int form_atom,
             const std::vector<std::uint32_t> &punctuation, const std::vector<std::uint32_t> &conjunction,
             const std::vector<std::uint32_t> &adposition, const HashPairs &marks, int style)
      : bits_((check_bits(bits), bits)),
        sentence_(checked(tables), bits,
                  class_tables(tag_atoms, form_atom, punctuation, conjunction, adposition, marks, style)) {}

  // Kind, nodes and state of each factor of a tree.
  std::tuple<NewIndexColumn, NewIndexRows, NewIndexColumn> factors(const AtomBatch &batch, IndexColumn heads) {
    open_only(batch);
    check_tree_of(heads);
    std::vector<int> kinds, nodes, states;
    sentence_.visit(heads.data(), [&](const Factor &factor) {
      kinds.push_back(factor.kind), states.push_back(factor.state);
      nodes.insert(nodes.end(), factor.node.begin(), factor.node.end());
    });
    return {copied<NewIndexColumn>(kinds), copied<NewIndexRows>(nodes, 5), copied<NewIndexColumn>(states)};
  }

  // The sum of the scores of the factors of each tree.
  NewScoreColumn values(const AtomBatch &batch, IndexRows trees, const Weights &weights, double scale) {
    open_only(batch);
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

  // For each sentence the best heads, their value, and the value at the end of each climb.
  std::vector<std::tuple<Heads, double, std::vector<double>>> climb(
      const AtomBatch &batch, const std::vector<const Parts *> &parts, const ClimbOptions &options,
      const std::optional<std::vector<IndexColumn>> &first, const Weights &weights, double scale, double max_seconds) {
    const std::size_t count = batch.sentences();
    if (parts.size() != count || (first && first->size() != count))
      throw nb::value_error("there must be parts and a tree a sentence");
    std::vector<std::tuple<Heads, double, std::vector<double>>> best;
    for (std::size_t s = 0; s < count; ++s) {
      check_length(batch, int(s));
      if (parts[s]->nodes != batch.nodes(int(s))) throw nb::value_error("the parts do not fit the sentence");
      if (first) check_tree(*parts[s], (*first)[s]);
      best.emplace_back(new_array<Heads>(parts[s]->nodes), 0.0, std::vector<double>());
    }
    with_weights(weights, scale, bits_, [&](const auto &table) {
      const std::function<bool()> is_cancelled = signal_waits;
      for (std::size_t s = 0; s < count && !climber_.was_interrupted; ++s) {
        auto &[heads, value, ends] = best[s];
        sentence_.open(batch.at(int(s)));
        Deadline watch(max_seconds, is_cancelled);
        value = climber_.decode(*parts[s], sentence_, table, options, first ? (*first)[s].data() : nullptr, watch,
                                heads.data(), [&](const ClimbTree &tree) { ends.push_back(tree.total().value()); });
      }
    });
    if (climber_.was_interrupted) {
      climber_.was_interrupted = false;
      throw nb::python_error();
    }
    return best;
  }

  // One climb: the heads after every change, and the values that the gains add up to.
  std::pair<NewIndexRows, NewScoreColumn> climb_path(const AtomBatch &batch, const Parts &parts, IndexColumn start,
                                                     bool single_root, bool projective, const Weights &weights,
                                                     double scale) {
    open_only(batch);
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
    return {copied<NewIndexRows>(rows, parts.nodes), copied<NewScoreColumn>(values)};
  }

  // Adds the gradient of the choice of each word's head in a tree; returns the loss.
  double add_choices(BoundLearner &learner, const AtomBatch &batch, const Parts &parts, IndexColumn heads,
                     bool single_root, bool projective, double margin) {
    check_learner(learner, bits_);
    open_only(batch);
    check_parts_of(parts);
    check_tree(parts, heads);
    nb::gil_scoped_release nogil;
    gradient_.clear();
    const WeightTable<float> weights{learner.learner.weights(), 1.0};
    const double loss =
        gradient_.add_choices(parts, sentence_, weights, {single_root, projective}, heads.data(), margin);
    gradient_.spread(sentence_.features, learner.learner);
    return loss;
  }

  // Adds the features of one tree minus those of another.
  void add_difference(BoundLearner &learner, const AtomBatch &batch, IndexColumn heads, IndexColumn others) {
    check_learner(learner, bits_);
    open_only(batch);
    check_tree_of(heads), check_tree_of(others);
    nb::gil_scoped_release nogil;
    gradient_.clear();
    gradient_.add_tree(sentence_, heads.data(), 1.0);
    gradient_.add_tree(sentence_, others.data(), -1.0);
    gradient_.spread(sentence_.features, learner.learner);
  }

 private:
  static std::vector<TemplateTable> checked(const Tables &tables) {
    const std::vector<TemplateTable> found = tables_of(tables, factor_kinds);
    for (const TemplateTable &table : found)
      for (const TemplateTable::Item &item : table.items)
        if (item.role < 0 || item.role >= factor_roles[table.kind]) throw nb::value_error("no such role");
    return found;
  }

  static void check_length(const AtomBatch &batch, int s) {
    if (batch.nodes(s) > max_factor_nodes) throw nb::value_error("the sentence is too long");
  }
  void open_only(const AtomBatch &batch) {
    if (batch.sentences() != 1) throw nb::value_error("there must be one sentence");
    check_length(batch, 0);
    sentence_.open(batch.at(0));
  }
  int nodes() const { return sentence_.features.nodes(); }
  void check_parts_of(const Parts &parts) const {
    if (parts.nodes != nodes()) throw nb::value_error("the parts do not fit the sentence");
  }
  void check_tree_of(const IndexColumn &heads) const {
    if (int(heads.shape(0)) != nodes()) throw nb::value_error("heads must have one entry a node");
    check_whole_tree(heads.data(), nodes());
  }
  void check_trees_of(const IndexRows &trees) const {
    if (int(trees.shape(1)) != nodes()) throw nb::value_error("trees must have one column a node");
    for (std::size_t i = 0; i < trees.shape(0); ++i) check_whole_tree(&trees(i, 0), nodes());
  }

  int bits_;
  FactorSentence sentence_;
  FactorClimber climber_;
  FactorGradient gradient_;
  FlatMap<double> known_;
};

void bind_factors(nb::module_ &m) {
  nb::class_<TreeScorer>(m, "TreeScorer", "Scores third-order parts and global features of trees (core/factors).")
      .def(nb::init<const Tables &, int, const std::vector<int> &, int, const std::vector<std::uint32_t> &,
                    const std::vector<std::uint32_t> &, const std::vector<std::uint32_t> &, const HashPairs &, int>(),
           nb::arg("tables"), nb::arg("bits"), nb::arg("tag_atoms"), nb::arg("form_atom"), nb::arg("punctuation"),
           nb::arg("conjunction"), nb::arg("adposition"), nb::arg("marks"), nb::arg("style"))
      .def("factors", &TreeScorer::factors, nb::arg("batch"), nb::arg("heads").noconvert(),
           "Kind, nodes and state of a tree's factors; of a batch of one sentence.")
      .def("values", &TreeScorer::values, nb::arg("batch"), nb::arg("trees").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("scale"),
           "The sum of the scores of the factors of each tree of a batch of one sentence.")
      .def("climb", &TreeScorer::climb, nb::arg("batch"), nb::arg("parts"), nb::arg("options"), nb::arg("first").none(),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("max_seconds"),
           "The best heads of each sentence, their value, and the value at the end of each climb; the first climb "
           "begins with the tree in `first`, if there is one.")
      .def("climb_path", &TreeScorer::climb_path, nb::arg("batch"), nb::arg("parts"), nb::arg("start").noconvert(),
           nb::arg("single_root"), nb::arg("projective"), nb::arg("weights").noconvert(), nb::arg("scale"),
           "One climb: the heads after every change, and the values that the gains add up to.")
      .def("add_choices", &TreeScorer::add_choices, nb::arg("learner"), nb::arg("batch"), nb::arg("parts"),
           nb::arg("heads").noconvert(), nb::arg("single_root"), nb::arg("projective"), nb::arg("margin"),
           "Adds the gradient of the choices of heads in a tree, and returns the loss.")
      .def("add_difference", &TreeScorer::add_difference, nb::arg("learner"), nb::arg("batch"),
           nb::arg("heads").noconvert(), nb::arg("others").noconvert(),
           "Adds the features of one tree minus those of another.");
}

}  // namespace treewright
