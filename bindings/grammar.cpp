#include <memory>

#include "grammar/cky_kbest.hpp"
#include "grammar/partial_cover.hpp"
#include "grammar/sums.hpp"
#include "phrase_charts.hpp"

namespace treewright {

using Found = std::pair<double, NewIndexRows>;

class ContextFree {
 public:
  ContextFree(int symbols, int goal, IndexRows rules, ScoreColumn rule_scores, IndexRows chains,
              ScoreColumn chain_scores, IndexColumn preterminals, Mask is_top)
      : rules_(checked_rules(symbols, goal, rules, rule_scores, chains, chain_scores, preterminals)),
        is_top_(new bool[is_top.shape(0)]) {
    if (is_top.shape(0) != std::size_t(symbols)) throw nb::value_error("is_top must have one entry a symbol");
    std::copy(is_top.data(), is_top.data() + symbols, is_top_.get());
  }

  Found parse(Scores lexical, const SpanLimits &limits) const {
    return read(lexical, limits, [&](CkyChart<MaxPlus> &chart, std::vector<ChainNode> &nodes) {
      if (chart.has_tree()) chart.read_tree(0, chart.words(), rules_.goal(), nodes);
      return chart.total();
    });
  }

  Found cover(Scores lexical, const SpanLimits &limits) const {
    return read(lexical, limits, [&](CkyChart<MaxPlus> &chart, std::vector<ChainNode> &nodes) {
      return read_cover(chart, is_top_.get(), nodes);
    });
  }

  std::vector<Found> kbest(Scores lexical, int k, const SpanLimits &limits) const {
    const SpanConstraints constraints = checked(lexical, limits);
    std::vector<std::pair<double, std::vector<ChainNode>>> trees;
    {
      nb::gil_scoped_release nogil;
      CkyKBest best(filled(lexical, constraints));
      double value;
      std::vector<ChainNode> nodes;
      while (int(trees.size()) < k && best.tree(int(trees.size()), value, nodes)) {
        trees.emplace_back(value, std::move(nodes));
        nodes.clear();
      }
    }
    std::vector<Found> rows;
    for (const auto &[value, nodes] : trees) rows.emplace_back(value, rows_of(nodes));
    return rows;
  }

  std::tuple<double, NewScores3, NewScores> sums(Scores lexical, IndexColumn label_begins, IndexColumn labels,
                                                 int label_count, const SpanLimits &limits) const {
    const SpanConstraints constraints = checked(lexical, limits);
    check_labels(label_begins, labels, rules_.chains().size(), label_count);
    const int words = int(lexical.shape(0));
    NewScores3 brackets = zeros<NewScores3>(label_count, words + 1, words + 1);
    NewScores tags = zeros<NewScores>(words, lexical.shape(1));
    double total;
    {
      nb::gil_scoped_release nogil;
      thread_local CkySums sums;
      total = sums.compute(rules_, lexical.data(), words, constraints,
                           {label_begins.data(), labels.data(), label_count}, brackets.data(), tags.data());
    }
    return {total, brackets, tags};
  }

 private:
  static ContextFreeRules checked_rules(int symbols, int goal, const IndexRows &rules, const ScoreColumn &rule_scores,
                                        const IndexRows &chains, const ScoreColumn &chain_scores,
                                        const IndexColumn &preterminals) {
    if (rules.shape(1) != 3 || rules.shape(0) != rule_scores.shape(0))
      throw nb::value_error("rules must be [rule, 3], with a score each");
    if (chains.shape(1) != 2 || chains.shape(0) != chain_scores.shape(0))
      throw nb::value_error("chains must be [chain, 2], with a score each");
    check_numbers("rules", rules.data(), rules.size(), symbols);
    check_numbers("chains", chains.data(), chains.size(), symbols);
    check_numbers("preterminals", preterminals.data(), preterminals.size(), symbols);
    if (goal < 0 || goal >= symbols) throw nb::value_error("the goal is out of range");
    check_scores_of("rule_scores", rule_scores);
    check_scores_of("chain_scores", chain_scores);
    std::vector<BinaryRule> binary;
    for (std::size_t r = 0; r < rules.shape(0); ++r)
      binary.push_back({rules(r, 0), rules(r, 1), rules(r, 2), rule_scores(r)});
    std::vector<UnaryChain> unary;
    for (std::size_t c = 0; c < chains.shape(0); ++c) unary.push_back({chains(c, 0), chains(c, 1), chain_scores(c)});
    return {symbols, goal, binary, unary,
            std::vector<int>(preterminals.data(), preterminals.data() + preterminals.shape(0))};
  }

  SpanConstraints checked(const Scores &lexical, const SpanLimits &limits) const {
    const std::size_t words = lexical.shape(0);
    if (!words || lexical.shape(1) != rules_.preterminals().size())
      throw nb::value_error("lexical must be [word, preterminal]");
    check_scores_of("lexical", lexical);
    return checked_constraints(words, rules_.chains().size(), limits);
  }

  // The value that use(chart, nodes) returns, and the nodes that it writes.
  template <typename Use>
  Found read(const Scores &lexical, const SpanLimits &limits, Use use) const {
    const SpanConstraints constraints = checked(lexical, limits);
    double value;
    std::vector<ChainNode> nodes;
    {
      nb::gil_scoped_release nogil;
      value = use(filled(lexical, constraints), nodes);
    }
    return {value, rows_of(nodes)};
  }

  CkyChart<MaxPlus> &filled(const Scores &lexical, const SpanConstraints &constraints) const {
    thread_local CkyChart<MaxPlus> chart;
    chart.inside(rules_, lexical.data(), int(lexical.shape(0)), constraints);
    return chart;
  }

  ContextFreeRules rules_;
  std::unique_ptr<bool[]> is_top_;
};

void bind_grammar(nb::module_ &m) {
  const auto limits = nb::arg("limits").noconvert() = SpanLimits();
  nb::class_<ContextFree>(m, "ContextFree", "A context-free grammar over binary rules and unary chains, with charts.")
      .def(nb::init<int, int, IndexRows, ScoreColumn, IndexRows, ScoreColumn, IndexColumn, Mask>(), nb::arg("symbols"),
           nb::arg("goal"), nb::arg("rules").noconvert(), nb::arg("rule_scores").noconvert(),
           nb::arg("chains").noconvert(), nb::arg("chain_scores").noconvert(), nb::arg("preterminals").noconvert(),
           nb::arg("is_top").noconvert())
      .def("parse", &ContextFree::parse, nb::arg("lexical").noconvert(), limits,
           "Value and nodes (chain, first, last) of the best tree, parents first; -inf and no nodes without a tree.")
      .def("cover", &ContextFree::cover, nb::arg("lexical").noconvert(), limits,
           "Value and nodes of the fewest trees that cover the sentence.")
      .def("kbest", &ContextFree::kbest, nb::arg("lexical").noconvert(), nb::arg("k"), limits,
           "Value and nodes of the k best trees, or of all if there are fewer.")
      .def("sums", &ContextFree::sums, nb::arg("lexical").noconvert(), nb::arg("label_begins").noconvert(),
           nb::arg("labels").noconvert(), nb::arg("label_count"), limits,
           "Log partition, probabilities of brackets [label, first, last] and of preterminals [word, preterminal].");
}

}  // namespace treewright
