#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features.hpp"
#include "learning/scoring.hpp"

namespace treewright {

using ArcColumns = std::pair<IndexColumn, IndexColumn>;  // head, modifier

static void check_arcs(int nodes, const ArcColumns &arcs) {
  const auto &[head, modifier] = arcs;
  if (modifier.shape(0) != head.shape(0)) throw nb::value_error("head and modifier differ in length");
  for (std::size_t i = 0; i < head.shape(0); ++i)
    if (head(i) < 0 || head(i) >= nodes || modifier(i) < 1 || modifier(i) >= nodes || head(i) == modifier(i))
      throw nb::value_error(("arc " + std::to_string(i) + " is not between two nodes of the sentence").c_str());
}

static Parts zero_parts(int nodes, const ArcColumns &arcs, bool siblings, bool grandparents, bool outermost) {
  const std::size_t count = arcs.first.shape(0);
  Parts parts(nodes, int(count), arcs.first.data(), arcs.second.data(), std::vector<double>(count).data());
  if (siblings) parts.add_transitions();
  if (grandparents) parts.add_grand();
  parts.outermost = outermost;
  return parts;
}

class Scorer {
 public:
  Scorer(const Tables &tables, int bits)
      : bits_((check_bits(bits), bits)), features_(tables_of(tables, PartFeatures::kinds), bits) {}

  // arc[h, m] of each sentence. The last one stays open for `add_arcs`.
  std::vector<NewScores> arcs(std::shared_ptr<AtomBatch> batch, const Weights &weights, double scale) {
    std::vector<NewScores> arcs;
    for (int s = 0; s < batch->sentences(); ++s) arcs.push_back(new_array<NewScores>(batch->nodes(s), batch->nodes(s)));
    with_weights(weights, scale, bits_, [&](const auto &table) {
      second_order_ = false;
      for (int s = 0; s < batch->sentences(); ++s) {
        features_.open(batch->at(s), false);
        score_all_arcs(features_, table, arcs[s].data());
      }
    });
    batch_ = std::move(batch);
    for (const NewScores &arc : arcs) check_result(arc.data(), arc.size());
    return arcs;
  }

  // The parts of each sentence over its candidate arcs. The last one stays open for `add_parts`.
  std::vector<Parts> parts(std::shared_ptr<AtomBatch> batch, const std::vector<ArcColumns> &candidates, bool siblings,
                           bool grandparents, const Weights &weights, double scale, bool outermost) {
    if (int(candidates.size()) != batch->sentences())
      throw nb::value_error("there must be one pair of columns a sentence");
    std::vector<Parts> scored;
    scored.reserve(candidates.size());
    for (int s = 0; s < batch->sentences(); ++s) check_arcs(batch->nodes(s), candidates[s]);
    with_weights(weights, scale, bits_, [&](const auto &table) {
      second_order_ = siblings || grandparents;
      for (int s = 0; s < batch->sentences(); ++s) {
        features_.open(batch->at(s), second_order_);
        scored.push_back(zero_parts(batch->nodes(s), candidates[s], siblings, grandparents, outermost));
        score_parts(features_, table, scored.back());
      }
    });
    batch_ = std::move(batch);
    for (const Parts &parts : scored) check_parts(parts);
    return scored;
  }

  // gradient[h, m] over all arcs.
  void add_arcs(BoundLearner &learner, Scores gradient) const {
    check_open();
    check_learner(learner, bits_);
    if (nodes_of(gradient) != features_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_arc_gradient(features_, gradient.data(), learner.learner);
  }

  void add_parts(BoundLearner &learner, Parts &gradient) const {
    check_open();
    check_learner(learner, bits_);
    if ((gradient.has_transitions() || gradient.has_grand()) && !second_order_)
      throw nb::value_error("score second-order parts of the sentence first");
    if (gradient.nodes != features_.nodes()) throw nb::value_error("the gradient does not fit the sentence");
    nb::gil_scoped_release nogil;
    spread_gradient(features_, gradient, learner.learner);
  }

 private:
  void check_open() const {
    if (!batch_ || batch_->sentences() == 0) throw nb::value_error("score a sentence first");
  }

  int bits_;
  PartFeatures features_;
  std::shared_ptr<AtomBatch> batch_;  // its last sentence is open
  bool second_order_ = false;
};

void bind_scorer(nb::module_ &m) {
  nb::class_<AtomBatch>(m, "AtomBatch", "The atoms of several sentences (core/learning/atom_batch.hpp).")
      .def(nb::new_(&atom_batch_of), nb::arg("atoms").noconvert(), nb::arg("each").noconvert(),
           nb::arg("row").noconvert(), nb::arg("begin").noconvert());
  nb::class_<Scorer>(m, "Scorer", "Scores the parts of sentences (core/learning/scoring.hpp).")
      .def(nb::init<const Tables &, int>(), nb::arg("tables"), nb::arg("bits"))
      .def("arcs", &Scorer::arcs, nb::arg("batch"), nb::arg("weights").noconvert(), nb::arg("scale"),
           "Scores all arcs: arc[h, m] of each sentence.")
      .def("parts", &Scorer::parts, nb::arg("batch"), nb::arg("candidates"), nb::arg("siblings"),
           nb::arg("grandparents"), nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("outermost") = false,
           "Scores the parts of each sentence over its candidate arcs, a pair (head, modifier) of columns.")
      .def("add_arcs", &Scorer::add_arcs, nb::arg("learner"), nb::arg("gradient").noconvert(),
           "Adds gradient[h, m] of all arcs of the sentence scored last to the gradient of the weights.")
      .def("add_parts", &Scorer::add_parts, nb::arg("learner"), nb::arg("gradient"),
           "Adds the gradient of the parts of the sentence scored last to the gradient of the weights.");
}

}  // namespace treewright
