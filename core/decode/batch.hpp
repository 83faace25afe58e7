// Many sentences on several threads; the answers are those of one sentence at a time, whatever the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "trees/first_order_bound.hpp"

namespace treewright {

// Calls work(item) for every item, on several threads when there is more than one.
template <typename Work>
void for_each_item(int items, int threads, const Work &work) {
  constexpr int chunk = 8;  // items that a thread takes at a time; not tuned
  const int useful = std::min(threads, (items + chunk - 1) / chunk);
  if (useful <= 1) {
    for (int item = 0; item < items; ++item) work(item);
    return;
  }
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
  for (int helper = 1; helper < useful; ++helper) helpers.emplace_back(run);
  run();
  for (std::thread &helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

// The best tree by an exact first-order algorithm, with its bounds; the value is -inf when there is none.
template <typename Decoder>
Bounds bounded_tree(Decoder &decoder, const double *arc, int nodes, bool single_root, int *heads) {
  if (!decoder.find(arc, nodes, single_root, heads)) return {};
  const double *best = decoder.best().score.data();
  return decoder.has_best_heads() ? best_heads_bounds(nodes, best)
                                  : first_order_bounds(arc, nodes, heads, best, single_root);
}

}  // namespace treewright
