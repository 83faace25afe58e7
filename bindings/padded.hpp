// A padded batch of scores from its arrays, with their shapes checked.
#pragma once

#include "arrays.hpp"
#include "decode/padded.hpp"

namespace treewright {

inline PaddedScores padded_scores(const Scores3 &scores, const IndexColumn &lengths, bool head_first) {
  if (scores.shape(1) != scores.shape(2)) throw nb::value_error("scores must be [item, node, node]");
  if (scores.shape(0) != lengths.shape(0)) throw nb::value_error("there must be one length an item");
  return {scores.data(), int(scores.shape(0)), int(scores.shape(1)), lengths.data(), head_first};
}

}  // namespace treewright
