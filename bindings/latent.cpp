#include "grammar/latent_em.hpp"
#include "grammar/latent_parser.hpp"
#include "phrase_charts.hpp"

namespace treewright {

static void check_weights(const char *name, const ScoreColumn &weights, std::size_t count) {
  if (weights.shape(0) != count)
    throw nb::value_error((std::string(name) + " does not have the length that the substates require").c_str());
  for (std::size_t k = 0; k < count; ++k)
    if (!(weights(k) >= 0 && std::isfinite(weights(k))))
      throw nb::value_error((std::string(name) + " must have finite weights of at least 0").c_str());
}

// Binary rules (parent, left, right) and chains (top, bottom, whether it is one symbol).
static std::pair<std::vector<std::array<int, 3>>, std::vector<LatentChain>> checked_rules(IndexRows rules,
                                                                                          IndexRows chains,
                                                                                          int symbols) {
  if (symbols < 1 || rules.shape(1) != 3 || chains.shape(1) != 3)
    throw nb::value_error("rules must be [rule, 3], chains [chain, 3], with at least one symbol");
  check_numbers("rules", rules.data(), rules.size(), symbols);
  std::vector<std::array<int, 3>> binary;
  for (std::size_t r = 0; r < rules.shape(0); ++r) binary.push_back({rules(r, 0), rules(r, 1), rules(r, 2)});
  std::vector<LatentChain> unary;
  for (std::size_t c = 0; c < chains.shape(0); ++c) {
    const std::int32_t ends[2] = {chains(c, 0), chains(c, 1)};
    check_numbers("chains", ends, 2, symbols);
    unary.push_back({ends[0], ends[1], chains(c, 2) == 1});
    if (unary.back().is_single && ends[0] != ends[1])
      throw nb::value_error("a chain of a single symbol has two of them");
  }
  return {std::move(binary), std::move(unary)};
}

using Shape = std::tuple<IndexColumn, IndexRows, IndexRows>;  // states of symbols, rules, chains

static LatentShape checked_shape(const Shape &shape) {
  const auto &[states, rules, chains] = shape;
  const int symbols = int(states.shape(0));
  auto [binary, unary] = checked_rules(rules, chains, symbols);
  constexpr int max_states = 1 << 10;
  for (int s = 0; s < symbols; ++s)
    if (states(s) < 1 || states(s) > max_states) throw nb::value_error("states must be between 1 and 1024");
  if (states(LatentChart::goal_symbol) != 1) throw nb::value_error("the goal must have one substate");
  return {std::vector<int>(states.data(), states.data() + symbols), std::move(binary), std::move(unary)};
}

using Weights = std::tuple<ScoreColumn, ScoreColumn, ScoreColumn>;  // of rules, chains and words

class LatentTreeList {
 public:
  LatentTreeList(IndexRows nodes, IndexColumn begins, ScoreColumn weights, IndexColumn entry_tags)
      : trees_(checked_nodes(nodes, begins, weights), {begins.data(), begins.data() + begins.shape(0)},
               {weights.data(), weights.data() + weights.shape(0)},
               {entry_tags.data(), entry_tags.data() + entry_tags.shape(0)}),
        nodes_(nodes.data(), nodes.data() + nodes.size()) {}

  std::tuple<double, NewScoreColumn, NewScoreColumn, NewScoreColumn> expect(const Shape &symbols,
                                                                            const Weights &weights, int threads) const {
    const LatentShape shape = fitting(symbols, weights);
    LatentCounts counts;
    {
      nb::gil_scoped_release nogil;
      trees_.expect(shape, rules_of(weights), std::get<2>(weights).data(), threads, counts);
    }
    if (counts.impossible) throw nb::value_error("a tree has no probability under the grammar");
    return {counts.log_likelihood, copied<NewScoreColumn>(counts.rules), copied<NewScoreColumn>(counts.chains),
            copied<NewScoreColumn>(counts.words)};
  }

  NewScoreColumn merge_losses(const Shape &symbols, const Weights &weights, ScoreColumn frequencies,
                              int threads) const {
    const LatentShape shape = fitting(symbols, weights);
    check_weights("frequencies", frequencies, shape.state_at.back());
    std::vector<double> losses;
    {
      nb::gil_scoped_release nogil;
      trees_.merge_losses(shape, rules_of(weights), std::get<2>(weights).data(), frequencies.data(), threads, losses);
    }
    return copied<NewScoreColumn>(losses);
  }

