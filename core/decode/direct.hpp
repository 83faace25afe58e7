// The algorithms that find the best tree over parts without a search: one dynamic program or one spanning tree.
// Which of them is exact for which parts is decided by the caller (src/treewright/decode/exact.py).
#pragma once

#include <cstddef>
#include <vector>

#include "base/scores.hpp"
#include "charts/eisner.hpp"
#include "charts/grand_eisner.hpp"
#include "charts/sibling_eisner.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/parts.hpp"

namespace treewright {

enum class DirectAlgorithm { eisner, chu_liu_edmonds, sibling_eisner, grand_eisner };

// Charts are reused from sentence to sentence.
class DirectDecoder {
 public:
  // Writes heads[0..nodes) and returns the value of the tree; -inf when there is none.
  double decode(const Parts &parts, DirectAlgorithm algorithm, bool single_root, int *heads) {
    switch (algorithm) {
      case DirectAlgorithm::eisner:
        return decode_arcs(parts, single_root, heads);
      case DirectAlgorithm::chu_liu_edmonds:
        return nonprojective_.decode(parts, parts.arc.data(), single_root, heads);
      case DirectAlgorithm::sibling_eisner:
        return siblings_.decode(parts, single_root, heads);
      case DirectAlgorithm::grand_eisner:
        return decode_grandparents(parts, single_root, heads);
    }
    return forbidden;
  }

 private:
  double decode_arcs(const Parts &parts, bool single_root, int *heads) {
    const std::size_t nodes = parts.nodes;
    arc_.assign(nodes * nodes, forbidden);
    for (int e = 0; e < parts.arcs(); ++e) arc_[parts.head[e] * nodes + parts.modifier[e]] = parts.arc[e];
    return projective_.decode(arc_.data(), parts.nodes, single_root, heads);
  }

  double decode_grandparents(const Parts &parts, bool single_root, int *heads) {
    constexpr double max_reused_chart = 1 << 26;  // bytes, by convention; the memory of larger charts is released
    const double value = grandparents_.decode(parts, single_root, heads);
    if (GrandEisner::bytes(parts) > max_reused_chart) grandparents_ = GrandEisner();
    return value;
  }

  Eisner projective_;
  ChuLiuEdmonds nonprojective_;
  PrunedSiblingEisner siblings_;
  GrandEisner grandparents_;
  std::vector<double> arc_;
};

}  // namespace treewright
