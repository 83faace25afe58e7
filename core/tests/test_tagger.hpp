#include "text/lemma_words.hpp"
#include "text/tag_words.hpp"
#include "text/tagger.hpp"

static void tag_sequences_of_all_sizes_have_probabilities_that_sum_to_one() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  treewright::Trigrams lattice;
  for (int n : {0, 1, 2, 3, 20}) {
    std::vector<int> sizes(n), tags(n);
    for (int i = 0; i < n; ++i) sizes[i] = 1 + i % 4;
    std::vector<double> scores(std::size_t(n) * 64);
    for (double &score : scores) score = normal(random);
    const auto local = [&](int i, int a, int b, int c) { return scores[std::size_t(i) * 64 + a * 16 + b * 4 + c]; };
    lattice.open(sizes);
    const double best = lattice.best(local, tags.data());
    CHECK(best <= lattice.sum(local) + 1e-9);
    for (int i = 0; i < n; ++i) {
      double total = 0;
      for (int c = 0; c < sizes[i]; ++c) total += lattice.p_tag(i, c);
      CHECK(std::abs(total - 1) < 1e-9);
    }
  }
}

static void a_tag_model_learns_one_sentence() {
  const int bits = 10, n = 5;
  treewright::TemplateTable table{0, 0, 3, {{0, 0, 0, 0}, {0, 1, 0, -2}, {0, 2, 0, 2}}};
  const std::vector<std::uint32_t> parts = {11, 12, 21, 22, 31, 32, 41, 42};  // three tags, and before the sentence
  const std::vector<std::uint32_t> atoms = {1, 2, 3, 4, 55, 66, 77, 88};
  const std::vector<std::int32_t> begin = {0, 0, 0, 0, 0, 3, 6, 7, 9}, pool = {0, 1, 2, 2, 1, 0, 1, 0, 2};
  const std::vector<std::int32_t> rows = {4, 5, 6, 7, 4}, gold = {2, 0, 1, 2, 1};
  const treewright::WordTable words{atoms.data(), begin.data(), pool.data(), nullptr, 1, 0};
  for (const bool trigrams : {true, false}) {
    treewright::TagModel model(table, parts, {bits, 2, 2, 0, trigrams});
    std::vector<float> cells(4 << bits);
    treewright::Learner learner(cells.data(), 0.1f);
    std::vector<std::int32_t> tags(n);
    std::vector<float> weights(1 << bits);
    double loss = 0;
    for (int step = 1; step <= 60; ++step) {
      loss = model.learn(words, rows.data(), n, cells.data(), learner, gold.data(), 0.1f);
      learner.step(step, 0.5f);
    }
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = cells[4 * i];
    std::vector<double> confidence(n), adjust(n * 3, 0.0);
    model.decode(words, rows.data(), n, treewright::PlainWeights{weights.data(), 1}, {adjust.data()}, 1.0, tags.data(),
                 confidence.data());
    CHECK(loss >= 0);
    CHECK(confidence[2] == 1);
    // Words 0 and 2 have given tags, of which that of word 2 is no candidate of its row.
    const std::vector<treewright::TagModel::Given> given = {{1}, {}, {0, 2}, {}, {}};
    std::vector<std::int32_t> others(n);
    const treewright::PlainWeights plain{weights.data(), 1};
    model.decode(words, rows.data(), n, plain, {}, 1.0, others.data(), confidence.data(), given.data());
    CHECK(others[0] == 1 && others[2] != 1);
    std::vector<double> probability(n * 3);
    model.probabilities(words, rows.data(), n, plain, {}, 1.0, given.data(), probability.data());
    for (int i = 0; i < n; ++i) {
      CHECK(std::abs(probability[3 * i] + probability[3 * i + 1] + probability[3 * i + 2] - 1) < 1e-9);
      if (i != 0) CHECK(std::abs(probability[3 * i + others[i]] - confidence[i]) < 1e-9);
    }
    if (trigrams) CHECK(tags == gold);
    // A network that has the value of tag 0 alone, and a name at word 1 that may have tag 1 alone.
    const std::vector<float> network(n, -0.5F), no_weights(1 << bits);
    const std::vector<std::int32_t> places = {0, -1, -1};
    const bool is_name[n] = {false, true, false, false, false};
    const std::vector<double> of_name = {-1e3, 0, -1e3};
    const treewright::AddedScores added{nullptr, network.data(), places.data(), 1, 1, 10.0, is_name, of_name.data()};
    model.decode(words, rows.data(), n, treewright::PlainWeights{no_weights.data(), 1}, added, 1.0, others.data(),
                 nullptr);
    CHECK(others == (std::vector<std::int32_t>{0, 1, 1, 0, 0}));
    model.decode(words, rows.data(), 0, treewright::PlainWeights{weights.data(), 1}, {}, 1.0, tags.data(),
                 confidence.data());
  }
}

