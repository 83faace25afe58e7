#include "dual/automata.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"

namespace treewright {

static NewIndexColumn places_of(const std::vector<char> &chosen) {
  std::vector<std::int32_t> places;
  for (std::size_t q = 0; q < chosen.size(); ++q)
    if (chosen[q]) places.push_back(std::int32_t(q));
  return copied<NewIndexColumn>(places.data(), places.size());
}

static void check_forced(const Parts &parts, const Mask &forced) {
  if (int(forced.shape(0)) != parts.arcs()) throw nb::value_error("forced must have one entry an arc");
}

using OneSide = std::tuple<double, NewIndexColumn, NewScoreColumn, NewScoreColumn>;

static OneSide sibling_automaton(const Parts &parts, int side, Mask forced) {
  check_forced(parts, forced);
  if (side < 0 || side >= 2 * parts.nodes) throw nb::value_error("there is no such side");
  const std::vector<char> must(forced.data(), forced.data() + forced.shape(0));
  const AutomatonSide automaton = automaton_side(parts, side, parts.arc.data(), must.data());
  std::vector<char> chosen(automaton.count);
  NewScoreColumn with = new_array<NewScoreColumn>(automaton.count),
                 without = new_array<NewScoreColumn>(automaton.count);
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local SiblingAutomaton decoder;
    value = decoder.decode(automaton, chosen.data());
    decoder.max_marginals(automaton, with.data(), without.data());
  }
  return {value, places_of(chosen), with, without};
}

using BothSides = std::tuple<double, int, NewIndexColumn, NewScoreColumn, NewScoreColumn, NewScoreColumn>;

static BothSides grand_automaton(const Parts &parts, int h, ScoreColumn upper_scores, Mask forced) {
  check_forced(parts, forced);
  if (h < 0 || h >= parts.nodes) throw nb::value_error("there is no such head");
  if (h > 0 && int(upper_scores.shape(0)) != parts.in_size(h))
    throw nb::value_error("upper_scores must have one entry an arc into h");
  check_scores_of("upper_scores", upper_scores);
  const std::vector<char> must(forced.data(), forced.data() + forced.shape(0));
  const AutomatonHead automaton = automaton_head(parts, h, parts.arc.data(), upper_scores.data(), must.data());
  const int count = parts.out_size(h);
  std::vector<char> chosen(count);
  NewScoreColumn with = new_array<NewScoreColumn>(count), without = new_array<NewScoreColumn>(count);
  NewScoreColumn by_upper = new_array<NewScoreColumn>(automaton.uppers);
  int upper;
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local GrandAutomaton decoder;
    value = decoder.decode(automaton, &upper, chosen.data());
    decoder.max_marginals(automaton, with.data(), without.data());
    std::copy_n(decoder.by_upper(), automaton.uppers, by_upper.data());
  }
  return {value, upper, places_of(chosen), with, without, by_upper};
}

using StatePath = std::tuple<double, int, NewIndexColumn, NewScoreColumn, NewScoreColumn>;

static StatePath state_automaton(ScoreColumn start, Scores3 moves, ScoreColumn stop, std::optional<Mask> forced) {
  const std::size_t count = moves.shape(0), states = start.shape(0);
  if (moves.shape(1) != states || moves.shape(2) != states || stop.shape(0) != states || states < 1)
    throw nb::value_error("start, moves and stop must have the same states, at least one");
  if (forced && forced->shape(0) != count) throw nb::value_error("forced must have one entry a candidate");
  check_scores_of("start", start);
  check_scores_of("moves", moves);
  check_scores_of("stop", stop);
  const StateTable table{int(count),  int(states),  start.data(),
                         stop.data(), moves.data(), forced ? forced->data() : nullptr};
  NewIndexColumn entered = new_array<NewIndexColumn>(count);
  NewScoreColumn with = new_array<NewScoreColumn>(count), without = new_array<NewScoreColumn>(count);
  int first;
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local StateAutomaton decoder;
    value = decoder.decode(table, &first, entered.data());
    decoder.max_marginals(table, with.data(), without.data());
  }
  return {value, first, entered, with, without};
}

void bind_automata(nb::module_ &m) {
  m.def("sibling_automaton", &sibling_automaton, nb::arg("parts"), nb::arg("side"), nb::arg("forced").noconvert(),
        "The best modifiers on a side (2 h: left, 2 h + 1: right): value, their places, best values with and without.");
  m.def("grand_automaton", &grand_automaton, nb::arg("parts"), nb::arg("h"), nb::arg("upper_scores").noconvert(),
        nb::arg("forced").noconvert(),
        "The best modifiers on both sides and head of h: value, rank of the head, places of the modifiers, best values "
        "with and without each, best value with each head.");
  m.def(
      "state_automaton", &state_automaton, nb::arg("start").noconvert(), nb::arg("moves").noconvert(),
      nb::arg("stop").noconvert(), nb::arg("forced").noconvert().none() = nb::none(),
      "The best path: value, first state, the state entered with each candidate or -1, best values with and without.");
}

}  // namespace treewright
