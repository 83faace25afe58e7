#include "text/tagger.hpp"

#include <cmath>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "base/scores.hpp"
#include "text/word_rows.hpp"

namespace treewright {

using RoundedColumn = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LearningCells = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Readings = std::vector<FloatRows>;  // [word, value] each
using Given = std::vector<TagModel::Given>;
using Decoded = std::tuple<NewIndexColumn, double, std::optional<NewScoreColumn>>;

// Scores of the tags of some sentences by a network and for names (AddedScores).
class AddedTagScores {
 public:
  AddedTagScores(Readings readings, IndexRows places, double weight, Mask is_name, ScoreColumn of_name)
      : readings_(std::move(readings)), places_(places), weight_(weight), is_name_(is_name), of_name_(of_name) {
    check_finite("weight", weight);
    check_scores_of("of_name", of_name);
    if (places.shape(0) != of_name.shape(0)) throw nb::value_error("places and of_name must have a row a tag");
    if (readings_.empty()) return;
    std::size_t words = 0;
    for (const auto &reading : readings_) {
      if (reading.shape(1) != readings_[0].shape(1)) throw nb::value_error("readings must have the same columns");
      words += reading.shape(0);
    }
    if (words != is_name.shape(0)) throw nb::value_error("readings and is_name must have a row a word");
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places.data()[i] >= std::int32_t(readings_[0].shape(1))) throw nb::value_error("a place is no column");
  }

  void check(std::size_t tags, const std::vector<int> &lengths, std::size_t words) const {
    if (of_name_.shape(0) != tags) throw nb::value_error("of_name must have an entry a tag");
    if (is_name_.shape(0) != words) throw nb::value_error("is_name must have an entry a word");
    if (readings_.empty()) return;
    if (readings_.size() != lengths.size()) throw nb::value_error("readings must have an array a sentence");
    for (std::size_t k = 0; k < lengths.size(); ++k)
      if (readings_[k].shape(0) != std::size_t(lengths[k])) throw nb::value_error("a reading must have a row a word");
  }

  // Of a sentence, whose first word is `begin` of all.
  AddedScores of(std::size_t sentence, std::size_t begin) const {
    AddedScores added;
    added.is_name = is_name_.data() + begin, added.of_name = of_name_.data();
    if (readings_.empty()) return added;
    added.network = readings_[sentence].data(), added.values = int(readings_[sentence].shape(1));
    added.places = places_.data(), added.columns = int(places_.shape(1)), added.weight = weight_;
    return added;
  }

 private:
  Readings readings_;
  IndexRows places_;
  double weight_;
  Mask is_name_;
  ScoreColumn of_name_;
};

class BoundTagModel {
 public:
  BoundTagModel(IndexRows items, int templates, HashRows tag_parts, int bits, int max_candidates, int word_atom,
                bool trigrams)
      : bits_(checked(bits, max_candidates, word_atom)),
        width_(word_atom + 1),
        model_(table_of(items, templates), parts_of(tag_parts),
               {bits, int(tag_parts.shape(1)), max_candidates, word_atom, trigrams}) {
    for (std::size_t i = 0; i < items.shape(0); ++i) width_ = std::max(width_, items(i, 1) + 1);
  }

  Decoded decode(HashRows atoms, IndexColumn begin, IndexColumn pool, IndexColumn rows, FloatColumn weights,
                 std::optional<Scores> adjust, bool confidence, double temperature, std::optional<HashRows> relations) {
    return best(check(atoms, begin, pool, rows, relations), rows, PlainWeights{checked(weights), 1},
                batch_of(rows, std::nullopt, adjust, nullptr, {}), confidence, temperature);
  }
  void keep_scores(WordRows &words, RoundedColumn weights) { words.keep_scores(&model_, checked(weights)); }
  Decoded decode_words(WordRows &words, IndexColumn rows, RoundedColumn weights, float scale,
                       std::optional<Scores> adjust, bool confidence, double temperature, const Given &given,
                       const std::optional<std::vector<int>> &lengths, const AddedTagScores *added) {
    return best(check(words, rows), rows, RoundedWeights{checked(weights), scale},
                batch_of(rows, lengths, adjust, added, given), confidence, temperature,
                words.own_scores(&model_, weights.data()));
  }

