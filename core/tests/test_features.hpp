// Feature hashing, learning and sums over parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "decode/candidates.hpp"
#include "decode/direct.hpp"
#include "learning/atom_batch.hpp"
#include "learning/gradients.hpp"
#include "learning/label_exclusions.hpp"
#include "learning/labeller.hpp"
#include "learning/scoring.hpp"

static std::vector<std::uint32_t> random_atoms(int rows, int width, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> atoms(std::size_t(rows) * width);
  for (std::uint32_t &atom : atoms) atom = random() % 7 + 1;
  return atoms;
}

static std::vector<treewright::TemplateTable> some_tables() {
  using Kind = treewright::PartFeatures::Kind;
  return {{Kind::arc, 0, 2, {{0, 0, 0, 0}, {1, 0, 1, 0}, {0, 1, 0, -1}, {1, 1, 0, 2}}},
          {Kind::between, 1, 1, {{0, 0, 0, 0}}},
          {Kind::each_of_both, 0, 1, {{1, 0, 2, 0}}},
          {Kind::sibling, 0, 1, {{0, 0, 0, 0}, {1, 0, 0, 1}, {2, 0, 0, -2}}},
          {Kind::grandparent, 0, 1, {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 1, 0}}},
          {Kind::beyond, 0, 0, {}}};  // a kind without templates
}

static void learning_raises_the_probability_of_the_gold_tree() {
  constexpr int bits = 10;
  for (int nodes : {2, 3, 8, 20}) {
    const std::vector<std::uint32_t> atoms = random_atoms(nodes + 4, 3, nodes), each = random_atoms(nodes, 2, 1);
    treewright::PartFeatures features(some_tables(), bits);
    features.open({atoms.data(), each.data(), nodes, 3, 2}, true);
    std::vector<int> head, modifier, gold(nodes, 0);
    for (int h = 0; h < nodes; ++h)
      for (int m = 1; m < nodes; ++m)
        if (h != m && (h == m - 1 || (h + m) % 3)) head.push_back(h), modifier.push_back(m);
    for (int m = 1; m < nodes; ++m) gold[m] = m - 1;
    gold[0] = -1;
    const std::vector<double> zeros(head.size());
    treewright::Parts parts(nodes, int(head.size()), head.data(), modifier.data(), zeros.data());
    parts.add_transitions();
    parts.add_grand();
    std::vector<float> weights(1 << bits), slope(1 << bits);
    std::vector<treewright::Memory> memory(1 << bits);
    treewright::Learner learner(weights.data(), slope.data(), memory.data(), 1.0F);
    treewright::PartSums sums;
    treewright::Beliefs beliefs;
    treewright::AutomataDifference automata;
    double before = 0, after = 0;
    for (int step = 1; step <= 20; ++step) {
      treewright::score_parts(features, treewright::WeightTable<float>{weights.data(), 1}, parts);
      treewright::Parts gradient = parts;
      after = treewright::projective_gradient(sums, parts, gold.data(), true, false, gradient);
      if (step == 1) before = after;
      CHECK(after >= -1e-9);
      treewright::spread_gradient(features, gradient, learner);
      learner.step(step, 0.3F);
    }
    treewright::Parts gradient = parts;
    CHECK(treewright::nonprojective_gradient(beliefs, parts, gold.data(), true, 3, gradient) < 0.5 * nodes);
    CHECK(automata.run(parts, gold.data(), gradient) < nodes);
    treewright::spread_gradient(features, gradient, learner);
    CHECK(learner.squared_length() >= 0);
    learner.move(21, 0.01F);
    CHECK(nodes <= 3 ? std::abs(after) < 1e-9 : after < 0.5 * before);  // up to two words there is one tree
  }
}

