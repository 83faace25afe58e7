// The probabilities of Collins' model 1 (Collins 1999, 2003), from counts of events.
//
//   P_H(H | P, t, w)                         the head child H of a phrase P with head word w and tag t
//   P_M(M, t_m | side, P, H, t, w, d, prev)  a modifier and the tag of its head word, or STOP
//   P_W(w_m | M, t_m, side, P, H, ...)       the head word of the modifier
//   P_top(X, t), P_topw(w | t, X)            the root
//
// d is 1 if a verb is between the head word and the modifier, prev the class of the modifier before on this side
// (none, conjunction, punctuation, other). In base phrases the modifier before takes the place of the head: (H, w, t)
// are its label, word and tag, and d = prev = 0. Each distribution backs off twice,
//
//   p_k = lambda_k c(outcome, history_k) / c(history_k) + (1 - lambda_k) p_{k + 1}
//   lambda_k = c(history_k) / (c(history_k) + 5 u(history_k))
//
// with u distinct outcomes after a history; lambda is 1 at the last level. The histories of a level are hashed to 64
// bits; with 10^7 of them the probability of any collision is 3e-6.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/scores.hpp"

namespace treewright {

// Counts by key, with open addressing.
class CountTable {
 public:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t count = 0, distinct = 0;
  };

  CountTable() : entries_(1 << 12) {}

  // Adds an event: an outcome after a history.
  void add(std::uint64_t history, std::uint64_t outcome, std::uint32_t count) {
    Entry &event = find_or_add(event_key(history, outcome));
    const bool is_new = event.count == 0;
    event.count += count;
    Entry &seen = find_or_add(history);
    seen.count += count;
    seen.distinct += is_new;
  }

  Entry get(std::uint64_t key) const {
    const Entry *found = &entries_[place(key)];
    return found->count ? *found : Entry();
  }

  // Not mix(history, outcome): that may be the key of a longer history.
  static std::uint64_t event_key(std::uint64_t history, std::uint64_t outcome) { return mix(~history, outcome); }

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ (value + 1)) * 0x9E3779B97F4A7C15ull;  // the multiplier of splitmix64 (Steele et al. 2014)
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9ull;
    return hash ^ (hash >> 32);
  }

 private:
  std::size_t place(std::uint64_t key) const {
    std::size_t at = key & (entries_.size() - 1);
    while (entries_[at].count && entries_[at].key != key) at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  // The entry gets its count from the caller at once: an entry without a count is free.
  Entry &find_or_add(std::uint64_t key) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry &entry = entries_[place(key)];
    if (!entry.count) entry.key = key, ++used_;
    return entry;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry &entry : old)
      if (entry.count) entries_[place(entry.key)] = entry;
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

// The classes of a modifier that the next one depends on.
enum ModifierClass { first_modifier = 0, conjunction = 1, punctuation = 2, other_modifier = 3 };

// What a modifier depends on. In base phrases, label, tag and word are those of the modifier before.
struct ModifierContext {
  int right, parent, label, tag, word, verb, previous;
};

struct HeadEvent {
  int parent, child, word, tag, count;
};
struct ModifierEvent {
  ModifierContext context;
  int label, tag, word, count;  // label 0 is STOP
};
struct TopEvent {
  int label, tag, word, count;
};

class CollinsModel {
 public:
  static constexpr int stop = 0;

  // Symbols are numbered: 0 is STOP, 1 .. tags the tags, then the labels of phrases. base is the label of base phrases,
  // -1 for none.
  CollinsModel(int symbols, int tags, int words, int base, std::vector<int> symbol_class, std::vector<char> is_verb)
      : symbols_(symbols),
        tags_(tags),
        words_(words),
        base_(base),
        class_(std::move(symbol_class)),
        is_verb_(std::move(is_verb)),
        parents_(symbols),
        seen_parent_(std::size_t(symbols) * symbols) {}

  int symbols() const { return symbols_; }
  int tags() const { return tags_; }
  int words() const { return words_; }
  bool is_base(int label) const { return label == base_; }
  int class_of(int label) const { return class_[label]; }
  bool is_verb(int tag) const { return is_verb_[tag]; }
  // The labels that were seen above a head child, in increasing order of their first event.
  const std::vector<int> &parents(int child) const { return parents_[child]; }

  void add(const HeadEvent &event) {
    const auto [h0, h1, h2] = head_histories(event.parent, event.tag, event.word);
    for (std::uint64_t history : {h0, h1, h2}) counts_.add(history, event.child, event.count);
    char &seen = seen_parent_[std::size_t(event.child) * symbols_ + event.parent];
    if (!seen) parents_[event.child].push_back(event.parent);
    seen = 1;
    add_node(event.parent, event.tag, event.word, event.count);
  }

  void add(const ModifierEvent &event) {
    const Histories histories = modifier_histories(event.context);
    for (std::uint64_t history : histories.levels) counts_.add(history, outcome(event.label, event.tag), event.count);
    if (event.label == stop) return;
    const Histories of_word = word_histories(event.context, event.label, event.tag);
    for (std::uint64_t history : of_word.levels) counts_.add(history, event.word, event.count);
    add_node(event.tag, event.tag, event.word, event.count);
  }

