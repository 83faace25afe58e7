#include "decode/sampling.hpp"

#include "arrays.hpp"
#include "trees/parts.hpp"

namespace treewright {

// A row a tree; none when there is no tree. `prepare` fills the sums and says whether there is a tree, `draw` writes
// one.
template <typename Prepare, typename Draw>
static NewIndexRows draw_trees(std::size_t nodes, std::size_t size, std::uint64_t seed, Prepare prepare, Draw draw) {
  bool has_tree;
  {
    nb::gil_scoped_release nogil;
    has_tree = prepare();
  }
  NewIndexRows heads = new_array<NewIndexRows>(has_tree ? size : 0, nodes);
  if (!has_tree) return heads;
  nb::gil_scoped_release nogil;
  Random random(seed);
  for (std::size_t row = 0; row < size; ++row) draw(random, heads.data() + row * nodes);
  return heads;
}

template <typename Sampler>
static NewIndexRows sample_by(Scores arc, bool single_root, std::size_t size, std::uint64_t seed) {
  const int nodes = checked_nodes(arc);
  Sampler sampler;
  return draw_trees(
      nodes, size, seed, [&] { return sampler.prepare(arc.data(), nodes, single_root); },
      [&](Random &random, int *heads) { sampler.draw(random, heads); });
}

static NewIndexRows sample(Scores arc, bool projective, bool single_root, std::size_t size, std::uint64_t seed) {
  return projective ? sample_by<ProjectiveSampler>(arc, single_root, size, seed)
                    : sample_by<TreeSampler>(arc, single_root, size, seed);
}

static NewIndexRows sample_parts(const Parts &parts, bool single_root, std::size_t size, std::uint64_t seed) {
  SecondOrderSampler sampler;
  return draw_trees(
      parts.nodes, size, seed, [&] { return sampler.prepare(parts, single_root); },
      [&](Random &random, int *heads) { sampler.draw(random, heads); });
}

void bind_sampling(nb::module_ &m) {
  m.def("sample", &sample, nb::arg("arc").noconvert(), nb::arg("projective"), nb::arg("single_root"), nb::arg("size"),
        nb::arg("seed"), "Trees drawn by their score, a row a tree; no row when there is no tree.");
  m.def("sample_parts", &sample_parts, nb::arg("parts"), nb::arg("single_root"), nb::arg("size"), nb::arg("seed"),
        "Projective trees drawn by the scores of all parts, a row a tree; no row when there is no tree.");
}

}  // namespace treewright
