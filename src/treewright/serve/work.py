"""What is done with the items of requests, and how results are written. Equal work is done together (`Batcher`).

An item is a sentence, or a short text, which is split together with those of other requests: alone, a text of ten words
takes 4 ms, together with 200 others 0.13 ms. The result of an item is a list with what is written for each sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain, islice
from typing import Any, Literal

from treewright import draw
from treewright.corpus import Sentence
from treewright.corpus.confidence import write_confidence
from treewright.corpus.reader import encode_text
from treewright.errors import FormatError, InputError, MissingComponentError, ProofError
from treewright.parser import Parser
from treewright.parser.proofs import proof_record
from treewright.pipeline import Pipeline, read_input
from treewright.pipeline.certificate import check_proof, set_certificate
from treewright.pipeline.reading import BLOCK
from treewright.serve.errors import TEXT, Refusal, place_of
from treewright.serve.limits import Limits
from treewright.serve.models import Model

Item = Sentence | str
Form = Literal["json", "conllu"]
TEXT_KINDS = ("text", "paragraphs", "lines")


@dataclass(frozen=True)
class Work:
    """What is the same for all requests to a model."""

    model: Model = field(compare=False)  # each model has threads of its own
    limits: Limits

    @property
    def together(self) -> bool:
        """Whether several sentences at a time are faster."""
        return False

    def split(self, items: Iterable[Item], max_words: int) -> list[list[Sentence]]:
        """Return the sentences of each item; texts are split together."""
        items = list(items)
        texts = [item for item in items if isinstance(item, str)]
        split = iter(tokenised(self.model).tokeniser.batch(texts) if texts else ())
        groups = [next(split) if isinstance(item, str) else [item] for item in items]
        for sentence in chain.from_iterable(groups):
            check_words(sentence, max_words)
        return groups

    def parse(
        self, sentences: Iterable[Sentence], *, confidence: bool = False, proofs: bool = False
    ) -> Iterator[Sentence]:
        """Parse sentences, with the certificates of their trees in comments; proofs: keep what `verify` checks."""
        options: dict[str, Any] = {"max_seconds": self.limits.sentence_seconds, "confidence": confidence}
        if proofs:
            options["proof"] = True
        if isinstance(self.model, Pipeline):
            options["comment"] = False  # set below, for every kind of model
        for sentence in self.model.parse(sentences, **options):
            set_certificate(sentence, sentence.parse)
            yield sentence


def check_words(sentence: Sentence, max_words: int) -> None:
    """Refuse a sentence that is too long."""
    if len(sentence) > max_words:
        name = f"sentence {sentence.sent_id}" if sentence.sent_id else f"line {sentence.line}"
        where = name if sentence.source == TEXT else sentence.source
        problem = f"a sentence has {len(sentence)} words; at most {max_words} are taken"
        raise Refusal(413, problem, where=where, remedy="split it")


@dataclass(frozen=True)
class Parse(Work):
    """Parse, and write CoNLL-U or JSON."""

    form: Form = "json"
    confidence: bool = True
    proofs: bool = False
    width: int | None = None  # of a drawing in pixels; None for no drawing

    @property
    def together(self) -> bool:
        return not self.proofs

    def __call__(self, items: list[Item]) -> list[list[str]]:
        groups = self.split(items, self.limits.sentence_words)
        sentences = self.parse(chain.from_iterable(groups), confidence=self.confidence, proofs=self.proofs)
        written = map(self._write, sentences)
        return [list(islice(written, len(group))) for group in groups]

    def _write(self, sentence: Sentence) -> str:
        if self.form == "conllu":
            if self.confidence:
                write_confidence(sentence)
            return sentence.written()
        values = sentence.to_dict()
        if self.proofs:
            values["proof"] = proof_record(trained(self.model), sentence, None)
        return as_json(values | drawing(sentence, self.width))


@dataclass(frozen=True)
class KBest(Work):
    """Find the k best trees, and write JSON."""

    k: int = 1
    width: int | None = None

    def __call__(self, items: list[Sentence]) -> list[list[str]]:
        return [[self._trees(sentence)] for [sentence] in self.split(items, self.limits.sentence_words)]

    def _trees(self, sentence: Sentence) -> str:
        parser = trained(self.model)
        tagged = self.model.tag([sentence]) if isinstance(self.model, Pipeline) else [sentence]
        [trees] = parser.kbest(tagged, self.k, max_seconds=self.limits.sentence_seconds)
        values = [
            {"rank": rank, "probability": probability, **tree.to_dict(), **drawing(tree, self.width)}
            for rank, (tree, probability) in enumerate(zip(trees, trees.probabilities, strict=True), start=1)
        ]
        exact = {"exact": trees.exact, "probability_is_exact": trees.is_probability_exact}
        return as_json({"text": sentence.text, **exact, "trees": values})


@dataclass(frozen=True)
class Complete(Work):
    """Fill in what is open, and write CoNLL-U or JSON."""

    form: Form = "json"
    width: int | None = None

    def __call__(self, items: list[Sentence]) -> list[list[str]]:
        return [[self._complete(sentence)] for [sentence] in self.split(items, self.limits.sentence_words)]

    def _complete(self, sentence: Sentence) -> str:
        try:
            model = self.model if isinstance(self.model, Pipeline) else trained(self.model)
            [completion] = model.complete([sentence], max_seconds=self.limits.sentence_seconds)
        except FormatError as error:
            raise Refusal(409, error.problem, where=place_of(error), more={"conflict": error.conflict}) from None
        completed = completion.sentence
        if completion.parse is not None:
            set_certificate(completed, completion.parse)
        if self.form == "conllu":
            return completed.written()
        values = completed.to_dict() | drawing(completed, self.width)
        was_open = {"head": completion.open_heads, "deprel": completion.open_labels}
        for place, word in enumerate(values["words"]):
            word["filled_in"] = [name for name, flags in was_open.items() if flags[place]]
        return as_json(values | {"note": completion.note})


@dataclass(frozen=True)
class WhyNot(Work):
    """Explain what another head of a word costs, or list the best other heads, in JSON."""

    word: int = 1
    head: int | None = None
    width: int | None = None

    def __call__(self, items: list[Sentence]) -> list[list[str]]:
        return [[self._explain(sentence)] for [sentence] in self.split(items, self.limits.asked_words)]

    def _explain(self, sentence: Sentence) -> str:
        trained(self.model)
        assert isinstance(self.model, Pipeline | Parser)
        limit = self.limits.sentence_seconds
        if self.head is None:
            return as_json(self.model.alternatives(sentence, self.word, max_seconds=limit).to_dict())
        answer = self.model.why_not(sentence, head=self.head, modifier=self.word, max_seconds=limit)
        return as_json(answer.to_dict() | {"explanation": str(answer)} | drawing(answer.rival, self.width))


@dataclass(frozen=True)
class Verify(Work):
    """Check proofs of parsed sentences; the result of an item is the gap that is proved, or why it is refused."""

    def __call__(self, items: list[tuple[Sentence, dict[str, Any]]]) -> list[dict[str, Any]]:
        return [self._check(sentence, record) for sentence, record in items]

    def _check(self, sentence: Sentence, record: dict[str, Any]) -> dict[str, Any]:
        check_words(sentence, self.limits.sentence_words)
        try:
            checked = check_proof(trained(self.model), sentence, record)
        except ProofError as error:
            return {"verified": False, "reason": str(error)}
        if checked is None:
            return {"verified": False, "reason": "the sentence was parsed in parts and has no proof"}
        return {"verified": True, "certified": checked[0], "gap": checked[1]}


@dataclass(frozen=True)
class Process(Work):
    """Do what a request to UDPipe's service asks for, and write its output format."""

    tagger: bool = True
    parser: bool = True
    output: str = "conllu"

    @property
    def together(self) -> bool:
        return True

    def __call__(self, items: list[Item]) -> list[list[str]]:
        groups = self.split(items, self.limits.sentence_words)
        sentences: Iterable[Sentence] = chain.from_iterable(groups)
        if self.tagger:
            sentences = self._tag(list(sentences))
        if self.parser:
            sentences = self.parse(sentences)
        written = map(OUTPUTS[self.output], sentences)
        return [list(islice(written, len(group))) for group in groups]

    def _tag(self, sentences: list[Sentence]) -> list[Sentence]:
        """Replace tags and lemmas; sentences without tags are left to the parser, which tags them first."""
        assert isinstance(self.model, Pipeline)
        is_left = [self.parser and set(sentence.upos) <= {"_"} for sentence in sentences]
        others = [sentence for sentence, left in zip(sentences, is_left, strict=True) if not left]
        tagged = self.model.retag(others, confidence=False)
        return [sentence if left else next(tagged) for sentence, left in zip(sentences, is_left, strict=True)]


