#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "dual/branch_and_bound.hpp"
#include "dual/dual_decomposition.hpp"
#include "searching.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Columns by name, one entry an iteration; empty unless requested.
using Trace = nb::typed<nb::dict, nb::str, nb::any>;

struct SolvedTree {
  Heads heads;
  double value, bound, gap, spread;
  std::string certificate;  // empty when there is none
  long long iterations;
};

struct DualResult : SolvedTree {
  NewScoreColumn average, u, v;
  Trace trace;
};

// Kept as the core has it: most proofs are written or checked later, or never.
struct SearchProofData {
  using Fixed = std::tuple<int, std::vector<int>, std::vector<int>>;
  using Node = std::tuple<int, int, bool, std::vector<Fixed>, int>;
  using Point =
      std::tuple<NewScoreColumn, NewScoreColumn, double, std::vector<double>, std::vector<int>, std::vector<int>>;
  std::vector<ProofNode> nodes;
  std::vector<DualPoint> points;
};

struct SearchResult : SolvedTree {
  long long nodes;
  Trace trace;
  SearchProofData proof;
};

static std::string name_of(Certificate certificate) {
  return certificate == Certificate::agreement ? "agreement" : certificate == Certificate::bound ? "bound" : "";
}

template <typename Solver>
static SolvedTree tree_of(const Solver &solver) {
  const auto &best = solver.best;
  return {copied<Heads>(best.heads),   best.value,       best.bound, best.gap, best.spread,
          name_of(solver.certificate), solver.iterations};
}

static Trace columns_of(const DualTrace &trace) {
  Trace columns;
  columns["dual"] = copied<NewScoreColumn>(trace.dual), columns["best"] = copied<NewScoreColumn>(trace.best);
  columns["bound"] = copied<NewScoreColumn>(trace.bound),
  columns["disagreements"] = copied<NewIndexColumn>(trace.disagreements);
  columns["recomputed"] = copied<NewIndexColumn>(trace.recomputed);
  return columns;
}

static std::vector<SearchProofData::Node> proof_nodes(const SearchProofData &proof) {
  std::vector<SearchProofData::Node> nodes;
  for (const ProofNode &node : proof.nodes) {
    std::vector<SearchProofData::Fixed> fixed;
    for (const FixedArcs &arcs : node.fixed) fixed.emplace_back(arcs.point, arcs.in, arcs.out);
    nodes.emplace_back(node.parent, node.arc, node.in, std::move(fixed), node.point);
  }
  return nodes;
}
static SearchProofData::Point proof_point(const SearchProofData &proof, std::size_t number) {
  if (number >= proof.points.size()) throw nb::index_error("there is no such point");
  const DualPoint &point = proof.points[number];
  return {copied<NewScoreColumn>(point.u),
          copied<NewScoreColumn>(point.v),
          point.tree.penalty,
          point.tree.slack,
          point.tree.set_begin,
          point.tree.words};
}

// Whether the tables of a sentence are large enough that their memory is released; the limit is not tuned.
static bool is_large(const Parts &parts) {
  constexpr std::size_t max_reused_bytes = 1 << 26;
  return (parts.transitions.size() + parts.grands.size()) * sizeof(double) > max_reused_bytes;
}

static DualResult dual_decomposition(const Parts &parts, bool projective, bool single_root, double beta, bool polyak,
                                     int max_iterations, double max_seconds, double tolerance, bool trace, bool tighten,
                                     bool facts, std::optional<ScoreColumn> u, std::optional<ScoreColumn> v) {
  for (const auto *column : {&u, &v})
    if (*column && int((*column)->shape(0)) != parts.arcs()) throw nb::value_error("multipliers: one an arc");
  const DualOptions options{
      {projective, single_root, beta, {}, facts}, polyak, max_iterations, tolerance, max_seconds, trace, tighten};
  thread_local DualDecomposition solver;  // its tables are reused from sentence to sentence
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = solver.solve(parts, options, u ? u->data() : nullptr, v ? v->data() : nullptr, signal_waits);
  }
  if (!done) throw nb::python_error();
  DualResult result{tree_of(solver),
                    copied<NewScoreColumn>(solver.average),
                    copied<NewScoreColumn>(solver.u),
                    copied<NewScoreColumn>(solver.v),
                    {}};
  if (trace) result.trace = columns_of(solver.trace);
  if (is_large(parts)) solver = DualDecomposition();
  return result;
}

