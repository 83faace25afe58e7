#include "trees/sampling.hpp"

#include "arrays.hpp"

namespace treewright {

// A row a tree; no row at all when there is none to draw.
template <typename Sampler>
static Trees sample(Scores arc, bool single_root, std::size_t size, std::uint64_t seed) {
  const std::size_t nodes = nodes_of(arc);
  Sampler sampler;
  bool has_tree;
  {
    nb::gil_scoped_release nogil;
    has_tree = sampler.prepare(arc.data(), int(nodes), single_root);
  }
  Trees heads = new_array<Trees>(has_tree ? size : 0, nodes);
  if (!has_tree) return heads;
  {
    nb::gil_scoped_release nogil;
    Random random(seed);
    for (std::size_t row = 0; row < size; ++row) sampler.draw(random, heads.data() + row * nodes);
  }
  return heads;
}

void bind_sampling(nb::module_ &m) {
  m.def("sample", &sample<TreeSampler>, nb::arg("arc").noconvert(), nb::arg("single_root"), nb::arg("size"),
        nb::arg("seed"), "Trees drawn by their score, a row a tree; no row when there is no tree.");
  m.def("projective_sample", &sample<ProjectiveSampler>, nb::arg("arc").noconvert(), nb::arg("single_root"),
        nb::arg("size"), nb::arg("seed"), "The same among projective trees.");
}

}  // namespace treewright
