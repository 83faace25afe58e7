// Chart parsing with Collins' model 1: all derivations of a sentence, or those within a beam, as a packed forest.
//
// Items over the words i .. j - 1 with head word h, its tag t, and two bits: a verb before h, a verb after h.
//
//   complete  X(i, j, h)        a finished phrase (or a word under its tag); d unary productions in a row above a word
//                               or a phrase with modifiers, at most max_unary
//   right     P H(i, j, h)      head child H of P with some right modifiers
//   left      P H(i, j, h)      the same with all right modifiers and some left ones
//   hook      (i, j) for h, c   a finished modifier over i .. j - 1 for the head h in the context c, not attached yet
//
// Right modifiers come before left ones, so that each tree has one derivation.
//
//   start        complete H(i, j, h)                      -> right P H(i, j, h)        log P_H
//   word         tag t of word i                          -> complete t(i, i + 1, i)   w(i, t)
//   hook         complete M(k, j, m)                      -> hook (k, j) for h, c      log P_M + log P_W + u(h, m)
//   attach       right P H(i, k, h), hook (k, j) for h    -> right P H(i, j, h)        and the mirror image on the left
//   stop         right P H -> left P H -> complete P                                   log P_M(STOP)
//   unary        complete H -> complete P                                              log P_H and both STOP
//   goal         complete X(0, n, h)                                                   log P_top + u(0, h)
//
// The maximum over the head m of a modifier is taken in the hook, before it is attached at the left end i of the
// phrase: O(n^4) time instead of O(n^5) (Eisner & Satta 1999). Base phrases depend on the modifier before, which is
// therefore part of their items.
//
// With a beam, an item stays if its score plus the logarithm of its prior is at most `beam` below that of the best item
// of its span (Collins 1999).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/flat_map.hpp"
#include "grammar/collins_model.hpp"
#include "grammar/forest.hpp"

namespace treewright {

struct CollinsInput {
  std::vector<int> words;              // numbers of words, or of their classes
  std::vector<std::vector<int>> tags;  // allowed for each
};

struct CollinsSearch {
  double beam = -1;  // nats; negative for none
  int max_unary = 4;
  bool partial = false;      // without a derivation of the sentence, the fewest phrases that cover it
  std::size_t max_size = 0;  // of the chart: nodes and edges of the forest, hooks included; 0 for any number
};

class CollinsChart {
 public:
  CollinsChart(const CollinsModel &model, const CollinsInput &input, const CollinsSearch &search)
      : model_(model), input_(input), search_(search), n_(int(input.words.size())) {}

  // Adjustments [h, m] are added to the scores of arcs during the search; -inf forbids one. They are not part of the
  // forest.
  // Empty when there is no derivation; `is_full` says that the limit of size was reached, `is_partial` that the forest
  // has covers of the sentence by several phrases, each with an arc from the root.
  Forest build(const double *adjustment) {
    adjustment_ = adjustment;
    largest_adjustment_ = std::max(0.0, *std::max_element(adjustment_, adjustment_ + (n_ + 1) * (n_ + 1)));
    is_full = is_partial = false;
    builder_.open(n_, model_.tags());
    spans_.assign(std::size_t(n_ + 1) * (n_ + 1), Span());
    for (int length = 1; length <= n_; ++length)
      for (int i = 0; i + length <= n_; ++i) {
        fill(i, i + length);
        if (search_.max_size && builder_.size() > search_.max_size) {
          is_full = true;
          return Forest();
        }
      }
    return goal();
  }

  bool is_full = false, is_partial = false;
  static constexpr double piece_penalty = 1e4;  // of each phrase of a cover: larger than any difference of scores

 private:
  enum Kind { complete = 0, merged, right, left };
  using Key = FlatMap<int>::Key;
  struct Item {
    std::uint8_t kind, depth, verb_left, verb_right, has_modifier, previous;
    std::int16_t parent, label, head, tag;         // complete: parent is its label
    std::int16_t last_label, last_word, last_tag;  // of the modifier before, in base phrases
    int node;
    double score;  // of the best derivation
    double merit;  // with the prior
    int context;   // of the next modifier, for open items

