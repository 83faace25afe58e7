// First-order decoders, and the parts that all second-order ones use.
#include "charts/eisner.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/parts.hpp"

static bool is_tree(const std::vector<int> &heads, bool single_root) {
  int roots = 0;
  for (std::size_t m = 1; m < heads.size(); ++m) {
    std::size_t steps = 0;
    for (int node = int(m); node != 0; node = heads[node])
      if (node < 0 || ++steps > heads.size()) return false;
    roots += heads[m] == 0;
  }
  return heads[0] == -1 && roots >= 1 && (!single_root || roots == 1);
}

static void eisner_values_are_those_of_its_trees() {
  treewright::Eisner decoder;
  for (int nodes : {2, 3, 7, 40, 5, 120})
    for (bool single_root : {false, true}) {
      const std::vector<double> arc = random_scores(nodes, nodes);
      std::vector<int> heads(nodes);
      const double value = decoder.decode(arc.data(), nodes, single_root, heads.data());
      CHECK(std::abs(value - value_of(arc, heads)) < 1e-9);
      CHECK(is_tree(heads, single_root));
    }
}

static void spanning_trees_are_the_same_from_a_matrix_and_from_candidates() {
  treewright::ChuLiuEdmonds decoder;
  treewright::Eisner projective;
  for (int nodes : {2, 3, 7, 40, 5, 120})
    for (double root_bonus : {-3.0, 0.0, 3.0, 9.0})  // few root arcs, or many; 9: on a tree that needs no contraction
      for (bool single_root : {false, true}) {
        std::vector<double> arc = random_scores(nodes, nodes + unsigned(10 * root_bonus + 50));
        if (root_bonus == 9)
          for (int m = 1; m < nodes; ++m) arc[std::size_t(m / 2) * nodes + m] += root_bonus;
        else
          for (int m = 0; m < nodes; ++m) arc[m] += root_bonus;
        std::vector<int> heads(nodes), of_parts(nodes), crossing_free(nodes);
        const double value = decoder.decode(arc.data(), nodes, single_root, heads.data());
        std::vector<double> costs(arc.size());
        decoder.reduced_costs(costs.data());
        CHECK(std::abs(value - value_of(arc, heads)) < 1e-9);
        CHECK(is_tree(heads, single_root));
        CHECK(projective.decode(arc.data(), nodes, single_root, crossing_free.data()) < value + 1e-9);
        for (int m = 1; m < nodes; ++m) {
          CHECK(costs[std::size_t(heads[m]) * nodes + m] < 1e-9);
          for (int h = 0; h < nodes; ++h) CHECK(costs[std::size_t(h) * nodes + m] >= 0);
        }
        const treewright::Parts parts = treewright::Parts::from_dense(nodes, arc.data(), nullptr, nullptr, nullptr);
        CHECK(decoder.decode(parts, parts.arc.data(), single_root, of_parts.data()) == value);
        CHECK(of_parts == heads);
        std::vector<double> costs_of_parts(parts.arcs());
        decoder.reduced_costs_of_parts(costs_of_parts.data());
        for (int id = 0; id < parts.arcs(); ++id)
          CHECK(costs_of_parts[id] == costs[std::size_t(parts.head[id]) * nodes + parts.modifier[id]]);
      }
}

static void no_tree_is_told() {
  treewright::ChuLiuEdmonds spanning;
  treewright::Eisner projective;
  for (int nodes : {2, 3, 30})
    for (bool single_root : {false, true}) {
      std::vector<double> arc(std::size_t(nodes) * nodes, treewright::forbidden);
      std::vector<int> heads(nodes), none(nodes, -1);
      CHECK(spanning.decode(arc.data(), nodes, single_root, heads.data()) == treewright::forbidden);
      CHECK(heads == none);
      CHECK(projective.decode(arc.data(), nodes, single_root, heads.data()) == treewright::forbidden);
      CHECK(heads == none);
      for (int m = 1; m < nodes; ++m) arc[m] = 1;  // every word can be attached to the root only
      const bool fits = nodes == 2 || !single_root;
      CHECK((spanning.decode(arc.data(), nodes, single_root, heads.data()) > treewright::forbidden) == fits);
      CHECK((projective.decode(arc.data(), nodes, single_root, heads.data()) > treewright::forbidden) == fits);
    }
}

static void pruned_parts_keep_their_values() {
  treewright::ChuLiuEdmonds decoder;
  for (int nodes : {2, 3, 9, 25}) {
    const std::size_t n = nodes;
    std::vector<double> arc = random_scores(nodes, 1), cube(n * n * n), stop(n * n * 2);
    for (std::size_t k = 0; k < cube.size(); ++k) cube[k] = arc[k % arc.size()] * double(1 + k % 5);
    for (std::size_t k = 0; k < stop.size(); ++k) stop[k] = arc[k % arc.size()];
    const treewright::Parts parts =
        treewright::Parts::from_dense(nodes, arc.data(), cube.data(), cube.data(), stop.data());
    std::vector<int> heads(nodes);
    decoder.decode(arc.data(), nodes, false, heads.data());
    std::vector<char> keep(parts.arcs());
    for (int id = 0; id < parts.arcs(); ++id) keep[id] = id % 3 != 0 || heads[parts.modifier[id]] == parts.head[id];
    const treewright::Parts pruned = parts.restricted(reinterpret_cast<const bool *>(keep.data()));
    CHECK(std::abs(pruned.value(heads.data()) - parts.value(heads.data())) < 1e-9);
    CHECK(pruned.arcs() < parts.arcs() || nodes == 2);
  }
}
