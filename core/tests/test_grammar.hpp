// The chart of a context-free grammar: sizes, routes that must agree.
#include "grammar/cky_kbest.hpp"
#include "grammar/partial_cover.hpp"
#include "grammar/sums.hpp"

// Every pair of X (0) and tags A (1), B (2) is an X; the goal (3) is above an X or an A.
static treewright::ContextFreeRules small_grammar() {
  std::vector<treewright::BinaryRule> rules;
  for (int left = 0; left < 3; ++left)
    for (int right = 0; right < 3; ++right) rules.push_back({0, left, right, -0.1 * (1 + left + 2 * right)});
  return {4, 3, rules, {{0, 0, -0.5}, {0, 1, -1.0}, {1, 1, 0.0}, {2, 2, 0.0}, {3, 0, -0.5}, {3, 1, -1.0}}, {1, 2}};
}

static void charts_of_a_grammar_agree() {
  const treewright::ContextFreeRules rules = small_grammar();
  const std::vector<std::int32_t> begins{0, 1, 2, 2, 2, 3, 4}, labels{0, 0, 0, 0};
  for (int words : {1, 2, 5, 12}) {
    std::vector<double> lexical(2 * words);
    for (int k = 0; k < 2 * words; ++k) lexical[k] = -0.3 * (1 + k % 5);
    treewright::CkyChart<treewright::MaxPlus> chart;
    chart.inside(rules, lexical.data(), words, {});
    CHECK(chart.has_tree());
    std::vector<treewright::ChainNode> nodes, first, covered;
    chart.read_tree(0, words, 3, nodes);
    CHECK(int(nodes.size()) == 2 * words - 1);
    treewright::CkyKBest best(chart);
    double value = 0, previous = chart.total();
    for (int rank = 0; rank < 30; ++rank) {
      first.clear();
      if (!best.tree(rank, value, first)) break;
      if (rank == 0) CHECK(value == chart.total());
      CHECK(value <= previous + 1e-12);
      previous = value;
    }
    const bool is_top[4] = {true, true, true, true};
    CHECK(treewright::read_cover(chart, is_top, covered) >= chart.total());
    std::vector<double> brackets((words + 1) * (words + 1)), tags(2 * words);
    treewright::CkySums sums;
    const double total =
        sums.compute(rules, lexical.data(), words, {}, {begins.data(), labels.data(), 1}, brackets.data(), tags.data());
    CHECK(total >= chart.total());
    for (int i = 0; i < words; ++i) CHECK(std::abs(tags[2 * i] + tags[2 * i + 1] - 1) < 1e-9);
  }
}

static void closed_spans_have_no_node() {
  const treewright::ContextFreeRules rules = small_grammar();
  const int words = 4;
  const std::vector<double> lexical(2 * words, -1.0);
  bool closed[25] = {};
  closed[0 * 5 + 2] = closed[0 * 5 + 3] = true;
  const std::int32_t spans[2] = {1, 4};
  const bool allowed[6] = {true, false, true, true, true, true};
  treewright::CkyChart<treewright::MaxPlus> chart;
  chart.inside(rules, lexical.data(), words, {closed, 1, spans, allowed});
  std::vector<treewright::ChainNode> nodes;
  CHECK(chart.has_tree());
  chart.read_tree(0, words, 3, nodes);
  for (const treewright::ChainNode &node : nodes) CHECK(node.first != 0 || node.last == 1 || node.last == 4);
}
