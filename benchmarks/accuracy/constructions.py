"""Which share of sentences with rare constructions has the right tree?

The sentences of data/constructions/held_out.conllu were written for this purpose: long questions, orders, object
complements, *but* that means *except*, comparatives with a clause. A sentence is right if from its raw text all words,
heads and relations are. A row for each class and one for all; --errors prints the sentences that are wrong, with what
was found.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

GOLD = Path(__file__).parents[2] / "data" / "constructions" / "held_out.conllu"


def main() -> None:
    arguments = common.arguments(__doc__, model="en", errors="the sentences that are wrong")
    given = common.parse(arguments)
    nlp = tw.Pipeline.load(given.model)
    right: dict[str, list[bool]] = defaultdict(list)
    for gold in tw.read(GOLD):
        assert gold.text is not None
        parsed = list(nlp(gold.text))
        is_right = [arcs_of(sentence) for sentence in parsed] == [arcs_of(gold)]
        right[class_of(gold)].append(is_right)
        if given.errors and not is_right:
            print(*(f"{form}/{head}/{label}" for sentence in parsed for form, head, label in arcs_of(sentence)))
    print(f"{'class':15}{'sentences':>10}{'right':>8}")
    for name, results in [*right.items(), ("all", [one for some in right.values() for one in some])]:
        print(f"{name:15}{len(results):10}{100 * sum(results) / len(results):7.1f} %")


def class_of(sentence: tw.Sentence) -> str:
    """Return the class of a sentence, which is part of its sent_id: held-out-CLASS-NUMBER."""
    return str(sentence.comment("sent_id")).split("-")[-2]


def arcs_of(sentence: tw.Sentence) -> list[tuple[str, int, str]]:
    """Return the form, head and relation of each word."""
    return list(zip(sentence.forms, sentence.heads.tolist(), sentence.deprels, strict=True))


if __name__ == "__main__":
    main()
