"""Accuracy and speed of the parsers, compared with the parser of UDPipe 1.

All are trained in this run on the first N sentences of `train` (epochs chosen on `dev`), and parse `test` with gold
tokens, tags, features and lemmas. UAS and LAS count every word, punctuation and relation subtypes included. CPU seconds
of one thread; words per second without loading the model. With several seeds a row is their mean, and a second one
their range. The parser of UDPipe uses its default options; --udpipe-iterations 0 leaves it out. Without DATA a
generated treebank shows that the benchmark runs.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from udpipe_peer import udpipe, udpipe_sentences

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Result:
    """One parser's figures."""

    name: str
    uas: float
    las: float
    words_a_second: float
    training: float
    certified: float | None = None


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebank", default="ud/English-EWT")
    arguments.add_argument("--sentences", type=int, default=4000)
    arguments.add_argument("--models", nargs="*", default=["arc", "sib", "grand", "tensor", "third", "full"])
    arguments.add_argument("--seeds", type=int, nargs="*", default=[1])
    arguments.add_argument("--udpipe-iterations", type=int, default=10)
    given = common.parse(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        files = files_of(given.data, given.treebank, Path(scratch), given.sentences)
        print(f"{'':24} {'UAS':>6} {'LAS':>6} {'words/s':>9} {'training s':>11} {'certified':>10}")
        ours = {}
        for model in given.models:
            runs = [run_ours(model, seed, files) for seed in given.seeds]
            ours[model] = mean_of(runs)
            show(ours[model])
            if len(runs) > 1:
                uas, las = [one.uas for one in runs], [one.las for one in runs]
                print(f"    {len(runs)} seeds: {min(uas):.2f} to {max(uas):.2f}, {min(las):.2f} to {max(las):.2f}")
        if given.udpipe_iterations:
            theirs = run_udpipe(files, given.udpipe_iterations if given.data else 1)
            show(theirs)
            for model, result in ours.items():
                print(
                    f"UDPipe 1 beside {model}: LAS {theirs.las - result.las:+.2f}, "
                    f"{theirs.training / result.training:.1f} times as long to train"
                )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process, all parsers in turn: {peak:.0f} MB")


def show(result: Result) -> None:
    certified = "" if result.certified is None else f"{result.certified:.1f} %"
    print(
        f"{result.name:24} {result.uas:6.2f} {result.las:6.2f} {result.words_a_second:9.0f} {result.training:11.1f} "
        f"{certified:>10}",
        flush=True,
    )


def files_of(folder: Path | None, treebank: str, scratch: Path, sentences: int) -> dict[str, Path]:
    files = {split: scratch / f"{split}.conllu" for split in SPLITS}
    for seed, (split, path) in enumerate(files.items()):
        if folder is None:
            tw.write(common.three_words(150 if split == "train" else 50, seed), path)
        else:
            source = tw.read(folder / treebank / f"{split}.conllu")
            tw.write(islice(source, sentences) if split == "train" else source, path)
    return files


def mean_of(runs: Sequence[Result]) -> Result:
    certified = [one.certified for one in runs if one.certified is not None]
    return Result(
        runs[0].name,
        uas=mean(one.uas for one in runs),
        las=mean(one.las for one in runs),
        words_a_second=mean(one.words_a_second for one in runs),
        training=mean(one.training for one in runs),
        certified=mean(certified) if certified else None,
    )


def run_ours(model: str, seed: int, files: dict[str, Path]) -> Result:
    start = time.process_time()
    parser = tw.Parser.train(files["train"], dev=files["dev"], model=model, seed=seed)
    training = time.process_time() - start
    gold = list(tw.read(files["test"]))
    blind = list(tw.read(files["test"]))
    start = time.process_time()
    found = list(parser.parse(blind))
    seconds = time.process_time() - start
    scores = tw.evaluate.evaluate(gold, found)
    certified = 100 * sum(sentence.parse.certified for sentence in found) / len(found)
    words = sum(map(len, gold))
    kind = "projective" if parser.model.projective else "crossing"
    uas, las = 100 * scores["UAS"].f1, 100 * scores["LAS+"].f1
    return Result(f"Treewright {model}, {kind}", uas, las, words / seconds, training, certified)


def run_udpipe(files: dict[str, Path], iterations: int) -> Result:
    start, error = time.process_time(), udpipe.ProcessingError()
    trained = udpipe.Trainer.train(
        *("morphodita_parsito", udpipe_sentences(files["train"]), udpipe_sentences(files["dev"])),
        *("none", "none", f"iterations={iterations}", error),
    )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    training = time.process_time() - start
    with tempfile.NamedTemporaryFile() as file:
        file.write(trained)
        file.flush()
        model = udpipe.Model.load(file.name)
    test = list(udpipe_sentences(files["test"]))  # each a copy of its own: heads set in passing would be lost
    for sentence in test:
        for number in range(1, sentence.words.size()):
            sentence.words[number].head, sentence.words[number].deprel = -1, ""
    start = time.process_time()
    for sentence in test:
        if not model.parse(sentence, model.DEFAULT, error):
            raise SystemExit(f"UDPipe: {error.message}")
    seconds = time.process_time() - start
    gold = list(tw.read(files["test"]))
    words = sum(map(len, gold))
    heads = relations = 0
    for ours, theirs in zip(gold, test, strict=True):
        for number, head, relation in zip(range(1, len(ours) + 1), ours.heads.tolist(), ours.deprels, strict=True):
            word = theirs.words[number]
            heads += word.head == head
            relations += word.head == head and word.deprel == relation
    return Result("UDPipe 1 parser", 100 * heads / words, 100 * relations / words, words / seconds, training)


if __name__ == "__main__":
    main()
