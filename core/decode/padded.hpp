// First-order inference over a padded batch: sentences of different length in one array, on several threads.
//
// scores is [item, width, width]; of each item the nodes 0..lengths[item] are read, the rest is padding. The answers
// are those of one sentence at a time, whatever the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "base/scores.hpp"
#include "trees/first_order_bound.hpp"

namespace treewright {

struct PaddedScores {
  const double *scores;
  int items, width;
  const int *lengths;  // the words of each item
  bool head_first;     // scores[item, h, m]; otherwise [item, m, h]

  bool has_valid_length(int item) const { return lengths[item] >= 1 && lengths[item] < width; }
  int nodes(int item) const { return lengths[item] + 1; }

  // arc[h, m] over the item's nodes: the array itself where it has that layout, otherwise a copy in scratch.
  const double *arc(int item, std::vector<double> &scratch) const {
    const std::size_t size = nodes(item), stride = width;
    const double *given = scores + item * stride * stride;
    if (head_first && size == stride) return given;
    scratch.resize(size * size);
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = 0; column < size; ++column)
        scratch[row * size + column] = head_first ? given[row * stride + column] : given[column * stride + row];
    return scratch.data();
  }
};

// Calls work(item) for every item, on several threads when there is more than one.
template <typename Work>
void for_each_item(int items, int threads, const Work &work) {
  constexpr int chunk = 8;  // items that a thread takes at a time, not tuned
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&] {
    try {
      for (int begin = next.fetch_add(chunk); begin < items; begin = next.fetch_add(chunk))
        for (int item = begin; item < std::min(begin + chunk, items); ++item) work(item);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(failure_lock);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  const int useful = std::min(threads, (items + chunk - 1) / chunk);
  for (int helper = 1; helper < useful; ++helper) helpers.emplace_back(run);
  run();
  for (std::thread &helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls infer(item, arc, nodes) with one Kernel a thread; found[item] is its result. An item whose length is out of
// range or that has a number which is no score gets `bad`.
template <typename Kernel, typename Found, typename Infer>
void infer_padded(const PaddedScores &batch, int threads, const Found &bad, Found *found, const Infer &infer) {
  for_each_item(batch.items, threads, [&](int item) {
    thread_local Kernel kernel;
    thread_local std::vector<double> scratch;
    found[item] = bad;
    if (!batch.has_valid_length(item)) return;
    const double *arc = batch.arc(item, scratch);
    if (bad_arc(arc, batch.nodes(item)) < 0) found[item] = infer(kernel, item, arc, batch.nodes(item));
  });
}

// The best tree by an exact first-order algorithm, with its bounds; the value is -inf when there is none.
template <typename Decoder>
Bounds bounded_tree(Decoder &decoder, const double *arc, int nodes, bool single_root, int *heads) {
  if (!decoder.find(arc, nodes, single_root, heads)) return {};
  const double *best = decoder.best().score.data();
  return decoder.has_best_heads() ? best_heads_bounds(nodes, best) : first_order_bounds(arc, nodes, heads, best);
}

// Writes the heads of each item into its row of `heads`, which is [item, width] and -1 where there is no head.
template <typename Decoder>
void decode_padded(const PaddedScores &batch, bool single_root, int threads, int *heads, Bounds *found) {
  std::fill_n(heads, std::size_t(batch.items) * batch.width, -1);
  infer_padded<Decoder>(batch, threads, Bounds(), found, [&](Decoder &decoder, int item, const double *arc, int nodes) {
    int *row = heads + std::size_t(item) * batch.width;
    return bounded_tree(decoder, arc, nodes, single_root, row);
  });
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

template <typename Sums>
void log_partition_padded(const PaddedScores &batch, bool single_root, int threads, double *values) {
  infer_padded<Sums>(batch, threads, no_number, values, [&](Sums &sums, int, const double *arc, int nodes) {
    return sums.log_partition(arc, nodes, single_root);
  });
}

// Writes the marginals of each item in the layout of the scores, with 0 in the padding.
template <typename Sums>
void marginals_padded(const PaddedScores &batch, bool single_root, int threads, double *marginals, double *values) {
  const std::size_t stride = batch.width;
  std::fill_n(marginals, batch.items * stride * stride, 0.0);
  infer_padded<Sums>(batch, threads, no_number, values, [&](Sums &sums, int item, const double *arc, int nodes) {
    thread_local std::vector<double> found;
    found.resize(std::size_t(nodes) * nodes);
    const double value = sums.marginals(arc, nodes, single_root, found.data());
    double *rows = marginals + item * stride * stride;
    for (int h = 0; h < nodes; ++h)
      for (int m = 0; m < nodes; ++m)
        rows[batch.head_first ? h * stride + m : m * stride + h] = found[std::size_t(h) * nodes + m];
    return value;
  });
}

}  // namespace treewright
