"""Runs an application until it is interrupted."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from errno import EADDRINUSE

import uvicorn

from treewright.errors import InputError
from treewright.serve.guard import Guard

STOP_SECONDS = 30  # for the requests in work when the server is stopped


def open_socket(host: str, port: int) -> socket.socket:
    """Listen on a port of a host; 0 chooses a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=256)
        # Accepted connections inherit it. asyncio sets it only where it made the socket itself, and without it every
        # answer waits 40 ms for the acknowledgement of its headers.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        is_taken = error.errno == EADDRINUSE
        remedy = "another program listens there; choose another port with --port" if is_taken else "see --host"
        raise InputError(f"cannot listen on {host} port {port} ({error.strerror}); {remedy}") from None


def url_of(listening: socket.socket, name: str | None = None) -> str:
    """Return the address of the page, with this name of the server in place of the address it listens on."""
    address, port = listening.getsockname()[:2]
    host = name or address
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def run(application: Guard, listening: socket.socket, *, quiet: bool) -> None:
    """Serve until SIGINT or SIGTERM: requests in work are answered, new ones are not accepted."""
    logging.getLogger("treewright.serve").setLevel(logging.WARNING if quiet else logging.INFO)
    config = uvicorn.Config(
        application,
        log_config=LOGGING,
        access_log=False,  # it would have the text of queries
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    with suppress(KeyboardInterrupt, SystemExit):  # the signal that ended it, raised again
        uvicorn.Server(config).run(sockets=[listening])


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "loggers": {
        "treewright.serve": {"handlers": ["stderr"], "propagate": False},
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}
