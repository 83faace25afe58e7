#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "features.hpp"
#include "learning/arc_tensor.hpp"

namespace treewright {

using VectorTable = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // [node, component]

class TensorScorer {
 public:
  TensorScorer(const Tables &tables, int bits, int rank, int tensors, int vector_size)
      : bits_((check_bits(bits), bits)),
        vector_size_((check_sizes(bits, rank, tensors, vector_size), vector_size)),
        tensor_(tables_of_words(tables), bits, rank, tensors, vector_size) {}

  void open(AtomTable atoms, AtomTable each, std::optional<VectorTable> vectors) {
    const Atoms opened = atoms_of(atoms, each);
    if (vectors) check_vectors(*vectors, opened.nodes);
    tensor_.open(opened, vectors ? vectors->data() : nullptr);
    vectors_ = vectors;  // read whenever rows are summed
  }

  void add_scores(Parts &parts, const Weights &weights, double scale) {
    check_parts_of(parts);
    with_weights(weights, scale, bits_, [&](const auto &table) { tensor_.add_scores(table, parts); });
    check_result(parts.arc.data(), parts.arc.size());
  }

  // vectors: of the nodes of all sentences, one after the other.
  void batch_add_scores(const AtomBatch &batch, const std::vector<Parts *> &parts, std::optional<VectorTable> vectors,
                        const Weights &weights, double scale) {
    if (int(parts.size()) != batch.sentences()) throw nb::value_error("there must be parts a sentence");
    int nodes = 0;
    for (int s = 0; s < batch.sentences(); ++s) {
      if (parts[s]->nodes != batch.nodes(s)) throw nb::value_error("the parts do not fit the sentence");
      nodes += batch.nodes(s);
    }
    if (vectors) check_vectors(*vectors, nodes);
    with_weights(weights, scale, bits_, [&](const auto &table) {
      const float *first = vectors ? vectors->data() : nullptr;
      for (int s = 0; s < batch.sentences(); ++s) {
        tensor_.open(batch.at(s), first);
        tensor_.add_scores(table, *parts[s]);
        if (first) first += std::size_t(batch.nodes(s)) * vector_size_;
      }
      tensor_.close();
    });
    vectors_.reset();
    for (const Parts *some : parts) check_result(some->arc.data(), some->arc.size());
  }

  void add_scores_of(int tensor, Parts &parts, const Weights &weights, double scale) {
    check_tensor(tensor);
    check_parts_of(parts);
    with_weights(weights, scale, bits_, [&](const auto &table) { tensor_.add_scores_of(tensor, table, parts); });
    check_result(parts.arc.data(), parts.arc.size());
  }

  void add_gradient(BoundLearner &learner, int tensor, const Parts &gradient, int side) {
    check_learner(learner, bits_);
    check_tensor(tensor);
    check_parts_of(gradient);
    if (side < 0 || side >= ArcTensor::sides) throw nb::value_error("there is no such side of the parameters");
    nb::gil_scoped_release nogil;
    tensor_.spread(tensor, gradient, learner.learner, ArcTensor::Side(side));
  }

  std::vector<int> begin() const { return tensor_.begin(); }
  std::vector<std::uint32_t> rows(bool is_modifier) const { return tensor_.rows(is_modifier); }

 private:
  static std::vector<TemplateTable> tables_of_words(const Tables &given) {
    std::vector<TemplateTable> tables = tables_of(given, ArcTensor::kinds);
    for (const TemplateTable &table : tables)
      for (const TemplateTable::Item &item : table.items)
        if (item.role != 0) throw nb::value_error("templates of the tensor are about one word");
    return tables;
  }
  static void check_sizes(int bits, int rank, int tensors, int vector_size) {
    constexpr int limit = 1 << 14;
    const bool in_range =
        rank >= 1 && rank <= limit && tensors >= 1 && tensors <= limit && vector_size >= 0 && vector_size <= limit;
    const std::size_t width = in_range ? std::size_t(rank) * tensors : 1;
    if (!in_range ||
        (std::size_t(1) << bits) / width < ArcTensor::reserved_rows(vector_size) + ArcTensor::min_feature_rows)
      throw nb::value_error(
          "the rank must be at least 1, and 2^bits numbers must have room for the rows of the tensor");
  }
  void check_tensor(int tensor) const {
    if (tensor < 0 || tensor >= tensor_.tensors()) throw nb::value_error("there is no such tensor");
  }
  void check_vectors(const VectorTable &vectors, int nodes) const {
    if (int(vectors.shape(0)) != nodes || int(vectors.shape(1)) != vector_size_)
      throw nb::value_error("there must be a vector of the tensor's size a node");
  }
  void check_parts_of(const Parts &parts) const {
    if (tensor_.nodes() == 0) throw nb::value_error("open a sentence first");
    if (parts.nodes != tensor_.nodes()) throw nb::value_error("the parts do not fit the sentence");
  }

  int bits_, vector_size_;
  ArcTensor tensor_;
  std::optional<VectorTable> vectors_;
};

void bind_tensor(nb::module_ &m) {
  nb::class_<TensorScorer>(m, "TensorScorer", "Scores arcs by a low-rank tensor (core/learning/arc_tensor.hpp).")
      .def(nb::init<const Tables &, int, int, int, int>(), nb::arg("tables"), nb::arg("bits"), nb::arg("rank"),
           nb::arg("tensors"), nb::arg("vector_size") = 0)
      .def("open", &TensorScorer::open, nb::arg("atoms").noconvert(), nb::arg("each").noconvert(),
           nb::arg("vectors").noconvert().none() = nb::none(), "The sentence that the methods for one sentence score.")
      .def("add_scores", &TensorScorer::add_scores, nb::arg("parts"), nb::arg("weights").noconvert(), nb::arg("scale"),
           "Adds the scores of the arcs, the mean of all tensors, to those that the parts have.")
      .def("add_scores_of", &TensorScorer::add_scores_of, nb::arg("tensor"), nb::arg("parts"),
           nb::arg("weights").noconvert(), nb::arg("scale"), "The same of one tensor.")
      .def("batch_add_scores", &TensorScorer::batch_add_scores, nb::arg("batch"), nb::arg("parts"),
           nb::arg("vectors").noconvert().none(), nb::arg("weights").noconvert(), nb::arg("scale"),
           "The scores of all tensors, for each sentence of a batch.")
      .def("add_gradient", &TensorScorer::add_gradient, nb::arg("learner"), nb::arg("tensor"), nb::arg("gradient"),
           nb::arg("side") = 0,
           "Adds the gradient of the arcs' scores by one tensor to the gradient of its parameters: of all, or of those "
           "of heads (1), modifiers (2) or distances (3).")
      .def("begin", &TensorScorer::begin, "Where the hashed features of each node begin in `rows`; and their number.")
      .def("rows", &TensorScorer::rows, nb::arg("is_modifier"), "The rows of the hashed features of all nodes.")
      .def_static("distance", &ArcTensor::distance, nb::arg("h"), nb::arg("m"), "The row of a signed distance.");
}

}  // namespace treewright
