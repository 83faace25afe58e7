#include "trees/parts.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "trees/conditioning.hpp"
#include "trees/losses.hpp"
#include "trees/stages.hpp"

namespace treewright {

using Triples = std::tuple<IndexColumn, IndexColumn, IndexColumn, ScoreColumn>;
using Quadruples = std::tuple<IndexColumn, IndexColumn, IndexColumn, IndexColumn, ScoreColumn>;
using NewTriples = std::tuple<NewIndexColumn, NewIndexColumn, NewIndexColumn, NewScoreColumn>;

[[noreturn]] static void refuse(const char *part, std::size_t row, const std::string &why) {
  throw nb::value_error((std::string(part) + " " + std::to_string(row) + " " + why).c_str());
}

static void check_column(const char *part, std::size_t rows, const IndexColumn &column, int limit) {
  if (column.shape(0) != rows) throw nb::value_error((std::string(part) + " columns differ in length").c_str());
  for (std::size_t row = 0; row < rows; ++row)
    if (column(row) < 0 || column(row) >= limit)
      refuse(part, row, "has the index " + std::to_string(column(row)) + ", expected 0.." + std::to_string(limit - 1));
}

static void check_scores(const char *part, std::size_t rows, const ScoreColumn &score) {
  if (score.shape(0) != rows) throw nb::value_error((std::string(part) + " columns differ in length").c_str());
  const std::ptrdiff_t bad = bad_score(score.data(), std::ptrdiff_t(rows));
  if (bad >= 0)
    refuse(part, bad,
           "has the score " + std::to_string(score(bad)) + "; scores are finite, at most 1e300, or -inf to forbid");
}

// Writes each row's score to the place find(a, b, c) names; a null place belongs to no pair of candidates.
template <typename Find>
static void set_scores(const char *part, const Triples &rows, std::vector<double> &table, Find find) {
  const auto &[a, b, c, score] = rows;
  std::vector<bool> given(table.size());
  for (std::size_t row = 0; row < a.shape(0); ++row) {
    double *place = find(row, a(row), b(row), c(row));
    if (!place) continue;
    if (given[place - table.data()]) refuse(part, row, "comes twice");
    given[place - table.data()] = true;
    *place = score(row);
  }
}

static void set_grandsiblings(Parts &parts, const Quadruples &rows) {
  constexpr const char *part = "grandsibling";
  const auto &[g, h, m, s, score] = rows;
  const std::size_t count = g.shape(0);
  for (const IndexColumn *column : {&g, &h, &m, &s}) check_column(part, count, *column, parts.nodes);
  check_scores(part, count, score);
  parts.add_grandsib();
  std::vector<bool> given(parts.grandsibs.size());
  for (std::size_t row = 0; row < count; ++row) {
    const bool is_between = (h(row) < s(row) && s(row) < m(row)) || (m(row) < s(row) && s(row) < h(row));
    if (s(row) != h(row) && !is_between) refuse(part, row, "has s outside h .. m");
    const bool is_in_no_tree = g(row) == m(row) || g(row) == s(row) || h(row) == 0 || m(row) == 0 || h(row) == m(row);
    double *place = is_in_no_tree ? nullptr : parts.grandsibling(g(row), h(row), m(row), s(row));
    if (!place) continue;
    if (given[place - parts.grandsibs.data()]) refuse(part, row, "comes twice");
    given[place - parts.grandsibs.data()] = true;
    *place = score(row);
  }
}

static void check_rows(const char *part, const Triples &rows, int nodes, int last_limit) {
  const auto &[a, b, c, score] = rows;
  check_column(part, a.shape(0), a, nodes);
  check_column(part, a.shape(0), b, nodes);
  check_column(part, a.shape(0), c, last_limit);
  check_scores(part, a.shape(0), score);
}

static void build(Parts *self, int nodes, IndexColumn head, IndexColumn modifier, ScoreColumn score,
                  std::optional<Triples> siblings, std::optional<Triples> grandparents, std::optional<Triples> stops,
                  bool outermost, std::optional<Quadruples> grandsiblings) {
  constexpr int max_nodes = 1 << 20;  // far above any sentence, and indices fit 32 bits
  if (nodes < 2) throw nb::value_error("nodes must be at least 2: the root and a word");
  if (nodes > max_nodes) throw nb::value_error("nodes must be at most 1048576");
  const std::size_t count = head.shape(0);
  check_column("arc", count, head, nodes);
  check_column("arc", count, modifier, nodes);
  check_scores("arc", count, score);
  for (std::size_t row = 0; row < count; ++row) {
    if (modifier(row) == 0) refuse("arc", row, "enters node 0, the root");
    if (modifier(row) == head(row)) refuse("arc", row, "has one word as head and modifier");
    if (score(row) == forbidden) refuse("arc", row, "has the score -inf; leave a forbidden arc out");
  }
  new (self) Parts(nodes, int(count), head.data(), modifier.data(), score.data());
  self->outermost = outermost;
  for (int id = 1; id < self->arcs(); ++id)
    if (self->head[id] == self->head[id - 1] && self->modifier[id] == self->modifier[id - 1]) {
      const std::string arc = std::to_string(self->head[id]) + ", " + std::to_string(self->modifier[id]);
      self->~Parts();
      throw nb::value_error(("the arc (" + arc + ") comes twice").c_str());
    }
  try {
    if (siblings || stops) self->add_transitions();
    if (siblings) {
      check_rows("sibling", *siblings, nodes, nodes);
      set_scores("sibling", *siblings, self->transitions, [&](std::size_t row, int h, int m, int s) {
        if (s != h && !(h < s && s < m) && !(m < s && s < h)) refuse("sibling", row, "has s outside h .. m");
        return m == 0 || m == h ? nullptr : self->sibling(h, m, s);
      });
    }
    if (stops) {
      check_rows("stop", *stops, nodes, 2);
      set_scores("stop", *stops, self->transitions, [&](std::size_t row, int h, int s, int side) {
        if (s != h && (s > h) != (side == 1)) refuse("stop", row, "has s on the other side of h");
        return h == 0 && side == 0 ? nullptr : self->stop(h, s, side);
      });
    }
    if (grandparents) {
      check_rows("grandparent", *grandparents, nodes, nodes);
      self->add_grand();
      set_scores("grandparent", *grandparents, self->grands,
                 [&](std::size_t, int g, int h, int m) { return self->grandparent(g, h, m); });
    }
    if (grandsiblings && outermost) throw nb::value_error("outermost=True has no grandsiblings; leave out one of them");
    if (grandsiblings) set_grandsiblings(*self, *grandsiblings);
  } catch (...) {
    self->~Parts();
    throw;
  }
}

using Check = std::ptrdiff_t (*)(const double *, int);

// The flat index of the first cell that belongs to a part and has no score, or -1.
template <typename Array>
static std::ptrdiff_t bad_cell(const std::string &name, const Array &scores, std::size_t nodes, Check check) {
  for (std::size_t axis = 0; axis < scores.ndim(); ++axis)
    if (scores.shape(axis) != (check == bad_stop && axis == 2 ? 2 : nodes))
      throw nb::value_error((name + " does not have one entry for each node on every axis").c_str());
  nb::gil_scoped_release nogil;
  return check(scores.data(), int(nodes));
}

static std::ptrdiff_t bad_part(const std::string &name,
                               nb::ndarray<const double, nb::c_contig, nb::device::cpu> scores) {
  const bool has_four = name == "grandsib";
  if (scores.ndim() != (has_four ? 4u : 3u)) throw nb::value_error((name + " has another number of axes").c_str());
  const Check check = has_four ? bad_grandsib : name == "sib" ? bad_sibling : name == "grand" ? bad_grand : bad_stop;
  return bad_cell(name, scores, scores.shape(0), check);
}

template <typename Array>
static const double *checked(const char *name, const std::optional<Array> &scores, int nodes, Check check) {
  if (!scores) return nullptr;
  if (bad_cell(name, *scores, nodes, check) >= 0)
    throw nb::value_error((std::string(name) + " must have finite scores, or -inf to forbid").c_str());
  return scores->data();
}

static Parts from_arrays(Scores arc, std::optional<Scores3> sib, std::optional<Scores3> grand,
                         std::optional<Scores3> stop, std::optional<Scores4> grandsib) {
  const int nodes = checked_nodes(arc);
  const double *of_sib = checked("sib", sib, nodes, bad_sibling), *of_grand = checked("grand", grand, nodes, bad_grand);
  const double *of_stop = checked("stop", stop, nodes, bad_stop);
  const double *of_grandsib = checked("grandsib", grandsib, nodes, bad_grandsib);
  nb::gil_scoped_release nogil;
  return Parts::from_dense(nodes, arc.data(), of_sib, of_grand, of_stop, of_grandsib);
}

// The four columns of the parts that scored anything but zero, gathered by visit(emit).
template <typename Visit>
static NewTriples gathered(Visit visit) {
  std::vector<std::int32_t> a, b, c;
  std::vector<double> scores;
  visit([&](int x, int y, int z, double score) {
    if (score != 0) a.push_back(x), b.push_back(y), c.push_back(z), scores.push_back(score);
  });
  return {copied<NewIndexColumn>(a), copied<NewIndexColumn>(b), copied<NewIndexColumn>(c),
          copied<NewScoreColumn>(scores)};
}

static NewTriples siblings(const Parts &parts) {
  return gathered([&](auto emit) {
    for (int side = 1; parts.has_transitions() && side < 2 * parts.nodes; ++side) {
      const int h = side / 2, size = parts.side_size(side), *m = parts.modifier.data() + parts.side_begin[side];
      for (int p = 0; p <= size; ++p)
        for (int q = p; q < size; ++q) emit(h, m[q], p == 0 ? h : m[p - 1], parts.transition(side, p, q));
    }
  });
}

static NewTriples stops(const Parts &parts) {
  return gathered([&](auto emit) {
    for (int side = 1; parts.has_transitions() && side < 2 * parts.nodes; ++side) {
      const int h = side / 2, size = parts.side_size(side), *m = parts.modifier.data() + parts.side_begin[side];
      for (int p = 0; p <= size; ++p) emit(h, p == 0 ? h : m[p - 1], side % 2, parts.transition(side, p, size));
    }
  });
}

static NewTriples grandparents(const Parts &parts) {
  return gathered([&](auto emit) {
    for (int upper = 0; parts.has_grand() && upper < parts.arcs(); ++upper) {
      const int g = parts.head[upper], h = parts.modifier[upper];
      for (int lower = parts.out_begin(h); lower < parts.out_begin(h) + parts.out_size(h); ++lower)
        emit(g, h, parts.modifier[lower], parts.grand(upper, lower));
    }
  });
}

static std::tuple<NewIndexColumn, NewIndexColumn, NewIndexColumn, NewIndexColumn, NewScoreColumn> grandsiblings(
    const Parts &parts) {
  std::vector<std::int32_t> columns[4];
  std::vector<double> scores;
  parts.for_grandsibs([&](int upper, int side, int p, int q) {
    const double score = parts.grandsib(upper, side, p, q);
    if (score == 0 || parts.is_cyclic(upper, side, p, q)) return;
    const int h = side / 2, *m = parts.modifier.data() + parts.side_begin[side];
    columns[0].push_back(parts.head[upper]), columns[1].push_back(h), columns[2].push_back(m[q]);
    columns[3].push_back(p == 0 ? h : m[p - 1]), scores.push_back(score);
  });
  const auto column = [&](int i) { return copied<NewIndexColumn>(columns[i]); };
  return {column(0), column(1), column(2), column(3), copied<NewScoreColumn>(scores)};
}

static void check_tree(const Parts &parts, const IndexColumn &heads) {
  if (int(heads.shape(0)) != parts.nodes) throw nb::value_error("heads must have one entry a node");
  for (int m = 1; m < parts.nodes; ++m)
    if (heads(m) < 0 || heads(m) >= parts.nodes) throw nb::value_error("heads must be nodes");
}

static double value(const Parts &parts, IndexColumn heads) {
  check_tree(parts, heads);
  return parts.value(heads.data());
}

static Parts restricted(const Parts &parts, Mask keep) {
  if (int(keep.shape(0)) != parts.arcs()) throw nb::value_error("keep must have one entry an arc");
  return parts.restricted(keep.data());
}

static std::tuple<NewScores, std::optional<NewScores3>, std::optional<NewScores3>, std::optional<NewScores3>> to_arrays(
    const Parts &parts) {
  const std::size_t nodes = parts.nodes;
  NewScores arc = zeros<NewScores>(nodes, nodes);
  std::optional<NewScores3> sib, grand, stop;
  if (parts.has_transitions()) sib = zeros<NewScores3>(nodes, nodes, nodes), stop = zeros<NewScores3>(nodes, nodes, 2);
  if (parts.has_grand()) grand = zeros<NewScores3>(nodes, nodes, nodes);
  nb::gil_scoped_release nogil;
  parts.to_dense(arc.data(), sib ? sib->data() : nullptr, grand ? grand->data() : nullptr,
                 stop ? stop->data() : nullptr);
  return {arc, sib, grand, stop};
}

static std::ptrdiff_t bad_arc_cell(Scores arc) { return bad_cell("arc", arc, arc.shape(0), bad_arc); }

// Parts with their losses and the conditioned problem, for solvers written in Python.
class Conditioned {
 public:
  Conditioned(const Parts &parts, bool single_root) : given_(parts) { losses_.open(given_, single_root); }

