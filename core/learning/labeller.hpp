// Labels for the arcs of a tree: for each word a sum of weights a label, over templates of the word, its head,
// grandparent, neighbouring siblings, first and last modifier, and over each of its modifiers and siblings.
//
// Templates are hashed as in features.hpp. The weights of a feature for all labels lie side by side in a row of
// `width` cells, label l in place of (l xor x), x a multiple of four from the feature's own hash: rows of
// different features share cells, but rarely for the same labels, and four labels are added at a time.
//
// Candidates are the labels that occur in training between two such tags in that direction, in learning too; a single
// candidate is neither scored nor learned. The scores of different words are independent; where the best labels of two
// modifiers of a head exclude each other, the modifiers of this head are labelled together (label_exclusions.hpp).
// Scores of another model can be added to those of the weights, in the same unit; they are not learned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "learning/features.hpp"
#include "learning/label_exclusions.hpp"
#include "learning/learning.hpp"

namespace treewright {

// The labels that go with a key: label[begin[k] .. begin[k + 1]) with the k-th of the sorted keys.
struct LabelSets {
  struct Range {
    const std::int32_t *first, *last;
    int size() const { return int(last - first); }
    const std::int32_t *begin() const { return first; }
    const std::int32_t *end() const { return last; }
  };
  std::vector<std::uint32_t> key;
  std::vector<std::int32_t> begin, label;

  // An empty range for an unknown key.
  Range find(std::uint32_t searched) const {
    const std::size_t k = std::lower_bound(key.begin(), key.end(), searched) - key.begin();
    if (k == key.size() || key[k] != searched) return {nullptr, nullptr};
    return {label.data() + begin[k], label.data() + begin[k + 1]};
  }
};

class Labeller {
 public:
  enum Kind { tree, of_modifier, of_sibling };
  enum Role { head, word, grandparent, left_sibling, right_sibling, first_modifier, last_modifier, tree_roles };

  // `width` is a power of two, at least four and the number of labels.
  Labeller(std::vector<TemplateTable> tables, int bits, int labels, int width)
      : tables_(std::move(tables)),
        rows_(tables_.size()),
        mask_((1U << bits) - 1),
        labels_(labels),
        width_(width),
        all_(labels) {
    std::iota(all_.begin(), all_.end(), 0);
    for (TemplateTable &table : tables_) table.with_distance.resize(table.templates);
  }

  int labels() const { return labels_; }
  int nodes() const { return nodes_; }

  // The key of the candidate labels of word m: the tags of head and word, and the direction.
  static std::uint32_t pair_key(std::uint32_t head_tag, std::uint32_t word_tag, bool right) {
    return mixed(mixed(head_tag) + word_tag) ^ (right ? rightward : 0);
  }
  std::uint32_t key(const Atoms &atoms, int tag, int m) const {
    return pair_key(atoms.at(heads_[m], tag), atoms.at(m, tag), heads_[m] < m);
  }

  // The best label of each node, -1 for the root, and its probability among the candidates, where a label has the
  // weight exp(scale score); given[m] is the label of node m if it is not negative.
  template <typename Weight>
  void best(const Weight *weights, const Atoms &atoms, int tag, const LabelSets &sets, float scale,
            std::int32_t *labels, double *probability, const std::int32_t *given = nullptr) {
    scores_.resize(width_);
    labels[0] = -1, probability[0] = 1;
    const auto candidates_of = [&](int m) {
      if (!given || given[m] < 0) return sets.find(key(atoms, tag, m));
      return LabelSets::Range{all_.data() + given[m], all_.data() + given[m] + 1};
    };
    const auto choose = [&](Task task, const Cells &cells) {
      labels[task.m] = best(weights, task.m, task.candidates, cells);
      probability[task.m] = probability_of(labels[task.m], task.candidates, scale);
    };
    PrefetchQueue<Weight, Task, decltype(choose)> queue(weights, choose);
    for (int m = 1; m < nodes_; ++m) {
      const LabelSets::Range candidates = candidates_of(m);
      if (candidates.size() == 1)
        labels[m] = candidates.first[0], probability[m] = 1;
      else
        queue.add({m, candidates}, [&](auto use) { visit(m, use); });
    }
    queue.finish();
    if (exclusions_.empty()) return;
    for (int h = 1; h < nodes_; ++h) {
      const LabelSets::Range modifiers = modifiers_of(h);
      chosen_.clear();
      for (const std::int32_t m : modifiers) chosen_.push_back(labels[m]);
      if (exclusions_.has_violation(chosen_))
        label_together(weights, modifiers, candidates_of, scale, labels, probability);
    }
  }

