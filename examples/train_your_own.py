"""Train a parser on a treebank of your own, save it, and parse with it.

`python examples/train_your_own.py [TRAIN DEV]`: without files it trains on the three sentences of sample.conllu,
which takes a few seconds. On the command line the same is
`treewright train --only parser TRAIN --dev DEV -o MODEL` and `treewright parse MODEL FILE`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import treewright as tw

SAMPLE = Path(__file__).parent / "sample.conllu"


def show_progress(report: tw.learn.Report) -> None:
    """Called at the end of each epoch; the development set is parsed at the ends of restarts."""
    if report.stage == "scorer" and "uas" in report.figures:
        print(f"  {report.stage} {report.epoch}/{report.epochs}: UAS {report.figures['uas']:.1f}")


def main() -> None:
    train, dev = sys.argv[1:3] if len(sys.argv) > 2 else (SAMPLE, SAMPLE)

    print("Training:")
    parser = tw.Parser.train(train, dev, model="sib", seed=1, report=show_progress)
    print(f"  {parser}")

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "mine.tw"
        parser.save(model)
        parser = tw.Parser.load(model)
        tagged = tw.Sentence.from_words(
            ["The", "old", "cart", "creaked", "."],
            lemmas=["the", "old", "cart", "creak", "."],
            upos=["DET", "ADJ", "NOUN", "VERB", "PUNCT"],
        )
        print("A sentence outside the training data, with the probability of every head:")
        [parsed] = parser.parse([tagged])
        assert parsed.head_confidence is not None
        for word, probability in zip(parsed, parsed.head_confidence, strict=True):
            print(f"  {word.form:8} {word.deprel:6} < {word.head}   {probability:.2f}")
        print(f"  {parsed.parse.status} over {parsed.parse.scope}")


if __name__ == "__main__":
    main()
