// The DMV (dependency model with valence; Klein & Manning 2004) under bounded centre-embedding
// (Noji, Miyao & Johnson 2016): sums and maxima over all projective trees with one root child.
//
// A head generates its modifiers outwards on each side: each one has the weights go(h, side, v) and
// arc(h, m), the end of the side has stop(h, side, v); v is 0 until there is a modifier on that side.
// Every weight is given for the sentence: arc(h, m) is the product of attachment, length bias and
// multipliers.
//
// Depth is left-corner stack depth. The root and every left modifier is of type L (its left
// modifiers are attached first), every right modifier of type R (its right ones first). Embedded
// chunks of at most C words are free, a larger one costs one unit of the budget d = D - 1 .. 0:
//
//   left halves    LF (head of type L), LS (type R, or the inner part of type L)
//   right halves   RL (head of type L), RR (type R);      a bar closes a half: LF|(i, p) = LF(i, p) stop
//
//   LF_d(i, p) = sum over i <= l <= q < p  of  LF|_d(i, l) RL|_d(l, q)  arc(p, l) go(p) LS_d(q + 1, p)
//   LS_d(i, p) = the same, with LF|, RL| of budget d if q - i + 1 <= C and of d - 1 otherwise
//   RL_d(p, e) = sum over p <= q < r <= e  of  RL_d(p, q) go(p) arc(p, r)  LS|_d(q + 1, r) RR|_d(r, e)
//   RR_d(p, e) = the same, with RL of budget d if q - p + 1 <= C and of d - 1 otherwise
//   Z          = sum over h of  arc(0, h) LF|_{D-1}(1, h) RL|_{D-1}(h, n)
//
// The published chart is O(n^4). Here the sums over (l, q) are split by intermediate items, and the
// size test of LS is met by suffix sums over q - l < C, so a sentence costs O(D C n^3) time and
// O(D C n^2) space. Expected counts come from the same loops run backwards (each weight times its
// derivative of log Z). Without a bound on depth LS = LF and RR = RL, the split-head program of the
// plain model. No tables of backpointers: backtracing finds each argmax again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/semiring.hpp"

namespace treewright {

// The weights of one sentence of `words` words; words are 1..n, node 0 is the root.
// Weights are probabilities under Real and logarithms under MaxPlus.
struct DmvWeights {
  int words = 0;
  std::vector<double> arc;       // [h, m], n + 1 nodes
  std::vector<double> stop, go;  // [h, side, v]

  void resize(int n) {
    words = n;
    arc.assign(std::size_t(n + 1) * (n + 1), 0);
    stop.assign(4 * std::size_t(n + 1), 0);
    go.assign(4 * std::size_t(n + 1), 0);
  }
  std::size_t arc_at(int h, int m) const { return std::size_t(h) * (words + 1) + m; }
  static std::size_t side_at(int h, int side, bool inside) { return std::size_t(h) * 4 + side * 2 + inside; }
};

template <typename Semiring>
class Dmv {
 public:
  // depth = 0 means that depth is not bounded.
  double inside(const DmvWeights &weights, int depth, int chunk) {
    w_ = &weights;
    n_ = weights.words;
    bounded_ = depth > 0;
    budgets_ = bounded_ ? depth : 1;
    chunk_ = chunk;
    reset(values_);
    for (int width = 0; width < n_; ++width)
      for (int a = 1, b = 1 + width; b <= n_; ++a, ++b)
        for (int d = 0; d < budgets_; ++d) fill(d, a, b);
    value_ = Semiring::zero;
    const int top = budgets_ - 1;
    for (int h = 1; h <= n_; ++h)
      value_ = plus(value_, times(arc(0, h), times(at(LFc, top, 1, h), at(RLc, top, h, n_))));
    return value_;
  }

  // After inside() of Real with a positive value: adds `scale` times the expected counts of
  // every weight to `counts`.
  void outside(DmvWeights &counts, double scale);

  // After inside() of MaxPlus with a finite value: the best tree.
  void backtrace(int *heads);

