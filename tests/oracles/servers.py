"""An HTTP server on loopback that serves files, and that breaks connections, answers slowly or refuses on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class FileServer:
    """What the server has and does; tests change it while it runs."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)  # path -> content
    breaks: list[int] = field(default_factory=list)  # the connection of each next answer breaks after so many bytes
    status: int | None = None  # answer every request with this status
    ignores_range: bool = False
    requests: list[tuple[str, str | None]] = field(default_factory=list)  # path and Range of every request


@contextmanager
def file_server() -> Iterator[FileServer]:
    """Run a server for the time of a test."""
    state = FileServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.requests.append((self.path, wanted))
            content = state.files.get(self.path)
            if state.status or content is None:
                self.send_error(state.status or 404)
                return
            begin = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and not state.ignores_range else 0
            if begin >= len(content) and begin:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            rest = content[begin:]
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: state.breaks.pop(0)] if state.breaks else rest)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
