#include "features.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "learning/chain.hpp"
#include "learning/labeller.hpp"
#include "learning/pruner.hpp"
#include "learning/scoring.hpp"

namespace treewright {

class Scorer {
 public:
  Scorer(const Tables &tables, int bits)
      : bits_((check_bits(bits), bits)), features_(tables_of(tables, PartFeatures::kinds), bits) {}

  void open(AtomTable atoms, AtomTable each, bool second_order) {
    const Atoms opened = atoms_of(atoms, each);
    nb::gil_scoped_release nogil;
    features_.open(opened, second_order);
    each_ = each;  // read again whenever a part is visited
  }

  NewScores arcs(const Weights &weights, double scale) const {
    NewScores arc = new_array<NewScores>(features_.nodes(), features_.nodes());
    with_weights(weights, scale, bits_, [&](const auto &table) { score_all_arcs(features_, table, arc.data()); });
    return arc;
  }

  Parts parts(IndexColumn head, IndexColumn modifier, bool siblings, bool grandparents, const Weights &weights,
              double scale) const {
    const std::size_t count = head.shape(0);
    if (modifier.shape(0) != count) throw nb::value_error("head and modifier differ in length");
    for (std::size_t i = 0; i < count; ++i)
      if (head(i) < 0 || head(i) >= features_.nodes() || modifier(i) < 1 || modifier(i) >= features_.nodes() ||
          head(i) == modifier(i))
        throw nb::value_error(("arc " + std::to_string(i) + " is none").c_str());
    const std::vector<double> zeros(count, 0.0);
    Parts parts(features_.nodes(), int(count), head.data(), modifier.data(), zeros.data());
    if (siblings) parts.add_transitions();
    if (grandparents) parts.add_grand();
    with_weights(weights, scale, bits_, [&](const auto &table) { score_parts(features_, table, parts); });
    return parts;
  }

  // Heads and modifiers of the candidate arcs, and the marginal of every arc.
  std::tuple<NewIndexColumn, NewIndexColumn, NewScores> prune(const Weights &weights, double scale, bool projective,
                                                              bool single_root, double threshold, int max_heads,
                                                              std::optional<IndexColumn> gold) {
    const int nodes = features_.nodes();
    if (gold) check_heads(*gold, nodes);
    if (max_heads < 1) throw nb::value_error("max_heads must be at least 1");
    NewScores marginal = new_array<NewScores>(nodes, nodes);
    const PruningRules rules{projective, single_root, threshold, max_heads};
    with_weights(weights, scale, bits_, [&](const auto &table) {
      pruner_.run(features_, table, rules, gold ? gold->data() : nullptr, marginal.data());
    });
    return {copied<NewIndexColumn>(pruner_.heads.data(), pruner_.heads.size()),
            copied<NewIndexColumn>(pruner_.modifiers.data(), pruner_.modifiers.size()), marginal};
  }

