// Dynamic programs and automata, included by test_core.cpp after its CHECK and random_scores.
#pragma once

#include "charts/grand_eisner.hpp"
#include "charts/inside_outside.hpp"
#include "charts/part_sums.hpp"
#include "charts/sibling_eisner.hpp"
#include "decode/kbest.hpp"
#include "decode/sampling.hpp"
#include "dual/automata.hpp"
#include "trees/matrix_tree.hpp"

// The value of a set of modifiers by the definition of a path through the table.
static double path_value(const treewright::AutomatonSide &side, unsigned set) {
  double value = 0;
  int p = 0;
  for (int q = 0; q < side.count; ++q) {
    if (!(set >> q & 1)) continue;
    value += side.scores[q] + (side.table ? side.table[p * (side.count + 1) + q] : 0);
    p = q + 1;
  }
  return value + (side.table ? side.table[p * (side.count + 1) + side.count] : 0);
}

static void sibling_automaton_finds_the_best_subset() {
  treewright::SiblingAutomaton automaton;
  for (int trial = 0; trial < 60; ++trial) {
    const int count = trial % 7;
    const std::vector<double> table = random_scores(count + 1, trial), scores = random_scores(count + 1, 1000 + trial);
    std::vector<char> forced(count + 1, 0), chosen(count + 1);
    if (trial % 3 == 1 && count) forced[trial % count] = 1;
    const treewright::AutomatonSide side{count, trial % 5 ? table.data() : nullptr, scores.data(), forced.data()};
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> best_with(count + 1, -infinity), best_without(count + 1, -infinity);
    double best = -infinity;
    for (unsigned set = 0; set < 1u << count; ++set) {
      bool allowed = true;
      for (int q = 0; q < count; ++q) allowed &= !forced[q] || (set >> q & 1);
      if (!allowed) continue;
      const double value = path_value(side, set);
      best = std::max(best, value);
      for (int q = 0; q < count; ++q) {
        double &cell = (set >> q & 1 ? best_with : best_without)[q];
        cell = std::max(cell, value);
      }
    }
    CHECK(std::abs(automaton.decode(side, chosen.data()) - best) < 1e-9);
    unsigned set = 0;
    for (int q = 0; q < count; ++q) set |= unsigned(chosen[q]) << q;
    CHECK(std::abs(path_value(side, set) - best) < 1e-9);
    std::vector<double> with(count + 1), without(count + 1);
    automaton.max_marginals(side, with.data(), without.data());
    for (int q = 0; q < count; ++q) {
      CHECK(std::abs(with[q] - best_with[q]) < 1e-9);
      CHECK(forced[q] ? without[q] == -infinity : std::abs(without[q] - best_without[q]) < 1e-9);
    }
  }
}

