"""What does a word cost in a long sentence?

Sentences of English-EWT test (DATA/ud) are joined to sentences of a given number of words, without their tags, and
parsed by the embedded model with its network, with confidence. Microseconds of CPU time a word, the best of three runs,
and their ratio to sentences of 20 words; about as many words at each length.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

LENGTHS = (20, 40, 80, 160, 320, 360, 370, 400, 700, 1000)
WORDS = 4000  # parsed at each length


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    given = common.parse(arguments, needs="ud/English-EWT")
    nlp = tw.load("en")
    forms = list(chain.from_iterable(s.forms for s in tw.read(given.data / "ud" / "English-EWT" / "test.conllu")))
    print(f"{'words':>6} {'microseconds a word':>20} {'ratio':>6}", flush=True)
    first = None
    for length in given.lengths:
        sentences = [
            tw.Sentence.from_words(list(islice(forms, begin, begin + length)))
            for begin in range(0, max(WORDS // length, 1) * length, length)
        ]
        seconds = common.fastest(partial(parse_all, nlp, sentences))[1]
        cost = 1e6 * seconds / (length * len(sentences))
        first = first or cost
        print(f"{length:6} {cost:20.0f} {cost / first:6.1f}", flush=True)


def parse_all(nlp: tw.Pipeline, sentences: Sequence[tw.Sentence]) -> None:
    for _ in nlp.parse(sentences):
        pass


if __name__ == "__main__":
    main()
