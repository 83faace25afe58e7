"""What a network adds: tags and trees of the linear models, and of their sum with a network.

For each treebank and seed a pipeline is trained with a network (PyTorch is needed), and parses the gold words of `test`
without their tags, with --raw also its raw text: with the network, and by its linear models alone, which are those of a
training without a network. Columns: UPOS, UAS and LAS as the official script
counts them, CPU minutes of training, words parsed in a CPU second, MB of the model file. --words: vectors and classes
made by `treewright words`, for treebanks of that language. --gold-tags: parsers alone, on gold tags. --keep:
checkpoints are written to this folder, and a training that was interrupted continues from them; its minutes are those
since then.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import treewright as tw
from treewright.evaluate import evaluate
from treewright.network import NetworkOptions
from treewright.parser import ParserOptions
from treewright.pipeline.parsers import plan_parser
from treewright.tokeniser.tokeniser import text_and_ends
from treewright.words import Words

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

SETS = ("Hungarian-Szeged", "Portuguese-Bosque", "Turkish-IMST", "Irish-IDT", "Vietnamese-VTB")
HEADER = (
    f"{'treebank':20} {'seed':>4} {'model':8} {'text':5} {'UPOS':>6} {'UAS':>6} {'LAS':>6} {'min':>6} {'words/s':>8}"
)


class Row(NamedTuple):
    """The figures of one model."""

    upos: float
    uas: float
    las: float


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--sets", nargs="+", default=SETS)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    arguments.add_argument("--sentences", type=int, help="train on the first N sentences only")
    arguments.add_argument("--epochs", type=int, help="of the network (default: by the size of the treebank)")
    arguments.add_argument("--part", choices=("dev", "test"), default="test")
    arguments.add_argument("--words", type=Path)
    arguments.add_argument("--raw", action="store_true")
    arguments.add_argument("--gold-tags", action="store_true")
    arguments.add_argument("--keep", type=Path)
    given = common.parse(arguments, needs="ud/English-EWT and others")
    words = None if given.words is None else Words.load(given.words)
    print(HEADER, flush=True)
    found: dict[tuple[str, str], list[Row]] = {}
    for name in given.sets:
        folder = given.data / "ud" / name
        train = list(islice(tw.read(folder / "train.conllu"), given.sentences))
        dev, gold = (list(tw.read(folder / f"{part}.conllu")) for part in ("dev", given.part))
        for seed in given.seeds:
            train_one = train_parser if given.gold_tags else train_pipeline
            keep = None if given.keep is None else given.keep / f"{name}-{len(train)}-{seed}"
            network = NetworkOptions(epochs=given.epochs, seed=seed)
            rows = train_one(train, dev, gold, network, words, given.raw, keep)
            for (kind, text), (row, minutes, speed) in rows.items():
                found.setdefault((kind, text), []).append(row)
                print(line(name, str(seed), kind, text, row, f"{minutes:6.1f} {speed:8.0f}"), flush=True)
    for (kind, text), all_rows in found.items():
        print(line("mean", "", kind, text, Row(*map(mean, zip(*all_rows, strict=True))), ""))


def line(name: str, seed: str, kind: str, text: str, row: Row, rest: str) -> str:
    """A line of the table."""
    return f"{name:20} {seed:>4} {kind:8} {text:5} {row.upos:6.2f} {row.uas:6.2f} {row.las:6.2f} {rest}"


Rows = dict[tuple[str, str], tuple[Row, float, float]]


def train_pipeline(
    train: Sequence[tw.Sentence],
    dev: Sequence[tw.Sentence],
    gold: Sequence[tw.Sentence],
    network: NetworkOptions,
    words: Words | None,
    raw: bool,
    keep: Path | None,
) -> Rows:
    """A pipeline, and its figures with and without its network, from gold words and from raw text."""
    begin = time.process_time()
    nlp = tw.Pipeline.train(
        *(train, dev),
        seed=network.seed,
        network=network,
        words=words,
        note=print,
        checkpoint=keep,
        resume=keep is not None,
    )
    minutes = (time.process_time() - begin) / 60
    nlp = stored(nlp)
    text = text_and_ends(gold)[0]
    bare = [without_annotation(sentence) for sentence in gold]
    rows: Rows = {}
    for kind, model in (("linear", nlp.without_network()), ("network", nlp)):
        row, speed = measured(gold, partial(model.parse, bare))
        rows[kind, "words"] = (row, minutes, speed)
        if raw:
            row, speed = measured(gold, partial(model, text))
            rows[kind, "raw"] = (row, minutes, speed)
    return rows


def train_parser(
    train: Sequence[tw.Sentence],
    dev: Sequence[tw.Sentence],
    gold: Sequence[tw.Sentence],
    network: NetworkOptions,
    words: Words | None,
    raw: bool,
    keep: Path | None,
) -> Rows:
    """A parser alone, on gold tags."""
    begin = time.process_time()
    plan = plan_parser(train, dev, ParserOptions(seed=network.seed), network=network, words=words)
    parser = plan.run(checkpoint=keep, resume=keep is not None)
    minutes = (time.process_time() - begin) / 60
    rows: Rows = {}
    for kind, model in (("linear", parser.without_network()), ("network", parser)):
        row, speed = measured(gold, partial(model.parse, gold))
        rows[kind, "tags"] = (row, minutes, speed)
    return rows


def without_annotation(sentence: tw.Sentence) -> tw.Sentence:
    """A copy with forms and multiword tokens alone."""
    nothing = ["_"] * len(sentence)
    columns = dict.fromkeys(("lemmas", "upos", "xpos", "feats", "deprels", "deps"), nothing)
    return sentence.with_columns(heads=[-1] * len(sentence), **columns)


def stored(nlp: tw.Pipeline) -> tw.Pipeline:
    """The pipeline as its file has it."""
    with tempfile.TemporaryDirectory() as folder:
        nlp.save(Path(folder) / "model.tw", pack=False)
        return tw.Pipeline.load(Path(folder) / "model.tw")


def measured(gold: Sequence[tw.Sentence], parse: Callable[[], Iterable[tw.Sentence]]) -> tuple[Row, float]:
    """The figures of parsed sentences, and the words parsed in a CPU second."""
    begin = time.process_time()
    found = list(parse())
    speed = sum(map(len, gold)) / (time.process_time() - begin)
    scores = evaluate(gold, found).scores
    return Row(*(100 * scores[name].f1 for name in ("UPOS", "UAS", "LAS"))), speed


if __name__ == "__main__":
    main()
