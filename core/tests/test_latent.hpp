// A latent-variable grammar: counts over trees, and charts of several levels that must agree.
#include "grammar/latent_em.hpp"
#include "grammar/latent_parser.hpp"

// X is the goal; P -> P P, P over the tag T; P and T have two substates.
static treewright::LatentShape latent_shape() {
  return {{1, 2, 2}, {{1, 1, 1}}, {{0, 1, false}, {0, 2, false}, {1, 1, true}, {1, 2, false}, {2, 2, true}}};
}

static treewright::LatentParser latent_parser(const std::vector<std::vector<int>> &joined) {
  const treewright::LatentShape shape = latent_shape();
  std::vector<double> rules(shape.rule_at.back()), chains(shape.chain_at.back());
  for (std::size_t k = 0; k < rules.size(); ++k) rules[k] = 0.02 * double(1 + k);
  for (std::size_t k = 0; k < chains.size(); ++k) chains[k] = 0.05 * double(1 + k % 5);
  const double frequencies[5] = {1, 2, 3, 4, 5};
  return {shape, rules, chains, {2}, joined, frequencies, frequencies};
}

static void latent_charts_agree() {
  const treewright::LatentParser plain = latent_parser({}), coarse = latent_parser({{0, 0, 0, 0, 0}});
  treewright::LatentWorkspace space;
  for (int words : {1, 2, 5, 70}) {
    std::vector<double> weights(2 * words);
    for (int k = 0; k < 2 * words; ++k) weights[k] = 0.1 * (1 + k % 7);
    treewright::LatentPosteriors exact, pruned;
    plain.sums(weights.data(), words, {}, {}, 0, space, exact);
    coarse.sums(weights.data(), words, {}, {-700.0}, 0, space, pruned);
    CHECK(exact.has_tree && pruned.has_tree);
    CHECK(std::abs(exact.log_total - pruned.log_total) < 1e-9 * (1 + std::abs(exact.log_total)));
    for (const treewright::LatentEvent &tag : exact.tags) CHECK(std::abs(tag.probability - 1) < 1e-9);
    std::vector<treewright::ChainNode> nodes;
    const std::int32_t numbers[5] = {0, 1, 2, 3, 4};
    treewright::MaxRuleChart chart;
    const treewright::LatentShape shape = latent_shape();
    chart.read({{&exact, numbers, numbers, numbers}, {&pruned, numbers, numbers, numbers}}, shape.rules, shape.chains,
               3, nodes);
    CHECK(int(nodes.size()) == 2 * words - 1);
  }
}

static void latent_counts_are_the_same_for_any_number_of_threads() {
  const treewright::LatentShape shape = latent_shape();
  const std::vector<treewright::LatentNode> tree{{0, 0, 1, 2}, {3, -1, 0, 0}, {3, -1, 1, 0}};
  std::vector<treewright::LatentNode> nodes;
  std::vector<int> begins{0};
  std::vector<double> tree_weights;
  for (int t = 0; t < 20; ++t) {
    for (treewright::LatentNode node : tree) {
      if (node.rule >= 0) node.left += 3 * t, node.right += 3 * t;
      nodes.push_back(node);
    }
    begins.push_back(int(nodes.size()));
    tree_weights.push_back(0.5 + t);
  }
  const treewright::LatentTrees trees(nodes, begins, tree_weights, {2, 2});
  std::vector<double> rules(shape.rule_at.back(), 0.125), chains(shape.chain_at.back(), 0.2), words{0.3, 0.1, 0.2, 0.4};
  rules[3] = 0.3;
  treewright::LatentCounts one, two;
  trees.expect(shape, {rules.data(), chains.data()}, words.data(), 1, one);
  trees.expect(shape, {rules.data(), chains.data()}, words.data(), 3, two);
  CHECK(one.log_likelihood == two.log_likelihood && one.rules == two.rules && one.words == two.words);
  double total = 0;
  for (double count : one.rules) total += count;
  CHECK(std::abs(total - 200) < 1e-9);
  const double frequencies[5] = {1, 2, 3, 4, 5};
  std::vector<double> losses;
  trees.merge_losses(shape, {rules.data(), chains.data()}, words.data(), frequencies, 2, losses);
  CHECK(losses.size() == 5 && losses[1] > -1e-9);
  treewright::relative_frequencies(shape, one.rules.data(), one.chains.data(), 1e-30, rules.data(), chains.data());
  CHECK(std::abs(rules[0] + rules[1] + rules[2] + rules[3] - 1) < 1e-9);
}
