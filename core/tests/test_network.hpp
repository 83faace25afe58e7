// The network: all sets of operations agree, and a sentence is read alike alone and beside others.
#include "network/reader.hpp"

struct RandomNetwork {
  std::mt19937 random{5};
  std::vector<std::vector<float>> owned;
  std::vector<std::vector<std::int8_t>> owned_bytes;
  treewright::NetworkSizes sizes{5, 3, 2, 4, 9, 2, 11, 5, 6, 4, 3, 20, 7, {3, 18}};

  const float *numbers(int rows, int columns) {
    std::normal_distribution<float> normal(0, 0.5f);
    owned.emplace_back(std::size_t(rows) * columns);
    for (float &number : owned.back()) number = normal(random);
    return owned.back().data();
  }

  treewright::ByteArray matrix(int rows, int columns) {
    owned_bytes.emplace_back(std::size_t(rows) * columns);
    for (std::int8_t &number : owned_bytes.back()) number = std::int8_t(int(random() % 255) - 127);
    owned.emplace_back(rows);
    for (float &scale : owned.back()) scale = float(random() % 1000) * 1e-5f;
    return {owned_bytes.back().data(), owned.back().data()};
  }

  treewright::NetworkWeights weights() {
    const int state = 2 * sizes.units, tags = sizes.tags();
    treewright::NetworkArrays arrays{};
    arrays.word = numbers(sizes.words, sizes.word), arrays.vector = numbers(sizes.vectors, sizes.vector);
    arrays.cls = numbers(sizes.classes, sizes.cls), arrays.subword = numbers(sizes.subwords, sizes.subword);
    for (int layer = 0; layer < sizes.layers; ++layer) {
      std::array<treewright::LstmArrays, 2> lstm{};
      for (int side = 0; side < 2; ++side)
        lstm[side] = {matrix(layer ? state : sizes.input(), 4 * sizes.units), matrix(sizes.units, 4 * sizes.units),
                      numbers(1, 4 * sizes.units)};
      arrays.layers.push_back(lstm);
    }
    arrays.arc_head = matrix(state, sizes.arc), arrays.arc_modifier = matrix(state, sizes.arc);
    arrays.arc_head_bias = numbers(1, sizes.arc), arrays.arc_modifier_bias = numbers(1, sizes.arc);
    arrays.bilinear = matrix(sizes.arc, sizes.arc), arrays.linear = numbers(1, sizes.arc);
    arrays.label_head = matrix(state, sizes.label), arrays.label_modifier = matrix(state, sizes.label);
    arrays.label_bias = numbers(1, sizes.label), arrays.label_output = matrix(sizes.label, sizes.labels);
    arrays.label_output_bias = numbers(1, sizes.labels);
    arrays.tag_output = matrix(state, tags), arrays.tag_output_bias = numbers(1, tags);
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
  for (const treewright::Operations &operations : treewright::available_operations()) {
    const auto together = network_scores(weights, operations, true), alone = network_scores(weights, operations, false);
    for (std::size_t i = 0; i < together.size(); ++i) {
      CHECK(distance_of(together[i], alone[i]) == 0);
      CHECK(distance_of(together[i], portable[i]) == 0);
      const int nodes = int(together[i].types.size()) + 1;
      for (int m = 1; m < nodes; ++m) {
        double sum = 0;
        for (int h = 0; h < nodes; ++h) sum += std::exp(together[i].arcs[h * nodes + m]);
        CHECK(std::abs(sum - 1) < 1e-5);
      }
    }
  }
}

// Every set of operations gives the sums of integers of the definition, for all counts of rows and of panels.
static void products_of_bytes_are_exact() {
  std::mt19937 random(3);
  const auto byte = [&] { return std::int8_t(random() % 3 ? int(random() % 255) - 127 : random() % 2 ? 127 : -127); };
  for (int rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 20})
    for (int width : {1, 16, 40, 150}) {
      const int depth = 8 * (1 + int(random() % 40));
      treewright::ByteMatrix matrix(depth, width);
      std::vector<std::int8_t> right(std::size_t(depth) * width);
      for (int k = 0; k < depth; ++k)
        for (int j = 0; j < width; ++j) matrix.set(k, j, right[std::size_t(k) * width + j] = byte());
      treewright::ByteRows left;
      left.reset(rows, depth);
      for (int i = 0; i < rows; ++i) {
        left.scales[i] = 1, left.sums[i] = 0;
        for (int k = 0; k < depth; ++k) left.sums[i] += left.row(i)[k] = byte();
      }
      for (const treewright::Operations &operations : treewright::available_operations()) {
        std::vector<float> product(std::size_t(rows) * matrix.width(), 1.0f);
        operations.multiply(left, matrix, product.data(), matrix.width());
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < matrix.width(); ++j) {
            std::int32_t sum = 0;
            for (int k = 0; k < depth && j < width; ++k) sum += left.row(i)[k] * right[std::size_t(k) * width + j];
            CHECK(product[std::size_t(i) * matrix.width() + j] == 1.0f + float(sum));
          }
      }
    }
}

static void rows_are_rounded_alike_by_all_operations() {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  for (float size : {1.0f, 1e-36f, 1e25f, 0.0f}) {
    std::vector<float> x(72), factors(72);
    for (float &number : x) number = size * normal(random);
    for (float &number : factors) number = normal(random);
    for (const treewright::Operations &operations : treewright::available_operations()) {
      std::vector<std::int8_t> numbers(72);
      std::int32_t sum = 0, total = 0;
      float scale = 0;
      operations.quantise(x.data(), factors.data(), 72, numbers.data(), &sum, &scale);
      for (int k = 0; k < 72; ++k) {
        CHECK(std::abs(double(scale) * numbers[k] - double(x[k]) * factors[k]) <= std::max(0.5001 * scale, 1e-30));
        total += numbers[k];
      }
      CHECK(sum == total);
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
    for (const treewright::Operations &operations : treewright::available_operations())
      CHECK(operations.sum_of_exp(scores, 8, 0) == 8 * treewright::portable::exp_of(x));
  }
}
