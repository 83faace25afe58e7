// The native module: a list of what is in it. Arrays in, arrays out, lock released; no algorithm here.
#include "arrays.hpp"

namespace treewright {
using Binding = void(nb::module_ &);
Binding bind_parts, bind_decode, bind_scorer, bind_labeller, bind_tensor, bind_learning, bind_first_order, bind_dmv,
    bind_sums, bind_local_search, bind_factors, bind_dual, bind_sampling, bind_automata, bind_tagger, bind_words,
    bind_word_classes, bind_collins, bind_grammar, bind_latent, bind_network;
}  // namespace treewright

NB_MODULE(_core, m) {
  using namespace treewright;
  m.doc() = "Treewright's native kernels. Not a public interface: use treewright.decode and its neighbours.";
  for (Binding *bind :
       {bind_parts,  bind_decode, bind_scorer,       bind_labeller, bind_tensor,  bind_learning, bind_first_order,
        bind_dmv,    bind_sums,   bind_local_search, bind_factors,  bind_dual,    bind_sampling, bind_automata,
        bind_tagger, bind_words,  bind_word_classes, bind_collins,  bind_grammar, bind_latent,   bind_network})
    bind(m);
}
