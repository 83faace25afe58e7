#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "decode/candidates.hpp"
#include "decode/direct.hpp"

namespace treewright {

using Candidates = std::tuple<NewIndexColumn, NewIndexColumn, NewScores, double>;

// The tuples of `candidate_arcs`, from what the kernel found for each sentence.
struct Found {
  std::vector<int> heads, modifiers;
  double value;
};

static Candidates as_arrays(const Found &found, const NewScores &marginal) {
  return {copied<NewIndexColumn>(found.heads.data(), found.heads.size()),
          copied<NewIndexColumn>(found.modifiers.data(), found.modifiers.size()), marginal, found.value};
}

// `gold` is empty, or has one tree a sentence.
static std::vector<Candidates> candidate_arcs(const std::vector<Scores> &arcs, const PruningRules &rules,
                                              const std::vector<IndexColumn> &gold) {
  if (rules.max_heads < 1) throw nb::value_error("max_heads must be at least 1");
  check_finite("threshold", rules.threshold);
  if (!gold.empty() && gold.size() != arcs.size()) throw nb::value_error("there must be one gold tree a sentence");
  std::vector<NewScores> marginals;
  for (const Scores &arc : arcs) {
    const int nodes = checked_nodes(arc);
    marginals.push_back(new_array<NewScores>(nodes, nodes));
  }
  for (std::size_t s = 0; s < gold.size(); ++s) check_heads(gold[s], nodes_of(arcs[s]));
  std::vector<Found> found;
  {
    nb::gil_scoped_release nogil;
    thread_local CandidateArcs kernel;
    for (std::size_t s = 0; s < arcs.size(); ++s) {
      const int *tree = gold.empty() ? nullptr : gold[s].data();
      const double value = kernel.run(arcs[s].data(), int(arcs[s].shape(0)), rules, tree, marginals[s].data());
      found.push_back({kernel.heads, kernel.modifiers, value});
    }
  }
  std::vector<Candidates> candidates;
  for (std::size_t s = 0; s < arcs.size(); ++s) candidates.push_back(as_arrays(found[s], marginals[s]));
  return candidates;
}

// The heads of all sentences one after the other, and of each tree value, bound, gap and spread, one row a sentence.
static std::pair<Heads, NewScores> decode_parts(const std::vector<const Parts *> &batch, DirectAlgorithm algorithm,
                                                bool single_root, double tolerance) {
  std::size_t nodes = 0;
  for (const Parts *parts : batch) nodes += parts->nodes;
  Heads heads = new_array<Heads>(nodes);
  NewScores bounds = new_array<NewScores>(batch.size(), 4);
  {
    nb::gil_scoped_release nogil;
    thread_local DirectDecoder decoder;
    std::int32_t *tree = heads.data();
    double *row = bounds.data();
    for (std::size_t s = 0; s < batch.size(); ++s, row += 4) {
      const Bounds found = decoder.decode(*batch[s], algorithm, single_root, tolerance, tree);
      row[0] = found.value, row[1] = found.bound, row[2] = found.gap, row[3] = found.spread;
      tree += batch[s]->nodes;
    }
  }
  return {heads, bounds};
}

void bind_decode(nb::module_ &m) {
  nb::class_<PruningRules>(m, "PruningRules", "How candidate arcs are chosen (core/decode/candidates.hpp).")
      .def(nb::init<bool, bool, double, int, int>(), nb::arg("projective"), nb::arg("single_root"),
           nb::arg("threshold"), nb::arg("max_heads"), nb::arg("min_heads") = 1);
  nb::enum_<DirectAlgorithm>(m, "DirectAlgorithm", "Algorithms without search (core/decode/direct.hpp).")
      .value("eisner", DirectAlgorithm::eisner)
      .value("chu_liu_edmonds", DirectAlgorithm::chu_liu_edmonds)
      .value("sibling_eisner", DirectAlgorithm::sibling_eisner)
      .value("grand_eisner", DirectAlgorithm::grand_eisner);
  m.def("candidate_arcs", &candidate_arcs, nb::arg("arcs"), nb::arg("rules"), nb::arg("gold"),
        "Of each sentence: head and modifier of the candidate arcs, the marginal of every arc, the value of the best "
        "tree.");
  m.def("decode_parts", &decode_parts, nb::arg("batch"), nb::arg("algorithm"), nb::arg("single_root"),
        nb::arg("tolerance"),
        "The heads of all sentences one after the other, and a row for each tree: value, bound, gap and spread; the "
        "value is -inf when there is none.");
}

}  // namespace treewright
