"""`treewright annotate`: which project it makes or opens."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.projects import TREEBANK

from treewright.cli.annotate import open_project
from treewright.errors import InputError


def test_files_open_their_project_again_and_other_files_do_not(tmp_path: Path) -> None:
    repository = tmp_path / "UD.v2"
    repository.mkdir()
    for name in ("dev.conllu", "train.conllu"):
        (repository / name).write_bytes(TREEBANK.encode())
    (repository / "dev.txt").write_text("It rains.")
    expected = {"dev.conllu": "dev.project", ".": "UD.v2.project"}
    for given, project in expected.items():
        for _ in range(2):
            with open_project([repository / given], "none", quiet=True) as opened:
                assert opened.folder.name == project
    with pytest.raises(InputError, match=r"dev.project is the project of other files; `treewright"):
        open_project([repository / "dev.txt"], "none", quiet=True)
    with pytest.raises(InputError, match=r"adds .*train.conllu to it"):
        open_project([repository / "dev.conllu", repository / "train.conllu"], "none", quiet=True)
    with open_project([repository / "dev.project"], "none", quiet=True) as opened:
        assert opened.records.documents() == ["dev.conllu"]
