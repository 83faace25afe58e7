// The tensor that scores arcs: its gradient against finite differences. Included by test_core.cpp.
#pragma once

#include "learning/arc_tensor.hpp"
#include "test_factors.hpp"

// Two templates of a word and its neighbour, one of them with each morphological feature.
static std::vector<treewright::TemplateTable> tensor_templates() {
  return {{treewright::ArcTensor::plain, 0, 2, {{0, 0, 0, 0}, {0, 1, 1, -1}}, {0, 0}},
          {treewright::ArcTensor::with_each, 0, 1, {{0, 0, 1, 0}}, {0}}};
}

static void tensor_gradients_are_those_of_the_scores() {
  constexpr int bits = 10, rank = 5, tensors = 2;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int nodes : {2, 3, 30}) {
    std::vector<float> weights(1 << bits), gradient(1 << bits);
    std::vector<treewright::Memory> memory(1 << bits);
    for (float &weight : weights) weight = 0.3F * normal(random);
    const RandomAtoms tokens(nodes, unsigned(nodes));
    treewright::ArcTensor tensor(tensor_templates(), bits, rank, tensors);
    tensor.open(tokens.atoms());
    const treewright::Parts parts = random_parts(nodes, unsigned(nodes), nodes > 9);
    treewright::Parts counts = parts;
    for (double &count : counts.arc) count = normal(random);
    treewright::Learner learner(weights.data(), gradient.data(), memory.data(), 1.0F);
    for (int number = 0; number < tensors; ++number) tensor.spread(number, counts, learner);
    const auto value = [&] {
      treewright::Parts scored = parts;
      std::fill(scored.arc.begin(), scored.arc.end(), 0.0);
      tensor.add_scores(treewright::WeightTable<float>{weights.data(), 1.0}, scored);
      double sum = 0;
      for (int e = 0; e < scored.arcs(); ++e) sum += scored.arc[e] * counts.arc[e];
      return sum * tensors;  // the score is the mean of all tensors
    };
    for (int i = 0; i < (1 << bits); ++i) {
      if (gradient[i] == 0) continue;
      constexpr float step = 0.01F;
      const float kept = weights[i];
      weights[i] = kept + step;
      const double above = value();
      weights[i] = kept - step;
      const double below = value();
      weights[i] = kept;
      CHECK(std::abs((above - below) / (2 * step) - gradient[i]) < 0.02 * (1 + std::abs(gradient[i])));
    }
  }
}
