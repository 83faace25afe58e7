"""`treewright models` lists, removes and packs models; names lead to installed ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.pipelines import pipeline
from oracles.processes import Run, run_process, runner

import treewright as tw
from treewright.languages.wheels import write_wheel
from treewright.pipeline import Pipeline

METADATA = {
    "name": "ga",
    "language": "Irish",
    "treebank": "Irish-IDT",
    "release": "2.16",
    "training_data": "Universal Dependencies Irish-IDT 2.16, train",
    "licence": "CC BY-SA 3.0",
    "licence_text": "The licence of the treebank.",
    "figures": {"UAS": 82.0, "LAS": 73.24},
    "figures_of": "test",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one model, Irish."""
    folder = tmp_path / "home"
    (folder / "models").mkdir(parents=True)
    monkeypatch.setenv("TREEWRIGHT_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    replace(pipeline(), metadata=METADATA).save(folder / "models" / "ga.tw")
    (folder / "models" / "ga.md").write_text("# ga\n")
    return folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


def test_installed_models_are_listed_with_their_facts(run: Run, home: Path) -> None:
    lines = run("models").stdout.splitlines()
    assert lines[0].split() == ["name", "language", "treebank", "licence", "MB", "LAS", "from"]
    [row] = [line for line in lines if line.startswith("ga ")]
    size = f"{(home / 'models' / 'ga.tw').stat().st_size / 1e6:.1f}"
    assert row.split() == ["ga", "Irish", "Irish-IDT", "CC", "BY-SA", "3.0", size, "73.24", "get"]
    assert any(line.startswith("en ") and line.endswith("embedded") for line in lines)
    rows = json.loads(run("models", "list", "--json").stdout)
    assert [row["LAS"] for row in rows if row["name"] == "ga"] == [73.24]


@pytest.mark.parametrize("content", [b"", b"no model", b"\xff" * 1000])
def test_a_damaged_file_is_named_and_the_others_are_listed(run: Run, home: Path, content: bytes) -> None:
    damaged = home / "models" / "de.tw"
    damaged.write_bytes(content)
    found = run("models")
    assert found.returncode == 0
    assert {"de", "en", "ga"} <= {line.split()[0] for line in found.stdout.splitlines()}
    assert str(damaged) in found.stderr
    problems = {row["name"]: row["problem"] for row in json.loads(run("models", "--json").stdout)}
    assert str(damaged) in problems.pop("de")
    assert set(problems.values()) == {None}


def test_available_languages_are_listed(run: Run) -> None:
    lines = run("models", "--available").stdout.splitlines()
    assert lines[0].split() == ["code", "language", "treebank", "release", "licence", "words"]
    assert any(line.split() == ["de", "German", "German-GSD", "2.16", "CC", "BY-SA", "4.0", "292000"] for line in lines)


def test_a_name_leads_to_an_installed_model(run: Run) -> None:
    nlp = tw.load("ga")
    assert isinstance(nlp, Pipeline)
    assert nlp.metadata["language"] == "Irish"
    ended = run("parse", "ga", "--text", "The dog sees a house.", "-q")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "\tdog\t" in ended.stdout


def test_a_language_that_is_not_installed_is_answered_with_the_command_that_makes_it(run: Run) -> None:
    ended = run("parse", "de", "--text", "Es regnet.")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "treewright: German is not installed; `treewright get de` makes it in a few minutes, from the treebank "
        "German-GSD (CC BY-SA 4.0); installed: en, en_phrases, ga\n"
    )


def test_a_model_is_removed_with_its_card_and_others_are_refused(run: Run, home: Path) -> None:
    assert "cannot be removed" in run("models", "remove", "en").stderr
    ended = run("models", "remove", "ga")
    assert (ended.returncode, ended.stderr) == (0, f"treewright: removed {home / 'models' / 'ga.tw'}\n")
    assert list((home / "models").iterdir()) == []
    assert run("models", "remove", "ga").stderr == (
        "treewright: ga is not installed; models made by `treewright get`: none\n"
    )


def test_a_wheel_has_model_licence_card_and_entry_point(run: Run, tmp_path: Path) -> None:
    ended = run("models", "wheel", "ga", "-o", "dist")
    assert ended.stdout == "dist/treewright_model_ga-1.2.16-py3-none-any.whl\n"
    again = write_wheel(tmp_path / "home" / "models" / "ga.tw", tmp_path)
    assert again.read_bytes() == Path(ended.stdout.strip()).read_bytes()
    with zipfile.ZipFile(again) as archive:
        info = "treewright_model_ga-1.2.16.dist-info"
        assert archive.read(f"{info}/entry_points.txt") == b"[treewright.models]\nga = treewright_model_ga:MODEL\n"
        assert b"The licence of the treebank." in archive.read(f"{info}/licenses/LICENSE.txt")
        assert b"| LAS | 73.24 |" in archive.read("treewright_model_ga/MODEL_CARD.md")
        assert b"\nLicense: CC BY-SA 3.0\n" in archive.read(f"{info}/METADATA")


def test_a_model_without_a_licence_or_with_a_bad_name_is_refused(run: Run) -> None:
    pipeline().save("my.tw")
    pipeline().save("My model.tw")
    assert run("models", "wheel", "my.tw").stderr == (
        "treewright: my.tw does not say its licence; add --licence NAME\n"
    )
    assert run("models", "wheel", "my.tw", "--licence", "MIT").stdout == "treewright_model_my-1.0-py3-none-any.whl\n"
    assert "cannot be the name of a package" in run("models", "wheel", "My model.tw", "--licence", "MIT").stderr


def test_an_installed_wheel_is_found_by_its_name(run: Run, home: Path, tmp_path: Path) -> None:
    wheel = run("models", "wheel", "ga", "-o", "dist").stdout.strip()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", "site", wheel]
    subprocess.run(pip, check=True, timeout=120, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    (home / "models" / "ga.tw").unlink()
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = "import treewright as tw; print(tw.load('ga').metadata['language'])"
    loaded = run_process([sys.executable, "-c", command], capture_output=True, text=True, env=env)
    assert loaded.stdout == "Irish\n", loaded.stderr
    listed = run_process([sys.executable, "-m", "treewright", "models"], capture_output=True, text=True, env=env)
    assert any(line.startswith("ga ") and line.endswith("treewright-model-ga") for line in listed.stdout.splitlines())
    removed = run_process(
        [sys.executable, "-m", "treewright", "models", "remove", "ga"], capture_output=True, text=True, env=env
    )
    assert "pip uninstall treewright-model-ga" in removed.stderr
