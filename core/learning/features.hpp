// Which weights a part uses.
//
// A template names atoms of the tokens that take part ("h.upos m.lemma m-1.upos"). The index of its weight is found
// in two steps, of which the first is done once a sentence and the second once a part:
//
//   row(role, i, t) = xor over the atoms of token i that template t has in that role, each mixed with its place in t
//   index(part, t)  = xor over roles of row(role, token, t)   xor   the part's directions,  its low `bits` bits
//
// This is simple tabulation hashing (Patrascu & Thorup 2012): one xor a role and feature. Each template has two
// weights, one for all distances and one for the part's own; a distance changes the low four bits only, so that both
// lie on one cache line. Where an atom stands for a set (the tags between two words, the morphological features of
// one), each member in turn is joined by one more xor.
//
// Cost: O(tokens x templates) a sentence, then O(templates) a part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/bucket.hpp"

namespace treewright {

inline std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// The hashed atoms of a sentence: a row for each node, and `reach` rows of padding before and after them. Each node
// has besides a set of morphological features, zero where it has fewer than there are places.
struct Atoms {
  static constexpr int reach = 2;
  const std::uint32_t *data, *each;
  int nodes, width, each_width;
  std::uint32_t at(int node, int atom) const { return data[std::size_t(node + reach) * width + atom]; }
};

// The templates of one kind.
struct TemplateTable {
  struct Item {
    std::int32_t role, templ, atom, offset;
  };
  int kind = 0, atom = 0, templates = 0;  // `atom` is that of the set, where the kind has one
  std::vector<Item> items;
  std::vector<char> with_distance = {};  // of each label template: whether it has a weight for each distance as well
};

class Rows {
 public:
  // Two nodes after those of the sentence stand for "none": before the first modifier of a side, after the last.
  static constexpr int absent_nodes = 2;

  void fill(const Atoms &atoms, const TemplateTable &table, int roles) {
    if (width_ != atoms.width) prepare(table, roles, atoms.width);
    rows_ = atoms.nodes + absent_nodes;
    cells_.resize(std::size_t(roles) * rows_ * templates_);
    for (int role = 0; role < roles; ++role) {
      std::uint32_t *row = cells_.data() + std::size_t(role) * rows_ * templates_;
      const Term *first = terms_.data() + role_begin_[role], *last = terms_.data() + role_begin_[role + 1];
      for (int node = 0; node < atoms.nodes; ++node, row += templates_) {
        const std::uint32_t *here = &atoms.data[std::size_t(node + Atoms::reach) * width_];
        std::copy_n(empty_.data() + std::size_t(role) * templates_, templates_, row);
        for (const Term *term = first; term != last; ++term) row[term->templ] ^= mixed(here[term->place] + term->seed);
      }
      std::copy_n(absent_.data() + std::size_t(role) * absent_nodes * templates_, absent_nodes * templates_, row);
    }
  }

  const std::uint32_t *at(int role, int node) const {
    return cells_.data() + (std::size_t(role) * rows_ + node) * templates_;
  }
  int templates() const { return templates_; }

 private:
  struct Term {
    std::int32_t templ, place;  // the place of the atom relative to those of the node
    std::uint32_t seed;
  };

  // What does not depend on the sentence.
  void prepare(const TemplateTable &table, int roles, int width) {
    width_ = width, templates_ = table.templates;
    terms_.clear(), role_begin_.assign(roles + 1, 0);
    empty_.assign(std::size_t(roles) * templates_, 0);
    const std::uint32_t salt = mixed(std::uint32_t(table.kind * 64 + table.atom) + 0x3c6ef372U);
    for (int t = 0; t < templates_; ++t)  // one role carries the template's own number
      empty_[t] = mixed(salt + std::uint32_t(t) * 0x9e3779b9U);
    for (int role = 0; role < roles; ++role) {
      for (std::size_t i = 0; i < table.items.size(); ++i) {
        const TemplateTable::Item &item = table.items[i];
        if (item.role != role) continue;
        const std::uint32_t seed = mixed(salt ^ (std::uint32_t(i) * 0x85ebca6bU + 0x27d4eb2fU));
        terms_.push_back({item.templ, item.offset * width + item.atom, seed});
      }
      role_begin_[role + 1] = int(terms_.size());
    }
    absent_.clear();
    for (int role = 0; role < roles; ++role)
      for (int absent = 1; absent <= absent_nodes; ++absent) {
        const std::uint32_t *own = empty_.data() + std::size_t(role) * templates_;  // none without templates
        const auto row = absent_.insert(absent_.end(), own, own + templates_);
        for (int k = role_begin_[role]; k < role_begin_[role + 1]; ++k)
          row[terms_[k].templ] ^= mixed(std::uint32_t(absent) + terms_[k].seed);
      }
  }

