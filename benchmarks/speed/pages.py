"""Size of web pages and the time until the first drawing is on the screen.

Bytes a sentence and the time to write the page are always measured; the time until the first drawing is painted and
until the whole page is loaded, both since the start of navigation, only where Chromium is installed (the minimum and
the maximum of the repeats are printed).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from queue import Queue
from threading import Thread

import treewright as tw
from treewright.draw.pictures import html_parts

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

REPEATS = 3
SECONDS = 60  # time limit of one repeat
SAMPLE = Path(__file__).parents[2] / "examples" / "sample.conllu"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1400,1000"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"),
)
CLOCK = """<script>
(() => {
  const frame = () => new Promise(requestAnimationFrame);
  const loaded = new Promise((done) => addEventListener("load", done));
  const first = (async () => {
    while (!document.querySelector(".drawing svg")) await frame();
    await frame();
    await frame();
  })();
  const times = [first, loaded].map((event) => event.then(() => Math.round(performance.now())));
  Promise.all(times).then((found) => fetch("/times", { method: "POST", body: JSON.stringify(found) }));
})();
</script>
"""


def write_page(source: Path, target: Path, limit: int | None = None) -> tuple[int, float]:
    """The number of sentences and the CPU seconds that writing them took; the page has a clock in it."""
    begin = time.process_time()
    with target.open("w", encoding="utf-8") as page:
        parts = html_parts((sentence, {}) for sentence in islice(tw.read(source), limit))
        page.write(next(parts).replace("<header>", CLOCK + "<header>", 1))
        sentences = sum(1 for part in parts if page.write(part)) - 1  # the last part is the end of the page
    return sentences, time.process_time() - begin


def open_page(browser: str, page: Path) -> tuple[int, int]:
    """Milliseconds until the first drawing is painted, and until the page is loaded, as the page reports them."""
    reports: Queue[tuple[int, int]] = Queue()
    content = page.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """No log."""

    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        command = [browser, *FLAGS, f"--user-data-dir={profile}/new", f"http://127.0.0.1:{server.server_port}/"]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            first, loaded = reports.get(timeout=SECONDS)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            server.shutdown()
        return first, loaded


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    print(f"browser: {Path(browser or 'none').name}")
    for file in [data / "ud" / "English-EWT" / "dev.conllu", SAMPLE] if data else [SAMPLE]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            sentences, seconds = write_page(file, page)
            size = page.stat().st_size
            print(
                f"{file.name}: {sentences} sentences, {size / 1e6:.2f} MB, {size / sentences:.0f} bytes a sentence,",
                end=" ",
            )
            print(f"written in {1000 * seconds / sentences:.1f} ms a sentence")
            if browser:
                print_times(browser, page, "the page")
                write_page(file, page, limit=1)
                print_times(browser, page, "a page of its first sentence (the start of the browser)")


def print_times(browser: str, page: Path, what: str) -> None:
    first, loaded = zip(*(open_page(browser, page) for _ in range(REPEATS)), strict=True)
    print(f"  {what}: first drawing painted after {min(first)} to {max(first)} ms,", end=" ")
    print(f"loaded after {min(loaded)} to {max(loaded)} ms")


if __name__ == "__main__":
    main()
