// Random trees to climb from: the best tree under random weights, which any root mode, candidate list and projectivity
// allow. Uniform: the weights are noise alone; first order: Gumbel noise is added to the arc scores, so that good trees
// come often (perturb and decode, Papandreou and Yuille 2011). O(n^2) a tree, O(n^3) when projective.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "chu_liu_edmonds.hpp"
#include "climb_tree.hpp"
#include "eisner.hpp"
#include "parts.hpp"

namespace treewright {

// Steele, Lea and Flood 2014. Small, and the same numbers on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double uniform() { return (double(next() >> 11) + 0.5) * 0x1p-53; }  // within 0 .. 1, ends excluded

 private:
  std::uint64_t state_;
};

class RandomTrees {
 public:
  // The tree of a restart depends on seed and restart alone. False when the candidates hold no tree.
  bool draw(const Parts &parts, TreeShape shape, bool by_score, std::uint64_t seed, int restart, int *heads) {
    SplitMix mixed(seed);
    SplitMix random(mixed.next() ^ (std::uint64_t(restart) * 0xd1342543de82ef95));
    weight_.resize(parts.arcs());
    for (int id = 0; id < parts.arcs(); ++id) {
      const double gumbel = -std::log(-std::log(random.uniform()));
      weight_[id] = by_score ? parts.arc[id] + gumbel : gumbel;
    }
    if (!shape.projective) return spanning_.decode(parts, weight_.data(), shape.single_root, heads) > forbidden;
    dense_.assign(std::size_t(parts.nodes) * parts.nodes, forbidden);
    for (int id = 0; id < parts.arcs(); ++id)
      dense_[std::size_t(parts.head[id]) * parts.nodes + parts.modifier[id]] = weight_[id];
    return projective_.decode(dense_.data(), parts.nodes, shape.single_root, heads) > forbidden;
  }

 private:
  ChuLiuEdmonds spanning_;
  Eisner projective_;
  std::vector<double> weight_, dense_;
};

}  // namespace treewright