// Of a partial tree: the sum over the trees that contain it is between that of one tree and that of all.
static void a_partial_tree_is_more_probable_than_a_tree_that_contains_it() {
  for (const int nodes : {2, 3, 7}) {
    const std::size_t n = nodes;
    std::vector<double> arc(n * n), cube(n * n * n), stop(n * n * 2, 0.25), gradient(n * n);
    for (std::size_t k = 0; k < arc.size(); ++k) arc[k] = double(k * 31 % 7) / 3 - 1;
    for (std::size_t k = 0; k < cube.size(); ++k) cube[k] = double(k * 7919 % 13) / 4 - 1.5;
    const treewright::Parts parts =
        treewright::Parts::from_dense(nodes, arc.data(), cube.data(), cube.data(), stop.data());
    std::vector<int> tree(nodes), partial(nodes), open(nodes, -1);
    for (int m = 0; m < nodes; ++m) tree[m] = m - 1, partial[m] = m % 2 ? m - 1 : -1;
    treewright::PartSums sums;
    treewright::Beliefs beliefs;
    treewright::ArcGradient arcs;
    treewright::Parts whole = parts, some = parts, none = parts, crossing = parts;
    const double loss = treewright::projective_gradient(sums, parts, tree.data(), true, false, whole);
    const double of_some = treewright::projective_gradient(sums, parts, partial.data(), true, false, some);
    const double of_none = treewright::projective_gradient(sums, parts, open.data(), true, false, none);
    CHECK(std::abs(of_none) < 1e-9 && of_some > -1e-9 && of_some < loss + 1e-9);
    for (const double value : none.arc) CHECK(std::abs(value) < 1e-9);
    CHECK(treewright::nonprojective_gradient(beliefs, parts, partial.data(), true, 3, crossing) < nodes);
    for (int m = 1; m < nodes; ++m) {  // a word has one head in both expectations
      double of_word = 0, of_crossing = 0;
      for (int e = 0; e < parts.arcs(); ++e)
        if (parts.modifier[e] == m) of_word += some.arc[e], of_crossing += crossing.arc[e];
      CHECK(std::abs(of_word) < 1e-9 && std::abs(of_crossing) < 1e-9);
    }
    for (const bool projective : {false, true}) {
      CHECK(arcs.run(arc.data(), nodes, partial.data(), projective, true, gradient.data()) < nodes);
      double total = 0;
      for (std::size_t h = 0; h < n; ++h)
        for (std::size_t m = 1; m < n; ++m) total += h == m ? 0 : gradient[h * n + m];
      CHECK(std::abs(total) < 1e-9);
    }
    treewright::Parts copy = parts;
    treewright::add_margin(open.data(), 1, copy);
    CHECK(copy.arc == parts.arc);
  }
}

// One head by itself, as plain weights and as logarithms: its own heads share a probability of one, and what it takes
// is what the steps to each candidate expect together. Scores beyond the range of plain weights are refused.
static void a_head_expects_the_same_as_weights_and_as_logarithms() {
  constexpr int nodes = 7;
  std::vector<double> arc(nodes * nodes, 0.0), cube(nodes * nodes * nodes), stop(nodes * nodes * 2, 0.5);
  for (std::size_t k = 0; k < cube.size(); ++k) cube[k] = double(k * 7919 % 13) / 4 - 1.5;
  treewright::Parts parts = treewright::Parts::from_dense(nodes, arc.data(), cube.data(), cube.data(), stop.data());
  const std::vector<double> to_head(parts.arcs(), 0.3), to_modifier(parts.arcs(), 0.2);
  treewright::Parts expected = parts, by_logs = parts;
  treewright::HeadSums<treewright::Real> plain;
  treewright::HeadSums<treewright::LogSum> logs;
  CHECK(plain.load(parts) && logs.load(parts));
  for (int h = 0; h < nodes; ++h) {
    CHECK(plain.run(h, to_head.data(), to_modifier.data(), expected));
    CHECK(logs.run(h, to_head.data(), to_modifier.data(), by_logs));
    double sum = 0;
    for (std::size_t g = 0; g < plain.head_probability.size(); ++g) {
      sum += plain.head_probability[g];
      CHECK(std::abs(plain.head_probability[g] - logs.head_probability[g]) < 1e-12);
    }
    CHECK(std::abs(sum - 1) < 1e-12 && int(plain.modifier_probability.size()) == parts.out_size(h));
    for (int q = 0; q < parts.out_size(h); ++q) {
      const int e = parts.out_begin(h) + q, side = treewright::Parts::side_of(h, parts.modifier[e]);
      double entered = 0;
      for (int p = 0; p <= parts.rank_out(e); ++p) entered += expected.transition(side, p, parts.rank_out(e));
      CHECK(std::abs(entered - plain.modifier_probability[q]) < 1e-12 &&
            std::abs(plain.modifier_probability[q] - logs.modifier_probability[q]) < 1e-12);
    }
  }
  parts.transitions.back() = 1000;
  CHECK(!plain.load(parts) && logs.load(parts));
}

