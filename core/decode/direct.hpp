// The algorithms that find the best tree over parts without a search: one dynamic program or one spanning tree.
// Which of them is exact for which parts is decided by the caller (src/treewright/decode/exact.py).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/scores.hpp"
#include "charts/eisner.hpp"
#include "charts/grand_eisner.hpp"
#include "charts/sibling_eisner.hpp"
#include "trees/chu_liu_edmonds.hpp"
#include "trees/conditioning.hpp"
#include "trees/first_order_bound.hpp"
#include "trees/losses.hpp"
#include "trees/parts.hpp"
#include "trees/stages.hpp"

namespace treewright {

enum class DirectAlgorithm { eisner, chu_liu_edmonds, sibling_eisner, grand_eisner };

// Charts are reused from sentence to sentence.
class DirectDecoder {
 public:
  // Writes heads[0..nodes) and returns value and bounds of the tree under the scores that the algorithm reads; the
  // value is -inf when there is no tree. Where rounding would exceed the tolerance, relative to the spread of the
  // scores, a second-order tree is found again in scores without rounding (conditioning.hpp), unless only outermost
  // grandchildren are scored.
  Bounds decode(const Parts &parts, DirectAlgorithm algorithm, bool single_root, double tolerance, int *heads) {
    switch (algorithm) {
      case DirectAlgorithm::eisner:
        return decode_projective_arcs(parts, single_root, heads);
      case DirectAlgorithm::chu_liu_edmonds:
        return decode_arcs(parts, single_root, heads);
      default:
        return decode_second_order(parts, algorithm, single_root, tolerance, heads);
    }
  }

 private:
  Bounds decode_projective_arcs(const Parts &parts, bool single_root, int *heads) {
    const std::size_t nodes = parts.nodes;
    arc_.assign(nodes * nodes, forbidden);
    for (int e = 0; e < parts.arcs(); ++e) arc_[parts.head[e] * nodes + parts.modifier[e]] = parts.arc[e];
    if (!projective_.find(arc_.data(), parts.nodes, single_root, heads)) return {};
    return first_order_bounds(arc_.data(), parts.nodes, heads, projective_.best().score.data(), single_root);
  }

  Bounds decode_arcs(const Parts &parts, bool single_root, int *heads) {
    if (nonprojective_.decode(parts, parts.arc.data(), single_root, heads) == forbidden) return {};
    return first_order_bounds(
        parts.nodes, heads, nonprojective_.best().score.data(), single_root,
        [&](int h, int m) {
          const int id = parts.find(h, m);
          return id < 0 ? forbidden : parts.arc[id];
        },
        [&](auto test) {
          int id = 0;
          while (id < parts.arcs() && test(parts.modifier[id], parts.arc[id])) ++id;
          return id == parts.arcs();
        });
  }

  Bounds decode_second_order(const Parts &parts, DirectAlgorithm algorithm, bool single_root, double tolerance,
                             int *heads) {
    const double value = fill_chart(parts, algorithm, single_root, heads);
    const bool reads_all = algorithm == DirectAlgorithm::grand_eisner || !parts.has_grand();
    if (value == forbidden || !reads_all) return {value, value, Losses::infinity, 0};
    losses_.open(parts, single_root);
    const Bounds found = second_order_bounds(parts, heads);
    if (parts.outermost || found.gap <= tolerance * found.spread / 2) return found;
    const BoundedTree best =
        stages_.run(parts, single_root, tolerance, false, [&](const Conditioning &problem, const int *, bool) {
          tree_.resize(parts.nodes);
          const double exact = fill_chart(problem.parts, algorithm, single_root, tree_.data());
          return StageResult{&tree_, exact, exact, true, false};
        });
    if (best.value == forbidden) return found;
    std::copy(best.heads.begin(), best.heads.end(), heads);
    return {best.value, best.bound, best.gap, best.spread};
  }

  Bounds second_order_bounds(const Parts &parts, const int *heads) {
    const double loss = losses_.total(heads);
    const double rounding = second_order_rounding(parts, losses_.size_of_best(), loss);
    const double gap = loss == 0 || are_multiples(parts) ? 0 : std::min(loss, rounding);
    CheckedSum sum;
    const_cast<Parts &>(parts).for_parts_of(heads, [&](double score) { sum.add(score); });
    return {sum.value(), sum.upper_bound(gap), gap, losses_.spread(heads)};
  }

  static bool are_multiples(const Parts &parts) {
    Multiples of_unit;
    return parts.nodes <= (1 << 10) && of_unit.has_all(parts.arc) && of_unit.has_all(parts.transitions) &&
           of_unit.has_all(parts.grands) && of_unit.has_all(parts.grandsibs);
  }

  double fill_chart(const Parts &parts, DirectAlgorithm algorithm, bool single_root, int *heads) {
    if (algorithm == DirectAlgorithm::sibling_eisner) return siblings_.decode(parts, single_root, heads);
    constexpr double max_reused_chart = 1 << 26;  // bytes, not tuned; the memory of larger charts is released
    const double value = grandparents_.decode(parts, single_root, heads);
    if (GrandEisner::bytes(parts) > max_reused_chart) grandparents_ = GrandEisner();
    return value;
  }

  Eisner projective_;
  ChuLiuEdmonds nonprojective_;
  SiblingEisner siblings_;
  GrandEisner grandparents_;
  Losses losses_;
  Stages stages_;
  std::vector<double> arc_;
  std::vector<int> tree_;
};

}  // namespace treewright
