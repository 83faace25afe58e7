"""How good are word classes and word vectors, and what does it cost to learn them?

The task: the UPOS of words that are not in the first 3,000 training sentences of English-EWT, in its development set
and the training sentences from 9,000 on, without punctuation marks, symbols and numbers. Classes: a word has the most
frequent tag of its class in these 3,000 sentences. Vectors: the tag that has the largest sum of cosines among the 10
closest words of these sentences. Words without a class or a vector are not counted; the table has the share of those
that have one (coverage).

    python benchmarks/accuracy/words.py                     generated text: time and memory only
    python benchmarks/accuracy/words.py DATA                learned from raw/masc_tokenised.txt, and imported (words/)
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.words import WordsOptions

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

KNOWN, LATER = 3000, 9000  # training sentences
CLOSEST = 10
LEFT_OUT = {"PUNCT", "SYM", "NUM", "X"}


@dataclass(frozen=True)
class Task:
    """The tags of known words, and tokens of other words with their tags."""

    tags: dict[str, Counter[str]]
    tokens: list[tuple[str, str]]

    @classmethod
    def of(cls, folder: Path) -> Task:
        train = list(tw.read(folder / "ud" / "English-EWT" / "train.conllu"))
        dev = list(tw.read(folder / "ud" / "English-EWT" / "dev.conllu"))
        tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for form, tag in tagged(train[:KNOWN]):
            tags[form.lower()][tag] += 1
        others = tagged([*dev, *train[LATER:]])
        tokens = [(form, tag) for form, tag in others if form.lower() not in tags and tag not in LEFT_OUT]
        return cls(dict(tags), tokens)

    def by_class(self, words: tw.Words) -> str:
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for form, tags in self.tags.items():
            if form in words.classes:
                counts[words.class_of(form)] += tags
        covered = [(form, tag) for form, tag in self.tokens if {form, form.lower()} & words.classes.keys()]
        right = sum(tag in first(counts[words.class_of(form)]) for form, tag in covered)
        return self.percentages(right, len(covered))

    def by_vector(self, words: tw.Words) -> str:
        known = [(words.row(form), tags) for form, tags in self.tags.items() if words.row(form) >= 0]
        names = sorted({tag for _, tags in known for tag in tags})
        tag_of = np.array([names.index(first(tags)[0]) for _, tags in known])
        lengths = np.linalg.norm(words.vectors, axis=1, keepdims=True)
        directions = words.vectors / np.where(lengths > 0, lengths, 1)
        table = directions[[row for row, _ in known]]
        covered = [(words.row(form), tag) for form, tag in self.tokens if words.row(form) >= 0]
        right = 0
        for row, tag in covered:
            cosines = table @ directions[row]
            best = np.argpartition(-cosines, CLOSEST)[:CLOSEST]
            right += names[np.bincount(tag_of[best], cosines[best], len(names)).argmax()] == tag
        return self.percentages(right, len(covered))

    def percentages(self, right: int, covered: int) -> str:
        return f"{100 * right / max(covered, 1):6.2f} {100 * covered / len(self.tokens):9.1f}"


def first(counts: Counter[str]) -> list[str]:
    """The most frequent tag, if there is one."""
    return [tag for tag, _ in counts.most_common(1)]


def tagged(sentences: Iterable[tw.Sentence]) -> list[tuple[str, str]]:
    return [pair for sentence in sentences for pair in zip(sentence.forms, sentence.upos, strict=True)]


def lines(path: Path) -> list[tw.Sentence]:
    with open(path, encoding="utf-8") as file:
        return [tw.Sentence.from_words(words) for line in file if (words := line.split())]


def generated(sentences: int) -> list[tw.Sentence]:
    """Words by Zipf's law."""
    random = np.random.default_rng(1)
    numbers = np.minimum(random.zipf(1.2, sentences * 20), 50_000).reshape(sentences, 20)
    return [tw.Sentence.from_words([f"w{number}" for number in row]) for row in numbers.tolist()]


def learn(text: list[tw.Sentence], options: WordsOptions) -> tuple[tw.Words, float]:
    """The words and the CPU seconds."""
    begin = time.process_time()
    words = tw.Words.train(text, options=options)
    return words, time.process_time() - begin


def costs(text: list[tw.Sentence]) -> tw.Words:
    """Both parts with the default settings, one after the other."""
    tokens = sum(map(len, text))
    vectors, seconds = learn(text, WordsOptions(classes=0))
    print(f"  {tokens} tokens; {vectors}: {seconds:.1f} CPU seconds")
    words, seconds = learn(text, WordsOptions(size=0))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"  {tokens} tokens; {words}: {seconds:.1f} CPU seconds; {memory:.0f} MB of memory with the text")
    return vectors.join(words)


def compare(folder: Path) -> None:
    text = lines(folder / "raw" / "masc_tokenised.txt")
    words, task = costs(text), Task.of(folder)
    vectors = tw.Words.from_vectors(folder / "words" / "glove-en-100d.npy")
    classes = tw.Words.from_classes(folder / "words" / "brown-en.tsv.gz")
    print(f"  {len(task.tokens)} tokens of words without a known tag: accuracy, coverage, %")
    print(f"  {'classes, learned':34} {task.by_class(words)}\n  {'classes, imported':34} {task.by_class(classes)}")
    print(f"  {'vectors, learned':34} {task.by_vector(words)}\n  {'vectors, imported':34} {task.by_vector(vectors)}")


def main() -> None:
    given = common.parse(common.arguments(__doc__))
    if given.data is None:
        costs(generated(5000))
    else:
        compare(given.data)


if __name__ == "__main__":
    main()