  std::vector<double> thresholds() { return losses_.thresholds(); }
  double loss(IndexColumn heads) {
    check_tree(given_, heads);
    return losses_.total(heads.data());
  }
  Parts below(double threshold) {
    problem_.open(given_, losses_, threshold);
    return problem_.parts;
  }
  double scale() const { return problem_.scale; }

  // Value, bound, gap and spread.
  std::tuple<double, double, double, double> bounds(IndexColumn heads, double value, double bound) {
    check_tree(given_, heads);
    const std::vector<int> tree(heads.data(), heads.data() + heads.shape(0));
    const BoundedTree found = in_given_units(given_, losses_, problem_, tree, value, bound);
    return {found.value, found.bound, found.gap, found.spread};
  }

 private:
  Parts given_;
  Losses losses_;
  Conditioning problem_;
};

static Parts adjusted(const Parts &parts, ScoreColumn adjustment) {
  if (int(adjustment.shape(0)) != parts.arcs()) throw nb::value_error("adjustment must have one entry an arc");
  check_scores_of("adjustment", adjustment);
  return parts.adjusted(adjustment.data());
}

// Adds weight * scores[h, m] to the arcs of each sentence, in place.
static void add_arc_scores(const std::vector<Parts *> &batch, const std::vector<Scores> &scores, double weight) {
  if (batch.size() != scores.size()) throw nb::value_error("there must be one matrix a sentence");
  check_finite("weight", weight);
  for (std::size_t s = 0; s < batch.size(); ++s)
    if (nodes_of(scores[s]) != batch[s]->nodes) throw nb::value_error("a matrix does not fit its sentence");
  nb::gil_scoped_release nogil;
  for (std::size_t s = 0; s < batch.size(); ++s) {
    Parts &parts = *batch[s];
    for (int e = 0; e < parts.arcs(); ++e)
      parts.arc[e] += weight * scores[s].data()[std::size_t(parts.head[e]) * parts.nodes + parts.modifier[e]];
  }
}

void bind_parts(nb::module_ &m) {
  constexpr auto fresh = nb::rv_policy::move;  // a property would otherwise tie its arrays to the object
  nb::class_<Parts>(m, "Parts", "The parts of one sentence over its candidate arcs (core/trees/parts.hpp).")
      .def("__init__", &build, nb::arg("nodes"), nb::arg("head").noconvert(), nb::arg("modifier").noconvert(),
           nb::arg("score").noconvert(), nb::arg("siblings").none() = nb::none(),
           nb::arg("grandparents").none() = nb::none(), nb::arg("stops").none() = nb::none(),
           nb::arg("outermost") = false, nb::arg("grandsiblings").none() = nb::none(),
           "From int32 index columns and float64 score columns, in any order.")
      .def_static("from_arrays", &from_arrays, nb::arg("arc").noconvert(),
                  nb::arg("sib").noconvert().none() = nb::none(), nb::arg("grand").noconvert().none() = nb::none(),
                  nb::arg("stop").noconvert().none() = nb::none(), nb::arg("grandsib").noconvert().none() = nb::none(),
                  "From whole matrices that have been checked; the candidates are the arcs above -inf.")
      .def_ro("nodes", &Parts::nodes)
      .def_prop_ro("arcs", &Parts::arcs, "How many candidate arcs there are.")
      .def_prop_ro("has_transitions", &Parts::has_transitions)
      .def_prop_ro("has_grand", &Parts::has_grand)
      .def_prop_ro("has_grandsib", &Parts::has_grandsib)
      .def_ro("outermost", &Parts::outermost)
      .def_prop_ro(
          "head", [](const Parts &p) { return copied<NewIndexColumn>(p.head); }, fresh)
      .def_prop_ro(
          "modifier", [](const Parts &p) { return copied<NewIndexColumn>(p.modifier); }, fresh)
      .def_prop_ro(
          "arc", [](const Parts &p) { return copied<NewScoreColumn>(p.arc); }, fresh)
      .def_prop_ro("siblings", &siblings, fresh, "Columns h, m, s and score of the sibling parts that are not zero.")
      .def_prop_ro("grandparents", &grandparents, fresh, "Columns g, h, m and score of those that are not zero.")
      .def_prop_ro("grandsiblings", &grandsiblings, fresh, "Columns g, h, m, s and score of those that are not zero.")
      .def_prop_ro("stops", &stops, fresh, "Columns h, s, side and score of those that are not zero.")
      .def("to_arrays", &to_arrays,
           "Scores as arc, sib, grand and stop, zero in cells of no candidate; None for kinds that are not there.")
      .def("restricted", &restricted, nb::arg("keep").noconvert(), "The parts over the arcs with keep set.")
      .def("scaled", &Parts::scaled, nb::arg("factor"), "The parts with scores multiplied by a positive factor.")
      .def("adjusted", &adjusted, nb::arg("adjustment").noconvert(), "The parts with a number added to each arc.")
      .def("value", &value, nb::arg("heads").noconvert(),
           "The value of a tree by the definition of the parts; -inf when it uses an arc that is no candidate.");
  nb::class_<Conditioned>(m, "Conditioned",
                          "Scores shifted, scaled and rounded so that sums are exact (core/trees/conditioning.hpp).")
      .def(nb::init<const Parts &, bool>(), nb::arg("parts"), nb::arg("single_root"))
      .def("thresholds", &Conditioned::thresholds, "Losses that begin a group of much higher ones, increasing.")
      .def("loss", &Conditioned::loss, nb::arg("heads").noconvert(),
           "What a tree loses against the best score of every part.")
      .def("below", &Conditioned::below, nb::arg("threshold"),
           "The conditioned parts, without those that lose at least the threshold; the arcs keep their order.")
      .def_prop_ro("scale", &Conditioned::scale, "The factor of the conditioned scores.")
      .def("bounds", &Conditioned::bounds, nb::arg("heads").noconvert(), nb::arg("value"), nb::arg("bound"),
           "Value, bound, gap and spread of a tree in given units, from its value and a bound in the conditioned "
           "parts.");
  m.def("add_arc_scores", &add_arc_scores, nb::arg("batch"), nb::arg("scores"), nb::arg("weight"),
        "Adds weight * scores[h, m] to the arcs of each sentence, in place.");
  m.def("bad_arc", &bad_arc_cell, nb::arg("arc").noconvert(),
        "The flat index of the first cell of an arc that has no score, or -1.");
  m.def("bad_part", &bad_part, nb::arg("name"), nb::arg("scores").noconvert(),
        "The flat index of the first cell of sib, grand, stop or grandsib that belongs to a part and has no score.");
}

}  // namespace treewright