  int rows_ = 0, templates_ = 0, width_ = 0;
  std::vector<Term> terms_;  // by role
  std::vector<int> role_begin_;
  std::vector<std::uint32_t> empty_, absent_, cells_;
};

constexpr std::uint32_t rightward = 0x5bd1e995U, rightward_again = 0x1b873593U;

inline std::uint32_t direction(int from, int to) { return from < to ? rightward : 0; }

// 1 .. 10, for the low four bits. Model files depend on the bounds.
inline std::uint32_t distance_bin(int i, int j) {
  return std::uint32_t(bucket(std::abs(i - j), {1, 2, 3, 4, 5, 6, 8, 11, 16, 26}));
}

// 1 .. 12, for the low four bits: the distances of both arcs of a grandparent part. Model files depend on the values.
inline std::uint32_t grandparent_bin(int g, int h, int m) {
  enum Upper { far, next, near };  // 5 words or more, 1 word, 2 to 4 words
  constexpr Upper by_bucket[] = {far, next, near, far};
  const int lower = bucket(std::abs(h - m), {1, 2, 3, 6});
  const Upper upper = by_bucket[bucket(std::abs(g - h), {1, 2, 5})];
  return std::uint32_t(lower + 4 * upper);
}

// The sets of atoms that stand between any two nodes. At most 64 different values a sentence are distinguished.
class Between {
 public:
  void fill(const Atoms &atoms, int atom) {
    nodes_ = atoms.nodes;
    values_.clear(), kind_.resize(nodes_);
    for (int i = 0; i < nodes_; ++i) {
      const std::uint32_t value = mixed(atoms.at(i, atom) + 0x632be59bU);
      const auto found = std::find(values_.begin(), values_.end(), value);
      kind_[i] = int(found - values_.begin()) % 64;
      if (found == values_.end()) values_.push_back(value);
    }
    sets_.assign(std::size_t(nodes_) * nodes_, 0);
    for (int i = 0; i < nodes_; ++i) {
      std::uint64_t set = 0;
      for (int j = i + 2; j < nodes_; ++j) {
        set |= std::uint64_t(1) << kind_[j - 1];
        sets_[std::size_t(i) * nodes_ + j] = sets_[std::size_t(j) * nodes_ + i] = set;
      }
    }
  }

  template <typename Use>
  void visit(int i, int j, Use use) const {
    for (std::uint64_t set = sets_[std::size_t(i) * nodes_ + j]; set; set &= set - 1) use(values_[lowest_bit(set)]);
  }

 private:
  int nodes_ = 0;
  std::vector<std::uint32_t> values_;
  std::vector<int> kind_;
  std::vector<std::uint64_t> sets_;
};

// The features of arcs, siblings and grandparents. A visitor is called with the two indices of a template, for all
// distances and for this one, or with one index for a member of a set.
class PartFeatures {
 public:
  enum Kind { arc, between, each_of_both, each_of_head, each_of_modifier, sibling, grandparent, beyond, kinds };
  static int roles(int kind) { return kind >= sibling ? 3 : 2; }

  PartFeatures(std::vector<TemplateTable> tables, int bits)
      : tables_(std::move(tables)), rows_(tables_.size()), between_(tables_.size()), mask_((1U << bits) - 1) {}

