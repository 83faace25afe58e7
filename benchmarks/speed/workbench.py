"""How long does a decision in the workbench take, from the request to the answer?

A project of English-EWT (dev) is served with the embedded English model, on loopback. In sentences of 31 to 40 words
the second alternative of a word is taken and taken back. Milliseconds: as the server measures itself (Server-Timing, its
parts and its total) and as the client waits, median and 95th percentile; and the seconds from the command to the first
tree. Asked for: decision 50 ms, alternatives 30 ms (server, p95, idle machine), first tree 5 s.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

FILE = Path("ud", "English-EWT", "dev.conllu")
STEPS = 100


class Client:
    """Requests to a workbench, and their times by name."""

    def __init__(self, url: str) -> None:
        self._origin, _, self._token = url.partition("/#token=")
        self.times: dict[str, list[float]] = defaultdict(list)

    def call(self, step: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request, and note its times below the name of a step."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        start = time.perf_counter()
        with urlopen(Request(f"{self._origin}/api/v1/{path}", content, headers)) as answer:
            value = json.load(answer)
            timing = answer.headers.get("Server-Timing", "")
        self.times[f"{step}, client"].append(1000 * (time.perf_counter() - start))
        for part, milliseconds in re.findall(r"(\w+);dur=([\d.]+)", timing):
            self.times[f"{step}, {part}"].append(float(milliseconds))
        return value


def main() -> None:
    arguments = common.arguments(__doc__)
    given = common.parse(arguments, needs=str(FILE))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "dev.conllu")
        source.write_bytes((given.data / FILE).read_bytes())
        start = time.perf_counter()
        command = [sys.executable, "-m", "treewright", "annotate", str(source), "--no-browser", "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            client = Client(server.stdout.readline().strip())
            client.call("first tree", "sentences/1")
            print(f"first tree {time.perf_counter() - start:.1f} s after the command; load {os.getloadavg()[0]:.1f}")
            measure(client)
            server.terminate()
    print(f"{'milliseconds':28} {'count':>6} {'p50':>8} {'p95':>8}")
    for name, times in client.times.items():
        if len(times) > 1:
            p50, p95 = np.percentile(times, [50, 95])
            print(f"{name:28} {len(times):6} {p50:8.1f} {p95:8.1f}")


def measure(client: Client) -> None:
    """Take alternatives and take them back, STEPS times."""
    first = client.call("list", "sentences?limit=200")
    second = client.call("list", f"sentences?limit=200&after={first['next']}")
    sentences = [item for item in first["sentences"] + second["sentences"] if 31 <= item["words"] <= 40]
    for step in range(STEPS):
        sentence = sentences[step // 4 % len(sentences)]["id"]
        state = client.call("open", f"sentences/{sentence}")
        word = 5 + 5 * (step % 4)
        listed = client.call("alternatives", f"sentences/{sentence}/alternatives?word={word}")["alternatives"]
        if len(listed) < 2:
            continue
        op = {"kind": "head", "word": word, "head": listed[1]["head"]}
        body = {"op_id": f"op{step}", "base": state["revision"], "cursor": word, "ops": [op]}
        client.call("decision", f"sentences/{sentence}/ops", body)
        client.call("undo", f"sentences/{sentence}/undo", {"op_id": f"undo{step}"})


if __name__ == "__main__":
    main()
