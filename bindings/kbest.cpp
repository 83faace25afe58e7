#include "decode/kbest.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"

namespace treewright {

static std::pair<Trees, NewScoreColumn> kbest(Scores arc, bool projective, bool single_root, int k) {
  const int nodes = checked_nodes(arc);
  if (k < 1) throw nb::value_error("k must be at least 1");
  KBest best;
  {
    nb::gil_scoped_release nogil;
    best = projective ? ProjectiveKBest().decode(arc.data(), nodes, single_root, k)
                      : SpanningKBest().decode(arc.data(), nodes, single_root, k);
  }
  Trees heads = new_array<Trees>(best.values.size(), nodes);
  std::copy(best.heads.begin(), best.heads.end(), heads.data());
  return {heads, copied<NewScoreColumn>(best.values.data(), best.values.size())};
}

void bind_kbest(nb::module_ &m) {
  m.def("kbest", &kbest, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("k"),
        "The k best trees, or all there are: heads, a row a tree, and values.");
}

}  // namespace treewright
