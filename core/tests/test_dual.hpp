// Dual decomposition and branch and bound, included by test_core.cpp after its CHECK and random_scores.
#pragma once

#include "charts/grand_eisner.hpp"
#include "dual/branch_and_bound.hpp"
#include "dual/dual_decomposition.hpp"

// Random parts over whole matrices, with some arcs and parts forbidden when `holes` is set.
static treewright::Parts random_parts(int nodes, bool siblings, bool grandparents, bool holes, unsigned seed,
                                      bool grandsibs = false) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto scores = [&](std::size_t count) {
    std::vector<double> found(count);
    for (double &score : found) score = holes && uniform(random) < 0.1 ? treewright::forbidden : normal(random);
    return found;
  };
  const std::size_t n = nodes;
  const std::vector<double> arc = scores(n * n), sib = scores(n * n * n), grand = scores(n * n * n),
                            stop = scores(n * n * 2), grandsib = scores(grandsibs ? n * n * n * n : 0);
  return treewright::Parts::from_dense(nodes, arc.data(), siblings ? sib.data() : nullptr,
                                       grandparents ? grand.data() : nullptr, siblings ? stop.data() : nullptr,
                                       grandsibs ? grandsib.data() : nullptr);
}

static void dual_values_bound_the_best_tree_that_the_search_proves() {
  treewright::BranchAndBound search;
  treewright::DualDecomposition dual;
  for (unsigned trial = 0; trial < 48; ++trial) {
    const int nodes = 2 + int(trial % 7);
    const bool single_root = trial % 2, holes = trial % 3 == 0;
    const treewright::Parts parts = random_parts(nodes, trial % 4 != 1, trial % 4 != 0, holes, trial);
    treewright::SearchOptions options;
    options.single_root = single_root, options.trace = true;
    CHECK(search.solve(parts, options, nullptr));
    if (search.best.value == treewright::forbidden) continue;
    CHECK(search.certificate != treewright::Certificate::none);
    CHECK(std::abs(parts.value(search.best.heads.data()) - search.best.value) < 1e-9);
    for (double bound : search.trace.bound) CHECK(bound >= search.best.value - 1e-8);
    for (bool polyak : {false, true}) {
      treewright::DualOptions dual_options;
      dual_options.pieces.single_root = single_root, dual_options.polyak = polyak;
      dual_options.max_iterations = 60, dual_options.trace = true;
      CHECK(dual.solve(parts, dual_options, nullptr, nullptr, nullptr));
      for (double value : dual.trace.dual) CHECK(value >= search.best.value - 1e-8);
      CHECK(dual.best.value <= search.best.value + 1e-8);
      const std::vector<double> u = dual.u, v = dual.v;
      CHECK(dual.solve(parts, dual_options, u.data(), v.data(), nullptr));  // a warm start
    }
  }
}

static void grand_siblings_have_the_same_value_in_search_and_chart() {
  treewright::BranchAndBound search;
  treewright::GrandEisner chart;
  treewright::Climber climber;
  for (unsigned trial = 0; trial < 36; ++trial) {
    const int nodes = 2 + int(trial % 6);
    const bool single_root = trial % 2;
    const treewright::Parts parts = random_parts(nodes, trial % 4 != 1, trial % 4 != 0, trial % 3 == 0, trial, true);
    treewright::SearchOptions options;
    options.single_root = single_root;
    CHECK(search.solve(parts, options, nullptr));
    std::vector<int> heads(nodes);
    const double value = chart.decode(parts, single_root, heads.data());
    if (value == treewright::forbidden) continue;
    CHECK(std::abs(parts.value(heads.data()) - value) < 1e-9);
    CHECK(search.best.value >= value - 1e-8);
    CHECK(std::abs(parts.value(search.best.heads.data()) - search.best.value) < 1e-9);
    const double climbed = climber.improve(parts, {single_root, false}, heads.data());
    CHECK(climbed >= value - 1e-9 && climbed <= search.best.value + 1e-8);
    CHECK(std::abs(parts.value(heads.data()) - climbed) < 1e-9);
    std::vector<int> kept(parts.arcs());
    for (int id = 0; id < parts.arcs(); ++id) kept[id] = id;
    CHECK(std::abs(parts.restricted(kept).scaled(0.5).value(heads.data()) - climbed / 2) < 1e-9);
  }
}

static void tightening_proves_more_trees_and_keeps_every_bound() {
  treewright::BranchAndBound search;
  treewright::DualDecomposition dual;
  int plain = 0, tightened = 0;
  for (unsigned trial = 0; trial < 48; ++trial) {
    const treewright::Parts parts =
        random_parts(4 + int(trial % 6), trial % 4 != 1, trial % 4 != 0, trial % 3 == 0, trial);
    treewright::SearchOptions options;
    options.single_root = trial % 2;
    CHECK(search.solve(parts, options, nullptr));
    if (search.best.value == treewright::forbidden) continue;
    for (bool tighten : {false, true}) {
      treewright::DualOptions dual_options;
      dual_options.pieces.single_root = trial % 2, dual_options.polyak = trial % 5 == 0;
      dual_options.max_iterations = 1500, dual_options.trace = true, dual_options.tighten = tighten;
      CHECK(dual.solve(parts, dual_options, nullptr, nullptr, nullptr));
      CHECK(dual.iterations <= 1500 && dual.iterations == int(dual.trace.bound.size()));
      for (double bound : dual.trace.bound) CHECK(bound >= search.best.value - 1e-8);
      CHECK(dual.best.value <= search.best.value + 1e-8 && search.best.value <= dual.best.bound + 1e-8);
      CHECK(int(dual.u.size()) == parts.arcs() && int(dual.v.size()) == parts.arcs());
      const bool certified = dual.certificate != treewright::Certificate::none;
      CHECK(!certified || std::abs(dual.best.value - search.best.value) < 1e-8);
      (tighten ? tightened : plain) += certified;
    }
  }
  CHECK(tightened > plain);
}

static void a_search_without_a_tree_says_so() {
  const int head[] = {1, 2}, modifier[] = {2, 1};
  const double score[] = {1, 1};
  treewright::Parts parts(3, 2, head, modifier, score);
  parts.add_transitions();
  treewright::BranchAndBound search;
  CHECK(search.solve(parts, {}, nullptr) && search.best.value == treewright::forbidden);
  treewright::DualDecomposition dual;
  CHECK(dual.solve(parts, {}, nullptr, nullptr, nullptr) && dual.best.bound == treewright::forbidden);
}

static void a_search_ends_when_it_is_wanted_back() {
  treewright::BranchAndBound search;
  const treewright::Parts parts = random_parts(25, true, true, false, 1);
  CHECK(!search.solve(parts, {}, [] { return true; }));
  treewright::DualOptions options;
  options.tighten = true, options.max_iterations = 1000000;
  treewright::DualDecomposition dual;
  CHECK(!dual.solve(parts, options, nullptr, nullptr, [] { return true; }));
}
