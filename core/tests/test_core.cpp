// The kernels without Python, for the sanitizers: sizes, edges, agreement between routes.
// Values are decided against enumeration in tests/; here only memory and arithmetic are on trial.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "charts/dmv_corpus.hpp"

static int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                               \
    }                                                                           \
  } while (false)

static std::vector<double> random_scores(int nodes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> arc(std::size_t(nodes) * nodes);
  for (double &score : arc) score = normal(random);
  return arc;
}

static double value_of(const std::vector<double> &arc, const std::vector<int> &heads) {
  double value = 0;
  for (std::size_t m = 1; m < heads.size(); ++m) value += arc[heads[m] * heads.size() + m];
  return value;
}

#include "test_collins.hpp"
#include "test_dual.hpp"
#include "test_dynamic.hpp"
#include "test_factors.hpp"
#include "test_features.hpp"
#include "test_first_order.hpp"
#include "test_grammar.hpp"
#include "test_latent.hpp"
#include "test_local_search.hpp"
#include "test_network.hpp"
#include "test_tagger.hpp"
#include "test_tensor.hpp"
#include "test_word_classes.hpp"

static void expected_arcs_of_the_dmv_are_one_a_word() {
  const int tags = 3;
  std::vector<double> root(tags, 1.0 / tags), stop(tags * 4, 0.5), go(tags * 4, 0.5),
      attach(tags * 2 * tags, 1.0 / tags);
  const treewright::DmvTables tables{tags, root.data(), stop.data(), go.data(), attach.data()};
  for (int depth : {0, 1, 2})
    for (int words : {1, 2, 5, 30}) {
      treewright::DmvLimits limits;
      limits.depth = depth, limits.chunk = 2;
      treewright::DmvCorpus corpus(tables, limits);
      std::vector<std::int32_t> sentence(words);
      for (int i = 0; i < words; ++i) sentence[i] = i % tags;
      std::vector<double> r(tags), s(tags * 4), g(tags * 4), a(tags * 2 * tags);
      treewright::DmvTables counts{tags, r.data(), s.data(), g.data(), a.data()};
      const double sum = corpus.expect(sentence.data(), words, counts);
      double arcs = 0;
      for (double count : r) arcs += count;
      for (double count : a) arcs += count;
      CHECK(std::abs(arcs - words) < 1e-9);
      std::vector<int> heads(words + 1);
      CHECK(corpus.decode(sentence.data(), words, nullptr, heads.data()) <= sum + 1e-9);
    }
}

int main() {
  tensor_gradients_are_those_of_the_scores();
  forests_of_all_sizes_have_a_best_tree_below_their_sum();
  adjustments_of_tags_choose_the_tags();
  a_limit_of_size_leaves_an_empty_forest();
  tag_sequences_of_all_sizes_have_probabilities_that_sum_to_one();
  a_tag_model_learns_one_sentence();
  unknown_words_get_candidates_from_suffixes_and_lemmas_of_other_words();
  expected_arcs_of_the_dmv_are_one_a_word();
  charts_of_a_grammar_agree();
  latent_charts_agree();
  latent_counts_are_the_same_for_any_number_of_threads();
  closed_spans_have_no_node();
  eisner_values_are_those_of_its_trees();
  the_spread_has_the_scale_of_differences_between_trees();
  ties_do_not_count_in_the_spread();
  spanning_trees_are_the_same_from_a_matrix_and_from_candidates();
  no_tree_is_told();
  pruned_parts_keep_their_values();
  sibling_automaton_finds_the_best_subset();
  grand_automaton_is_a_sibling_automaton_for_each_head_of_the_head();
  state_automaton_contains_the_sibling_automaton();
  second_order_values_are_those_of_their_trees();
  outermost_grandchildren_are_scored_as_defined();
  marginals_sum_to_one_and_semirings_agree();
  climbs_add_up_to_the_value_of_their_end();
  factor_gains_equal_differences_of_values();
  factor_gradients_stay_in_the_table();
  long_sentences_begin_with_perturbed_trees();
  graphs_are_worth_more_than_their_trees();
  optima_are_at_least_one();
  dual_values_bound_the_best_tree_that_the_search_proves();
  tightening_proves_more_trees_and_keeps_every_bound();
  grand_siblings_have_the_same_value_in_search_and_chart();
  a_search_without_a_tree_says_so();
  a_search_ends_when_it_is_wanted_back();
  k_best_trees_are_sorted_and_different();
  trees_drawn_are_trees();
  second_order_samples_are_projective_trees_of_candidates();
  second_order_sums_of_arcs_are_first_order_sums();
  learning_raises_the_probability_of_the_gold_tree();
  a_partial_tree_is_more_probable_than_a_tree_that_contains_it();
  labels_of_a_head_are_the_best_that_exclude_each_other_least();
  a_head_expects_the_same_as_weights_and_as_logarithms();
  direct_algorithms_decode_what_pruning_leaves();
  a_batch_copies_the_rows_of_each_sentence();
  labels_are_learned();
  a_network_reads_a_sentence_alike_alone_and_beside_others();
  exponentials_are_exact_to_rounding_and_total();
  products_of_bytes_are_exact();
  rows_are_rounded_alike_by_all_operations();
  word_classes_never_lose_value();
  std::printf(failures ? "core: %d checks failed\n" : "core: all checks passed\n", failures);
  return failures != 0;
}