  NewScores probabilities_words(const WordRows &words, IndexColumn rows, RoundedColumn weights, float scale,
                                std::optional<Scores> adjust, double temperature, const Given &given,
                                const AddedTagScores *added) {
    const WordTable table = check(words, rows);
    const RoundedWeights rounded{checked(weights), scale};
    const Batch batch = batch_of(rows, std::nullopt, adjust, added, given);
    check_decoding(scale, temperature);
    NewScores probability = new_array<NewScores>(rows.shape(0), std::size_t(model_.tags()));
    nb::gil_scoped_release nogil;
    model_.probabilities(table, rows.data(), int(rows.shape(0)), rounded, batch.scores(0, 0, model_.tags()),
                         temperature, given.empty() ? nullptr : given.data(), probability.data());
    return probability;
  }

  double learn(HashRows atoms, IndexColumn begin, IndexColumn pool, IndexColumn rows, IndexColumn gold,
               LearningCells cells, double step, float rate, float epsilon, float margin,
               std::optional<HashRows> relations) {
    return learn_sentence(check(atoms, begin, pool, rows, relations), rows, gold, cells, step, rate, epsilon, margin);
  }
  double learn_words(const WordRows &words, IndexColumn rows, IndexColumn gold, LearningCells cells, double step,
                     float rate, float epsilon, float margin) {
    return learn_sentence(check(words, rows), rows, gold, cells, step, rate, epsilon, margin);
  }

 private:
  // Sentences one after the other, and what is added to the scores of their words.
  struct Batch {
    std::vector<int> lengths;
    const double *adjust;
    const AddedTagScores *added;
    const TagModel::Given *given;

    AddedScores scores(std::size_t sentence, std::size_t begin, int tags) const {
      AddedScores scores = added ? added->of(sentence, begin) : AddedScores();
      if (adjust) scores.adjust = adjust + begin * tags;
      return scores;
    }
  };

  // Without lengths the rows are one sentence.
  Batch batch_of(const IndexColumn &rows, const std::optional<std::vector<int>> &lengths,
                 const std::optional<Scores> &adjust, const AddedTagScores *added, const Given &given) const {
    const std::size_t words = rows.shape(0);
    Batch batch{lengths ? *lengths : std::vector<int>{int(words)}, adjust ? adjust->data() : nullptr, added,
                given.empty() ? nullptr : given.data()};
    std::size_t total = 0;
    for (const int length : batch.lengths) {
      if (length < 0) throw nb::value_error("lengths must not be negative");
      total += length;
    }
    if (total != words) throw nb::value_error("lengths must add up to the number of rows");
    if (adjust) check_adjust(*adjust, words);
    if (added) added->check(model_.tags(), batch.lengths, words);
    if (!given.empty() && given.size() != words)
      throw nb::value_error("candidates must have a list a word, or be empty");
    for (const TagModel::Given &tags : given)
      for (const std::int32_t tag : tags)
        if (tag < 0 || tag >= model_.tags()) throw nb::value_error("a candidate is not the number of a tag");
    return batch;
  }

  template <typename Weights>
  Decoded best(const WordTable &words, const IndexColumn &rows, const Weights &weights, const Batch &batch,
               bool confidence, double temperature, OwnScores *own = nullptr) {
    const std::size_t n = rows.shape(0);
    check_decoding(weights.scale, temperature);
    NewIndexColumn tags = new_array<NewIndexColumn>(n);
    std::optional<NewScoreColumn> probabilities;
    if (confidence) probabilities = new_array<NewScoreColumn>(n);
    double value = 0;
    {
      nb::gil_scoped_release nogil;
      std::size_t begin = 0;
      for (std::size_t k = 0; k < batch.lengths.size(); begin += batch.lengths[k++])
        value +=
            model_.decode(words, rows.data() + begin, batch.lengths[k], weights, batch.scores(k, begin, model_.tags()),
                          temperature, tags.data() + begin, probabilities ? probabilities->data() + begin : nullptr,
                          batch.given ? batch.given + begin : nullptr, own);
    }
    if (!batch.adjust && !batch.added && !std::isfinite(value))
      throw nb::value_error("the weights contain NaN or infinite numbers");
    return {tags, value, probabilities};
  }

