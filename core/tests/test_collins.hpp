#include "grammar/collins_chart.hpp"

// Symbols: STOP, the tags 1 .. 3 (3 is a comma), the phrases 4 .. 6 (6 is the base phrase). Words 0 .. 4.
static treewright::CollinsModel random_grammar(unsigned seed) {
  treewright::CollinsModel model(7, 3, 5, 6, {0, 3, 1, 2, 3, 3, 3}, {0, 1, 0, 0, 0, 0, 0});
  std::mt19937 random(seed);
  const auto below = [&](int end) { return int(random() % unsigned(end)); };
  for (int k = 0; k < 60; ++k) {
    const int parent = 4 + below(3), child = 1 + below(6), tag = 1 + below(3), word = below(5);
    model.add(treewright::HeadEvent{parent, child, word, tag, 1 + below(3)});
    for (int right : {0, 1}) {
      const treewright::ModifierContext context{right, parent, child, tag, word, below(2), below(4)};
      model.add(treewright::ModifierEvent{context, 1 + below(6), 1 + below(3), below(5), 1});
      model.add(treewright::ModifierEvent{{right, parent, child, tag, word, 0, 0}, 0, 0, 0, 1 + below(2)});
      model.add(treewright::ModifierEvent{context, 0, 0, 0, 1});
    }
    model.add(treewright::TopEvent{4 + below(3), tag, word, 1});
  }
  return model;
}

static void forests_of_all_sizes_have_a_best_tree_below_their_sum() {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const treewright::CollinsModel model = random_grammar(seed);
    for (int n : {1, 2, 5, 9}) {
      treewright::CollinsInput input;
      for (int i = 0; i < n; ++i) input.words.push_back(i % 5), input.tags.push_back({1, 2, 3});
      const std::vector<double> none((n + 1) * (n + 1), 0.0);
      for (double beam : {-1.0, 0.5, 6.0}) {
        treewright::CollinsChart chart(model, input, {beam, 2, true, 0});
        const treewright::Forest forest = chart.build(none.data());
        if (forest.is_empty()) continue;
        for (std::size_t v = 0; v < forest.nodes.size(); ++v) CHECK(forest.nodes[v].edges < forest.edges_end(v));
        std::vector<std::int64_t> best;
        std::vector<double> values;
        std::vector<treewright::Constituent> constituents;
        std::vector<int> heads(n + 1, -1);
        const double value = forest.best({none.data()}, best, values);
        CHECK(value <= forest.log_sum({none.data()}) + 1e-9);
        forest.read(best, constituents, heads.data());
        for (int m = 1; m <= n; ++m) CHECK(heads[m] >= 0 && heads[m] <= n && heads[m] != m);
        for (const treewright::Constituent &c : constituents) CHECK(c.begin <= c.head && c.head < c.end);
      }
    }
  }
}

// Forbidden tags are not used in the best derivation of the forest.
static void adjustments_of_tags_choose_the_tags() {
  const treewright::CollinsModel model = random_grammar(2);
  const treewright::CollinsInput input{{0, 1, 2}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}};
  const std::vector<double> none(16, 0.0);
  int with_a_derivation = 0;
  for (int tag = 1; tag <= 3; ++tag) {
    std::vector<double> tags(9, 0.0);
    for (int other = 1; other <= 3; ++other) tags[3 + other - 1] = other == tag ? 0.5 : treewright::forbidden;
    treewright::CollinsChart chart(model, input, {-1, 2, true, 0});
    const treewright::Forest forest = chart.build(none.data());
    std::vector<std::int64_t> best;
    std::vector<double> values;
    std::vector<treewright::Constituent> constituents;
    std::vector<int> heads(4, -1);
    const double value = forest.best({none.data(), tags.data()}, best, values);
    if (value == treewright::forbidden) continue;  // no derivation of the whole sentence has the tag
    ++with_a_derivation;
    forest.read(best, constituents, heads.data());
    for (const treewright::Constituent &c : constituents)
      if (c.label <= 3 && c.begin == 1) CHECK(c.label == tag);
  }
  CHECK(with_a_derivation > 0);
}

static void a_limit_of_size_leaves_an_empty_forest() {
  const treewright::CollinsModel model = random_grammar(1);
  treewright::CollinsInput input{{0, 1, 2, 3}, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}};
  const std::vector<double> none(25, 0.0);
  treewright::CollinsChart chart(model, input, {-1, 4, false, 10});
  CHECK(chart.build(none.data()).is_empty());
  CHECK(chart.is_full);
}
