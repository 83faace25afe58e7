#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "charts/eisner.hpp"
#include "padded.hpp"
#include "parses.hpp"
#include "trees/chu_liu_edmonds.hpp"

namespace treewright {

static void check_weights(const Parts &parts, const ScoreColumn &weight) {
  if (int(weight.shape(0)) != parts.arcs()) throw nb::value_error("weight must have one entry an arc");
  check_scores_of("weight", weight);
}

// Scratch is reused from sentence to sentence, one a thread.
static ChuLiuEdmonds &spanning_tree() {
  thread_local ChuLiuEdmonds decoder;
  return decoder;
}

using TreeWithBounds = std::tuple<Heads, double, double, double, double>;  // value, bound, gap, spread

template <typename Decoder>
static TreeWithBounds best_tree(Decoder &decoder, Scores arc, bool single_root) {
  const int nodes = checked_nodes(arc);
  Heads heads = new_array<Heads>(nodes);
  Bounds found;
  {
    nb::gil_scoped_release nogil;
    found = bounded_tree(decoder, arc.data(), nodes, single_root, heads.data());
  }
  return {heads, found.value, found.bound, found.gap, found.spread};
}

static TreeWithBounds bounded_eisner(Scores arc, bool single_root) {
  thread_local Eisner decoder;
  return best_tree(decoder, arc, single_root);
}

static TreeWithBounds bounded_chu_liu_edmonds(Scores arc, bool single_root) {
  return best_tree(spanning_tree(), arc, single_root);
}

static std::pair<Heads, double> eisner(Scores arc, bool single_root) {
  const TreeWithBounds found = bounded_eisner(arc, single_root);
  return {std::get<0>(found), std::get<1>(found)};
}

static std::pair<Heads, double> chu_liu_edmonds(Scores arc, bool single_root) {
  const TreeWithBounds found = bounded_chu_liu_edmonds(arc, single_root);
  return {std::get<0>(found), std::get<1>(found)};
}

static std::pair<Heads, double> chu_liu_edmonds_of_parts(const Parts &parts, ScoreColumn weight, bool single_root) {
  check_weights(parts, weight);
  Heads heads = new_array<Heads>(parts.nodes);
  double value;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(parts, weight.data(), single_root, heads.data());
  }
  return {heads, value};
}

static std::tuple<Heads, double, TreeDual> tree_dual(Scores arc, bool single_root) {
  const int nodes = nodes_of(arc);
  Heads heads = new_array<Heads>(nodes);
  double value;
  TreeDual dual;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(arc.data(), nodes, single_root, heads.data());
    dual = spanning_tree().dual();
  }
  return {heads, value, dual};
}

static std::tuple<Heads, double, TreeDual> tree_dual_of_parts(const Parts &parts, bool single_root) {
  Heads heads = new_array<Heads>(parts.nodes);
  double value;
  TreeDual dual;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(parts, parts.arc.data(), single_root, heads.data());
    dual = spanning_tree().dual();
  }
  return {heads, value, dual};
}

static std::tuple<Heads, double, NewScores> reduced_costs(Scores arc, bool single_root) {
  const int nodes = checked_nodes(arc);
  Heads heads = new_array<Heads>(nodes);
  NewScores costs = new_array<NewScores>(nodes, nodes);
  double value;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(arc.data(), nodes, single_root, heads.data());
    if (value > forbidden) spanning_tree().reduced_costs(costs.data());
  }
  return {heads, value, costs};
}

static std::tuple<Heads, double, NewScoreColumn> reduced_costs_of_parts(const Parts &parts, ScoreColumn weight,
                                                                        bool single_root) {
  check_weights(parts, weight);
  Heads heads = new_array<Heads>(parts.nodes);
  NewScoreColumn costs = new_array<NewScoreColumn>(parts.arcs());
  double value;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(parts, weight.data(), single_root, heads.data());
    if (value > forbidden) spanning_tree().reduced_costs_of_parts(costs.data());
  }
  return {heads, value, costs};
}

static bool is_text(nb::handle object, const char *text) {
  return PyUnicode_Check(object.ptr()) && PyUnicode_CompareWithASCIIString(object.ptr(), text) == 0;
}

