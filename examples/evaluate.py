"""Evaluate a parser: the official figures, what goes wrong, and whether a difference between two means anything.

`python examples/evaluate.py [GOLD SYSTEM OTHER]`: without files the trees of sample.conllu are compared with what the
embedded English model makes of their text, and of their words and tags. On the command line the same is
`treewright eval GOLD SYSTEM`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate

SAMPLE = Path(__file__).parent / "sample.conllu"


def from_text_and_from_tags(gold: list[tw.Sentence]) -> list[list[tw.Sentence]]:
    """Two analyses to compare: one that had to find words and tags too, one that was given them."""
    nlp = tw.load("en")
    return [nlp("\n\n".join(sentence.text for sentence in gold)), list(nlp.parse(gold))]


def main() -> None:
    if len(sys.argv) > 3:
        gold, *systems = (list(tw.read(file)) for file in sys.argv[1:4])
    else:
        gold = list(tw.read(SAMPLE))
        systems = from_text_and_from_tags(gold)
    print("            Words   UPOS    UAS    LAS   CLAS")
    for name, system in zip(("from text", "from tags"), systems, strict=True):
        scores = evaluate(gold, system)
        figures = (100 * scores[figure].f1 for figure in ("Words", "UPOS", "UAS", "LAS", "CLAS"))
        print(f"{name:10}" + " ".join(f"{figure:6.2f}" for figure in figures))
    print("Heads that differ from gold, of the second:")
    for right, found in zip(gold, systems[1], strict=True):
        for word, wanted in zip(found, right, strict=True):
            if word.head != wanted.head:
                print(
                    f"  {right.sent_id}: {word.form} hangs from {head_of(found, word)}, gold {head_of(right, wanted)}"
                )


def head_of(sentence: tw.Sentence, word: tw.corpus.Word) -> str:
    return sentence.forms[word.head - 1] if word.head else "the root"


if __name__ == "__main__":
    main()
