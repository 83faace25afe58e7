"""The distribution in models/: entry points, files, limits; installed, each model parses a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from oracles.pages import REPO, table_of
from oracles.processes import run_process

from treewright.languages.catalogue import find_treebank
from treewright.languages.installed import InstalledModel

MODELS = REPO / "models"
PACKAGE = MODELS / "treewright_models"
TEXTS = {  # a sentence, and the number of its words
    "af": ("Die hond slaap.", 4),
    "fr": ("Elle parle au directeur.", 6),
    "ga": ("Tá an cat ina chodladh.", 6),
    "lt": ("Šuo miega namuose.", 4),
    "pt": ("O menino dorme na casa.", 7),
    "ru": ("Собака спит дома.", 4),
    "th": ("ฉันกินข้าว", 3),
    "vi": ("Tôi ăn cơm .", 4),
}
SCRIPT = """
import json, sys
import treewright as tw
for name, text in json.load(sys.stdin).items():
    [sentence] = tw.load(name)(text)
    print(name, len(sentence), sum(head == 0 for head in sentence.heads))
"""


def project() -> dict[str, object]:
    with open(MODELS / "pyproject.toml", "rb") as file:
        content: dict[str, object] = tomllib.load(file)["project"]
    return content


def present() -> list[str]:
    """The names of the models whose files are there."""
    names = [name for name in TEXTS if (PACKAGE / f"{name}.tw").exists()]
    if not names:
        pytest.skip("no model file in models/treewright_models; `make models DATA=folder` trains them")
    return names


def test_entry_points_are_those_of_the_eight_languages() -> None:
    points = project()["entry-points"]
    assert isinstance(points, dict)
    assert points["treewright.models"] == {name: f"treewright_models:{name}" for name in sorted(TEXTS)}
    rows = table_of(MODELS / "README.md", "name")
    assert [row[0].strip("`") for row in rows] == sorted(TEXTS)
    for _, language, treebank, licence in rows:
        entry = find_treebank(treebank)
        assert (entry.language, entry.licence, entry.is_free) == (language, licence, True)


def test_models_are_small_and_have_card_and_licence() -> None:
    sizes = {name: (PACKAGE / f"{name}.tw").stat().st_size for name in present()}
    assert max(sizes.values()) <= 5_000_000
    assert sum(sizes.values()) <= 36_000_000
    for name in sizes:
        metadata = InstalledModel(name, PACKAGE / f"{name}.tw", "").metadata()
        assert f"| LAS | {metadata['figures']['LAS']:.2f} |" in (PACKAGE / f"{name}.md").read_text(encoding="utf-8")
        assert (PACKAGE / f"{name}.LICENSE.txt").stat().st_size > 0


def test_installed_models_parse_a_sentence_of_their_language(tmp_path: Path) -> None:
    names = present()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation"]
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([*pip, "--target", str(tmp_path), str(MODELS)], check=True, timeout=300, env=env)
    texts = {name: TEXTS[name][0] for name in names}
    ended = run_process(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": str(tmp_path)},
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [f"{name} {TEXTS[name][1]} 1" for name in names]