  void open(const Atoms &atoms, bool second_order) {
    atoms_ = atoms;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].kind >= sibling && !second_order) continue;
      rows_[i].fill(atoms, tables_[i], roles(tables_[i].kind));
      if (tables_[i].kind == between) between_[i].fill(atoms, tables_[i].atom);
    }
  }

  int nodes() const { return atoms_.nodes; }
  int start() const { return atoms_.nodes; }    // in place of the first modifier's inner sibling
  int end() const { return atoms_.nodes + 1; }  // in place of a modifier after the last

  template <typename Use>
  void visit_arc(int h, int m, Use &&use) const {
    const std::uint32_t flags = direction(h, m), near = distance_bin(h, m);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      switch (tables_[i].kind) {
        case arc:
          visit(rows_[i], h, m, flags, near, use);
          break;
        case between:
          between_[i].visit(h, m, [&](std::uint32_t value) { visit_one(rows_[i], h, m, flags ^ value, use); });
          break;
        case each_of_both:
          visit_each(h, [&](std::uint32_t x) {
            visit_each(m, [&](std::uint32_t y) { visit_one(rows_[i], h, m, flags ^ mixed(x) ^ mixed(y + 1), use); });
          });
          break;
        case each_of_head:
          visit_each(h, [&](std::uint32_t x) { visit_one(rows_[i], h, m, flags ^ mixed(x), use); });
          break;
        case each_of_modifier:
          visit_each(m, [&](std::uint32_t y) { visit_one(rows_[i], h, m, flags ^ mixed(y + 1), use); });
          break;
      }
    }
  }

  // s is start() where m is the first, m is end() after the last.
  template <typename Use>
  void visit_sibling(int h, int s, int m, bool right, Use &&use) const {
    const std::uint32_t near = m == end() ? 11 : distance_bin(s == start() ? h : s, m);
    for (std::size_t i = 0; i < tables_.size(); ++i)
      if (tables_[i].kind == sibling) visit(rows_[i], h, s, m, right ? rightward : 0, near, use);
  }

  template <typename Use>
  void visit_grandparent(int g, int h, int m, Use &&use) const {
    const std::uint32_t flags = direction(g, h) ^ (h < m ? rightward_again : 0);
    const std::uint32_t near = grandparent_bin(g, h, m);
    const bool is_beyond = (h < g && g < m) || (m < g && g < h);  // then the two arcs are not projective
    for (std::size_t i = 0; i < tables_.size(); ++i)
      if (tables_[i].kind == grandparent || (is_beyond && tables_[i].kind == beyond))
        visit(rows_[i], g, h, m, flags, near, use);
  }

 private:
  template <typename Use>
  void visit(const Rows &rows, int i, int j, std::uint32_t flags, std::uint32_t near, Use &use) const {
    const std::uint32_t *a = rows.at(0, i), *b = rows.at(1, j), mask = mask_;
    use.pairs(rows.templates(), near, [=](int t) { return (a[t] ^ b[t] ^ flags) & mask; });
  }
  template <typename Use>
  void visit(const Rows &rows, int i, int j, int k, std::uint32_t flags, std::uint32_t near, Use &use) const {
    const std::uint32_t *a = rows.at(0, i), *b = rows.at(1, j), *c = rows.at(2, k), mask = mask_;
    use.pairs(rows.templates(), near, [=](int t) { return (a[t] ^ b[t] ^ c[t] ^ flags) & mask; });
  }
  template <typename Use>
  void visit_one(const Rows &rows, int i, int j, std::uint32_t flags, Use &use) const {
    const std::uint32_t *a = rows.at(0, i), *b = rows.at(1, j), mask = mask_;
    use.singles(rows.templates(), [=](int t) { return (a[t] ^ b[t] ^ flags) & mask; });
  }
  template <typename Use>
  void visit_each(int node, Use use) const {
    const std::uint32_t *each = atoms_.each + std::size_t(node) * atoms_.each_width;
    for (int k = 0; k < atoms_.each_width && each[k]; ++k) use(each[k]);
  }

  std::vector<TemplateTable> tables_;
  std::vector<Rows> rows_;
  std::vector<Between> between_;
  std::uint32_t mask_;
  Atoms atoms_{};
};

}  // namespace treewright
