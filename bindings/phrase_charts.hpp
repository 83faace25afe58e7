// What the bindings of charts over phrases share: array types, constraints on spans, nodes of trees.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "grammar/cky.hpp"

namespace treewright {

using Flags = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// Closed spans [position, position]; spans [span, 2] and the chains that are allowed over them [span, chain].
using SpanLimits = std::tuple<std::optional<Flags>, std::optional<IndexRows>, std::optional<Flags>>;

// [node, 3]: chain, first, last.
inline NewIndexRows rows_of(const std::vector<ChainNode> &nodes) {
  NewIndexRows rows = new_array<NewIndexRows>(nodes.size(), 3);
  std::int32_t *cells = rows.data();
  for (const ChainNode &node : nodes) *cells++ = node.chain, *cells++ = node.first, *cells++ = node.last;
  return rows;
}

inline void check_numbers(const char *name, const std::int32_t *numbers, std::size_t count, int end) {
  for (std::size_t k = 0; k < count; ++k)
    if (numbers[k] < 0 || numbers[k] >= end)
      throw nb::value_error((std::string(name) + " has a number that is out of range").c_str());
}

inline SpanConstraints checked_constraints(std::size_t words, std::size_t chains, const SpanLimits &limits) {
  const auto &[closed, spans, allowed] = limits;
  SpanConstraints constraints;
  if (closed) {
    if (closed->shape(0) != words + 1 || closed->shape(1) != words + 1)
      throw nb::value_error("closed must be [position, position]");
    constraints.closed = closed->data();
  }
  if (spans.has_value() != allowed.has_value()) throw nb::value_error("spans and allowed go together");
  if (!spans) return constraints;
  if (spans->shape(1) != 2 || allowed->shape(0) != spans->shape(0) || allowed->shape(1) != chains)
    throw nb::value_error("spans must be [span, 2], allowed [span, chain]");
  for (std::size_t m = 0; m < spans->shape(0); ++m) {
    const int first = (*spans)(m, 0), last = (*spans)(m, 1);
    if (first < 0 || first >= last || std::size_t(last) > words) throw nb::value_error("a span is out of range");
  }
  constraints.masked = int(spans->shape(0));
  constraints.spans = spans->data(), constraints.allowed = allowed->data();
  return constraints;
}

// The labels of chain c are labels[begins[c]] to labels[begins[c + 1] - 1].
inline void check_labels(const IndexColumn &begins, const IndexColumn &labels, std::size_t chains, int count) {
  if (begins.shape(0) != chains + 1 || begins(0) != 0 || std::size_t(begins(chains)) != labels.shape(0))
    throw nb::value_error("label_begins must have one entry a chain and one more");
  for (std::size_t c = 0; c < chains; ++c)
    if (begins(c + 1) < begins(c)) throw nb::value_error("label_begins must not fall");
  check_numbers("labels", labels.data(), labels.size(), count);
}

}  // namespace treewright
