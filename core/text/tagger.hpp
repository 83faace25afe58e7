// A model of tag sequences: hashed features of the words around a position and of the tags before it.
//
// A tag has one or more parts (UPOS, XPOS, FEATS), and its score is the sum of its parts' scores:
//
//   score(c at i | a, b) = sum over parts p of
//                            sum over templates t of  weight[row(i, t) ^ part(c, p)]
//                          + weight[b_p, c_p] + weight[b_0, c_p] + weight[b_0, word i, c_p]
//                          + weight[a_p b_p, c_p] + weight[a_0 b_0, c_p]           (p = 0: each once; p < 3 only)
//
// where row(i, t) is the hash of template t around word i (features.hpp) and part(c, p) that of a part. The first line
// alone, the unary score, with what a network says of the tag added, prunes the candidates of a word: at most
// `max_candidates` remain, each within `max_gap` of the best. Trigrams (viterbi.hpp) choose among those. Words with a
// single candidate, and trigrams of such words, are not scored: their scores cannot change the result.
//
// Learning follows the gradient of log p(gold sequence) (Lafferty et al. 2001), with `margin` added to the score of
// each wrong tag.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "learning/features.hpp"
#include "learning/learning.hpp"
#include "text/viterbi.hpp"

namespace treewright {

// The words of a text, a row a word: hashed atoms, and candidates pool[begin[row]] to pool[begin[row + 1] - 1].
// The first 2 * Atoms::reach rows are the padding before and after a sentence.
struct WordTable {
  const std::uint32_t *atoms;
  const std::int32_t *begin, *pool;
  const std::uint32_t *relations;  // hashed features of each entry of the pool, `related` of them; or null
  int width, related;
};

// Weights to read: whole numbers of eight bits with a scale, floats, or the first of four floats that a Learner keeps.
template <typename Number, int stride>
struct TagWeights {
  const Number *data;
  float scale;
  using Sum = std::conditional_t<std::is_integral_v<Number>, std::int32_t, float>;
  Sum at(std::uint32_t index) const { return data[std::size_t(index) * stride]; }  // times scale
};
using RoundedWeights = TagWeights<std::int8_t, 1>;
using PlainWeights = TagWeights<float, 1>;
using LearningWeights = TagWeights<float, 4>;

// What is added to the scores of the candidates of a sentence. Each pointer may be null.
struct AddedScores {
  const double *adjust = nullptr;        // [word, tag]; added once the candidates are chosen, which it does not change
  const float *network = nullptr;        // [word, value]: the log-probability of each value of the columns
  const std::int32_t *places = nullptr;  // [tag, column]: the value of the tag; negative if the network lacks it
  int values = 0, columns = 0;
  double weight = 0;                // of the log-probabilities
  const bool *is_name = nullptr;    // [word]: names of files and code, about which the network is not asked
  const double *of_name = nullptr;  // [tag]: the scores of the tags of such names

  // By which candidates are chosen too: what the network, or the kind of the word, says about a tag.
  double unary(int word, int tag) const {
    if (is_name && is_name[word]) return of_name[tag];
    return network ? network_score(word, tag) : 0;
  }

 private:
  static constexpr double unknown_value = -15;  // log P of a value that the network does not have; not tuned

  double network_score(int word, int tag) const {
    const float *row = network + std::size_t(word) * values;
    double score = 0;
    for (const std::int32_t *place = places + std::size_t(tag) * columns, *end = place + columns; place < end; ++place)
      score += *place < 0 ? unknown_value : double(row[*place]);
    return score * weight;
  }
};

// What the scores of the candidates of a word have in common wherever it stands: the parts of its candidates, each once,
// and the sums of their weights over the templates that see no other word. Kept for each row of a WordTable.
class OwnScores {
 public:
  struct Word {
    std::vector<std::uint32_t> parts;
    std::vector<std::int32_t> sums;  // of each part, without the scale
    std::vector<int> listed;         // [candidate, part]: the place in parts
  };
  void clear() { words_.clear(); }
  Word &of(int row) {
    if (row >= int(words_.size())) words_.resize(std::max<std::size_t>(row + 1, 2 * words_.size()));
    return words_[row];
  }

 private:
  std::vector<Word> words_;
};

class TagModel {
 public:
  struct Settings {
    int bits, parts, max_candidates;
    int word_atom;  // the atom that is combined with the previous tag
    bool trigrams;  // otherwise each position is classified alone
  };

