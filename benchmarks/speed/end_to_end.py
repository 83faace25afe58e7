"""Accuracy and speed of parsing from raw text, compared with UDPipe 1.

A whole pipeline of each is trained in this run, on the first N sentences of the treebank's `train` (epochs chosen on
`dev`), and parses the raw text of `test`: tokens joined according to SpaceAfter, a blank line before documents and
paragraphs. F1 as in the official script; words per second of CPU time on one thread, from text to trees, the best of
three runs. UDPipe is trained with its default options; --quick reduces its epochs, only to check that the benchmark
runs. --embedded adds the embedded model, which was trained on all of `train`, with its network and without. --spacy
compares the embedded model alone with spaCy in the sizes of en_core_web_sm, trained briefly, in alternating runs (it
needs spaCy; one thread: OMP_NUM_THREADS=1). --threads prints the words per second of the clock of the embedded model
with one thread, with two threads, and of two processes with one thread each, which are what two cores of the machine
can do (an idle machine is needed). Nothing is stored between runs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import treewright as tw
from treewright.evaluate import evaluate
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
from train_embedded import FIGURES, THOROUGH

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from udpipe_peer import udpipe, udpipe_sentences

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Barrier

Parse = Callable[[str], list[tw.Sentence]]
# Options of UDPipe for tokeniser, tagger and parser: its defaults, and the shortest training.
DEFAULT = ("", "", "")
QUICK = ("epochs=5", "iterations=2", "iterations=1")
REPEATS = 3  # of which the fastest counts


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebank", default="English-EWT")
    arguments.add_argument("--sentences", type=int, default=500)
    arguments.add_argument("--embedded", action="store_true")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--spacy", action="store_true")
    arguments.add_argument("--threads", action="store_true")
    given = common.parse(arguments, needs="ud/English-EWT")
    bank = given.data / "ud" / given.treebank
    train = list(islice(tw.read(bank / "train.conllu"), given.sentences))
    dev, gold = list(tw.read(bank / "dev.conllu")), list(tw.read(bank / "test.conllu"))
    text, _ = text_and_ends(gold)
    print(f"{given.treebank}, {len(train)} sentences to learn from, {len(text)} characters to parse")
    if given.threads:
        compare_threads(text)
        return
    print(f"{'':20} " + " ".join(f"{name:>9}" for name in FIGURES) + f" {'words/s':>8} {'training s':>10}", flush=True)
    if given.embedded:
        show("Treewright embedded", tw.load("en"), 0.0, text, gold)
        show("embedded, --fast", tw.load("en").without_network(), 0.0, text, gold)
    if given.spacy:
        alternate(train, text)
        return
    start = time.process_time()
    ours = tw.Pipeline.train(train, dev, options=THOROUGH, folds=4)
    our_las, our_speed = show("Treewright", ours, time.process_time() - start, text, gold)
    start = time.process_time()
    theirs = udpipe_pipeline(train, dev, QUICK if given.quick else DEFAULT)
    their_las, their_speed = show("UDPipe 1", theirs, time.process_time() - start, text, gold)
    print(f"Treewright: {our_las - their_las:+.2f} points of LAS, {our_speed / their_speed:.2f} times as fast")


def compare_threads(text: str) -> None:
    """Print the words per second of one thread, of two, and of two processes: the best of alternating runs."""
    context = get_context("spawn")
    start, speeds = context.Barrier(3), context.SimpleQueue()
    for fast in (False, True):
        processes = [context.Process(target=parse_at_start, args=(text, fast, start, speeds)) for _ in range(2)]
        for process in processes:
            process.start()
        nlp = load_warm(text, fast)
        best = dict.fromkeys(("one thread", "two threads", "two processes"), 0.0)
        for _ in range(REPEATS):
            for threads, name in ((1, "one thread"), (2, "two threads")):
                best[name] = max(best[name], clock_speed(nlp, text, threads))
            start.wait()  # both processes begin
            best["two processes"] = max(best["two processes"], speeds.get() + speeds.get())
        for process in processes:
            process.join()
        print(f"embedded{', --fast' if fast else ''}")
        for name, speed in best.items():
            print(f"  {name:14} {speed:8.0f} words/s  {speed / best['one thread']:5.2f}")


def parse_at_start(text: str, fast: bool, start: Barrier, speeds: SimpleQueue[float]) -> None:
    """Parse the text once at each start, and send the words per second."""
    nlp = load_warm(text, fast)
    for _ in range(REPEATS):
        start.wait()
        speeds.put(clock_speed(nlp, text, 1))


def load_warm(text: str, fast: bool) -> tw.Pipeline:
    """Load the embedded model, and parse the text once."""
    nlp = tw.load("en").without_network() if fast else tw.load("en")
    nlp(text)
    return nlp


def clock_speed(nlp: tw.Pipeline, text: str, threads: int) -> float:
    """Return the words per second of the clock."""
    start = time.perf_counter()
    document = nlp(text, threads=threads)
    return sum(map(len, document)) / (time.perf_counter() - start)


def alternate(train: Sequence[tw.Sentence], text: str) -> None:
    """Print the words of each system per second of CPU time, from text to trees: the best of alternating runs."""
    from spacy_peer import spacy_pipeline  # needs spaCy

    whole = tw.load("en")
    linear = whole.without_network()
    systems: dict[str, Callable[[str], int]] = {
        "Treewright embedded": lambda text: sum(map(len, whole(text))),
        "embedded, --fast": lambda text: sum(map(len, linear(text))),
        "spaCy, sizes of sm": spacy_pipeline(train),
    }
    speeds: dict[str, float] = dict.fromkeys(systems, 0.0)
    for _ in range(REPEATS):
        for name, parse in systems.items():
            start = time.process_time()
            words = parse(text)
            speeds[name] = max(speeds[name], words / (time.process_time() - start))
    for name, speed in speeds.items():
        print(f"{name:20} {speed:8.0f} words/s")


def udpipe_pipeline(train: Sequence[tw.Sentence], dev: Sequence[tw.Sentence], options: tuple[str, str, str]) -> Parse:
    error = udpipe.ProcessingError()
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / name for name in ("train", "dev", "model")]
        tw.write(train, files[0])
        tw.write(dev, files[1])
        both = [udpipe_sentences(file) for file in files[:2]]
        trained = udpipe.Trainer.train("morphodita_parsito", *both, *options, error)
        if error.occurred():
            raise SystemExit(f"UDPipe: {error.message}")
        files[2].write_bytes(trained)
        model = udpipe.Model.load(str(files[2]))
    pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")

    # The default argument keeps the model alive, which its pipeline does not.
    def parse(text: str, _model: Any = model) -> list[tw.Sentence]:
        return [tw.Sentence(f"{block}\n\n") for block in pipeline.process(text).strip().split("\n\n")]

    return parse


def show(name: str, parse: Parse, training: float, text: str, gold: Sequence[tw.Sentence]) -> tuple[float, float]:
    """Print a system's row; its LAS and its speed."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        found = parse(text)
        seconds.append(time.process_time() - start)
    speed = sum(map(len, found)) / min(seconds)
    scores = evaluate(gold, found).scores
    figures = " ".join(f"{100 * scores[figure].f1:9.2f}" for figure in FIGURES)
    print(f"{name:20} {figures} {speed:8.0f} {training:10.0f}", flush=True)
    return 100 * scores["LAS"].f1, speed


if __name__ == "__main__":
    main()
