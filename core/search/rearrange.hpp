// Approximate non-projective decoding (McDonald and Pereira 2006, Figure 4): from a given tree, usually the best
// projective one, make the single change of a head that raises the value most, until none does.
//
// All changes of a tree are evaluated in O(n^2): detaching a word walks over one side's candidates, and each of its
// possible heads is then O(1), with grandparents O(modifiers of the word), which is O(n^2) over all words and heads.
// Ties go to the lowest word, then to the lowest head. O(M n^2) for M changes.
#pragma once

#include "search/climb_tree.hpp"
#include "trees/parts.hpp"

namespace treewright {

class Rearranger {
 public:
  // Changes heads in place, at most `limit` times (0: no limit). Returns how often.
  int decode(const Parts &parts, TreeShape shape, int limit, int *heads) {
    tree_.reset(parts, shape, heads);
    int changes = 0;
    while (limit == 0 || changes < limit) {
      const Change change = best_change();
      if (change.to < 0) break;
      tree_.apply(change, none_);
      ++changes;
    }
    tree_.write(heads);
    return changes;
  }

 private:
  Change best_change() {
    Change best;
    for (int m = 1; m < tree_.nodes(); ++m) {
      const Change change = tree_.best_change(m, none_);
      if (change.to >= 0 && change.gain.exceeds(best.gain)) best = change;
    }
    return best;
  }

  ClimbTree tree_;
  NoOthers none_;
};

}  // namespace treewright
