#include "text/word_classes.hpp"

static std::vector<treewright::Bigram> random_bigrams(int units, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<treewright::Bigram> found;
  for (int first = 0; first < units; ++first)
    for (int second = 0; second < units; ++second)
      if (const int count = int(random() % 5) - 2; count > 0) found.push_back({first, second, count});
  return found;
}

static void word_classes_never_lose_value() {
  using treewright::WordClasses;
  for (int classes : {1, 2, 5, 12})
    for (int units : {2, 6, 30}) {
      if (classes > units - 1) continue;
      WordClasses found(units, classes, random_bigrams(units, 7), {});
      double value = found.value();
      CHECK(std::isfinite(value));
      for (int sweep = 0; sweep < 4; ++sweep) {
        found.sweep(0, units - 1);
        CHECK(found.value() >= value - 1e-9);
        value = found.value();
      }
      for (int unit = 0; unit + 1 < units; ++unit)
        CHECK(found.class_of()[unit] >= 0 && found.class_of()[unit] < classes);
      CHECK(found.class_of().back() == classes);
      CHECK(int(found.merges().size()) == classes - 1);
      WordClasses again(units, classes, random_bigrams(units, 7), found.class_of());
      CHECK(std::abs(again.value() - value) < 1e-9 * std::abs(value) + 1e-9);
    }
  CHECK(WordClasses(3, 2, {}, {}).value() == 0.0);
  const std::vector<treewright::Bigram> large{{0, 1, 1 << 20}, {1, 2, 1 << 20}, {2, 0, 1 << 20}};  // beyond the table
  CHECK(std::isfinite(WordClasses(3, 1, large, {}).value()));
}
