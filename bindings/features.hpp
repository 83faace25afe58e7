// Array types and checks that the bindings of scorers, labellers and learners share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "learning/atom_batch.hpp"
#include "learning/features.hpp"
#include "learning/learning.hpp"
#include "learning/scoring.hpp"

namespace treewright {

using SmallWeights = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = std::variant<SmallWeights, FloatColumn>;
using OwnWeights = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewWeights = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using OwnMemory = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewKeys = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
// Kind, atom of the set, how many templates, items (role, template, atom, offset), numbers of the templates with the
// distance.
using Tables = std::vector<std::tuple<int, int, int, IndexRows, std::vector<int>>>;

inline std::vector<TemplateTable> tables_of(const Tables &given, int kinds) {
  std::vector<TemplateTable> tables;
  for (const auto &[kind, atom, templates, items, with_distance] : given) {
    if (kind < 0 || kind >= kinds || items.shape(1) != 4) throw nb::value_error("no such kind of templates");
    TemplateTable table{kind, atom, templates, {}, std::vector<char>(templates)};
    for (std::size_t i = 0; i < items.shape(0); ++i) {
      if (items(i, 1) < 0 || items(i, 1) >= templates || std::abs(items(i, 3)) > Atoms::reach)
        throw nb::value_error("templates may refer to neighbouring words only");
      table.items.push_back({items(i, 0), items(i, 1), items(i, 2), items(i, 3)});
    }
    for (const int templ : with_distance) {
      if (templ < 0 || templ >= templates) throw nb::value_error("no such template");
      table.with_distance[templ] = true;
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

// Rows row[begin[s] .. begin[s + 1]) of the tables are those of sentence s with its padding.
inline AtomBatch atom_batch_of(const HashRows &atoms, const HashRows &each, const IndexColumn &row,
                               const IndexColumn &begin) {
  if (begin.shape(0) < 1 || begin(0) != 0 || begin(begin.shape(0) - 1) != int(row.shape(0)))
    throw nb::value_error("begin does not fit row");
  for (std::size_t s = 0; s + 1 < begin.shape(0); ++s)
    if (begin(s + 1) - begin(s) < 2 * Atoms::reach + 2) throw nb::value_error("a sentence has at least one word");
  for (std::size_t i = 0; i < row.shape(0); ++i)
    if (row(i) < 0 || row(i) >= int(std::min(atoms.shape(0), each.shape(0)))) throw nb::value_error("no such row");
  return AtomBatch({atoms.data(), int(atoms.shape(1))}, {each.data(), int(each.shape(1))}, row.data(),
                   {begin.data(), begin.data() + begin.shape(0)});
}

// The scores that weights give, before a kernel compares them.
inline void check_result(const double *scores, std::size_t count) {
  if (bad_score(scores, std::ptrdiff_t(count)) >= 0)
    throw nb::value_error("the weights, times their scale, give scores that are not finite");
}

// Parts hold scores only, so that no decoder has to check them again.
inline void check_parts(const Parts &parts) {
  check_result(parts.arc.data(), parts.arc.size());
  check_result(parts.transitions.data(), parts.transitions.size());
  check_result(parts.grands.data(), parts.grands.size());
}

inline void check_bits(int bits) {
  if (bits < 8 || bits > 28) throw nb::value_error("bits must be 8 to 28");
}

inline std::size_t table_size(int bits) { return std::size_t(1) << bits; }

inline void check_weights(const Weights &weights, int bits) {
  if (std::visit([](const auto &array) { return array.shape(0); }, weights) != table_size(bits))
    throw nb::value_error("there must be 2^bits weights");
}

// Calls use(table) with the weights as the kernels read them.
template <typename Use>
void visit_weights(const Weights &weights, double scale, Use use) {
  std::visit(
      [&](const auto &array) {
        using Weight = std::remove_cv_t<std::remove_pointer_t<decltype(array.data())>>;
        use(WeightTable<Weight>{array.data(), scale});
      },
      weights);
}

// The same, checked and with the lock released.
template <typename Use>
void with_weights(const Weights &weights, double scale, int bits, Use use) {
  check_weights(weights, bits);
  check_finite("scale", scale);
  nb::gil_scoped_release nogil;
  visit_weights(weights, scale, use);
}

struct BoundLearner {
  BoundLearner(OwnWeights weights, OwnWeights gradient, OwnMemory memory, float adagrad_epsilon)
      : weights(weights),
        gradient(gradient),
        memory(memory),
        learner(weights.data(), gradient.data(), reinterpret_cast<Memory *>(memory.data()), adagrad_epsilon) {
    if (gradient.shape(0) != weights.shape(0) || memory.shape(0) != weights.shape(0) || memory.shape(1) != 2)
      throw nb::value_error("there must be a gradient and a row of two in memory for each weight");
  }
  void step(double number, float rate) {
    nb::gil_scoped_release nogil;
    learner.step(number, rate);
  }
  void move(double number, float size) {
    nb::gil_scoped_release nogil;
    learner.move(number, size);
  }
  double squared_length() { return learner.squared_length(); }
  NewWeights average(double steps) const {
    NewWeights means = new_array<NewWeights>(weights.shape(0));
    nb::gil_scoped_release nogil;
    learner.average(weights.shape(0), steps, means.data());
    return means;
  }
  OwnWeights weights, gradient;
  OwnMemory memory;
  Learner learner;
};

inline void check_learner(const BoundLearner &learner, int bits) {
  if (learner.weights.shape(0) != table_size(bits)) throw nb::value_error("there must be 2^bits weights");
}

}  // namespace treewright
