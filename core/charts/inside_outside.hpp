// Sums over all projective trees: log partition and arc marginals, by the chart of projective.hpp over Real, and over
// LogSum or WideLog where weights would leave the range of a double.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/scores.hpp"
#include "base/wide_log.hpp"
#include "charts/projective.hpp"

namespace treewright {

// Inside weights in Real under a scale that keeps them in range, if one is found. Each scale is taken from the longest
// prefix of the sentence that stayed in range; the limit of five is not tuned.
inline bool inside_in_range(ProjectiveChart<Real> &chart, const double *arc, int nodes, bool single_root) {
  constexpr int max_scales = 5;
  double scale = 0;
  for (int tries = 0; tries < max_scales; ++tries) {
    chart.inside(arc, nodes, single_root, scale);
    if (chart.is_surely_exact()) return true;
    const double better = chart.better_scale();
    if (better == scale) break;
    scale = better;
  }
  return false;
}

class InsideOutside {
 public:
  // The log partition, -inf when there is no projective tree.
  double log_partition(const double *arc, int nodes, bool single_root) {
    if (inside_in_range(real_, arc, nodes, single_root)) return real_.log_partition();
    if (is_wide(arc, std::size_t(nodes) * nodes)) return run(wide_, arc, nodes, single_root);
    return run(log_, arc, nodes, single_root);
  }

  // The log partition, and marginals[h, m] over nodes: each word's column sums to one; all zero when there is no tree.
  double marginals(const double *arc, int nodes, bool single_root, double *marginals) {
    real_.inside(arc, nodes, single_root);
    if (real_.is_possibly_exact() || inside_in_range(real_, arc, nodes, single_root))
      if (write_marginals(real_, marginals)) return real_.log_partition();
    if (is_wide(arc, std::size_t(nodes) * nodes)) {
      const double log_partition = run(wide_, arc, nodes, single_root);
      write_marginals(wide_, marginals);
      return log_partition;
    }
    const double log_partition = run(log_, arc, nodes, single_root);
    write_marginals(log_, marginals);
    normalise(marginals, nodes);
    return log_partition;
  }

  // The entropy of the distribution over projective trees, for scores of any size; -inf when there is no tree.
  double entropy(const double *arc, int nodes, bool single_root) {
    wide_.inside(arc, nodes, single_root);
    return wide_.has_tree() ? std::max(0.0, wide_.total().entropy) : forbidden;
  }

 private:
  template <typename Semiring>
  static double run(ProjectiveChart<Semiring> &chart, const double *arc, int nodes, bool single_root) {
    chart.inside(arc, nodes, single_root);
    return chart.log_partition();
  }

  // The rounding error of logarithms is nearly the same for all heads of a word.
  static void normalise(double *marginals, std::size_t nodes) {
    for (std::size_t m = 1; m < nodes; ++m) {
      double sum = 0;
      for (std::size_t h = 0; h < nodes; ++h) sum += marginals[h * nodes + m];
      if (!(sum > 0)) continue;
      for (std::size_t h = 0; h < nodes; ++h) marginals[h * nodes + m] /= sum;
    }
  }

  template <typename Semiring>
  static bool write_marginals(ProjectiveChart<Semiring> &chart, double *marginals) {
    if (chart.has_tree()) return chart.outside(marginals);
    std::fill_n(marginals, std::size_t(chart.nodes()) * chart.nodes(), 0.0);
    return true;
  }

  ProjectiveChart<Real> real_;
  ProjectiveChart<LogSum> log_;
  ProjectiveChart<WideLog> wide_;
};

}  // namespace treewright
