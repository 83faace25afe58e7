"""The files around the package agree with each other: version, licences, lower bounds."""

from __future__ import annotations

import doctest
import re
from importlib import metadata

import lowest_versions
from oracles.pages import REPO

import treewright as tw


def test_the_version_is_the_same_everywhere() -> None:
    assert metadata.version("treewright") == tw.__version__
    citation = (REPO / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.M) == [tw.__version__]
    newest = re.search(r"^## (\S+)", (REPO / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest is not None
    assert newest[1] == tw.__version__


def test_the_licence_texts_that_notice_names_are_installed() -> None:
    notice = (REPO / "NOTICE").read_text(encoding="utf-8")
    names = set(re.findall(r"licenses/\w+\.txt", notice))
    assert names == {f"licenses/{path.name}" for path in (REPO / "licenses").iterdir()}
    declared = metadata.metadata("treewright").get_all("License-File", [])
    assert names | {"LICENSE", "NOTICE", "src/treewright/pipeline/models/LICENSE"} == set(declared)


def test_the_lowest_versions_are_read_from_the_project_file() -> None:
    assert doctest.testmod(lowest_versions).failed == 0
