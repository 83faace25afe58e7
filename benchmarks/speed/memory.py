"""Memory of `treewright parse` over a long file of short sentences: it must not grow.

The sentences are generated while they are written to the standard input of `treewright parse en --fast`, whose resident
memory is read from /proc (Linux) at each tenth of the way.

    python benchmarks/speed/memory.py                          a million sentences
    python benchmarks/speed/memory.py --sentences 30000
    python benchmarks/speed/memory.py --new-words              one word of each sentence is new, and none has a tag
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from itertools import count, islice
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

PAGE = 1000  # sentences written at once


def resident_megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def feed(process: subprocess.Popen[bytes], sentences: int, has_new_words: bool) -> None:
    """Write sentences without heads to the process."""
    assert process.stdin is not None
    tagged, numbers = common.three_words(sentences, seed=1), count()
    while page := list(islice(tagged, PAGE)):
        if has_new_words:
            rows = [tw.Sentence.from_words([*each.forms, f"w{next(numbers):x}"]) for each in page]
        else:
            rows = [tw.Sentence.from_words(each.forms, upos=each.upos) for each in page]
        process.stdin.write("".join(f"{row}\n" for row in rows).encode())
    process.stdin.close()


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000, help="how many sentences to parse")
    parser.add_argument("--threads", type=int, default=1, help="of the parser")
    parser.add_argument("--new-words", action="store_true", help="many word types, which are tagged")
    options = common.parse(parser)
    command = [sys.executable, "-m", "treewright", "parse", "en", "-", "--input", "conllu", "--fast", "--quiet"]
    parsing = subprocess.Popen(
        [*command, "--threads", str(options.threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    writer = threading.Thread(target=feed, args=(parsing, options.sentences, options.new_words), daemon=True)
    writer.start()
    assert parsing.stdout is not None
    print(f"{'sentences':>10} {'seconds':>8} {'MB':>7}")
    start, parsed, sizes = time.monotonic(), 0, []
    for line in parsing.stdout:
        if line != b"\n":
            continue
        parsed += 1
        if parsed % max(1, options.sentences // 10) == 0 and parsing.poll() is None and parsed < options.sentences:
            sizes.append(resident_megabytes(parsing.pid))
            print(f"{parsed:>10,} {time.monotonic() - start:>8.1f} {sizes[-1]:>7.1f}", flush=True)
    status = parsing.wait()
    if status or parsed != options.sentences:
        raise SystemExit(f"{parsed:,} of {options.sentences:,} sentences were parsed; exit status {status}")
    growth = max(sizes) - sizes[0] if sizes else 0.0
    print(f"{parsed:,} sentences in {time.monotonic() - start:.0f} s; {growth:.1f} MB more than after the first tenth")


if __name__ == "__main__":
    main()
