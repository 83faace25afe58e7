"""What do short texts cost, compared with the same sentences in one long text?

N texts of six words are parsed as one long text, through `nlp.pipe`, by one call each, as lines of a file
(`treewright parse --input lines`), as JSON lines, and with their trees written as CoNLL-U and as JSON. Words per second
of CPU time on one thread, the best of three runs, and the ratio to the long text that is parsed and written in the same
way: with confidence where the command computes it, which is not the case for files unless JSON is written.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import treewright as tw
from treewright.pipeline import read_input

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

Run = Callable[[], Iterable[tw.Sentence]]

SENTENCES = (
    "The old bridge creaked all night.",
    "She reads two books every week.",
    "They never answered my last letter.",
    "We waited there for an hour.",
    "His brother plays the piano well.",
    "Nobody saw the fox that morning.",
    "Please close the window behind you.",
)


def main() -> None:
    arguments = common.arguments(__doc__, model="en")
    arguments.add_argument("--texts", type=int, default=2000)
    given = common.parse(arguments)
    nlp = tw.Pipeline.load(given.model)
    texts = [SENTENCES[place % len(SENTENCES)] for place in range(given.texts)]
    print(f"{given.texts} texts of six words")
    print(f"{'':34} {'words/s':>8} {'ratio':>6}", flush=True)
    for group in runs(nlp, texts):
        speeds = {name: speed(run) for name, run in group.items()}
        long = next(iter(speeds.values()))
        for name, found in speeds.items():
            print(f"{name:34} {found:8.0f} {found / long:6.2f}", flush=True)


def runs(nlp: tw.Pipeline, texts: list[str]) -> list[dict[str, Run]]:
    """What is measured, by its name, in groups that are compared; the first of a group is the long text."""
    long = " ".join(texts)
    lines = "\n".join(texts).encode()
    values = "\n".join(json.dumps(text) for text in texts).encode()

    def read(data: bytes, kind: str, *, confidence: bool = False) -> Iterable[tw.Sentence]:
        return nlp.parse(read_input(io.BytesIO(data), kind, nlp.tokeniser), confidence=confidence)

    def written(sentences: Iterable[tw.Sentence], form: Callable[[tw.Sentence], str]) -> Iterable[tw.Sentence]:
        return (sentence for sentence in sentences if form(sentence))

    def as_json(sentence: tw.Sentence) -> str:
        return json.dumps(sentence.to_dict())

    return [
        {
            "one long text": lambda: nlp(long),
            "nlp.pipe(texts)": lambda: (sentence for document in nlp.pipe(texts) for sentence in document),
            "nlp(text) for each": lambda: (sentence for text in texts for sentence in nlp(text)),
        },
        {
            "one long text, no confidence": lambda: nlp(long, confidence=False),
            "lines of a file": lambda: read(lines, "lines"),
            "texts of a JSON file": lambda: read(values, "json"),
        },
        {
            "one long text, to CoNLL-U": lambda: written(nlp(long, confidence=False), str),
            "lines of a file, to CoNLL-U": lambda: written(read(lines, "lines"), str),
        },
        {
            "one long text, to JSON": lambda: written(nlp(long), as_json),
            "lines of a file, to JSON": lambda: written(read(lines, "lines", confidence=True), as_json),
        },
    ]


def speed(run: Run) -> float:
    """Return the words per second, the best of three runs."""
    words, seconds = common.fastest(lambda: sum(map(len, run())))
    return words / seconds


if __name__ == "__main__":
    main()
