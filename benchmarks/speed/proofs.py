"""What proofs cost: the time to check one, its size, and the time of `treewright verify` against `treewright parse`.

All times are CPU times of whole calls in Python, or of whole commands with the start of Python and the loading of the
model. Limits: 100 ms for a tree of 40 words; a file is verified in twice the time that it is parsed in.
DATA is a folder with treebanks (ud/English-EWT/dev.conllu); without it, random scores only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

REPEATS = 5  # of which the fastest counts
FILE_SENTENCES = 300  # of the commands
CHAIN = 24.0  # added to the arcs of a chain, so that searches end


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    print("| scores | words | decode, ms | check, ms | proof, bytes |\n|---|---|---|---|---|")
    for words in (5, 10, 20, 40):
        for kinds in ((), ("sib",), ("grand",), ("sib", "grand", "stop")):
            for projective in (True, False):
                row(words, kinds, projective)
    if data is not None:
        command_rows(data / "ud")


def row(words: int, kinds: tuple[str, ...], projective: bool) -> None:
    random, nodes = np.random.default_rng(words), words + 1
    arc = random.normal(size=(nodes, nodes))
    second: dict[str, Any] = {
        name: random.normal(size=(nodes, nodes, 2 if name == "stop" else nodes)) for name in kinds
    }
    if kinds and not projective:
        arc[np.arange(words), np.arange(1, nodes)] += CHAIN
    parse = tw.decode.tree(arc, **second, projective=projective, proof=True)
    decoding = common.fastest(lambda: tw.decode.tree(arc, **second, projective=projective), REPEATS)[1]
    checking = common.fastest(lambda: tw.decode.verify(arc, parse, **second, projective=projective), REPEATS)[1]
    size = len(json.dumps(parse.proof.to_dict())) if parse.proof else 0
    name = f"{' '.join(kinds) or 'first order'}, {'projective' if projective else 'crossing'}"
    print(f"| {name} | {words} | {decoding * 1e3:.2f} | {checking * 1e3:.1f} | {size} |", flush=True)


def command_rows(data: Path) -> None:
    print("\n| options | parse, CPU seconds | verify | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        names = ("gold.conllu", "parsed.conllu", "plain.conllu", "proofs.jsonl")
        gold, parsed, plain, proofs = (Path(folder) / name for name in names)
        tw.write(islice(tw.read(data / "English-EWT" / "dev.conllu"), FILE_SENTENCES), gold)
        for options in ([], ["--fast"], ["--nonprojective"]):
            command("parse", "en", gold, "-o", parsed, "--proofs", proofs, "--quiet", *options)
            fast = [option for option in options if option == "--fast"]
            # The fastest of each, in turns: the load of the machine is the same for both.
            times = [
                (
                    command("parse", "en", gold, "-o", plain, "--quiet", *options),
                    command("verify", "en", parsed, proofs, "--quiet", *fast),
                )
                for _ in range(REPEATS)
            ]
            parsing, checking = (min(column) for column in zip(*times, strict=True))
            print(f"| {' '.join(options)} | {parsing:.2f} | {checking:.2f} | {checking / parsing:.2f} |", flush=True)


def command(*arguments: object) -> float:
    """Run a command; return its CPU seconds."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "treewright", *map(str, arguments)], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
