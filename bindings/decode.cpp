#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "best_trees.hpp"
#include "decode/batch.hpp"
#include "decode/candidates.hpp"
#include "decode/direct.hpp"
#include "decode/kbest.hpp"

namespace treewright {

// The candidate arcs of several sentences; nothing depends on the nodes in marks[s]. gold is empty, or has the heads of
// each gold tree, whose arcs are candidates.
static std::vector<std::tuple<NewIndexColumn, NewIndexColumn, NewScores, double>> candidate_arcs(
    const std::vector<Scores> &arcs, const std::vector<IndexColumn> &marks, const PruningRules &rules,
    const std::vector<IndexColumn> &gold) {
  if (arcs.size() != marks.size()) throw nb::value_error("there must be one list of marks a sentence");
  if (!gold.empty() && gold.size() != arcs.size()) throw nb::value_error("there must be one gold tree a sentence");
  if (rules.max_heads < 1) throw nb::value_error("max_heads must be at least 1");
  check_finite("threshold", rules.threshold);
  std::vector<NewScores> marginals;
  for (std::size_t s = 0; s < arcs.size(); ++s) {
    const int nodes = checked_nodes(arcs[s]);
    if (!gold.empty()) check_heads(gold[s], nodes);
    for (std::size_t k = 0; k < marks[s].shape(0); ++k)
      if (marks[s](k) < 0 || marks[s](k) >= nodes) throw nb::value_error("a mark is no node of its sentence");
    marginals.push_back(new_array<NewScores>(nodes, nodes));
  }
  struct Chosen {
    std::vector<int> heads, modifiers;
    double value;
  };
  std::vector<Chosen> chosen;
  {
    nb::gil_scoped_release nogil;  // once: another thread may keep the lock for milliseconds
    thread_local CandidateArcs kernel;
    thread_local std::vector<double> scores;
    for (std::size_t s = 0; s < arcs.size(); ++s) {
      const int nodes = int(arcs[s].shape(0));
      scores.assign(arcs[s].data(), arcs[s].data() + arcs[s].size());
      for (std::size_t k = 0; k < marks[s].shape(0); ++k)
        std::fill_n(scores.begin() + std::ptrdiff_t(marks[s](k)) * nodes, nodes, forbidden);
      const double value =
          kernel.run(scores.data(), nodes, rules, gold.empty() ? nullptr : gold[s].data(), marginals[s].data());
      chosen.push_back({kernel.heads, kernel.modifiers, value});
    }
  }
  std::vector<std::tuple<NewIndexColumn, NewIndexColumn, NewScores, double>> candidates;
  candidates.reserve(arcs.size());
  for (std::size_t s = 0; s < arcs.size(); ++s)
    candidates.emplace_back(copied<NewIndexColumn>(chosen[s].heads), copied<NewIndexColumn>(chosen[s].modifiers),
                            marginals[s], chosen[s].value);
  return candidates;
}

static BestTrees::Columns best_trees_of_parts(const std::vector<const Parts *> &batch, DirectAlgorithm algorithm,
                                              bool single_root, double tolerance, int threads) {
  std::vector<int> nodes;
  for (const Parts *parts : batch) nodes.push_back(parts->nodes);
  BestTrees trees(nodes);
  {
    nb::gil_scoped_release nogil;
    for_each_item(int(batch.size()), threads, [&](int item) {
      thread_local DirectDecoder decoder;
      trees.set(item, decoder.decode(*batch[item], algorithm, single_root, tolerance, trees.heads_of(item)));
    });
  }
  return std::move(trees).columns();
}

static std::pair<NewIndexRows, NewScoreColumn> kbest(Scores arc, bool projective, bool single_root, int k) {
  const int nodes = checked_nodes(arc);
  if (k < 1) throw nb::value_error("k must be at least 1");
  KBest best;
  {
    nb::gil_scoped_release nogil;
    best = projective ? ProjectiveKBest().decode(arc.data(), nodes, single_root, k)
                      : SpanningKBest().decode(arc.data(), nodes, single_root, k);
  }
  return {copied<NewIndexRows>(best.heads, nodes), copied<NewScoreColumn>(best.values)};
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
  m.def("candidate_arcs", &candidate_arcs, nb::arg("arcs"), nb::arg("marks"), nb::arg("rules"), nb::arg("gold"),
        "Of each sentence head and modifier of the candidate arcs, the marginal of every arc, the value of the best "
        "tree; nothing depends on the nodes in marks[s]. gold is empty, or has the heads of each gold tree.");
  m.def("best_trees_of_parts", &best_trees_of_parts, nb::arg("batch"), nb::arg("algorithm"), nb::arg("single_root"),
        nb::arg("tolerance"), nb::arg("threads"),
        "The best tree of each sentence: the heads of all trees one after the other, as int32, and of each tree where "
        "its "
        "heads end, value, bound, gap and spread; the value is -inf when there is none.");
  m.def("grand_eisner_bytes", &GrandEisner::bytes, nb::arg("parts"),
        "An upper bound of the memory of the chart with grandparents.");
  m.def("kbest", &kbest, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("k"),
        "The k best trees, or all there are: heads, a row a tree, and values.");
}

}  // namespace treewright
