// What is known of each candidate arc, and what follows from it:
//
//   a word's only arc is forced; a forced arc rules out the others into its word, and all that would close a
//   cycle with forced arcs; with a single root, a forced root arc rules out the other ones.
//
// O(arcs + n x depth of the forced forest x log candidates) a round, until nothing follows any more.
#pragma once

#include <vector>

#include "trees/parts.hpp"

namespace treewright {

enum class ArcState : char { out, open, forced };

class Propagation {
 public:
  // False when no tree is left (not every such case is detected).
  bool run(const Parts &parts, bool single_root, std::vector<ArcState> &state) {
    forced_.assign(parts.nodes, -1);
    do {
      changed_ = false;
      for (int m = 1; m < parts.nodes; ++m)
        if (!settle_word(parts, m, state)) return false;
      if (single_root && !keep_one_root(parts, state)) return false;
      for (int h = 1; h < parts.nodes; ++h)
        if (!rule_out_cycles(parts, h, state)) return false;
    } while (changed_);
    return true;
  }

 private:
  bool rule_out(ArcState &state) {
    if (state == ArcState::forced) return false;
    changed_ |= state != ArcState::out;
    state = ArcState::out;
    return true;
  }

  bool settle_word(const Parts &parts, int m, std::vector<ArcState> &state) {
    const int *begin = parts.in_arc.data() + parts.in_begin[m], *end = parts.in_arc.data() + parts.in_begin[m + 1];
    int left = 0, only = -1, forced = -1;
    for (const int *id = begin; id < end; ++id) {
      if (state[*id] == ArcState::out) continue;
      ++left, only = *id;
      if (state[*id] != ArcState::forced) continue;
      if (forced >= 0) return false;
      forced = *id;
    }
    if (left == 0) return false;
    if (forced < 0 && left > 1) return true;
    if (forced < 0) state[forced = only] = ArcState::forced, changed_ = true;
    forced_[m] = forced;
    for (const int *id = begin; left > 1 && id < end; ++id)
      if (*id != forced) rule_out(state[*id]);
    return true;
  }

  bool keep_one_root(const Parts &parts, std::vector<ArcState> &state) {
    int forced = -1;
    for (int id = parts.side_begin[1]; id < parts.side_begin[2] && forced < 0; ++id)
      if (state[id] == ArcState::forced) forced = id;
    for (int id = parts.side_begin[1]; forced >= 0 && id < parts.side_begin[2]; ++id)
      if (id != forced && !rule_out(state[id])) return false;
    return true;
  }

  // Nothing above h in the forced forest can have h as its head.
  bool rule_out_cycles(const Parts &parts, int h, std::vector<ArcState> &state) {
    int up = h;
    for (int steps = 0; forced_[up] >= 0; ++steps) {
      up = parts.head[forced_[up]];
      if (up == 0) break;
      if (up == h || steps == parts.nodes) return false;  // forced arcs run in a circle
      const int id = parts.find(h, up);
      if (id >= 0 && !rule_out(state[id])) return false;
    }
    return true;
  }

  std::vector<int> forced_;  // the forced arc into each word, -1: none
  bool changed_ = false;
};

}  // namespace treewright
