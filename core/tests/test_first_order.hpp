// First-order decoders, and the parts that all second-order ones use.
#include "charts/eisner.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/parts.hpp"
#include "trees/spread.hpp"

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

// The largest spread of a tree by its walk over all arcs.
static double max_spread(const std::vector<double> &arc, const std::vector<int> &heads, bool single_root) {
  const int nodes = int(heads.size());
  const auto score = [&](int h, int m) { return arc[std::size_t(h) * nodes + m]; };
  const auto has_arc = [&](int h, int m) { return score(h, m) > treewright::forbidden; };
  const auto for_parts_of = [&](const int *tree, auto use) {
    for (int m = 1; m < nodes; ++m) use(score(tree[m], m));
  };
  return treewright::TreeWalk().max_spread(nodes, heads.data(), single_root, has_arc, for_parts_of);
}

static void the_spread_has_the_scale_of_differences_between_trees() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  treewright::ChuLiuEdmonds decoder;
  for (int nodes : {3, 7, 40})
    for (bool single_root : {false, true}) {
      std::vector<double> arc = random_scores(nodes, nodes);
      std::vector<int> heads(nodes);
      decoder.decode(arc.data(), nodes, single_root, heads.data());
      const double spread = max_spread(arc, heads, single_root);
      CHECK(0 < spread && spread < 512 * 10.0 * nodes);
      for (double &score : arc) score *= 0x1p-40;
      CHECK(max_spread(arc, heads, single_root) == 0x1p-40 * spread);
      for (double &score : arc) score = -1e16;  // a mask that every tree has as often: all trees are ties
      CHECK(max_spread(arc, heads, single_root) == 0);
      for (double &score : arc) score = treewright::forbidden;
      for (int m = 1; m < nodes; ++m) arc[std::size_t(heads[m]) * nodes + m] = 1;  // there is no other tree
      CHECK(max_spread(arc, heads, single_root) == infinity);
    }
}

static void ties_do_not_count_in_the_spread() {
  const int nodes = 5;
  for (double scale : {1.0, 1e-10, 1e10}) {
    std::vector<double> arc(nodes * nodes, scale * 0.1);
    std::vector<int> chain = {-1, 0, 1, 2, 3};
    for (int h = 0; h < nodes; ++h) arc[std::size_t(h) * nodes + 4] = scale * (h == 1 ? -0.9 : 0.1);
    const double spread = max_spread(arc, chain, true);
    CHECK(std::abs(spread - 512 * scale) < 1e-9 * scale);
  }
}