  double learn_sentence(const WordTable &words, const IndexColumn &rows, const IndexColumn &gold, LearningCells &cells,
                        double step, float rate, float epsilon, float margin) {
    if (cells.shape(0) != std::size_t(1) << bits_ || cells.shape(1) != 4)
      throw nb::value_error("cells must have 2^bits rows and 4 columns");
    if (gold.shape(0) != rows.shape(0)) throw nb::value_error("gold must have an entry a word");
    for (std::size_t i = 0; i < gold.shape(0); ++i) {
      const std::int32_t *first = words.pool + words.begin[rows(i)], *last = words.pool + words.begin[rows(i) + 1];
      if (gold(i) != -1 && std::find(first, last, gold(i)) == last)
        throw nb::value_error("a gold tag is not a candidate of its word");
    }
    double loss;
    {
      nb::gil_scoped_release nogil;
      Learner learner(cells.data(), epsilon);
      loss = model_.learn(words, rows.data(), int(rows.shape(0)), cells.data(), learner, gold.data(), margin);
      if (std::isfinite(loss)) learner.step(step, rate);
    }
    if (!std::isfinite(loss)) throw nb::value_error("the loss is not finite: weights, margin or rate are too large");
    return loss;
  }

  template <typename Column>
  const typename Column::Scalar *checked(const Column &weights) const {
    if (weights.shape(0) != std::size_t(1) << bits_) throw nb::value_error("weights must have 2^bits entries");
    return weights.data();
  }
  static void check_decoding(float scale, double temperature) {
    if (!(temperature > 0)) throw nb::value_error("temperature must be positive");
    if (!std::isfinite(scale)) throw nb::value_error("the scale of the weights must be finite");
  }
  void check_adjust(const Scores &adjust, std::size_t words) const {
    if (adjust.shape(0) != words || adjust.shape(1) != std::size_t(model_.tags()))
      throw nb::value_error("adjust must have a row a word and a column a tag");
    if (bad_score(adjust.data(), std::ptrdiff_t(adjust.size())) >= 0)
      throw nb::value_error("adjust must be finite, or -inf to forbid a tag");
  }
  static bool is_atom(std::int32_t atom) { return atom >= 0 && atom < max_atoms; }
  static int checked(int bits, int max_candidates, int word_atom) {
    if (bits < 8 || bits > 28) throw nb::value_error("bits must be 8 to 28");
    if (max_candidates < 1) throw nb::value_error("max_candidates must be positive");
    if (!is_atom(word_atom)) throw nb::value_error("word_atom is not the number of an atom");
    return bits;
  }
  static TemplateTable table_of(const IndexRows &items, int templates) {
    if (items.shape(1) != 3) throw nb::value_error("items must have columns template, atom and offset");
    if (templates < 0 || templates > max_atoms) throw nb::value_error("the number of templates is out of range");
    TemplateTable table{0, 0, templates, {}};
    for (std::size_t i = 0; i < items.shape(0); ++i) {
      const std::int32_t number = items(i, 0), atom = items(i, 1), offset = items(i, 2);
      if (number < 0 || number >= templates) throw nb::value_error("an item is of no template");
      if (!is_atom(atom)) throw nb::value_error("an item is of no atom");
      if (offset < -Atoms::reach || offset > Atoms::reach)
        throw nb::value_error("the offset of an item must be -2 to 2");
      table.items.push_back({0, number, atom, offset});
    }
    return table;
  }
  static std::vector<std::uint32_t> parts_of(const HashRows &parts) {
    if (parts.shape(0) < 2 || parts.shape(1) < 1) throw nb::value_error("tag_parts must have two rows and a column");
    return {parts.data(), parts.data() + parts.size()};
  }

