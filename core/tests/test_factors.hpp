// Third-order parts and global features: gains against full scoring. Included by test_core.cpp.
#pragma once

#include "factors/factor_climb.hpp"
#include "factors/factor_learning.hpp"
#include "test_local_search.hpp"

// One template with the first atom of every role, for each kind.
static std::vector<treewright::TemplateTable> one_template_a_kind() {
  std::vector<treewright::TemplateTable> tables;
  for (int kind = 0; kind < treewright::factor_kinds; ++kind) {
    treewright::TemplateTable table{kind, 0, 1, {}, {1}};
    for (int role = 0; role < treewright::factor_roles[kind]; ++role) table.items.push_back({role, 0, 0, 0});
    tables.push_back(table);
  }
  return tables;
}

// Atoms of few values, so that every class of tokens occurs: 1 punctuation, 2 conjunctions, 3 adpositions.
struct RandomAtoms {
  RandomAtoms(int nodes, unsigned seed) : nodes(nodes), data((nodes + 4) * 2), each(nodes * 2) {
    std::mt19937 random(seed);
    for (std::uint32_t &atom : data) atom = random() % 6;
    for (std::uint32_t &value : each) value = random() % 3;
  }
  treewright::Atoms atoms() const { return {data.data(), each.data(), nodes, 2, 2}; }
  int nodes;
  std::vector<std::uint32_t> data, each;
};

static void factor_gains_equal_differences_of_values() {
  std::vector<float> weights(1 << 10);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (float &weight : weights) weight = normal(random);
  const treewright::WeightTable<float> table{weights.data(), 0.5};
  treewright::FlatMap<double> known, known_again;
  for (int style = 0; style < treewright::coordination_styles; ++style)
    for (int nodes : {2, 4, 7, 25})
      for (bool single_root : {false, true})
        for (bool projective : {false, true}) {
          const RandomAtoms tokens(nodes, nodes + style);
          treewright::FactorSentence sentence(one_template_a_kind(), 10,
                                              {{0, 1}, 0, {1}, {2}, {3}, {{4, 5}, {0, 0}}, style});
          sentence.open(tokens.atoms());
          const treewright::Parts parts = random_parts(nodes, nodes, nodes > 9);
          treewright::RandomTrees trees;
          std::vector<int> heads(nodes);
          CHECK(trees.prepare(parts, {single_root, projective}, false, 1) && trees.draw(0, heads.data()));
          treewright::FactorGains<float> gains(sentence, table, known);
          treewright::FactorClimber climber;
          treewright::FactorSentence other = sentence;
          treewright::FactorScores<float> scores(other.features, table, known_again);
          climber.climb(
              parts, {single_root, projective}, heads.data(), gains,
              [&](const treewright::ClimbTree &now) {
                now.write(heads.data());
                double value = parts.value(heads.data());
                other.visit(heads.data(), [&](const treewright::Factor &factor) {
                  value += scores(factor);
                  CHECK(treewright::Factor::of(factor.key()).node == factor.node);
                });
                CHECK(std::abs(now.total().value() - value) < 1e-9);
              },
              [] { return true; });
        }
}

static void factor_gradients_stay_in_the_table() {
  std::vector<float> weights(1 << 10), gradient(1 << 10);
  std::vector<treewright::Memory> memory(1 << 10);
  treewright::Learner learner(weights.data(), gradient.data(), memory.data(), 1.0F);
  const RandomAtoms tokens(12, 3);
  treewright::FactorSentence sentence(one_template_a_kind(), 10, {{0, 1}, 0, {1}, {2}, {3}, {{4, 5}}, 4});
  sentence.open(tokens.atoms());
  const treewright::Parts parts = random_parts(12, 3, false);
  std::vector<int> heads = {-1, 0, 1, 2, 3, 3, 1, 6, 7, 7, 6, 10};
  treewright::FactorGradient counts;
  counts.clear();
  const treewright::WeightTable<float> table{weights.data(), 1.0};
  const double loss = counts.add_choices(parts, sentence, table, {true, false}, heads.data(), 1.0);
  CHECK(loss > 0);
  counts.spread(sentence.features, learner);
  learner.step(1, 0.1F);
  counts.clear();
  counts.add_tree(sentence, heads.data(), 1.0);
  counts.add_tree(sentence, heads.data(), -1.0);
  counts.spread(sentence.features, learner);
  CHECK(learner.squared_length() == 0);
}
