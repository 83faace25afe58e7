// Reads sentences with a network: a bidirectional LSTM over the root and the words (Hochreiter & Schmidhuber 1997),
// biaffine scores of arcs (Dozat & Manning 2017), labels and tags. docs/network.md defines what is computed.
//
// The input of a word depends on its type alone, so that its product with the matrix of the first layer is computed
// once a type. Sentences are read together, the longest first, and laid out by position:
//
//   row(t, s) = active(0) + ... + active(t - 1) + s,   active(t) = number of sentences that have a position t
//
// so that a step of the LSTM multiplies contiguous rows: the states of position t - 1 (forward) or t + 1 (backward) of
// the first sentences with its matrix. No result depends on the other sentences (operations.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "network/weights.hpp"

namespace treewright {

// A sentence: rows of word types, and where its results go.
struct ReadingTask {
  const std::int32_t *types;  // of the words
  int words;
  double *arcs;        // [words + 1, words + 1]: log P(h | m)
  float *tags;         // [words, tags]
  float *label_sides;  // [words + 1, 2 label_lanes]: for score_tree_labels
};

// The logarithms of the probabilities: score less log sum exp. `count` is a multiple of vector_width.
inline double log_total(const Operations &operations, const float *scores, int count) {
  const float largest = *std::max_element(scores, scores + count);
  return double(largest) + std::log(double(operations.sum_of_exp(scores, count, largest)));
}

// Writes the first `count` of `padded` log-probabilities and returns the place after them.
inline float *write_log_probabilities(const Operations &operations, const float *scores, int padded, int count,
                                      float *out) {
  const auto total = float(log_total(operations, scores, padded));
  for (int i = 0; i < count; ++i) out[i] = scores[i] - total;
  return out + count;
}

// out[m - 1, l] = log P(l | heads[m], m) for the words m = 1..words, by the label_sides of their sentence.
inline void score_tree_labels(const NetworkWeights &weights, const Operations &operations, const float *sides,
                              const std::int32_t *heads, int words, float *out) {
  thread_local Floats hidden, scores;
  thread_local ByteRows work;
  const int lanes = weights.sizes.label_lanes(), width = weights.label_output.matrix.width();
  hidden.reserve(std::size_t(words) * lanes), scores.reserve(std::size_t(words) * width);
  for (int m = 1; m <= words; ++m) {
    const float *head = sides + std::size_t(heads[m]) * 2 * lanes, *own = sides + std::size_t(m) * 2 * lanes + lanes;
    float *to = hidden.data() + std::size_t(m - 1) * lanes;
    for (int k = 0; k < lanes; ++k) to[k] = std::max(head[k] + own[k], 0.0f);
  }
  weights.label_output.apply(operations, hidden.data(), lanes, words, scores.data(), width, work);
  for (int i = 0; i < words; ++i)
    out = write_log_probabilities(operations, scores.data() + std::size_t(i) * width, width, weights.sizes.labels, out);
}

class NetworkReader {
 public:
  NetworkReader(const NetworkWeights &weights, const Operations &operations = fastest_operations())
      : weights_(weights), sizes_(weights.sizes), operations_(operations) {
    clear();
  }

  // Removes all word types but that of the root, which has the number 0.
  void clear() {
    types_ = projected_ = 0;
    inputs_.clear(), projections_.clear();
    add(root_row, 0, nullptr, 0, nullptr, 0);
  }

  // Adds a word type by its rows of the tables and returns its number. The rows must exist.
  int add(int word, int vector, const std::int32_t *classes, int class_count, const std::int32_t *subwords,
          int subword_count) {
    inputs_.resize(inputs_.size() + sizes_.input_lanes());
    float *x = inputs_.data() + inputs_.size() - sizes_.input_lanes();
    x = copy_row(weights_.word, sizes_.word, word, x);
    x = copy_row(weights_.vector, sizes_.vector, vector, x);
    x = add_rows(weights_.cls, sizes_.cls, classes, class_count, 1.0f, x);
    add_rows(weights_.subword, sizes_.subword, subwords, subword_count, 1.0f / float(std::max(subword_count, 1)), x);
    return types_++;
  }

  int types() const { return types_; }

  void read(std::vector<ReadingTask> tasks) {
    project_types();
    std::stable_sort(tasks.begin(), tasks.end(), [](const auto &a, const auto &b) { return a.words > b.words; });
    for (std::size_t begin = 0, end; begin < tasks.size(); begin = end) {
      int nodes = 0;
      for (end = begin; end < tasks.size() && (end == begin || nodes + tasks[end].words < max_nodes); ++end)
        nodes += tasks[end].words + 1;
      read_together(tasks.data() + begin, int(end - begin));
    }
  }