// The best tree as a Parse, or null where the general path has to find out why there is none: for anything but a matrix
// of doubles that are scores, for a root that is neither "single" nor "multi", and when no tree is allowed.
template <typename Decoder>
static nb::object new_parse_of(Decoder &decoder, nb::handle arc, nb::handle root, nb::handle type, nb::handle method) {
  constexpr int min_nodes_unlocked = 24;  // by convention: below, decoding takes about a microsecond
  const NumPy &numpy = NumPy::get();
  const int nodes = numpy.arc_nodes(arc);
  const bool single_root = is_text(root, "single");
  if (!nodes || !(single_root || is_text(root, "multi"))) return {};
  const double *scores = numpy.arc_data(arc);
  const nb::object heads = numpy.new_heads(nodes);
  int *written = numpy.heads_data(heads);
  Bounds found;
  {
    std::optional<nb::gil_scoped_release> nogil;
    if (nodes >= min_nodes_unlocked) nogil.emplace();
    if (bad_arc(scores, nodes) < 0) found = bounded_tree(decoder, scores, nodes, single_root, written);
  }
  return found.value > forbidden ? new_parse(type, heads, nodes, found, method) : nb::object();
}

template <typename Decoder>
static nb::any parse_array(nb::handle arc, nb::handle root, nb::handle type, nb::handle method) {
  thread_local Decoder decoder;
  nb::object parse = new_parse_of(decoder, arc, root, type, method);
  return parse.is_valid() ? nb::steal<nb::any>(parse.release()) : nb::borrow<nb::any>(nb::none());
}

// A string that exists once, for names of attributes.
static PyObject *interned(const char *text) { return PyUnicode_InternFromString(text); }

// An object of the class Proof without a call of its constructor, as in new_parse.
static nb::object new_proof(nb::handle type, PyObject *kind, PyObject *name, nb::handle content) {
  static PyObject *const kind_name = interned("kind");
  nb::object proof = new_object(type);
  if (PyObject_GenericSetAttr(proof.ptr(), kind_name, kind) < 0 ||
      PyObject_GenericSetAttr(proof.ptr(), name, content.ptr()) < 0)
    nb::raise_python_error();
  PyObject_GC_UnTrack(proof.ptr());  // as in new_parse: no cycle of references for Python to look for
  return proof;
}

// The solution of the dual program of the last tree.
static nb::object last_proof(const ChuLiuEdmonds &decoder, int, nb::handle type) {
  static PyObject *const kind = interned("search"), *const name = interned("_dual");
  return new_proof(type, kind, name, nb::cast(decoder.dual()));
}

// The halves of the last chart; none if the best heads of all words were the tree.
static nb::object last_proof(const Eisner &decoder, int nodes, nb::handle type) {
  static PyObject *const kind = interned("chart"), *const name = interned("halves");
  if (decoder.has_best_heads()) return new_proof(type, kind, name, nb::none());
  const nb::object halves = NumPy::get().new_scores(nodes, nodes + 1);
  decoder.copy_halves(NumPy::get().scores_data(halves));
  return new_proof(type, kind, name, halves);
}

// `parse_array` with a proof, an object of the class proof_type.
template <typename Decoder>
static nb::any prove_array(nb::handle arc, nb::handle root, nb::handle type, nb::handle method, nb::handle proof_type) {
  static PyObject *const name = PyUnicode_InternFromString("proof");
  thread_local Decoder decoder;
  nb::object parse = new_parse_of(decoder, arc, root, type, method);
  if (!parse.is_valid()) return nb::borrow<nb::any>(nb::none());
  const nb::object proof = last_proof(decoder, NumPy::get().arc_nodes(arc), proof_type);
  if (PyObject_GenericSetAttr(parse.ptr(), name, proof.ptr()) < 0) nb::raise_python_error();
  return nb::steal<nb::any>(parse.release());
}

// `parse_array` for the items begin..end - 1 of a list, which must not be changed meanwhile.
template <typename Decoder>
static void add_parses(const Objects &arcs, int begin, int end, bool single_root, int threads, Batch &parses) {
  const NumPy &numpy = NumPy::get();
  const int items = end - begin;
  std::vector<const double *> scores(items, nullptr);
  std::vector<int> ends(items + 1, 0);
  for (int item = 0; item < items; ++item) {
    const nb::handle arc = PyList_GetItem(arcs.ptr(), begin + item);  // borrowed
    const int nodes = numpy.arc_nodes(arc);
    if (nodes) scores[item] = numpy.arc_data(arc);
    ends[item + 1] = ends[item] + nodes;
  }
  const nb::object heads = numpy.new_heads(ends[items]);  // of all trees: each is a view of it
  int *written = numpy.heads_data(heads);
  std::vector<Bounds> found(items);
  {
    nb::gil_scoped_release nogil;
    for_each_item(items, threads, [&](int item) {
      thread_local Decoder decoder;
      const int nodes = ends[item + 1] - ends[item];
      if (nodes && bad_arc(scores[item], nodes) < 0)
        found[item] = bounded_tree(decoder, scores[item], nodes, single_root, written + ends[item]);
    });
  }
  for (int item = 0; item < items; ++item) parses.add(found[item], heads, ends[item], ends[item + 1] - ends[item]);
}