OUTPUTS = {  # output format of UDPipe's service -> writes a sentence; a space within a word is written as U+00A0
    "conllu": Sentence.written,
    "horizontal": lambda sentence: " ".join(form.replace(" ", "\u00a0") for form in sentence.forms) + "\n",
    "vertical": lambda sentence: "".join(f"{form}\n" for form in sentence.forms) + "\n",
    "plaintext": lambda sentence: f"{sentence.text}\n",
}


def read_items(model: Model, data: str | bytes, kind: str) -> Iterable[Item]:
    """Read a text or a file of sentences; a short text is one item. kind: as in `treewright.pipeline.read_input`."""
    if kind == "text" and len(data) <= BLOCK:
        tokenised(model)
        with suppress(UnicodeDecodeError):  # refused below, with its place
            text = data.decode() if isinstance(data, bytes) else data
            return [text.removeprefix("\ufeff")]
    return read_sentences(model, data, kind)


def read_sentences(model: Model, data: str | bytes, kind: str) -> Iterable[Sentence]:
    """Read the sentences of a text or a file. They are split into words when they are taken."""
    tokeniser = tokenised(model).tokeniser if kind in TEXT_KINDS else None
    file = BytesIO(data if isinstance(data, bytes) else encode_text(data))
    file.name = TEXT
    return read_input(file, kind, tokeniser)


def tokenised(model: Model) -> Pipeline:
    """Return a model that has a tokeniser; others are refused."""
    if not isinstance(model, Pipeline):
        raise InputError("the model is a parser alone, which reads no raw text; send CoNLL-U with tags")
    return model


def trained(model: Model) -> Parser:
    """Return the parser of a model, if it was trained on a treebank."""
    if isinstance(model, Pipeline):
        return model.trained_parser
    if not isinstance(model, Parser):
        raise MissingComponentError("the parser is induced and has no scores of single parts", "parser")
    return model


def drawing(sentence: Sentence, width: int | None) -> dict[str, str]:
    """Draw a sentence, if a width is given."""
    return {} if width is None else {"svg": str(draw.svg(sentence, width=width))}


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