static void grand_automaton_is_a_sibling_automaton_for_each_head_of_the_head() {
  treewright::GrandAutomaton automaton;
  treewright::SiblingAutomaton one_side;
  for (int trial = 0; trial < 40; ++trial) {
    const int left = trial % 4, right = trial % 5, uppers = 1 + trial % 6, columns = left + right;
    const auto tables = random_scores(8, trial), grand = random_scores(10, 99 + trial),
               scores = random_scores(5, trial);
    const auto upper_scores = random_scores(3, 7 + trial);
    const double *right_table = tables.data() + 25;
    std::vector<char> chosen(columns + 1), forced(columns + 1, 0);
    if (trial % 2 && columns) forced[trial % columns] = 1;
    const treewright::AutomatonHead head{{left, tables.data(), scores.data(), forced.data()},
                                         {right, right_table, scores.data() + left, forced.data() + left},
                                         uppers,
                                         upper_scores.data(),
                                         grand.data()};
    int upper;
    const double value = automaton.decode(head, &upper, chosen.data());
    std::vector<double> with(columns + 1), without(columns + 1);
    automaton.max_marginals(head, with.data(), without.data());
    double best = -1e300;
    std::vector<double> best_with(columns + 1, -1e300), best_without(columns + 1, -1e300);
    for (int g = 0; g < uppers; ++g) {
      std::vector<double> shifted(scores.begin(), scores.begin() + columns + 1);
      for (int q = 0; q < columns; ++q) shifted[q] += grand[g * columns + q];
      std::vector<double> yes(columns + 1), no(columns + 1);
      const treewright::AutomatonSide sides[2] = {{left, tables.data(), shifted.data(), forced.data()},
                                                  {right, right_table, shifted.data() + left, forced.data() + left}};
      double values[2];
      for (int s : {0, 1}) {
        values[s] = one_side.complete(sides[s]);
        one_side.max_marginals(sides[s], yes.data() + s * left, no.data() + s * left);
      }
      const double total = values[0] + values[1] + upper_scores[g];
      CHECK(std::abs(total - automaton.by_upper()[g]) < 1e-9);
      best = std::max(best, total);
      for (int q = 0; q < columns; ++q) {
        const double rest = upper_scores[g] + values[q < left];
        best_with[q] = std::max(best_with[q], yes[q] + rest);
        best_without[q] = std::max(best_without[q], no[q] + rest);
      }
    }
    CHECK(std::abs(value - best) < 1e-9);
    CHECK(std::abs(automaton.by_upper()[upper] - best) < 1e-9);
    for (int q = 0; q < columns; ++q) {
      CHECK(std::abs(with[q] - best_with[q]) < 1e-9);
      CHECK(forced[q] ? without[q] < -1e299 : std::abs(without[q] - best_without[q]) < 1e-9);
    }
  }
}

// Bigram siblings as a state automaton: state i, candidate i - 1 was the last one accepted.
static void state_automaton_contains_the_sibling_automaton() {
  treewright::SiblingAutomaton siblings;
  treewright::StateAutomaton automaton;
  for (int count = 0; count < 7; ++count) {
    const int states = count + 1;
    const auto table = random_scores(states, count), scores = random_scores(states, 50 + count);
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> start(states, -infinity), stop(states), moves(std::size_t(count) * states * states, -infinity);
    start[0] = 0;
    for (int p = 0; p < states; ++p) stop[p] = table[p * states + count];
    for (int q = 0; q < count; ++q)
      for (int p = 0; p <= q; ++p) moves[(q * states + p) * states + q + 1] = table[p * states + q] + scores[q];
    const treewright::AutomatonSide side{count, table.data(), scores.data()};
    const treewright::StateTable general{count, states, start.data(), stop.data(), moves.data()};
    std::vector<char> chosen(states);
    std::vector<int> entered(states);
    int first;
    const double value = siblings.decode(side, chosen.data());
    CHECK(std::abs(automaton.decode(general, &first, entered.data()) - value) < 1e-9);
    CHECK(first == 0);
    for (int q = 0; q < count; ++q) CHECK((entered[q] >= 0) == bool(chosen[q]));
  }
}

