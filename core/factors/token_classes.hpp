// What global features need to know of tokens beside their atoms: which are punctuation, conjunctions, adpositions,
// and which marks (quotes, brackets) belong together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/features.hpp"

namespace treewright {

// How a treebank attaches conjunctions and conjuncts (docs/learning.md). 4 is that of Universal Dependencies.
constexpr int coordination_styles = 6;

// Hashed tags and forms, as `Atoms` has them.
struct ClassTables {
  std::vector<int> tag_atoms;  // the atoms of a token that are compared with the tags
  int form_atom = 0;
  std::vector<std::uint32_t> punctuation, conjunction, adposition;  // tags
  std::vector<std::pair<std::uint32_t, std::uint32_t>> marks;       // opening and closing forms
  int style = 4;
};

class TokenClasses {
 public:
  explicit TokenClasses(ClassTables tables) : tables_(std::move(tables)) {}

  void open(const Atoms &atoms) {
    punctuation_.assign(atoms.nodes, 0), conjunction_.assign(atoms.nodes, 0), adposition_.assign(atoms.nodes, 0);
    conjunctions_.clear();
    for (int node = 1; node < atoms.nodes; ++node) {
      punctuation_[node] = has_tag(atoms, node, tables_.punctuation);
      adposition_[node] = has_tag(atoms, node, tables_.adposition);
      conjunction_[node] = has_tag(atoms, node, tables_.conjunction);
      if (conjunction_[node]) conjunctions_.push_back(node);
    }
    match_marks(atoms);
  }

  bool is_punctuation(int node) const { return punctuation_[node]; }
  bool is_adposition(int node) const { return adposition_[node]; }
  bool is_argument(int node) const { return !punctuation_[node] && !conjunction_[node]; }
  const std::vector<int> &conjunctions() const { return conjunctions_; }
  int style() const { return tables_.style; }
  int mate(int node) const { return mate_[node]; }  // the mark that belongs to this one; 0: none

 private:
  bool has_tag(const Atoms &atoms, int node, const std::vector<std::uint32_t> &tags) const {
    return std::any_of(tables_.tag_atoms.begin(), tables_.tag_atoms.end(), [&](int atom) {
      return std::find(tags.begin(), tags.end(), atoms.at(node, atom)) != tags.end();
    });
  }

  // A mark closes the nearest open one of its kind, and forgets those that were opened since.
  void match_marks(const Atoms &atoms) {
    mate_.assign(atoms.nodes, 0);
    std::vector<std::pair<int, int>> open;  // node, kind of marks
    for (int node = 1; node < atoms.nodes; ++node) {
      const std::uint32_t form = atoms.at(node, tables_.form_atom);
      bool closes = false;
      for (std::size_t last = open.size(); last-- > 0 && !closes;)
        if (tables_.marks[open[last].second].second == form) {
          mate_[node] = open[last].first, mate_[open[last].first] = node;
          open.resize(last);
          closes = true;
        }
      for (std::size_t kind = 0; kind < tables_.marks.size() && !closes; ++kind)
        if (tables_.marks[kind].first == form) {
          open.emplace_back(node, int(kind));
          break;
        }
    }
  }

  ClassTables tables_;
  std::vector<char> punctuation_, conjunction_, adposition_;
  std::vector<int> conjunctions_, mate_;
};

}  // namespace treewright