  TagModel(TemplateTable table, std::vector<std::uint32_t> tag_parts, Settings settings)
      : table_(std::move(table)), parts_(std::move(tag_parts)), set_(settings), mask_((1U << settings.bits) - 1) {
    std::vector<char> has_context(table_.templates);
    for (const TemplateTable::Item &item : table_.items) has_context[item.templ] |= item.offset != 0;
    for (int t = 0; t < table_.templates; ++t) {
      all_templates_.push_back(t);
      (has_context[t] ? contextual_ : own_templates_).push_back(t);
    }
    for (int k = 0; k < contexts; ++k) {
      context_[k].resize(parts_.size());
      for (std::size_t i = 0; i < parts_.size(); ++i)
        context_[k][i] = mixed(parts_[i] + 0x9e3779b9U * std::uint32_t(k + 1));
    }
  }

  int tags() const { return int(parts_.size()) / set_.parts - 1; }  // the last row is "before the sentence"

  // The tags that a word may have: those of its row among them, or all of them if there are none. Empty: any tag.
  using Given = std::vector<std::int32_t>;

  // Writes the best tag of each word, with `confidence` also the probability of each, where a sequence has the weight
  // exp(score / temperature); returns the score of the sequence. given: for each word, or null. own: what is kept of
  // these words and weights, whole numbers; or null.
  template <typename Weights>
  double decode(const WordTable &words, const std::int32_t *rows, int n, const Weights &weights,
                const AddedScores &added, double temperature, std::int32_t *tags, double *confidence,
                const Given *given = nullptr, OwnScores *own = nullptr) {
    own_ = own;
    score_sentence(words, rows, n, weights, added, nullptr, 0, given);
    own_ = nullptr;
    adjust_scores(added.adjust);
    best_.resize(n);
    const double value = best();
    if (confidence && n > 0) {
      divide_scores(temperature);
      sum();
      for (int i = 0; i < n; ++i) confidence[i] = size(i) == 1 ? 1 : std::min(1.0, p_tag(i, best_[i]));
    }
    for (int i = 0; i < n; ++i) tags[i] = tag(i, best_[i]);
    return value;
  }

  // Writes the probability of each tag of each word, in rows of tags().
  template <typename Weights>
  void probabilities(const WordTable &words, const std::int32_t *rows, int n, const Weights &weights,
                     const AddedScores &added, double temperature, const Given *given, double *probability) {
    std::fill_n(probability, std::size_t(n) * tags(), 0.0);
    if (n == 0) return;
    score_sentence(words, rows, n, weights, added, nullptr, 0, given);
    adjust_scores(added.adjust);
    divide_scores(temperature);
    sum();
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < size(i); ++k)
        probability[std::size_t(i) * tags() + tag(i, k)] = size(i) == 1 ? 1 : std::min(1.0, p_tag(i, k));
  }

