"""The scripts in examples/ run, and print what they printed when somebody last looked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def output_of(script: str) -> str:
    command = [sys.executable, str(EXAMPLES / script)]
    return subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout


def test_own_scores(golden: Callable[[str, str], None]) -> None:
    golden("own_scores.txt", output_of("own_scores.py"))


def test_train_your_own() -> None:
    found = output_of("train_your_own.py")
    assert "Parser(model='sib', non-projective, 12 labels)" in found
    assert "The      det    < 3" in found
    assert "no tree scores higher" in found


def test_complete_treebank() -> None:
    found = output_of("complete_treebank.py")
    assert "   8 expected   acl:relcl  < 2  filled in" in found
    assert "   1 The        det        < 3  decided" in found
    assert "bridge-1: the whole sentence (probability 0." in found
    assert "<words>:1: the heads run in a circle: 1 <- 2 <- 1; expected a tree" in found
