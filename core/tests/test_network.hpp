// The network: both sets of operations agree, and a sentence is read alike alone and beside others.
#include "network/reader.hpp"

struct RandomNetwork {
  std::mt19937 random{5};
  std::vector<std::vector<float>> owned;
  treewright::NetworkSizes sizes{5, 3, 2, 4, 9, 2, 11, 5, 6, 4, 3, 20, 7, {3, 18}};

  const float *numbers(int rows, int columns) {
    std::normal_distribution<float> normal(0, 0.5f);
    owned.emplace_back(std::size_t(rows) * columns);
    for (float &number : owned.back()) number = normal(random);
    return owned.back().data();
  }

  treewright::NetworkWeights weights() {
    const int state = 2 * sizes.units, tags = sizes.tags();
    treewright::NetworkArrays arrays{};
    arrays.word = numbers(sizes.words, sizes.word), arrays.vector = numbers(sizes.vectors, sizes.vector);
    arrays.cls = numbers(sizes.classes, sizes.cls), arrays.subword = numbers(sizes.subwords, sizes.subword);
    for (int layer = 0; layer < sizes.layers; ++layer) {
      treewright::LstmArrays lstm{};
      for (int side = 0; side < 2; ++side) {
        lstm.input[side] = numbers(layer ? state : sizes.input(), 4 * sizes.units);
        lstm.recurrent[side] = numbers(sizes.units, 4 * sizes.units), lstm.bias[side] = numbers(1, 4 * sizes.units);
      }
      arrays.layers.push_back(lstm);
    }
    arrays.arc_head = numbers(state, sizes.arc), arrays.arc_modifier = numbers(state, sizes.arc);
    arrays.arc_head_bias = numbers(1, sizes.arc), arrays.arc_modifier_bias = numbers(1, sizes.arc);
    arrays.bilinear = numbers(sizes.arc, sizes.arc), arrays.linear = numbers(1, sizes.arc);
    arrays.label_head = numbers(state, sizes.label), arrays.label_modifier = numbers(state, sizes.label);
    arrays.label_bias = numbers(1, sizes.label), arrays.label_output = numbers(sizes.label, sizes.labels);
    arrays.label_output_bias = numbers(1, sizes.labels);
    arrays.tag_output = numbers(state, tags), arrays.tag_output_bias = numbers(1, tags);
    return {sizes, arrays};
  }
};

struct NetworkScores {
  std::vector<std::int32_t> types;
  std::vector<double> arcs;
  std::vector<float> tags, sides, labels;

  NetworkScores(const treewright::NetworkSizes &sizes, int words, int types_known)
      : types(words),
        arcs((words + 1) * (words + 1)),
        tags(words * sizes.tags()),
        sides((words + 1) * 2 * sizes.label_lanes()),
        labels(words * sizes.labels) {
    for (int i = 0; i < words; ++i) types[i] = (i * 7 + words) % types_known;
  }
  treewright::ReadingTask task() { return {types.data(), int(types.size()), arcs.data(), tags.data(), sides.data()}; }
};

static std::vector<NetworkScores> network_scores(const treewright::NetworkWeights &weights,
                                                 const treewright::Operations &operations, bool together) {
  treewright::NetworkReader reader(weights, operations);
  const std::int32_t classes[] = {0, 2}, subwords[] = {3, 19, 3};
  for (int type = 0; type < 9; ++type) reader.add(type % 6, type % 4, classes, type % 3, subwords, type % 4);
  std::vector<NetworkScores> found;
  for (int words : {1, 0, 7, 40, 7, 2, 300, 23}) found.emplace_back(weights.sizes, words, reader.types());
  std::vector<treewright::ReadingTask> tasks;
  for (NetworkScores &scores : found) tasks.push_back(scores.task());
  if (together) reader.read(tasks);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!together) reader.read({tasks[i]});
    const std::vector<std::int32_t> heads(tasks[i].words + 1, 0);
    score_tree_labels(weights, operations, tasks[i].label_sides, heads.data(), tasks[i].words, found[i].labels.data());
  }
  return found;
}

static double distance_of(const NetworkScores &one, const NetworkScores &other) {
  double distance = 0;
  for (std::size_t i = 0; i < one.arcs.size(); ++i)
    if (one.arcs[i] != other.arcs[i]) distance = std::max(distance, std::abs(one.arcs[i] - other.arcs[i]));
  for (std::size_t i = 0; i < one.tags.size(); ++i)
    distance = std::max(distance, std::abs(double(one.tags[i]) - other.tags[i]));
  for (std::size_t i = 0; i < one.labels.size(); ++i)
    distance = std::max(distance, std::abs(double(one.labels[i]) - other.labels[i]));
  return distance;
}

static void a_network_reads_a_sentence_alike_alone_and_beside_others() {
  RandomNetwork network;
  const treewright::NetworkWeights weights = network.weights();
  const auto portable = network_scores(weights, treewright::portable_operations, true);
  for (const treewright::Operations *operations :
       {&treewright::portable_operations, &treewright::fastest_operations()}) {
    const auto together = network_scores(weights, *operations, true),
               alone = network_scores(weights, *operations, false);
    for (std::size_t i = 0; i < together.size(); ++i) {
      CHECK(distance_of(together[i], alone[i]) == 0);
      CHECK(distance_of(together[i], portable[i]) < 1e-4);
      const int nodes = int(together[i].types.size()) + 1;
      for (int m = 1; m < nodes; ++m) {
        double sum = 0;
        for (int h = 0; h < nodes; ++h) sum += std::exp(together[i].arcs[h * nodes + m]);
        CHECK(std::abs(sum - 1) < 1e-5);
      }
    }
  }
}

static void exponentials_are_exact_to_rounding_and_total() {
  const float infinity = std::numeric_limits<float>::infinity();
  for (float x = -86; x < 86; x += 0.0137f)
    CHECK(std::abs(treewright::portable::exp_of(x) / std::exp(double(x)) - 1) < 3e-7);
  for (float x : {infinity, -infinity, 1e30f, -1e30f, std::nanf("")})
    CHECK(std::isfinite(treewright::portable::exp_of(x)));
  for (float x : {0.0f, -0.5f, -3.0f, -80.0f, -infinity, -1e30f, std::nanf("")}) {
    const float scores[8] = {x, x, x, x, x, x, x, x};
    const float sum = treewright::fastest_operations().sum_of_exp(scores, 8, 0);
    CHECK(std::abs(sum - 8 * treewright::portable::exp_of(x)) <= 1e-6f * sum);
  }
}
