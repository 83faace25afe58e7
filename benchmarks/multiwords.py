"""How do the thresholds for suffixes of multiword tokens change the words of a development set?

    python benchmarks/multiwords.py FOLDER [--sets NAME ...]

For each treebank under FOLDER/ud, rules are learned from `train` and applied to the gold tokens of `dev`. A row a
treebank: tokens and multiword tokens of `dev`, then how many tokens get other words than in the treebank for each value
of one threshold, the others at their defaults. Without a folder it says so and stops.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import treewright as tw
from treewright.tokeniser.multiwords import THRESHOLDS, Multiwords, Thresholds, Words
from treewright.tokeniser.segments import tokens_of

SETS = ("English-EWT", "Portuguese-Bosque", "Turkish-IMST")
TRIALS: dict[str, list[Thresholds]] = {
    "min_split_share": [replace(THRESHOLDS, min_split_share=share) for share in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)],
    "min_forms": [replace(THRESHOLDS, min_forms=forms) for forms in (1, 2, 3, 4, 5, 10)],
    "min_clitic_tokens": [replace(THRESHOLDS, min_clitic_tokens=tokens) for tokens in (1, 2, 3, 4)],
}
Tokens = list[tuple[str, Words]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sets", nargs="*", default=SETS)
    given = parser.parse_args()
    if given.folder is None:
        print("needs a folder with ud/NAME/train.conllu and dev.conllu")
        return
    for threshold, trials in TRIALS.items():
        values = " ".join(f"{getattr(trial, threshold):>6}" for trial in trials)
        print(f"{threshold:20} {'tokens':>7} {'multiword':>9} {values}")
        for name in given.sets:
            train, dev = (tokens_in(given.folder / "ud" / name / f"{part}.conllu") for part in ("train", "dev"))
            wrong = " ".join(f"{errors(Multiwords.of(train, trial), dev):6}" for trial in trials)
            print(f"{name:20} {len(dev):7} {sum(len(words) > 1 for _, words in dev):9} {wrong}", flush=True)


def tokens_in(path: Path) -> Tokens:
    return [token for sentence in tw.read(path) for token in tokens_of(sentence)]


def errors(multiwords: Multiwords, tokens: Tokens) -> int:
    return sum(multiwords.words(form) != words for form, words in tokens)


if __name__ == "__main__":
    main()
