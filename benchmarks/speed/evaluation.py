"""Speed of `evaluate` compared with the official script (udtools) on the same files.

Reading and scoring, CPU time, minimum of the repeats, both in one run; the figures must agree to the last digit.
Without DATA it uses a generated treebank; with it, copies with errors of every ud*/*/dev.conllu.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from udtools import udeval

from treewright.evaluate import evaluate

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).parents[2] / "tests"))
import common
from oracles.conllu import damage, generate, parse_conllu, to_conllu

REPEATS = 5


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    print(f"CPU seconds, minimum of {REPEATS} and 2")
    print(f"{'treebank':28} {'words':>8} {'official':>9} {'ours':>8} {'ratio':>6}")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name, gold, system in pairs(data):
            paths = Path(folder, "gold.conllu"), Path(folder, "system.conllu")
            for path, text in zip(paths, (gold, system), strict=True):
                path.write_text(text, encoding="utf-8")
            expected, theirs = common.fastest(partial(official, *paths), 2)
            found, ours = common.fastest(partial(evaluate, *paths), REPEATS)
            check(expected, found)
            ratios.append(theirs / ours)
            print(f"{name:28} {found['Words'].gold:8} {theirs:9.3f} {ours:8.4f} {ratios[-1]:6.1f}")
    print(f"{'smallest ratio':28} {'':8} {'':9} {'':8} {min(ratios):6.1f}")


def pairs(data: Path | None) -> Iterator[tuple[str, str, str]]:
    """Name, gold text, system text."""
    if data is None:
        for multiword in (0.0, 0.15):
            treebank = generate(2000, 1, multiword=multiword)
            name = f"generated, {100 * multiword:.0f} % multiword"
            yield name, to_conllu(treebank), to_conllu(damage(treebank, 2, tokens=0.005))
        return
    for path in sorted(data.glob("ud*/*/dev.conllu")):
        gold = path.read_text(encoding="utf-8")
        name = "/".join(path.parts[-3:-1])
        yield name, gold, to_conllu(damage(parse_conllu(gold), 1, tokens=0.005))


def official(gold: Path, system: Path) -> Any:
    multiple_roots = {"multiple_roots_okay": True}
    return udeval.evaluate(
        udeval.load_conllu_file(str(gold), multiple_roots), udeval.load_conllu_file(str(system), multiple_roots)
    )


def check(expected: Any, found: Any) -> None:
    for name, score in expected.items():
        if score.f1 != found[name].f1 or score.correct != found[name].correct:
            raise SystemExit(f"{name}: {score.correct} right officially, {found[name].correct} here")


if __name__ == "__main__":
    main()