// Candidates contain a tree, and each direct algorithm returns the value of the tree that it writes.
static void direct_algorithms_decode_what_pruning_leaves() {
  constexpr int nodes = 9, bits = 10;
  const std::vector<std::uint32_t> atoms = random_atoms(nodes + 4, 3, 5), each = random_atoms(nodes, 2, 1);
  treewright::PartFeatures features(some_tables(), bits);
  features.open({atoms.data(), each.data(), nodes, 3, 2}, true);
  std::mt19937 random(3);
  std::vector<std::int8_t> weights(1 << bits);
  for (std::int8_t &weight : weights) weight = std::int8_t(random() % 21) - 10;
  const treewright::WeightTable<std::int8_t> table{weights.data(), 0.1};
  std::vector<double> arc(nodes * nodes), marginal(nodes * nodes);
  treewright::score_all_arcs(features, table, arc.data());
  using Algorithm = treewright::DirectAlgorithm;
  treewright::CandidateArcs candidates;
  treewright::DirectDecoder decoder;
  for (Algorithm algorithm :
       {Algorithm::eisner, Algorithm::chu_liu_edmonds, Algorithm::sibling_eisner, Algorithm::grand_eisner}) {
    const bool projective = algorithm != Algorithm::chu_liu_edmonds;
    const double best = candidates.run(arc.data(), nodes, {projective, true, 0.01, 4}, nullptr, marginal.data());
    CHECK(best > treewright::forbidden);
    const std::vector<double> zeros(candidates.heads.size());
    treewright::Parts parts(nodes, int(zeros.size()), candidates.heads.data(), candidates.modifiers.data(),
                            zeros.data());
    const bool siblings = algorithm == Algorithm::sibling_eisner || algorithm == Algorithm::grand_eisner;
    if (siblings) parts.add_transitions();
    if (algorithm == Algorithm::grand_eisner) parts.add_grand();
    treewright::score_parts(features, table, parts);
    std::vector<int> heads(nodes);
    const double value = decoder.decode(parts, algorithm, true, 1e-9, heads.data()).value;
    CHECK(std::abs(value - parts.value(heads.data())) < 1e-9);
    CHECK(siblings || std::abs(value - best) < 1e-9);
    for (int m = 1; m < nodes; ++m) CHECK(marginal[heads[m] * nodes + m] > 0);
  }
  std::fill(arc.begin(), arc.end(), treewright::forbidden);
  CHECK(candidates.run(arc.data(), nodes, {true, true, 0.01, 4}, nullptr, marginal.data()) == treewright::forbidden);
  CHECK(candidates.heads.empty());
}

// A batch holds for each sentence what a table of its own rows would hold.
static void a_batch_copies_the_rows_of_each_sentence() {
  const std::vector<std::uint32_t> atoms = random_atoms(6, 3, 1), each = random_atoms(6, 2, 2);
  const std::vector<int> row = {0, 1, 2, 5, 3, 4, 0, 1, 2, 5, 5, 3, 4};
  const treewright::AtomBatch batch({atoms.data(), 3}, {each.data(), 2}, row.data(), {0, 6, 13});
  CHECK(batch.sentences() == 2 && batch.nodes(0) == 2 && batch.nodes(1) == 3);
  for (int s = 0; s < 2; ++s)
    for (int node = 0; node < batch.nodes(s); ++node) {
      const int word = row[(s ? 6 : 0) + 2 + node];
      CHECK(batch.at(s).at(node, 1) == atoms[word * 3 + 1] && batch.at(s).each[node * 2] == each[word * 2]);
    }
}

