"""Accuracy and speed of the tokeniser, compared with the tokeniser of UDPipe 1.

Both are trained on the first N sentences of the treebank's `train` (0: all) and split the raw text of its `test`
(tokens joined according to SpaceAfter, a blank line before documents and paragraphs). F1 as in the official script;
characters per second of CPU time. Seen and unseen: the share of the multiword tokens with the right words, by whether
the training data has a token of that form; the tokens counted are the ones that were found.

The network of UDPipe trains slowly: --epochs and --batch are its options of that name (its defaults are 100 and 50; the
defaults here are 20 and 10, the same number of steps in a fifth of the time). --keep stores its model in a folder and
reuses it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import treewright as tw
from treewright.corpus.offsets import surface_tokens
from treewright.evaluate import evaluate
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from udpipe_peer import train_udpipe, udpipe

FIGURES = ("Tokens", "Words", "Sentences")
Tokenise = Callable[[str], list[tw.Sentence]]


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--treebank", default="ud/English-EWT")
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--alone", action="store_true", help="without UDPipe")
    given = common.parse(parser, needs="ud/English-EWT")
    bank = given.data / given.treebank
    gold = list(tw.read(bank / f"{given.part}.conllu"))
    text, _ = text_and_ends(gold)
    print(f"{bank.name}, {given.sentences or 'all'} training sentences, {len(text)} characters of text")
    heads = f"{'Tokens':>8} {'Words':>8} {'Sentences':>10} {'seen':>7} {'unseen':>7} {'characters/s':>13}"
    print(f"{'':20} {heads}")
    with tempfile.TemporaryDirectory() as scratch:
        train = Path(scratch) / "train.conllu"
        tw.write(islice(tw.read(bank / "train.conllu"), given.sentences or None), train)
        kept = (given.keep or Path(scratch)) / f"{bank.name}.{given.sentences}.{given.epochs}.{given.batch}.cut.udpipe"
        systems: dict[str, Tokenise] = {
            "Treewright, rules": tw.tokeniser.Tokeniser(),
            "Treewright, learned": tw.tokeniser.Tokeniser.train(train),
        }
        if not given.alone:
            systems["UDPipe 1"] = udpipe_tokeniser(train, f"epochs={given.epochs};batch_size={given.batch}", kept)
        known = {token.form for sentence in tw.read(train) for token in surface_tokens(sentence)}
        for name, tokenise in systems.items():
            print_row(name, tokenise, text, gold, known)


def udpipe_tokeniser(train: Path, options: str, kept: Path) -> Tokenise:
    if not kept.exists():
        kept.write_bytes(train_udpipe(train, options, "none"))
    model = udpipe.Model.load(str(kept))

    def tokenise(text: str) -> list[tw.Sentence]:  # the closure keeps a reference to the model; a Pipeline has none
        pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.NONE, udpipe.Pipeline.NONE, "conllu")
        return [tw.Sentence(f"{block}\n\n") for block in pipeline.process(text).strip().split("\n\n")]

    return tokenise


def print_row(name: str, tokenise: Tokenise, text: str, gold: list[tw.Sentence], known: set[str]) -> None:
    begin = time.process_time()
    found = tokenise(text)
    seconds = time.process_time() - begin
    scores = evaluate(gold, [common.with_some_tree(sentence) for sentence in found]).scores
    tokens, words, sentences = (100 * scores[figure].f1 for figure in FIGURES)
    seen, unseen = multiword_shares(gold, found, known)
    figures = f"{tokens:8.2f} {words:8.2f} {sentences:10.2f} {seen:>7} {unseen:>7} {len(text) / seconds:13.0f}"
    print(f"{name:20} {figures}", flush=True)


def multiword_shares(gold: list[tw.Sentence], found: list[tw.Sentence], known: set[str]) -> tuple[str, str]:
    """The per cent of multiword tokens with the right words: of forms in `known`, and of others."""
    words_of = words_by_place(found)
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for place, words in words_by_place(gold).items():
        if len(words) > 1 and place in words_of:
            is_known = place[1] in known
            total[is_known] += 1
            right[is_known] += words == words_of[place]
    seen, unseen = (f"{100 * right[key] / total[key]:.1f}" if total[key] else "-" for key in (True, False))
    return seen, unseen


def words_by_place(sentences: list[tw.Sentence]) -> dict[tuple[int, str], list[str]]:
    """The words of each token, by the number of visible characters before it and its form."""
    words: dict[tuple[int, str], list[str]] = {}
    at = 0
    for sentence in sentences:
        for token in surface_tokens(sentence):
            words[at, token.form] = sentence.forms[token.first - 1 : token.last]
            at += len("".join(token.form.split()))
    return words


if __name__ == "__main__":
    main()