  // Writes the probability of each label of word m among its candidates, 0 for other labels.
  template <typename Weight>
  void probabilities(const Weight *weights, const Atoms &atoms, int tag, const LabelSets &sets, float scale, int m,
                     double *probability) {
    scores_.resize(width_);
    std::fill_n(probability, labels_, 0.0);
    choices_.resize(std::max<std::size_t>(choices_.size(), 1));
    list_choices(weights, sets.find(key(atoms, tag, m)), m, choices_[0]);
    for (const LabelChoice &choice : choices_[0])
      probability[choice.label] = probability_of(choice.label, choices_[0], scale);
  }

  // The pairs of labels that no two modifiers of a word have.
  void set_exclusions(const std::vector<std::pair<int, int>> &pairs) {
    exclusions_ = pairs.empty() ? LabelExclusions() : LabelExclusions(labels_, pairs);
  }

  // added: a score for each node and label, a row a node, which must exist as long as the sentence; null for none.
  void open(const Atoms &atoms, const int *heads, const float *added = nullptr) {
    nodes_ = atoms.nodes;
    added_ = added;
    for (std::size_t i = 0; i < tables_.size(); ++i)
      rows_[i].fill(atoms, tables_[i], tables_[i].kind == tree ? int(tree_roles) : 3);
    heads_.assign(heads, heads + nodes_);
    list_modifiers();
  }

  // Adds the gradient of log p(gold label) for each word, with the score of every other candidate raised by `margin`; a
  // negative gold label is unknown. Returns the sum of -log p.
  double learn(Learner &learner, const Atoms &atoms, int tag, const LabelSets &sets, const int *gold, float margin) {
    double loss = 0;
    scores_.resize(width_);
    const auto update = [&](Task task, const Cells &cells) {
      loss += learn(learner, task.m, task.candidates, cells, gold[task.m], margin);
    };
    PrefetchQueue<float, Task, decltype(update)> queue(learner.weights(), update);
    for (int m = 1; m < nodes_; ++m) {
      const LabelSets::Range candidates = sets.find(key(atoms, tag, m));
      if (gold[m] >= 0 && candidates.size() != 1) queue.add({m, candidates}, [&](auto use) { visit(m, use); });
    }
    queue.finish();
    return loss;
  }

 private:
  struct Task {
    int m;
    LabelSets::Range candidates;
  };

  // Scores of the candidate labels of word m; all are candidates when there are none.
  template <typename Weight>
  void score(const Weight *weights, int m, LabelSets::Range candidates, const Cells &cells) {
    const int count = candidates.size();
    if (count == 0 || count > few<Weight>) {
      std::fill_n(scores_.begin(), width_, 0.0f);
      add_rows(weights, cells.singles);
    } else {
      for (const std::int32_t label : candidates) scores_[label] = 0;
      for (const std::uint32_t index : cells.singles) {
        const Weight *row = weights + (index & ~low());
        const std::uint32_t turn = index & low() & ~3U;
        for (const std::int32_t label : candidates) scores_[label] += row[std::uint32_t(label) ^ turn];
      }
    }
    if (!added_) return;
    const float *row = added_ + std::size_t(m) * labels_;
    if (count == 0) candidates = {all_.data(), all_.data() + labels_};
    for (const std::int32_t label : candidates) scores_[label] += row[label];
  }

  template <typename Weight>
  int best(const Weight *weights, int m, LabelSets::Range candidates, const Cells &cells) {
    score(weights, m, candidates, cells);
    const int count = candidates.size();
    int best = count ? candidates.first[0] : 0;
    for (int k = 1; k < (count ? count : labels_); ++k) {
      const int label = count ? candidates.first[k] : k;
      if (scores_[label] > scores_[best]) best = label;
    }
    return best;
  }

  // The best labels of the modifiers of one head that exclude each other as little as possible.
  template <typename Weight, typename CandidatesOf>
  void label_together(const Weight *weights, LabelSets::Range modifiers, CandidatesOf candidates_of, float scale,
                      std::int32_t *labels, double *probability) {
    choices_.resize(modifiers.size());
    for (int i = 0; i < modifiers.size(); ++i)
      list_choices(weights, candidates_of(modifiers.first[i]), modifiers.first[i], choices_[i]);
    exclusions_.assign(choices_, chosen_);
    for (int i = 0; i < modifiers.size(); ++i) {
      labels[modifiers.first[i]] = chosen_[i];
      probability[modifiers.first[i]] = probability_of(chosen_[i], choices_[i], scale);
    }
  }

