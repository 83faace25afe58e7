#include "text/word_classes.hpp"

#include <tuple>

#include "arrays.hpp"

namespace treewright {

static std::vector<Bigram> bigrams_of(const IndexColumn &first, const IndexColumn &second, const IndexColumn &counts,
                                      int units) {
  if (first.shape(0) != second.shape(0) || first.shape(0) != counts.shape(0))
    throw nb::value_error("first, second and counts must be of one length");
  std::vector<Bigram> found(first.shape(0));
  std::int64_t total = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k] = {first(k), second(k), counts(k)};
    if (first(k) < 0 || first(k) >= units || second(k) < 0 || second(k) >= units)
      throw nb::value_error("first and second must be units");
    if (counts(k) < 1) throw nb::value_error("counts must be positive");
    if ((total += counts(k)) > std::numeric_limits<std::int32_t>::max())
      throw nb::value_error("the sum of the counts must be below 2^31");
  }
  return found;
}

static std::vector<std::int32_t> classes_of(const IndexColumn &class_of, int units, int classes) {
  if (class_of.shape(0) == 0) return {};
  if (int(class_of.shape(0)) != units) throw nb::value_error("class_of must have one entry a unit");
  for (int unit = 0; unit < units; ++unit) {
    const bool is_valid =
        unit + 1 == units ? class_of(unit) == classes : class_of(unit) >= 0 && class_of(unit) < classes;
    if (!is_valid) throw nb::value_error("class_of must have classes, the boundary its own");
  }
  return {class_of.data(), class_of.data() + units};
}

static WordClasses new_classes(int units, int classes, IndexColumn first, IndexColumn second, IndexColumn counts,
                               IndexColumn class_of) {
  constexpr int max_classes = 1 << 12;
  if (classes < 1 || classes > max_classes) throw nb::value_error("classes must be 1 to 4096");
  if (units < 2) throw nb::value_error("units must be a word and the boundary at least");
  return WordClasses(units, classes, bigrams_of(first, second, counts, units), classes_of(class_of, units, classes));
}

void bind_word_classes(nb::module_ &m) {
  nb::class_<WordClasses>(m, "WordClasses", "Word classes by exchange, and merges of them.")
      .def(nb::new_(&new_classes), nb::arg("units"), nb::arg("classes"), nb::arg("first"), nb::arg("second"),
           nb::arg("counts"), nb::arg("class_of"))
      .def("value", &WordClasses::value, "The log likelihood of the text.", nb::call_guard<nb::gil_scoped_release>())
      .def(
          "sweep",
          [](WordClasses &self, int begin, int end) {
            if (begin < 0 || end > int(self.class_of().size()) - 1)
              throw nb::value_error("begin and end must be units");
            nb::gil_scoped_release unlocked;
            return self.sweep(begin, end);
          },
          nb::arg("begin"), nb::arg("end"), "Move units to their best classes; how many moved.")
      .def(
          "class_of", [](const WordClasses &self) { return copied<NewIndexColumn>(self.class_of()); },
          "The class of each unit.")
      .def(
          "merges",
          [](const WordClasses &self) {
            std::vector<ClassMerge> merges;
            {
              nb::gil_scoped_release unlocked;
              merges = self.merges();
            }
            std::vector<std::tuple<int, int>> found;
            for (const ClassMerge &merge : merges) found.push_back({merge.first, merge.second});
            return found;
          },
          "Pairs of classes, the second merged into the first, the cheapest first.");
}

}  // namespace treewright
