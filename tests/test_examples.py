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
