#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "dual/branch_and_bound.hpp"
#include "dual/dual_decomposition.hpp"
#include "trees/parts.hpp"

namespace treewright {

struct DualTraceArrays {
  NewScoreColumn dual, best, bound;
  NewIndexColumn disagreements, recomputed;
};

struct SearchTraceArrays : DualTraceArrays {
  NewIndexColumn node;
};

struct DualResult {
  Heads heads;
  double value, bound;
  std::string certificate;
  int iterations;
  NewScoreColumn average, u, v;
  DualTraceArrays trace;  // without arrays unless requested
};

struct SearchResult {
  Heads heads;
  double value, bound;
  std::string certificate;
  long long iterations, nodes;
  SearchTraceArrays trace;
};

static std::string name_of(Certificate certificate) {
  return certificate == Certificate::agreement ? "agreement" : certificate == Certificate::bound ? "bound" : "";
}

static NewScoreColumn scores_of(const std::vector<double> &column) {
  return copied<NewScoreColumn>(column.data(), column.size());
}
static NewIndexColumn indices_of(const std::vector<int> &column) {
  return copied<NewIndexColumn>(column.data(), column.size());
}
static DualTraceArrays arrays_of(const DualTrace &trace) {
  return {scores_of(trace.dual), scores_of(trace.best), scores_of(trace.bound), indices_of(trace.disagreements),
          indices_of(trace.recomputed)};
}

// Whether a signal (Ctrl-C) waits for Python; called with the lock released.
static bool signal_waits() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// Whether the tables of a sentence are large enough that their memory is released; the limit is by convention.
static bool is_large(const Parts &parts) {
  constexpr std::size_t max_reused_bytes = 1 << 26;
  return (parts.transitions.size() + parts.grands.size()) * sizeof(double) > max_reused_bytes;
}

static void make_dual_options(DualOptions *options, bool projective, bool single_root, double beta, bool polyak,
                              int max_iterations, double max_seconds, double tolerance, bool trace, bool tighten) {
  new (options)
      DualOptions{{projective, single_root, beta}, polyak, max_iterations, tolerance, max_seconds, trace, tighten};
}

static DualResult dual_decomposition(const Parts &parts, const DualOptions &options, std::optional<ScoreColumn> u,
                                     std::optional<ScoreColumn> v) {
  for (const auto *column : {&u, &v})
    if (*column && int((*column)->shape(0)) != parts.arcs()) throw nb::value_error("multipliers: one an arc");
  thread_local DualDecomposition solver;  // its tables are reused from sentence to sentence
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = solver.solve(parts, options, u ? u->data() : nullptr, v ? v->data() : nullptr, signal_waits);
  }
  if (!done) throw nb::python_error();
  DualResult result{copied<Heads>(solver.heads.data(), solver.heads.size()),
                    solver.value,
                    solver.bound,
                    name_of(solver.certificate),
                    solver.iterations,
                    scores_of(solver.average),
                    scores_of(solver.u),
                    scores_of(solver.v),
                    {}};
  if (options.trace) result.trace = arrays_of(solver.trace);
  if (is_large(parts)) solver = DualDecomposition();
  return result;
}

static SearchResult branch_and_bound(const Parts &parts, bool single_root, double max_seconds, long long max_nodes,
                                     double tolerance, bool trace) {
  const SearchOptions options{single_root, tolerance, max_seconds, max_nodes, trace};
  thread_local BranchAndBound solver;
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = solver.solve(parts, options, signal_waits);
  }
  if (!done) throw nb::python_error();
  SearchResult result{copied<Heads>(solver.heads.data(), solver.heads.size()),
                      solver.value,
                      solver.bound,
                      name_of(solver.certificate),
                      solver.iterations,
                      solver.nodes,
                      {}};
  if (trace) result.trace = SearchTraceArrays{arrays_of(solver.trace), indices_of(solver.trace.node)};
  if (is_large(parts)) solver = BranchAndBound();
  return result;
}

void bind_dual(nb::module_ &m) {
  constexpr auto shared = nb::rv_policy::automatic;  // an array keeps its own memory alive
  nb::class_<DualTraceArrays>(m, "DualTrace", "One entry an iteration.")
      .def_ro("dual", &DualTraceArrays::dual, shared)
      .def_ro("best", &DualTraceArrays::best, shared)
      .def_ro("bound", &DualTraceArrays::bound, shared)
      .def_ro("disagreements", &DualTraceArrays::disagreements, shared)
      .def_ro("recomputed", &DualTraceArrays::recomputed, shared);
  nb::class_<SearchTraceArrays, DualTraceArrays>(m, "SearchTrace", "One entry an iteration.")
      .def_ro("node", &SearchTraceArrays::node, shared);
  nb::class_<DualResult>(m, "DualResult", "What dual decomposition found; certificate is empty when there is none.")
      .def_ro("heads", &DualResult::heads, shared)
      .def_ro("value", &DualResult::value)
      .def_ro("bound", &DualResult::bound)
      .def_ro("certificate", &DualResult::certificate)
      .def_ro("iterations", &DualResult::iterations)
      .def_ro("average", &DualResult::average, shared)
      .def_ro("u", &DualResult::u, shared)
      .def_ro("v", &DualResult::v, shared)
      .def_ro("trace", &DualResult::trace);
  nb::class_<SearchResult>(m, "SearchResult", "What branch and bound found; certificate is empty when there is none.")
      .def_ro("heads", &SearchResult::heads, shared)
      .def_ro("value", &SearchResult::value)
      .def_ro("bound", &SearchResult::bound)
      .def_ro("certificate", &SearchResult::certificate)
      .def_ro("iterations", &SearchResult::iterations)
      .def_ro("nodes", &SearchResult::nodes)
      .def_ro("trace", &SearchResult::trace);
  nb::class_<DualOptions>(m, "DualOptions", "The options of dual decomposition.")
      .def("__init__", &make_dual_options, nb::kw_only(), nb::arg("projective"), nb::arg("single_root"),
           nb::arg("beta"), nb::arg("polyak"), nb::arg("max_iterations"), nb::arg("max_seconds"), nb::arg("tolerance"),
           nb::arg("trace"), nb::arg("tighten"));
  m.def("dual_decomposition", &dual_decomposition, nb::arg("parts"), nb::arg("options"),
        nb::arg("u").noconvert().none(), nb::arg("v").noconvert().none(),
        "Spanning tree and head automata made to agree (Koo et al. 2010); the value is -inf when there is no tree.");
  m.def("branch_and_bound", &branch_and_bound, nb::arg("parts"), nb::arg("single_root"), nb::arg("max_seconds"),
        nb::arg("max_nodes"), nb::arg("tolerance"), nb::arg("trace"),
        "The best non-projective tree, proved; on a budget the best found, with a bound.");
}

}  // namespace treewright
