#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "search/climb.hpp"
#include "search/climb_optima.hpp"
#include "search/graph.hpp"
#include "search/rearrange.hpp"
#include "searching.hpp"

namespace treewright {

static void check_mask(const Parts &parts, const Mask &mask) {
  if (int(mask.shape(0)) != parts.arcs()) throw nb::value_error("a mask must have one entry an arc");
}

static void make_climb_options(ClimbOptions *options, bool single_root, bool projective, bool by_score, int patience,
                               int max_restarts, std::uint64_t seed) {
  new (options) ClimbOptions{{single_root, projective}, by_score, patience, max_restarts, seed};
}

static std::tuple<Heads, double, NewScoreColumn> climb(const Parts &parts, const ClimbOptions &options,
                                                       std::optional<IndexColumn> first, double max_seconds) {
  if (first) check_tree(parts, *first);
  Heads heads = new_array<Heads>(parts.nodes);
  thread_local Climber climber;
  double value;
  {
    nb::gil_scoped_release nogil;
    const std::function<bool()> is_cancelled = signal_waits;
    Deadline watch(max_seconds, is_cancelled);
    value = climber.decode(parts, options, first ? first->data() : nullptr, watch, heads.data());
  }
  if (climber.was_interrupted) throw nb::python_error();
  return {heads, value, copied<NewScoreColumn>(climber.best_so_far())};
}

// The heads after every change of one climb, row by row, with the values that the gains add up to: for tests.
static std::pair<NewIndexRows, NewScoreColumn> climb_path(const Parts &parts, IndexColumn start, bool single_root,
                                                          bool projective) {
  check_tree(parts, start);
  std::vector<int> rows;
  std::vector<double> values;
  {
    nb::gil_scoped_release nogil;
    ClimbTree tree;
    tree.reset(parts, {single_root, projective}, start.data());
    const auto record = [&](const ClimbTree &now) {
      rows.resize(rows.size() + parts.nodes);
      now.write(rows.data() + rows.size() - parts.nodes);
      values.push_back(now.total().value());
    };
    record(tree);
    Climber().climb(tree, record, [] { return true; });
  }
  return {copied<NewIndexRows>(rows, parts.nodes), copied<NewScoreColumn>(values)};
}

static std::pair<Heads, int> rearrange(const Parts &parts, IndexColumn start, bool single_root, bool projective,
                                       int limit) {
  check_tree(parts, start);
  Heads heads = new_array<Heads>(parts.nodes);
  std::copy(start.data(), start.data() + parts.nodes, heads.data());
  int changes;
  {
    nb::gil_scoped_release nogil;
    thread_local Rearranger rearranger;
    changes = rearranger.decode(parts, {single_root, projective}, limit, heads.data());
  }
  return {heads, changes};
}

static std::pair<NewMask, int> graph_climb(const Parts &parts, Mask start, Mask fixed, bool single_root, int limit,
                                           double max_seconds) {
  check_mask(parts, start);
  check_mask(parts, fixed);
  NewMask on = new_array<NewMask>(parts.arcs());
  std::copy(start.data(), start.data() + parts.arcs(), on.data());
  thread_local GraphClimber climber;
  int changes;
  {
    nb::gil_scoped_release nogil;
    const std::function<bool()> is_cancelled = signal_waits;
    Deadline watch(max_seconds, is_cancelled);
    changes = climber.decode(parts, {single_root, limit}, fixed.data(), watch, on.data());
  }
  if (climber.was_interrupted) throw nb::python_error();
  return {on, changes};
}

static std::vector<double> graph_scores(const Parts &parts, Mask on) {
  check_mask(parts, on);
  thread_local GraphClimber climber;
  return climber.scores(parts, on.data());
}

static long count_optima(Scores arc, long cap) {
  const int nodes = checked_nodes(arc);
  nb::gil_scoped_release nogil;
  thread_local OptimaCounter counter;
  return counter.count(arc.data(), nodes, cap);
}

void bind_local_search(nb::module_ &m) {
  nb::class_<ClimbOptions>(m, "ClimbOptions", "The options of hill climbing.")
      .def("__init__", &make_climb_options, nb::kw_only(), nb::arg("single_root"), nb::arg("projective"),
           nb::arg("by_score"), nb::arg("patience"), nb::arg("max_restarts"), nb::arg("seed"));
  m.def("climb", &climb, nb::arg("parts"), nb::arg("options"), nb::arg("first").noconvert().none(),
        nb::arg("max_seconds"),
        "Randomized hill climbing (Zhang et al. 2014): heads, value, and the best value after each restart.");
  m.def("climb_path", &climb_path, nb::arg("parts"), nb::arg("start").noconvert(), nb::arg("single_root"),
        nb::arg("projective"), "One climb: the heads after every change, and the values the gains add up to.");
  m.def("rearrange", &rearrange, nb::arg("parts"), nb::arg("start").noconvert(), nb::arg("single_root"),
        nb::arg("projective"), nb::arg("limit"), "The best single changes one by one: heads, and how many.");
  m.def("graph_climb", &graph_climb, nb::arg("parts"), nb::arg("start").noconvert(), nb::arg("fixed").noconvert(),
        nb::arg("single_root"), nb::arg("limit"), nb::arg("max_seconds"),
        "Further and other heads from a graph on: which arcs are on, and how many changes.");
  m.def("graph_scores", &graph_scores, nb::arg("parts"), nb::arg("on").noconvert(), "The scores of a graph's parts.");
  m.def("count_optima", &count_optima, nb::arg("arc").noconvert(), nb::arg("cap"),
        "How many trees no single change of a head improves; cap + 1 when there are more than cap.");
}

}  // namespace treewright
