#include "features.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "labeller.hpp"
#include "learning.hpp"
#include "part_sums.hpp"
#include "scoring.hpp"

namespace treewright {

using AtomTable = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // [node, atom]
using Items =
    nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // role, template, atom, offset
using Weights = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewTable = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Tables = std::vector<std::tuple<int, int, int, Items>>;  // kind, atom of the set, templates, items

static std::vector<TemplateTable> tables_of(const Tables &given, int kinds) {
  std::vector<TemplateTable> tables;
  for (const auto &[kind, atom, templates, items] : given) {
    if (kind < 0 || kind >= kinds || items.shape(1) != 4) throw nb::value_error("no such kind of templates");
    TemplateTable table{kind, atom, templates, {}};
    for (std::size_t i = 0; i < items.shape(0); ++i)
      table.items.push_back({items(i, 0), items(i, 1), items(i, 2), items(i, 3)});
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

// The weights as the kernels read them: a plain column, or the first of four in cells that learn.
template <typename Use>
static void with_weights(const std::optional<Weights> &weights, const std::optional<Cells> &cells, int bits, Use use) {
  if ((weights && weights->shape(0) != table_size(bits)) || (cells && cells->shape(0) != table_size(bits)) ||
      (cells && cells->shape(1) != 4) || (!weights && !cells))
    throw nb::value_error("weights do not have 2^bits rows");
  nb::gil_scoped_release nogil;
  if (weights)
    use(weights->data(), std::integral_constant<int, 1>());
  else
    use(cells->data(), std::integral_constant<int, 4>());
}

struct BoundLearner {
  BoundLearner(Cells cells, float floor) : cells(cells), learner(reinterpret_cast<Cell *>(cells.data()), 0, floor) {
    if (cells.shape(1) != 4) throw nb::value_error("cells must have four columns");
  }
  void step(double number, float rate) {
    nb::gil_scoped_release nogil;
    learner.set_rate(rate);
    learner.step(number);
  }
  Cells cells;
  Learner learner;
};

static void check_learner(const BoundLearner &learner, int bits) {
  if (learner.cells.shape(0) != table_size(bits)) throw nb::value_error("cells do not have 2^bits rows");
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

  NewScores arcs(std::optional<Weights> weights, std::optional<Cells> cells) const {
    NewScores arc = new_array<NewScores>(features_.nodes(), features_.nodes());
    with_weights(weights, cells, bits_, [&](const float *data, auto stride) {
      score_all_arcs<decltype(stride)::value>(features_, data, arc.data());
    });
    return arc;
  }

  Parts parts(IndexColumn head, IndexColumn modifier, bool siblings, bool grandparents, std::optional<Weights> weights,
              std::optional<Cells> cells) const {
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
    with_weights(weights, cells, bits_,
                 [&](const float *data, auto stride) { score_parts<decltype(stride)::value>(features_, data, parts); });
    return parts;
  }

  void add_arcs(BoundLearner &learner, Scores gradient) const {
    check_learner(learner, bits_);
    if (int(gradient.shape(0)) != features_.nodes() || gradient.shape(1) != gradient.shape(0))
      throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_arc_gradient(features_, gradient.data(), learner.learner);
  }

  void add_parts(BoundLearner &learner, Parts &gradient) const {
    check_learner(learner, bits_);
    if (gradient.nodes != features_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_gradient(features_, gradient, learner.learner);
  }

 private:
  int bits_;
  PartFeatures features_;
  AtomTable each_;
};

static void check_heads(const IndexColumn &heads, int nodes) {
  if (int(heads.shape(0)) != nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < nodes; ++m)
    if (heads(m) < 0 || heads(m) >= nodes || heads(m) == m) throw nb::value_error("heads must be nodes");
}

static std::pair<double, Parts> gradient(const Parts &parts, IndexColumn heads, bool single_root, bool is_outside) {
  check_heads(heads, parts.nodes);
  nb::gil_scoped_release nogil;
  thread_local TreeGradient kernel;
  Parts gradient = parts;
  const double loss = kernel.run(parts, heads.data(), single_root, is_outside, gradient);
  return {loss, std::move(gradient)};
}

static std::pair<double, Parts> expectations(const Parts &parts, bool single_root) {
  nb::gil_scoped_release nogil;
  thread_local PartSums sums;
  Parts expected = parts;
  const double total = sums.run(parts, single_root, expected);
  return {total, std::move(expected)};
}

// A cost for every arc that the gold tree does not have.
static void add_cost(Parts &parts, IndexColumn heads, double cost) {
  check_heads(heads, parts.nodes);
  for (int e = 0; e < parts.arcs(); ++e)
    if (heads(parts.modifier[e]) != parts.head[e]) parts.arc[e] += cost;
}

// The arcs worth keeping: of each word the heads whose marginal is at least threshold times the best, at most
// max_heads of them, and those of the trees given.
static std::pair<NewIndexColumn, NewIndexColumn> kept_arcs(Scores marginal, double threshold, int max_heads,
                                                           const std::vector<IndexColumn> &trees) {
  const int nodes = int(marginal.shape(0));
  if (int(marginal.shape(1)) != nodes || max_heads < 1) throw nb::value_error("marginals must be square");
  for (const IndexColumn &tree : trees) check_heads(tree, nodes);
  std::vector<std::int32_t> head, modifier;
  {
    nb::gil_scoped_release nogil;
    std::vector<int> order;
    for (int m = 1; m < nodes; ++m) {
      order.clear();
      double best = 0;
      for (int h = 0; h < nodes; ++h)
        if (h != m) best = std::max(best, marginal(h, m));
      for (int h = 0; h < nodes; ++h)
        if (h != m && marginal(h, m) >= threshold * best && marginal(h, m) > 0) order.push_back(h);
      if (int(order.size()) > max_heads) {
        std::nth_element(order.begin(), order.begin() + max_heads, order.end(), [&](int a, int b) {
          return marginal(a, m) != marginal(b, m) ? marginal(a, m) > marginal(b, m) : a < b;
        });
        order.resize(max_heads);
      }
      for (const IndexColumn &tree : trees) order.push_back(tree(m));
      std::sort(order.begin(), order.end());
      order.erase(std::unique(order.begin(), order.end()), order.end());
      for (const int h : order) head.push_back(h), modifier.push_back(m);
    }
  }
  return {copied<NewIndexColumn>(head.data(), head.size()), copied<NewIndexColumn>(modifier.data(), modifier.size())};
}

class BoundLabeller {
 public:
  BoundLabeller(const Tables &tables, int bits, int labels, int width)
      : bits_((check_bits(bits), bits)), width_(width), labeller_(tables_of(tables, 3), bits, labels, width) {
    if (width < 4 || (width & (width - 1)) || width < labels || width > 1 << bits)
      throw nb::value_error("width must be a power of two, at least four and the number of labels");
  }

  void open(AtomTable atoms, AtomTable each, IndexColumn heads) {
    const Atoms opened = atoms_of(atoms, each);
    check_heads(heads, opened.nodes);
    nb::gil_scoped_release nogil;
    labeller_.open(opened, heads.data());
  }

  // [node, label]; row 0 is zero.
  NewTable scores(Weights weights) const {
    NewTable scores = new_array<NewTable>(labeller_.nodes(), width_);
    if (weights.shape(0) != table_size(bits_)) throw nb::value_error("weights do not have 2^bits rows");
    nb::gil_scoped_release nogil;
    std::fill_n(scores.data(), width_, 0.0f);
    for (int m = 1; m < labeller_.nodes(); ++m)
      labeller_.score<1>(weights.data(), m, scores.data() + std::size_t(m) * width_);
    return scores;
  }

  double learn(BoundLearner &learner, IndexColumn gold, float cost) {
    check_learner(learner, bits_);
    if (int(gold.shape(0)) != labeller_.nodes()) throw nb::value_error("gold must have one entry a node");
    for (int m = 1; m < labeller_.nodes(); ++m)
      if (gold(m) >= labeller_.labels()) throw nb::value_error("there is no such label");
    nb::gil_scoped_release nogil;
    return labeller_.learn(learner.learner, learner.cells.data(), gold.data(), cost);
  }

 private:
  int bits_, width_;
  Labeller labeller_;
};

void bind_features(nb::module_ &m) {
  nb::class_<BoundLearner>(m, "Learner", "Weights that learn (core/learning.hpp), in cells of four float32.")
      .def(nb::init<Cells, float>(), nb::arg("cells").noconvert(), nb::arg("floor"))
      .def("step", &BoundLearner::step, nb::arg("number"), nb::arg("rate"), "Applies the gradient added so far.");
  nb::class_<Scorer>(m, "Scorer", "Scores the parts of one sentence after another (core/features.hpp).")
      .def(nb::init<const Tables &, int>(), nb::arg("tables"), nb::arg("bits"))
      .def("open", &Scorer::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(), nb::arg("second_order"))
      .def("arcs", &Scorer::arcs, nb::arg("weights").noconvert().none() = nb::none(),
           nb::arg("cells").noconvert().none() = nb::none(), "arc[h, m] over all arcs.")
      .def("parts", &Scorer::parts, nb::arg("head").noconvert(), nb::arg("modifier").noconvert(), nb::arg("siblings"),
           nb::arg("grandparents"), nb::arg("weights").noconvert().none() = nb::none(),
           nb::arg("cells").noconvert().none() = nb::none(), "The parts over the candidate arcs given.")
      .def("add_arcs", &Scorer::add_arcs, nb::arg("learner"), nb::arg("gradient").noconvert())
      .def("add_parts", &Scorer::add_parts, nb::arg("learner"), nb::arg("gradient"));
  nb::class_<BoundLabeller>(m, "Labeller", "Scores the labels of one tree after another (core/labeller.hpp).")
      .def(nb::init<const Tables &, int, int, int>(), nb::arg("tables"), nb::arg("bits"), nb::arg("labels"),
           nb::arg("width"))
      .def("open", &BoundLabeller::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(),
           nb::arg("heads").noconvert())
      .def("scores", &BoundLabeller::scores, nb::arg("weights").noconvert(), "[node, label]")
      .def("learn", &BoundLabeller::learn, nb::arg("learner"), nb::arg("gold").noconvert(), nb::arg("cost"),
           "Adds the gradient of the gold labels' log probability; returns the loss.");
  m.def("expectations", &expectations, nb::arg("parts"), nb::arg("single_root"),
        "The log partition over projective trees, and parts with each one's expectation as its score.");
  m.def("gradient", &gradient, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("single_root"),
        nb::arg("is_outside"),
        "The loss of a tree, and parts with the gradient of its log probability as their scores.");
  m.def("add_cost", &add_cost, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("cost"),
        "Raises the score of every arc that the tree does not have.");
  m.def("kept_arcs", &kept_arcs, nb::arg("marginal").noconvert(), nb::arg("threshold"), nb::arg("max_heads"),
        nb::arg("trees"), "Heads and modifiers of the arcs that pruning leaves; those of the trees always stay.");
}

}  // namespace treewright
