"""`treewright get` makes a model of a treebank from a server or a folder, and continues what was interrupted."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from oracles.pipelines import PARSER, written
from oracles.processes import LIMIT, Run, full_disk, runner
from oracles.servers import FileServer, file_server

import treewright as tw
from treewright.cli import get as command
from treewright.corpus import Sentence
from treewright.languages.catalogue import find_treebank
from treewright.learn import Learning
from treewright.pipeline import Pipeline
from treewright.tagger import TaggerOptions
from treewright.tokeniser import TokeniserOptions

SMALL: dict[str, Any] = {
    "options": replace(PARSER, model="arc"),
    "tagger_options": TaggerOptions(tags=Learning(bits=12, epochs=2), lemmas=Learning(bits=10, epochs=1)),
    "tokeniser_options": TokeniserOptions(learning=Learning(bits=12, epochs=2, rate=0.2, adagrad_epsilon=0.1)),
    "folds": 2,
}
COUNTS = {"train": 30, "dev": 6, "test": 5}
MAX_KILLS = 20
LICENCE = "The licence of the treebank.\n"


def bank(count: int, seed: int) -> list[Sentence]:
    """Sentences with names and lemmas, without the comment text."""
    return [
        replace_id(one.with_columns(lemmas=[form.lower() for form in one.forms]), f"s{seed}-{number}")
        for number, one in enumerate(written(count, seed), 1)
    ]


def replace_id(sentence: Sentence, name: str) -> Sentence:
    sentence.sent_id = name
    return sentence


def content_of(part: str) -> bytes:
    file = io.BytesIO()
    tw.write(bank(COUNTS[part], list(COUNTS).index(part)), file)
    return file.getvalue()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as running:
        for part in COUNTS:
            running.files[f"/r2.16/UD_Irish-IDT/ga_idt-ud-{part}.conllu"] = content_of(part)
        running.files["/r2.16/UD_Irish-IDT/LICENSE.txt"] = LICENCE.encode()
        yield running


@pytest.fixture
def source(server: FileServer) -> str:
    return f"{server.address}/r{{release}}/UD_{{treebank}}"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright get arguments` with small models and a home of its own."""
    monkeypatch.setenv("TREEWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("treewright.languages.download.PAUSE", 0.0)
    plan = Pipeline.plan
    monkeypatch.setattr(Pipeline, "plan", lambda *banks, **how: plan(*banks, **{**SMALL, **how}))
    return runner(monkeypatch, capsys, "get")


def requested(server: FileServer) -> list[str]:
    return [path.rpartition("/")[2] for path, _ in server.requests]


def test_a_language_is_downloaded_checked_trained_and_installed(
    run: Run, server: FileServer, source: str, tmp_path: Path
) -> None:
    ended = run("ga", "--from", source)
    assert (ended.returncode, ended.stdout) == (0, "")
    home = tmp_path / "home"
    assert "treewright: Irish-IDT 2.16 (CC BY-SA 3.0) in " in ended.stderr
    assert "treewright: checked: 41 findings (41 text); `treewright check " in ended.stderr
    assert 'treewright parse ga, or tw.load("ga"), uses it\n' in ended.stderr
    figures, published = ended.stderr.splitlines()[-2:]
    assert figures.startswith("from the raw text of test (F1): Tokens 100.00")
    assert published.endswith("UD 2.5 Irish-IDT: Words 99.7, UPOS 90.0, UAS 76.8, LAS 66.4")
    assert sorted(path.name for path in (home / "models").iterdir()) == ["ga.md", "ga.tw"]
    assert list((home / "unfinished").iterdir()) == []
    nlp = tw.load("ga")
    assert isinstance(nlp, Pipeline)
    expected = {"name": "ga", "language": "Irish", "treebank": "Irish-IDT", "release": "2.16", "figures_of": "test"}
    assert expected.items() <= nlp.metadata.items()
    assert nlp.metadata["licence_text"] == LICENCE
    assert f"LAS {nlp.metadata['figures']['LAS']:.2f}" in figures
    assert f"| LAS | {nlp.metadata['figures']['LAS']:.2f} |" in (home / "models" / "ga.md").read_text()
    assert nlp("The dog sees a house.")[0].upos == ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    server.requests.clear()
    again = run("ga", "--from", source)
    assert again.stderr == "treewright: ga is installed already; `treewright models remove ga` removes it\n"
    assert server.requests == []


def test_a_broken_download_is_continued_by_the_same_command(run: Run, server: FileServer, source: str) -> None:
    server.breaks = [50, 60] + [0] * 5
    ended = run("ga", "--from", source)
    assert ended.returncode == 1
    assert "no connection to 127.0.0.1" in ended.stderr
    assert ended.stderr.count("\n") == 1
    server.requests.clear()
    assert run("ga", "--from", source, "-q").returncode == 0
    assert server.requests[0] == ("/r2.16/UD_Irish-IDT/ga_idt-ud-train.conllu", "bytes=110-")


def test_a_full_disk_is_named_and_the_same_command_continues(run: Run, source: str, tmp_path: Path) -> None:
    with full_disk():
        ended = run("ga", "--from", source, "-q")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert re.fullmatch(rf"treewright: {tmp_path}/home/.+: File too large\n", ended.stderr), ended.stderr
    assert not list(tmp_path.glob("home/models/*"))
    assert run("ga", "--from", source, "-q").returncode == 0
    assert sorted(path.name for path in tmp_path.glob("home/models/*")) == ["ga.md", "ga.tw"]


def test_what_is_finished_is_not_done_again(
    run: Run, server: FileServer, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "f1_figures", interrupt)
        assert run("ga", "--from", source, "-q").returncode == 130
    server.requests.clear()
    monkeypatch.setattr(Pipeline, "plan", interrupt)  # the model is trained: there is nothing to plan
    assert run("ga", "--from", source, "-q").returncode == 0
    assert server.requests == []


def test_an_interrupted_training_ends_with_the_same_model(
    run: Run, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "home" / "models" / "ga.tw"
    assert run("ga", "--from", source, "-q").returncode == 0
    uninterrupted = model.read_bytes()
    model.unlink()
    train = tw.Parser.train

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tw.Parser, "train", interrupt)
    stopped = run("ga", "--from", source, "-q")
    assert stopped.returncode == 130
    assert not model.exists()
    monkeypatch.setattr(tw.Parser, "train", train)
    assert run("ga", "--from", source, "-q").returncode == 0
    assert model.read_bytes() == uninterrupted


@pytest.mark.slow
def test_killed_whenever_it_writes_a_file_it_ends_with_the_same_model(source: str, tmp_path: Path) -> None:
    def start(home: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "treewright", "get", "ga", "--from", source, "-q"]
        environment = {**os.environ, "TREEWRIGHT_HOME": str(home), "NO_PROXY": "*"}
        return subprocess.Popen(command, env=environment, start_new_session=True)

    homes = [tmp_path / "whole", tmp_path / "killed"]
    assert start(homes[0]).wait(LIMIT) == 0
    kills = 0
    while (process := start(homes[1])).poll() is None and kills < MAX_KILLS:
        before = set(homes[1].rglob("*"))
        while process.poll() is None and set(homes[1].rglob("*")) <= before:
            time.sleep(0.01)
        if process.poll() is None:
            process.kill()
            kills += 1
        process.wait()
        if process.returncode == 0:
            break
    else:
        assert process.wait(LIMIT) == 0
    assert kills > 5
    whole, killed = ((home / "models" / "ga.tw").read_bytes() for home in homes)
    assert whole == killed


def test_a_file_that_was_damaged_on_disk_is_downloaded_again(
    run: Run, server: FileServer, source: str, tmp_path: Path
) -> None:
    assert run("ga", "--from", source, "-q").returncode == 0
    [dev] = (tmp_path / "home" / "treebanks").glob("*/ga_idt-ud-dev.conllu")
    dev.write_bytes(b"damaged")
    (tmp_path / "home" / "models" / "ga.tw").unlink()
    server.requests.clear()
    assert run("ga", "--from", source, "-q").returncode == 0
    assert requested(server) == ["ga_idt-ud-dev.conllu"]
    dev.write_bytes(b"damaged")
    server.files["/r2.16/UD_Irish-IDT/ga_idt-ud-dev.conllu"] = b"another file"
    ended = run("ga", "--from", source)
    assert ended.returncode == 1
    assert "the file is not the one that was downloaded first" in ended.stderr


def test_a_release_on_disk_is_used_with_any_layout(run: Run, tmp_path: Path) -> None:
    layouts = {"ud-treebanks-v2.15/UD_Irish-IDT": "ga_idt-ud-{}.conllu", "other/Irish-IDT": "{}.conllu"}
    for folder, pattern in layouts.items():
        place = tmp_path / folder
        place.mkdir(parents=True)
        for part in COUNTS:
            (place / pattern.format(part)).write_bytes(content_of(part))
    assert run("Irish-IDT", "--from", str(tmp_path / "ud-treebanks-v2.15"), "-q").returncode == 0
    made = Pipeline.load("ga_idt")
    assert made.metadata["release"] == "2.15"
    assert run("ga", "--from", str(tmp_path / "other"), "-q").returncode == 0
    assert Pipeline.load("ga").metadata["release"] == ""
    ended = run("de", "--from", str(tmp_path / "other"))
    assert ended.returncode == 1
    assert "no files of German-GSD; expected UD_German-GSD/de_gsd-ud-train.conllu" in ended.stderr
    assert "there is no such folder" in run("de", "--from", "nowhere").stderr


def test_without_dev_and_test_a_tenth_of_train_gives_the_figures(run: Run, server: FileServer, source: str) -> None:
    for part in ("dev", "test"):
        del server.files[f"/r2.16/UD_Irish-IDT/ga_idt-ud-{part}.conllu"]
    del server.files["/r2.16/UD_Irish-IDT/LICENSE.txt"]
    ended = run("ga", "--from", source)
    assert ended.returncode == 0
    assert "from the raw text of the last tenth of train (F1): Tokens" in ended.stderr


def test_a_treebank_that_the_server_does_not_have_is_named(run: Run, server: FileServer, source: str) -> None:
    ended = run("de", "--from", source)
    assert ended.returncode == 1
    assert "/UD_German-GSD/de_gsd-ud-train.conllu: the server has no such file\n" in ended.stderr


def test_a_licence_that_does_not_allow_every_use_must_be_accepted(run: Run, server: FileServer, source: str) -> None:
    ended = run("hi", "--from", source)
    assert ended.returncode == 1
    assert ended.stderr == (
        "treewright: Hindi-HDTB and models of it have the licence CC BY-NC-SA 4.0, which does not allow every use; "
        "add --yes to accept it\n"
    )
    assert server.requests == []
    assert "no such file" in run("hi", "--from", source, "--yes").stderr  # accepted


def test_a_licence_is_shown_and_asked_for_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def confirm(question: str, err: bool) -> bool:
        asked.append(question)
        return len(asked) == 1

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    command.accept_licence(find_treebank("hi"), False)
    assert "licence CC BY-NC-SA 4.0" in asked[0]
    with pytest.raises(typer.Exit):
        command.accept_licence(find_treebank("hi"), False)
    command.accept_licence(find_treebank("de"), False)
    assert len(asked) == 2


def test_a_damaged_model_is_made_again(run: Run, source: str, tmp_path: Path) -> None:
    model = tmp_path / "home" / "models" / "ga.tw"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"damaged")
    assert run("ga", "--from", source, "-q").returncode == 0
    assert Pipeline.load("ga").metadata["language"] == "Irish"


def test_the_embedded_model_keeps_its_name(run: Run, server: FileServer, source: str, tmp_path: Path) -> None:
    for part in COUNTS:
        server.files[f"/r2.16/UD_English-EWT/en_ewt-ud-{part}.conllu"] = content_of(part)
    assert run("en", "--from", source, "-q").returncode == 0
    assert [path.name for path in (tmp_path / "home" / "models").glob("*.tw")] == ["en_ewt.tw"]


def test_an_unknown_language_is_a_sentence(run: Run) -> None:
    ended = run("Klingon")
    assert ended.returncode == 1
    assert ended.stderr.startswith("treewright: Klingon: no language or treebank of the table has this name")
