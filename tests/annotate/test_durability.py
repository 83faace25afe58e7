"""A process that is killed loses nothing that it acknowledged: every operation is stored exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from oracles.projects import TREEBANK, Make

from treewright.annotate import Project, StoreError

# Sends operations op-FIRST, op-FIRST+1, ... and prints the number of each when it is acknowledged.
SCRIPT = """
import sys
from random import Random
from treewright.annotate import Project, ConflictError
folder, number = sys.argv[1], int(sys.argv[2])
project = Project.open(folder)
print("open", flush=True)
while True:
    rng = Random(number)
    state = project.state(rng.randint(1, 3), "me")
    size = len(state.words)
    ops = [{"kind": "upos", "word": rng.randint(1, size), "upos": rng.choice(["X", "NOUN", "VERB"])},
           {"kind": "deprel", "word": rng.randint(1, size), "deprel": rng.choice(["dep", "obj"])}]
    if state.id == 2 and rng.random() < 0.1 and size < 40:
        ops.append({"kind": "insert_word", "word": size, "form": "w"})
    answer = project.apply(state.id, "me", "me", f"op-{number}", state.revision, ops)
    print(number, answer.seq, flush=True)
    number += 1
"""


def kill_often(project: Path, kills: int) -> dict[int, int]:
    """Start the script, kill it at a random moment, start it again; return what was acknowledged."""
    rng = Random(1)
    acknowledged: dict[int, int] = {}
    for _ in range(kills):
        first = 1 + max(acknowledged, default=0)
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, os.fspath(project), str(first)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        time.sleep(rng.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        for line in output.splitlines():
            number, _, seq = line.partition(" ")
            if seq:
                acknowledged[int(number)] = int(seq)
    return acknowledged


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_kills(make: Make, kills: int) -> None:
    made = make()
    made.close()
    acknowledged = kill_often(made.folder, kills)
    assert acknowledged
    with Project.open(made.folder) as project:
        assert project.check() == []
        stored = {event.op_id: event.seq for event in project._store.events("kind = 'ops'")}
        for number, seq in acknowledged.items():
            assert stored[f"op-{number}"] == seq
        assert len(stored) - len(acknowledged) <= kills  # at most the operation in flight was not acknowledged
        last = max(acknowledged)
        event = project._store.events("op_id = ?", f"op-{last}")[0]
        again = project.apply(event.sentence, "me", "me", f"op-{last}", 0, [])
        assert (again.seq, again.is_repeated) == (event.seq, True)
        count = 0
        for sentence in (1, 2, 3):
            while project.state(sentence, "me").can_undo:
                count += 1
                project.undo(sentence, "me", "me", f"undo-{count}")
        assert count == len(stored)
        [(_, data)] = project.export()
        assert data.decode() == TREEBANK
        assert project.check() == []


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is read-only for root")
def test_read_only_folder(make: Make) -> None:
    made = make()
    made.close()
    os.chmod(made.folder, 0o500)
    try:
        with pytest.raises(StoreError, match="read-only; nothing can be stored there"):
            Project.open(made.folder)
    finally:
        os.chmod(made.folder, 0o700)
