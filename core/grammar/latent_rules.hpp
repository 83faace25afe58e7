// Rules of a latent-variable grammar (Matsuzaki et al. 2005; Petrov et al. 2006): every symbol has substates, and a
// rule has a weight for each combination of the substates of its symbols.
//
// The symbols, binary rules and unary chains are those of a treebank grammar (rules.hpp): over each stretch of words
// there is one chain, from the symbol at its top to that at its bottom. The symbols in the middle of a chain have no
// substates, and a chain of a single symbol keeps its substate. So there are no cycles of unary rules.
//
//   P(A_x -> B_y C_z) = rule weight [x, y, z];   P(chain, B_y | A_x) = chain weight [x, y], or [x] for a single symbol
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

struct LatentChain {
  int top, bottom;
  bool is_single;  // one symbol: top and bottom are the same node
};

// The numbers of substates, and where the weights of each rule, chain and symbol begin in flat arrays.
struct LatentShape {
  std::vector<int> states;                // of each symbol
  std::vector<std::array<int, 3>> rules;  // parent, left, right
  std::vector<LatentChain> chains;
  std::vector<std::size_t> rule_at, chain_at, state_at;  // one more entry than rules, chains, symbols

  LatentShape() = default;
  LatentShape(std::vector<int> states_, std::vector<std::array<int, 3>> rules_, std::vector<LatentChain> chains_)
      : states(std::move(states_)), rules(std::move(rules_)), chains(std::move(chains_)) {
    rule_at.assign(1, 0), chain_at.assign(1, 0), state_at.assign(1, 0);
    for (const auto &[parent, left, right] : rules)
      rule_at.push_back(rule_at.back() + std::size_t(states[parent]) * states[left] * states[right]);
    for (const LatentChain &chain : chains)
      chain_at.push_back(chain_at.back() +
                         (chain.is_single ? states[chain.top] : std::size_t(states[chain.top]) * states[chain.bottom]));
    for (int count : states) state_at.push_back(state_at.back() + count);
  }

  int symbols() const { return int(states.size()); }
};

// Probabilities of rules and chains, by the places of a shape.
struct LatentWeights {
  const double *rules, *chains;
};

// out[x] += sum over y and z of weight[x, y, z] left[y] right[z].
inline void add_products(const double *weight, const double *left, const double *right, int xs, int ys, int zs,
                         double *out) {
  for (int x = 0; x < xs; ++x) {
    double total = 0;
    for (int y = 0; y < ys; ++y, weight += zs) {
      if (left[y] == 0) continue;
      double row = 0;
#pragma omp simd reduction(+ : row)
      for (int z = 0; z < zs; ++z) row += weight[z] * right[z];
      total += left[y] * row;
    }
    out[x] += total;
  }
}

}  // namespace treewright
