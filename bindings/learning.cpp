#include <cmath>
#include <utility>

#include "features.hpp"
#include "learning/gradients.hpp"

namespace treewright {

static void check_candidates(const Parts &parts, const IndexColumn &heads) {
  check_heads(heads, parts.nodes);
  for (int m = 1; m < parts.nodes; ++m)
    if (parts.find(heads(m), m) < 0) throw nb::value_error("the tree has arcs that are not candidates");
}

static double checked_loss(double loss) {
  if (std::isinf(loss)) throw nb::value_error("no tree of the candidate arcs has the heads given");
  return loss;
}

static std::pair<double, NewScores> bound_arc_gradient(Scores arc, IndexColumn heads, bool projective,
                                                       bool single_root) {
  const int nodes = checked_nodes(arc);
  check_heads(heads, nodes, true);
  NewScores gradient = new_array<NewScores>(nodes, nodes);
  double wrong;
  {
    nb::gil_scoped_release nogil;
    thread_local ArcGradient kernel;
    wrong = kernel.run(arc.data(), nodes, heads.data(), projective, single_root, gradient.data());
  }
  return {wrong, gradient};
}

static std::pair<double, Parts> bound_projective_gradient(const Parts &parts, IndexColumn heads, bool single_root,
                                                          bool is_outside) {
  check_heads(heads, parts.nodes, true);
  nb::gil_scoped_release nogil;
  thread_local PartSums kernel;
  Parts gradient = parts;
  const double loss = projective_gradient(kernel, parts, heads.data(), single_root, is_outside, gradient);
  return {checked_loss(loss), std::move(gradient)};
}

static std::pair<double, Parts> bound_nonprojective_gradient(const Parts &parts, IndexColumn heads, bool single_root,
                                                             int rounds) {
  check_heads(heads, parts.nodes, true);
  if (rounds < 1) throw nb::value_error("rounds must be at least 1");
  nb::gil_scoped_release nogil;
  thread_local Beliefs kernel;
  Parts gradient = parts;
  const double wrong = nonprojective_gradient(kernel, parts, heads.data(), single_root, rounds, gradient);
  return {checked_loss(wrong), std::move(gradient)};
}

static Parts bound_tree_difference(const Parts &parts, IndexColumn heads, IndexColumn others) {
  check_candidates(parts, heads);
  check_candidates(parts, others);
  Parts gradient = parts;
  tree_difference(heads.data(), others.data(), gradient);
  return gradient;
}

static std::pair<double, Parts> bound_automata_difference(const Parts &parts, IndexColumn heads) {
  check_candidates(parts, heads);
  nb::gil_scoped_release nogil;
  thread_local AutomataDifference kernel;
  Parts gradient = parts;
  const double missed = kernel.run(parts, heads.data(), gradient);
  return {missed, std::move(gradient)};
}

static void bound_add_margin(Parts &parts, IndexColumn heads, double margin) {
  check_heads(heads, parts.nodes, true);
  check_finite("margin", margin);
  add_margin(heads.data(), margin, parts);
  check_parts(parts);
}

void bind_learning(nb::module_ &m) {
  nb::class_<BoundLearner>(m, "Learner",
                           "Weights with AdaGrad steps and averaging (core/learning/learning.hpp); the arrays are the "
                           "caller's.")
      .def(nb::init<OwnWeights, OwnWeights, OwnMemory, float>(), nb::arg("weights").noconvert(),
           nb::arg("gradient").noconvert(), nb::arg("memory").noconvert(), nb::arg("adagrad_epsilon"))
      .def("step", &BoundLearner::step, nb::arg("number"), nb::arg("rate"), "Applies the gradient added so far.")
      .def("average", &BoundLearner::average, nb::arg("steps"), "The mean of the weights over that many steps.")
      .def("move", &BoundLearner::move, nb::arg("number"), nb::arg("size"), "Adds `size` times the gradient.")
      .def("squared_length", &BoundLearner::squared_length, "The squared length of the gradient added so far.");
  m.def("arc_gradient", &bound_arc_gradient, nb::arg("arc").noconvert(), nb::arg("heads").noconvert(),
        nb::arg("projective"), nb::arg("single_root"),
        "The expected number of wrong heads, and [h, m] the gradient of the tree's log probability; the head -1 is "
        "open.");
  m.def("projective_gradient", &bound_projective_gradient, nb::arg("parts"), nb::arg("heads").noconvert(),
        nb::arg("single_root"), nb::arg("is_outside"),
        "The negative log probability of a tree, and parts with the gradient of its log probability as scores; of a "
        "partial tree, with the head -1 of open words, that of all trees that contain it.");
  m.def("nonprojective_gradient", &bound_nonprojective_gradient, nb::arg("parts"), nb::arg("heads").noconvert(),
        nb::arg("single_root"), nb::arg("rounds"),
        "The expected number of wrong heads, and the gradient by loopy belief propagation over all trees.");
  m.def("tree_difference", &bound_tree_difference, nb::arg("parts"), nb::arg("heads").noconvert(),
        nb::arg("others").noconvert(), "Parts with the count in the first tree minus that in the second as scores.");
  m.def("automata_difference", &bound_automata_difference, nb::arg("parts"), nb::arg("heads").noconvert(),
        "How many arcs of the tree no head automaton chose by itself, and the counts of the tree minus theirs.");
  m.def("add_margin", &bound_add_margin, nb::arg("parts"), nb::arg("heads").noconvert(), nb::arg("margin"),
        "Adds a margin to the score of every arc that the tree does not have.");
}

}  // namespace treewright
