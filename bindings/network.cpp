#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "network/reader.hpp"

namespace treewright {

using ByteTable = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewFloatTable = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using SentenceScores = std::tuple<NewScores, NewFloatTable, NewFloatTable>;

// The arrays of a model by name, with checked shapes.
class NamedArrays {
 public:
  explicit NamedArrays(nb::dict arrays) : arrays_(std::move(arrays)) {}

  FloatRows table(const std::string &name, int width) const {
    const FloatRows found = get<FloatRows>(name);
    if (found.shape(1) != std::size_t(width)) throw misfit(name);
    check_numbers(name, found);
    return found;
  }
  ByteArray matrix(const std::string &name, int depth, int width) const {
    const ByteTable found = get<ByteTable>(name);
    if (found.shape(0) != std::size_t(depth) || found.shape(1) != std::size_t(width)) throw misfit(name);
    return {found.data(), column(name + ".scales", depth)};
  }
  const float *column(const std::string &name, int length) const {
    const FloatColumn found = get<FloatColumn>(name);
    if (found.shape(0) != std::size_t(length)) throw misfit(name);
    check_numbers(name, found);
    return found.data();
  }

 private:
  template <typename Array>
  Array get(const std::string &name) const {
    Array found;
    if (!arrays_.contains(name.c_str()) || !nb::try_cast(arrays_[name.c_str()], found, false)) throw misfit(name);
    return found;
  }
  template <typename Array>
  static void check_numbers(const std::string &name, const Array &array) {
    for (std::size_t i = 0; i < array.size(); ++i)
      if (!std::isfinite(array.data()[i])) throw nb::value_error((name + " must have finite numbers").c_str());
  }
  static nb::builtin_exception misfit(const std::string &name) {
    return nb::value_error((name + " is missing, or does not have its type and shape").c_str());
  }
  nb::dict arrays_;
};

// A network whose weights are checked and in the layout of the kernel. The tables are those of the arrays.
class BoundNetwork {
 public:
  BoundNetwork(nb::typed<nb::dict, nb::str, nb::object> arrays, const std::vector<int> &sizes, std::vector<int> columns,
               int labels)
      : BoundNetwork(NamedArrays(std::move(arrays)), checked(sizes, columns, labels)) {}

  const NetworkWeights &weights() const { return *weights_; }

  NewFloatTable labels(FloatRows sides, IndexColumn heads) const {
    const NetworkSizes &sizes = weights_->sizes;
    const std::size_t nodes = sides.shape(0);
    if (nodes < 1 || sides.shape(1) != std::size_t(2 * sizes.label_lanes()))
      throw nb::value_error("sides must have a row a node");
    if (heads.shape(0) != nodes) throw nb::value_error("heads must have one entry a node");
    for (std::size_t m = 1; m < nodes; ++m)
      if (heads(m) < 0 || std::size_t(heads(m)) >= nodes) throw nb::value_error("heads must be nodes");
    NewFloatTable found = new_array<NewFloatTable>(nodes - 1, sizes.labels);
    nb::gil_scoped_release nogil;
    score_tree_labels(*weights_, fastest_operations(), sides.data(), heads.data(), int(nodes) - 1, found.data());
    return found;
  }

 private:
  static constexpr int max_size = 4096, max_rows = 1 << 28;

  BoundNetwork(const NamedArrays &named, NetworkSizes sizes)
      : word_(named.table("word", sizes.word)),
        vector_(named.table("vector", sizes.vector)),
        class_(named.table("class", sizes.cls)),
        subword_(named.table("subword", sizes.subword)) {
    sizes.words = rows_of(word_, 2), sizes.vectors = rows_of(vector_, 1);
    sizes.classes = rows_of(class_, 0), sizes.subwords = rows_of(subword_, 0);
    weights_ = std::make_unique<NetworkWeights>(sizes, arrays_of(named, sizes));
  }

  static NetworkSizes checked(const std::vector<int> &sizes, const std::vector<int> &columns, int labels) {
    if (sizes.size() != 8)
      throw nb::value_error("sizes must be word, vector, class, subword, units, layers, arc, label");
    for (std::size_t i = 0; i < 8; ++i)
      if (sizes[i] < int(i >= 4) || sizes[i] > max_size) throw nb::value_error("a size is out of range");
    int tags = 0;
    for (int column : columns) {
      if (column < 1 || column > max_rows - tags) throw nb::value_error("the columns are out of range");
      tags += column;
    }
    if (labels < 1 || labels > max_rows) throw nb::value_error("labels is out of range");
    return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6],
            sizes[7], 0,        0,        0,        0,        labels,   columns};
  }

  static int rows_of(const FloatRows &table, int least) {
    if (table.shape(0) < std::size_t(least) || table.shape(0) > std::size_t(max_rows))
      throw nb::value_error("the number of rows of a table is out of range");
    return int(table.shape(0));
  }

  NetworkArrays arrays_of(const NamedArrays &named, const NetworkSizes &sizes) const {
    const int units = sizes.units, state = 2 * units, arc = sizes.arc, label = sizes.label;
    NetworkArrays found{};
    found.word = word_.data(), found.vector = vector_.data();
    found.cls = class_.data(), found.subword = subword_.data();
    for (int layer = 0; layer < sizes.layers; ++layer) {
      std::array<LstmArrays, 2> lstm{};
      for (int side = 0; side < 2; ++side) {
        const std::string name = "lstm." + std::to_string(layer) + (side ? ".backward." : ".forward.");
        lstm[side] = {named.matrix(name + "input", layer ? state : sizes.input(), 4 * units),
                      named.matrix(name + "recurrent", units, 4 * units), named.column(name + "bias", 4 * units)};
      }
      found.layers.push_back(lstm);
    }
    found.arc_head = named.matrix("arc.head", state, arc);
    found.arc_head_bias = named.column("arc.head_bias", arc);
    found.arc_modifier = named.matrix("arc.modifier", state, arc);
    found.arc_modifier_bias = named.column("arc.modifier_bias", arc);
    found.bilinear = named.matrix("arc.bilinear", arc, arc);
    found.linear = named.column("arc.linear", arc);
    found.label_head = named.matrix("label.head", state, label);
    found.label_modifier = named.matrix("label.modifier", state, label);
    found.label_bias = named.column("label.bias", label);
    found.label_output = named.matrix("label.output", label, sizes.labels);
    found.label_output_bias = named.column("label.output_bias", sizes.labels);
    found.tag_output = named.matrix("tag.output", state, sizes.tags());
    found.tag_output_bias = named.column("tag.output_bias", sizes.tags());
    return found;
  }

  FloatRows word_, vector_, class_, subword_;
  std::unique_ptr<NetworkWeights> weights_;
};