static SearchResult branch_and_bound(const Parts &parts, bool single_root, double max_seconds, long long max_nodes,
                                     double tolerance, bool trace, bool proof) {
  const SearchOptions options{single_root, tolerance, max_seconds, max_nodes, trace, proof};
  thread_local BranchAndBound solver;
  bool done;
  {
    nb::gil_scoped_release nogil;
    done = solver.solve(parts, options, signal_waits);
  }
  if (!done) throw nb::python_error();
  SearchResult result{
      tree_of(solver), solver.nodes, {}, {std::move(solver.proof.nodes), std::move(solver.proof.points)}};
  if (trace) {
    result.trace = columns_of(solver.trace);
    result.trace["node"] = copied<NewIndexColumn>(solver.trace.node);
  }
  if (is_large(parts)) solver = BranchAndBound();
  return result;
}

void bind_dual(nb::module_ &m) {
  constexpr auto shared = nb::rv_policy::automatic;  // an array keeps its own memory alive
  nb::class_<SolvedTree>(m, "SolvedTree", "The tree of a search; certificate is empty when there is none.")
      .def_ro("heads", &SolvedTree::heads, shared)
      .def_ro("value", &SolvedTree::value)
      .def_ro("bound", &SolvedTree::bound)
      .def_ro("gap", &SolvedTree::gap)
      .def_ro("spread", &SolvedTree::spread)
      .def_ro("certificate", &SolvedTree::certificate)
      .def_ro("iterations", &SolvedTree::iterations);
  nb::class_<DualResult, SolvedTree>(m, "DualResult", "The result of dual decomposition.")
      .def_ro("average", &DualResult::average, shared)
      .def_ro("u", &DualResult::u, shared)
      .def_ro("v", &DualResult::v, shared)
      .def_ro("trace", &DualResult::trace);
  nb::class_<SearchProofData>(m, "SearchProof", "The nodes of a search tree and the multipliers that bound them.")
      .def("nodes", &proof_nodes, "Parent, arc, whether it is in, fixed arcs (point, in, out), point; -1: none.")
      .def("point", &proof_point, nb::arg("number"),
           "u and v of each arc; penalty of the root arcs; slack of each set, where its words begin, words.");
  nb::class_<SearchResult, SolvedTree>(m, "SearchResult", "The result of branch and bound.")
      .def_ro("nodes", &SearchResult::nodes)
      .def_ro("trace", &SearchResult::trace)
      .def_ro("proof", &SearchResult::proof);
  m.def("dual_decomposition", &dual_decomposition, nb::arg("parts"), nb::kw_only(), nb::arg("projective"),
        nb::arg("single_root"), nb::arg("beta"), nb::arg("polyak"), nb::arg("max_iterations"), nb::arg("max_seconds"),
        nb::arg("tolerance"), nb::arg("trace"), nb::arg("tighten"), nb::arg("facts"), nb::arg("u").noconvert().none(),
        nb::arg("v").noconvert().none(),
        "Spanning tree and head automata made to agree (Koo et al. 2010); the value is -inf when there is no tree.");
  m.def("branch_and_bound", &branch_and_bound, nb::arg("parts"), nb::arg("single_root"), nb::arg("max_seconds"),
        nb::arg("max_nodes"), nb::arg("tolerance"), nb::arg("trace"), nb::arg("proof"),
        "The best non-projective tree, proved; on a budget the best found, with a bound.");
}

}  // namespace treewright
