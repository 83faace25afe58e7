"""How fast is induction? An iteration of EM compared with the same recurrences in NumPy; joint training end to end.

The NumPy version is the straightforward one: sentence by sentence, span by span, sums over split points as vector
operations, expected counts by the same statements backwards. Both must give the same likelihood and the same counts.
The NumPy version runs on a sample of the sentences; its time is extrapolated by the number of words. CPU time, minimum
of the repeats. Without an argument on generated tags; with a data folder on ud-1.4/English, at most 15 words, and then
also joint training. The last table shows the time and the gap of joint decoding by sentence length.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.induce import InducedParser, InductionOptions, Limits, dmv
from treewright.induce.dmv import DmvParameters
from treewright.induce.joint import JointOptions, decode_jointly
from treewright.induce.tagged import TaggedCorpus, read_tagged

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

SAMPLE = 300  # sentences for the NumPy version
LIMITS = Limits()  # depth 1, chunks of 3 words


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    path = data / "ud-1.4" / "English" / "train.conllu" if data else None
    corpus = read_tagged(tw.read(path), max_length=15) if path else generated(7000)
    name = "UD 1.4 English" if path else "generated"
    print(f"{name}, at most 15 words: {len(corpus)} sentences, {len(corpus.tags)} words, {len(corpus.kinds)} tags")
    em(corpus)
    if path:
        joint(path)
    long_sentences(corpus)


def em(corpus: TaggedCorpus) -> None:
    model = dmv.klein_manning(corpus)
    sample = first(corpus, SAMPLE)
    (value, counts), expected = common.fastest(lambda: numpy_expectations(sample, model))
    found_value, found_counts = dmv.expectations(sample, model, LIMITS)
    np.testing.assert_allclose(value, found_value, rtol=1e-9)
    for ours, theirs in zip(found_counts.tables(), counts.tables(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    numpy_seconds = expected * len(corpus.tags) / len(sample.tags)
    _, seconds = common.fastest(lambda: dmv.expectations(corpus, model, LIMITS)[1].normalised())
    print(f"log likelihood of {len(sample)} sentences: {value:.6f} and {found_value:.6f}")
    print(f"  {'an iteration of EM':22} {'seconds':>8}")
    print(f"  {'NumPy':22} {numpy_seconds:8.3f}\n  {'treewright':22} {seconds:8.3f}")
    print(f"  {'times faster':22} {numpy_seconds / seconds:8.1f}")


def joint(path: Path) -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    InducedParser.train(tw.read(path), options=InductionOptions())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(
        f"treewright induce --algorithm joint, from the file to the model: "
        f"{cpu:.1f} CPU seconds, {wall:.1f} of the clock"
    )


def long_sentences(corpus: TaggedCorpus) -> None:
    """Joint decoding of random sentences with the tags of the corpus: 50 iterations of dual decomposition for each."""
    random = np.random.default_rng(1)
    parameters, options = dmv.klein_manning(corpus), JointOptions(weight=10.0)
    print("joint decoding of one random sentence\n  words    seconds   gap after 1   after 50 iterations")
    for words in (25, 50, 100, 200, 300):
        tags = random.choice(corpus.tags, words).astype(np.int32)
        sentence = TaggedCorpus(corpus.kinds, tags, np.array([words], dtype=np.int32))
        scores = 0.3 * random.normal(size=(words + 1, words + 1))
        scores[:, 0] = -np.inf
        np.fill_diagonal(scores, -np.inf)
        one = decode_jointly(sentence, parameters, LIMITS, [scores], replace(options, iterations=1))
        start = time.process_time()
        found = decode_jointly(sentence, parameters, LIMITS, [scores], options)
        seconds = time.process_time() - start
        print(f"  {words:5} {seconds:10.3f} {one.bound - one.value:13.2f} {found.bound - found.value:21.2f}")


def generated(sentences: int) -> TaggedCorpus:
    """Random tags in sentences of 1 to 15 words."""
    random = np.random.default_rng(1)
    lengths = random.integers(1, 16, sentences)
    kinds = ("ADJ", "ADP", "ADV", "AUX", "CONJ", "DET", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ", "VERB", "X")
    tags = random.choice(len(kinds), lengths.sum(), p=random.dirichlet(np.full(len(kinds), 2.0))).astype(np.int32)
    return TaggedCorpus(kinds, tags, np.cumsum(lengths).astype(np.int32))


def first(corpus: TaggedCorpus, sentences: int) -> TaggedCorpus:
    """A sample of evenly spaced sentences."""
    chosen = np.linspace(0, len(corpus) - 1, min(sentences, len(corpus))).astype(int)
    spans = list(corpus.spans())
    tags = np.concatenate([corpus.tags[spans[i]] for i in chosen])
    return TaggedCorpus(corpus.kinds, tags, np.cumsum(corpus.lengths[chosen]).astype(np.int32))


def numpy_expectations(corpus: TaggedCorpus, model: DmvParameters) -> tuple[float, DmvParameters]:
    leaf, length_weight = LIMITS.leaf_mask(corpus.kinds), LIMITS.length_weight()
    total, counts = 0.0, DmvParameters(*(np.zeros_like(table) for table in model.tables()))
    for span in corpus.spans():
        tags = corpus.tags[span]
        words = np.arange(len(tags))
        side = (words[None, :] > words[:, None]).astype(int)
        distance = np.maximum(np.abs(words[None, :] - words[:, None]) - 1, 0)
        arc = model.attach[tags[:, None], side, tags[None, :]] * length_weight[distance]
        go = model.go[tags]
        if not leaf[tags].all():
            go = np.where(leaf[tags, None, None], 0.0, go)
        chart = Chart(arc, model.root[tags], model.stop[tags], go, LIMITS.chunk)
        total += np.log(chart.total)
        root, stop, go_on, attach = chart.expected_counts()
        np.add.at(counts.root, tags, root)
        np.add.at(counts.stop, tags, stop)
        np.add.at(counts.go, tags, go_on)
        np.add.at(counts.attach, (tags[:, None], side, tags[None, :]), attach)
    return total, counts


class Chart:
    """The recurrences of docs/induction-models.md for depth 1, words from 0; halves [a, b], a c for closed ones."""

    def __init__(self, arc: Any, root: Any, stop: Any, go: Any, chunk: int) -> None:
        self.arc, self.root, self.stop, self.go, self.chunk = arc, root, stop, go, chunk
        n = self.n = len(root)
        self.value = {name: np.zeros((n, n)) for name in ("LF", "LS", "RL", "RR", "IL", "IR", "KR")}
        self.value |= {f"{name}c": np.zeros((n, n)) for name in ("LF", "LS", "RL", "RR")}
        for width in range(n):
            for a in range(n - width):
                self.fill(a, a + width)
        self.total = float(self.root @ (self.value["LFc"][0, :] * self.value["RLc"][:, n - 1]))

    def open_left(self, a: int, b: int) -> Any:
        """Of head b, for q = a .. b - 1: go on, from the part that begins at q + 1."""
        inside = self.go[b, 0, [*(1,) * (b - a - 1), 0]]
        return inside, self.value["LS"][a + 1 : b + 1, b]

    def open_right(self, a: int, b: int) -> Any:
        """Of head a, for q = a .. b - 1: go on, from the part that ends at q."""
        inside = self.go[a, 1, [0, *(1,) * (b - a - 1)]]
        return inside, self.value["RL"][a, a:b]

    def fill(self, a: int, b: int) -> None:
        v, arc = self.value, self.arc
        if a == b:
            for name in ("LF", "LS", "RL", "RR"):
                v[name][a, a] = 1.0
        else:
            free = min(b, a + self.chunk)
            go, part = self.open_left(a, b)
            left = go * part
            v["IL"][a, b] = arc[b, a] * (v["RLc"][a, a:b] @ left)
            v["LF"][a, b] = v["LFc"][a, a:b] @ v["IL"][a:b, b]
            v["LS"][a, b] = (v["LFc"][a, a:free] * arc[b, a:free]) @ v["RLc"][a:free, a:free] @ left[: free - a]
            go, part = self.open_right(a, b)
            right = go * part
            v["IR"][a, b] = arc[a, b] * (right @ v["LSc"][a + 1 : b + 1, b])
            v["RL"][a, b] = v["IR"][a, a + 1 : b + 1] @ v["RRc"][a + 1 : b + 1, b]
            v["KR"][a, b] = arc[a, b] * (right[: free - a] @ v["LSc"][a + 1 : free + 1, b])
            v["RR"][a, b] = v["KR"][a, a + 1 : b + 1] @ v["RRc"][a + 1 : b + 1, b]
        for name in ("LF", "LS"):
            v[f"{name}c"][a, b] = v[name][a, b] * self.stop[b, 0, int(a < b)]
        for name in ("RL", "RR"):
            v[f"{name}c"][a, b] = v[name][a, b] * self.stop[a, 1, int(a < b)]

    def expected_counts(self) -> tuple[Any, Any, Any, Any]:
        """Each weight times its derivative of the logarithm of the total: `fill` backwards, from wide to narrow."""
        n, v = self.n, self.value
        self.slope = {name: np.zeros((n, n)) for name in v}
        self.d_arc, self.d_stop, self.d_go = (np.zeros_like(table) for table in (self.arc, self.stop, self.go))
        left, right = v["LFc"][0, :], v["RLc"][:, n - 1]
        self.slope["LFc"][0, :] += self.root * right
        self.slope["RLc"][:, n - 1] += self.root * left
        for width in range(n - 1, -1, -1):
            for a in range(n - width):
                self.unfill(a, a + width)
        scale = 1 / self.total
        root = scale * self.root * left * right
        return root, scale * self.stop * self.d_stop, scale * self.go * self.d_go, scale * self.arc * self.d_arc

    def unfill(self, a: int, b: int) -> None:
        v, s = self.value, self.slope
        for name in ("LF", "LS"):
            s[name][a, b] += s[f"{name}c"][a, b] * self.stop[b, 0, int(a < b)]
            self.d_stop[b, 0, int(a < b)] += s[f"{name}c"][a, b] * v[name][a, b]
        for name in ("RL", "RR"):
            s[name][a, b] += s[f"{name}c"][a, b] * self.stop[a, 1, int(a < b)]
            self.d_stop[a, 1, int(a < b)] += s[f"{name}c"][a, b] * v[name][a, b]
        if a < b:
            self.unfill_right(a, b)
            self.unfill_left(a, b)

    def unfill_right(self, a: int, b: int) -> None:
        v, s, arc = self.value, self.slope, self.arc
        free = min(b, a + self.chunk)
        for half, item in (("RR", "KR"), ("RL", "IR")):
            s[item][a, a + 1 : b + 1] += s[half][a, b] * v["RRc"][a + 1 : b + 1, b]
            s["RRc"][a + 1 : b + 1, b] += s[half][a, b] * v[item][a, a + 1 : b + 1]
        go, part = self.open_right(a, b)
        d_right = np.zeros(b - a)
        for item, end in (("KR", free), ("IR", b)):
            weight, taken = s[item][a, b], slice(0, end - a)
            inner, outer = (go * part)[taken], v["LSc"][a + 1 : end + 1, b]
            self.d_arc[a, b] += weight * (inner @ outer)
            s["LSc"][a + 1 : end + 1, b] += weight * arc[a, b] * inner
            d_right[taken] += weight * arc[a, b] * outer
        s["RL"][a, a:b] += d_right * go
        self.d_go[a, 1, 0] += d_right[0] * part[0]
        self.d_go[a, 1, 1] += d_right[1:] @ part[1:]

    def unfill_left(self, a: int, b: int) -> None:
        v, s, arc = self.value, self.slope, self.arc
        free = min(b, a + self.chunk)
        go, part = self.open_left(a, b)
        left = go * part
        d_left = np.zeros(b - a)
        weight, near = s["LS"][a, b], slice(a, free)
        whole, modifiers, reach = v["LFc"][a, near], v["RLc"][near, near], left[: free - a]
        ends = modifiers @ reach
        s["LFc"][a, near] += weight * arc[b, near] * ends
        self.d_arc[b, near] += weight * whole * ends
        s["RLc"][near, near] += weight * np.triu(np.outer(whole * arc[b, near], reach))
        d_left[: free - a] += weight * ((whole * arc[b, near]) @ modifiers)
        s["LFc"][a, a:b] += s["LF"][a, b] * v["IL"][a:b, b]
        s["IL"][a:b, b] += s["LF"][a, b] * v["LFc"][a, a:b]
        weight = s["IL"][a, b]
        s["RLc"][a, a:b] += weight * arc[b, a] * left
        self.d_arc[b, a] += weight * (v["RLc"][a, a:b] @ left)
        d_left += weight * arc[b, a] * v["RLc"][a, a:b]
        s["LS"][a + 1 : b + 1, b] += d_left * go
        self.d_go[b, 0, 0] += d_left[-1] * part[-1]
        self.d_go[b, 0, 1] += d_left[:-1] @ part[:-1]


if __name__ == "__main__":
    main()