 private:
  // LF .. RR open halves, c their closed versions; IL, IR, KR the intermediate items; a span is (a, b).
  enum Item { LF, LS, RL, RR, LFc, LSc, RLc, RRc, IL, IR, KR, items };
  struct Half {
    Item item;
    int d, a, b;
  };

  static double plus(double x, double y) { return Semiring::plus(x, y); }
  static double times(double x, double y) { return Semiring::times(x, y); }

  void reset(std::vector<double> &table) {
    row_ = n_ + 2;
    plane_ = std::size_t(row_) * row_;
    table.assign(plane_ * budgets_ * (items + chunk_ + 1), Semiring::zero);
  }
  std::size_t index(int item, int d, int a, int b) const {
    return (std::size_t(item) * budgets_ + d) * plane_ + std::size_t(a) * row_ + b;
  }
  double &at(int item, int d, int a, int b) { return values_[index(item, d, a, b)]; }
  double &adjoint(int item, int d, int a, int b) { return adjoints_[index(item, d, a, b)]; }
  // Suffix sums J_d(b, l, k): modifiers l of b whose right half reaches l + k or further, budget d - 1.
  double &suffix(int k, int d, int a, int b) { return at(items + k, d, a, b); }
  double &suffix_adjoint(int k, int d, int a, int b) { return adjoint(items + k, d, a, b); }

  double arc(int h, int m) const { return w_->arc[w_->arc_at(h, m)]; }
  double stop_left(int h, int i) const { return w_->stop[w_->side_at(h, 0, i < h)]; }
  double stop_right(int h, int e) const { return w_->stop[w_->side_at(h, 1, e > h)]; }
  double go_left(int h, int i) const { return w_->go[w_->side_at(h, 0, i < h)]; }
  double go_right(int h, int e) const { return w_->go[w_->side_at(h, 1, e > h)]; }

  // The items that are used as LS and RR: without a bound on depth they are LF and RL.
  Item inner_left() const { return bounded_ ? LS : LF; }
  Item inner_left_closed() const { return bounded_ ? LSc : LFc; }
  Item outer_right_closed() const { return bounded_ ? RRc : RLc; }
  // The budget from which RR takes the right half (p, q) of its head; -1: none is left.
  int budget_of(int d, int size) const { return size <= chunk_ ? d : d - 1; }

  void fill(int d, int a, int b) {
    if (a == b) {
      at(LF, d, a, a) = at(LS, d, a, a) = at(RL, d, a, a) = at(RR, d, a, a) = Semiring::one;
    } else {
      fill_left(d, a, b);
      fill_right(d, a, b);
    }
    at(LFc, d, a, b) = times(at(LF, d, a, b), stop_left(b, a));
    at(LSc, d, a, b) = times(at(LS, d, a, b), stop_left(b, a));
    at(RLc, d, a, b) = times(at(RL, d, a, b), stop_right(a, b));
    at(RRc, d, a, b) = times(at(RR, d, a, b), stop_right(a, b));
  }

  // The inner part of head b that starts at q + 1, ready to take one more left modifier.
  double open_left(int d, int q, int b) { return times(go_left(b, q + 1), at(inner_left(), d, q + 1, b)); }
  // The inner part of head a that ends at q, ready to take one more right modifier.
  double open_right(int d, int a, int q) { return times(go_right(a, q), at(RL, d, a, q)); }

  void fill_left(int d, int a, int b) {
    double sum = Semiring::zero;
    for (int q = a; q < b; ++q) sum = plus(sum, times(at(RLc, d, a, q), open_left(d, q, b)));
    at(IL, d, a, b) = times(arc(b, a), sum);
    sum = Semiring::zero;
    for (int l = a; l < b; ++l) sum = plus(sum, times(at(LFc, d, a, l), at(IL, d, l, b)));
    at(LF, d, a, b) = sum;
    if (!bounded_) return;
    sum = Semiring::zero;
    for (int q = a; q < std::min(b, a + chunk_); ++q)
      for (int l = a; l <= q; ++l)
        sum = plus(sum, times(times(at(LFc, d, a, l), at(RLc, d, l, q)), times(arc(b, l), open_left(d, q, b))));
    if (d > 0) {
      double tail = Semiring::zero;
      for (int q = b - 1; q >= a; --q) {
        tail = plus(tail, times(at(RLc, d - 1, a, q), open_left(d, q, b)));
        if (q - a <= chunk_) suffix(q - a, d, a, b) = times(arc(b, a), tail);
      }
      for (int l = a; l < b; ++l)
        sum = plus(sum, times(at(LFc, d - 1, a, l), suffix(std::max(0, a + chunk_ - l), d, l, b)));
    }
    at(LS, d, a, b) = sum;
  }