  // After `best`: the scores of the candidates are in scores_.
  double probability_of(int label, LabelSets::Range candidates, float scale) const {
    if (candidates.size() == 0) candidates = {all_.data(), all_.data() + labels_};
    float sum = 0;
    for (const std::int32_t other : candidates) sum += std::exp(scale * (scores_[other] - scores_[label]));
    return 1 / double(sum);
  }

  static double probability_of(int label, const std::vector<LabelChoice> &choices, float scale) {
    float own = 0, sum = 0;
    for (const LabelChoice &choice : choices)
      if (choice.label == label) own = choice.score;
    for (const LabelChoice &choice : choices) sum += std::exp(scale * (choice.score - own));
    return 1 / double(sum);
  }

  template <typename Weight>
  void list_choices(const Weight *weights, LabelSets::Range candidates, int m, std::vector<LabelChoice> &choices) {
    choices.clear();
    if (candidates.size() == 1) return choices.push_back({candidates.first[0], 0});
    cells_.clear();
    visit(m, [&](std::uint32_t index) { *cells_.singles.append(1) = index; });
    score(weights, m, candidates, cells_);
    if (candidates.size() == 0) candidates = {all_.data(), all_.data() + labels_};
    for (const std::int32_t label : candidates) choices.push_back({label, scores_[label]});
  }

  LabelSets::Range modifiers_of(int h) const {
    return {modifiers_.data() + begin_[h], modifiers_.data() + begin_[h + 1]};
  }

  template <typename Weight>
  void add_rows(const Weight *weights, const CellIndices &cells) {
    for (const std::uint32_t index : cells) {
      const Weight *row = weights + (index & ~low());
      const std::uint32_t turn = index & low() & ~3U;
      for (int l = 0; l < labels_; l += 4) {
        const Weight *four = row + (std::uint32_t(l) ^ turn);
        for (int k = 0; k < 4; ++k) scores_[l + k] += four[k];
      }
    }
  }

  // Eight-bit weights are summed sixteen at a time: rows are turned by blocks of sixteen when they are added, and within
  // blocks, where there are four orders with a sum each, at the end. Sums of whole numbers are exact in any order.
  void add_rows(const std::int8_t *weights, const CellIndices &cells) {
    if (width_ < block) return add_rows<std::int8_t>(weights, cells);
    for (std::size_t begin = 0; begin < cells.size(); begin += max_rows) {
      row_sums_.assign(std::size_t(orders) * width_, 0);
      for (std::size_t i = begin; i < std::min(cells.size(), begin + max_rows); ++i) {
        const std::uint32_t turn = cells[i] & low() & ~3U;
        const std::int8_t *row = weights + (cells[i] & ~low());
        std::int16_t *sums = row_sums_.data() + turn / 4 % orders * width_;
        for (int at = 0; at < width_; at += block) {
          const std::int8_t *from = row + (std::uint32_t(at) ^ (turn & ~15U));
#pragma omp simd
          for (int k = 0; k < block; ++k) sums[at + k] = std::int16_t(sums[at + k] + from[k]);
        }
      }
      for (int order = 0; order < orders; ++order)
        for (int l = 0; l < width_; ++l) scores_[l] += row_sums_[std::size_t(order) * width_ + (l ^ 4 * order)];
    }
  }

  static constexpr int block = 16, orders = 4;  // cells that are added at once; orders of the fours in a block
  static constexpr std::size_t max_rows = 255;  // whose sums fit into 16 bits: 255 * 128 < 2^15
  // Up to so many candidates are added one by one; not tuned.
  template <typename Weight>
  static constexpr int few = std::is_integral_v<Weight> ? 6 : 12;
  static constexpr float smallest_change = 1e-3F;  // not tuned: smaller gradients of labels are ignored

  std::uint32_t low() const { return std::uint32_t(width_ - 1); }

  double learn(Learner &learner, int m, LabelSets::Range candidates, const Cells &cells, int gold, float margin) {
    if (candidates.size() == 0) candidates = {all_.data(), all_.data() + labels_};
    score(learner.weights(), m, candidates, cells);
    const double loss = make_gradient(candidates, gold, margin);
    changing_.clear();
    for (const std::int32_t label : candidates)
      if (scores_[label] != 0) changing_.push_back(label);
    for (const std::uint32_t index : cells.singles) {
      const std::uint32_t turn = index & low() & ~3U, row = index & ~low();
      for (const std::int32_t label : changing_) learner.add(row + (std::uint32_t(label) ^ turn), scores_[label]);
    }
    return loss;
  }

