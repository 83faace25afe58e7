"""What does one step of a session cost: a decision and its tree, alternatives, why, a drawing?

Sentences of 31 to 40 words of English-EWT (dev) are opened with the embedded English model, with and without its
network, and an annotator who knows the right heads decides the first wrong one, as often as there are any. CPU
milliseconds of each step (median, 95th percentile, maximum) on one thread.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

T = TypeVar("T")
FILE = Path("ud", "English-EWT", "dev.conllu")


class Costs:
    """CPU seconds by the name of a step."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)

    def of(self, step: str, run: Callable[[], T]) -> T:
        """Run a step and note what it cost."""
        start = time.process_time()
        result = run()
        self.seconds[step].append(time.process_time() - start)
        return result

    def print(self) -> None:
        """Print a line for each step."""
        for step, seconds in self.seconds.items():
            p50, p95, most = np.percentile(np.array(seconds) * 1000, [50, 95, 100])
            print(f"  {step:24} {len(seconds):6} {p50:8.1f} {p95:8.1f} {most:8.1f}", flush=True)


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--sentences", type=int, default=60)
    given = common.parse(arguments, needs=str(FILE))
    gold = [sentence for sentence in tw.read(given.data / FILE) if 31 <= len(sentence) <= 40][: given.sentences]
    nlp = tw.Pipeline.load("en")
    print(f"{len(gold)} sentences; CPU ms {'':14} {'steps':>6} {'p50':>8} {'p95':>8} {'max':>8}")
    for name, model in {"with network": nlp, "without network": nlp.without_network()}.items():
        print(name)
        list(model.parse([tw.Sentence.from_words(gold[0].forms)]))
        costs = Costs()
        for sentence in gold:
            correct(model, sentence, costs)
        costs.print()


def correct(nlp: tw.Pipeline, gold: tw.Sentence, costs: Costs) -> None:
    """Decide wrong heads from left to right; ask about each word before."""
    session = costs.of("open, first tree", lambda: first_tree(nlp, gold.forms))
    right = gold.heads.tolist()
    while wrong := [word for word, head in enumerate(session.sentence.heads.tolist(), 1) if head != right[word - 1]]:
        ask_and_decide(session, wrong[0], right[wrong[0] - 1], gold.upos[wrong[0] - 1], costs)


def ask_and_decide(session: tw.pipeline.Session, word: int, head: int, tag: str, costs: Costs) -> None:
    """Ask about a word, then decide its head and its tag."""
    costs.of("alternatives", lambda: session.alternatives(word))
    costs.of("why", lambda: session.why(head, word))
    costs.of("labels, tags", lambda: (session.labels(word), session.tags(word)))
    costs.of("pin what was read", lambda: session.pin(range(1, word)))
    costs.of("decide a head", lambda: decide(session, word, head))
    costs.of("decide a tag", lambda: decide_tag(session, word, tag))
    costs.of("draw", lambda: tw.draw.svg(session.sentence, states=session.states, style=False, data=True))


def first_tree(nlp: tw.Pipeline, forms: list[str]) -> tw.pipeline.Session:
    session = nlp.open(forms)
    _ = session.tree
    return session


def decide(session: tw.pipeline.Session, word: int, head: int) -> list[int]:
    session.decide(word, head=head)
    return session.changed


def decide_tag(session: tw.pipeline.Session, word: int, tag: str) -> list[int]:
    session.decide(word, upos=tag)
    return session.changed


if __name__ == "__main__":
    main()
