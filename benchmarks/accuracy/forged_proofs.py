"""Forged proofs: numbers of true proofs and claims are replaced, heads by those of other trees, and `verify` is asked.

`verify` must refuse every claim that is false by the enumeration of all trees; true ones may be accepted, and are then
judged like decodings. Where there is no tree (every one has a part of -inf), the proof is that of the same scores with
-10 in the place of -inf, and every claim is false. The columns of the table are defined in benchmarks/enumeration.py.

    python benchmarks/accuracy/forged_proofs.py --decodings 100000
    python benchmarks/accuracy/forged_proofs.py --decodings 5000 --kind masks
"""

from __future__ import annotations

import copy
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1]))
import enumeration
from enumeration import PARTS, Census, Truth, Values, instance

# What an attacker who wants a worse tree to be certified would write.
LIES: tuple[dict[str, float], ...] = (
    {"gap": 0.0},
    {"gap": 0.0, "spread": 1e12},
    {"gap": 1e3, "spread": 1e12},
    {"gap": 0.0, "tolerance": 1e6},
    {"gap": 0.0, "tolerance": -1.0, "spread": -1000.0},
    {"gap": 0.0, "tolerance": 0.999},
)
CLAIMS = ("score", "bound", "gap", "spread", "tolerance")
FORGERIES = 40  # of one instance


def judge_forgeries(census: Census, random: np.random.Generator, seed: int, kinds: tuple[str, ...]) -> None:
    """Forge the proof of one instance in many ways."""
    n, kind, names = int(random.integers(2, 6)), str(random.choice(kinds)), PARTS[random.integers(len(PARTS))]
    scores, scale = instance(random, n, kind, names)
    root, projective = str(random.choice(["single", "multi"])), bool(random.random() < 0.5)
    arguments: dict[str, Any] = {**scores, "root": root, "projective": projective}
    truth = Truth(Values(scores, n, scale), root, projective)
    finite = {name: np.where(array == -np.inf, -10.0, array) for name, array in scores.items()}
    try:
        parse = tw.decode.tree(**(arguments if truth.best else arguments | finite), proof=True)
    except Exception as error:
        census.count("not decoded", "errors", f"seed {seed} n {n} {kind} {'+'.join(names)} {error!r}")
        return
    assert parse.proof is not None
    row = f"forged, {parse.proof.kind}" if truth.best else "forged, no tree"
    for record in forged_records(parse, truth, random):
        census.tried(row)
        note = f"seed {seed} n {n} {kind} {'+'.join(names)} {root} {projective} {record}"
        try:
            numbers = [float(record[name]) for name in CLAIMS]
            score, bound, gap, spread, tolerance = numbers
            claim = tw.decode.Parse(np.array(record["heads"]), score, bound, "forged", gap, spread, tolerance)
            claim = replace(claim, proof=tw.decode.Proof.from_dict(record["proof"]))
            tw.decode.verify(parse=claim, **arguments)
        except InputError:
            census.count(row, "refused")
        except Exception as error:
            census.count(row, "errors", f"{note} {error!r}")
        else:
            parts = truth.parts_of(claim.heads)
            census.judge(row, claim, parts, truth.best, scale, note, truth.median)


def forged_records(parse: tw.decode.Parse, truth: Truth, random: np.random.Generator) -> Iterator[dict[str, Any]]:
    """The claim and the proof with one number replaced, or another tree and a lie; then each number in turn."""
    assert parse.proof is not None
    record = {name: getattr(parse, name) for name in CLAIMS}
    record |= {"heads": parse.heads.tolist(), "proof": json.loads(json.dumps(parse.proof.to_dict()))}
    trees = np.flatnonzero(truth.allowed & (np.isfinite(truth.values.value) | (truth.best is None)))
    for _ in range(FORGERIES):
        forged = copy.deepcopy(record)
        if random.random() < 0.5:
            tree = int(random.choice(trees))
            value = max(math.fsum(truth.values.parts(tree)), -1e300)
            forged |= {"heads": truth.values.trees.heads[tree].tolist(), "score": value, "bound": parse.bound}
            forged |= LIES[random.integers(len(LIES))]
            if random.random() < 0.5:
                forged["bound"] = math.nextafter(value + forged["gap"], math.inf)
        if random.random() < 0.7:
            replace_number(forged, random)
        yield forged
    for number in range(len(list(number_places(record)))):
        forged = copy.deepcopy(record)
        replace_number(forged, random, number)
        yield forged


def replace_number(record: dict[str, Any], random: np.random.Generator, number: int | None = None) -> None:
    """Replace a number in nested lists and dictionaries: the one at this place, or any."""
    places = list(number_places(record))
    container, key = places[random.integers(len(places)) if number is None else number]
    old = container[key]
    if isinstance(old, bool):
        container[key] = not old
    elif isinstance(old, int):
        container[key] = old + int(random.choice([-2, -1, 1, 2]))
    else:
        container[key] = float(
            random.choice([-old, old / 2, 2 * old, old + 1, old - 1, 0, 1e300, -1e300, np.inf, np.nan])
        )


def number_places(data: Any) -> Iterator[tuple[Any, Any]]:
    """The container and the key of every number and truth value."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(value, int | float):
            yield data, key
        else:
            yield from number_places(value)


if __name__ == "__main__":
    enumeration.main(__doc__, judge_forgeries)