 private:
  static LatentWeights rules_of(const Weights &weights) {
    return {std::get<0>(weights).data(), std::get<1>(weights).data()};
  }
  static std::vector<LatentNode> checked_nodes(const IndexRows &nodes, const IndexColumn &begins,
                                               const ScoreColumn &weights) {
    const int count = int(nodes.shape(0));
    if (nodes.shape(1) != 4 || begins.shape(0) != weights.shape(0) + 1 || begins(0) != 0 ||
        begins(begins.shape(0) - 1) != count)
      throw nb::value_error("nodes must be [node, 4], begins have one entry a tree and one more");
    check_weights("weights", weights, weights.shape(0));
    std::vector<LatentNode> found;
    for (std::size_t tree = 0; tree + 1 < begins.shape(0); ++tree) {
      if (begins(tree) >= begins(tree + 1)) throw nb::value_error("a tree has no nodes");
      for (int k = begins(tree); k < begins(tree + 1); ++k) {
        found.push_back({nodes(k, 0), nodes(k, 1), nodes(k, 2), nodes(k, 3)});
        if (found[k].rule >= 0 && (found[k].left <= k || found[k].right <= k || found[k].left >= begins(tree + 1) ||
                                   found[k].right >= begins(tree + 1)))
          throw nb::value_error("a node is not before its children");
      }
    }
    return found;
  }

  // The shape, after a check that the nodes fit it.
  LatentShape fitting(const Shape &symbols, const Weights &weights) const {
    LatentShape shape = checked_shape(symbols);
    const auto &[rule_weights, chain_weights, word_weights] = weights;
    check_weights("rule_weights", rule_weights, shape.rule_at.back());
    check_weights("chain_weights", chain_weights, shape.chain_at.back());
    std::size_t size = 0;
    for (int tag : trees_.entry_tags()) {
      if (tag < 0 || tag >= shape.symbols()) throw nb::value_error("an entry has a tag that is out of range");
      size += shape.states[tag];
    }
    check_weights("word_weights", word_weights, size);
    for (std::size_t k = 0; k < nodes_.size(); k += 4) {
      const std::int32_t *node = &nodes_[k];
      check_numbers("nodes", node, 1, int(shape.chains.size()));
      const int bottom = shape.chains[node[0]].bottom;
      if (node[1] < 0) {
        check_numbers("nodes", node + 2, 1, int(trees_.entries()));
        if (trees_.entry_tags()[node[2]] != bottom) throw nb::value_error("a word has another tag than its node");
        continue;
      }
      check_numbers("nodes", node + 1, 1, int(shape.rules.size()));
      const auto &rule = shape.rules[node[1]];
      const auto top = [&](int child) { return shape.chains[nodes_[std::size_t(child) * 4]].top; };
      if (rule[0] != bottom || rule[1] != top(node[2]) || rule[2] != top(node[3]))
        throw nb::value_error("a rule does not fit its nodes");
    }
    return shape;
  }

  LatentTrees trees_;
  std::vector<std::int32_t> nodes_;
};

static std::pair<NewScoreColumn, NewScoreColumn> latent_frequencies(const Shape &symbols, ScoreColumn rule_counts,
                                                                    ScoreColumn chain_counts, double smallest) {
  const LatentShape shape = checked_shape(symbols);
  check_weights("rule_counts", rule_counts, shape.rule_at.back());
  check_weights("chain_counts", chain_counts, shape.chain_at.back());
  NewScoreColumn rule_weights = new_array<NewScoreColumn>(rule_counts.shape(0));
  NewScoreColumn chain_weights = new_array<NewScoreColumn>(chain_counts.shape(0));
  relative_frequencies(shape, rule_counts.data(), chain_counts.data(), smallest, rule_weights.data(),
                       chain_weights.data());
  return {rule_weights, chain_weights};
}

// What a grammar says of a sentence.
class LatentSums {
 public:
  LatentPosteriors posteriors;
  int chains = 0, symbols = 0, rules = 0;

  NewScores3 brackets(IndexColumn label_begins, IndexColumn labels, int label_count) const {
    check_labels(label_begins, labels, chains, label_count);
    const std::size_t side = posteriors.words + 1;
    NewScores3 found = zeros<NewScores3>(label_count, side, side);
    for (const LatentEvent &event : posteriors.chains)
      for (int l = label_begins(event.number); l < label_begins(event.number + 1); ++l)
        found.data()[(labels(l) * side + event.i) * side + event.j] += event.probability;
    return found;
  }