  // Adds the gradient for the gold tags, all of them candidates; returns the loss. A gold tag of -1 is open: the
  // objective is then the log probability of all sequences that have the other tags.
  double learn(const WordTable &words, const std::int32_t *rows, int n, const float *cells, Learner &learner,
               const std::int32_t *gold, float margin) {
    score_sentence(words, rows, n, LearningWeights{cells, 1}, {}, gold, margin, nullptr);
    gold_.assign(n, open);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < size(i); ++k)
        if (tag(i, k) == gold[i]) gold_[i] = k;
    if (n == 0) return 0;
    if (std::find(gold_.begin(), gold_.end(), open) != gold_.end()) return learn_partial(words, learner);
    const double loss = sum() - score_of_gold();
    add_gradient(words, learner, [](bool is_gold, double p) { return is_gold - p; });
    return loss;
  }

 private:
  enum Context {
    pair_own,
    pair_first,
    pair_word,
    triple_own,
    triple_first,
    triple_far_own,
    triple_far_first,
    contexts
  };
  static constexpr int open = -1;               // in gold_: the tag of the word is not known
  static constexpr float min_gradient = 1e-3F;  // not tuned: smaller ones are not applied, to save time
  static constexpr double max_gap = 8;          // not tuned: unary scores may be lower than the best one by this much
  static constexpr int triple_parts = 3;        // trigram features of the columns, not of single morphological features

  struct Candidate {
    double score;
    std::int32_t tag;
    std::ptrdiff_t place;  // in the pool, or not_in_pool
  };
  static constexpr std::ptrdiff_t not_in_pool = -1;

  int size(int i) const { return i < 0 ? 1 : int(begin_[i + 1] - begin_[i]); }
  int tag(int i, int k) const { return i < 0 ? tags() : kept_[begin_[i] + k]; }
  double &unary(int i, int k) { return unary_[begin_[i] + k]; }
  std::uint32_t part(int tag, int p) const { return parts_[std::size_t(tag) * set_.parts + p]; }
  std::uint32_t context(int kind, int tag, int p) const { return context_[kind][std::size_t(tag) * set_.parts + p]; }

  template <typename Weights>
  void score_sentence(const WordTable &words, const std::int32_t *rows, int n, const Weights &weights,
                      const AddedScores &added, const std::int32_t *gold, float margin, const Given *given) {
    n_ = n;
    gather(words, rows);
    rows_.fill({atoms_.data(), nullptr, n, words.width, 0}, table_, 1);
    begin_.assign(1, 0), kept_.clear(), places_.clear(), unary_.clear();
    for (int i = 0; i < n; ++i) {
      const Given *tags = given && !given[i].empty() ? given + i : nullptr;
      find_candidates(words, rows[i], tags);
      score_candidates(words, i, tags ? -1 : rows[i], weights, added, gold ? gold[i] : -1, margin);
      begin_.push_back(kept_.size());
    }
    if (set_.trigrams) score_trigrams(weights);
  }

  void gather(const WordTable &words, const std::int32_t *rows) {
    const int width = words.width, reach = Atoms::reach;
    atoms_.resize(std::size_t(n_ + 2 * reach) * width);
    const auto copy = [&](int row, int i) {
      std::copy_n(words.atoms + std::size_t(row) * width, width, atoms_.begin() + std::ptrdiff_t(i + reach) * width);
    };
    for (int k = 0; k < reach; ++k) copy(k, k - reach), copy(k + reach, k + n_);
    for (int i = 0; i < n_; ++i) copy(rows[i], i);
  }

  void adjust_scores(const double *adjust) {
    if (!adjust) return;
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < size(i); ++k) unary(i, k) += finite(adjust[std::size_t(i) * tags() + tag(i, k)]);
  }

  // NaN, from weights or scores that are not finite, counts as forbidden: the order of candidates must be total.
  static double finite(double score) { return std::isnan(score) ? forbidden : score; }

  void find_candidates(const WordTable &words, int row, const Given *given) {
    const std::int32_t *first = words.pool + words.begin[row], *last = words.pool + words.begin[row + 1];
    ranked_.clear();
    for (const std::int32_t *c = first; c < last; ++c)
      if (!given || std::find(given->begin(), given->end(), *c) != given->end())
        ranked_.push_back({0, *c, c - words.pool});
    if (ranked_.empty() && given)
      for (const std::int32_t tag : *given) ranked_.push_back({0, tag, not_in_pool});
  }

  template <typename Weights>
  void score_candidates(const WordTable &words, int i, int row, const Weights &weights, const AddedScores &added,
                        int gold, float margin) {
    if (ranked_.size() == 1) {
      kept_.push_back(ranked_[0].tag), places_.push_back(ranked_[0].place);
      unary_.push_back(finite(added.unary(i, ranked_[0].tag)));
      return;
    }
    const int *listed = score_parts_of(i, row, weights);
    for (Candidate &c : ranked_) {
      double score = gold >= 0 && c.tag != gold ? margin : 0;
      for (int p = 0; p < set_.parts; ++p) score += part_values_[*listed++].second;
      if (c.place != not_in_pool)
        visit_relations(words, c.place,
                        [&](std::uint32_t index) { score += double(float(weights.at(index)) * weights.scale); });
      c.score = finite(score + added.unary(i, c.tag));
    }
    prune(gold);
    for (const auto &[score, c, place] : ranked_) kept_.push_back(c), places_.push_back(place), unary_.push_back(score);
  }

  template <typename Use>
  void visit_relations(const WordTable &words, std::ptrdiff_t place, Use use) const {
    for (int r = 0; r < words.related; ++r) {
      const std::uint32_t relation = words.relations[place * words.related + r];
      use(relation & mask_);
      use((mixed(relation) ^ part(words.pool[place], 0)) & mask_);
    }
  }

  // Lists the parts of all candidates; candidates often share parts, and each part is listed once.
  void list_parts() {
    part_values_.clear(), listed_.clear();
    for (const Candidate &c : ranked_)
      for (int p = 0; p < set_.parts; ++p) {
        const std::uint32_t hash = part(c.tag, p);
        std::size_t at = 0;
        while (at < part_values_.size() && part_values_[at].first != hash) ++at;
        if (at == part_values_.size()) part_values_.push_back({hash, 0});
        listed_.push_back(int(at));
      }
  }

  // Scores the parts of the candidates of word i and returns the places of each candidate's. row: of its candidates, -1
  // if they are not all of a row.
  template <typename Weights>
  const int *score_parts_of(int i, int row, const Weights &weights) {
    const std::uint32_t *cells = rows_.at(0, i);
    if constexpr (std::is_integral_v<typename Weights::Sum>) {
      if (own_ && row >= 0) {
        OwnScores::Word &word = own_->of(row);
        if (word.parts.empty()) describe(word, cells, weights);
        part_values_.clear();
        for (const std::uint32_t part : word.parts) part_values_.push_back({part, 0});
        score_listed_parts(cells, weights, contextual_, word.sums.data());
        return word.listed.data();
      }
    }
    list_parts();
    sums_.assign(part_values_.size(), 0);
    score_listed_parts(cells, weights, all_templates_, sums_.data());
    return listed_.data();
  }

  template <typename Weights>
  void describe(OwnScores::Word &word, const std::uint32_t *cells, const Weights &weights) {
    list_parts();
    word.listed = listed_;
    for (const auto &[part, value] : part_values_) {
      std::int32_t sum = 0;
      for (const int t : own_templates_) sum += weights.at((cells[t] ^ part) & mask_);
      word.parts.push_back(part), word.sums.push_back(sum);
    }
  }

  // Several parts at a time, so that the loads and additions of one do not wait for those of another.
  template <typename Weights>
  void score_listed_parts(const std::uint32_t *row, const Weights &weights, const std::vector<int> &templates,
                          const std::int32_t *first) {
    std::size_t k = 0;
    for (; k + 4 <= part_values_.size(); k += 4) score_together<4>(row, weights, templates, first, k);
    switch (part_values_.size() - k) {
      case 3:
        return score_together<3>(row, weights, templates, first, k);
      case 2:
        return score_together<2>(row, weights, templates, first, k);
      case 1:
        return score_together<1>(row, weights, templates, first, k);
    }
  }

  template <int together, typename Weights>
  void score_together(const std::uint32_t *row, const Weights &weights, const std::vector<int> &templates,
                      const std::int32_t *first, std::size_t k) {
    const std::uint32_t mask = mask_;
    std::uint32_t hash[together];
    typename Weights::Sum sum[together];
    for (int j = 0; j < together; ++j)
      hash[j] = part_values_[k + j].first, sum[j] = typename Weights::Sum(first[k + j]);
    for (const int t : templates)
      for (int j = 0; j < together; ++j) sum[j] += weights.at((row[t] ^ hash[j]) & mask);
    for (int j = 0; j < together; ++j) part_values_[k + j].second = float(sum[j]) * weights.scale;
  }

  void prune(int gold) {
    std::sort(ranked_.begin(), ranked_.end(), [&](const auto &x, const auto &y) {
      const bool x_gold = x.tag == gold, y_gold = y.tag == gold;
      if (x_gold != y_gold) return x_gold;
      return x.score != y.score ? x.score > y.score : x.tag < y.tag;
    });
    double best = ranked_.front().score;
    for (const Candidate &candidate : ranked_) best = std::max(best, candidate.score);
    std::size_t kept = 1;
    while (kept < ranked_.size() && int(kept) < set_.max_candidates && ranked_[kept].score >= best - max_gap) ++kept;
    ranked_.resize(kept);
  }

  template <typename Weights>
  void score_trigrams(const Weights &weights) {
    pair_begin_.assign(1, 0), triple_begin_.assign(1, 0);
    for (int i = 0; i < n_; ++i) {
      pair_begin_.push_back(pair_begin_.back() + std::size_t(size(i - 1)) * size(i));
      triple_begin_.push_back(triple_begin_.back() + std::size_t(size(i - 2)) * size(i - 1) * size(i));
    }
    pair_.assign(pair_begin_.back(), 0), triple_.assign(triple_begin_.back(), 0);
    for (int i = 0; i < n_; ++i) {
      if (size(i - 1) * size(i) > 1)
        each_pair(i, [&](int b, int c, std::size_t at) {
          visit_pair(i, b, c,
                     [&](std::uint32_t index) { pair_[at] += double(float(weights.at(index)) * weights.scale); });
        });
      if (size(i - 2) * size(i - 1) * size(i) > 1)
        each_triple(i, [&](int a, int b, int c, std::size_t at) {
          visit_triple(i, a, b, c,
                       [&](std::uint32_t index) { triple_[at] += double(float(weights.at(index)) * weights.scale); });
        });
    }
    sizes_.resize(n_);
    for (int i = 0; i < n_; ++i) sizes_[i] = size(i);
    lattice_.open(sizes_);
  }

  template <typename Use>
  void each_pair(int i, Use use) const {
    std::size_t at = pair_begin_[i];
    for (int b = 0; b < size(i - 1); ++b)
      for (int c = 0; c < size(i); ++c) use(b, c, at++);
  }
  template <typename Use>
  void each_triple(int i, Use use) const {
    std::size_t at = triple_begin_[i];
    for (int a = 0; a < size(i - 2); ++a)
      for (int b = 0; b < size(i - 1); ++b)
        for (int c = 0; c < size(i); ++c) use(a, b, c, at++);
  }

  template <typename Use>
  void visit_pair(int i, int b, int c, Use use) const {
    const int previous = tag(i - 1, b), current = tag(i, c);
    const std::uint32_t word = mixed(atoms_[std::size_t(i + Atoms::reach) * table_width() + set_.word_atom]);
    for (int p = 0; p < set_.parts; ++p) {
      use((context(pair_own, previous, p) ^ part(current, p)) & mask_);
      if (p > 0) use((context(pair_first, previous, 0) ^ part(current, p)) & mask_);
      use((context(pair_word, previous, 0) ^ word ^ part(current, p)) & mask_);
    }
  }
  template <typename Use>
  void visit_triple(int i, int a, int b, int c, Use use) const {
    const int far = tag(i - 2, a), previous = tag(i - 1, b), current = tag(i, c);
    for (int p = 0; p < std::min(set_.parts, triple_parts); ++p) {
      use((context(triple_far_own, far, p) ^ context(triple_own, previous, p) ^ part(current, p)) & mask_);
      if (p > 0)
        use((context(triple_far_first, far, 0) ^ context(triple_first, previous, 0) ^ part(current, p)) & mask_);
    }
  }
  std::size_t table_width() const { return atoms_.size() / std::size_t(n_ + 2 * Atoms::reach); }

  double local(int i, int a, int b, int c) const {
    const std::size_t pair = pair_begin_[i] + std::size_t(b) * size(i) + c;
    const std::size_t triple = triple_begin_[i] + (std::size_t(a) * size(i - 1) + b) * size(i) + c;
    return unary_[begin_[i] + c] + pair_[pair] + triple_[triple];
  }

  double best() {
    if (set_.trigrams)
      return lattice_.best([&](int i, int a, int b, int c) { return local(i, a, b, c); }, best_.data());
    double value = 0;
    for (int i = 0; i < n_; ++i) {
      const auto first = unary_.begin() + std::ptrdiff_t(begin_[i]);
      best_[i] = int(std::max_element(first, first + size(i)) - first);
      value += first[best_[i]];
    }
    return value;
  }

  void divide_scores(double temperature) {
    if (temperature == 1) return;
    for (std::vector<double> *scores : {&unary_, &pair_, &triple_})
      for (double &score : *scores) score /= temperature;
  }

  double sum() {
    if (set_.trigrams) return lattice_.sum([&](int i, int a, int b, int c) { return local(i, a, b, c); });
    double value = 0;
    totals_.resize(n_);
    for (int i = 0; i < n_; ++i) {
      totals_[i] = LogSum::sum(&unary(i, 0), size(i));
      value += totals_[i];
    }
    return value;
  }

  double p_tag(int i, int c) const {
    return set_.trigrams ? lattice_.p_tag(i, c) : std::exp(unary_[begin_[i] + c] - totals_[i]);
  }

  double score_of_gold() const {
    double value = 0;
    for (int i = 0; i < n_; ++i)
      value += set_.trigrams ? local(i, gold_at(i - 2), gold_at(i - 1), gold_[i]) : unary_[begin_[i] + gold_[i]];
    return value;
  }
  int gold_at(int i) const { return i < 0 ? 0 : gold_[i]; }

  // Adds the probability of each feature given the tags that are known, minus that without them.
  double learn_partial(const WordTable &words, Learner &learner) {
    const double all = sum();
    add_gradient(words, learner, [](bool, double p) { return -p; });
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < size(i); ++k)
        if (gold_[i] != open && gold_[i] != k) unary(i, k) = forbidden;
    const double decided = sum();
    add_gradient(words, learner, [](bool, double p) { return p; });
    return all - decided;
  }

  // Adds the gradient of each feature, of_feature(whether gold has it, its probability).
  template <typename OfFeature>
  void add_gradient(const WordTable &words, Learner &learner, OfFeature of_feature) {
    for (int i = 0; i < n_; ++i) {
      add_unary_gradient(words, i, learner, of_feature);
      if (!set_.trigrams) continue;
      if (size(i - 1) * size(i) > 1)
        each_pair(i, [&](int b, int c, std::size_t) {
          const auto gradient = float(of_feature(b == gold_at(i - 1) && c == gold_[i], lattice_.p_pair(i, b, c)));
          if (std::abs(gradient) < min_gradient) return;
          visit_pair(i, b, c, [&](std::uint32_t index) { learner.add(index, gradient); });
        });
      if (size(i - 2) * size(i - 1) * size(i) > 1)
        each_triple(i, [&](int a, int b, int c, std::size_t) {
          const bool is_gold = a == gold_at(i - 2) && b == gold_at(i - 1) && c == gold_[i];
          const auto gradient = float(of_feature(is_gold, lattice_.p_triple(i, a, b, c, local(i, a, b, c))));
          if (std::abs(gradient) < min_gradient) return;
          visit_triple(i, a, b, c, [&](std::uint32_t index) { learner.add(index, gradient); });
        });
    }
  }

  // The gradients of parts that candidates share are summed first, because many cancel out.
  template <typename OfFeature>
  void add_unary_gradient(const WordTable &words, int i, Learner &learner, OfFeature of_feature) {
    if (size(i) == 1) return;
    part_values_.clear();
    for (int k = 0; k < size(i); ++k) {
      const auto gradient = float(of_feature(k == gold_[i], p_tag(i, k)));
      if (std::abs(gradient) >= min_gradient)
        visit_relations(words, places_[begin_[i] + k], [&](std::uint32_t index) { learner.add(index, gradient); });
      for (int p = 0; p < set_.parts; ++p) {
        const std::uint32_t hash = part(tag(i, k), p);
        const auto found = std::find_if(part_values_.begin(), part_values_.end(),
                                        [&](const auto &entry) { return entry.first == hash; });
        if (found == part_values_.end())
          part_values_.push_back({hash, gradient});
        else
          found->second += gradient;
      }
    }
    const std::uint32_t *row = rows_.at(0, i);
    for (const auto &[part, gradient] : part_values_)
      if (std::abs(gradient) >= min_gradient)
        for (int t = 0; t < rows_.templates(); ++t) learner.add((row[t] ^ part) & mask_, gradient);
  }

  TemplateTable table_;
  std::vector<std::uint32_t> parts_, context_[contexts];  // [tag, part]
  Settings set_;
  std::uint32_t mask_;
  std::vector<int> all_templates_, own_templates_, contextual_;  // those that see no other word, and the others

  OwnScores *own_ = nullptr;
  std::vector<std::int32_t> sums_;  // zero for each part
  int n_ = 0;
  Rows rows_;
  Trigrams lattice_;
  std::vector<std::uint32_t> atoms_;
  std::vector<std::size_t> begin_, pair_begin_, triple_begin_;
  std::vector<int> kept_, sizes_, best_, gold_;
  std::vector<int> listed_;  // [candidate, part] of a word: the place in part_values_
  std::vector<double> unary_, pair_, triple_, totals_;
  std::vector<Candidate> ranked_;
  std::vector<std::ptrdiff_t> places_;  // in the pool
  std::vector<std::pair<std::uint32_t, float>>
      part_values_;  // the score or gradient of each part of a word's candidates
};

}  // namespace treewright