// One thread takes a few items at a time, whose scores are then still in the cache; several share all of them.
template <typename Decoder>
static BatchResult parse_arrays(const Objects &arcs, bool single_root, int threads, nb::handle type,
                                nb::handle method) {
  constexpr int items_at_a_time = 32;  // by convention: short sentences then take less than 100 kB
  const int items = int(arcs.size());
  const int chunk = threads == 1 ? items_at_a_time : std::max(items, 1);
  Batch parses(type, method);
  for (int begin = 0; begin < items; begin += chunk)
    add_parses<Decoder>(arcs, begin, std::min(begin + chunk, items), single_root, threads, parses);
  return parses.result();
}

// The same for the items of a padded batch.
template <typename Decoder>
static BatchResult parse_padded(Scores3 scores, IndexColumn lengths, bool head_first, bool single_root, int threads,
                                nb::handle type, nb::handle method) {
  const PaddedScores batch = padded_scores(scores, lengths, head_first);
  const Py_ssize_t width = batch.width;
  const NumPy &numpy = NumPy::get();
  const nb::object heads = numpy.new_heads(batch.items * width);
  int *written = numpy.heads_data(heads);
  std::vector<Bounds> found(batch.items);
  {
    nb::gil_scoped_release nogil;
    decode_padded<Decoder>(batch, single_root, threads, written, found.data());
  }
  Batch parses(type, method);
  for (int item = 0; item < batch.items; ++item) parses.add(found[item], heads, item * width, batch.nodes(item));
  return parses.result();
}

template <typename Decoder>
static void bind_parses(nb::module_ &m, const char *array, const char *proved, const char *arrays, const char *padded) {
  m.def(array, &parse_array<Decoder>, nb::arg("arc").none(), nb::arg("root").none(), nb::arg("type"), nb::arg("method"),
        "The best tree of a float64 array as an object of the class Parse; None where a check fails.");
  m.def(proved, &prove_array<Decoder>, nb::arg("arc").none(), nb::arg("root"), nb::arg("type"), nb::arg("method"),
        nb::arg("proof_type"), "The same with a proof, an object of the class Proof.");
  m.def(arrays, &parse_arrays<Decoder>, nb::arg("arcs"), nb::arg("single_root"), nb::arg("threads"), nb::arg("type"),
        nb::arg("method"), "The same for each array of a list, and the places that have None.");
  m.def(padded, &parse_padded<Decoder>, nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(),
        nb::arg("head_first"), nb::arg("single_root"), nb::arg("threads"), nb::arg("type"), nb::arg("method"),
        "The same for each item of a padded batch, and the places that have None.");
}

void bind_first_order(nb::module_ &m) {
  m.def("eisner", &eisner, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best projective tree (Eisner 1996): heads and value; -inf when there is none.");
  m.def("bounded_eisner", &bounded_eisner, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The same: heads, value, bound, gap and spread.");
  m.def("chu_liu_edmonds", &chu_liu_edmonds, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best spanning tree: heads and value; -inf when there is none.");
  m.def("bounded_chu_liu_edmonds", &bounded_chu_liu_edmonds, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The same: heads, value, bound, gap and spread.");
  m.def("chu_liu_edmonds", &chu_liu_edmonds_of_parts, nb::arg("parts"), nb::arg("weight").noconvert(),
        nb::arg("single_root"), "The best spanning tree over candidate arcs, with a weight an arc.");
  nb::class_<TreeDual>(m, "TreeDual", "A solution of the dual program of the best tree.")
      .def_ro("penalty", &TreeDual::penalty)
      .def_ro("slack", &TreeDual::slack)
      .def_ro("set_begin", &TreeDual::set_begin)
      .def_ro("words", &TreeDual::words);
  m.def("tree_dual", &tree_dual, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best spanning tree: heads, value, and the dual solution that proves it.");
  m.def("tree_dual", &tree_dual_of_parts, nb::arg("parts"), nb::arg("single_root"), "The same over candidate arcs.");
  m.def("reduced_costs", &reduced_costs, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "Heads, value, and for each arc a bound on what every tree with it falls short of the best.");
  m.def("reduced_costs", &reduced_costs_of_parts, nb::arg("parts"), nb::arg("weight").noconvert(),
        nb::arg("single_root"), "The same over candidate arcs, with a weight an arc.");
  bind_parses<ChuLiuEdmonds>(m, "parse_array", "prove_array", "parse_arrays", "parse_padded");
  bind_parses<Eisner>(m, "projective_parse_array", "projective_prove_array", "projective_parse_arrays",
                      "projective_parse_padded");
}

}  // namespace treewright
