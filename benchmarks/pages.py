"""Size of web pages and the time until the first drawing is on the screen.

Usage: python benchmarks/pages.py FILE [FILE ...]

Bytes a sentence and the time to write the page are always measured; the time until the first drawing is painted and
until the whole page is loaded, both since the start of navigation, only where Chromium is installed (the minimum and
the maximum of the repeats are printed).
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import treewright as tw
from treewright.draw.pictures import html_parts

REPEATS = 3
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1400,1000"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--dump-dom"),
)
CLOCK = """<script>
(() => {
  const root = document.documentElement, stamp = (name) => { root.dataset[name] = Math.round(performance.now()); };
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => stamp("first")));
  const wait = () => (document.querySelector(".drawing svg") ? painted() : requestAnimationFrame(wait));
  wait();
  addEventListener("load", () => stamp("loaded"));
})();
</script>
"""


def write_page(source: Path, target: Path) -> tuple[int, float]:
    """The number of sentences and the CPU seconds that writing them took; the page has a clock in it."""
    begin = time.process_time()
    with target.open("w", encoding="utf-8") as page:
        parts = html_parts((sentence, {}) for sentence in tw.read(source))
        page.write(next(parts).replace("<header>", CLOCK + "<header>", 1))
        sentences = sum(1 for part in parts if page.write(part)) - 1  # the last part is the end of the page
    return sentences, time.process_time() - begin


def open_page(browser: str, page: Path) -> tuple[int, int]:
    """Milliseconds until the first drawing is painted, and until the page is loaded."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", page.as_uri()]
        shown = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    first, loaded = (re.search(rf'data-{name}="(\d+)"', shown[:1000]) for name in ("first", "loaded"))
    if first is None or loaded is None:
        raise SystemExit(f"{browser} did not draw {page.name}")
    return int(first[1]), int(loaded[1])


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    print(f"Python {platform.python_version()}, {platform.machine()}; browser: {Path(browser or 'none').name}")
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.html")
            sentences, seconds = write_page(Path(name), page)
            size = page.stat().st_size
            print(
                f"{name}: {sentences} sentences, {size / 1e6:.2f} MB, {size / sentences:.0f} bytes a sentence,", end=" "
            )
            print(f"written in {1000 * seconds / sentences:.1f} ms a sentence")
            if browser:
                first, loaded = zip(*(open_page(browser, page) for _ in range(REPEATS)), strict=True)
                print(f"  first drawing painted after {min(first)} to {max(first)} ms,", end=" ")
                print(f"page loaded after {min(loaded)} to {max(loaded)} ms")


if __name__ == "__main__":
    main()
