"""The application of the workbench: a project, its page, the guard that knows its people."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from starlette.responses import Response

from treewright.annotate import AccessError, ConflictError, Project, ProjectError, StoreError, UnknownItemError
from treewright.serve.application import (
    DRAWING_STYLE,
    HTML,
    ICON,
    OPENAPI,
    SCRIPT,
    STATIC,
    STYLE,
    add_errors,
    add_pages,
    new_app,
)
from treewright.serve.errors import Refusal
from treewright.serve.guard import HEALTH, RETRY_AFTER, Guard
from treewright.serve.limits import Limits
from treewright.serve.workbench_api import LOGIN, workbench_router

MODULES = ("api", "dom", "editors", "keys", "main", "panel", "queue", "screens", "state", "tree")
PAGES = {
    "/": ("workbench.html", HTML),
    "/workbench.css": ("workbench.css", STYLE),
    **{f"/workbench/{name}.js": (f"workbench/{name}.js", SCRIPT) for name in MODULES},
    **ICON,
}
STATIC_FILES = [STATIC / name for name, _ in PAGES.values()]
STATUSES = {UnknownItemError: 404, AccessError: 403, ConflictError: 409, StoreError: 503}  # others: 422


def workbench(project: Project, limits: Limits | None = None, *, allowed_hosts: Iterable[str] = ()) -> Guard:
    """Return the ASGI application of an open project, which it closes at its end.

    allowed_hosts: names of this server beside those of loopback. Requests need the token of a person of the project, as
    a bearer token or in the cookie that /api/v1/login sets.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        project.start_suggestions()
        yield
        project.close()

    app = new_app(lifespan)
    guard = Guard(app, limits or Limits(), allowed_hosts, project.people.with_token)
    app.include_router(workbench_router(project))
    add_pages(app, PAGES)
    add_errors(app)
    add_project_errors(app)
    guard.paths = {*app.openapi()["paths"], *PAGES, DRAWING_STYLE, OPENAPI}
    guard.open_paths = {*PAGES, DRAWING_STYLE, HEALTH, LOGIN}
    return guard


def add_project_errors(app: FastAPI) -> None:
    """Answer what a project refuses."""

    @app.exception_handler(ProjectError)
    async def refuse(request: Request, error: ProjectError) -> Response:
        status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 422)
        more = error.as_dict() if isinstance(error, ConflictError) else {}
        more.pop("message", None)
        headers = {"Retry-After": str(RETRY_AFTER)} if status == 503 else {}
        return Refusal(status, str(error), headers=headers, more=more).answer(request.scope)
