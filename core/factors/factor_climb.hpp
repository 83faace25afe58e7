// Hill climbing with third-order parts and global features: what a change adds to the gain of the second-order parts
// (search/climb_tree.hpp), and the restarts.
//
// The score of each unit of factors in the current tree is kept. The gain of a change is the difference of the units
// that it touches, listed before and after it is made; factors are scored once a sentence. Cost of a change: its
// factors, a dozen or so, and the words above whose spans change.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/deadline.hpp"
#include "factors/factor_features.hpp"
#include "factors/factor_units.hpp"
#include "search/climb.hpp"

namespace treewright {

// The factors of one sentence: features, classes of tokens, tree.
class FactorSentence {
 public:
  FactorSentence(std::vector<TemplateTable> tables, int bits, ClassTables classes)
      : features(std::move(tables), bits), classes(std::move(classes)) {}

  void open(const Atoms &atoms) {
    features.open(atoms);
    classes.open(atoms);
  }

  // use(factor) for each factor of a tree.
  template <typename Use>
  void visit(const int *heads, Use use) {
    tree.reset(features.nodes(), heads);
    const FactorUnits units(features, classes, tree);
    units.each([&](int unit) { units.visit(unit, use); });
  }

  FactorFeatures features;
  TokenClasses classes;
  LinkedTree tree;
};

template <typename Weight>
class FactorGains {
 public:
  FactorGains(FactorSentence &sentence, WeightTable<Weight> weights, FlatMap<double> &known)
      : tree_(sentence.tree),
        units_(sentence.features, sentence.classes, sentence.tree),
        scores_(sentence.features, weights, known) {}

  // The score of all factors of a tree, from which changes are made.
  Sum reset(int nodes, const int *heads) {
    tree_.reset(nodes, heads);
    value_.assign(units_.count(), 0.0);
    stamp_.assign(units_.count(), 0);
    now_ = 0;
    Sum total;
    units_.each([&](int unit) { total.add(value_[unit] = score(unit)); });
    return total;
  }

  Sum gain_of_move(int m, int h) { return gain({{m, h}}, false); }
  // m takes the place of the root's modifier, which goes to h.
  Sum gain_of_swap(int m, int root, int h) { return gain({{m, 0}, {root, h}}, false); }
  void move(int m, int h) { gain({{m, h}}, true); }
  void swap(int m, int root, int h) { gain({{m, 0}, {root, h}}, true); }

  struct Step {
    int m, h;
  };

  // use(factor, sign) for the factors that a change would remove (-1) and add (+1).
  template <typename Use>
  void visit_difference(std::initializer_list<Step> steps, Use use) {
    const auto each = [&](double sign) {
      for (const int unit : touched_) units_.visit(unit, [&](const Factor &factor) { use(factor, sign); });
    };
    make_all(steps);
    each(1.0);
    undo(steps);
    each(-1.0);
  }

 private:
  void begin() { ++now_, touched_.clear(); }
  void add(int unit) {
    if (stamp_[unit] == now_) return;
    stamp_[unit] = now_;
    touched_.push_back(unit);
  }
  void make(int m, int h) {
    const auto listed = [this](int unit) { add(unit); };
    units_.touch(m, listed);
    spans_.clear();
    tree_.move(m, h, spans_);
    for (const int v : spans_) units_.touch_span(v, listed);
    units_.touch(m, listed);
  }

  void make_all(std::initializer_list<Step> steps) {
    begin();
    from_.clear();
    for (const Step &step : steps) {
      from_.push_back(tree_.head(step.m));
      make(step.m, step.h);
    }
  }
  void undo(std::initializer_list<Step> steps) {
    for (std::size_t step = steps.size(); step-- > 0;) tree_.move(steps.begin()[step].m, from_[step], spans_);
  }

  Sum gain(std::initializer_list<Step> steps, bool keep) {
    make_all(steps);
    Sum gained;
    for (const int unit : touched_) {
      const double there = score(unit);
      gained.add(there);
      gained.subtract(value_[unit]);
      if (keep) value_[unit] = there;
    }
    if (!keep) undo(steps);
    return gained;
  }

  double score(int unit) {
    double sum = 0;
    units_.visit(unit, [&](const Factor &factor) { sum += scores_(factor); });
    return sum;
  }

  LinkedTree &tree_;
  FactorUnits units_;
  FactorScores<Weight> scores_;
  std::vector<double> value_;         // of each unit in the current tree
  std::vector<std::uint32_t> stamp_;  // the change that listed each unit last
  std::uint32_t now_ = 0;
  std::vector<int> touched_, spans_, from_;  // from_: the heads before the change
};

class FactorClimber {
 public:
  // Climbs from `first` and then from random trees, as Climber::decode does; `each_end(tree)` after each climb. Writes
  // the best heads and returns their value from the definition.
  template <typename Weight, typename EachEnd>
  double decode(const Parts &parts, FactorSentence &sentence, WeightTable<Weight> weights, const ClimbOptions &options,
                const int *first, Deadline &watch, int *heads, EachEnd each_end) {
    FactorGains<Weight> gains(sentence, weights, known_);
    Sum best;
    was_interrupted = false, restarts = 0;
    start_.resize(parts.nodes);
    const auto go_on = [&] { return !watch.is_over() && !(was_interrupted = was_interrupted || watch.interrupted()); };
    const int limit = options.max_restarts;
    for (int without = 0; restarts == 0 || (without < options.patience && (limit == 0 || restarts < limit));
         ++restarts) {
      if (restarts > 0 && !go_on()) break;
      if (first && restarts == 0)
        std::copy(first, first + parts.nodes, start_.begin());
      else if (!draws(parts, options, first != nullptr))
        break;
      climb(parts, options.shape, start_.data(), gains, [](const ClimbTree &) {}, go_on);
      const bool better = restarts == 0 || tree_.total().exceeds(best);
      without = better ? 0 : without + 1;
      if (better) best = tree_.total(), tree_.write(heads);
      each_end(tree_);
    }
    if (restarts == 0 || best.forbidden_parts > 0) return forbidden;
    return parts.value(heads) + gains.reset(parts.nodes, heads).value();
  }

  // One climb in tree().
  template <typename Weight, typename Each, typename GoOn>
  void climb(const Parts &parts, TreeShape shape, const int *start, FactorGains<Weight> &gains, Each each, GoOn go_on) {
    tree_.reset(parts, shape, start);
    tree_.add(gains.reset(parts.nodes, start));
    climber_.climb(tree_, each, go_on, gains);
  }

  const ClimbTree &tree() const { return tree_; }
  FlatMap<double> &known() { return known_; }

  bool was_interrupted = false;
  int restarts = 0;  // climbs made

 private:
  bool draws(const Parts &parts, const ClimbOptions &options, bool has_first) {
    if (restarts == int(has_first) && !random_.prepare(parts, options.shape, options.by_score, options.seed))
      return false;
    return random_.draw(restarts, start_.data());
  }

  Climber climber_;
  ClimbTree tree_;
  RandomTrees random_;
  FlatMap<double> known_;
  std::vector<int> start_;
};

}  // namespace treewright