  WordTable check(const HashRows &atoms, const IndexColumn &begin, const IndexColumn &pool, const IndexColumn &rows,
                  const std::optional<HashRows> &relations) const {
    if (relations && relations->shape(0) != pool.shape(0))
      throw nb::value_error("relations must have a row for each entry of pool");
    if (atoms.shape(1) < std::size_t(width_)) throw nb::value_error("atoms lacks columns that templates name");
    if (atoms.shape(0) < 2 * Atoms::reach) throw nb::value_error("atoms lacks the rows of the padding");
    if (begin.shape(0) < atoms.shape(0) + 1)
      throw nb::value_error("begin must have one entry more than atoms has rows");
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      if (rows(i) < 0 || std::size_t(rows(i)) >= atoms.shape(0))
        throw nb::value_error("rows names a row that is missing");
      const std::int32_t first = begin(rows(i)), last = begin(rows(i) + 1);
      if (first < 0 || first >= last || std::size_t(last) > pool.shape(0))
        throw nb::value_error("a word has no candidates in pool");
      for (std::int32_t k = first; k < last; ++k)
        if (pool(k) < 0 || pool(k) >= model_.tags()) throw nb::value_error("a candidate is not the number of a tag");
    }
    return {atoms.data(),        begin.data(),
            pool.data(),         relations ? relations->data() : nullptr,
            int(atoms.shape(1)), relations ? int(relations->shape(1)) : 0};
  }
  WordTable check(const WordRows &words, const IndexColumn &rows) const {
    const WordTable table = words.table();
    if (table.width < width_) throw nb::value_error("the words lack atoms that templates name");
    if (words.labels() > model_.tags()) throw nb::value_error("the words have more labels than the model has tags");
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      if (rows(i) < 0 || rows(i) >= words.size()) throw nb::value_error("rows names a row that is missing");
      if (words.first(rows(i)) == words.last(rows(i))) throw nb::value_error("a word has no candidates");
    }
    return table;
  }

  static constexpr std::int32_t max_atoms = 1 << 16;  // far above any use, so that sizes do not overflow

  int bits_, width_;  // width_: atoms of a word that are read
  TagModel model_;
};

// scores[i, c] plus trigram[a, b, c]; tag number `tags` stands before the sentence.
struct DenseTrigrams {
  const double *scores, *trigram, *adjust;
  int tags;
  int number(int i, int k) const { return i < 0 ? tags : k; }
  double operator()(int i, int a, int b, int c) const {
    const std::size_t at = std::size_t(i) * tags + c;
    const std::size_t context = std::size_t(number(i - 2, a)) * (tags + 1) + number(i - 1, b);
    return scores[at] + trigram[context * tags + c] + (adjust ? adjust[at] : 0);
  }
};

static DenseTrigrams dense(const Scores &scores, const Scores3 &trigram, const std::optional<Scores> &adjust) {
  const std::size_t tags = scores.shape(1);
  if (tags < 1 || trigram.shape(0) != tags + 1 || trigram.shape(1) != tags + 1 || trigram.shape(2) != tags)
    throw nb::value_error("trigram must be [tags + 1, tags + 1, tags]");
  if (adjust && (adjust->shape(0) != scores.shape(0) || adjust->shape(1) != tags))
    throw nb::value_error("adjust must have the shape of scores");
  check_scores_of("scores", scores);
  check_scores_of("trigram", trigram);
  if (adjust) check_scores_of("adjust", *adjust);
  return {scores.data(), trigram.data(), adjust ? adjust->data() : nullptr, int(tags)};
}

static std::pair<NewIndexColumn, double> viterbi(Scores scores, Scores3 trigram, std::optional<Scores> adjust) {
  const DenseTrigrams local = dense(scores, trigram, adjust);
  NewIndexColumn tags = new_array<NewIndexColumn>(scores.shape(0));
  nb::gil_scoped_release nogil;
  thread_local Trigrams lattice;
  lattice.open(std::vector<int>(scores.shape(0), local.tags));
  const double value = lattice.best(local, tags.data());
  return {tags, value};
}

