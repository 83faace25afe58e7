"""What the benchmarks share: their command line, the line about the machine, CPU time, generated sentences."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import treewright as tw

T = TypeVar("T")
TEN_WORDS = (
    "The old bridge creaked all night while we slept there .",
    "She reads two long books every week in the garden .",
    "They never answered the last letter that I sent them .",
    "Nobody saw the fox that crossed the field this morning .",
)  # words of English, with blanks between tokens


def arguments(
    doc: str | None, *, treebanks: Sequence[str] = (), model: str | None = None, errors: str | None = None
) -> argparse.ArgumentParser:
    """Return the command line of a benchmark: DATA, a folder of treebanks, and the docstring as its help.

    treebanks: the default of --treebanks, by their paths in DATA, as in ud/English-EWT. model: the default of --model.
    errors: what --errors prints. Benchmarks without these have no such option.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", metavar="DATA", help="a folder with ud/English-EWT and others")
    if treebanks:
        parser.add_argument("--treebanks", nargs="*", default=treebanks, help="their paths in DATA")
    if model:
        parser.add_argument("--model", default=model)
    if errors:
        parser.add_argument("--errors", action="store_true", help=f"print {errors}")
    return parser


def parse(parser: argparse.ArgumentParser, needs: str | None = None) -> argparse.Namespace:
    """Parse the arguments and print the machine; without DATA, end if the benchmark needs some file in it."""
    given = parser.parse_args()
    if needs and given.data is None:
        print(f"{Path(sys.argv[0]).stem} needs DATA, a folder with {needs}")
        raise SystemExit(0)
    print_machine()
    return given


def print_machine() -> None:
    """Print the processor and the versions."""
    print(f"{platform.machine()}, Python {platform.python_version()}, treewright {tw.__version__}", flush=True)


class Missing:
    """Stand for a package that is not installed; its first use ends the benchmark, which is no failure."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, _: str) -> Any:
        print(f"{self.name} is not installed; pip install 'treewright[bench]', or as the benchmark says")
        raise SystemExit(0)


def peer(name: str) -> Any:
    """Import a package that Treewright is compared with, if it is installed."""
    try:
        return import_module(name)
    except ImportError:
        return Missing(name)


def cpu_seconds(call: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a call and its CPU time."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def fastest(call: Callable[[], T], repeats: int = 3) -> tuple[T, float]:
    """Return the last result of several calls and the lowest CPU time."""
    results = [cpu_seconds(call) for _ in range(repeats)]
    return results[-1][0], min(seconds for _, seconds in results)


def first_sentences(path: Path, count: int) -> list[tw.Sentence]:
    """Return the first sentences of a treebank; 0: all."""
    return list(islice(tw.read(path), count or None))


def with_some_tree(sentence: tw.Sentence) -> tw.Sentence:
    """The sentence with an arbitrary tree: the evaluation of tokens needs valid trees."""
    rest = len(sentence) - 1
    return sentence.with_columns(heads=[0] + [1] * rest, deprels=["root"] + ["dep"] * rest)


def suffix_language(sentences: int, seed: int) -> Iterator[tw.Sentence]:
    """Generate sentences of words whose suffix determines their tag, each word the head of the next one."""
    random = Random(seed)
    endings = {"NOUN": "os", "VERB": "ed", "ADJ": "ish"}
    for _ in range(sentences):
        stems = ["".join(random.choices("abcdefghij", k=4)) for _ in range(random.randint(3, 9))]
        tags = [random.choice(list(endings)) for _ in stems]
        forms = [stem + endings[tag] for stem, tag in zip(stems, tags, strict=True)]
        yield tw.Sentence.from_words(forms, upos=tags, xpos=tags, lemmas=stems, heads=range(len(forms)))


def three_words(sentences: int, seed: int) -> Iterator[tw.Sentence]:
    """Generate sentences of a determiner, a noun and a verb."""
    random = Random(seed)
    tags, relations = ["DET", "NOUN", "VERB"], ["det", "nsubj", "root"]
    for _ in range(sentences):
        forms = [random.choice(words) for words in (["the", "a"], ["dog", "cat", "bird"], ["barks", "sleeps"])]
        yield tw.Sentence.from_words(forms, upos=tags, heads=[2, 3, 0], deprels=relations)
