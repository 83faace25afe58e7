#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "charts/grand_eisner.hpp"
#include "charts/sibling_eisner.hpp"
#include "trees/parts.hpp"
#include "trees/sibling_bounds.hpp"

namespace treewright {

// Heads, value, bound, gap and spread.
using TreeWithBounds = std::tuple<Heads, double, double, double, double>;

// Charts are reused from sentence to sentence.
static SiblingEisner &sibling_decoder() {
  thread_local SiblingEisner decoder;
  return decoder;
}

static TreeWithBounds sibling_eisner(Scores arc, std::optional<Scores3> sib, std::optional<Scores3> stop,
                                     bool single_root) {
  const std::size_t nodes = checked_nodes(arc);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (sib && sib->shape(axis) != nodes) throw nb::value_error("sib does not fit arc");
    if (stop && stop->shape(axis) != (axis < 2 ? nodes : 2)) throw nb::value_error("stop does not fit arc");
  }
  if (sib && bad_sibling(sib->data(), int(nodes)) >= 0) throw nb::value_error("sib must have scores");
  if (stop && bad_stop(stop->data(), int(nodes)) >= 0) throw nb::value_error("stop must have scores");
  Heads heads = new_array<Heads>(nodes);
  Bounds found;
  {
    nb::gil_scoped_release nogil;
    thread_local SiblingBounds bounds;
    const double *siblings = sib ? sib->data() : nullptr, *stops = stop ? stop->data() : nullptr;
    if (sibling_decoder().decode(int(nodes), arc.data(), siblings, stops, single_root, heads.data()) > forbidden)
      found = bounds.of(int(nodes), arc.data(), siblings, stops, single_root, heads.data());
  }
  return {heads, found.value, found.bound, found.gap, found.spread};
}

// The same with the halves and the incomplete items of the chart.
static std::tuple<TreeWithBounds, NewScores, NewScores> sibling_eisner_chart(Scores arc, std::optional<Scores3> sib,
                                                                             std::optional<Scores3> stop,
                                                                             bool single_root) {
  const TreeWithBounds found = sibling_eisner(arc, sib, stop, single_root);
  const std::size_t nodes = arc.shape(0);
  NewScores halves = new_array<NewScores>(nodes, nodes + 1), incomplete = new_array<NewScores>(nodes, nodes);
  sibling_decoder().copy_chart(int(nodes), single_root, halves.data(), incomplete.data());
  return {found, halves, incomplete};
}

void bind_dynamic(nb::module_ &m) {
  m.def("sibling_eisner", &sibling_eisner, nb::arg("arc").noconvert(), nb::arg("sib").noconvert().none(),
        nb::arg("stop").noconvert().none(), nb::arg("single_root"),
        "The best projective tree over arcs, siblings and stops: heads, value, bound, gap and spread; the value is "
        "-inf when there is none.");
  m.def("sibling_eisner_chart", &sibling_eisner_chart, nb::arg("arc").noconvert(), nb::arg("sib").noconvert().none(),
        nb::arg("stop").noconvert().none(), nb::arg("single_root"),
        "The same, then the items of the chart: halves [h, boundary] and incomplete [h, m].");
  m.def("grand_eisner_bytes", &GrandEisner::bytes, nb::arg("parts"), "An upper bound of the memory of grand_eisner.");
}

}  // namespace treewright
