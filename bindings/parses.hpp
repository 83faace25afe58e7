// Trees as objects of the Python class Parse, built here: its constructor takes longer than to decode ten words.
#pragma once

#include <cstdint>

#include "arrays.hpp"

namespace treewright {

using Objects = nb::typed<nb::list, nb::any>;

// The memory of a NumPy array for as long as the object exists; empty if the array has another layout.
class ArrayView {
 public:
  ArrayView() { view_.obj = nullptr, view_.buf = nullptr; }
  // Sets no Python error.
  ArrayView(nb::handle array, int flags) {
    if (PyObject_GetBuffer(array.ptr(), &view_, flags | PyBUF_ND | PyBUF_FORMAT) < 0) {
      PyErr_Clear();
      view_.obj = nullptr, view_.buf = nullptr;
    }
  }
  ArrayView(ArrayView &&other) noexcept : view_(other.view_) { other.view_.obj = nullptr; }
  ArrayView(const ArrayView &) = delete;
  ArrayView &operator=(const ArrayView &) = delete;
  ~ArrayView() {
    if (view_.obj) PyBuffer_Release(&view_);
  }

  // Whether it is a square matrix of doubles over the root and at least one word.
  bool is_arc_matrix() const {
    return view_.obj && view_.ndim == 2 && view_.shape[0] == view_.shape[1] && view_.shape[0] >= 2 &&
           view_.format[0] == 'd' && view_.format[1] == 0 && reinterpret_cast<std::uintptr_t>(view_.buf) % 8 == 0;
  }

  int rows() const { return int(view_.shape[0]); }
  template <typename Scalar>
  Scalar *data() const {
    return static_cast<Scalar *>(view_.buf);
  }

 private:
  Py_buffer view_;
};

// What every call needs of NumPy, looked up once and kept until the process ends.
struct NumPy {
  nb::object array, empty, int32;

  static const NumPy &get() {
    static const NumPy *numpy = new NumPy{from("ndarray"), from("empty"), from("dtype")("int32")};
    return *numpy;
  }

 private:
  static nb::object from(const char *name) { return nb::module_::import_("numpy").attr(name); }
};

// The memory of an arc matrix; empty for anything but a NumPy array (a subclass may give its memory another meaning).
inline ArrayView arc_view(nb::handle arc) {
  return arc.type().is(NumPy::get().array) ? ArrayView(arc, 0) : ArrayView();
}

inline nb::object new_heads(Py_ssize_t nodes) { return NumPy::get().empty(nodes, NumPy::get().int32); }

inline nb::object slice(nb::handle array, Py_ssize_t begin, Py_ssize_t end) {
  nb::object found = nb::steal(PySequence_GetSlice(array.ptr(), begin, end));
  if (!found.is_valid()) nb::raise_python_error();
  return found;
}

// A Parse whose certificate is the exactness of the algorithm that `method` names; the other fields have the defaults
// of the class.
inline nb::object new_parse(nb::handle type, nb::handle heads, double value, nb::handle method) {
  static PyObject *const names[] = {PyUnicode_InternFromString("heads"), PyUnicode_InternFromString("score"),
                                    PyUnicode_InternFromString("bound"), PyUnicode_InternFromString("method")};
  nb::object parse = nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(type.ptr()), 0));
  const nb::float_ score(value);
  PyObject *const fields[] = {heads.ptr(), score.ptr(), score.ptr(), method.ptr()};
  for (int k = 0; k < 4; ++k)
    if (!parse.is_valid() || PyObject_GenericSetAttr(parse.ptr(), names[k], fields[k]) < 0) nb::raise_python_error();
  return parse;
}

}  // namespace treewright
