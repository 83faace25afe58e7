"""Parse raw text with the embedded English model, and extract subjects, verbs and objects from the trees.

`python examples/parse_text.py [FILE]`: without a file it parses the text below. On the command line the same is
`treewright parse FILE --to json`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import treewright as tw

TEXT = """The museum opened in 1912. It was designed by a local architect, but the city never paid her.

Visitors love the garden. They don't know who planted it."""


def triples(sentence: tw.Sentence) -> list[tuple[str, str, str]]:
    """(subject, verb, object) of every verb; "-" where there is none."""
    found = []
    for verb in sentence:
        if verb.upos == "VERB":
            by_relation = {word.deprel: word.form for word in verb.children}
            found.append((by_relation.get("nsubj", "-"), verb.lemma, by_relation.get("obj", "-")))
    return found


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else TEXT
    nlp = tw.load("en")
    for sentence in nlp(text):
        print(f"{sentence.sent_id}. {sentence.text}   [{sentence.parse.status}]")
        for subject, verb, obj in triples(sentence):
            print(f"     {subject} | {verb} | {obj}")
        assert sentence.head_confidence is not None
        lowest = int(sentence.head_confidence.argmin())
        print(f"     lowest head confidence: {sentence[lowest].form!r}, {sentence.head_confidence[lowest]:.2f}")

    print("Several texts, two threads, results in the order of the texts:")
    texts = ["It rains.", "Nobody came to the party.", "Why?"]
    for text, sentences in zip(texts, nlp.pipe(texts, threads=2), strict=True):
        print(f"     {text}  {[word.upos for sentence in sentences for word in sentence]}")


if __name__ == "__main__":
    main()
