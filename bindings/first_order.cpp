#include <utility>
#include <vector>

#include "arrays.hpp"
#include "best_trees.hpp"
#include "charts/eisner.hpp"
#include "decode/batch.hpp"
#include "trees/chu_liu_edmonds.hpp"

namespace treewright {

// Scratch is reused from sentence to sentence, one a thread.
template <typename Decoder>
static Decoder &scratch() {
  thread_local Decoder decoder;
  return decoder;
}

using Arrays = nb::typed<nb::list, nb::any>;

// The score matrices of a list, by Python's buffer protocol: an nb::ndarray takes as long as the tree of ten words.
class Matrices {
 public:
  Matrices(const Arrays &arcs, nb::handle type) : views_(arcs.size()), nodes(arcs.size(), 0) {
    for (std::size_t item = 0; item < views_.size(); ++item)
      if (nb::handle(arcs[item]).type().is(type)) nodes[item] = open(arcs[item].ptr(), views_[item]);
  }
  Matrices(const Matrices &) = delete;
  ~Matrices() {
    for (Py_buffer &view : views_) PyBuffer_Release(&view);
  }

  // The scores of a matrix, row by row: where they are, or copied if the rows are those of a larger array.
  const double *arc(std::size_t item) const {
    const Py_buffer &view = views_[item];
    const auto *scores = static_cast<const double *>(view.buf);
    if (nodes[item] == 0 || view.strides[0] == view.shape[1] * view.itemsize) return scores;
    thread_local std::vector<double> copy;  // made when its tree is decoded, so that it is in the cache
    const std::ptrdiff_t count = view.shape[0], stride = view.strides[0] / view.itemsize;
    copy.resize(std::size_t(count) * count);
    for (std::ptrdiff_t row = 0; row < count; ++row) std::copy_n(scores + row * stride, count, &copy[row * count]);
    return copy.data();
  }

 private:
  // The nodes of a matrix; 0 if it is not square, aligned and of float64, with contiguous rows.
  static int open(PyObject *array, Py_buffer &view) {
    if (PyObject_GetBuffer(array, &view, PyBUF_FORMAT | PyBUF_STRIDES)) return PyErr_Clear(), 0;
    const bool is_matrix = view.ndim == 2 && view.shape[0] == view.shape[1] && view.shape[0] > 1;
    const bool is_float64 = view.format[0] == 'd' && view.format[1] == 0;
    if (!is_matrix || !is_float64) return 0;
    const bool has_rows = view.strides[1] == view.itemsize && view.strides[0] % view.itemsize == 0;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(view.buf) % alignof(double) == 0;
    return has_rows && is_aligned ? int(view.shape[0]) : 0;
  }

  std::vector<Py_buffer> views_;

 public:
  std::vector<int> nodes;  // of each matrix; 0: the item is none
};

// Items that are of another type than `array`, that are no matrices of float64 scores, or that have no tree, have the
// value -inf.
template <typename Decoder>
static BestTrees::Columns best_trees_by(const Arrays &arcs, nb::handle array, bool single_root, int threads) {
  const Matrices matrices(arcs, array);
  const std::vector<int> &nodes = matrices.nodes;
  BestTrees trees(nodes);
  {
    nb::gil_scoped_release nogil;
    for_each_item(int(nodes.size()), threads, [&](int item) {
      const double *arc = matrices.arc(item);
      const bool is_valid = nodes[item] && bad_arc(arc, nodes[item]) < 0;
      trees.set(item, is_valid ? bounded_tree(scratch<Decoder>(), arc, nodes[item], single_root, trees.heads_of(item))
                               : Bounds());
    });
  }
  return std::move(trees).columns();
}

static BestTrees::Columns best_trees(const Arrays &arcs, nb::handle array, bool projective, bool single_root,
                                     int threads) {
  return projective ? best_trees_by<Eisner>(arcs, array, single_root, threads)
                    : best_trees_by<ChuLiuEdmonds>(arcs, array, single_root, threads);
}

static std::pair<Heads, double> best_tree(Scores arc, bool projective, bool single_root) {
  const int nodes = checked_nodes(arc);
  Heads heads = new_array<Heads>(nodes);
  nb::gil_scoped_release nogil;
  const Bounds tree = projective ? bounded_tree(scratch<Eisner>(), arc.data(), nodes, single_root, heads.data())
                                 : bounded_tree(scratch<ChuLiuEdmonds>(), arc.data(), nodes, single_root, heads.data());
  return {heads, tree.value};
}

using DualColumns = std::tuple<double, std::vector<double>, std::vector<int>, std::vector<int>>;

static DualColumns tree_dual(const Parts &parts, bool single_root) {
  nb::gil_scoped_release nogil;
  std::vector<int> heads(parts.nodes);
  ChuLiuEdmonds &decoder = scratch<ChuLiuEdmonds>();
  decoder.decode(parts, parts.arc.data(), single_root, heads.data());
  const TreeDual dual = decoder.dual();
  return {dual.penalty, dual.slack, dual.set_begin, dual.words};
}

static std::pair<double, NewScores> reduced_costs(Scores arc, bool single_root) {
  const int nodes = checked_nodes(arc);
  NewScores costs = new_array<NewScores>(nodes, nodes);
  nb::gil_scoped_release nogil;
  std::vector<int> heads(nodes);
  ChuLiuEdmonds &decoder = scratch<ChuLiuEdmonds>();
  const double value = decoder.decode(arc.data(), nodes, single_root, heads.data());
  if (value > forbidden) decoder.reduced_costs(costs.data());
  return {value, costs};
}

void bind_first_order(nb::module_ &m) {
  m.def(
      "best_trees", &best_trees, nb::arg("arcs"), nb::arg("array"), nb::arg("projective"), nb::arg("single_root"),
      nb::arg("threads"),
      "The best tree of each matrix of a list: the heads of all trees one after the other, as int32, and of each tree "
      "where its heads end, value, bound, gap and spread. The value is -inf for an item that is not of the type "
      "`array` "
      "or no matrix of float64 scores, and where there is no tree.");
  m.def("best_tree", &best_tree, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"),
        "The best projective tree (Eisner 1996) or spanning tree: heads and value; -inf when there is none.");
  m.def("tree_dual", &tree_dual, nb::arg("parts"), nb::arg("single_root"),
        "The dual solution that proves the best spanning tree: penalty of the root arcs; slack of each set, where its "
        "words begin, words.");
  m.def("reduced_costs", &reduced_costs, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The value of the best tree, and for each arc a bound on what every tree with it falls short of it.");
}

}  // namespace treewright