 private:
  static constexpr int root_row = 1;      // of the table of words
  static constexpr int max_nodes = 1024;  // read together, to bound memory; not tuned

  static float *copy_row(const float *table, int width, int row, float *to) {
    return std::copy_n(table + std::size_t(row) * width, width, to);
  }
  static float *add_rows(const float *table, int width, const std::int32_t *rows, int count, float factor, float *to) {
    std::fill_n(to, width, 0.0f);
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < width; ++k) to[k] += table[std::size_t(rows[i]) * width + k];
    for (int k = 0; k < width; ++k) to[k] *= factor;
    return to + width;
  }

  // The gates of the first layer for the word types that were added since.
  void project_types() {
    const std::size_t gates = std::size_t(sizes_.gates());
    projections_.resize(types_ * gates);
    add_inputs(0, inputs_.data(), sizes_.input_lanes(), types_ - projected_, projections_.data() + projected_ * gates);
    inputs_.clear();
    projected_ = types_;
  }

  // The share of the inputs x of a layer in its gates.
  void add_inputs(int layer, const float *x, int stride, int rows, float *gates) {
    for (int side = 0; side < 2; ++side)
      weights_.layers[layer][side].input.apply(operations_, x, stride, rows, gates + side * 4 * sizes_.lanes(),
                                               sizes_.gates(), work_);
  }

  std::size_t row(int t, int s) const { return std::size_t(begin_[t]) + s; }
  int active(int t) const { return begin_[t + 1] - begin_[t]; }
  int positions() const { return int(begin_.size()) - 1; }

  void read_together(const ReadingTask *tasks, int count) {
    begin_.assign(1, 0);
    for (int t = 0, rest = count; t <= tasks[0].words; ++t) {
      while (tasks[rest - 1].words < t) --rest;
      begin_.push_back(begin_.back() + rest);
    }
    const int rows = begin_.back();
    gates_.reserve(std::size_t(rows) * sizes_.gates());
    states_.reserve(std::size_t(rows) * sizes_.state());
    for (int t = 0; t < positions(); ++t)
      for (int s = 0; s < active(t); ++s) {
        const std::size_t type = t ? tasks[s].types[t - 1] : 0;
        std::copy_n(projections_.data() + type * sizes_.gates(), sizes_.gates(),
                    gates_.data() + row(t, s) * sizes_.gates());
      }
    for (int layer = 0; layer < sizes_.layers; ++layer) {
      if (layer) add_inputs(layer, states_.data(), sizes_.state(), rows, gates_.data());
      run_forward(layer);
      run_backward(layer);
    }
    score_labels(tasks, count, rows);
    score_tags(tasks, rows);
    score_arcs(tasks, count, rows);
  }

  void run_forward(int layer) {
    reset_cells();
    for (int t = 0; t < positions(); ++t) step(layer, t, t - 1, t ? active(t) : 0, 0);
  }
  void run_backward(int layer) {
    reset_cells();
    for (int t = positions() - 1; t >= 0; --t) step(layer, t, t + 1, t + 1 < positions() ? active(t + 1) : 0, 1);
  }

  void reset_cells() {
    const std::size_t size = std::size_t(active(0)) * sizes_.lanes();
    cells_.reserve(size);
    std::fill_n(cells_.data(), size, 0.0f);
  }

  // The states of position t in one direction, from those of another position; only the first `known` have one.
  void step(int layer, int t, int from, int known, int side) {
    const int lanes = sizes_.lanes();
    float *gates = gates_.data() + row(t, 0) * sizes_.gates() + side * 4 * lanes;
    float *states = states_.data() + side * lanes;
    if (known)
      Affine::add_product(operations_, states + row(from, 0) * sizes_.state(), sizes_.state(), known,
                          weights_.layers[layer][side].recurrent, gates, sizes_.gates(), work_);
    for (int s = 0; s < active(t); ++s)
      operations_.lstm_cell(gates + std::size_t(s) * sizes_.gates(), lanes, cells_.data() + std::size_t(s) * lanes,
                            states + row(t, s) * sizes_.state());
  }

  // Applies a pair of matrices to all states: rows [one | other] of `width` columns each.
  void apply_sides(const Affine &one, const Affine &other, int width, int rows, Floats &out) {
    out.reserve(std::size_t(rows) * 2 * width);
    one.apply(operations_, states_.data(), sizes_.state(), rows, out.data(), 2 * width, work_);
    other.apply(operations_, states_.data(), sizes_.state(), rows, out.data() + width, 2 * width, work_);
  }

