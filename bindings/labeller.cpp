#include "learning/labeller.hpp"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "features.hpp"

namespace treewright {

class BoundLabeller {
 public:
  BoundLabeller(const Tables &tables, int bits, int labels, int width, int tag)
      : bits_((check_bits(bits), bits)), tag_(tag), labeller_(tables_of(tables, 3), bits, labels, width) {
    if (width < 4 || (width & (width - 1)) || width < labels || width > 1 << bits)
      throw nb::value_error("width must be a power of two, at least four and the number of labels");
  }

  // The key of each node's candidate labels, 0 for each root; see set_candidates.
  NewKeys keys(const AtomBatch &batch, const std::vector<IndexColumn> &heads) {
    NewKeys keys = new_array<NewKeys>(checked_nodes(batch, heads));
    for_sentences(batch, heads, [&](const Atoms &atoms, const int *tree, std::size_t place) {
      labeller_.open(atoms, tree);
      keys.data()[place] = 0;
      for (int m = 1; m < atoms.nodes; ++m) keys.data()[place + m] = labeller_.key(atoms, tag_, m);
    });
    return keys;
  }

  // Labels label[begin[k]..begin[k + 1]) go with the k-th of the sorted keys.
  void set_candidates(Keys key, IndexColumn begin, IndexColumn label) {
    if (begin.shape(0) != key.shape(0) + 1 || begin(0) != 0 || begin(key.shape(0)) != int(label.shape(0)))
      throw nb::value_error("begin does not fit key and label");
    for (std::size_t k = 0; k < key.shape(0); ++k)
      if (begin(k) >= begin(k + 1) || (k && key(k) <= key(k - 1))) throw nb::value_error("keys must be sorted");
    for (std::size_t k = 0; k < label.shape(0); ++k)
      if (label(k) < 0 || label(k) >= labeller_.labels()) throw nb::value_error("there is no such label");
    sets_.key.assign(key.data(), key.data() + key.shape(0));
    sets_.begin.assign(begin.data(), begin.data() + begin.shape(0));
    sets_.label.assign(label.data(), label.data() + label.shape(0));
  }

  // Labels a[k] and b[k] exclude each other.
  void set_exclusions(IndexColumn a, IndexColumn b) {
    if (a.shape(0) != b.shape(0)) throw nb::value_error("a and b must have the same length");
    std::vector<std::pair<int, int>> pairs;
    std::set<int> labels;
    for (std::size_t k = 0; k < a.shape(0); ++k) {
      for (const int label : {a(k), b(k)})
        if (label < 0 || label >= labeller_.labels()) throw nb::value_error("there is no such label");
      pairs.emplace_back(a(k), b(k)), labels.insert(a(k)), labels.insert(b(k));
    }
    if (labels.size() > LabelExclusions::max_labels) throw nb::value_error("more than 64 labels have exclusions");
    labeller_.set_exclusions(pairs);
  }

  // The best labels of all sentences one after the other, -1 for each root, and their probabilities. added: scores of
  // another model, in the unit of the weights; given: the labels that are decided, -1 for the others.
  std::pair<NewIndexColumn, NewScoreColumn> best(const AtomBatch &batch, const std::vector<IndexColumn> &heads,
                                                 const Weights &weights, float scale,
                                                 const std::optional<FloatRows> &added,
                                                 const std::optional<IndexColumn> &given) {
    const std::size_t nodes = checked_nodes(batch, heads);
    if (added && (added->shape(0) != nodes || int(added->shape(1)) != labeller_.labels()))
      throw nb::value_error("added must have a row for each node and a column for each label");
    if (given) check_labels(*given, nodes);
    NewIndexColumn labels = new_array<NewIndexColumn>(nodes);
    NewScoreColumn probability = new_array<NewScoreColumn>(nodes);
    with_weights(weights, 1, bits_, [&](const auto &table) {
      for_sentences(batch, heads, [&](const Atoms &atoms, const int *tree, std::size_t place) {
        labeller_.open(atoms, tree, added ? added->data() + place * labeller_.labels() : nullptr);
        labeller_.best(table.data, atoms, tag_, sets_, scale, labels.data() + place, probability.data() + place,
                       given ? given->data() + place : nullptr);
      });
    });
    return {labels, probability};
  }