    Key key() const {
      const std::uint64_t bits = std::uint64_t(kind) | std::uint64_t(depth) << 2 | std::uint64_t(verb_left) << 6 |
                                 std::uint64_t(verb_right) << 7 | std::uint64_t(has_modifier) << 8 |
                                 std::uint64_t(previous) << 9;
      const auto field = [](std::int16_t value) { return std::uint64_t(std::uint16_t(value)); };
      return {bits | field(parent) << 12 | field(label) << 28 | field(head) << 44,
              field(tag) | field(last_label) << 16 | field(last_word) << 32 | field(last_tag) << 48};
    }
  };
  struct Span {
    std::vector<Item> modifiers;  // merged complete items
    std::vector<Item> open[2];    // left, right
    double best = forbidden;      // score of the modifiers
  };
  // What a hook becomes when it is attached.
  struct Hooked {
    int node;
    int span;  // in which its edges were added to the forest last, -1 for none
    double score;
    std::uint8_t previous, verb;
    std::int16_t label, word, tag;  // in base phrases
  };
  struct HookRange {
    int begin = 0, end = 0;
    double best = forbidden;
  };

  static std::uint64_t pair(int a, int b) { return std::uint64_t(std::uint32_t(a)) << 32 | std::uint32_t(b); }

  Span &span(int i, int j) { return spans_[std::size_t(i) * (n_ + 1) + j]; }

  void fill(int i, int j) {
    i_ = i, j_ = j;
    items_.clear(), item_of_.clear();
    best_merit_ = forbidden;
    if (j - i == 1) add_words(i);
    const std::size_t first_edge = builder_.edges();
    attach_modifiers();
    stop_items(right, 0);
    stop_items(left, 0);
    add_unaries();
    merge();
    const std::size_t starts = items_.size();
    start_phrases();
    stop_items(right, starts);
    keep(first_edge);
  }

  void add_words(int i) {
    for (int tag : input_.tags[i]) {
      Item item = new_item(complete, tag, i, tag);
      const int at = add(item, 0);
      if (at >= 0) builder_.add_edge(items_[at].node, {});
    }
  }

  static Item new_item(Kind kind, int parent, int head, int tag) {
    return {std::uint8_t(kind),
            0,
            0,
            0,
            0,
            0,
            std::int16_t(parent),
            0,
            std::int16_t(head),
            std::int16_t(tag),
            0,
            0,
            0,
            -1,
            forbidden,
            forbidden,
            -1};
  }

  double merit(const Item &item) {
    if (search_.beam < 0) return item.score;
    const int word = input_.words[item.head];
    const auto [prior, is_new] = prior_.emplace({pair(item.parent, item.tag), std::uint64_t(word)});
    if (is_new) *prior = model_.log_prior(item.parent, item.tag, word);
    return item.score + *prior;
  }
  bool is_outside(double merit) const { return search_.beam >= 0 && merit < best_merit_ - search_.beam; }

  // The place of the item with this score, -1 when it is outside of the beam or has no derivation.
  int add(Item item, double score) {
    if (score == forbidden) return -1;
    item.score = score;
    item.merit = merit(item);
    if (is_outside(item.merit)) return -1;
    best_merit_ = std::max(best_merit_, item.merit);
    const auto [place, is_new] = item_of_.emplace(item.key());
    if (is_new) {
      *place = int(items_.size());
      const bool is_phrase = item.kind == complete;
      item.node = builder_.add_node({is_phrase ? item.parent : -1, i_, j_, item.head, item.tag, 0});
      items_.push_back(item);
    } else if (score > items_[*place].score) {
      items_[*place].score = score, items_[*place].merit = item.merit;
    }
    return *place;
  }

