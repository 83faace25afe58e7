// Third-order parts and global features of a tree: factors over up to five nodes with a small state.
//
// A factor has a kind, nodes in the order of the roles of its templates, and a state: a small number by which factors
// over the same nodes differ, such as a side or a length (Zhang et al. 2014; Martins et al. 2013). START and END stand
// for "none" before the first and after the last modifier of a side: the two nodes after those of the sentence.
// docs/learning.md defines every kind.
#pragma once

#include <array>
#include <cstdint>

#include "base/flat_map.hpp"

namespace treewright {

enum FactorKind {
  grand_siblings,      // g h s m: adjacent siblings with the head of their head; state: side
  tri_siblings,        // h p q r: three consecutive modifiers on one side
  great_grandparents,  // f g h m: four words of a path
  head_bigrams,        // i l h m: the heads i, h of the neighbouring words l, m
  sibling_children,    // h m c s: adjacent siblings m, s and a modifier c of m
  all_siblings,        // h m s: two modifiers of h on any sides
  right_branching,     // 0: its value is the share of nodes on the rightmost path; state: their number
  pp_attachment,       // p g c: an adposition, its argument c and what they are attached to; state: 1 if c is its head
  coordination,        // k l r: a conjunction and its conjuncts
  shared_features,     // l r: one for each morphological value that both conjuncts have; state: its place in l's list
  coordination_head,   // k h a: a conjunction, the head of the coordination, a conjunct
  punctuation_pairs,   // i h: an opening mark with the same head as its closing one; state: 1 if the head is between
  span_length,         // m: state: length of the span, at the end of the sentence, before punctuation
  span_neighbours,     // m h l r: the tokens beside the span of m
  valency,             // h: state: the number of modifiers
  valency_sides,       // h: state: their numbers on both sides
  child_tags,          // h a b c d: the first four modifiers
  nonprojective,       // h m: an arc over words whose heads are outside; state: their number
  factor_kinds
};

constexpr int factor_roles[factor_kinds] = {4, 4, 4, 4, 4, 3, 1, 3, 3, 2, 3, 2, 1, 4, 1, 1, 5, 2};
constexpr int max_factor_nodes = 60000;  // of a sentence, so that a factor fits the key of a hash map

struct Factor {
  int kind;
  std::array<int, 5> node;  // -1 beyond the roles of its kind
  int state;

  FlatMap<double>::Key key() const {
    const auto at = [this](int role) { return std::uint64_t(node[role] + 1); };
    return {at(0) | at(1) << 16 | at(2) << 32 | at(3) << 48,
            at(4) | std::uint64_t(kind) << 16 | std::uint64_t(state) << 24};
  }
  static Factor of(FlatMap<double>::Key key) {
    const auto at = [](std::uint64_t bits, int place) { return int(bits >> (16 * place) & 0xffff) - 1; };
    const std::array<int, 5> node = {at(key.first, 0), at(key.first, 1), at(key.first, 2), at(key.first, 3),
                                     at(key.second, 0)};
    return {int(key.second >> 16 & 0xff), node, int(key.second >> 24)};
  }
};

}  // namespace treewright
