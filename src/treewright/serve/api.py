"""The JSON interface below /api/v1: the requests with their checks, and one call for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

import treewright
from treewright.corpus import Sentence
from treewright.errors import FormatError
from treewright.serve.errors import Refusal
from treewright.serve.guard import Guard
from treewright.serve.limits import Limits
from treewright.serve.models import Models, ServedModel
from treewright.serve.work import (
    Complete,
    Form,
    Item,
    KBest,
    Parse,
    Verify,
    WhyNot,
    as_json,
    read_items,
    read_sentences,
)

MAX_KBEST = 20
Width = Annotated[
    int | None, Field(None, ge=160, le=8192, description="Draw each tree as SVG, at most so many pixels wide.")
]


class Strict(BaseModel):
    """A request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class SourceRequest(Strict):
    """What to work on: a text, or sentences as `treewright parse --to json` writes them."""

    text: str | None = Field(None, description="Raw text, or a file of the kind that `input` names.")
    sentences: list[dict[str, Any]] | None = Field(
        None, description='Sentences as JSON objects, at least {"words": ["It", "rains"]}.'
    )
    model: str | None = Field(None, description="Name of a model; the default model if not given.")

    @model_validator(mode="after")
    def check_source(self) -> SourceRequest:
        if (self.text is None) == (self.sentences is None):
            raise ValueError("give either text or sentences")
        return self


class TextRequest(SourceRequest):
    """What to parse."""

    input: Literal["text", "paragraphs", "lines", "conllu", "json"] = Field(
        "text",
        description="Kind of text: raw text (a blank line ends a paragraph), a paragraph a line, a sentence a line, "
        "CoNLL-U, JSON lines.",
    )


class ParseRequest(TextRequest):
    """What to parse, and what to answer."""

    to: Form = Field("json", description="Format of the sentences in the answer.")
    confidence: bool | None = Field(
        None, description="Calibrated probabilities of heads, labels and tags; by default in JSON and not in CoNLL-U."
    )
    kbest: int | None = Field(None, ge=1, le=MAX_KBEST, description="The k best trees of each sentence; JSON only.")
    proofs: bool = Field(False, description="Proofs of the trees, for /api/v1/verify; JSON only.")
    width: Width

    @model_validator(mode="after")
    def check_form(self) -> ParseRequest:
        if self.to == "conllu" and (self.kbest or self.proofs or self.width):
            raise ValueError("kbest, proofs and width need the format json")
        if self.kbest and self.proofs:
            raise ValueError("proofs are about the best tree; leave out kbest")
        return self


class CompleteRequest(SourceRequest):
    """Sentences with open heads and relations: "_" in CoNLL-U (text), left out in JSON (sentences)."""

    to: Form = "json"
    width: Width


class WhyNotRequest(TextRequest):
    """A word of a sentence, and another head."""

    sentence: int = Field(1, ge=1, description="Number of the sentence.")
    word: int = Field(ge=1, description="Number of the word.")
    head: int | None = Field(
        None, ge=0, description="Number of the other head, 0 for the root; without it, the best other heads are listed."
    )
    width: Width


class VerifyRequest(Strict):
    """Parsed sentences, each with the proof that /api/v1/parse gave."""

    sentences: list[dict[str, Any]] = Field(min_length=1, description='Sentences with "proof", as parsed.')
    model: str | None = None


class Problem(BaseModel):
    """An error: its code, a sentence about it, where the problem is, what to do, and the id of the request."""

    code: str
    message: str
    where: str | None = None
    remedy: str | None = None
    id: str


class ErrorAnswer(BaseModel):
    """What every status but 200 answers."""

    error: Problem


class ConflictAnswer(ErrorAnswer):
    """What status 409 answers: annotation contradicts itself; the arcs [head, modifier] cannot all be in one tree."""

    conflict: list[tuple[int, int]]


class SentencesAnswer(BaseModel):
    """Sentences as `Sentence.to_dict` writes them, or `conllu`; with kbest each has `trees`."""

    model: str
    sentences: list[dict[str, Any]] | None = None
    conllu: str | None = None


class Verdict(BaseModel):
    """Whether a proof holds: what it proves, or why it is refused."""

    verified: bool
    certified: bool | None = None
    gap: float | None = None
    reason: str | None = None


class VerifyAnswer(BaseModel):
    """One verdict a sentence."""

    model: str
    verified: bool
    sentences: list[Verdict]


class ModelRecord(BaseModel):
    """A model and what it does."""

    name: str
    is_default: bool
    components: list[str]
    language: str | None
    licence: str | None


class ModelsAnswer(BaseModel):
    models: list[ModelRecord]