  void add_edge(const Item &item, double score, double edge_score, int first, int second) {
    const int at = add(item, score);
    if (at >= 0) builder_.add_edge(items_[at].node, {first, second, -1, edge_score});
  }

  // -- modifiers

  void attach_modifiers() {
    for (int k = i_ + 1; k < j_; ++k) {
      for (const Item &item : span(i_, k).open[1])
        if (may_attach(item, span(k, j_))) attach(item, k, j_);
      for (const Item &item : span(k, j_).open[0])
        if (may_attach(item, span(i_, k))) attach(item, i_, k);
    }
  }

  // Whether a modifier may lead to an item in the beam: probabilities are at most 1.
  bool may_attach(const Item &item, const Span &modifiers) const {
    return !is_outside(item.merit + modifiers.best + largest_adjustment_);
  }

  void attach(const Item &item, int begin, int end) {
    const bool on_right = item.kind == right;
    const HookRange range = hook(begin, end, item);
    if (is_outside(item.merit + range.best)) return;
    for (int k = range.begin; k < range.end; ++k) {
      Hooked &hooked = hooks_[k];
      Item grown = item;
      (on_right ? grown.verb_right : grown.verb_left) |= hooked.verb;
      grown.has_modifier = 1;
      grown.previous = hooked.previous;
      if (model_.is_base(item.parent))
        grown.last_label = hooked.label, grown.last_word = hooked.word, grown.last_tag = hooked.tag;
      const int at = add(grown, item.score + hooked.score);
      if (at < 0) continue;
      add_hook_edges(hooked, begin, end, item);
      builder_.add_edge(items_[at].node, {item.node, hooked.node, -1, 0});
    }
  }

  // The edges of a hook are added in the first span whose items in the beam use it: the edges of nodes that no item
  // uses are dropped at the end of a span, and the hook may be used again in another.
  void add_hook_edges(Hooked &hook, int begin, int end, const Item &item) {
    const int here = i_ * (n_ + 1) + j_;
    if (hook.span == here || builder_.is_used(hook.node)) return;
    hook.span = here;
    for (const Item &modifier : span(begin, end).modifiers) {
      const int arc = arc_of(item, modifier);
      const double log_p = log_modifier(item.context, modifier);
      if (log_p + adjustment_[arc] > forbidden && is_same(hook, hooked_by(modifier, item)))
        builder_.add_edge(hook.node, {modifier.node, -1, arc, log_p});
    }
  }

  HookRange hook(int begin, int end, const Item &item) {
    const std::uint64_t place = (std::uint64_t(begin) * (n_ + 1) + end) * (n_ + 1) + item.head;
    const auto [range, is_new] = hook_of_.emplace({place, std::uint64_t(item.context)});
    if (is_new) *range = new_hooks(begin, end, item);
    return *range;
  }

  HookRange new_hooks(int begin, int end, const Item &item) {
    HookRange range{int(hooks_.size()), int(hooks_.size()), forbidden};
    for (const Item &modifier : span(begin, end).modifiers) {
      const double adjusted = log_modifier(item.context, modifier) + adjustment_[arc_of(item, modifier)];
      if (adjusted == forbidden) continue;
      Hooked &kept = hooks_[hooked_place(range, hooked_by(modifier, item), begin, end)];
      kept.score = std::max(kept.score, modifier.score + adjusted);
      range.best = std::max(range.best, kept.score);
    }
    return range;
  }

  int arc_of(const Item &head, const Item &modifier) const { return (head.head + 1) * (n_ + 1) + modifier.head + 1; }

  Hooked hooked_by(const Item &modifier, const Item &item) const {
    Hooked hooked{-1, -1, forbidden, std::uint8_t(model_.class_of(modifier.parent)), contains_verb(modifier), 0, 0, 0};
    if (model_.is_base(item.parent))
      hooked.label = modifier.parent, hooked.word = modifier.head, hooked.tag = modifier.tag;
    return hooked;
  }

