#include <optional>
#include <vector>

#include "features.hpp"
#include "learning/arc_tensor.hpp"

namespace treewright {

class TensorScorer {
 public:
  TensorScorer(const Tables &tables, int bits, int rank, int tensors)
      : bits_((check_sizes(bits, rank, tensors), bits)), tensor_(tables_of_words(tables), bits, rank, tensors) {}

  // The mean of all tensors, or the scores of one of them. The last sentence stays open for `add_gradient`.
  void add_scores(const AtomBatch &batch, const std::vector<Parts *> &parts, const Weights &weights, double scale,
                  std::optional<int> tensor) {
    if (int(parts.size()) != batch.sentences()) throw nb::value_error("there must be parts a sentence");
    if (tensor) check_tensor(*tensor);
    for (int s = 0; s < batch.sentences(); ++s)
      if (parts[s]->nodes != batch.nodes(s)) throw nb::value_error("the parts do not fit the sentence");
    with_weights(weights, scale, bits_, [&](const auto &table) {
      for (int s = 0; s < batch.sentences(); ++s) {
        tensor_.open(batch.at(s));
        if (tensor)
          tensor_.add_scores_of(*tensor, table, *parts[s]);
        else
          tensor_.add_scores(table, *parts[s]);
      }
    });
    for (const Parts *scored : parts) check_result(scored->arc.data(), scored->arc.size());
  }

  void add_gradient(BoundLearner &learner, int tensor, const Parts &gradient) {
    check_learner(learner, bits_);
    check_tensor(tensor);
    if (tensor_.nodes() == 0) throw nb::value_error("score a sentence first");
    if (gradient.nodes != tensor_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    tensor_.spread(tensor, gradient, learner.learner);
  }

 private:
  static std::vector<TemplateTable> tables_of_words(const Tables &given) {
    std::vector<TemplateTable> tables = tables_of(given, ArcTensor::kinds);
    for (const TemplateTable &table : tables)
      for (const TemplateTable::Item &item : table.items)
        if (item.role != 0) throw nb::value_error("templates of the tensor are about one word");
    return tables;
  }
  static void check_sizes(int bits, int rank, int tensors) {
    check_bits(bits);
    constexpr int limit = 1 << 14;
    const bool in_range = rank >= 1 && rank <= limit && tensors >= 1 && tensors <= limit;
    const std::size_t width = in_range ? std::size_t(rank) * tensors : 1;
    if (!in_range || table_size(bits) / width < ArcTensor::distances + ArcTensor::min_feature_rows)
      throw nb::value_error(
          "the rank must be at least 1, and 2^bits numbers must have room for the rows of the tensor");
  }
  void check_tensor(int tensor) const {
    if (tensor < 0 || tensor >= tensor_.tensors()) throw nb::value_error("there is no such tensor");
  }

  int bits_;
  ArcTensor tensor_;
};

void bind_tensor(nb::module_ &m) {
  nb::class_<TensorScorer>(m, "TensorScorer", "Scores arcs by a low-rank tensor (core/learning/arc_tensor.hpp).")
      .def(nb::init<const Tables &, int, int, int>(), nb::arg("tables"), nb::arg("bits"), nb::arg("rank"),
           nb::arg("tensors"))
      .def("add_scores", &TensorScorer::add_scores, nb::arg("batch"), nb::arg("parts"), nb::arg("weights").noconvert(),
           nb::arg("scale"), nb::arg("tensor") = nb::none(),
           "Adds the scores of the arcs, the mean of all tensors or those of one, to those that the parts have.")
      .def("add_gradient", &TensorScorer::add_gradient, nb::arg("learner"), nb::arg("tensor"), nb::arg("gradient"),
           "Adds the gradient of the arcs' scores by one tensor, in the sentence scored last, to that of its "
           "parameters.");
}

}  // namespace treewright
