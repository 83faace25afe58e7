#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "charts/inside_outside.hpp"
#include "charts/part_sums.hpp"
#include "dual/belief_propagation.hpp"
#include "learning/confidence.hpp"
#include "trees/matrix_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Scratch is reused from sentence to sentence, one a thread.
template <typename Kernel>
static Kernel &scratch() {
  thread_local Kernel kernel;
  return kernel;
}

static double log_partition(Scores arc, bool projective, bool single_root) {
  const int nodes = checked_nodes(arc);
  nb::gil_scoped_release nogil;
  return projective ? scratch<InsideOutside>().log_partition(arc.data(), nodes, single_root)
                    : scratch<MatrixTree>().log_partition(arc.data(), nodes, single_root);
}

static std::pair<NewScores, double> marginals(Scores arc, bool projective, bool single_root) {
  const int nodes = checked_nodes(arc);
  NewScores sums = new_array<NewScores>(nodes, nodes);
  double log_partition;
  {
    nb::gil_scoped_release nogil;
    log_partition = projective ? scratch<InsideOutside>().marginals(arc.data(), nodes, single_root, sums.data())
                               : scratch<MatrixTree>().marginals(arc.data(), nodes, single_root, sums.data());
  }
  return {sums, log_partition};
}

// Of the sentences of a padded batch, of which sentence b has lengths[b] words: marginals [b, h, m], zero in the padding,
// and the log partition, -inf where there is no tree or where a score is wrong.
static std::pair<NewScores3, NewScoreColumn> padded_marginals(Scores3 arc, IndexColumn lengths, bool projective,
                                                              bool single_root) {
  const std::size_t sentences = arc.shape(0), size = arc.shape(1);
  if (arc.shape(2) != size) throw nb::value_error("arc must be square, root and words");
  if (lengths.shape(0) != sentences) throw nb::value_error("there must be one length a sentence");
  for (std::size_t b = 0; b < sentences; ++b)
    if (lengths(b) < 1 || std::size_t(lengths(b)) >= size) throw nb::value_error("lengths must fit arc");
  NewScores3 sums = new_array<NewScores3>(sentences, size, size);
  NewScoreColumn log_partitions = new_array<NewScoreColumn>(sentences);
  nb::gil_scoped_release nogil;
  std::vector<double> given, found;
  for (std::size_t b = 0; b < sentences; ++b) {
    const int nodes = lengths(b) + 1;
    const bool is_padded = std::size_t(nodes) < size;
    const double *scores = arc.data() + b * size * size;
    double *probabilities = sums.data() + b * size * size, &log_partition = log_partitions.data()[b] = forbidden;
    if (is_padded) {
      given.resize(std::size_t(nodes) * nodes), found.resize(given.size());
      for (int h = 0; h < nodes; ++h) std::copy_n(scores + h * size, nodes, given.data() + std::size_t(h) * nodes);
    }
    const double *from = is_padded ? given.data() : scores;
    double *to = is_padded ? found.data() : probabilities;
    const bool is_bad = bad_arc(from, nodes) >= 0;
    if (is_bad || is_padded) std::fill_n(probabilities, size * size, 0.0);
    if (is_bad) continue;
    log_partition = projective ? scratch<InsideOutside>().marginals(from, nodes, single_root, to)
                               : scratch<MatrixTree>().marginals(from, nodes, single_root, to);
    for (int h = 0; is_padded && h < nodes; ++h)
      std::copy_n(to + std::size_t(h) * nodes, nodes, probabilities + h * size);
  }
  return {sums, log_partitions};
}

static double entropy(Scores arc, bool projective, bool single_root) {
  const int nodes = checked_nodes(arc);
  nb::gil_scoped_release nogil;
  return projective ? scratch<InsideOutside>().entropy(arc.data(), nodes, single_root)
                    : scratch<MatrixTree>().entropy(arc.data(), nodes, single_root);
}

static double part_entropy(const Parts &parts, bool single_root) {
  nb::gil_scoped_release nogil;
  return scratch<PartSums>().entropy(parts, single_root);
}

// Parts hold numbers that a decoder accepts, so that the expectations can be decoded.
static void check_expectations(const Parts &expected) {
  for (const std::vector<double> *column : {&expected.arc, &expected.transitions, &expected.grands})
    if (bad_score(column->data(), std::ptrdiff_t(column->size())) >= 0)
      throw std::overflow_error("the scores are too large for expectations");
}