class BoundReader {
 public:
  BoundReader(const BoundNetwork &network, bool portable)
      : sizes_(network.weights().sizes),
        reader_(network.weights(), portable ? portable_operations : fastest_operations()) {}

  int add(int word, int vector, const std::vector<int> &classes, const std::vector<int> &subwords) {
    if (word < 0 || word >= sizes_.words) throw nb::value_error("word must be a row of its table");
    if (vector < 0 || vector >= sizes_.vectors) throw nb::value_error("vector must be a row of its table");
    check_rows("classes", classes, sizes_.classes);
    check_rows("subwords", subwords, sizes_.subwords);
    return reader_.add(word, vector, classes.data(), int(classes.size()), subwords.data(), int(subwords.size()));
  }

  void clear() { reader_.clear(); }
  int types() const { return reader_.types(); }

  std::vector<SentenceScores> read(IndexColumn types, IndexColumn lengths) {
    check_types(types, lengths);
    std::vector<SentenceScores> found;
    std::vector<ReadingTask> tasks;
    const std::int32_t *place = types.data();
    for (std::size_t i = 0; i < lengths.shape(0); ++i) {
      const int words = lengths(i);
      SentenceScores scores{new_array<NewScores>(words + 1, words + 1), new_array<NewFloatTable>(words, sizes_.tags()),
                            new_array<NewFloatTable>(words + 1, 2 * sizes_.label_lanes())};
      tasks.push_back(
          {place, words, std::get<0>(scores).data(), std::get<1>(scores).data(), std::get<2>(scores).data()});
      found.push_back(std::move(scores));
      place += words;
    }
    nb::gil_scoped_release nogil;
    reader_.read(std::move(tasks));
    return found;
  }

 private:
  static void check_rows(const char *name, const std::vector<int> &rows, int count) {
    for (int row : rows)
      if (row < 0 || row >= count) throw nb::value_error((std::string(name) + " must be rows of their table").c_str());
  }
  void check_types(const IndexColumn &types, const IndexColumn &lengths) const {
    std::size_t words = 0;
    for (std::size_t i = 0; i < lengths.shape(0); ++i) {
      if (lengths(i) < 0 || lengths(i) == INT32_MAX) throw nb::value_error("lengths must not be negative");
      words += std::size_t(lengths(i));
    }
    if (words != types.shape(0)) throw nb::value_error("types must have an entry a word");
    for (std::size_t i = 0; i < words; ++i)
      if (types(i) < 0 || types(i) >= reader_.types()) throw nb::value_error("types must have been added");
  }

  const NetworkSizes &sizes_;
  NetworkReader reader_;
};

void bind_network(nb::module_ &m) {
  nb::class_<BoundNetwork>(m, "NetworkWeights", "The weights of a network (core/network/weights.hpp).")
      .def(nb::init<nb::typed<nb::dict, nb::str, nb::object>, std::vector<int>, std::vector<int>, int>(),
           nb::arg("arrays"), nb::arg("sizes"), nb::arg("columns"), nb::arg("labels"))
      .def("labels", &BoundNetwork::labels, nb::arg("sides").noconvert(), nb::arg("heads").noconvert(),
           "The log-probabilities of the labels of each word, by its head.");
  nb::class_<BoundReader>(m, "NetworkReader", "Reads sentences with a network (core/network/reader.hpp).")
      .def(nb::init<const BoundNetwork &, bool>(), nb::arg("weights"), nb::arg("portable") = false,
           nb::keep_alive<1, 2>(), "portable: without the vector instructions of this processor.")
      .def("add", &BoundReader::add, nb::arg("word"), nb::arg("vector"), nb::arg("classes"), nb::arg("subwords"),
           "Add a word type by its rows of the tables; returns its number. The root has the number 0.")
      .def("clear", &BoundReader::clear, "Remove all word types but the root.")
      .def_prop_ro("types", &BoundReader::types, "The number of word types.")
      .def("read", &BoundReader::read, nb::arg("types").noconvert(), nb::arg("lengths").noconvert(),
           "For each sentence: log P(h | m), log-probabilities of tags, and what NetworkWeights.labels needs.");
}

}  // namespace treewright
