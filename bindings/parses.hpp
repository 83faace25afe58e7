// Trees as objects of the Python class Parse, built here: its constructor takes longer than to decode ten words.
#pragma once

#include <nanobind/stl/pair.h>

#include <utility>

#include "base/scores.hpp"
#include "numpy.hpp"
#include "trees/first_order_bound.hpp"

namespace treewright {

using Objects = nb::typed<nb::list, nb::any>;

// An object of a Python class without a call of its constructor. Allocated by `object`, so that its attributes are
// stored in the object itself and not in a dictionary.
inline nb::object new_object(nb::handle type) {
  static const auto create = reinterpret_cast<newfunc>(PyType_GetSlot(&PyBaseObject_Type, Py_tp_new));
  static PyObject *const no_arguments = PyTuple_New(0);
  nb::object made = nb::steal(create(reinterpret_cast<PyTypeObject *>(type.ptr()), no_arguments, nullptr));
  if (!made.is_valid()) nb::raise_python_error();
  return made;
}

// A Parse that an exact algorithm found, which `method` names. Fields that have the defaults of the class, or that the
// class computes on first use, are left out: to create a number and to set it takes as long as decoding a word.
inline nb::object new_parse(nb::handle type, nb::handle heads, int nodes, const Bounds &found, nb::handle method) {
  static PyObject *const names[] = {PyUnicode_InternFromString("heads"),  PyUnicode_InternFromString("score"),
                                    PyUnicode_InternFromString("method"), PyUnicode_InternFromString("bound"),
                                    PyUnicode_InternFromString("spread"), PyUnicode_InternFromString("gap")};
  nb::object parse = new_object(type);
  const auto set = [&](int name, nb::handle value) {
    if (PyObject_GenericSetAttr(parse.ptr(), names[name], value.ptr()) < 0) nb::raise_python_error();
  };
  const nb::float_ score(found.value);
  set(0, heads), set(1, score), set(2, method);
  if (found.bound == found.value) set(3, score);
  if (found.spread != 0) set(4, nb::float_(found.spread));
  if (found.gap != first_order_gap(nodes, found.spread)) set(5, nb::float_(found.gap));
  PyObject_GC_UnTrack(parse.ptr());  // an array, numbers and a string: no cycle of references for Python to look for
  return parse;
}

// The trees of a batch: for each sentence a Parse or None, and the places that have None.
using BatchResult = std::pair<Objects, nb::typed<nb::list, int>>;

class Batch {
 public:
  Batch(nb::handle type, nb::handle method) : type_(type), method_(method) {}

  // The tree heads[begin : begin + nodes]; a value of -inf or NaN says that there is none.
  void add(const Bounds &found, nb::handle heads, Py_ssize_t begin, int nodes) {
    if (found.value > forbidden) {
      result_.first.append(new_parse(type_, NumPy::get().slice(heads, begin, nodes), nodes, found, method_));
    } else {
      result_.second.append(result_.first.size());
      result_.first.append(nb::none());
    }
  }

  BatchResult result() const { return result_; }

 private:
  nb::handle type_, method_;
  BatchResult result_;
};

}  // namespace treewright
