"""What every request passes before the application: names of hosts, limits of size, time and number, headers, the log.

A page of another site may send requests to a server on this machine through the browser of its user. A request whose
Host is not a name of this server (DNS rebinding) or whose Origin is another site is refused before its body is read.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Callable, Collection, Iterable
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_hex
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treewright.errors import InputError
from treewright.serve.errors import INTERNAL_ERROR, Refusal
from treewright.serve.limits import Limits

LOG = logging.getLogger("treewright.serve")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
RETRY_AFTER = 1  # seconds; not tuned
DISCARDED = (
    16  # bodies of the limit that are read and dropped before a refusal, which a client reads after it has sent all
)
HEALTH = "/api/v1/health"
SAFE_METHODS = ("GET", "HEAD")

Identify = Callable[[str], Any]  # token -> who has it; None: nobody has
HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),  # answers may have text of the request
]


def check_host(host: str, allowed_hosts: Collection[str]) -> None:
    """Refuse to listen on an address that other machines reach, without names by which they call the server."""
    if host not in LOOPBACK and not allowed_hosts:
        raise InputError(
            f"--host {host} opens the server to other machines; give the names by which they call it with --allow-host"
        )


class Guard:
    """An ASGI application around another one."""

    def __init__(
        self, app: ASGIApp, limits: Limits, allowed_hosts: Iterable[str] = (), identify: Identify | None = None
    ) -> None:
        """Guard app. allowed_hosts: names beside those of loopback.

        identify: returns who has the token of a request, which becomes `request.state.person`; requests without a known
        token are refused, except to open paths. Without identify no token is needed.
        """
        self._app = app
        self._limits = limits
        self._allowed = {name.lower() for name in allowed_hosts}
        self._identify = identify
        self.paths: set[str] = set()  # that the log names; another one may hold text
        self.open_paths: set[str] = set()  # that need no token
        self.active = 0  # requests in work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["id"] = token_hex(6)
        begin = time.perf_counter()
        answer = Answer(send)
        try:
            await self._serve(scope, receive, answer)
        except Refusal as refusal:
            if not answer.has_started:
                await refusal.answer(scope)(scope, receive, answer)
        except Exception as error:
            # The message of an error may quote a sentence: the log has its type and place alone.
            place = "".join(traceback.format_tb(error.__traceback__))
            LOG.error("%s %s\n%s", scope["state"]["id"], type(error).__name__, place)
            if not answer.has_started:
                await INTERNAL_ERROR.answer(scope)(scope, receive, answer)
        finally:
            path = scope["path"] if scope["path"] in self.paths else "(other path)"
            milliseconds = 1000 * (time.perf_counter() - begin)
            fields = scope["state"]["id"], scope["method"], path, answer.status, milliseconds
            LOG.info("%s %s %s %s %.1f ms", *fields)

    async def _serve(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        headers = Headers(scope=scope)
        self._check_names(headers)
        if self._identify is not None and scope["path"] not in self.open_paths:
            scope["state"]["person"] = await self._person(scope["method"], headers, self._identify)
        if self.active >= self._limits.requests and scope["path"] != HEALTH:
            raise try_again(f"{self.active} requests are in work, which is the limit")
        self.active += 1
        try:
            body = await self._body(headers, receive)
            await self._call(scope, body, receive, answer)
        finally:
            self.active -= 1

    def _check_names(self, headers: Headers) -> None:
        """Refuse a Host that is no name of this server, and an Origin that is another site."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if (name := host_name(host)) not in LOOPBACK and name not in self._allowed:
            message = f"this server does not serve the host {name!r}"
            raise Refusal(403, message, remedy="start it with --allow-host NAME")
        site = host if origin is None else site_of(origin)
        if site.lower() != host.lower() and host_name(site) not in self._allowed:
            message = "the request comes from a page of another site"
            raise Refusal(403, message, remedy="start the server with --allow-host NAME")

    async def _person(self, method: str, headers: Headers, identify: Identify) -> Any:
        """Return who sends a request; refuse it without a known token."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        token = given.strip() if kind.lower() == "bearer" else cookie_token(method, headers)
        person = await run_in_threadpool(identify, token) if token else None
        if person is None:
            raise Refusal(403, "the token is missing or wrong", remedy="send the header Authorization: Bearer TOKEN")
        return person

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """Read the body, at most as many bytes and seconds as the limits allow."""
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise Refusal(415, "the body is compressed", remedy="send it as it is")
        length = headers.get("content-length", "0")
        try:
            if not length.isdecimal() or int(length) > self._limits.body:
                if "expect" not in headers:  # such a client asks before it sends
                    await asyncio.wait_for(self._discard(receive), self._limits.body_seconds)
                raise self._too_large()
            return await asyncio.wait_for(self._read(receive), self._limits.body_seconds)
        except TimeoutError:
            raise Refusal(408, f"the body did not arrive within {self._limits.body_seconds:g} seconds") from None

    async def _read(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, "the connection was closed before the end of the body")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.body:
                if message.get("more_body"):
                    await self._discard(receive)
                raise self._too_large()
            if not message.get("more_body"):
                return b"".join(parts)

    async def _discard(self, receive: Receive) -> None:
        """Read the rest of a body and keep nothing of it."""
        left = DISCARDED * self._limits.body
        while left > 0:
            message = await receive()
            left -= len(message.get("body", b""))
            if not message.get("more_body"):
                return

    def _too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self._limits.body} bytes", remedy="send the text in parts")

    async def _call(self, scope: Scope, body: bytes, receive: Receive, answer: Answer) -> None:
        """Call the application; it is cancelled when its time is over or the client has gone."""
        work = asyncio.ensure_future(self._app(scope, replay(body), answer))
        gone = asyncio.ensure_future(receive())
        try:
            done, _ = await asyncio.wait(
                {work, gone}, timeout=self._limits.seconds, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:  # the server stops, and waits no longer for the requests in work
            for future in (work, gone):
                future.cancel()
            raise try_again("the server is being stopped") from None
        try:
            if not done:
                raise Refusal(504, f"no answer within {self._limits.seconds:g} seconds", remedy="send less text")
            if work in done:
                await work
        finally:
            for future in (work, gone):
                future.cancel()
            await asyncio.wait({work, gone})


def try_again(reason: str) -> Refusal:
    """Return the refusal of a request that the client should repeat."""
    headers = {"Retry-After": str(RETRY_AFTER)}
    return Refusal(503, reason, remedy="send the request again later", headers=headers)


class Answer:
    """The way back to the client: adds headers, and remembers whether and with which status an answer began."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None

    @property
    def has_started(self) -> bool:
        return self.status is not None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await self._send(message)


