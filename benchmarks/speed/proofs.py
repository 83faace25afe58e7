"""What proofs cost: time to produce and to check them, relative to decoding without; size in bytes.

All times are those of a user's whole calls in Python, from arrays (or Parts) to the result, not those of kernels.
produce: `tree(..., proof=True)` divided by `tree(...)`. check: `verify(...)` divided by `tree(...)`, one call for each
sentence. check of a batch: `verify_batch` of many sentences divided by `trees` on one thread (`tree_batch` for parts),
one call each.
DATA is a folder with treebanks (English-EWT/test.conllu); without it, random scores only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

REPEATS = 9  # of which the fastest counts
MIN_SECONDS = 0.02  # of one run: shorter ones are repeated within it
SENTENCES = 200
BATCH = 400  # sentences of random scores
FILE_SENTENCES = 1000  # of the commands
Problem = dict[str, Any]


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    print("| scores | decode, µs | produce | check | check of a batch | proof, bytes |\n|---|---|---|---|---|---|")
    for words, count in ((5, 20), (10, 20), (20, 20), (40, 5), (80, 3)):
        random_rows(words, count)
    if data is not None:
        parser_rows(data / "ud")
        command_rows(data / "ud")


def random_rows(words: int, count: int) -> None:
    random = np.random.default_rng(words)

    def problems(*kinds: str, near: bool = False) -> list[Problem]:
        return [problem(random, words, kinds, near) for _ in range(count)]

    row(f"first order, crossing, {words} words", problems(), {})
    row(f"first order, projective, {words} words", problems(), {"projective": True})
    if words <= 40:
        row(f"siblings, projective, {words} words", problems("sib"), {"projective": True})
    if words <= 20:
        row(f"siblings, grandparents, projective, {words} words", problems("sib", "grand"), {"projective": True})
        row(f"siblings, crossing, near a tree, {words} words", problems("sib", near=True), {})
    if words <= 10:
        row(f"siblings, grandparents, crossing, {words} words", problems("sib", "grand"), {})


def problem(random: np.random.Generator, words: int, kinds: Sequence[str], near: bool) -> Problem:
    nodes = words + 1
    found = {"arc": random.normal(size=(nodes, nodes)), **{k: random.normal(size=(nodes,) * 3) for k in kinds}}
    if near:  # the arcs of a chain are better than others
        found["arc"][np.arange(words), np.arange(1, nodes)] += 8
    return found


def parser_rows(data: Path) -> None:
    sentences = list(islice(tw.read(data / "English-EWT" / "test.conllu"), SENTENCES))
    parser = tw.load("en").trained_parser
    for projective in (True, False):
        parts: list[Problem] = [{"arc": parser.parts(sentence, projective=projective)} for sentence in sentences]
        kind = "projective" if projective else "crossing"
        row(f"parser `en`, {kind}, a sentence", parts, {"projective": projective})
        parsing, checking = seconds(
            lambda chosen=projective: list(parser.parse(sentences, projective=chosen)),  # type: ignore[misc]
            lambda chosen=projective: check_all(parser, sentences, chosen),  # type: ignore[misc]
        )
        print(f"| the same with scoring | {parsing / len(sentences) * 1e6:.0f} | | | {checking / parsing:.1f} | |")


def check_all(parser: tw.Parser, sentences: Sequence[tw.Sentence], projective: bool) -> None:
    """Parse with proofs, score again and check."""
    parsed = list(parser.parse(sentences, projective=projective, proof=True))
    parts = [parser.parts(sentence, projective=projective) for sentence in parsed]
    parses = [sentence.parse for sentence in parsed if isinstance(sentence.parse, tw.decode.Parse)]
    tw.decode.verify_batch(parts, parses, projective=projective, root=parser.model.root)


def command_rows(data: Path) -> None:
    """The CPU time of whole commands on a file, with the start of Python and the loading of the model."""
    print("\n| command, a file of sentences | CPU seconds |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        gold, parsed, proofs = (Path(folder) / name for name in ("gold.conllu", "parsed.conllu", "proofs.jsonl"))
        tw.write(islice(tw.read(data / "English-EWT" / "test.conllu"), FILE_SENTENCES), gold)
        command("parse", "en", gold, "-o", parsed, "--quiet")
        command("parse", "en", gold, "-o", parsed, "--proofs", proofs, "--quiet")
        command("verify", "en", parsed, proofs, "--quiet")


def command(name: str, *arguments: object) -> None:
    before = os.times()
    subprocess.run([sys.executable, "-m", "treewright", name, *map(str, arguments)], check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    options = " --proofs" if "--proofs" in arguments else ""
    print(f"| `treewright {name}{options}` | {seconds:.2f} |", flush=True)


def row(name: str, problems: Sequence[Problem], options: dict[str, Any]) -> None:
    def decode(**more: Any) -> list[tw.decode.Parse]:
        return [tw.decode.tree(**one, **options, **more) for one in problems]

    def check() -> None:
        for one, parse in zip(problems, parses, strict=True):
            scores = dict(one)
            tw.decode.verify(scores.pop("arc"), parse, **scores, **options)

    parses = decode(proof=True)
    plain, produced, checked = seconds(decode, lambda: decode(proof=True), check)
    batch = batch_ratio(problems, options) if problems[0].keys() == {"arc"} else ""
    size = sum(len(json.dumps(parse.proof.to_dict())) for parse in parses if parse.proof) / len(parses)
    micro = plain / len(problems) * 1e6
    print(
        f"| {name} | {micro:.1f} | {produced / plain:.2f} | {checked / plain:.1f} | {batch} | {size:.0f} |", flush=True
    )


def batch_ratio(problems: Sequence[Problem], options: dict[str, Any]) -> str:
    """The time to check a batch of first-order scores or Parts in one call, divided by that to decode it in one."""
    scores = [one["arc"] for one in problems]

    def decode() -> list[tw.decode.Parse]:
        if isinstance(scores[0], tw.decode.Parts):
            return tw.decode.tree_batch(scores, **options)
        return tw.decode.trees(scores, threads=1, **options)

    if not isinstance(scores[0], tw.decode.Parts):
        scores = [scores[k % len(scores)].copy() for k in range(BATCH)]
    parses = [tw.decode.tree(one, **options, proof=True) for one in scores]
    checked, decoded = seconds(lambda: tw.decode.verify_batch(scores, parses, **options), decode)
    return f"{checked / decoded:.1f}"


def seconds(*runs: Callable[[], Any]) -> list[float]:
    """The CPU time of one call of each, in the fastest of several runs; in turns, so that all have the same load."""
    calls = []
    for run in runs:
        run()
        begin = time.process_time()
        run()
        calls.append(1 + int(MIN_SECONDS / max(time.process_time() - begin, 1e-6)))
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(REPEATS):
        for run, count, found in zip(runs, calls, times, strict=True):
            begin = time.process_time()
            for _ in range(count):
                run()
            found.append((time.process_time() - begin) / count)
    return [min(found) for found in times]


if __name__ == "__main__":
    main()