  // The probability of each label of word m of the one sentence of a batch.
  NewScoreColumn probabilities(const AtomBatch &batch, const IndexColumn &heads, int m, const Weights &weights,
                               float scale, const std::optional<FloatRows> &added) {
    const int nodes = int(checked_nodes(batch, {heads}));
    if (m < 1 || m >= nodes) throw nb::value_error("there is no such word");
    if (added && (int(added->shape(0)) != nodes || int(added->shape(1)) != labeller_.labels()))
      throw nb::value_error("added must have a row for each node and a column for each label");
    NewScoreColumn probability = new_array<NewScoreColumn>(std::size_t(labeller_.labels()));
    with_weights(weights, 1, bits_, [&](const auto &table) {
      labeller_.open(batch.at(0), heads.data(), added ? added->data() : nullptr);
      labeller_.probabilities(table.data, batch.at(0), tag_, sets_, scale, m, probability.data());
    });
    return probability;
  }

  // gold: the labels of all sentences one after the other, -1 where they are open. Returns the sum of the losses.
  double learn(BoundLearner &learner, const AtomBatch &batch, const std::vector<IndexColumn> &heads, IndexColumn gold,
               float margin) {
    check_learner(learner, bits_);
    check_labels(gold, checked_nodes(batch, heads));
    nb::gil_scoped_release nogil;
    double loss = 0;
    for_sentences(batch, heads, [&](const Atoms &atoms, const int *tree, std::size_t place) {
      labeller_.open(atoms, tree);
      loss += labeller_.learn(learner.learner, atoms, tag_, sets_, gold.data() + place, margin);
    });
    return loss;
  }

 private:
  // use(atoms, heads, place) for each sentence; its nodes have the places from `place` on among those of all.
  template <typename Use>
  void for_sentences(const AtomBatch &batch, const std::vector<IndexColumn> &heads, Use use) {
    std::size_t place = 0;
    for (int s = 0; s < batch.sentences(); place += batch.nodes(s), ++s) use(batch.at(s), heads[s].data(), place);
  }

  // The number of nodes of all sentences.
  std::size_t checked_nodes(const AtomBatch &batch, const std::vector<IndexColumn> &heads) const {
    if (int(heads.size()) != batch.sentences()) throw nb::value_error("there must be one tree a sentence");
    std::size_t nodes = 0;
    for (int s = 0; s < batch.sentences(); ++s) {
      check_heads(heads[s], batch.nodes(s));
      if (tag_ < 0 || tag_ >= batch.at(s).width) throw nb::value_error("there is no such atom");
      nodes += batch.nodes(s);
    }
    return nodes;
  }
  void check_labels(const IndexColumn &labels, std::size_t nodes) const {
    if (labels.shape(0) != nodes) throw nb::value_error("there must be one label a node");
    for (std::size_t m = 0; m < nodes; ++m)
      if (labels(m) >= labeller_.labels()) throw nb::value_error("there is no such label");
  }

  int bits_, tag_;
  Labeller labeller_;
  LabelSets sets_;
};

void bind_labeller(nb::module_ &m) {
  nb::class_<BoundLabeller>(m, "Labeller", "Scores the labels of the arcs of trees (core/learning/labeller.hpp).")
      .def(nb::init<const Tables &, int, int, int, int>(), nb::arg("tables"), nb::arg("bits"), nb::arg("labels"),
           nb::arg("width"), nb::arg("tag"))
      .def(
          "keys", &BoundLabeller::keys, nb::arg("batch"), nb::arg("heads"),
          "The key of each node's candidate labels, of all sentences one after the other: both tags and the direction.")
      .def("set_candidates", &BoundLabeller::set_candidates, nb::arg("key").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("label").noconvert(),
           "Labels begin[k] .. begin[k + 1] are the candidates of key k; for other keys every label is one.")
      .def(
          "set_exclusions", &BoundLabeller::set_exclusions, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
          "Labels a[k] and b[k] occur together below no word, if the candidates permit it; a label may exclude itself.")
      .def("best", &BoundLabeller::best, nb::arg("batch"), nb::arg("heads"), nb::arg("weights").noconvert(),
           nb::arg("scale"), nb::arg("added").noconvert() = nb::none(), nb::arg("given").noconvert() = nb::none(),
           "The best label of each node of all sentences, -1 for a root, and its probability, where scores are "
           "multiplied by scale. added: scores of another model for each node and label, in the unit of the weights; "
           "given: the labels that are decided, -1 for the others.")
      .def("probabilities", &BoundLabeller::probabilities, nb::arg("batch"), nb::arg("heads").noconvert(), nb::arg("m"),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("added").noconvert() = nb::none(),
           "The probability of each label of word m of one sentence; arguments as in `best`.")
      .def("learn", &BoundLabeller::learn, nb::arg("learner"), nb::arg("batch"), nb::arg("heads"),
           nb::arg("gold").noconvert(), nb::arg("margin"),
           "Adds the gradient of the gold labels' log probability; returns the loss.");
}

}  // namespace treewright
