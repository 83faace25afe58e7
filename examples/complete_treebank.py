"""Fill in a half-annotated treebank, keep every decision of the annotators, and rank the arcs to check.

`python examples/complete_treebank.py [MODEL PARTIAL]`: without files it learns from sample.conllu and completes
partial.conllu, where annotators left heads and relations open ("_"). On the command line:
`treewright complete MODEL PARTIAL -o DONE --rank LIST`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import treewright as tw

HERE = Path(__file__).parent


def main() -> None:
    if len(sys.argv) > 2:
        parser, partial = tw.Parser.load(sys.argv[1]), Path(sys.argv[2])
    else:
        parser, partial = tw.Parser.train(HERE / "sample.conllu", model="arc"), HERE / "partial.conllu"

    completions = list(parser.complete(tw.read(partial)))
    for found in completions:
        print(found.sentence.text)
        for word, is_open in zip(found.sentence, found.open_heads, strict=True):
            origin = "filled in" if is_open else "annotated"
            print(f"  {word.id:2} {word.form:10} {word.deprel:10} < {word.head:<2} {origin}")

    print("To check first:")
    for line in tw.parser.rank(completions)[:6]:
        what = f"word {line.word}, {line.form} < {line.head}" if line.kind == "arc" else "the whole sentence"
        print(f"  {line.sentence}: {what} (probability {line.confidence:.2f}, entropy {line.entropy:.2f})")

    print("Contradictory annotation is reported:")
    circle = tw.Sentence.from_words(["Dogs", "bark"], heads=[2, 1])
    try:
        list(parser.complete([circle]))
    except tw.errors.FormatError as error:
        print(f"  {error}")


if __name__ == "__main__":
    main()
