#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "eisner.hpp"

namespace treewright {

static std::pair<Heads, double> eisner(Scores arc, bool single_root) {
  if (arc.shape(0) != arc.shape(1) || arc.shape(0) < 2) throw nb::value_error("arc must be square, root and words");
  Heads heads = new_array<Heads>(arc.shape(0));
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local Eisner decoder;  // its charts are reused from sentence to sentence
    value = decoder.decode(arc.data(), int(arc.shape(0)), single_root, heads.data());
  }
  return {heads, value};
}

void bind_first_order(nb::module_ &m) {
  m.def("eisner", &eisner, nb::arg("arc").noconvert(), nb::arg("single_root"),
        "The best projective tree (Eisner 1996): heads and value; -inf when there is none.");
}

}  // namespace treewright
