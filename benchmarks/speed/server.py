"""How many requests does `treewright serve` answer, what does it cost beside calls in one process, does memory grow?

A server is started on a free port of this machine. Clients in this process send, one request after the other on a
connection of their own: ten-word texts (requests/s, the time of an answer: median and 95 %, the CPU time of the server
for a request), and texts of 100 kB (words/s). The same 100 kB are parsed and written by `nlp(text)` in this process;
the ratios are to that, by the clock and by CPU seconds, which other programs on the machine disturb less. With
--minutes, ten-word requests follow at half of the rate that was measured; the memory of the server is that after the
first fifth of this time and at its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
Sender = Callable[[HTTPConnection, str], bytes]
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Server(NamedTuple):
    """A server that runs: its process and where it listens."""

    process: int
    host: str
    port: int

    def cpu_seconds(self) -> float:
        """Return the CPU time of the server so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def megabytes(self) -> float:
        """Return the resident memory of the server."""
        return int(Path(f"/proc/{self.process}/statm").read_text().split()[1]) * PAGE / 1e6


def main() -> None:
    arguments = common.arguments(__doc__, model="en")
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--seconds", type=float, default=10.0, help="of each measurement of short requests")
    arguments.add_argument("--texts", type=int, default=4, help="texts of 100 kB")
    arguments.add_argument("--minutes", type=float, default=0.0, help="of the measurement of memory")
    given = common.parse(arguments)
    with started(given.model) as server:
        print(f"{'':24} {'requests/s':>10} {'median ms':>10} {'95 % ms':>8} {'CPU ms':>7}", flush=True)
        rates = [print_short(name, server, send, given.clients, given.seconds) for name, send in SENDERS.items()]
        print_long(server, given.model, given.texts)
        if given.minutes:
            print_memory(server, rates[0] / 2, given.minutes)


@contextmanager
def started(model: str) -> Iterator[Server]:
    """Start a server and stop it at the end."""
    command = [sys.executable, "-m", "treewright", "serve", model, "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            [url] = [word for word in line.split() if word.startswith("http://")] or [""]
            if not url:
                raise SystemExit(line.strip())
            address = urlsplit(url)
            yield Server(process.pid, address.hostname or "", address.port or 0)
        finally:
            process.terminate()


def parse(connection: HTTPConnection, text: str) -> bytes:
    return post(connection, "/api/v1/parse", json.dumps({"text": text}), JSON)


def process(connection: HTTPConnection, text: str) -> bytes:
    fields = {"data": text, "tokenizer": "", "tagger": "", "parser": ""}
    return post(connection, "/process", urlencode(fields), FORM)


SENDERS: dict[str, Sender] = {"/api/v1/parse": parse, "/process": process}


def post(connection: HTTPConnection, path: str, body: str, headers: dict[str, str]) -> bytes:
    """Send a request and return the body of the answer, whose status must be 200."""
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {content[:200]!r}")
    return content


def print_short(name: str, server: Server, send: Sender, clients: int, seconds: float) -> float:
    """Print the requests a second of ten-word texts, and return them."""
    begin = server.cpu_seconds()
    times = sorted(times_of_answers(server, send, clients, seconds))
    cpu = (server.cpu_seconds() - begin) / len(times)
    rate, late = len(times) / seconds, times[int(0.95 * len(times))]
    print(f"{name:24} {rate:10.0f} {1000 * median(times):10.1f} {1000 * late:8.1f} {1000 * cpu:7.1f}", flush=True)
    return rate


def times_of_answers(server: Server, send: Sender, clients: int, seconds: float, pause: float = 0.0) -> list[float]:
    """Return the seconds of each answer to clients that send for some time, with a pause after each answer."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    def run(number: int) -> None:
        connection = HTTPConnection(server.host, server.port, timeout=60)
        while (begin := time.perf_counter()) < end:
            send(connection, common.TEN_WORDS[(number + len(times)) % len(common.TEN_WORDS)])
            times.append(time.perf_counter() - begin)
            time.sleep(max(0.0, pause - times[-1]))
        connection.close()

    threads = [Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def print_long(server: Server, model: str, count: int) -> None:
    """Print the words a second of long texts, in this process and through the server, alternating."""
    nlp = tw.Pipeline.load(model)
    text = long_text(100_000)
    words = sum(map(len, nlp(text, confidence=False)))
    process(HTTPConnection(server.host, server.port), text)
    clocks, cpus = [0.0, 0.0], [0.0, 0.0]
    for _ in range(count):
        for place, call, cpu in (
            (0, lambda: "".join(map(str, nlp(text, confidence=False))), time.process_time),
            (1, lambda: process(HTTPConnection(server.host, server.port), text), server.cpu_seconds),
        ):
            begin, cpu_begin = time.perf_counter(), cpu()
            call()
            clocks[place] += time.perf_counter() - begin
            cpus[place] += cpu() - cpu_begin
    print(f"\n{'texts of 100 kB':24} {'words/s':>10} {'ratio':>6} {'words/CPU s':>12} {'ratio':>6}")
    for name, clock, cpu_time in zip(("in this process", "server, /process"), clocks, cpus, strict=True):
        ratios = clocks[0] / clock, cpus[0] / cpu_time
        speeds = count * words / clock, count * words / cpu_time
        print(f"{name:24} {speeds[0]:10.0f} {ratios[0]:6.2f} {speeds[1]:12.0f} {ratios[1]:6.2f}", flush=True)


def long_text(size: int) -> str:
    """Return a text of paragraphs of about so many bytes; no two sentences in a row are the same."""
    sentences = [f"{text[:-2]}, said number {number}." for number in range(size // 40) for text in common.TEN_WORDS]
    paragraphs = (" ".join(sentences[first : first + 5]) for first in range(0, len(sentences), 5))
    return "\n\n".join(paragraphs)[:size]


def print_memory(server: Server, rate: float, minutes: float) -> None:
    """Print the memory of the server under requests at a rate."""
    clients, slices = 4, 5
    sizes = []
    for _ in range(slices):
        times_of_answers(server, parse, clients, 60 * minutes / slices, pause=clients / rate)
        sizes.append(server.megabytes())
    print(f"\n{minutes:g} minutes at {rate:.0f} requests/s: memory of the server {sizes[0]:.1f} MB at first, ", end="")
    print(f"{sizes[-1]:.1f} MB at the end ({100 * (sizes[-1] / sizes[0] - 1):+.1f} %)")


if __name__ == "__main__":
    main()
