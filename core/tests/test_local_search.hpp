// Hill climbing, rearranging, graphs, counting optima. Included by test_core.cpp.
#pragma once

#include "search/climb.hpp"
#include "search/climb_optima.hpp"
#include "search/graph.hpp"
#include "search/rearrange.hpp"

static std::vector<double> random_cube(int nodes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> scores(std::size_t(nodes) * nodes * nodes);
  for (double &score : scores) score = normal(random);
  return scores;
}

// Every part type; about half of the arcs when pruned, always those from the root and to the next word.
static treewright::Parts random_parts(int nodes, unsigned seed, bool pruned) {
  std::vector<double> arc = random_scores(nodes, seed);
  std::mt19937 random(seed);
  for (int h = 1; pruned && h < nodes; ++h)
    for (int m = 1; m < nodes; ++m)
      if (m != h + 1 && random() % 2) arc[std::size_t(h) * nodes + m] = treewright::forbidden;
  const std::vector<double> sib = random_cube(nodes, seed + 1), grand = random_cube(nodes, seed + 2),
                            stop = random_cube(nodes, seed + 3);
  return treewright::Parts::from_dense(nodes, arc.data(), sib.data(), grand.data(), stop.data());
}

static const std::function<bool()> no_interrupt;  // an empty function: the search is never interrupted

static void climbs_add_up_to_the_value_of_their_end() {
  treewright::Climber climber;
  for (int nodes : {2, 3, 9, 40})
    for (bool single_root : {false, true})
      for (bool projective : {false, true}) {
        const treewright::Parts parts = random_parts(nodes, nodes, nodes > 9);
        std::vector<int> heads(nodes);
        treewright::ClimbTree tree;
        treewright::RandomTrees random;
        CHECK(random.prepare(parts, {single_root, projective}, false, 1) && random.draw(0, heads.data()));
        tree.reset(parts, {single_root, projective}, heads.data());
        climber.climb(
            tree,
            [&](const treewright::ClimbTree &now) {
              now.write(heads.data());
              CHECK(std::abs(now.total().value() - parts.value(heads.data())) < 1e-9);
            },
            [] { return true; });
        treewright::Deadline watch(1e9, no_interrupt);
        treewright::ClimbOptions options;
        options.shape = {single_root, projective}, options.patience = 3;
        const double value = climber.decode(parts, options, nullptr, watch, heads.data());
        CHECK(std::abs(value - climber.best_so_far().back()) < 1e-9);
        const double before = parts.value(heads.data());
        treewright::Rearranger rearranger;
        CHECK(rearranger.decode(parts, options.shape, 0, heads.data()) == 0 && parts.value(heads.data()) == before);
      }
}

static void long_sentences_begin_with_perturbed_trees() {
  const int nodes = treewright::RandomTrees::longest + 1;
  const std::vector<double> arc = random_scores(nodes, 1);
  const treewright::Parts parts = treewright::Parts::from_dense(nodes, arc.data(), nullptr, nullptr, nullptr);
  for (bool single_root : {false, true})
    for (bool projective : {false, true}) {
      treewright::RandomTrees random;
      std::vector<int> one(nodes), other(nodes);
      CHECK(random.prepare(parts, {single_root, projective}, true, 1));
      CHECK(random.draw(0, one.data()) && random.draw(1, other.data()));
      CHECK(one != other && parts.value(one.data()) > treewright::forbidden);
    }
}

static void graphs_are_worth_more_than_their_trees() {
  treewright::GraphClimber climber;
  for (int nodes : {2, 3, 9, 40})
    for (bool single_root : {false, true}) {
      const treewright::Parts parts = random_parts(nodes, nodes, nodes > 9);
      std::vector<char> fixed(parts.arcs()), on(parts.arcs());
      std::vector<int> heads(nodes);
      treewright::RandomTrees random;
      CHECK(random.prepare(parts, {false, false}, true, 1) && random.draw(0, heads.data()));
      for (int m = 1; m < nodes; ++m) on[parts.find(heads[m], m)] = 1;
      bool *mask = reinterpret_cast<bool *>(on.data());
      const auto value = [&] {
        double sum = 0;
        for (double score : climber.scores(parts, mask)) sum += score;
        return sum;
      };
      const double tree = value();
      CHECK(std::abs(tree - parts.value(heads.data())) < 1e-9);
      treewright::Deadline watch(1e9, no_interrupt);
      const int changes =
          climber.decode(parts, {single_root, 0}, reinterpret_cast<const bool *>(fixed.data()), watch, mask);
      CHECK(changes == 0 || value() > tree);
    }
}

static void optima_are_at_least_one() {
  treewright::OptimaCounter counter;
  for (int nodes : {2, 3, 8, 30}) {
    const long count = counter.count(random_scores(nodes, nodes).data(), nodes, 1000);
    CHECK(count >= 1 && count <= 1001);
  }
}
