#include "dual/automata.hpp"

#include <tuple>

#include "arrays.hpp"

namespace treewright {

static std::tuple<double, NewIndexColumn> sibling_automaton(const Parts &parts, int side, Mask forced) {
  if (int(forced.shape(0)) != parts.arcs()) throw nb::value_error("forced must have one entry an arc");
  if (side < 0 || side >= 2 * parts.nodes) throw nb::value_error("there is no such side");
  const std::vector<char> must(forced.data(), forced.data() + forced.shape(0));
  const AutomatonSide automaton = automaton_side(parts, side, parts.arc.data(), must.data());
  std::vector<char> chosen(automaton.count);
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local SiblingAutomaton decoder;
    value = decoder.decode(automaton, chosen.data());
  }
  std::vector<std::int32_t> places;
  for (std::size_t q = 0; q < chosen.size(); ++q)
    if (chosen[q]) places.push_back(std::int32_t(q));
  return {value, copied<NewIndexColumn>(places)};
}

using StatePath = std::tuple<double, NewIndexColumn>;

static StatePath state_automaton(ScoreColumn start, Scores3 moves, ScoreColumn stop, Mask forced) {
  const std::size_t count = moves.shape(0), states = start.shape(0);
  if (moves.shape(1) != states || moves.shape(2) != states || stop.shape(0) != states || states < 1)
    throw nb::value_error("start, moves and stop must have the same states, at least one");
  if (forced.shape(0) != count) throw nb::value_error("forced must have one entry a candidate");
  check_scores_of("start", start);
  check_scores_of("moves", moves);
  check_scores_of("stop", stop);
  const StateTable table{int(count), int(states), start.data(), stop.data(), moves.data(), forced.data()};
  NewIndexColumn entered = new_array<NewIndexColumn>(count);
  int first;
  double value;
  {
    nb::gil_scoped_release nogil;
    thread_local StateAutomaton decoder;
    value = decoder.decode(table, &first, entered.data());
  }
  return {value, entered};
}

void bind_automata(nb::module_ &m) {
  m.def("sibling_automaton", &sibling_automaton, nb::arg("parts"), nb::arg("side"), nb::arg("forced").noconvert(),
        "The best modifiers on a side (2 h: left, 2 h + 1: right): value, and their places.");
  m.def("state_automaton", &state_automaton, nb::arg("start").noconvert(), nb::arg("moves").noconvert(),
        nb::arg("stop").noconvert(), nb::arg("forced").noconvert(),
        "The best path: value, and the state entered with each candidate or -1.");
}

}  // namespace treewright