  // Whether two modifiers become the same hook.
  static bool is_same(const Hooked &a, const Hooked &b) {
    return a.previous == b.previous && a.verb == b.verb && a.label == b.label && a.word == b.word && a.tag == b.tag;
  }

  int hooked_place(HookRange &range, Hooked hooked, int begin, int end) {
    for (int k = range.begin; k < range.end; ++k)
      if (is_same(hooks_[k], hooked)) return k;
    hooked.node = builder_.add_node({-1, begin, end, 0, 0, 0}, true);
    hooks_.push_back(hooked);
    return range.end++;
  }

  std::uint8_t contains_verb(const Item &item) const {
    return item.verb_left || item.verb_right || model_.is_verb(item.tag);
  }

  double log_modifier(int context, const Item &modifier) {
    const int word = input_.words[modifier.head];
    const auto [log_p, is_new] = log_p_.emplace({pair(modifier.parent, modifier.tag), pair(context, word)});
    if (!is_new) return *log_p;
    *log_p = model_.log_modifier(contexts_[context], modifier.parent, modifier.tag);
    if (*log_p > forbidden) *log_p += model_.log_word(contexts_[context], modifier.parent, modifier.tag, word);
    return *log_p;
  }

  // -- phrases

  int context_of(const Item &item, bool on_right) {
    ModifierContext context{on_right, item.parent, item.label, item.tag, input_.words[item.head], 0, 0};
    if (model_.is_base(item.parent)) {
      context.label = item.last_label, context.tag = item.last_tag, context.word = input_.words[item.last_word];
    } else {
      context.verb = on_right ? item.verb_right : item.verb_left;
      context.previous = item.previous;
    }
    const int bits = context.right | context.verb << 1 | context.previous << 2 | context.parent << 4;
    const auto [number, is_new] = context_of_.emplace({pair(bits, context.label), pair(context.tag, context.word)});
    if (is_new) {
      *number = int(contexts_.size());
      contexts_.push_back(context);
      stop_p_.push_back(model_.log_modifier(context, CollinsModel::stop, 0));
    }
    return *number;
  }

  // Right items become left ones, left items complete ones; phrases without modifiers come from add_unaries.
  void stop_items(Kind kind, std::size_t begin) {
    for (std::size_t at = begin, end = items_.size(); at < end; ++at) {
      const Item item = items_[at];
      if (item.kind != kind || is_outside(item.merit) || (kind == left && !item.has_modifier)) continue;
      const double stop = stop_p_[context_of(item, kind == right)];
      Item next = item;
      if (kind == right)
        next.kind = left, reset_modifiers(next);
      else
        next = finished(item, item.parent);
      add_edge(next, item.score + stop, stop, item.node, -1);
    }
  }

  // An open item before the first modifier of a side.
  void reset_modifiers(Item &item) const {
    item.previous = first_modifier;
    if (model_.is_base(item.parent)) item.last_label = item.label, item.last_word = item.head, item.last_tag = item.tag;
  }

  static Item finished(const Item &item, int label) {
    Item phrase = new_item(complete, label, item.head, item.tag);
    phrase.verb_left = item.verb_left, phrase.verb_right = item.verb_right;
    return phrase;
  }

  void add_unaries() {
    for (std::size_t at = 0; at < items_.size(); ++at) {
      const Item item = items_[at];
      if (item.kind != complete || item.depth >= search_.max_unary || is_outside(item.merit)) continue;
      for (int parent : model_.parents(item.parent)) {
        const Item open = started(item, parent);
        const double head = log_head(item, parent);
        if (head == forbidden) continue;
        const double score = head + stop_p_[context_of(open, true)] + stop_p_[context_of(open, false)];
        Item phrase = finished(item, parent);
        phrase.depth = item.depth + 1;
        add_edge(phrase, item.score + score, score, item.node, -1);
      }
    }
  }

