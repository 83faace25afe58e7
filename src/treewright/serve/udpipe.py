"""The contract of UDPipe's REST service: /process and /models, for programs that call it.

Fields come in the query, as a form or as multipart data. Errors are one sentence of plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import PlainTextResponse, Response

import treewright
from treewright.corpus import Sentence
from treewright.serve.api import json_response
from treewright.serve.errors import Refusal
from treewright.serve.limits import Limits
from treewright.serve.models import Models, ServedModel
from treewright.serve.work import OUTPUTS, Item, Process, as_json, read_items

COMPONENTS = {"tokeniser": "tokenizer", "tagger": "tagger", "parser": "parser"}  # ours -> UDPipe's
INPUTS = ("conllu", "horizontal", "vertical", "generic_tokenizer")
PRESEGMENTED = "presegmented"  # option of the tokenizer: each line is a sentence
FIELDS = {
    "data": "The text or sentences.",
    "model": "Name of a model; the default model if not given.",
    "tokenizer": "If present, even empty: data is raw text. With presegmented, each line is a sentence.",
    "tagger": "If present, even empty, and not none: tag.",
    "parser": "If present, even empty, and not none: parse.",
    "input": f"Format of data without tokenizer: {', '.join(INPUTS)}.",
    "output": f"Format of the result: {', '.join(OUTPUTS)}.",
}
FORM = {
    "type": "object",
    "properties": {name: {"type": "string", "description": text} for name, text in FIELDS.items()},
    "required": ["data"],
}
QUERY = [{"name": name, "in": "query", "schema": {"type": "string"}, "description": FIELDS[name]} for name in FIELDS]
PLAIN = {"content": {"text/plain": {"schema": {"type": "string"}}}}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, **PLAIN}
    for status, text in {
        400: "No data, an unknown model or format, or data that cannot be read.",
        403: "Host or Origin is not allowed.",
        408: "The body did not arrive in time.",
        413: "The body or a sentence is too large.",
        415: "The body is compressed.",
        503: "Too many requests; try again after the seconds of Retry-After.",
        504: "No answer in time.",
    }.items()
}
WORD = re.compile(r"[^ \t\r]+")  # U+00A0 is a part of a word
Field = str | bytes


def udpipe_router(models: Models, limits: Limits) -> APIRouter:
    """Return the routes of UDPipe's contract."""
    router = APIRouter(default_response_class=PlainTextResponse)

    @router.get("/models", responses={403: ERRORS[403], 503: ERRORS[503], 504: ERRORS[504]})
    async def models_of_udpipe() -> Response:
        """List the models and what each does."""
        components = {served.name: [COMPONENTS[name] for name in served.components] for served in models}
        return json_response(as_json({"models": components, "default_model": models.default.name}))

    async def process(request: Request) -> Response:
        """Tokenise, tag and parse."""
        fields = await fields_of(request, limits.body)
        if "data" not in fields:
            raise Refusal(400, "the field data is missing", remedy="send the text as data")
        served = models.find(text_of(fields, "model"))
        if served is None:
            raise Refusal(400, f"there is no model {text_of(fields, 'model')!r}; there is {models.names}")
        work = work_of(served, limits, fields)
        results = await served.batcher.map(work, items_of(served, fields))
        result = "".join(chain.from_iterable(results))
        if work.output == "conllu":
            result = generator_comments(served) + result
        licence = served.metadata.get("licence")
        acknowledgements = [f"model {served.name}: {licence}"] if licence else []
        answer = {"model": served.name, "acknowledgements": acknowledgements, "result": result}
        response = json_response(as_json(answer))
        response.headers["X-Billing-Input-NFC-Len"] = str(nfc_length(fields["data"]))
        return response

    body = {
        "content": {kind: {"schema": FORM} for kind in ("multipart/form-data", "application/x-www-form-urlencoded")}
    }
    answers = {"description": "model, acknowledgements and result.", "content": {"application/json": {}}}
    common: dict[str, Any] = {"responses": {200: answers, **ERRORS}}
    router.get("/process", openapi_extra={"parameters": QUERY}, **common)(process)
    router.post("/process", openapi_extra={"requestBody": body}, **common)(process)
    return router


async def fields_of(request: Request, max_size: int) -> dict[str, Field]:
    """Read the fields of the query and of the body, which has precedence. A file that is sent is bytes."""
    fields: dict[str, Field] = dict(request.query_params)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        form = await request.form(max_files=len(FIELDS), max_fields=len(FIELDS), max_part_size=max_size)
        for name, value in form.multi_items():
            fields[name] = await value.read() if isinstance(value, UploadFile) else value
        await form.close()
    elif await request.body():
        raise Refusal(400, f"the body is of type {kind or 'unknown'!r}", remedy="send a form or multipart/form-data")
    return fields


def text_of(fields: Mapping[str, Field], name: str) -> str | None:
    """Return a field as text."""
    value = fields.get(name)
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Refusal(400, f"the field {name} is not UTF-8") from None


def work_of(served: ServedModel, limits: Limits, fields: Mapping[str, Field]) -> Process:
    """Return the work that the fields ask for."""
    output = text_of(fields, "output") or "conllu"
    if output not in OUTPUTS:
        raise Refusal(400, f"there is no output format {output!r}; there is {', '.join(OUTPUTS)}")
    does = {name: name in fields and text_of(fields, name) != "none" for name in ("tagger", "parser")}
    for name, is_asked in does.items():
        if is_asked and name not in served.components:
            raise Refusal(400, f"the model {served.name} has no {name}")
    return Process(served.model, limits, **does, output=output)


def items_of(served: ServedModel, fields: Mapping[str, Field]) -> Iterable[Item]:
    """Return what the fields ask to work on."""
    options, kind, data = text_of(fields, "tokenizer"), text_of(fields, "input") or "conllu", fields["data"]
    if kind not in INPUTS:
        raise Refusal(400, f"there is no input format {kind!r}; there is {', '.join(INPUTS)}")
    if options is not None or kind == "generic_tokenizer":
        is_split = PRESEGMENTED in (options or "").split(";")
        return read_items(served.model, data, "lines" if is_split else "text")
    if kind == "conllu":
        return read_items(served.model, data, "conllu")
    text = text_of(fields, "data") or ""
    return horizontal(text) if kind == "horizontal" else vertical(text)


def horizontal(text: str) -> Iterable[Sentence]:
    """Read a sentence a line, words with spaces between them."""
    return (Sentence.from_words(words) for line in text.split("\n") if (words := WORD.findall(line)))


def vertical(text: str) -> Iterable[Sentence]:
    """Read a word a line; a blank line ends a sentence."""
    words: list[str] = []
    for line in [*text.split("\n"), ""]:
        if word := line.strip():
            words.append(word)
        elif words:
            yield Sentence.from_words(words)
            words = []


def generator_comments(served: ServedModel) -> str:
    """Return the comments that CoNLL-U of UDPipe's service begins with."""
    lines = [f"# generator = Treewright {treewright.__version__}", f"# udpipe_model = {served.name}"]
    if licence := served.metadata.get("licence"):
        lines.append(f"# udpipe_model_licence = {licence}")
    return "\n".join(lines) + "\n"


def nfc_length(data: Field) -> int:
    """Return the number of characters in NFC, by which UDPipe's service counts."""
    text = data.decode(errors="replace") if isinstance(data, bytes) else data
    return len(unicodedata.normalize("NFC", text))
