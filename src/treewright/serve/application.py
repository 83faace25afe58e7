"""The application of a server: the routes, their errors, the demo page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.types import Lifespan

import treewright
from treewright.draw.style import page_style
from treewright.errors import InputError
from treewright.serve.api import api_router
from treewright.serve.errors import CODES, INTERNAL_ERROR, Refusal, refusal_of
from treewright.serve.guard import HEALTH, Guard, one_token
from treewright.serve.limits import Limits
from treewright.serve.models import Model, Models
from treewright.serve.udpipe import udpipe_router

STATIC = Path(__file__).parent / "static"
HTML, SCRIPT, STYLE = (f"text/{kind}; charset=utf-8" for kind in ("html", "javascript", "css"))
ICON = {"/favicon.ico": ("icon.svg", "image/svg+xml")}
PAGES = {  # path -> file and type
    "/": ("demo.html", HTML),
    "/demo.js": ("demo.js", SCRIPT),
    "/demo.css": ("demo.css", STYLE),
    **ICON,
}
DRAWING_STYLE = "/drawing.css"
OPENAPI = "/api/v1/openapi.json"


def application(
    models: Mapping[str, Model],
    limits: Limits | None = None,
    *,
    allowed_hosts: Iterable[str] = (),
    token: str | None = None,
    threads: int = 1,
) -> Guard:
    """Return the ASGI application that serves models by name, the first one to requests that name none.

    allowed_hosts: names of this server beside those of loopback, and of sites whose pages may call it. token: what
    requests must have, but for the page and `/api/v1/health`. threads: how many work with each model.
    """
    limits = limits or Limits()
    served = Models(models, threads)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        served.close()

    app = new_app(lifespan)
    guard = Guard(app, limits, allowed_hosts, None if token is None else one_token(token))
    app.include_router(api_router(served, limits, guard))
    app.include_router(udpipe_router(served, limits))
    add_pages(app, PAGES)
    add_errors(app)
    guard.paths = {*app.openapi()["paths"], *PAGES, DRAWING_STYLE, OPENAPI}
    guard.open_paths = {*PAGES, DRAWING_STYLE, HEALTH}
    return guard


def new_app(lifespan: Lifespan[FastAPI]) -> FastAPI:
    """Return an application without routes."""
    return FastAPI(
        title="Treewright",
        version=treewright.__version__,
        openapi_url=OPENAPI,
        docs_url=None,  # its page loads scripts from another site
        redoc_url=None,
        lifespan=lifespan,
    )


def add_pages(app: FastAPI, pages: Mapping[str, tuple[str, str]]) -> None:
    """Add pages, path -> file in static/ and type, and the style of drawings."""

    def add(path: str, name: str, kind: str) -> None:
        @app.get(path, include_in_schema=False)
        async def file() -> Response:
            return FileResponse(STATIC / name, media_type=kind)

    def add_page(path: str, name: str) -> None:
        head = (STATIC / "head.html").read_text(encoding="utf-8").format(name=Path(name).stem)
        page = head + (STATIC / name).read_text(encoding="utf-8")

        @app.get(path, include_in_schema=False)
        async def html() -> Response:
            return Response(page, media_type=HTML)

    for path, (name, kind) in pages.items():
        add_page(path, name) if kind == HTML else add(path, name, kind)

    style = page_style()

    @app.get(DRAWING_STYLE, include_in_schema=False)
    async def drawing_style() -> Response:
        return Response(style, media_type="text/css; charset=utf-8")


def add_errors(app: FastAPI) -> None:
    """Answer errors as JSON or plain text."""

    @app.exception_handler(Refusal)
    async def refuse(request: Request, error: Refusal) -> Response:
        return error.answer(request.scope)

    @app.exception_handler(InputError)
    async def bad_input(request: Request, error: InputError) -> Response:
        return refusal_of(error).answer(request.scope)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["loc"] == ("body",) and first["type"] in ("model_attributes_type", "missing"):
            remedy = "send a JSON object with Content-Type: application/json"
            return Refusal(422, "the body is not JSON", remedy=remedy).answer(request.scope)
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        message = str(first["msg"]).removeprefix("Value error, ")
        return Refusal(422, f"{where}: {message}" if where else message, where=where or None).answer(request.scope)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        status = error.status_code if error.status_code in CODES else 400
        return Refusal(status, str(error.detail), headers=error.headers or {}).answer(request.scope)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:  # the guard writes it into the log
        return INTERNAL_ERROR.answer(request.scope)