// Scores for every part, so that candidates and whole arrays can be compared.
struct DenseScores {
  explicit DenseScores(int nodes, unsigned seed, double holes = 0) : nodes(nodes), arc(random_scores(nodes, seed)) {
    std::mt19937 random(seed + 1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    sib.resize(std::size_t(nodes) * nodes * nodes), grand.resize(sib.size()), stop.resize(2 * arc.size());
    for (auto *scores : {&sib, &grand, &stop})
      for (double &score : *scores) score = normal(random);
    for (double &score : arc)
      if (uniform(random) < holes) score = treewright::forbidden;
    for (int m = 1; m < nodes; ++m) arc[std::size_t(m - 1) * nodes + m] = 0;  // one tree is always allowed
  }
  treewright::Parts parts(bool with_grand) const {
    return treewright::Parts::from_dense(nodes, arc.data(), sib.data(), with_grand ? grand.data() : nullptr,
                                         stop.data());
  }
  int nodes;
  std::vector<double> arc, sib, grand, stop;
};

static void second_order_values_are_those_of_their_trees() {
  treewright::SiblingEisner decoder;
  treewright::GrandEisner grand;
  for (int nodes : {2, 3, 4, 9, 30, 5})
    for (double holes : {0.0, 0.7})
      for (bool single_root : {false, true}) {
        const DenseScores scores(nodes, nodes, holes);
        const treewright::Parts siblings = scores.parts(false), all = scores.parts(true);
        std::vector<int> heads(nodes), same(nodes), with_grand(nodes);
        const double value = decoder.decode(siblings, single_root, heads.data());
        CHECK(std::abs(value - siblings.value(heads.data())) < 1e-9);
        CHECK(std::abs(value - grand.decode(siblings, single_root, same.data())) < 1e-9);
        CHECK(same == heads);
        const double best = grand.decode(all, single_root, with_grand.data());
        CHECK(std::abs(best - all.value(with_grand.data())) < 1e-9);
        CHECK(best >= all.value(heads.data()) - 1e-9);
      }
}

static void marginals_sum_to_one_and_semirings_agree() {
  treewright::MatrixTree all;
  treewright::InsideOutside projective;
  for (int nodes : {2, 3, 4, 10, 90, 5})
    for (double scale : {1.0, 60.0, 2000.0})
      for (bool single_root : {false, true}) {
        std::vector<double> arc = random_scores(nodes, nodes), found(arc.size());
        for (double &score : arc) score *= scale;
        for (bool crossing : {false, true}) {
          const double log_z = crossing ? all.marginals(arc.data(), nodes, single_root, found.data())
                                        : projective.marginals(arc.data(), nodes, single_root, found.data());
          const double alone = crossing ? all.log_partition(arc.data(), nodes, single_root)
                                        : projective.log_partition(arc.data(), nodes, single_root);
          CHECK(std::abs(log_z - alone) <= 1e-9 * std::abs(log_z) + 1e-9);
          for (int m = 1; m < nodes; ++m) {
            double sum = 0;
            for (int h = 0; h < nodes; ++h) sum += found[std::size_t(h) * nodes + m];
            CHECK(std::abs(sum - 1) < 1e-9);
          }
        }
        treewright::ProjectiveChart<treewright::LogSum> logarithms;
        logarithms.inside(arc.data(), nodes, single_root);
        CHECK(std::abs(logarithms.log_partition() - projective.log_partition(arc.data(), nodes, single_root)) <=
              1e-12 * std::abs(logarithms.log_partition()) + 1e-9);
        treewright::TreeElimination<treewright::LogSum> logs;
        std::vector<double> same(arc.size());
        double log_z = 0;
        CHECK(logs.run(arc.data(), nodes, single_root, &log_z, same.data()) == treewright::Sums::found);
        all.marginals(arc.data(), nodes, single_root, found.data());
        for (std::size_t k = 0; k < same.size(); ++k) CHECK(std::abs(same[k] - found[k]) < 1e-9);
        for (const bool masked : {false, true}) {
          for (std::size_t k = 1; masked && k < arc.size(); k += 3) arc[k] = k % 2 ? treewright::forbidden : -1e9;
          treewright::TreeInverse inverse;
          double same_log_z = 0;
          if (inverse.run(arc.data(), nodes, single_root, &same_log_z, found.data()) != treewright::Sums::found) {
            CHECK(masked || scale > 1);
            continue;
          }
          CHECK(logs.run(arc.data(), nodes, single_root, &log_z, same.data()) == treewright::Sums::found);
          CHECK(std::abs(log_z - same_log_z) <= 1e-12 * std::abs(log_z) + 1e-9);
          for (std::size_t k = 0; k < same.size(); ++k) CHECK(std::abs(same[k] - found[k]) <= 1e-9 * same[k] + 1e-290);
        }
      }
  const std::vector<double> none(9, treewright::forbidden);
  std::vector<double> found(9);
  for (bool single_root : {false, true}) {
    CHECK(all.marginals(none.data(), 3, single_root, found.data()) == treewright::forbidden);
    CHECK(projective.marginals(none.data(), 3, single_root, found.data()) == treewright::forbidden);
  }
}

static bool is_tree(const int *heads, int nodes, bool single_root) {
  int roots = 0;
  for (int m = 1; m < nodes; ++m) {
    roots += heads[m] == 0;
    int v = m;
    for (int steps = 0; v > 0 && steps < nodes; ++steps) v = heads[v];
    if (v != 0) return false;
  }
  return heads[0] == -1 && roots >= 1 && (!single_root || roots == 1);
}

static void k_best_trees_are_sorted_and_different() {
  for (int nodes : {2, 3, 5, 21})
    for (bool single_root : {false, true})
      for (bool projective : {false, true}) {
        const std::vector<double> arc = random_scores(nodes, nodes);
        const treewright::KBest found = projective
                                            ? treewright::ProjectiveKBest().decode(arc.data(), nodes, single_root, 50)
                                            : treewright::SpanningKBest().decode(arc.data(), nodes, single_root, 50);
        CHECK(!found.values.empty());
        std::vector<std::vector<int>> trees;
        for (std::size_t k = 0; k < found.values.size(); ++k) {
          const int *heads = found.heads.data() + k * nodes;
          trees.emplace_back(heads, heads + nodes);
          CHECK(is_tree(heads, nodes, single_root));
          CHECK(k == 0 || found.values[k] <= found.values[k - 1] + 1e-9);
          CHECK(std::abs(found.values[k] - value_of(arc, trees.back())) < 1e-9);
        }
        std::sort(trees.begin(), trees.end());
        CHECK(std::unique(trees.begin(), trees.end()) == trees.end());
      }
}

static void trees_drawn_are_trees() {
  for (int nodes : {2, 3, 5, 21})
    for (double scale : {1.0, 30.0, 900.0})
      for (bool single_root : {false, true}) {
        std::vector<double> arc = random_scores(nodes, nodes);
        for (double &score : arc) score *= scale;
        treewright::TreeSampler any;
        treewright::ProjectiveSampler projective;
        CHECK(any.prepare(arc.data(), nodes, single_root) && projective.prepare(arc.data(), nodes, single_root));
        treewright::Random random(nodes);
        std::vector<int> heads(nodes);
        for (int draw = 0; draw < 10; ++draw) {
          any.draw(random, heads.data());
          CHECK(is_tree(heads.data(), nodes, single_root));
          projective.draw(random, heads.data());
          CHECK(is_tree(heads.data(), nodes, single_root));
        }
      }
}

static void second_order_samples_are_projective_trees_of_candidates() {
  for (int nodes : {2, 3, 5, 21})
    for (double holes : {0.0, 0.7})
      for (bool with_grand : {false, true})
        for (bool single_root : {false, true}) {
          const DenseScores scores(nodes, nodes, holes);
          const treewright::Parts parts = scores.parts(with_grand);
          treewright::SecondOrderSampler sampler;
          CHECK(sampler.prepare(parts, single_root));
          treewright::Random random(nodes);
          std::vector<int> heads(nodes), best(nodes);
          const double highest = treewright::GrandEisner().decode(parts, single_root, best.data());
          for (int draw = 0; draw < 10; ++draw) {
            sampler.draw(random, heads.data());
            CHECK(is_tree(heads.data(), nodes, single_root));
            const double value = parts.value(heads.data());
            CHECK(value > treewright::forbidden && value <= highest + 1e-9);
          }
        }
}

// Arcs alone: the second-order chart sums what the first-order chart does.
static void second_order_sums_of_arcs_are_first_order_sums() {
  treewright::PartSums second;
  treewright::InsideOutside first;
  for (int nodes : {2, 3, 9, 30})
    for (bool with_grand : {false, true})
      for (bool single_root : {false, true}) {
        std::vector<double> arc = random_scores(nodes, nodes), marginal(arc.size());
        const std::vector<double> zeros(arc.size() * nodes, 0.0);
        const treewright::Parts parts =
            treewright::Parts::from_dense(nodes, arc.data(), nullptr, with_grand ? zeros.data() : nullptr, nullptr);
        treewright::Parts expected = parts;
        const double log_z = second.run(parts, single_root, expected);
        CHECK(std::abs(log_z - first.marginals(arc.data(), nodes, single_root, marginal.data())) < 1e-9);
        for (int e = 0; e < parts.arcs(); ++e)
          CHECK(std::abs(expected.arc[e] - marginal[std::size_t(parts.head[e]) * nodes + parts.modifier[e]]) < 1e-7);
      }
}

static bool has_crossing_arcs(const std::vector<int> &heads) {
  for (int m = 1; m < int(heads.size()); ++m)
    for (int k = 1; k < int(heads.size()); ++k) {
      const int begin = std::min(m, heads[m]), end = std::max(m, heads[m]);
      const int other = std::min(k, heads[k]), last = std::max(k, heads[k]);
      if (begin < other && other < end && end < last) return true;
    }
  return false;
}

// The value of a tree with grandparent scores of the outermost modifiers of each side only, by definition.
static double value_with_outermost(const DenseScores &scores, const std::vector<int> &heads) {
  double value = scores.parts(false).value(heads.data());
  for (int h = 1; h < scores.nodes; ++h)
    for (int side : {0, 1}) {
      int outermost = 0;
      for (int m = 1; m < scores.nodes; ++m)
        if (heads[m] == h && (m > h) == bool(side) && (side || outermost == 0)) outermost = m;
      if (outermost) value += scores.grand[(std::size_t(heads[h]) * scores.nodes + h) * scores.nodes + outermost];
    }
  return value;
}

static void outermost_grandchildren_are_scored_as_defined() {
  treewright::GrandEisner eisner;
  treewright::PartSums sums;
  for (int nodes : {2, 3, 4, 5})
    for (double holes : {0.0, 0.4})
      for (bool single_root : {false, true}) {
        const DenseScores scores(nodes, nodes, holes);
        treewright::Parts parts = scores.parts(true);
        parts.outermost = true;
        double best = treewright::forbidden, sum = 0;
        std::vector<int> heads(nodes, 0), found(nodes);
        const auto is_last = [&] {
          return std::all_of(heads.begin() + 1, heads.end(), [&](int h) { return h == nodes - 1; });
        };
        for (heads[0] = -1;;) {
          if (is_tree(heads.data(), nodes, single_root) && !has_crossing_arcs(heads)) {
            const double value = value_with_outermost(scores, heads), same = parts.value(heads.data());
            CHECK(value == same || std::abs(value - same) < 1e-9);
            best = std::max(best, value), sum += std::exp(value);
          }
          if (is_last()) break;
          for (int m = 1; m < nodes; ++m) {  // the next assignment of heads
            heads[m] = (heads[m] + 1) % nodes;
            if (heads[m] != 0) break;
          }
        }
        CHECK(std::abs(eisner.decode(parts, single_root, found.data()) - best) < 1e-9);
        CHECK(std::abs(parts.value(found.data()) - best) < 1e-9);
        treewright::Parts expected = parts;
        CHECK(std::abs(sums.run(parts, single_root, expected) - std::log(sum)) < 1e-9);
      }
}

// A long text without sentence ends: every tenth word is likely a root, of which a tree has one, and the others have one
// likely head. All weights stay in the range of a double.
static void sums_over_long_texts_need_no_logarithms() {
  treewright::InsideOutside sums;
  treewright::ProjectiveChart<treewright::Real> chart;
  for (int nodes : {40, 420}) {
    std::vector<double> arc(std::size_t(nodes) * nodes, -14), marginals(arc.size());
    for (int m = 1; m < nodes; ++m) arc[m % 10 == 1 ? m : std::size_t(m - 1) * nodes + m] = -0.01;
    chart.inside(arc.data(), nodes, true);
    CHECK(chart.is_possibly_exact());
    const double log_partition = sums.marginals(arc.data(), nodes, true, marginals.data());
    if (nodes < 100) {
      treewright::ProjectiveChart<treewright::LogSum> logarithms;
      logarithms.inside(arc.data(), nodes, true);
      CHECK(std::abs(log_partition - logarithms.log_partition()) < 1e-9);
    }
    for (int m = 1; m < nodes; ++m) {
      double sum = 0;
      for (int h = 0; h < nodes; ++h) sum += marginals[std::size_t(h) * nodes + m];
      CHECK(std::abs(sum - 1) < 1e-9);
    }
  }
}
