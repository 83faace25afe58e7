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

// A Parse that an exact algorithm found, which `method` names; the other fields have the defaults of the class.
inline nb::object new_parse(nb::handle type, nb::handle heads, const Bounds &found, nb::handle method) {
  static PyObject *const names[] = {PyUnicode_InternFromString("heads"),  PyUnicode_InternFromString("score"),
                                    PyUnicode_InternFromString("bound"),  PyUnicode_InternFromString("gap"),
                                    PyUnicode_InternFromString("spread"), PyUnicode_InternFromString("method")};
  nb::object parse = new_object(type);
  const nb::float_ score(found.value), bound(found.bound), gap(found.gap), spread(found.spread);
  PyObject *const fields[] = {heads.ptr(), score.ptr(), bound.ptr(), gap.ptr(), spread.ptr(), method.ptr()};
  for (int k = 0; k < 6; ++k)
    if (PyObject_GenericSetAttr(parse.ptr(), names[k], fields[k]) < 0) nb::raise_python_error();
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
      result_.first.append(new_parse(type_, NumPy::get().slice(heads, begin, nodes), found, method_));
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