  void score_labels(const ReadingTask *tasks, int count, int rows) {
    const int lanes = sizes_.label_lanes();
    apply_sides(weights_.label_head, weights_.label_modifier, lanes, rows, scores_);
    for (int s = 0; s < count; ++s)
      for (int t = 0; t <= tasks[s].words; ++t)
        std::copy_n(scores_.data() + row(t, s) * 2 * lanes, 2 * lanes,
                    tasks[s].label_sides + std::size_t(t) * 2 * lanes);
  }

  void score_tags(const ReadingTask *tasks, int rows) {
    const int width = weights_.tag_output.matrix.width(), tags = sizes_.tags();
    const int first = active(0);  // the roots have no tags
    scores_.reserve(std::size_t(rows) * width);
    weights_.tag_output.apply(operations_, states_.data() + std::size_t(first) * sizes_.state(), sizes_.state(),
                              rows - first, scores_.data(), width, work_);
    for (int t = 1; t < positions(); ++t)
      for (int s = 0; s < active(t); ++s) {
        const float *scores = scores_.data() + (row(t, s) - first) * width;
        float *out = tasks[s].tags + std::size_t(t - 1) * tags;
        for (std::size_t column = 0; column < sizes_.columns.size(); ++column) {
          const int begin = weights_.tag_begin[column], end = weights_.tag_begin[column + 1];
          out = write_log_probabilities(operations_, scores + begin, end - begin, sizes_.columns[column], out);
        }
      }
  }

  void score_arcs(const ReadingTask *tasks, int count, int rows) {
    const int lanes = sizes_.arc_lanes();
    apply_sides(weights_.arc_head, weights_.arc_modifier, lanes, rows, sides_);
    for (std::size_t i = 0; i < std::size_t(rows) * 2 * lanes; ++i) sides_[i] = std::max(sides_[i], 0.0f);
    queries_.reserve(std::size_t(rows) * lanes);
    weights_.arc_scores.apply(operations_, sides_.data() + lanes, 2 * lanes, rows, queries_.data(), lanes, work_);
    for (int s = 0; s < count; ++s) score_sentence_arcs(tasks[s], s);
  }

  // score[m, h] = query_m H_h for all arcs of a sentence.
  void score_sentence_arcs(const ReadingTask &task, int s) {
    const int nodes = task.words + 1, lanes = sizes_.arc_lanes();
    heads_.reset(lanes, nodes);
    hidden_.reserve(std::size_t(nodes) * lanes);
    bytes_.reserve(lanes);
    for (int t = 0; t < nodes; ++t) {
      std::int32_t sum;
      operations_.quantise(sides_.data() + row(t, s) * 2 * lanes, heads_.row_scales(), lanes, bytes_.data(), &sum,
                           &heads_.column_scale(t));
      heads_.set_column(t, bytes_.data());
      std::copy_n(queries_.data() + row(t, s) * lanes, lanes, hidden_.data() + std::size_t(t) * lanes);
    }
    const std::size_t stride = std::size_t(heads_.width());
    scores_.reserve(nodes * stride);
    std::fill_n(scores_.data(), nodes * stride, 0.0f);
    Affine::add_product(operations_, hidden_.data() + lanes, lanes, task.words, heads_, scores_.data(), stride, work_);
    write_arcs(task, stride);
  }

  void write_arcs(const ReadingTask &task, std::size_t stride) {
    const int nodes = task.words + 1;
    constexpr double none = -std::numeric_limits<double>::infinity();
    for (int h = 0; h < nodes; ++h) task.arcs[std::size_t(h) * nodes] = none;
    for (int m = 1; m < nodes; ++m) {
      float *scores = scores_.data() + (m - 1) * stride;
      std::fill(scores + nodes, scores + stride, excluded);
      scores[m] = excluded;
      const double total = log_total(operations_, scores, int(stride));
      for (int h = 0; h < nodes; ++h) task.arcs[std::size_t(h) * nodes + m] = h == m ? none : scores[h] - total;
    }
  }

  const NetworkWeights &weights_;
  const NetworkSizes &sizes_;
  const Operations &operations_;
  int types_ = 0, projected_ = 0;
  std::vector<float> inputs_;       // of word types that are not projected yet
  std::vector<float> projections_;  // [type, gates of both directions]
  std::vector<int> begin_;          // the first row of each position, and the number of rows
  Floats gates_, states_, cells_, sides_, queries_, hidden_, scores_;
  ByteMatrix heads_;            // H of a sentence, a column for each node
  Aligned<std::int8_t> bytes_;  // of one of these columns
  ByteRows work_;
};

}  // namespace treewright