def one_token(token: str) -> Identify:
    """Return an `identify` for a server with one token."""
    return lambda given: compare_digest(given.encode(), token.encode()) or None


def cookie_name(headers: Headers) -> str:
    """Return the name of the cookie with the token; it has the port, since servers on one host share their cookies."""
    return f"treewright-{headers.get('host', '').rpartition(':')[2]}"


def cookie_token(method: str, headers: Headers) -> str | None:
    """Return the token in the cookie of a request.

    A browser adds the cookie to requests that other pages cause. Sec-Fetch-Site distinguishes those; and a request
    that changes something must have an Origin, which was compared with ours before.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return None
    if method not in SAFE_METHODS and "origin" not in headers:
        return None
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(cookie_name(headers))
    except CookieError:
        return None
    return None if cookie is None else cookie.value


def replay(body: bytes) -> Receive:
    """Return a `receive` that gives a body which was read before, and then waits."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.get_running_loop().create_future()
        return messages.pop()

    return receive


def site_of(origin: str) -> str:
    """Return host and port of an Origin header; "" if it has none.

    >>> site_of("http://localhost:8001"), site_of("null"), site_of("http://[")
    ('localhost:8001', '', '')
    """
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_name("LocalHost:8001"), host_name("[::1]:8001"), host_name("a@b")
    ('localhost', '::1', '')
    """
    try:
        parts = urlsplit(f"//{host}")
        return "" if parts.username is not None else parts.hostname or ""
    except ValueError:
        return ""
