"""Projects of a small treebank."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracles.projects import TREEBANK, Make

from treewright.annotate import Project


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "trees.conllu"
    path.write_bytes(TREEBANK.encode())
    return path


@pytest.fixture
def make(tmp_path: Path, treebank: Path) -> Iterator[Make]:
    """Make a project of the treebank, or of other files; it is closed at the end."""
    made: list[Project] = []

    def make(*files: Path, **options: Any) -> Project:
        project = Project.create(tmp_path / f"project{len(made)}", files or [treebank], **options)
        made.append(project)
        return project

    yield make
    for project in made:
        project.close()