static std::pair<double, Parts> expectations(const Parts &parts, bool single_root) {
  nb::gil_scoped_release nogil;
  Parts expected = parts;
  const double log_partition = scratch<PartSums>().run(parts, single_root, expected);
  check_expectations(expected);
  return {log_partition, std::move(expected)};
}

static std::pair<double, Parts> beliefs(const Parts &parts, bool single_root, int rounds) {
  if (rounds < 1) throw nb::value_error("rounds must be at least 1");
  nb::gil_scoped_release nogil;
  Parts expected = parts;
  Beliefs &kernel = scratch<Beliefs>();
  kernel.run(parts, single_root, rounds, expected);
  check_expectations(expected);
  return {kernel.log_partition(), std::move(expected)};
}

// Of all sentences one after the other, one entry a word.
static NewScoreColumn arc_confidence(const std::vector<const Parts *> &parts, const std::vector<IndexColumn> &heads,
                                     double temperature, bool projective, bool single_root, int rounds) {
  if (heads.size() != parts.size()) throw nb::value_error("there must be one tree a sentence");
  if (!(temperature > 0)) throw nb::value_error("temperature must be positive");
  if (rounds < 1) throw nb::value_error("rounds must be at least 1");
  std::size_t words = 0;
  for (std::size_t s = 0; s < parts.size(); ++s) {
    if (int(heads[s].shape(0)) != parts[s]->nodes) throw nb::value_error("heads must have one entry a node");
    for (int m = 1; m < parts[s]->nodes; ++m)
      if (heads[s](m) < 0 || heads[s](m) >= parts[s]->nodes || parts[s]->find(heads[s](m), m) < 0)
        throw nb::value_error(("the head of word " + std::to_string(m) + " is no candidate").c_str());
    words += parts[s]->nodes - 1;
  }
  NewScoreColumn confidence = new_array<NewScoreColumn>(words);
  nb::gil_scoped_release nogil;
  double *place = confidence.data();
  for (std::size_t s = 0; s < parts.size(); ++s) {
    scratch<ArcConfidence>().run(*parts[s], heads[s].data(), {temperature, projective, single_root, rounds}, place);
    place += parts[s]->nodes - 1;
  }
  return confidence;
}

void bind_sums(nb::module_ &m) {
  m.def("log_partition", &log_partition, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"),
        "The log of the sum over all trees of the exponential of their value; -inf when there is none.");
  m.def("marginals", &marginals, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"),
        "The probability of each arc and the log partition.");
  m.def("padded_marginals", &padded_marginals, nb::arg("arc").noconvert(), nb::arg("lengths").noconvert(),
        nb::arg("projective"), nb::arg("single_root"),
        "The marginals [sentence, h, m] and the log partition of the sentences of a padded batch; -inf where there is "
        "no tree, or where a score is wrong.");
  m.def("entropy", &entropy, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"),
        "The entropy of the distribution over trees, for scores of any size; -inf when there is no tree. Slow.");
  m.def(
      "part_entropy", &part_entropy, nb::arg("parts"), nb::arg("single_root"),
      "The entropy of the distribution over projective trees, for scores of any size; -inf when there is none. Slow.");
  m.def(
      "is_wide", [](const Parts &parts) { return is_wide(parts); }, nb::arg("parts"),
      "Whether some score is so large that sums over trees are computed with more digits than a double has.");
  m.def("expectations", &expectations, nb::arg("parts"), nb::arg("single_root"),
        "The log partition over projective trees, and parts with each one's expectation as its score.");
  m.def("beliefs", &beliefs, nb::arg("parts"), nb::arg("single_root"), nb::arg("rounds"),
        "Loopy belief propagation over all trees: the Bethe log partition (-inf when there is no tree), and parts with "
        "each one's approximate expectation as its score. Exact where only arcs have scores.");
  m.def(
      "arc_confidence", &arc_confidence, nb::arg("parts"), nb::arg("heads"), nb::arg("temperature"),
      nb::arg("projective"), nb::arg("single_root"), nb::arg("rounds"),
      "The probability of the arc into each word of trees, of all sentences one after the other, where a tree has the "
      "weight exp(value / temperature).");
}

}  // namespace treewright
