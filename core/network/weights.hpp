// The weights of the network as its reader needs them (reader.hpp): matrices in panels, every part rounded up to whole
// vectors or panels with weights of zero.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/bytes.hpp"
#include "network/operations.hpp"

namespace treewright {

struct NetworkSizes {
  int word, vector, cls, subword;  // of the parts of an input
  int units, layers, arc, label;
  int words, vectors, classes, subwords;  // rows of the tables
  int labels;
  std::vector<int> columns;  // numbers of tags

  int input() const { return word + vector + cls + subword; }
  int input_lanes() const { return rounded_up(input(), vector_width); }
  int lanes() const { return rounded_up(units, vector_width); }
  int state() const { return 2 * lanes(); }
  int gates() const { return 8 * lanes(); }  // of both directions
  int arc_lanes() const { return rounded_up(arc, panel_width); }
  int label_lanes() const { return rounded_up(label, panel_width); }
  int tags() const {
    int count = 0;
    for (int column : columns) count += column;
    return count;
  }
};

// x -> x matrix + bias.
struct Affine {
  ByteMatrix matrix;
  Floats bias;

  Affine() = default;
  Affine(int depth, int width) : matrix(depth, width), bias(std::size_t(matrix.width())) {}

  // Writes rows of all columns of the panels; `stride` and `out_stride` are numbers between rows.
  void apply(const Operations &operations, const float *x, std::size_t stride, int rows, float *out,
             std::size_t out_stride, ByteRows &work) const {
    for (int row = 0; row < rows; ++row) std::copy_n(bias.data(), matrix.width(), out + row * out_stride);
    add_product(operations, x, stride, rows, matrix, out, out_stride, work);
  }

  // out += x matrix.
  static void add_product(const Operations &operations, const float *x, std::size_t stride, int rows,
                          const ByteMatrix &matrix, float *out, std::size_t out_stride, ByteRows &work) {
    work.reset(rows, matrix.depth());
    for (int row = 0; row < rows; ++row)
      operations.quantise(x + row * stride, matrix.row_scales(), matrix.depth(), work.row(row), work.sums.data() + row,
                          work.scales.data() + row);
    operations.multiply(work, matrix, out, out_stride);
  }
};

struct LstmDirection {
  Affine input;  // to the gates
  ByteMatrix recurrent;
};
using LstmLayer = std::array<LstmDirection, 2>;  // forward, backward

// A matrix as a model file has it: integers, row-major, and the scale of each row.
struct ByteArray {
  const std::int8_t *numbers;
  const float *scales;
};

// The arrays as a model file has them, of the sizes that docs/network.md gives.
struct LstmArrays {
  ByteArray input, recurrent;
  const float *bias;
};
struct NetworkArrays {
  const float *word, *vector, *cls, *subword;
  std::vector<std::array<LstmArrays, 2>> layers;
  ByteArray arc_head, arc_modifier, bilinear;
  const float *arc_head_bias, *arc_modifier_bias, *linear;
  ByteArray label_head, label_modifier, label_output;
  const float *label_bias, *label_output_bias;
  ByteArray tag_output;
  const float *tag_output_bias;
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
  Affine arc_head, arc_modifier;      // S -> H and M before relu
  Affine arc_scores;                  // M -> bilinear M + linear, whose product with H is the score
  Affine label_head, label_modifier;  // S -> the shares of head and modifier in the hidden layer
  Affine label_output;                // hidden layer -> scores
  Affine tag_output;                  // S -> scores; each column begins at a multiple of vector_width
  std::vector<int> tag_begin;         // of the columns, and the end of the last one

 private:
  // The place of a number of the state [forward | backward].
  int state_place(int i) const { return i < sizes.units ? i : sizes.lanes() + i - sizes.units; }