void bind_tagger(nb::module_ &m) {
  nb::class_<AddedTagScores>(m, "AddedTagScores", "What is added to the scores of tags (core/text/tagger.hpp).")
      .def(nb::init<Readings, IndexRows, double, Mask, ScoreColumn>(), nb::arg("readings").noconvert(),
           nb::arg("places").noconvert(), nb::arg("weight"), nb::arg("is_name").noconvert(),
           nb::arg("of_name").noconvert(),
           "readings: an array [word, value] of log-probabilities a sentence, or none; places[tag, column]: the value "
           "of the tag; weight: of the readings; is_name[word]: words with the scores of_name[tag] in their place.");
  nb::class_<BoundTagModel>(m, "TagModel", "A model of tag sequences (core/text/tagger.hpp).")
      .def(nb::init<IndexRows, int, HashRows, int, int, int, bool>(), nb::arg("items").noconvert(),
           nb::arg("templates"), nb::arg("tag_parts").noconvert(), nb::arg("bits"), nb::arg("max_candidates"),
           nb::arg("word_atom"), nb::arg("trigrams"))
      .def("decode", &BoundTagModel::decode, nb::arg("atoms").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("pool").noconvert(), nb::arg("rows").noconvert(), nb::arg("weights").noconvert(),
           nb::arg("adjust").noconvert().none(), nb::arg("confidence"), nb::arg("temperature") = 1.0,
           nb::arg("relations").noconvert() = nb::none(),
           "The best tags, the score of the sequence, and with `confidence` the probability of each tag, where a "
           "sequence has the weight exp(score / temperature). relations: hashed features of each entry of the pool.")
      .def(
          "keep_scores", &BoundTagModel::keep_scores, nb::arg("words"), nb::arg("weights").noconvert(),
          nb::keep_alive<2, 1>(), nb::keep_alive<2, 3>(),
          "Keep, for each row of TagWords, what `decode_words` with these weights, which must not change, adds up that "
          "does not depend on the words around.")
      .def("decode_words", &BoundTagModel::decode_words, nb::arg("words"), nb::arg("rows").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("adjust").noconvert().none(),
           nb::arg("confidence"), nb::arg("temperature") = 1.0, nb::arg("candidates") = Given(),
           nb::arg("lengths").none() = nb::none(), nb::arg("added").none() = nb::none(),
           "The same for the rows of TagWords or LemmaWords; with lengths they are several sentences, and the score is "
           "the sum of theirs. candidates[i], unless it is empty, are the tags that word i may have: those of its row "
           "among them, or all of them if there are none.")
      .def("probabilities_words", &BoundTagModel::probabilities_words, nb::arg("words"), nb::arg("rows").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("scale"), nb::arg("adjust").noconvert().none(),
           nb::arg("temperature"), nb::arg("candidates"), nb::arg("added").none() = nb::none(),
           "The probability of each tag of each word of a sentence, [word, tag].")
      .def("learn", &BoundTagModel::learn, nb::arg("atoms").noconvert(), nb::arg("begin").noconvert(),
           nb::arg("pool").noconvert(), nb::arg("rows").noconvert(), nb::arg("gold").noconvert(),
           nb::arg("cells").noconvert(), nb::arg("step"), nb::arg("rate"), nb::arg("epsilon"), nb::arg("margin"),
           nb::arg("relations").noconvert() = nb::none(),
           "One update on one sentence; returns the loss. The gold tag -1 is open.")
      .def("learn_words", &BoundTagModel::learn_words, nb::arg("words"), nb::arg("rows").noconvert(),
           nb::arg("gold").noconvert(), nb::arg("cells").noconvert(), nb::arg("step"), nb::arg("rate"),
           nb::arg("epsilon"), nb::arg("margin"), "The same for the rows of TagWords or LemmaWords.");
  m.def("viterbi", &viterbi, nb::arg("scores").noconvert(), nb::arg("trigram").noconvert(),
        nb::arg("adjust").noconvert().none(), "The best tag sequence and its score.");
}

}  // namespace treewright
