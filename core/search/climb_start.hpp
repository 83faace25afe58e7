// Random trees to climb from: uniform, or by the product of their arcs' weights exp(arc), in either root mode,
// projective or not (sampling.hpp: Wilson's walks, or the chart of inside weights).
//
// Where that would cost more than the climb, the best tree under perturbed scores is taken instead (Papandreou and
// Yuille 2011): Gumbel noise is added to every arc's score and the sum decoded, O(n^2) a tree or O(n^3) when
// projective. That is so for sentences above `longest` nodes, whose sums are O(n^3), and once walks would go in
// circles.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "charts/eisner.hpp"
#include "decode/sampling.hpp"
#include "search/climb_tree.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/parts.hpp"

namespace treewright {

class RandomTrees {
 public:
  static constexpr int longest = 256;

  // False when the candidates hold no tree.
  bool prepare(const Parts &parts, TreeShape shape, bool by_score, std::uint64_t seed) {
    parts_ = &parts, shape_ = shape, by_score_ = by_score, seed_ = seed;
    perturbs_ = parts.nodes > longest;
    if (perturbs_) return true;
    dense_.assign(std::size_t(parts.nodes) * parts.nodes, forbidden);
    for (int id = 0; id < parts.arcs(); ++id) dense_at(id) = by_score ? parts.arc[id] : 0.0;
    return shape.projective ? charts_.prepare(dense_.data(), parts.nodes, shape.single_root)
                            : walks_.prepare(dense_.data(), parts.nodes, shape.single_root);
  }

  // The tree of a restart; restarts in order, each depends on the seed and its number. False when there is no tree.
  bool draw(int restart, int *heads) {
    Random random(Random(seed_).next() + std::uint64_t(restart));
    if (perturbs_) return perturb(random, heads);
    if (shape_.projective) {
      charts_.draw(random, heads);
    } else {
      walks_.draw(random, heads);
      perturbs_ = !walks_.has_walked();
    }
    return true;
  }

 private:
  double &dense_at(int id) { return dense_[std::size_t(parts_->head[id]) * parts_->nodes + parts_->modifier[id]]; }

  bool perturb(Random &random, int *heads) {
    weight_.resize(parts_->arcs());
    for (int id = 0; id < parts_->arcs(); ++id)
      weight_[id] = (by_score_ ? parts_->arc[id] : 0.0) - std::log(-std::log(random.uniform() + 0x1p-54));
    if (!shape_.projective) return spanning_.decode(*parts_, weight_.data(), shape_.single_root, heads) > forbidden;
    dense_.assign(std::size_t(parts_->nodes) * parts_->nodes, forbidden);
    for (int id = 0; id < parts_->arcs(); ++id) dense_at(id) = weight_[id];
    return projective_.decode(dense_.data(), parts_->nodes, shape_.single_root, heads) > forbidden;
  }

  const Parts *parts_ = nullptr;
  TreeShape shape_;
  bool by_score_ = false, perturbs_ = false;
  std::uint64_t seed_ = 0;
  TreeSampler walks_;
  ProjectiveSampler charts_;
  ChuLiuEdmonds spanning_;
  Eisner projective_;
  std::vector<double> weight_, dense_;
};

}  // namespace treewright