  // gradient[h, m] over all arcs.
  void add_arcs(BoundLearner &learner, Scores gradient) const {
    check_learner(learner, bits_);
    if (nodes_of(gradient) != features_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_arc_gradient(features_, gradient.data(), learner.learner);
  }

  void add_parts(BoundLearner &learner, Parts &gradient) const {
    check_learner(learner, bits_);
    if (gradient.nodes != features_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_gradient(features_, gradient, learner.learner);
  }

  int bits() const { return bits_; }
  PartFeatures &features() { return features_; }

 private:
  int bits_;
  PartFeatures features_;
  Pruner pruner_;
  AtomTable each_;
};

class BoundLabeller {
 public:
  BoundLabeller(const Tables &tables, int bits, int labels, int width, int tag)
      : bits_((check_bits(bits), bits)), tag_(tag), labeller_(tables_of(tables, 3), bits, labels, width) {
    if (width < 4 || (width & (width - 1)) || width < labels || width > 1 << bits)
      throw nb::value_error("width must be a power of two, at least four and the number of labels");
  }

  void open(AtomTable atoms, AtomTable each, IndexColumn heads) {
    const Atoms opened = atoms_of(atoms, each);
    check_heads(heads, opened.nodes);
    if (tag_ < 0 || tag_ >= opened.width) throw nb::value_error("there is no such atom");
    atoms_ = atoms, each_ = each;
    nb::gil_scoped_release nogil;
    labeller_.open(opened, heads.data());
  }

  // The key of each word's candidate labels; see set_candidates.
  NewKeys keys() const {
    NewKeys keys = new_array<NewKeys>(labeller_.nodes());
    keys.data()[0] = 0;
    const Atoms atoms = atoms_of(atoms_, each_);
    for (int m = 1; m < labeller_.nodes(); ++m) keys.data()[m] = labeller_.key(atoms, tag_, m);
    return keys;
  }

  // Labels label[begin[k]..begin[k + 1]) go with the k-th of the sorted keys.
  void set_candidates(Keys key, IndexColumn begin, IndexColumn label) {
    if (begin.shape(0) != key.shape(0) + 1 || begin(0) != 0 || begin(key.shape(0)) != int(label.shape(0)))
      throw nb::value_error("begin does not fit key and label");
    for (std::size_t k = 0; k < key.shape(0); ++k)
      if (begin(k) >= begin(k + 1) || (k && key(k) <= key(k - 1))) throw nb::value_error("keys must be sorted");
    for (std::size_t k = 0; k < label.shape(0); ++k)
      if (label(k) < 0 || label(k) >= labeller_.labels()) throw nb::value_error("there is no such label");
    sets_.key.assign(key.data(), key.data() + key.shape(0));
    sets_.begin.assign(begin.data(), begin.data() + begin.shape(0));
    sets_.label.assign(label.data(), label.data() + label.shape(0));
  }

  // The best label of each node, -1 for the root.
  Heads best(const Weights &weights) {
    Heads best = new_array<Heads>(labeller_.nodes());
    const Atoms atoms = atoms_of(atoms_, each_);
    with_weights(weights, 1, bits_,
                 [&](const auto &table) { labeller_.best(table.data, atoms, tag_, sets_, best.data()); });
    return best;
  }

  int bits() const { return bits_; }
  int tag() const { return tag_; }
  Labeller &labeller() { return labeller_; }
  const LabelSets &sets() const { return sets_; }

  double learn(BoundLearner &learner, IndexColumn gold, float cost) {
    check_learner(learner, bits_);
    if (int(gold.shape(0)) != labeller_.nodes()) throw nb::value_error("gold must have one entry a node");
    for (int m = 1; m < labeller_.nodes(); ++m)
      if (gold(m) >= labeller_.labels()) throw nb::value_error("there is no such label");
    const Atoms atoms = atoms_of(atoms_, each_);
    nb::gil_scoped_release nogil;
    return labeller_.learn(learner.learner, atoms, tag_, sets_, gold.data(), cost);
  }

 private:
  int bits_, tag_;
  Labeller labeller_;
  AtomTable atoms_, each_;
  LabelSets sets_;
};

// The atoms of many sentences: row[begin[s] .. begin[s + 1]) of the tables are those of sentence s with its padding.
class AtomRows {
 public:
  AtomRows(const AtomTable &atoms, const AtomTable &each, const IndexColumn &row, const IndexColumn &begin)
      : width_(int(atoms.shape(1))), each_width_(int(each.shape(1))) {
    if (begin.shape(0) < 1 || begin(0) != 0 || begin(begin.shape(0) - 1) != int(row.shape(0)))
      throw nb::value_error("begin does not fit row");
    for (std::size_t s = 0; s + 1 < begin.shape(0); ++s)
      if (begin(s + 1) - begin(s) < 2 * Atoms::reach + 2) throw nb::value_error("a sentence has a word at least");
    for (std::size_t i = 0; i < row.shape(0); ++i) {
      if (row(i) < 0 || row(i) >= int(std::min(atoms.shape(0), each.shape(0)))) throw nb::value_error("no such row");
      atoms_.insert(atoms_.end(), &atoms(row(i), 0), &atoms(row(i), 0) + width_);
      each_.insert(each_.end(), &each(row(i), 0), &each(row(i), 0) + each_width_);
    }
    begin_.assign(begin.data(), begin.data() + begin.shape(0));
  }

  int sentences() const { return int(begin_.size()) - 1; }
  int nodes(int s) const { return begin_[s + 1] - begin_[s] - 2 * Atoms::reach; }
  int first_node(int s) const { return begin_[s] - 2 * Atoms::reach * s; }  // among the nodes of all sentences
  Atoms at(int s) const {
    return {&atoms_[std::size_t(begin_[s]) * width_], &each_[std::size_t(begin_[s] + Atoms::reach) * each_width_],
            nodes(s), width_, each_width_};
  }

 private:
  int width_, each_width_;
  std::vector<std::uint32_t> atoms_, each_;
  std::vector<int> begin_;
};

using ScaledWeights = std::pair<Weights, double>;

// Heads, labels and confidence of all nodes one after the other, and the value of each sentence's tree.
static std::tuple<Heads, NewIndexColumn, NewScoreColumn, NewScoreColumn> parse_sentences(
    Scorer &pruner, Scorer &scorer, BoundLabeller &labeller, const ScaledWeights &pruner_weights,
    const ScaledWeights &scorer_weights, const ScaledWeights &labeller_weights, AtomTable atoms, AtomTable each,
    IndexColumn row, IndexColumn begin, bool siblings, bool grandparents, bool projective, bool single_root,
    double threshold, int max_heads, double largest_chart) {
  if (max_heads < 1) throw nb::value_error("max_heads must be at least 1");
  if (siblings && !projective) throw nb::value_error("siblings go with projective trees here");
  check_weights(pruner_weights.first, pruner.bits());
  check_weights(scorer_weights.first, scorer.bits());
  check_weights(labeller_weights.first, labeller.bits());
  const AtomRows rows(atoms, each, row, begin);
  const int sentences = rows.sentences(), nodes = rows.first_node(sentences);
  Heads heads = new_array<Heads>(nodes);
  NewIndexColumn labels = new_array<NewIndexColumn>(nodes);
  NewScoreColumn confidence = new_array<NewScoreColumn>(nodes), values = new_array<NewScoreColumn>(sentences);
  std::fill_n(labels.data(), nodes, -1);
  nb::gil_scoped_release nogil;
  thread_local Chain chain;
  const Chain::Rules rules{{projective, single_root, threshold, max_heads}, siblings, grandparents, largest_chart};
  std::vector<Survivors> left;
  visit_weights(pruner_weights.first, pruner_weights.second, [&](const auto &table) {
    for (int s = 0; s < sentences; ++s) {
      pruner.features().open(rows.at(s), false);
      left.push_back(chain.prune(pruner.features(), table, rules.pruning));
    }
  });
  visit_weights(scorer_weights.first, scorer_weights.second, [&](const auto &table) {
    for (int s = 0; s < sentences; ++s) {
      int *tree = heads.data() + rows.first_node(s);
      scorer.features().open(rows.at(s), siblings);
      values.data()[s] = chain.decode(scorer.features(), table, rules, left[s], tree);
      Chain::confidences(left[s], tree, rows.nodes(s), confidence.data() + rows.first_node(s));
    }
  });
  visit_weights(labeller_weights.first, labeller_weights.second, [&](const auto &table) {
    for (int s = 0; s < sentences; ++s) {
      if (std::isnan(values.data()[s])) continue;
      labeller.labeller().open(rows.at(s), heads.data() + rows.first_node(s));
      labeller.labeller().best(table.data, rows.at(s), labeller.tag(), labeller.sets(),
                               labels.data() + rows.first_node(s));
    }
  });
  return {heads, labels, confidence, values};
}

void bind_features(nb::module_ &m) {
  nb::class_<Scorer>(m, "Scorer", "Scores the parts of one sentence after another (core/learning/features.hpp).")
      .def(nb::init<const Tables &, int>(), nb::arg("tables"), nb::arg("bits"))
      .def("open", &Scorer::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(), nb::arg("second_order"))
      .def("arcs", &Scorer::arcs, nb::arg("weights").noconvert(), nb::arg("scale"), "arc[h, m] over all arcs.")
      .def("parts", &Scorer::parts, nb::arg("head").noconvert(), nb::arg("modifier").noconvert(), nb::arg("siblings"),
           nb::arg("grandparents"), nb::arg("weights").noconvert(), nb::arg("scale"),
           "The parts over the candidate arcs given.")
      .def("prune", &Scorer::prune, nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("projective"),
           nb::arg("single_root"), nb::arg("threshold"), nb::arg("max_heads"),
           nb::arg("gold").noconvert().none() = nb::none(),
           "Heads and modifiers of the arcs worth keeping, and the marginal of every arc.")
      .def("add_arcs", &Scorer::add_arcs, nb::arg("learner"), nb::arg("gradient").noconvert(),
           "Adds gradient[h, m] of all arcs to the gradient of the weights.")
      .def("add_parts", &Scorer::add_parts, nb::arg("learner"), nb::arg("gradient"),
           "Adds the gradient of the parts to the gradient of the weights.");
  nb::class_<BoundLabeller>(m, "Labeller", "Scores the labels of one tree after another (core/learning/labeller.hpp).")
      .def(nb::init<const Tables &, int, int, int, int>(), nb::arg("tables"), nb::arg("bits"), nb::arg("labels"),
           nb::arg("width"), nb::arg("tag"))
      .def("open", &BoundLabeller::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(),
           nb::arg("heads").noconvert())
      .def("keys", &BoundLabeller::keys, "What the candidate labels of each word are known by: both tags, direction.")
      .def("set_candidates", &BoundLabeller::set_candidates, nb::arg("key").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("label").noconvert(), "Labels begin[k] .. begin[k + 1] go with key k; other keys go with any.")
      .def("best", &BoundLabeller::best, nb::arg("weights").noconvert(), "The best label of each node.")
      .def("learn", &BoundLabeller::learn, nb::arg("learner"), nb::arg("gold").noconvert(), nb::arg("cost"),
           "Adds the gradient of the gold labels' log probability; returns the loss.");
  m.def("parse_sentences", &parse_sentences, nb::arg("pruner"), nb::arg("scorer"), nb::arg("labeller"),
        nb::arg("pruner_weights"), nb::arg("scorer_weights"), nb::arg("labeller_weights"), nb::arg("atoms").noconvert(),
        nb::arg("each").noconvert(), nb::arg("row").noconvert(), nb::arg("begin").noconvert(), nb::arg("siblings"),
        nb::arg("grandparents"), nb::arg("projective"), nb::arg("single_root"), nb::arg("threshold"),
        nb::arg("max_heads"), nb::arg("largest_chart"),
        "Heads, labels and confidence of all nodes, and the value of each tree, NaN where its chart would be too large "
        "(core/learning/chain.hpp).");
}

}  // namespace treewright