  void fill_right(int d, int a, int b) {
    double sum = Semiring::zero;
    for (int q = a; q < b; ++q) sum = plus(sum, times(open_right(d, a, q), at(inner_left_closed(), d, q + 1, b)));
    at(IR, d, a, b) = times(arc(a, b), sum);
    sum = Semiring::zero;
    for (int r = a + 1; r <= b; ++r) sum = plus(sum, times(at(IR, d, a, r), at(outer_right_closed(), d, r, b)));
    at(RL, d, a, b) = sum;
    if (!bounded_) return;
    sum = Semiring::zero;
    for (int q = a; q < b; ++q) {
      const int e = budget_of(d, q - a + 1);
      if (e >= 0) sum = plus(sum, times(open_right(e, a, q), at(LSc, d, q + 1, b)));
    }
    at(KR, d, a, b) = times(arc(a, b), sum);
    sum = Semiring::zero;
    for (int r = a + 1; r <= b; ++r) sum = plus(sum, times(at(KR, d, a, r), at(RRc, d, r, b)));
    at(RR, d, a, b) = sum;
  }

  void unfill(int d, int a, int b, DmvWeights &g);
  void unfill_left(int d, int a, int b, DmvWeights &g);
  void unfill_right(int d, int a, int b, DmvWeights &g);
  void add_open_left(int d, int q, int b, double weight, DmvWeights &g) {
    adjoint(inner_left(), d, q + 1, b) += weight * go_left(b, q + 1);
    g.go[g.side_at(b, 0, q + 1 < b)] += weight * at(inner_left(), d, q + 1, b);
  }
  void add_open_right(int d, int a, int q, double weight, DmvWeights &g) {
    adjoint(RL, d, a, q) += weight * go_right(a, q);
    g.go[g.side_at(a, 1, q > a)] += weight * at(RL, d, a, q);
  }

  void backtrace_left(Half half, int *heads);
  void backtrace_right(Half half, int *heads);

