// The native module: a list of what is in it. Arrays in, arrays out, lock released; no algorithm here.
#include "arrays.hpp"

namespace treewright {
void bind_first_order(nb::module_ &m);
}

NB_MODULE(_core, m) {
  m.doc() = "Treewright's native kernels. Not a public interface: use treewright.decode and its neighbours.";
  treewright::bind_first_order(m);
}