  NewScores tags() const {
    NewScores found = zeros<NewScores>(posteriors.words, symbols);
    for (const LatentEvent &event : posteriors.tags)
      found.data()[std::size_t(event.i) * symbols + event.number] = event.probability;
    return found;
  }
};

class LatentKernel {
 public:
  LatentKernel(const Shape &shape, ScoreColumn rule_weights, ScoreColumn chain_weights, IndexColumn preterminals,
               IndexRows joined, ScoreColumn top_frequencies, ScoreColumn base_frequencies)
      : parser_(made(checked_shape(shape), rule_weights, chain_weights, preterminals, joined, top_frequencies,
                     base_frequencies)) {}

  LatentSums sums(Scores words, std::vector<double> thresholds, double smallest, const SpanLimits &limits) const {
    const SpanConstraints constraints = checked(words, thresholds, limits);
    LatentSums found;
    found.chains = int(shape().chains.size()), found.symbols = shape().symbols();
    found.rules = int(shape().rules.size());
    {
      nb::gil_scoped_release nogil;
      parser_.sums(words.data(), int(words.shape(0)), constraints, thresholds, smallest, workspace(), found.posteriors);
    }
    return found;
  }

  const LatentShape &shape() const { return parser_.finest().shape; }

 private:
  static LatentWorkspace &workspace() {
    thread_local LatentWorkspace space;
    return space;
  }

  static LatentParser made(LatentShape shape, ScoreColumn rule_weights, ScoreColumn chain_weights,
                           IndexColumn preterminals, IndexRows joined, ScoreColumn top_frequencies,
                           ScoreColumn base_frequencies) {
    const std::size_t count = shape.state_at.back();
    check_weights("rule_weights", rule_weights, shape.rule_at.back());
    check_weights("chain_weights", chain_weights, shape.chain_at.back());
    check_weights("top_frequencies", top_frequencies, count);
    check_weights("base_frequencies", base_frequencies, count);
    check_numbers("preterminals", preterminals.data(), preterminals.size(), shape.symbols());
    if (joined.shape(1) != count) throw nb::value_error("joined must be [level, substate]");
    std::vector<std::vector<int>> levels;
    for (std::size_t l = 0; l < joined.shape(0); ++l) {
      for (int symbol = 0; symbol < shape.symbols(); ++symbol)
        check_numbers("joined", joined.data() + l * count + shape.state_at[symbol], shape.states[symbol],
                      shape.states[symbol]);
      levels.emplace_back(joined.data() + l * count, joined.data() + (l + 1) * count);
    }
    for (std::size_t l = 1; l < levels.size(); ++l) check_nested(shape, levels[l - 1], levels[l]);
    return {std::move(shape),
            {rule_weights.data(), rule_weights.data() + rule_weights.size()},
            {chain_weights.data(), chain_weights.data() + chain_weights.size()},
            {preterminals.data(), preterminals.data() + preterminals.size()},
            levels,
            top_frequencies.data(),
            base_frequencies.data()};
  }

  // Substates that are joined at a level are joined at the coarser level before.
  static void check_nested(const LatentShape &shape, const std::vector<int> &coarse, const std::vector<int> &fine) {
    for (int symbol = 0; symbol < shape.symbols(); ++symbol) {
      std::vector<int> of(shape.states[symbol], -1);
      for (std::size_t s = shape.state_at[symbol]; s < shape.state_at[symbol + 1]; ++s) {
        int &known = of[fine[s]];
        if (known >= 0 && known != coarse[s]) throw nb::value_error("the levels of joined are not nested");
        known = coarse[s];
      }
    }
  }

  SpanConstraints checked(const Scores &words, const std::vector<double> &thresholds, const SpanLimits &limits) const {
    const std::size_t count = words.shape(0);
    if (!count || count > 10000 || words.shape(1) != parser_.finest().word_at.back())
      throw nb::value_error("words must be [word, substates of tags]");
    for (std::size_t k = 0; k < words.size(); ++k)
      if (!(words.data()[k] >= 0 && words.data()[k] <= 1))
        throw nb::value_error("words must have weights between 0 and 1");
    if (thresholds.size() + 1 != parser_.levels().size())
      throw nb::value_error("thresholds must have one entry a coarse level");
    for (double threshold : thresholds)
      if (std::isnan(threshold)) throw nb::value_error("a threshold is NaN");
    return checked_constraints(count, shape().chains.size(), limits);
  }