class HealthAnswer(BaseModel):
    """The version, the limits, and how many requests are in work."""

    status: Literal["ok"] = "ok"
    version: str
    models: list[str]
    limits: dict[str, int | float]
    requests: int
    waiting: int


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of error statuses."""
    return {status: {"model": ErrorAnswer} for status in sorted({403, 503, 504, *statuses})}


WORK_ERRORS = errors(400, 404, 408, 413, 415, 422)


def api_router(models: Models, limits: Limits, guard: Guard) -> APIRouter:
    """Return the routes of the JSON interface."""
    router = APIRouter(prefix="/api/v1")

    @router.post("/parse", responses={200: {"model": SentencesAnswer}, **WORK_ERRORS}, response_model=None)
    async def parse(request: ParseRequest) -> Response:
        """Parse a text or sentences: trees with certificates, or the k best trees."""
        served = find(models, request.model)
        common = served.model, limits
        if request.kbest:
            trees = KBest(*common, request.kbest, request.width)
            sentences = sentences_of(served, request, request.input)
            return sentences_answer(served, "json", await run(served, trees, sentences))
        confidence = request.to == "json" if request.confidence is None else request.confidence
        work = Parse(*common, request.to, confidence, request.proofs, request.width)
        return sentences_answer(served, request.to, await run(served, work, items_of(served, request)))

    @router.post(
        "/complete",
        responses={200: {"model": SentencesAnswer}, **WORK_ERRORS, 409: {"model": ConflictAnswer}},
        response_model=None,
    )
    async def complete(request: CompleteRequest) -> Response:
        """Fill in the heads and relations that are open; what is given stays as it is."""
        served = find(models, request.model)
        work = Complete(served.model, limits, request.to, request.width)
        return sentences_answer(served, request.to, await run(served, work, sentences_of(served, request, "conllu")))

    @router.post("/why-not", responses={200: {"model": dict[str, Any]}, **WORK_ERRORS}, response_model=None)
    async def why_not(request: WhyNotRequest) -> Response:
        """Explain what it costs to attach a word to another head, or list its best other heads."""
        served = find(models, request.model)
        work = WhyNot(served.model, limits, request.word, request.head, request.width)
        [answer] = await run(served, work, nth(sentences_of(served, request, request.input), request.sentence))
        return json_response(answer)

    @router.post("/verify", responses={200: {"model": VerifyAnswer}, **WORK_ERRORS}, response_model=None)
    async def verify(request: VerifyRequest) -> Response:
        """Check proofs of parsed sentences, with none of the code that found the trees."""
        served = find(models, request.model)
        records = (
            (sentence, proof_of(value))
            for sentence, value in zip(sentences_in(request.sentences), request.sentences, strict=False)
        )
        verdicts = await served.batcher.map(Verify(served.model, limits), records, together=False)
        verified = all(verdict["verified"] for verdict in verdicts)
        return json_response(as_json({"model": served.name, "verified": verified, "sentences": verdicts}))

    @router.get("/models", responses=errors())
    async def list_models() -> ModelsAnswer:
        """List the models of the server."""
        return ModelsAnswer(
            models=[
                ModelRecord(
                    name=served.name,
                    is_default=served is models.default,
                    components=served.components,
                    language=served.metadata.get("language"),
                    licence=served.metadata.get("licence"),
                )
                for served in models
            ]
        )

    @router.get("/health", responses=errors())
    async def health() -> HealthAnswer:
        """Return the version, the limits and the load."""
        return HealthAnswer(
            version=treewright.__version__,
            models=[served.name for served in models],
            limits=asdict(limits),
            requests=guard.active,
            waiting=sum(served.batcher.waiting for served in models),
        )

    return router


def find(models: Models, name: str | None) -> ServedModel:
    """Return the model that a request names."""
    served = models.find(name)
    if served is None:
        raise Refusal(404, f"there is no model {name!r}; there is {models.names}")
    return served


def items_of(served: ServedModel, request: TextRequest) -> Iterable[Item]:
    """Return the sentences of a request, or its text if that is short."""
    if request.sentences is not None:
        return sentences_in(request.sentences)
    return read_items(served.model, request.text or "", request.input)


def sentences_of(served: ServedModel, request: SourceRequest, kind: str) -> Iterable[Sentence]:
    """Return the sentences of a request; kind: the kind of its text."""
    if request.sentences is not None:
        return sentences_in(request.sentences)
    return read_sentences(served.model, request.text or "", kind)


def nth(sentences: Iterable[Sentence], requested: int) -> Iterator[Sentence]:
    """Yield the sentence of a number."""
    number = 0
    for number, sentence in enumerate(sentences, start=1):
        if number == requested:
            yield sentence
            return
    raise Refusal(400, f"there is no sentence {requested}: the number of sentences is {number}", where="sentence")


def sentences_in(values: list[dict[str, Any]]) -> Iterable[Sentence]:
    """Read sentences; a FormatError names the one that cannot be read."""
    for number, value in enumerate(values):
        try:
            as_json(value).encode()  # JSON can write half of a surrogate pair, which is no character
            sentence = Sentence.from_dict(value)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FormatError(
                f"sentences[{number}]", 0, f"{error}; expected words as /api/v1/parse writes them"
            ) from None
        sentence.source = f"sentences[{number}]"
        yield sentence


def proof_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the proof in a sentence of a request."""
    proof = value.get("proof")
    return proof if isinstance(proof, dict) else {}


async def run(served: ServedModel, work: Any, items: Iterable[Any]) -> list[str]:
    """Do the work in the threads of the model; return what is written for each sentence."""
    return list(chain.from_iterable(await served.batcher.map(work, items, together=work.together)))


def sentences_answer(served: ServedModel, form: Form, sentences: list[str]) -> Response:
    """Return the answer with sentences that are written already."""
    if form == "conllu":
        return json_response(as_json({"model": served.name, "conllu": "".join(sentences)}))
    return json_response(f'{{"model":{as_json(served.name)},"sentences":[{",".join(sentences)}]}}')


def json_response(text: str) -> Response:
    return Response(text, media_type="application/json")
