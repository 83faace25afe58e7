"""`treewright serve`: an HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from treewright.cli import options as opt
from treewright.cli.shared import note
from treewright.errors import InputError, MissingExtra

MIN_TOKEN = 16  # characters; not tuned

app, command = opt.new_command(
    "serve",
    "Requests to /api/v1/parse, /complete, /why-not and /verify have JSON bodies (see /api/v1/openapi.json); "
    "/process and /models answer as UDPipe's service does; the page at / parses what is typed there. Texts of several "
    "requests are parsed together. The server listens on this machine alone, unless --host names another address; then "
    "--allow-host must give the names under which clients call it. Nothing is stored, and the log has no text. Ctrl-C "
    "stops the server when the requests in work are answered. It needs `pip install 'treewright[serve]'`.",
    "treewright serve",
    "treewright serve en my.tw --port 8080",
    "treewright serve --host 0.0.0.0 --allow-host parser.example.org",
)


@command
def serve(
    models: Annotated[
        list[str] | None, opt.argument("MODEL", "Model files or names; the first one is the default. en if none.")
    ] = None,
    host: opt.Host = "127.0.0.1",
    port: opt.Port = 8001,
    allow_host: opt.AllowHost = None,
    token_file: Annotated[
        str | None, opt.file_option("Serve only requests with the token in this file; Authorization: Bearer TOKEN.")
    ] = None,
    threads: opt.Threads = 1,
    max_body: Annotated[int, opt.number_option("Largest request; in MiB.")] = 4,
    max_requests: Annotated[int, opt.number_option("Requests in work at a time; more are answered by 503.")] = 64,
    timeout: Annotated[float, opt.option("Time limit of an answer.", metavar="SECONDS", min=0.1)] = 300.0,
    max_seconds: Annotated[float, opt.seconds_option("2 if not given. The best tree found by then has a gap")] = 2.0,
    quiet: opt.Quiet = False,
) -> None:
    try:
        from treewright.serve.application import application
        from treewright.serve.guard import check_host
        from treewright.serve.limits import MEBIBYTE, Limits
        from treewright.serve.models import load_models
        from treewright.serve.server import open_socket, run, url_of
    except ImportError as error:
        raise MissingExtra(error.name or "fastapi", "serve", "treewright serve") from None

    check_host(host, allow_host or ())
    token = None if token_file is None else read_token(token_file)
    limits = Limits(body=max_body * MEBIBYTE, seconds=timeout, sentence_seconds=max_seconds, requests=max_requests)
    loaded = load_models(models or ["en"])
    guarded = application(loaded, limits, allowed_hosts=allow_host or (), token=token, threads=threads)
    with open_socket(host, port) as listening:
        note(f"serving {', '.join(loaded)} at {url_of(listening)} (Ctrl-C stops)")
        run(guarded, listening, quiet=quiet)


def read_token(path: str) -> str:
    """Read a token from a file."""
    token = Path(path).read_text(encoding="utf-8").strip()
    if len(token) < MIN_TOKEN or len(token.split()) != 1:
        raise InputError(
            f"{path}: expected one token of at least {MIN_TOKEN} characters; `openssl rand -hex 16` makes one"
        )
    return token