static void unknown_words_get_candidates_from_suffixes_and_lemmas_of_other_words() {
  using namespace treewright;
  // "dogs" was seen twice with tag 1, "cats" once; both end in "s", and "dog" is a lemma of two forms.
  struct Lists {
    std::vector<std::uint32_t> keys;
    std::vector<std::int32_t> begin;
    std::vector<std::uint16_t> labels, counts;
    explicit Lists(std::vector<std::pair<std::uint32_t, LabelCount>> entries) {
      std::sort(entries.begin(), entries.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
      for (const auto &[key, entry] : entries) {
        keys.push_back(key), begin.push_back(std::int32_t(labels.size()));
        labels.push_back(std::uint16_t(entry.label)), counts.push_back(std::uint16_t(entry.count));
      }
      begin.push_back(std::int32_t(labels.size()));
    }
    LabelLists lists() const { return {keys.data(), begin.data(), labels.data(), counts.data(), keys.size()}; }
  };
  const Spelling dogs{U"dogs", U"dogs", U"aaaa"}, bats{U"bats", U"bats", U"aaaa"}, empty{U"", U"", U""};
  const std::uint32_t surface = dogs.surface_class();
  const Lists words({{text_hash(U"dogs"), {1, 2}}, {text_hash(U"cats"), {1, 1}}});
  const Lists suffixes({{Lexicon::no_suffix, {1, 2}},
                        {Lexicon::suffix_key(surface, U""), {1, 2}},
                        {Lexicon::suffix_key(surface, U"s"), {1, 2}}});
  const Lists stems({{text_hash(U"dog"), {0, 2}}});
  TagWords table({words.lists(), suffixes.lists()}, Stems(stems.lists()), {0, 1}, {1, 5});
  for (const Spelling &word : {dogs, bats, empty}) {
    const int row = table.add(word, -1, {});
    CHECK(table.last(row) - table.first(row) == 1 && *table.first(row) == 1);
  }
  const int learned = table.add(dogs, 0, {{text_hash(U"dog"), 0}});  // a tag that it was never seen with
  CHECK(table.last(learned) - table.first(learned) == 2);
  Stems lemmas(stems.lists());
  CHECK(lemmas.longest(U"dogs", {}).length == 3);
  CHECK(lemmas.longest(U"dogs", {{text_hash(U"dog"), 0}}).length == 3);
  CHECK(lemmas.longest(U"dogs", {{text_hash(U"dog"), 0}, {text_hash(U"dog"), 0}}).length == 0);
  CHECK(lemmas.evidence(text_hash(U"dog"), 0, {}) == Stems::lemma_with_same_tag);
  CHECK(lemmas.evidence(text_hash(U"dog"), 7, {}) == Stems::lemma_with_other_tag);
  CHECK(lemmas.evidence(text_hash(U"cat"), 0, {}) == Stems::unknown_lemma);

  const Lists scripts_seen({{LemmaWords::TaggedWord{dogs, 5, 6, 0}.key(), {0, 3}}});
  const Lists script_suffixes({{Lexicon::no_suffix, {0, 1}}});
  LemmaWords scripts({scripts_seen.lists(), script_suffixes.lists()}, Stems(stems.lists()),
                     {{false, 0, 1, U"", U""}, {true, 0, 0, U"go", U""}});
  CHECK(scripts.most_frequent({dogs, 5, 6, 0}) == 0 && scripts.most_frequent({bats, 5, 6, 0}) == -1);
  CHECK(scripts.add({bats, 5, 6, 0}, -1, {}) >= 0);
  CHECK(scripts.add({empty, 5, 6, 0}, -1, {}) == -1);  // too short to drop a letter
  std::u32string lemma;
  const EditScript overflowing{false, 1, std::size_t(-1), U"", U""};
  CHECK(!overflowing.apply(U"dogs", lemma));
  const int row = scripts.add({empty, 5, 6, 0}, 1, {});
  CHECK(scripts.last(row) - scripts.first(row) == 1 && *scripts.first(row) == 1);
}