  // One item for a phrase, with any number of unary productions on top.
  void merge() {
    for (std::size_t at = 0, end = items_.size(); at < end; ++at) {
      const Item item = items_[at];
      if (item.kind != complete || is_outside(item.merit)) continue;
      Item any = item;
      any.kind = merged, any.depth = 0;
      add_edge(any, item.score, 0, item.node, -1);
    }
  }

  void start_phrases() {
    for (std::size_t at = 0, end = items_.size(); at < end; ++at) {
      const Item item = items_[at];
      if (item.kind != merged || is_outside(item.merit)) continue;
      for (int parent : model_.parents(item.parent)) {
        const double head = log_head(item, parent);
        add_edge(started(item, parent), item.score + head, head, item.node, -1);
      }
    }
  }

  Item started(const Item &child, int parent) const {
    Item open = new_item(right, parent, child.head, child.tag);
    open.label = child.parent;
    open.verb_left = child.verb_left, open.verb_right = child.verb_right;
    reset_modifiers(open);
    return open;
  }

  double log_head(const Item &child, int parent) {
    const int word = input_.words[child.head];
    const auto [log_p, is_new] = head_p_.emplace({pair(child.parent, parent), pair(child.tag, word)});
    if (is_new) *log_p = model_.log_head(child.parent, parent, child.tag, word);
    return *log_p;
  }

  // Items within the beam go into the chart.
  void keep(std::size_t first_edge) {
    Span &cell = span(i_, j_);
    for (Item &item : items_) {
      if (is_outside(item.merit)) continue;
      builder_.use(item.node);
      if (item.kind == merged) cell.modifiers.push_back(item), cell.best = std::max(cell.best, item.score);
      if (item.kind != right && item.kind != left) continue;
      item.context = context_of(item, item.kind == right);
      cell.open[item.kind == right].push_back(item);
    }
    builder_.drop_unused(first_edge);
  }

  Forest goal() {
    const int goal = builder_.add_node({-1, 0, n_, 0, 0, 0}, true);
    bool is_reached = false;
    for (const Item &item : span(0, n_).modifiers) {
      const double top = model_.log_top(item.parent, item.tag, input_.words[item.head]);
      if (top + adjustment_[item.head + 1] == forbidden) continue;
      builder_.add_edge(goal, {item.node, -1, item.head + 1, top});
      is_reached = true;
    }
    if (is_reached) return builder_.finish(goal);
    return search_.partial ? covers() : Forest();
  }

  Forest covers() {
    is_partial = true;
    std::vector<int> cover(n_ + 1, -1);
    for (int j = 1; j <= n_; ++j)
      for (int i = 0; i < j; ++i)
        for (const Item &item : span(i, j).modifiers) {
          if ((i > 0 && cover[i] < 0) || adjustment_[item.head + 1] == forbidden) continue;
          if (cover[j] < 0) cover[j] = builder_.add_node({-1, 0, j, 0, 0, 0}, true);
          builder_.add_edge(cover[j], {cover[i], item.node, item.head + 1, -piece_penalty});
        }
    return cover[n_] < 0 ? Forest() : builder_.finish(cover[n_]);
  }

  const CollinsModel &model_;
  const CollinsInput &input_;
  const CollinsSearch search_;
  const int n_;
  const double *adjustment_ = nullptr;
  double largest_adjustment_ = 0;
  ForestBuilder builder_;
  std::vector<Span> spans_;
  int i_ = 0, j_ = 0;
  std::vector<Item> items_;  // of the present span
  FlatMap<int> item_of_;
  double best_merit_ = forbidden;
  std::vector<ModifierContext> contexts_;
  FlatMap<int> context_of_;
  std::vector<double> stop_p_;  // of each context
  std::vector<Hooked> hooks_;
  FlatMap<HookRange> hook_of_;
  FlatMap<double> log_p_, head_p_, prior_;
};

}  // namespace treewright
