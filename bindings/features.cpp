#include "learning/features.hpp"

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

#include "arrays.hpp"
#include "charts/part_sums.hpp"
#include "dual/belief_propagation.hpp"
#include "learning/chain.hpp"
#include "learning/labeller.hpp"
#include "learning/learning.hpp"
#include "learning/pruner.hpp"
#include "learning/scoring.hpp"

namespace treewright {

using AtomTable = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // [node, atom]
using Items =
    nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // role, template, atom, offset
using SmallWeights = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using PlainWeights = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = std::variant<SmallWeights, PlainWeights>;
using OwnWeights = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewWeights = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using OwnMemory = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewKeys = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
using Tables = std::vector<std::tuple<int, int, int, Items>>;  // kind, atom of the set, templates, items

static std::vector<TemplateTable> tables_of(const Tables &given, int kinds) {
  std::vector<TemplateTable> tables;
  for (const auto &[kind, atom, templates, items] : given) {
    if (kind < 0 || kind >= kinds || items.shape(1) != 4) throw nb::value_error("no such kind of templates");
    TemplateTable table{kind, atom, templates, {}};
    for (std::size_t i = 0; i < items.shape(0); ++i) {
      if (items(i, 1) < 0 || items(i, 1) >= templates || std::abs(items(i, 3)) > Atoms::reach)
        throw nb::value_error("templates may look at their neighbours only");
      table.items.push_back({items(i, 0), items(i, 1), items(i, 2), items(i, 3)});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

static Atoms atoms_of(const AtomTable &atoms, const AtomTable &each) {
  const int nodes = int(each.shape(0));
  if (int(atoms.shape(0)) != nodes + 2 * Atoms::reach) throw nb::value_error("atoms do not fit the set of each");
  return {atoms.data(), each.data(), nodes, int(atoms.shape(1)), int(each.shape(1))};
}

static void check_bits(int bits) {
  if (bits < 8 || bits > 28) throw nb::value_error("bits must be 8 to 28");
}

static std::size_t table_size(int bits) { return std::size_t(1) << bits; }

static void check_weights(const Weights &weights, int bits) {
  if (std::visit([](const auto &array) { return array.shape(0); }, weights) != table_size(bits))
    throw nb::value_error("there must be 2^bits weights");
}

// Calls use(table) with the weights as the kernels read them.
template <typename Use>
static void visit_weights(const Weights &weights, double scale, Use use) {
  std::visit(
      [&](const auto &array) {
        using Weight = std::remove_cv_t<std::remove_pointer_t<decltype(array.data())>>;
        use(WeightTable<Weight>{array.data(), scale});
      },
      weights);
}

// The same, checked and with the lock released.
template <typename Use>
static void with_weights(const Weights &weights, double scale, int bits, Use use) {
  check_weights(weights, bits);
  nb::gil_scoped_release nogil;
  visit_weights(weights, scale, use);
}

struct BoundLearner {
  BoundLearner(OwnWeights weights, OwnWeights gradient, OwnMemory memory, float floor)
      : weights(weights),
        gradient(gradient),
        memory(memory),
        learner(weights.data(), gradient.data(), reinterpret_cast<Memory *>(memory.data()), floor) {
    if (gradient.shape(0) != weights.shape(0) || memory.shape(0) != weights.shape(0) || memory.shape(1) != 2)
      throw nb::value_error("there must be a gradient and a row of two in memory for each weight");
  }
  void step(double number, float rate) {
    nb::gil_scoped_release nogil;
    learner.step(number, rate);
  }
  void move(double number, float size) {
    nb::gil_scoped_release nogil;
    learner.move(number, size);
  }
  double squared_length() { return learner.squared_length(); }
  NewWeights average(double steps) const {
    NewWeights means = new_array<NewWeights>(weights.shape(0));
    nb::gil_scoped_release nogil;
    learner.average(weights.shape(0), steps, means.data());
    return means;
  }
  OwnWeights weights, gradient;
  OwnMemory memory;
  Learner learner;
};

static void check_learner(const BoundLearner &learner, int bits) {
  if (learner.weights.shape(0) != table_size(bits)) throw nb::value_error("there must be 2^bits weights");
}

static void check_heads(const IndexColumn &heads, int nodes) {
  if (int(heads.shape(0)) != nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < nodes; ++m)
    if (heads(m) < 0 || heads(m) >= nodes || heads(m) == m) throw nb::value_error("heads must be nodes");
}

static void check_candidates(const Parts &parts, const IndexColumn &heads) {
  check_heads(heads, parts.nodes);
  for (int m = 1; m < parts.nodes; ++m)
    if (parts.find(heads(m), m) < 0) throw nb::value_error("the tree has arcs that are no candidates");
}

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

  double learn_arcs(BoundLearner &learner, IndexColumn gold, bool projective, bool single_root) {
    check_learner(learner, bits_);
    check_heads(gold, features_.nodes());
    nb::gil_scoped_release nogil;
    return pruner_.learn(features_, learner.learner, {projective, single_root, 0, 1}, gold.data());
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

static std::pair<double, Parts> gradient_by_sums(const Parts &parts, IndexColumn heads, bool single_root,
                                                 bool is_outside) {
  check_heads(heads, parts.nodes);
  nb::gil_scoped_release nogil;
  thread_local PartSums kernel;
  Parts gradient = parts;
  const double loss = projective_gradient(kernel, parts, heads.data(), single_root, is_outside, gradient);
  return {loss, std::move(gradient)};
}

static std::pair<double, Parts> gradient_by_beliefs(const Parts &parts, IndexColumn heads, bool single_root,
                                                    int rounds) {
  check_heads(heads, parts.nodes);
  if (rounds < 1) throw nb::value_error("rounds must be at least 1");
  nb::gil_scoped_release nogil;
  thread_local Beliefs kernel;
  Parts gradient = parts;
  const double loss = crossing_gradient(kernel, parts, heads.data(), single_root, rounds, gradient);
  return {loss, std::move(gradient)};
}

static Parts difference_of(const Parts &parts, IndexColumn heads, IndexColumn others) {
  check_candidates(parts, heads), check_candidates(parts, others);
  Parts gradient = parts;
  difference(heads.data(), others.data(), gradient);
  return gradient;
}

static std::pair<double, Parts> free_difference(const Parts &parts, IndexColumn heads) {
  check_candidates(parts, heads);
  nb::gil_scoped_release nogil;
  thread_local FreeChoice kernel;
  Parts gradient = parts;
  const double missed = kernel.difference(parts, heads.data(), gradient);
  return {missed, std::move(gradient)};
}

// A cost for every arc that the gold tree does not have.
static void add_cost(Parts &parts, IndexColumn heads, double cost) {
  check_heads(heads, parts.nodes);
  for (int e = 0; e < parts.arcs(); ++e)
    if (heads(parts.modifier[e]) != parts.head[e]) parts.arc[e] += cost;
}

// The arcs worth keeping by marginals that somebody else worked out.
static std::pair<NewIndexColumn, NewIndexColumn> kept_arcs(Scores marginal, double threshold, int max_heads,
                                                           const std::vector<IndexColumn> &trees) {
  const int nodes = int(marginal.shape(0));
  if (int(marginal.shape(1)) != nodes || max_heads < 1) throw nb::value_error("marginals must be square");
  std::vector<const int *> heads;
  for (const IndexColumn &tree : trees) {
    check_heads(tree, nodes);
    heads.push_back(tree.data());
  }
  thread_local Pruner pruner;
  pruner.keep(nodes, marginal.data(), threshold, max_heads, heads);
  return {copied<NewIndexColumn>(pruner.heads.data(), pruner.heads.size()),
          copied<NewIndexColumn>(pruner.modifiers.data(), pruner.modifiers.size())};
}

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
  nb::class_<BoundLearner>(m, "Learner",
                           "Weights that learn (core/learning/learning.hpp); the arrays are the caller's.")
      .def(nb::init<OwnWeights, OwnWeights, OwnMemory, float>(), nb::arg("weights").noconvert(),
           nb::arg("gradient").noconvert(), nb::arg("memory").noconvert(), nb::arg("floor"))
      .def("step", &BoundLearner::step, nb::arg("number"), nb::arg("rate"), "Applies the gradient added so far.")
      .def("average", &BoundLearner::average, nb::arg("steps"), "The mean of the weights over so many steps.")
      .def("move", &BoundLearner::move, nb::arg("number"), nb::arg("size"), "Adds `size` times the gradient.")
      .def("squared_length", &BoundLearner::squared_length, "Of the gradient added so far.");
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
      .def(
          "learn_arcs", &Scorer::learn_arcs, nb::arg("learner"), nb::arg("gold").noconvert(), nb::arg("projective"),
          nb::arg("single_root"),
          "Adds the gradient of the gold tree's log probability over all arcs; returns the heads expected to be wrong.")
      .def("add_parts", &Scorer::add_parts, nb::arg("learner"), nb::arg("gradient"));
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
  m.def("crossing_gradient", &gradient_by_beliefs, nb::arg("parts"), nb::arg("heads").noconvert(),
        nb::arg("single_root"), nb::arg("rounds"),
        "The same over all trees, with beliefs for expectations; the loss counts heads.");
  m.def("gradient", &gradient_by_sums, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("single_root"),
        nb::arg("is_outside"),
        "The loss of a tree, and parts with the gradient of its log probability as their scores.");
  m.def("difference", &difference_of, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("others").noconvert(),
        "Parts with 1 as the score of those that one tree has, -1 of those that the other has.");
  m.def("free_difference", &free_difference, nb::arg("parts"), nb::arg("heads").noconvert(),
        "The same against the best choice of every head by itself, and how many arcs of the tree nobody chose.");
  m.def("add_cost", &add_cost, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("cost"),
        "Raises the score of every arc that the tree does not have.");
  m.def("kept_arcs", &kept_arcs, nb::arg("marginal").noconvert(), nb::arg("threshold"), nb::arg("max_heads"),
        nb::arg("trees"), "Heads and modifiers of the arcs that pruning leaves; those of the trees always stay.");
}

}  // namespace treewright
