// The weights of the network as its reader needs them (reader.hpp): matrices in panels, both directions of a layer and
// both sides of an arc or a label in one matrix, every part rounded up to whole vectors with weights of zero.
#pragma once

#include <cstddef>
#include <vector>

#include "network/floats.hpp"
#include "network/operations.hpp"

namespace treewright {

struct NetworkSizes {
  int word, vector, cls, subword;  // of the parts of an input
  int units, layers, arc, label;
  int words, vectors, classes, subwords;  // rows of the tables
  int labels;
  std::vector<int> columns;  // numbers of tags

  int input() const { return word + vector + cls + subword; }
  int lanes() const { return rounded_up(units, vector_width); }
  int state() const { return 2 * lanes(); }
  int gates() const { return 8 * lanes(); }  // of both directions
  int arc_lanes() const { return rounded_up(arc, vector_width); }
  int label_lanes() const { return rounded_up(label, vector_width); }
  int tags() const {
    int count = 0;
    for (int column : columns) count += column;
    return count;
  }
};

// x -> x matrix + bias.
struct Affine {
  PanelMatrix matrix;
  Floats bias;

  Affine() = default;
  Affine(int depth, int width) : matrix(depth, width), bias(std::size_t(matrix.width())) {}

  void apply(const Operations &operations, const float *x, std::size_t stride, int rows, float *out) const {
    const std::size_t width = std::size_t(matrix.width());
    for (int row = 0; row < rows; ++row) std::copy(bias.data(), bias.data() + width, out + row * width);
    operations.multiply(x, stride, rows, matrix, out, width);
  }
};

struct LstmLayer {
  Affine input;              // to the gates of both directions
  PanelMatrix recurrent[2];  // forward, backward
};

// The arrays as a model file has them; row-major, of the sizes that docs/network.md gives.
struct LstmArrays {
  const float *input[2], *recurrent[2], *bias[2];
};
struct NetworkArrays {
  const float *word, *vector, *cls, *subword;
  std::vector<LstmArrays> layers;
  const float *arc_head, *arc_head_bias, *arc_modifier, *arc_modifier_bias, *bilinear, *linear;
  const float *label_head, *label_modifier, *label_bias, *label_output, *label_output_bias;
  const float *tag_output, *tag_output_bias;
};

class NetworkWeights {
 public:
  // The tables must exist as long as the object; everything else is copied.
  NetworkWeights(const NetworkSizes &sizes, const NetworkArrays &arrays)
      : sizes(sizes), word(arrays.word), vector(arrays.vector), cls(arrays.cls), subword(arrays.subword) {
    for (int layer = 0; layer < sizes.layers; ++layer) add_layer(layer, arrays.layers[layer]);
    add_arcs(arrays);
    add_labels(arrays);
    add_tags(arrays);
  }

  const NetworkSizes sizes;
  const float *word, *vector, *cls, *subword;
  std::vector<LstmLayer> layers;
  Affine arc_sides;            // S -> [H | M] before relu
  Affine arc_scores;           // M -> bilinear M + linear, whose product with H is the score
  Affine label_sides;          // S -> the shares of head and modifier in the hidden layer
  Affine label_output;         // hidden layer -> scores
  Affine tag_output;           // S -> scores; each column begins at a multiple of vector_width
  std::vector<int> tag_begin;  // of the columns, and the end of the last one

 private:
  // The place of a number of the state [forward | backward].
  int state_place(int i) const { return i < sizes.units ? i : sizes.lanes() + i - sizes.units; }

  void add_layer(int layer, const LstmArrays &from) {
    const int units = sizes.units, lanes = sizes.lanes(), depth = layer ? 2 * units : sizes.input();
    LstmLayer to;
    to.input = Affine(layer ? sizes.state() : depth, sizes.gates());
    for (int side = 0; side < 2; ++side) {
      to.recurrent[side].reset(lanes, 4 * lanes);
      for (int gate = 0; gate < 4 * units; ++gate) {
        const int place = gate / units * lanes + gate % units, column = side * 4 * lanes + place;
        to.input.bias[column] = from.bias[side][gate];
        for (int k = 0; k < depth; ++k)
          to.input.matrix.at(layer ? state_place(k) : k, column) = from.input[side][std::size_t(k) * 4 * units + gate];
        for (int k = 0; k < units; ++k)
          to.recurrent[side].at(k, place) = from.recurrent[side][std::size_t(k) * 4 * units + gate];
      }
    }
    layers.push_back(std::move(to));
  }

  // A matrix over the states of the last layer, its columns from `first` on.
  void add_columns(Affine &to, int first, const float *matrix, const float *bias, int width) const {
    for (int column = 0; column < width; ++column) {
      if (bias) to.bias[first + column] = bias[column];
      for (int k = 0; k < 2 * sizes.units; ++k)
        to.matrix.at(state_place(k), first + column) = matrix[std::size_t(k) * width + column];
    }
  }

  void add_arcs(const NetworkArrays &from) {
    const int arc = sizes.arc, lanes = sizes.arc_lanes();
    arc_sides = Affine(sizes.state(), 2 * lanes);
    add_columns(arc_sides, 0, from.arc_head, from.arc_head_bias, arc);
    add_columns(arc_sides, lanes, from.arc_modifier, from.arc_modifier_bias, arc);
    arc_scores = Affine(lanes, lanes);
    for (int i = 0; i < arc; ++i) {
      arc_scores.bias[i] = from.linear[i];
      for (int j = 0; j < arc; ++j) arc_scores.matrix.at(j, i) = from.bilinear[std::size_t(i) * arc + j];
    }
  }

  void add_labels(const NetworkArrays &from) {
    const int lanes = sizes.label_lanes();
    label_sides = Affine(sizes.state(), 2 * lanes);
    add_columns(label_sides, 0, from.label_head, nullptr, sizes.label);
    add_columns(label_sides, lanes, from.label_modifier, from.label_bias, sizes.label);
    label_output = Affine(lanes, sizes.labels);
    std::fill(label_output.bias.data(), label_output.bias.data() + label_output.matrix.width(), excluded);
    for (int label = 0; label < sizes.labels; ++label) {
      label_output.bias[label] = from.label_output_bias[label];
      for (int k = 0; k < sizes.label; ++k)
        label_output.matrix.at(k, label) = from.label_output[std::size_t(k) * sizes.labels + label];
    }
  }

  void add_tags(const NetworkArrays &from) {
    tag_begin.push_back(0);
    for (int column : sizes.columns) tag_begin.push_back(tag_begin.back() + rounded_up(column, vector_width));
    tag_output = Affine(sizes.state(), tag_begin.back());
    std::fill(tag_output.bias.data(), tag_output.bias.data() + tag_output.matrix.width(), excluded);
    const int tags = sizes.tags();
    int tag = 0;
    for (std::size_t column = 0; column < sizes.columns.size(); ++column)
      for (int i = 0; i < sizes.columns[column]; ++i, ++tag) {
        tag_output.bias[tag_begin[column] + i] = from.tag_output_bias[tag];
        for (int k = 0; k < 2 * sizes.units; ++k)
          tag_output.matrix.at(state_place(k), tag_begin[column] + i) = from.tag_output[std::size_t(k) * tags + tag];
      }
  }
};

}  // namespace treewright
