// What the bindings of searches share: signals, and the check of a tree to begin with.
#pragma once

#include "arrays.hpp"
#include "trees/parts.hpp"

namespace treewright {

// Whether a signal (Ctrl-C) waits for Python; called with the lock released.
inline bool signal_waits() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

inline void check_tree(const Parts &parts, const IndexColumn &heads) {
  if (int(heads.shape(0)) != parts.nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < parts.nodes; ++m)
    if (heads(m) < 0 || heads(m) >= parts.nodes || parts.find(heads(m), m) < 0)
      throw nb::value_error("heads must be a tree of candidate arcs");
  check_no_cycle(heads.data(), parts.nodes);
}

}  // namespace treewright
