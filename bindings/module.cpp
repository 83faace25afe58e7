// The native module: a list of what is in it. Arrays in, arrays out, lock released; no algorithm here.
#include "arrays.hpp"

namespace treewright {
void bind_parts(nb::module_ &m);
void bind_decode(nb::module_ &m);
void bind_scorer(nb::module_ &m);
void bind_labeller(nb::module_ &m);
void bind_tensor(nb::module_ &m);
void bind_learning(nb::module_ &m);
void bind_first_order(nb::module_ &m);
void bind_dmv(nb::module_ &m);
void bind_sums(nb::module_ &m);
void bind_local_search(nb::module_ &m);
void bind_factors(nb::module_ &m);
void bind_dual(nb::module_ &m);
void bind_kbest(nb::module_ &m);
void bind_sampling(nb::module_ &m);
void bind_automata(nb::module_ &m);
void bind_tagger(nb::module_ &m);
void bind_words(nb::module_ &m);
void bind_word_classes(nb::module_ &m);
void bind_collins(nb::module_ &m);
void bind_grammar(nb::module_ &m);
void bind_latent(nb::module_ &m);
void bind_network(nb::module_ &m);
}  // namespace treewright

NB_MODULE(_core, m) {
  m.doc() = "Treewright's native kernels. Not a public interface: use treewright.decode and its neighbours.";
  treewright::bind_parts(m);
  treewright::bind_decode(m);
  treewright::bind_scorer(m);
  treewright::bind_labeller(m);
  treewright::bind_tensor(m);
  treewright::bind_learning(m);
  treewright::bind_first_order(m);
  treewright::bind_dmv(m);
  treewright::bind_sums(m);
  treewright::bind_local_search(m);
  treewright::bind_factors(m);
  treewright::bind_dual(m);
  treewright::bind_kbest(m);
  treewright::bind_sampling(m);
  treewright::bind_automata(m);
  treewright::bind_tagger(m);
  treewright::bind_words(m);
  treewright::bind_word_classes(m);
  treewright::bind_collins(m);
  treewright::bind_grammar(m);
  treewright::bind_latent(m);
  treewright::bind_network(m);
}