  // Turns scores_ into the gradient of log p(gold) and returns -log p(gold).
  double make_gradient(LabelSets::Range candidates, int gold, float margin) {
    float best = scores_[gold], sum = 0;
    for (const std::int32_t label : candidates) {
      if (label != gold) scores_[label] += margin;
      best = std::max(best, scores_[label]);
    }
    for (const std::int32_t label : candidates) sum += scores_[label] = std::exp(scores_[label] - best);
    const double loss = -std::log(std::max(double(scores_[gold]) / sum, 1e-30));
    for (const std::int32_t label : candidates) {
      scores_[label] = float(label == gold) - scores_[label] / sum;
      if (std::abs(scores_[label]) < smallest_change) scores_[label] = 0;
    }
    return loss;
  }

  void list_modifiers() {
    begin_.assign(nodes_ + 1, 0);
    for (int m = 1; m < nodes_; ++m) ++begin_[heads_[m] + 1];
    for (int h = 0; h < nodes_; ++h) begin_[h + 1] += begin_[h];
    modifiers_.resize(nodes_);
    place_.assign(nodes_, 0);
    std::vector<int> filled(begin_.begin(), begin_.end() - 1);
    for (int m = 1; m < nodes_; ++m) modifiers_[place_[m] = filled[heads_[m]]++] = m;
  }

  template <typename Use>
  void visit(int m, Use use) const {
    const int h = heads_[m], none = nodes_, at = place_[m];
    const int roles[tree_roles] = {h,
                                   m,
                                   h == 0 ? none : heads_[h],
                                   at > begin_[h] ? modifiers_[at - 1] : none,
                                   at + 1 < begin_[h + 1] ? modifiers_[at + 1] : none,
                                   begin_[m] < begin_[m + 1] ? modifiers_[begin_[m]] : none,
                                   begin_[m] < begin_[m + 1] ? modifiers_[begin_[m + 1] - 1] : none};
    const std::uint32_t flags = direction(h, m);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].kind == tree)
        visit_tree(i, roles, flags, distance_bin(h, m), use);
      else
        visit_set(rows_[i], tables_[i].kind == of_modifier ? m : h, m, flags, use);
    }
  }

  template <typename Use>
  void visit_tree(std::size_t i, const int *roles, std::uint32_t flags, std::uint32_t distance, Use use) const {
    const Rows &rows = rows_[i];
    const std::vector<char> &with_distance = tables_[i].with_distance;
    const std::uint32_t *at[tree_roles];
    for (int role = 0; role < tree_roles; ++role) at[role] = rows.at(role, roles[role]);
    for (int t = 0; t < rows.templates(); ++t) {
      std::uint32_t index = flags;
      for (int role = 0; role < tree_roles; ++role) index ^= at[role][t];
      use(index & mask_);
      if (with_distance[t]) use((index ^ mixed(distance)) & mask_);
    }
  }

  // Each modifier of `parent` but m itself, together with m and its head.
  template <typename Use>
  void visit_set(const Rows &rows, int parent, int m, std::uint32_t flags, Use use) const {
    const std::uint32_t *a = rows.at(0, heads_[m]), *b = rows.at(1, m);
    for (int at = begin_[parent]; at < begin_[parent + 1]; ++at) {
      const int k = modifiers_[at];
      if (k == m) continue;
      const std::uint32_t *c = rows.at(2, k), all = flags ^ (k < m ? rightward_again : 0);
      for (int t = 0; t < rows.templates(); ++t) use((a[t] ^ b[t] ^ c[t] ^ all) & mask_);
    }
  }

  std::vector<TemplateTable> tables_;
  std::vector<Rows> rows_;
  std::uint32_t mask_;
  int labels_, width_, nodes_ = 0;
  std::vector<int> heads_, begin_, modifiers_, place_;  // modifiers of h: modifiers_[begin_[h] .. begin_[h + 1])
  const float *added_ = nullptr;
  std::vector<float> scores_;
  std::vector<std::int16_t> row_sums_;                 // [order, cell]
  std::vector<std::int32_t> all_, changing_, chosen_;  // labels
  LabelExclusions exclusions_;
  std::vector<std::vector<LabelChoice>> choices_;  // of the modifiers of one head
  Cells cells_;
};

}  // namespace treewright
