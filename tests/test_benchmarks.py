"""Every benchmark starts and prints its help, also where the packages that it compares are not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from oracles.pages import REPO
from oracles.processes import run_process

FILES = sorted(REPO.glob("benchmarks/*/*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_benchmark_prints_its_help(path: Path) -> None:
    result = run_process([sys.executable, str(path), "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "DATA" in result.stdout
