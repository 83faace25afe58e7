"""How much work does completion save an annotator, and in which order should words and sentences be checked?

The annotator is simulated: it knows the gold trees, reads from left to right and never errs. Looking at a word is one
look. A wrong head is one correction, and so is a wrong relation; the relation of a corrected head is the one that the
parser gives with the right head. Words that were looked at are decided; after each decision the sentence is completed
again.

The first table: sentences that a parser of N sentences completes, mended cell by cell (`parse`) and with completion
after each decision (`complete`); below the last treebank the means over all. `--orders` without names leaves the second
table out.

The second table: the loop. The first 1,500 words of the pool, whose sentences are in a random order, are annotated from
scratch. After every 1,500 looks a parser is trained on all that is annotated, partial trees as such; every tenth
sentence is held out for the choice of the epoch and for calibration. Orders:

| name | what is looked at |
|---|---|
| random | whole sentences in random order |
| total-entropy, mean-entropy | whole sentences by the sum or the mean of the entropies of their words, highest first |
| expected-errors | whole sentences by the expected share of wrong arcs, highest first |
| doubtful | in sentences in random order, the words of a confidence below 0.9, the lowest first |
| words | the words of lowest confidence in the whole pool |

The table has the looks and corrections with which each order has the LAS on `dev` that the random order has after 4,500
and 6,000 looks, interpolated between two trainings, as mean over the seeds, and the difference from the random order.
Tags are gold tags. With --epochs the scorer has N epochs and one restart.

The third table: a language without a model, as a project of `treewright annotate` has it. The first sentences of
--new-language are annotated from scratch, `Train` makes a model of them, and the next ones are corrected with its
suggestions; a correction is a decision of the annotator about a head or a relation.
Without DATA a generated treebank shows that the benchmark runs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean

import numpy as np

from treewright.annotate import Project
from treewright.corpus import Sentence, read, write
from treewright.parser import Completion, Parser, ParserOptions, Scoring
from treewright.parser.partial import attachment

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from accuracy.partial import generated, with_some_heads

NAMES = ("English-EWT", "Hungarian-Szeged", "Lithuanian-ALKSNIS", "Irish-IDT", "Turkish-IMST", "Uyghur-UDT")
TREEBANKS = tuple(f"ud/{name}" for name in NAMES)
BATCH = 1500  # looks between two trainings, and words of the start; the protocol of the first measurements
DEV_SENTENCES = 500
TARGETS = (2, 3)  # points of the curve of the random order: after 4,500 and 6,000 looks
HELD_OUT = 10  # one of so many annotated sentences is not trained on
TRAINED_ON = (50, 200, 900)  # sentences of the parsers of the first table
COMPLETED = 200  # sentences of the first table
NEW_LANGUAGE = "ud/Wolof-WTB"
ANNOTATED = 100  # sentences of the third table before and after the training
DOUBTFUL = 0.9  # a word is doubtful below this confidence; not tuned
ORDERS: dict[str, Callable[[Completion], float]] = {  # of whole sentences
    "total-entropy": lambda completion: float(completion.entropy[completion.is_open].sum()),
    "mean-entropy": lambda completion: float(completion.entropy[completion.is_open].mean()),
    "expected-errors": lambda completion: float(1 - completion.arc_confidence[completion.is_open].mean()),
}
LOOP_ORDERS = ("random", "doubtful", "words", *ORDERS)


@dataclass
class Work:
    """What the annotator did."""

    looks: int = 0
    heads: int = 0  # corrections
    labels: int = 0


@dataclass
class Task:
    """A sentence of the pool: the gold tree, and which words are decided."""

    gold: Sentence
    decided: list[bool]

    @classmethod
    def of(cls, gold: Sentence) -> Task:
        return cls(gold, [False] * len(gold))

    @property
    def is_done(self) -> bool:
        return all(self.decided)

    def partial(self) -> Sentence:
        return with_some_heads(self.gold, self.decided)

    def look(self, parser: Parser, place: int, shown: Completion, work: Work, is_completed: bool = True) -> Completion:
        """Decide a word; the completion after it. Only a wrong head changes the tree."""
        self.decided[place] = True
        work.looks += 1
        if int(shown.sentence.heads[place]) != int(self.gold.heads[place]):
            work.heads += 1
            if is_completed:
                partial = self.partial()
                partial.deprels[place] = "_"
                [shown] = parser.complete([partial])
        work.labels += shown.sentence.deprels[place] != self.gold.deprels[place]
        return shown


@dataclass(frozen=True)
class Point:
    """The state after a training."""

    looks: int
    heads: int
    labels: int
    las: float


@dataclass(frozen=True)
class Curve:
    """One loop."""

    order: str
    seed: int
    points: list[list[float]]  # looks, head and label corrections, LAS

    def at(self, las: float) -> Point | None:
        """Interpolated where a LAS is first reached."""
        last = self.points[0]
        for point in self.points:
            if point[3] >= las:
                share = (las - last[3]) / (point[3] - last[3]) if point[3] > last[3] else 1.0
                looks, heads, labels = (int(a + share * (b - a)) for a, b in zip(last[:3], point[:3], strict=True))
                return Point(looks, heads, labels, las)
            last = point
        return None


def main() -> None:
    arguments = common.arguments(__doc__, treebanks=TREEBANKS, model=ParserOptions().model)
    arguments.add_argument("--seeds", nargs="*", type=int, default=[1, 2])
    arguments.add_argument("--pool", type=int, default=12_000, help="words")
    arguments.add_argument("--looks", type=int, default=7500)
    arguments.add_argument("--epochs", type=int)
    arguments.add_argument("--orders", nargs="*", default=LOOP_ORDERS)
    arguments.add_argument("--trained-on", nargs="*", type=int, default=TRAINED_ON)
    arguments.add_argument("--new-language", default=NEW_LANGUAGE, help="treebank of the third table; none: no table")
    given = common.parse(arguments)
    by_count: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        if given.data is None:
            given.data, given.treebanks, given.seeds = generated(Path(scratch)), ["generated"], [1]
            given.orders, given.trained_on, given.new_language = ["random", "words"], [20], "generated"
        for treebank in given.treebanks:
            train = list(read(given.data / treebank / "train.conllu", check="tree"))
            dev = list(islice(read(given.data / treebank / "dev.conllu", check="tree"), DEV_SENTENCES))
            for count, saved in print_savings(treebank, train, dev, given):
                by_count.setdefault(count, []).append(saved)
            print_loops(treebank, train, dev, given)
        if given.new_language != "none":
            print_new_language(given.new_language, given.data, Path(scratch))
    for count, shares in by_count.items():
        text = f"{mean(shares):.0%} of the head corrections saved ({min(shares):.0%} to {max(shares):.0%})"
        print(f"\n{len(shares)} treebanks, {count} sentences: {text}")


# -- the first table


def print_savings(
    treebank: str, train: Sequence[Sentence], dev: Sequence[Sentence], given: argparse.Namespace
) -> Iterator[tuple[int, float]]:
    """Print corrections with and without completion; yield the share of head corrections saved by training size."""
    if not given.trained_on:
        return
    print(f"\n{treebank}: corrections of heads + relations in {min(COMPLETED, len(dev))} sentences")
    print(f"{'trained on':>10} {'UAS':>6} {'parse':>12} {'complete':>12} {'heads saved':>12} {'all saved':>10}")
    for count in given.trained_on:
        parser = Parser.train(train[:count], options=options_of(given))
        once, again = Work(), Work()
        some = dev[:COMPLETED]
        for gold in some:
            annotate(parser, Task.of(gold), once, is_completed=False)
            annotate(parser, Task.of(gold), again)
        uas = attachment(some, list(parser.parse(some, confidence=False))).uas
        saved = 1 - again.heads / max(once.heads, 1)
        all_saved = 1 - (again.heads + again.labels) / max(once.heads + once.labels, 1)
        cells = f"{once.heads} + {once.labels}", f"{again.heads} + {again.labels}"
        print(f"{count:10} {uas:6.1f} {cells[0]:>12} {cells[1]:>12} {saved:12.0%} {all_saved:10.0%}", flush=True)
        yield count, saved


def annotate(parser: Parser, task: Task, work: Work, *, is_completed: bool = True) -> None:
    """Look at every word that is not decided, from left to right."""
    shown = completed(parser, task)
    for place in range(len(task.gold)):
        if not task.decided[place]:
            shown = task.look(parser, place, shown, work, is_completed)


def completed(parser: Parser, task: Task) -> Completion:
    [found] = parser.complete([task.partial()])
    return found


# -- the third table


def print_new_language(treebank: str, data: Path, scratch: Path) -> None:
    """Print the corrections a sentence before and after the training of a project without a model."""
    gold = list(islice(read(data / treebank / "train.conllu", check="tree"), 2 * ANNOTATED))
    write([with_some_heads(sentence, [False] * len(sentence)) for sentence in gold], scratch / "new.conllu")
    half = len(gold) // 2
    with Project.create(scratch / "project", [scratch / "new.conllu"]) as project:
        before = [corrections(project, number, gold[number - 1]) for number in range(1, half + 1)]
        begin = time.monotonic()
        job = project.models.train()
        while project.models.job(job).state == "running":
            time.sleep(0.2)
        seconds, result = time.monotonic() - begin, project.models.job(job)
        if result.state == "failed":
            raise SystemExit(f"the training failed: {result.message}")
        project.adopt(result.model)
        after = [corrections(project, number, gold[number - 1]) for number in range(half + 1, len(gold) + 1)]
    print(f"\n{treebank}: a project without a model; Train took {seconds:.0f} s; held out: {result.message}")
    print(f"{'sentences':>12} {'corrections a sentence':>24}")
    for place, counts in ((f"1 to {half}", before), (f"{half + 1} to {len(gold)}", after)):
        print(f"{place:>12} {mean(counts):24.1f}")
    print(f"{1 - mean(after) / mean(before):.0%} fewer", flush=True)


def corrections(project: Project, number: int, gold: Sentence) -> int:
    """Correct a sentence of a project from left to right and accept it; return the number of decisions."""
    person, count = project.people.manager, 0
    state = project.editor.state(number, person)
    for word, (head, deprel) in enumerate(zip(gold.heads.tolist(), gold.deprels, strict=True), 1):
        for kind, value in (("head", head), ("deprel", deprel)):
            shown = state.heads[word - 1] if kind == "head" else state.sentence.deprels[word - 1]
            if shown != value:
                count += 1
                op = {"kind": kind, "word": word, kind: value}
                op_id = f"{number}-{word}-{kind}"
                state = project.editor.apply(number, person, person, op_id, state.revision, [op], cursor=word).state
    project.editor.change("accept", number, person, person, f"{number}-accept")
    return count


# -- the second table


def print_loops(treebank: str, train: Sequence[Sentence], dev: Sequence[Sentence], given: argparse.Namespace) -> None:
    """Looks and corrections of each order at the targets."""
    curves = list(curves_of(train, dev, given))
    if not curves:
        return
    print(f"\n{treebank}: looks, head + relation corrections; difference of looks and of corrections from random order")
    base = {curve.seed: curve for curve in curves if curve.order == "random"}
    targets = [place for place in TARGETS if all(place < len(curve.points) for curve in base.values())]
    headings = [f"LAS of random, {base[given.seeds[0]].points[place][0]:,.0f} looks" for place in targets]
    print(f"{'order':18}" + "".join(f" {heading:>44}" for heading in headings))
    for order in given.orders:
        cells = [cell_of([c for c in curves if c.order == order], base, place) for place in targets]
        print(f"{order:18}" + "".join(f" {cell:>44}" for cell in cells), flush=True)


def cell_of(own: Sequence[Curve], base: Mapping[int, Curve], place: int) -> str:
    """The means over the seeds of the work for the LAS of a point of the random order."""
    found = [point for curve in own if (point := curve.at(base[curve.seed].points[place][3]))]
    if len(found) < len(own):
        return f"not reached by {len(own) - len(found)} of {len(own)}"
    looks, heads, labels = (mean(getattr(point, name) for point in found) for name in ("looks", "heads", "labels"))
    text = f"{looks:,.0f} looks, {heads:,.0f} + {labels:,.0f}"
    if own[0].order == "random":
        return text
    before = [base[curve.seed].points[place] for curve in own]
    of_looks = looks / mean(point[0] for point in before) - 1
    of_work = (heads + labels) / mean(point[1] + point[2] for point in before) - 1
    return f"{text} ({of_looks:+.0%}, {of_work:+.0%})"


def curves_of(train: Sequence[Sentence], dev: Sequence[Sentence], given: argparse.Namespace) -> Iterator[Curve]:
    """Yield every order with every seed."""
    for seed in given.seeds:
        pool = pool_of(train, seed, given.pool)
        for order in given.orders:
            yield Curve(order, seed, list(loop(pool, dev, order, options_of(given, seed), given.looks)))


def pool_of(train: Sequence[Sentence], seed: int, words: int) -> list[Sentence]:
    """Sentences in random order, up to so many words."""
    shuffled = list(train)
    Random(seed).shuffle(shuffled)
    pool: list[Sentence] = []
    total = 0
    for sentence in shuffled:
        if total >= words:
            break
        pool.append(sentence)
        total += len(sentence)
    return pool


def options_of(given: argparse.Namespace, seed: int = 1) -> ParserOptions:
    scoring = Scoring() if given.epochs is None else Scoring(epochs=given.epochs, restarts=1)
    return ParserOptions(given.model, seed=seed, scoring=scoring)


def trained(sentences: Sequence[Sentence], options: ParserOptions) -> Parser:
    """A parser on annotated sentences, every tenth of which is held out."""
    some = [sentence for sentence in sentences if (sentence.heads >= 0).any()]
    held_out = some[HELD_OUT - 1 :: HELD_OUT]
    rest = [sentence for place, sentence in enumerate(some) if place % HELD_OUT != HELD_OUT - 1]
    return Parser.train(rest, held_out, options=options)


def loop(
    pool: Sequence[Sentence], dev: Sequence[Sentence], order: str, options: ParserOptions, looks: int
) -> Iterator[list[float]]:
    """Annotate, train, test, until the pool or the number of looks is used up."""
    tasks, work = [Task.of(sentence) for sentence in pool], Work()
    for task in tasks:  # from scratch: every cell is a correction
        if work.looks >= BATCH:
            break
        task.decided = [True] * len(task.gold)
        work = Work(*(count + len(task.gold) for count in (work.looks, work.heads, work.labels)))
    while True:
        parser = trained([task.partial() for task in tasks], options)
        yield [work.looks, work.heads, work.labels, attachment(dev, list(parser.parse(dev, confidence=False))).las]
        before = work.looks
        if before >= looks:
            return
        STRATEGIES[order](parser, [task for task in tasks if not task.is_done], work, order)
        if work.looks == before:
            return


def whole_sentences(parser: Parser, tasks: Sequence[Task], work: Work, order: str) -> None:
    """Whole sentences, in the order of the pool or by one of ORDERS."""
    limit = work.looks + BATCH
    if order in ORDERS:
        values = [ORDERS[order](completed(parser, task)) for task in tasks]
        tasks = [tasks[place] for place in np.argsort(-np.array(values), kind="stable").tolist()]
    for task in tasks:
        if work.looks >= limit:
            return
        annotate(parser, task, work)


def doubtful_words(parser: Parser, tasks: Sequence[Task], work: Work, order: str) -> None:
    """In each sentence the word of lowest confidence, until none is doubtful; a sentence is visited once a training."""
    limit = work.looks + BATCH
    for task in tasks:
        if work.looks >= limit:
            return
        while not task.is_done:
            found = completed(parser, task)
            confidence = np.where(task.decided, 2.0, found.arc_confidence)
            place = int(confidence.argmin())
            if confidence[place] >= DOUBTFUL:
                break
            task.look(parser, place, found, work)


def words_of_the_pool(parser: Parser, tasks: Sequence[Task], work: Work, order: str) -> None:
    """The words of lowest confidence; trees are completed after each decision, the order stays."""
    shown = [completed(parser, task) for task in tasks]
    ranked = sorted(
        (float(confidence), number, place)
        for number, (task, found) in enumerate(zip(tasks, shown, strict=True))
        for place, confidence in enumerate(found.arc_confidence.tolist())
        if not task.decided[place]
    )
    for _, number, place in ranked[:BATCH]:
        shown[number] = tasks[number].look(parser, place, shown[number], work)


Strategy = Callable[[Parser, Sequence[Task], Work, str], None]
STRATEGIES: dict[str, Strategy] = {
    "random": whole_sentences,
    "doubtful": doubtful_words,
    "words": words_of_the_pool,
    **dict.fromkeys(ORDERS, whole_sentences),
}

if __name__ == "__main__":
    main()
