#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "charts/eisner.hpp"
#include "padded.hpp"
#include "trees/chu_liu_edmonds.hpp"

namespace treewright {

static void check_weights(const Parts &parts, const ScoreColumn &weight) {
  if (int(weight.shape(0)) != parts.arcs()) throw nb::value_error("weight must have one entry an arc");
}

// Scratch is reused from sentence to sentence, one a thread.
static ChuLiuEdmonds &spanning_tree() {
  thread_local ChuLiuEdmonds decoder;
  return decoder;
}

static std::pair<Heads, double> eisner(Scores arc, bool single_root) {
  const int nodes = nodes_of(arc);
  Heads heads = new_array<Heads>(nodes);
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local Eisner decoder;
    value = decoder.decode(arc.data(), nodes, single_root, heads.data());
  }
  return {heads, value};
}

static std::pair<Heads, double> chu_liu_edmonds(Scores arc, bool single_root) {
  const int nodes = nodes_of(arc);
  Heads heads = new_array<Heads>(nodes);
  double value;
  {
    nb::gil_scoped_release nogil;
    value = spanning_tree().decode(arc.data(), nodes, single_root, heads.data());
  }
  return {heads, value};
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

static std::tuple<Heads, double, NewScores> reduced_costs(Scores arc, bool single_root) {
  const int nodes = nodes_of(arc);
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

template <typename Decoder>
static std::pair<Trees, NewScoreColumn> padded_trees(Scores3 scores, IndexColumn lengths, bool head_first,
                                                     bool single_root, int threads) {
  const PaddedScores batch = padded_scores(scores, lengths, head_first);
  Trees heads = new_array<Trees>(batch.items, batch.width);
  NewScoreColumn values = new_array<NewScoreColumn>(batch.items);
  {
    nb::gil_scoped_release nogil;
    decode_padded<Decoder>(batch, single_root, threads, heads.data(), values.data());
  }
  return {heads, values};
}

void bind_first_order(nb::module_ &m) {
  m.def("eisner", &eisner, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best projective tree (Eisner 1996): heads and value; -inf when there is none.");
  m.def("chu_liu_edmonds", &chu_liu_edmonds, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best spanning tree: heads and value; -inf when there is none.");
  m.def("chu_liu_edmonds", &chu_liu_edmonds_of_parts, nb::arg("parts"), nb::arg("weight").noconvert(),
        nb::arg("single_root"), "The best spanning tree over candidate arcs, with a weight an arc.");
  m.def("reduced_costs", &reduced_costs, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "Heads, value, and for each arc a bound on what every tree with it falls short of the best.");
  m.def("reduced_costs", &reduced_costs_of_parts, nb::arg("parts"), nb::arg("weight").noconvert(),
        nb::arg("single_root"), "The same over candidate arcs, with a weight an arc.");
  m.def(
      "padded_trees", &padded_trees<ChuLiuEdmonds>, nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(),
      nb::arg("head_first"), nb::arg("single_root"), nb::arg("threads"),
      "The best spanning tree of each item of a padded batch: heads, a row an item, and values; -inf when there is no "
      "tree, NaN when the length or a score is not valid.");
  m.def("padded_projective_trees", &padded_trees<Eisner>, nb::arg("scores").noconvert(), nb::arg("lengths").noconvert(),
        nb::arg("head_first"), nb::arg("single_root"), nb::arg("threads"), "The same among projective trees.");
}

}  // namespace treewright