  void add(const TopEvent &event) {
    counts_.add(key(top), outcome(event.label, event.tag), event.count);
    counts_.add(key(top_word, event.label, event.tag), event.word, event.count);
    counts_.add(key(word_of_tag, event.tag), event.word, event.count);
    add_node(event.tag, event.tag, event.word, event.count);
  }

  double log_head(int child, int parent, int tag, int word) const {
    const auto [h0, h1, h2] = head_histories(parent, tag, word);
    return log_backed_off({{h0, h1, h2}}, child);
  }

  double log_modifier(const ModifierContext &context, int label, int tag) const {
    return log_backed_off(modifier_histories(context), outcome(label, tag));
  }

  double log_word(const ModifierContext &context, int label, int tag, int word) const {
    return floored(log_backed_off(word_histories(context, label, tag), word));
  }

  double log_top(int label, int tag, int word) const {
    const CountTable::Entry all = counts_.get(key(top));
    const std::uint32_t count = counts_.get(CountTable::event_key(key(top), outcome(label, tag))).count;
    if (count == 0) return forbidden;
    const std::uint64_t specific = key(top_word, label, tag), general = key(word_of_tag, tag);
    const double p = backed_off(specific, word, last_level(general, word));
    return std::log(double(count) / all.count) + floored(std::log(p));
  }

  // The prior of a constituent in the beam: P(w, t) P(label | w, t), backed off to P(label | t) (Collins 1999).
  double log_prior(int label, int tag, int word) const {
    const std::uint64_t specific = key(node_of_word, tag, word), general = key(node_of_tag, tag);
    const double of_word = double(counts_.get(specific).count) / counts_.get(key(node_of_tag, 0)).count;
    const double p = of_word * backed_off(specific, label, last_level(general, label));
    return floored(std::log(p));
  }

 private:
  enum Kind { head_child = 1, modifier, modifier_word, word_of_tag, top, top_word, node_of_word, node_of_tag };
  static constexpr double back_off_weight = 5;  // Collins 1999
  static constexpr double log_floor = -43.75;   // log 1e-19: words with a tag that they were not seen with
  struct Histories {
    std::uint64_t levels[3];
  };

  template <typename... Fields>
  static std::uint64_t key(Kind kind, Fields... fields) {
    std::uint64_t hash = CountTable::mix(0x94D049BB133111EBull, kind);  // small numbers alone would collide in mix
    ((hash = CountTable::mix(hash, std::uint64_t(std::int64_t(fields)))), ...);
    return CountTable::mix(hash, sizeof...(fields) + 64);
  }
  std::uint64_t outcome(int label, int tag) const { return std::uint64_t(label) * std::uint64_t(symbols_) + tag; }
  static double floored(double log_p) { return log_p > log_floor ? log_p : log_floor; }

  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> head_histories(int parent, int tag, int word) const {
    return {key(head_child, parent, tag, word), key(head_child, parent, tag), key(head_child, parent)};
  }
  Histories modifier_histories(const ModifierContext &c) const {
    const std::uint64_t last = key(modifier, c.right, c.parent, c.label, c.verb, c.previous);
    const std::uint64_t middle = CountTable::mix(last, c.tag);
    return {{CountTable::mix(middle, c.word), middle, last}};
  }
  // In base phrases the middle level has no tag of the modifier before (Bikel 2004).
  Histories word_histories(const ModifierContext &c, int label, int tag) const {
    const std::uint64_t shared = key(modifier_word, label, tag, c.right, c.parent, c.label, c.verb, c.previous);
    const std::uint64_t with_tag = CountTable::mix(shared, c.tag);
    const std::uint64_t middle = is_base(c.parent) ? shared : with_tag;
    return {{CountTable::mix(with_tag, c.word), middle, key(word_of_tag, tag)}};
  }

  void add_node(int label, int tag, int word, int count) {
    counts_.add(key(node_of_word, tag, word), label, count);
    counts_.add(key(node_of_tag, tag), label, count);
    counts_.add(key(node_of_tag, 0), tag, count);
  }

  double last_level(std::uint64_t history, std::uint64_t outcome) const {
    const std::uint32_t total = counts_.get(history).count;
    return total ? double(counts_.get(CountTable::event_key(history, outcome)).count) / total : 0;
  }
  double backed_off(std::uint64_t history, std::uint64_t outcome, double general) const {
    const CountTable::Entry seen = counts_.get(history);
    if (!seen.count) return general;
    const double lambda = seen.count / (seen.count + back_off_weight * seen.distinct);
    const std::uint32_t count = counts_.get(CountTable::event_key(history, outcome)).count;
    return lambda * count / seen.count + (1 - lambda) * general;
  }
  double log_backed_off(const Histories &histories, std::uint64_t outcome) const {
    const double last = last_level(histories.levels[2], outcome);
    if (last == 0) return forbidden;  // an outcome that the last level lacks was not seen at any level
    return std::log(backed_off(histories.levels[0], outcome, backed_off(histories.levels[1], outcome, last)));
  }

  int symbols_, tags_, words_, base_;
  std::vector<int> class_;
  std::vector<char> is_verb_;
  std::vector<std::vector<int>> parents_;
  std::vector<char> seen_parent_;
  CountTable counts_;
};

}  // namespace treewright
