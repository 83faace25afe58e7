// NumPy arrays read and made through NumPy's own binary interface: the buffer protocol and numpy.empty take longer
// than it takes to decode five words. No header of NumPy is needed: the fields below and the number of the function in
// the table of its C interface are the same in NumPy 1 and 2, and compared with the buffer protocol on first use.
#pragma once

#include <cstdint>

#include "arrays.hpp"

namespace treewright {

// The beginning of PyArrayObject and of PyArray_Descr.
struct ArrayFields {
  PyObject_HEAD char *data;
  int dimensions;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
};

struct DtypeFields {
  PyObject_HEAD PyObject *scalar;
  char kind, letter, byte_order, unused;
  int number;
};

class NumPy {
 public:
  // Looked up once and kept until the process ends.
  static const NumPy &get() {
    static const NumPy *numpy = new NumPy;
    return *numpy;
  }

  // Of exactly the type ndarray: a subclass may give its memory another meaning.
  bool is_array(nb::handle object) const { return object.type().is(type_); }

  // A new int32 array; its memory is that of `heads_data`.
  nb::object new_heads(Py_ssize_t nodes) const {
    if (!is_known_) return empty_(nodes, int32_);
    Py_INCREF(int32_.ptr());  // the call takes this reference
    nb::object array = nb::steal(new_from_dtype_(type_.ptr(), int32_.ptr(), 1, &nodes, nullptr, nullptr, 0, nullptr));
    if (!array.is_valid()) nb::raise_python_error();
    return array;
  }

  // A new float64 array of that shape; its memory is that of `scores_data`.
  nb::object new_scores(Py_ssize_t rows, Py_ssize_t columns) const {
    if (!is_known_) return empty_(nb::make_tuple(rows, columns), float64_);
    const Py_ssize_t shape[] = {rows, columns};
    Py_INCREF(float64_.ptr());  // the call takes this reference
    nb::object array = nb::steal(new_from_dtype_(type_.ptr(), float64_.ptr(), 2, shape, nullptr, nullptr, 0, nullptr));
    if (!array.is_valid()) nb::raise_python_error();
    return array;
  }

  // array[begin : begin + nodes] of an array made by new_heads.
  nb::object slice(nb::handle array, Py_ssize_t begin, Py_ssize_t nodes) const {
    if (!is_known_) return array[nb::slice(nb::int_(begin), nb::int_(begin + nodes), nb::none())];
    constexpr int writable = 0x400;
    Py_INCREF(int32_.ptr()), Py_INCREF(array.ptr());  // the calls take these references
    nb::object part = nb::steal(
        new_from_dtype_(type_.ptr(), int32_.ptr(), 1, &nodes, nullptr, heads_data(array) + begin, writable, nullptr));
    if (!part.is_valid() || set_base_(part.ptr(), array.ptr()) < 0) nb::raise_python_error();
    return part;
  }

  int *heads_data(nb::handle array) const {
    if (is_known_) return reinterpret_cast<int *>(fields(array)->data);
    return static_cast<int *>(Buffer(array).view.buf);
  }

  // The nodes of a square matrix of float64 in C order over the root and at least one word; 0 for anything else.
  int arc_nodes(nb::handle object) const {
    constexpr int c_order = 0x1, aligned = 0x100, float64 = 12;
    if (!is_known_ || !is_array(object)) return 0;
    const ArrayFields *array = fields(object);
    const auto *dtype = reinterpret_cast<const DtypeFields *>(array->dtype);
    const bool is_float64 = dtype->number == float64 && dtype->byte_order == '=';
    if (!is_float64 || array->dimensions != 2 || array->shape[0] != array->shape[1]) return 0;
    if (~array->flags & (c_order | aligned) || array->shape[0] < 2 || array->shape[0] > INT32_MAX) return 0;
    return int(array->shape[0]);
  }

  const double *arc_data(nb::handle array) const { return reinterpret_cast<const double *>(fields(array)->data); }
  double *scores_data(nb::handle array) const {
    if (is_known_) return reinterpret_cast<double *>(fields(array)->data);
    return static_cast<double *>(Buffer(array).view.buf);
  }

 private:
  using NewFromDtype = PyObject *(*)(PyObject * type, PyObject *dtype, int dimensions, Py_ssize_t const *shape,
                                     Py_ssize_t const *strides, void *data, int flags, PyObject *object);
  using SetBase = int (*)(PyObject *array, PyObject *base);
  static constexpr int new_from_dtype_number = 94, set_base_number = 282;  // PyArray_NewFromDescr, _SetBaseObject

  struct Buffer {
    Py_buffer view;
    explicit Buffer(nb::handle array) {
      if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_ND | PyBUF_WRITABLE) < 0) nb::raise_python_error();
    }
    ~Buffer() { PyBuffer_Release(&view); }
  };

  NumPy() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    type_ = numpy.attr("ndarray"), empty_ = numpy.attr("empty");
    int32_ = numpy.attr("dtype")("int32"), float64_ = numpy.attr("dtype")("float64");
    const bool is_old = nb::cast<nb::str>(numpy.attr("__version__")).attr("startswith")("1.").is(Py_True);
    const nb::object table =
        nb::module_::import_(is_old ? "numpy.core.multiarray" : "numpy._core.multiarray").attr("_ARRAY_API");
    void **functions = static_cast<void **>(PyCapsule_GetPointer(table.ptr(), nullptr));
    if (!functions) nb::raise_python_error();
    new_from_dtype_ = reinterpret_cast<NewFromDtype>(functions[new_from_dtype_number]);
    set_base_ = reinterpret_cast<SetBase>(functions[set_base_number]);
    is_known_ = fields_are_where_expected(numpy);
  }

  bool fields_are_where_expected(const nb::module_ &numpy) const {
    const nb::object probe = numpy.attr("zeros")(nb::make_tuple(2, 3));
    const Buffer buffer(probe);
    const ArrayFields *found = fields(probe);
    const auto *dtype = reinterpret_cast<const DtypeFields *>(found->dtype);
    return found->data == buffer.view.buf && found->dimensions == 2 && found->shape[0] == 2 && found->shape[1] == 3 &&
           found->strides[0] == 24 && nb::handle(found->dtype).is(probe.attr("dtype")) && dtype->kind == 'f' &&
           dtype->number == nb::cast<int>(probe.attr("dtype").attr("num")) &&
           found->flags == nb::cast<int>(probe.attr("flags").attr("num"));
  }

  static const ArrayFields *fields(nb::handle array) { return reinterpret_cast<const ArrayFields *>(array.ptr()); }

  nb::object type_, empty_, int32_, float64_;
  NewFromDtype new_from_dtype_;
  SetBase set_base_;
  bool is_known_ = false;
};

}  // namespace treewright