  LatentParser parser_;
};

using Numbers = std::tuple<IndexColumn, IndexColumn, IndexColumn>;  // common numbers of rules, chains, symbols

static std::pair<double, NewIndexRows> max_rule(IndexRows rules, IndexRows chains, int symbols,
                                                std::vector<const LatentSums *> members, std::vector<Numbers> numbers) {
  if (members.empty() || members.size() != numbers.size()) throw nb::value_error("every member must have its numbers");
  const auto [binary, unary] = checked_rules(rules, chains, symbols);
  std::vector<ProductMember> product;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto &[of_rules, of_chains, of_symbols] = numbers[m];
    const LatentSums &sums = *members[m];
    if (int(of_rules.size()) != sums.rules || int(of_chains.size()) != sums.chains ||
        int(of_symbols.size()) != sums.symbols || sums.posteriors.words != members[0]->posteriors.words)
      throw nb::value_error("the numbers do not fit the member");
    check_numbers("numbers", of_rules.data(), of_rules.size(), int(binary.size()));
    check_numbers("numbers", of_chains.data(), of_chains.size(), int(unary.size()));
    check_numbers("numbers", of_symbols.data(), of_symbols.size(), symbols);
    product.push_back({&sums.posteriors, of_rules.data(), of_chains.data(), of_symbols.data()});
  }
  std::vector<ChainNode> nodes;
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local MaxRuleChart chart;
    value = chart.read(product, binary, unary, symbols, nodes);
  }
  return {value, rows_of(nodes)};
}

void bind_latent(nb::module_ &m) {
  const auto shape = nb::arg("shape").noconvert(), weights = nb::arg("weights").noconvert();
  nb::class_<LatentTreeList>(m, "LatentTrees", "Trees with weights, over which the rules of a grammar are counted.")
      .def(nb::init<IndexRows, IndexColumn, ScoreColumn, IndexColumn>(), nb::arg("nodes").noconvert(),
           nb::arg("begins").noconvert(), nb::arg("weights").noconvert(), nb::arg("entry_tags").noconvert())
      .def("expect", &LatentTreeList::expect, shape, weights, nb::arg("threads"),
           "Log likelihood, expected counts of rules, of chains and of entries of the lexicon.")
      .def("merge_losses", &LatentTreeList::merge_losses, shape, weights, nb::arg("frequencies").noconvert(),
           nb::arg("threads"),
           "The loss of log likelihood by each merge, at the place of the first substate of the pair.");
  m.def("latent_frequencies", &latent_frequencies, shape, nb::arg("rule_counts").noconvert(),
        nb::arg("chain_counts").noconvert(), nb::arg("smallest"),
        "Relative frequencies of the rules and of the chains of each substate.");
  nb::class_<LatentSums>(m, "LatentSums", "Probabilities of rules, chains and tags over the trees of a sentence.")
      .def_prop_ro("has_tree", [](const LatentSums &sums) { return sums.posteriors.has_tree; })
      .def_prop_ro("log_total", [](const LatentSums &sums) { return sums.posteriors.log_total; })
      .def("brackets", &LatentSums::brackets, nb::arg("label_begins").noconvert(), nb::arg("labels").noconvert(),
           nb::arg("label_count"), "Probabilities of brackets [label, first, last].")
      .def("tags", &LatentSums::tags, "Probabilities of preterminals [word, symbol].");
  nb::class_<LatentKernel>(m, "LatentKernel", "A latent-variable grammar with its charts.")
      .def(nb::init<const Shape &, ScoreColumn, ScoreColumn, IndexColumn, IndexRows, ScoreColumn, ScoreColumn>(), shape,
           nb::arg("rule_weights").noconvert(), nb::arg("chain_weights").noconvert(),
           nb::arg("preterminals").noconvert(), nb::arg("joined").noconvert(), nb::arg("top_frequencies").noconvert(),
           nb::arg("base_frequencies").noconvert())
      .def("sums", &LatentKernel::sums, nb::arg("words").noconvert(), nb::arg("thresholds"), nb::arg("smallest"),
           nb::arg("limits").noconvert() = SpanLimits(), "Probabilities over all trees, coarse to fine.");
  m.def("max_rule", &max_rule, nb::arg("rules").noconvert(), nb::arg("chains").noconvert(), nb::arg("symbols"),
        nb::arg("members"), nb::arg("numbers"),
        "Score and nodes (chain, first, last) of the tree with the highest product of rule probabilities.");
}

}  // namespace treewright
