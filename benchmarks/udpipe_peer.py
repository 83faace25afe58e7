"""UDPipe 1, as a peer of the benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common import peer

udpipe = peer("ufal.udpipe")


def train_udpipe(train: Path, tokeniser: str, tagger: str, parser: str = "none", dev: Path | None = None) -> bytes:
    """Train a model of UDPipe 1 and return its bytes; "none" leaves a part out. Its progress goes to standard error."""
    error = udpipe.ProcessingError()
    held_out = udpipe.Sentences() if dev is None else udpipe_sentences(dev)
    trained = udpipe.Trainer.train(
        *("morphodita_parsito", udpipe_sentences(train), held_out, tokeniser, tagger, parser, error)
    )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    return bytes(trained)


def udpipe_sentences(path: Path) -> Any:
    """Read the sentences of a CoNLL-U file as objects of UDPipe."""
    reader, error, sentences = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(path.read_text(encoding="utf-8"))
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            return sentences
        sentences.append(sentence)