  const DmvWeights *w_ = nullptr;
  int n_ = 0, budgets_ = 1, chunk_ = 0, row_ = 0;
  bool bounded_ = false;
  double value_ = 0;
  std::size_t plane_ = 0;
  std::vector<double> values_, adjoints_;
  std::vector<Half> open_;
  DmvWeights gradient_;
};

// Reverse accumulation: every statement of fill() in opposite order, spans from wide to narrow.
template <typename Semiring>
void Dmv<Semiring>::outside(DmvWeights &counts, double scale) {
  static_assert(std::is_same_v<Semiring, Real>, "expectations are sums of products");
  reset(adjoints_);
  DmvWeights &g = gradient_;
  g.resize(n_);
  const int top = budgets_ - 1;
  for (int h = 1; h <= n_; ++h) {
    g.arc[g.arc_at(0, h)] += at(LFc, top, 1, h) * at(RLc, top, h, n_);
    adjoint(LFc, top, 1, h) += arc(0, h) * at(RLc, top, h, n_);
    adjoint(RLc, top, h, n_) += arc(0, h) * at(LFc, top, 1, h);
  }
  for (int width = n_ - 1; width >= 0; --width)
    for (int a = 1, b = 1 + width; b <= n_; ++a, ++b)
      for (int d = budgets_ - 1; d >= 0; --d) unfill(d, a, b, g);
  const double share = scale / value_;
  for (std::size_t i = 0; i < g.arc.size(); ++i) counts.arc[i] += share * g.arc[i] * w_->arc[i];
  for (std::size_t i = 0; i < g.stop.size(); ++i) {
    counts.stop[i] += share * g.stop[i] * w_->stop[i];
    counts.go[i] += share * g.go[i] * w_->go[i];
  }
}

template <typename Semiring>
void Dmv<Semiring>::unfill(int d, int a, int b, DmvWeights &g) {
  for (auto [open, closed] : {std::pair{LF, LFc}, std::pair{LS, LSc}}) {
    adjoint(open, d, a, b) += adjoint(closed, d, a, b) * stop_left(b, a);
    g.stop[g.side_at(b, 0, a < b)] += adjoint(closed, d, a, b) * at(open, d, a, b);
  }
  for (auto [open, closed] : {std::pair{RL, RLc}, std::pair{RR, RRc}}) {
    adjoint(open, d, a, b) += adjoint(closed, d, a, b) * stop_right(a, b);
    g.stop[g.side_at(a, 1, b > a)] += adjoint(closed, d, a, b) * at(open, d, a, b);
  }
  if (a == b) return;
  unfill_right(d, a, b, g);
  unfill_left(d, a, b, g);
}

template <typename Semiring>
void Dmv<Semiring>::unfill_left(int d, int a, int b, DmvWeights &g) {
  if (bounded_) {
    const double weight = adjoint(LS, d, a, b);
    for (int q = a; weight != 0 && q < std::min(b, a + chunk_); ++q)
      for (int l = a; l <= q; ++l) {
        const double left = at(LFc, d, a, l), right = at(RLc, d, l, q), inner = open_left(d, q, b);
        adjoint(LFc, d, a, l) += weight * right * arc(b, l) * inner;
        adjoint(RLc, d, l, q) += weight * left * arc(b, l) * inner;
        g.arc[g.arc_at(b, l)] += weight * left * right * inner;
        add_open_left(d, q, b, weight * left * right * arc(b, l), g);
      }
    if (d > 0) {
      for (int l = a; l < b; ++l) {
        const int k = std::max(0, a + chunk_ - l);
        adjoint(LFc, d - 1, a, l) += weight * suffix(k, d, l, b);
        suffix_adjoint(k, d, l, b) += weight * at(LFc, d - 1, a, l);
      }
      // suffix(k) sums the terms of q >= a + k: term q is reached from every k <= q - a.
      double reach = 0;
      for (int q = a; q < b; ++q) {
        if (q - a <= chunk_) reach += suffix_adjoint(q - a, d, a, b);
        const double right = at(RLc, d - 1, a, q), inner = open_left(d, q, b);
        adjoint(RLc, d - 1, a, q) += reach * arc(b, a) * inner;
        g.arc[g.arc_at(b, a)] += reach * right * inner;
        add_open_left(d, q, b, reach * arc(b, a) * right, g);
      }
    }
  }
  const double weight = adjoint(LF, d, a, b);
  for (int l = a; l < b; ++l) {
    adjoint(LFc, d, a, l) += weight * at(IL, d, l, b);
    adjoint(IL, d, l, b) += weight * at(LFc, d, a, l);
  }
  const double first = adjoint(IL, d, a, b);
  for (int q = a; q < b; ++q) {
    const double right = at(RLc, d, a, q), inner = open_left(d, q, b);
    adjoint(RLc, d, a, q) += first * arc(b, a) * inner;
    g.arc[g.arc_at(b, a)] += first * right * inner;
    add_open_left(d, q, b, first * arc(b, a) * right, g);
  }
}

template <typename Semiring>
void Dmv<Semiring>::unfill_right(int d, int a, int b, DmvWeights &g) {
  if (bounded_) {
    const double weight = adjoint(RR, d, a, b);
    for (int r = a + 1; r <= b; ++r) {
      adjoint(KR, d, a, r) += weight * at(RRc, d, r, b);
      adjoint(RRc, d, r, b) += weight * at(KR, d, a, r);
    }
    const double last = adjoint(KR, d, a, b);
    for (int q = a; q < b; ++q) {
      const int e = budget_of(d, q - a + 1);
      if (e < 0) continue;
      const double inner = open_right(e, a, q), left = at(LSc, d, q + 1, b);
      adjoint(LSc, d, q + 1, b) += last * arc(a, b) * inner;
      g.arc[g.arc_at(a, b)] += last * inner * left;
      add_open_right(e, a, q, last * arc(a, b) * left, g);
    }
  }
  const double weight = adjoint(RL, d, a, b);
  for (int r = a + 1; r <= b; ++r) {
    adjoint(IR, d, a, r) += weight * at(outer_right_closed(), d, r, b);
    adjoint(outer_right_closed(), d, r, b) += weight * at(IR, d, a, r);
  }
  const double last = adjoint(IR, d, a, b);
  for (int q = a; q < b; ++q) {
    const double inner = open_right(d, a, q), left = at(inner_left_closed(), d, q + 1, b);
    adjoint(inner_left_closed(), d, q + 1, b) += last * arc(a, b) * inner;
    g.arc[g.arc_at(a, b)] += last * inner * left;
    add_open_right(d, a, q, last * arc(a, b) * left, g);
  }
}

template <typename Semiring>
void Dmv<Semiring>::backtrace(int *heads) {
  static_assert(std::is_same_v<Semiring, MaxPlus>, "the best tree is a maximum");
  const int top = budgets_ - 1;
  int root = 1;
  double best = Semiring::zero;
  for (int h = 1; h <= n_; ++h) {
    const double value = times(arc(0, h), times(at(LFc, top, 1, h), at(RLc, top, h, n_)));
    if (value > best) best = value, root = h;
  }
  heads[0] = -1;
  heads[root] = 0;
  open_.assign({{LF, top, 1, root}, {RL, top, root, n_}});
  while (!open_.empty()) {
    const Half half = open_.back();
    open_.pop_back();
    if (half.a == half.b) continue;
    if (half.item == LF || half.item == LS)
      backtrace_left(half, heads);
    else
      backtrace_right(half, heads);
  }
}

// The outermost left modifier l of b, where its right half ends (q), and the budget e of both.
template <typename Semiring>
void Dmv<Semiring>::backtrace_left(Half half, int *heads) {
  const auto [item, d, a, b] = half;
  double best = Semiring::zero;
  int best_l = a, best_q = a, best_e = d;
  for (int q = a; q < b; ++q) {
    const int e = item == LF ? d : budget_of(d, q - a + 1);
    if (e < 0) break;
    for (int l = a; l <= q; ++l) {
      const double value = times(times(at(LFc, e, a, l), at(RLc, e, l, q)), times(arc(b, l), open_left(d, q, b)));
      if (value > best) best = value, best_l = l, best_q = q, best_e = e;
    }
  }
  heads[best_l] = b;
  open_.push_back({LF, best_e, a, best_l});
  open_.push_back({RL, best_e, best_l, best_q});
  open_.push_back({inner_left(), d, best_q + 1, b});
}

// The outermost right modifier r of a, where a's inner part ends (q), and the budget e of that part.
template <typename Semiring>
void Dmv<Semiring>::backtrace_right(Half half, int *heads) {
  const auto [item, d, a, b] = half;
  const Item outer = bounded_ ? RR : RL;
  double best = Semiring::zero;
  int best_r = b, best_q = a, best_e = d;
  for (int r = a + 1; r <= b; ++r)
    for (int q = a; q < r; ++q) {
      const int e = item == RL ? d : budget_of(d, q - a + 1);
      if (e < 0) break;
      const double value = times(times(open_right(e, a, q), arc(a, r)),
                                 times(at(inner_left_closed(), d, q + 1, r), at(outer_right_closed(), d, r, b)));
      if (value > best) best = value, best_r = r, best_q = q, best_e = e;
    }
  heads[best_r] = a;
  open_.push_back({RL, best_e, a, best_q});
  open_.push_back({inner_left(), d, best_q + 1, best_r});
  open_.push_back({outer, d, best_r, b});
}

}  // namespace treewright
