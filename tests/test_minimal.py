"""If only one test file is run then this is the one: it runs on every built wheel."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import treewright as tw


def test_the_native_core_decodes() -> None:
    arc = np.array([[0, 9, 2], [0, 0, 7], [0, 3, 0]], dtype=float)
    parse = tw.decode.tree(arc)
    assert parse.heads.tolist() == [-1, 0, 1]
    assert parse.score == 16.0
    assert parse.certified


def test_the_command_line_answers() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "treewright", "--version"], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout == f"treewright {tw.__version__}\n"