static void labels_are_learned() {
  constexpr int nodes = 6, bits = 10, labels = 5, width = 8;
  const std::vector<std::uint32_t> atoms = random_atoms(nodes + 4, 3, 9), each = random_atoms(nodes, 2, 1);
  std::vector<treewright::TemplateTable> tables = {{0, 0, 1, {{0, 0, 0, 0}, {1, 0, 1, 0}, {5, 0, 2, 1}}},
                                                   {1, 0, 1, {{1, 0, 1, 0}, {2, 0, 0, 0}}},
                                                   {2, 0, 1, {{1, 0, 1, 0}, {2, 0, 0, 0}}}};
  treewright::Labeller labeller(tables, bits, labels, width);
  const std::vector<int> heads = {-1, 2, 0, 2, 3, 3}, gold = {-1, 0, 1, 2, 3, 4};
  const treewright::Atoms sentence{atoms.data(), each.data(), nodes, 3, 2};
  labeller.open(sentence, heads.data());
  std::vector<float> weights(1 << bits), slope(1 << bits);
  std::vector<treewright::Memory> memory(1 << bits);
  treewright::Learner learner(weights.data(), slope.data(), memory.data(), 1.0F);
  double before = 0, after = 0;
  for (int step = 1; step <= 20; ++step) {
    after = labeller.learn(learner, sentence, 0, {}, gold.data(), 0.0F);
    if (step == 1) before = after;
    learner.step(step, 0.5F);
  }
  CHECK(after < 0.5 * before);
  std::vector<std::int32_t> best(nodes);
  std::vector<double> confidence(nodes), probability(labels);
  labeller.best(weights.data(), sentence, 0, {}, 1.0F, best.data(), confidence.data());
  for (int m = 1; m < nodes; ++m) {
    labeller.probabilities(weights.data(), sentence, 0, {}, 1.0F, m, probability.data());
    double total = 0;
    for (const double p : probability) total += p;
    CHECK(std::abs(total - 1) < 1e-5 && std::abs(probability[best[m]] - confidence[m]) < 1e-5);
  }
}

// The violations and the score of an assignment of labels.
static std::pair<int, double> judged(const std::vector<std::vector<treewright::LabelChoice>> &choices,
                                     const std::vector<std::pair<int, int>> &pairs, const std::vector<int> &picks) {
  double score = 0;
  int violations = 0;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const int label = choices[i][picks[i]].label;
    bool violates = false;
    for (std::size_t j = 0; j < i; ++j)
      for (const auto &[a, b] : pairs) {
        const int other = choices[j][picks[j]].label;
        violates = violates || (a == label && b == other) || (b == label && a == other);
      }
    violations += violates, score += choices[i][picks[i]].score;
  }
  return {violations, score};
}

static void labels_of_a_head_are_the_best_that_exclude_each_other_least() {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (int trial = 0; trial < 400; ++trial) {
    const int labels = 2 + trial % 4, modifiers = 1 + trial % 5;
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < labels; ++a)
      for (int b = a; b < labels; ++b)
        if (random() % 3 == 0) pairs.emplace_back(a, b);
    std::vector<std::vector<treewright::LabelChoice>> choices(modifiers);
    for (auto &some : choices) {
      for (int label = 0; label < labels; ++label)
        if (random() % 4) some.push_back({label, normal(random)});
      if (some.empty()) some.push_back({0, 0});
    }
    std::vector<int> picks(modifiers);
    std::pair<int, double> best{1000, 0};
    for (bool is_more = true; is_more;) {
      const auto found = judged(choices, pairs, picks);
      if (found.first < best.first || (found.first == best.first && found.second > best.second)) best = found;
      is_more = false;
      for (int i = 0; i < modifiers && !is_more; ++i) {
        is_more = ++picks[i] < int(choices[i].size());
        if (!is_more) picks[i] = 0;
      }
    }
    treewright::LabelExclusions exclusions(labels, pairs);
    std::vector<std::int32_t> assigned;
    exclusions.assign(choices, assigned);
    for (int i = 0; i < modifiers; ++i)
      for (std::size_t k = 0; k < choices[i].size(); ++k)
        if (choices[i][k].label == assigned[i]) picks[i] = int(k);
    const auto found = judged(choices, pairs, picks);
    CHECK(found.first == best.first);
    CHECK(std::abs(found.second - best.second) < 1e-5);
    CHECK(exclusions.has_violation(assigned) == (best.first > 0));
  }
}
