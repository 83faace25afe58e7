"""How much does it cost to parse long sentences in parts? Sentences of EWT dev, joined to stretches without ends.

Each stretch is parsed as one sentence: whole, and in parts of at most so many words. The table has the share of right
heads among words whose gold head is a word, because the sentences of a stretch have no gold arcs between them, and the
CPU seconds per stretch. The constants of src/treewright/parser/long_sentences.py are chosen by it.

    python benchmarks/accuracy/long_sentences.py DATA
    python benchmarks/accuracy/long_sentences.py DATA --words 1000 --stretches 5 --unpunctuated
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.parser import long_sentences

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

PARTS = (None, 250, 150, 100, 60)  # words of a part; None: the whole stretch


def stretches(sentences: Sequence[tw.Sentence], words: int, count: int) -> Iterator[tw.Sentence]:
    """Yield stretches of so many words, whose heads are 0 at the roots of the sentences; the last is cut."""
    forms: list[str] = []
    heads: list[int] = []
    for sentence in sentences:
        begin = len(forms)
        forms += sentence.forms
        heads += [head + begin if head else 0 for head in sentence.heads.tolist()]
        if len(forms) >= words:
            kept = [head if head <= words else 0 for head in heads[:words]]
            yield tw.Sentence.from_words(forms[:words], heads=kept)
            forms, heads, count = [], [], count - 1
            if not count:
                return


def without_punctuation(sentence: tw.Sentence) -> tw.Sentence:
    """Return the sentence without punctuation marks, but for those that are roots or have dependents."""
    heads = sentence.heads.tolist()
    marks = {word for word, tag in enumerate(sentence.upos, 1) if tag == "PUNCT" and heads[word - 1] > 0}
    kept = [word for word in range(1, len(heads) + 1) if word not in marks or word in heads]
    number = {0: 0} | {word: place for place, word in enumerate(kept, 1)}
    forms = [sentence.forms[word - 1] for word in kept]
    return tw.Sentence.from_words(forms, heads=[number[heads[word - 1]] for word in kept])


def is_right(nlp: tw.Pipeline, stretch: tw.Sentence, part: int | None) -> tuple[list[bool], float]:
    """Return for each word whose gold head is a word whether it has that head, and the CPU seconds of parsing."""
    long_sentences.MAX_WHOLE = len(stretch) if part is None else part
    long_sentences.MAX_PART = part or long_sentences.MAX_WHOLE
    start = time.process_time()
    [parsed] = nlp.parse([tw.Sentence.from_words(stretch.forms)])
    seconds = time.process_time() - start
    gold = stretch.heads
    return (parsed.heads == gold)[gold > 0].tolist(), seconds


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--words", type=int, default=500, help="of a stretch")
    parser.add_argument("--stretches", type=int, default=10, help="how many are parsed")
    parser.add_argument("--unpunctuated", action="store_true", help="leave out punctuation, as in speech")
    options = common.parse(parser, "ud/English-EWT/dev.conllu")
    sentences = list(tw.read(options.data / "ud" / "English-EWT" / "dev.conllu"))
    if options.unpunctuated:
        sentences = [without_punctuation(sentence) for sentence in sentences]
    chosen = list(stretches(sentences, options.words, options.stretches))
    nlp = tw.load("en")
    print(f"{len(chosen)} stretches of {options.words} words")
    print(f"{'parts':>8}{'heads %':>10}{'error':>8}{'seconds':>10}")
    for part in PARTS:
        results = [is_right(nlp, stretch, part) for stretch in chosen]
        shares = [100 * float(np.mean(right)) for right, _ in results]
        error = float(np.std(shares, ddof=1)) / math.sqrt(len(shares)) if len(shares) > 1 else math.nan
        seconds = sum(seconds for _, seconds in results) / len(results)
        print(f"{part or 'whole':>8}{np.mean(shares):>10.2f}{error:>8.2f}{seconds:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
