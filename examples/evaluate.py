"""Evaluate two analyses of a treebank: the official UD figures, and the wrong heads of the second one.

`python examples/evaluate.py [GOLD SYSTEM OTHER]`: without files the trees of sample.conllu are compared with two
analyses by the embedded English model, of their text and of their words and tags. On the command line the same is
`treewright eval GOLD SYSTEM`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import treewright as tw
from treewright.evaluate import evaluate

SAMPLE = Path(__file__).parent / "sample.conllu"


def from_text_and_from_tags(gold: list[tw.Sentence]) -> list[list[tw.Sentence]]:
    """Two analyses: from the raw text, with predicted words and tags, and from the gold words and tags."""
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
    print("Wrong heads of the second analysis:")
    for right, found in zip(gold, systems[1], strict=True):
        for word, correct in zip(found, right, strict=True):
            if word.head != correct.head:
                heads = f"{head_of(found, word)}, gold {head_of(right, correct)}"
                print(f"  {right.sent_id}: {word.form} is attached to {heads}")


def head_of(sentence: tw.Sentence, word: tw.corpus.Word) -> str:
    return sentence.forms[word.head - 1] if word.head else "the root"


if __name__ == "__main__":
    main()
