"""Packages that are not installed are answered by the install line."""

from __future__ import annotations

import sys

import pytest

import treewright as tw

INSTALL = r"needs the package pyarrow: pip install 'treewright\[arrow\]'"


def test_a_missing_pyarrow_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(tw.errors.MissingExtra, match=f"to_arrow {INSTALL}"):
        tw.to_arrow([])
    with pytest.raises(tw.errors.MissingExtra, match=f"from_arrow {INSTALL}"):
        tw.from_arrow([])


def test_a_missing_pandas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tw.errors.MissingPackage, match="needs the package pandas: pip install pandas"):
        tw.to_pandas([])
