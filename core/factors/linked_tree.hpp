// A tree with the modifiers of each node by position and the span of each word, kept up to date by moves.
//
// span(m) is the first and the last position that m dominates, itself included. A move walks up from the old and the
// new head until spans no longer change.
#pragma once

#include <algorithm>
#include <vector>

namespace treewright {

class LinkedTree {
 public:
  void reset(int nodes, const int *heads) {
    heads_.assign(heads, heads + nodes);
    children_.resize(nodes);
    for (int h = 0; h < nodes; ++h) children_[h].clear();
    for (int m = 1; m < nodes; ++m) children_[heads[m]].push_back(m);
    first_.resize(nodes), last_.resize(nodes);
    for (int v = 0; v < nodes; ++v) first_[v] = last_[v] = v;
    for (int m = 1; m < nodes; ++m)
      for (int v = m; v != 0; v = heads_[v]) first_[v] = std::min(first_[v], m), last_[v] = std::max(last_[v], m);
  }

  int nodes() const { return int(heads_.size()); }
  int head(int m) const { return heads_[m]; }
  const int *heads() const { return heads_.data(); }
  const std::vector<int> &modifiers(int h) const { return children_[h]; }
  int first(int m) const { return first_[m]; }
  int last(int m) const { return last_[m]; }

  // Gives m another head, which m does not dominate; the words whose spans change are added to `changed`.
  void move(int m, int h, std::vector<int> &changed) {
    const int from = heads_[m];
    std::vector<int> &old = children_[from], &now = children_[h];
    old.erase(std::lower_bound(old.begin(), old.end(), m));
    for (int v = from; v != 0 && shrink(v); v = heads_[v]) changed.push_back(v);
    heads_[m] = h;
    now.insert(std::lower_bound(now.begin(), now.end(), m), m);
    for (int v = h; v != 0; v = heads_[v]) {
      if (first_[v] <= first_[m] && last_[v] >= last_[m]) break;
      first_[v] = std::min(first_[v], first_[m]), last_[v] = std::max(last_[v], last_[m]);
      changed.push_back(v);
    }
  }

  // The places in modifiers(h) that are left of h: 0 .. this; the right ones follow.
  int left_count(int h) const {
    const std::vector<int> &all = children_[h];
    return int(std::lower_bound(all.begin(), all.end(), h) - all.begin());
  }

  // The neighbours of m among the modifiers of its head on its side, -1 where there is none.
  std::pair<int, int> adjacent(int m) const {
    const int h = heads_[m];
    const std::vector<int> &all = children_[h];
    const int place = int(std::lower_bound(all.begin(), all.end(), m) - all.begin());
    const bool has_left = place > 0 && (all[place - 1] > h || m < h);
    const bool has_right = place + 1 < int(all.size()) && (all[place + 1] < h || m > h);
    return {has_left ? all[place - 1] : -1, has_right ? all[place + 1] : -1};
  }

 private:
  bool shrink(int v) {
    int first = v, last = v;
    for (const int m : children_[v]) first = std::min(first, first_[m]), last = std::max(last, last_[m]);
    if (first == first_[v] && last == last_[v]) return false;
    first_[v] = first, last_[v] = last;
    return true;
  }

  std::vector<int> heads_, first_, last_;
  std::vector<std::vector<int>> children_;
};

}  // namespace treewright
