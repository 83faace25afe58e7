"""Answers to requests that cannot be served: JSON below /api/, one sentence of plain text elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Scope

from treewright.errors import FormatError, InputError

CODES = {  # status -> what /api/ answers give as the code of the error
    400: "bad_input",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "body_too_slow",
    409: "infeasible",
    413: "too_large",
    415: "unsupported_encoding",
    422: "invalid_request",
    500: "internal_error",
    503: "busy",
    504: "timeout",
}

TEXT = "<text>"  # the source of what requests send as text


@dataclass(eq=False)  # not frozen: context managers set the traceback of an exception
class Refusal(Exception):
    """A request that is answered by an error: its status, a sentence, where the problem is and what to do.

    more: what the answer has beside the error, such as the arcs of a conflict.
    """

    status: int
    message: str
    where: str | None = None
    remedy: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, scope: Scope) -> Response:
        """Return the response to the request of this scope."""
        headers = dict(self.headers)
        message, where = clean(self.message), self.where and clean(self.where)
        if not scope["path"].startswith("/api/"):
            sentence = "; ".join(filter(None, [f"{where}: {message}" if where else message, self.remedy]))
            return PlainTextResponse(f"{sentence}\n", self.status, headers)
        error: dict[str, Any] = {"code": CODES[self.status], "message": message, "where": where}
        error |= {"remedy": self.remedy, "id": scope["state"]["id"]}
        return JSONResponse({"error": error, **self.more}, self.status, headers)


INTERNAL_ERROR = Refusal(500, "an error in the server; its log has the id of the request")


def clean(text: str) -> str:
    """Return a text that may quote a request as one line of characters that UTF-8 has.

    >>> clean("a\\nb\\ud800")
    'a b\\\\ud800'
    """
    return " ".join(text.encode(errors="backslashreplace").decode().split())


def refusal_of(error: InputError) -> Refusal:
    """Return the refusal for input that cannot be used."""
    if isinstance(error, FormatError):
        return Refusal(400, error.problem, where=place_of(error))
    return Refusal(400, str(error))


def place_of(error: FormatError) -> str:
    """Return where an error is: the line of a text, or the place in a list of sentences."""
    return f"line {error.line}" if error.source == TEXT else error.source