  // Copies a matrix whose row k is the row `row_place(k)`, and whose column j is the column `column_place(j)`.
  template <typename RowPlace, typename ColumnPlace>
  static void copy(const ByteArray &from, int depth, int width, ByteMatrix &to, RowPlace row_place,
                   ColumnPlace column_place) {
    for (int k = 0; k < depth; ++k) {
      to.row_scale(row_place(k)) = from.scales[k];
      for (int j = 0; j < width; ++j) to.set(row_place(k), column_place(j), from.numbers[std::size_t(k) * width + j]);
    }
  }

  void add_layer(int layer, const std::array<LstmArrays, 2> &from) {
    const int units = sizes.units, lanes = sizes.lanes();
    const auto gate_place = [&](int gate) { return gate / units * lanes + gate % units; };
    const auto same = [](int k) { return k; };
    LstmLayer to;
    for (int side = 0; side < 2; ++side) {
      to[side].input = Affine(layer ? sizes.state() : sizes.input(), 4 * lanes);
      if (layer)
        copy(
            from[side].input, 2 * units, 4 * units, to[side].input.matrix, [&](int k) { return state_place(k); },
            gate_place);
      else
        copy(from[side].input, sizes.input(), 4 * units, to[side].input.matrix, same, gate_place);
      for (int gate = 0; gate < 4 * units; ++gate) to[side].input.bias[gate_place(gate)] = from[side].bias[gate];
      to[side].recurrent.reset(lanes, 4 * lanes);
      copy(from[side].recurrent, units, 4 * units, to[side].recurrent, same, gate_place);
    }
    layers.push_back(std::move(to));
  }

  // A matrix over the states of the last layer; columns that are not set have the bias `rest`.
  template <typename ColumnPlace>
  Affine over_states(const ByteArray &from, const float *bias, int width, int new_width, float rest,
                     ColumnPlace column_place) const {
    Affine to(sizes.state(), new_width);
    std::fill_n(to.bias.data(), to.matrix.width(), rest);
    copy(from, 2 * sizes.units, width, to.matrix, [&](int k) { return state_place(k); }, column_place);
    for (int j = 0; j < width; ++j) to.bias[column_place(j)] = bias ? bias[j] : 0.0f;
    return to;
  }
  Affine over_states(const ByteArray &from, const float *bias, int width) const {
    return over_states(from, bias, width, width, 0.0f, [](int j) { return j; });
  }

  void add_arcs(const NetworkArrays &from) {
    const int arc = sizes.arc;
    arc_head = over_states(from.arc_head, from.arc_head_bias, arc);
    arc_modifier = over_states(from.arc_modifier, from.arc_modifier_bias, arc);
    arc_scores = Affine(sizes.arc_lanes(), arc);
    for (int i = 0; i < arc; ++i) {  // transposed: a row of `bilinear` is a column here
      arc_scores.bias[i] = from.linear[i];
      arc_scores.matrix.column_scale(i) = from.bilinear.scales[i];
      for (int j = 0; j < arc; ++j) arc_scores.matrix.set(j, i, from.bilinear.numbers[std::size_t(i) * arc + j]);
    }
  }

  void add_labels(const NetworkArrays &from) {
    label_head = over_states(from.label_head, nullptr, sizes.label);
    label_modifier = over_states(from.label_modifier, from.label_bias, sizes.label);
    label_output = Affine(sizes.label_lanes(), sizes.labels);
    const auto same = [](int k) { return k; };
    copy(from.label_output, sizes.label, sizes.labels, label_output.matrix, same, same);
    std::fill_n(label_output.bias.data(), label_output.matrix.width(), excluded);
    std::copy_n(from.label_output_bias, sizes.labels, label_output.bias.data());
  }

  void add_tags(const NetworkArrays &from) {
    tag_begin.push_back(0);
    std::vector<int> places;
    for (int column : sizes.columns) {
      for (int i = 0; i < column; ++i) places.push_back(tag_begin.back() + i);
      tag_begin.push_back(tag_begin.back() + rounded_up(column, vector_width));
    }
    tag_output = over_states(from.tag_output, from.tag_output_bias, sizes.tags(), tag_begin.back(), excluded,
                             [&](int tag) { return places[tag]; });
  }
};

}  // namespace treewright
