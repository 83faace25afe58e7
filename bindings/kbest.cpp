#include "decode/kbest.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"

namespace treewright {

template <typename Decoder>
static std::pair<Trees, NewScoreColumn> kbest(Scores arc, bool single_root, int k) {
  const int nodes = checked_nodes(arc);
  if (k < 1) throw nb::value_error("k must be at least 1");
  KBest found;
  {
    nb::gil_scoped_release nogil;
    Decoder decoder;
    found = decoder.decode(arc.data(), nodes, single_root, k);
  }
  Trees heads = new_array<Trees>(found.values.size(), nodes);
  std::copy(found.heads.begin(), found.heads.end(), heads.data());
  return {heads, copied<NewScoreColumn>(found.values.data(), found.values.size())};
}

void bind_kbest(nb::module_ &m) {
  m.def("kbest", &kbest<SpanningKBest>, nb::arg("arc").noconvert(), nb::arg("single_root"), nb::arg("k"),
        "The k best trees, or all there are: heads, a row a tree, and values.");
  m.def("projective_kbest", &kbest<ProjectiveKBest>, nb::arg("arc").noconvert(), nb::arg("single_root"), nb::arg("k"),
        "The same among projective trees.");
}

}  // namespace treewright
