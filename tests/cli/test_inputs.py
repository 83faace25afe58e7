"""Several inputs and a folder, progress by bytes, the speed in summaries, files that are not text."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline, written
from oracles.processes import Run, runner

import treewright as tw
from treewright.cli import inputs
from treewright.cli.inputs import open_meter, size_of
from treewright.cli.shared import Summary
from treewright.corpus import Sentence
from treewright.decode import Parse
from treewright.evaluate import batches
from treewright.model import modelfile
from treewright.pipeline import read_input

TEXTS = {"a.txt": "The dog sees a house.\n", "b.txt": "Every teacher hears this song. The old dog sees.\n"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright arguments` in a folder with texts, sentences and a model."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    tw.write(written(3, 5), "c.conllu")
    tw.write(written(2, 6), "d.conllu")
    pipeline().save("my.tw")
    return runner(monkeypatch, capsys)


def names(folder: str) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


# -- several inputs


def test_each_input_has_the_output_that_it_has_alone(run: Run) -> None:
    ended = run("parse", "my.tw", "a.txt", "b.txt", "c.conllu", "-o", "parsed/")
    assert ended.returncode == 0
    assert names("parsed") == ["a.conllu", "b.conllu", "c.conllu"]
    for name in ("a.txt", "b.txt", "c.conllu"):
        alone = run("parse", "my.tw", name, "-q").stdout
        assert Path("parsed", name).with_suffix(".conllu").read_text() == alone
    assert ended.stderr.startswith("treewright: 6 sentences, ")  # one summary of all


def test_the_embedded_model_parses_several_inputs(run: Run) -> None:
    assert run("parse", "a.txt", "b.txt", "-o", "parsed/", "-q").returncode == 0
    assert names("parsed") == ["a.conllu", "b.conllu"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("json", ["a.jsonl", "b.jsonl"]),
        ("html", ["a.html", "b.html"]),
        ("text", ["a.txt", "b.txt"]),
        ("svg", ["a/1.svg", "b/1.svg", "b/2.svg"]),
    ],
)
def test_outputs_have_the_extension_of_the_format(run: Run, form: str, expected: list[str]) -> None:
    assert run("parse", "my.tw", "a.txt", "b.txt", "--to", form, "-o", "out/", "-q").returncode == 0
    assert names("out") == expected


@pytest.mark.parametrize(
    "command", [("complete", "my.tw"), ("tag", "run", "my.tw")], ids=lambda command: " ".join(command[:2])
)
def test_other_commands_write_into_a_folder_too(run: Run, command: tuple[str, ...]) -> None:
    assert run(*command, "c.conllu", "d.conllu", "-o", "out", "-q").returncode == 1  # no folder yet, and no slash
    assert run(*command, "c.conllu", "d.conllu", "-o", "out/", "-q").returncode == 0
    assert names("out") == ["c.conllu", "d.conllu"]
    assert Path("out/d.conllu").read_text() == run(*command, "d.conllu", "-q").stdout
    assert run("tag", "tokenise", "a.txt", "b.txt", "-o", "out", "-q").returncode == 0
    assert names("out") == ["a.conllu", "b.conllu", "c.conllu", "d.conllu"]


def test_packed_inputs_lose_both_extensions(run: Run) -> None:
    Path("e.txt.gz").write_bytes(gzip.compress(TEXTS["a.txt"].encode()))
    assert run("parse", "my.tw", "e.txt.gz", "-o", "out/", "-q").returncode == 0
    assert names("out") == ["e.conllu"]


def test_two_inputs_of_one_output_are_refused_before_anything_is_written(run: Run) -> None:
    Path("more").mkdir()
    Path("more/a.txt").write_text("The dog.")
    ended = run("parse", "my.tw", "a.txt", "more/a.txt", "-o", "out/")
    assert ended.returncode == 1
    assert ended.stderr.startswith("treewright: a.txt and more/a.txt have the same output out/a.conllu; give them in")
    assert not Path("out").exists()


def test_an_input_is_never_overwritten(run: Run) -> None:
    before = Path("c.conllu").read_bytes()
    ended = run("parse", "my.tw", "a.txt", "c.conllu", "-o", ".")
    assert (ended.returncode, Path("c.conllu").read_bytes()) == (1, before)
    assert "c.conllu is an input and would be overwritten; choose another folder" in ended.stderr


def test_several_inputs_need_a_folder(run: Run) -> None:
    for output in ((), ("-o", "all.conllu")):
        ended = run("parse", "my.tw", "a.txt", "b.txt", *output)
        assert ended.returncode == 1
        assert "2 inputs need a folder, in which each has its own output (-o parsed/); to join them" in ended.stderr


def test_an_error_stops_the_work_and_the_complete_outputs_are_counted(run: Run) -> None:
    Path("bad.conllu").write_text("1\tonly\ttwo\n\n")
    ended = run("parse", "my.tw", "a.txt", "bad.conllu", "b.txt", "-o", "out/")
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "treewright: stopped at bad.conllu; the outputs of 1 of 3 inputs are complete",
        "treewright: bad.conllu:1: 3 columns in '1\\tonly\\ttwo'; expected the 10 of conllu, separated by tabs",
    ]
    assert names("out") == ["a.conllu"]


def test_a_missing_input_is_named_before_the_first_is_parsed(run: Run) -> None:
    ended = run("parse", "my.tw", "a.txt", "missing.txt", "-o", "out/")
    assert (ended.returncode, ended.stderr) == (1, "treewright: missing.txt: No such file or directory\n")
    assert not Path("out").exists()


def test_a_folder_is_no_input(run: Run) -> None:
    Path("texts").mkdir()
    ended = run("parse", "my.tw", "texts", "-o", "out/")
    assert (ended.returncode, ended.stderr) == (1, "treewright: texts: a folder; give its files, as in texts/*.txt\n")


# -- progress and speed


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Standard error is a terminal, whose text is kept."""
    import rich.console

    screen = io.StringIO()
    real = rich.console.Console

    def console(*, stderr: bool = False, **options: Any) -> Any:
        if not stderr:
            return real(**options)
        return real(file=screen, force_terminal=True, width=100)

    monkeypatch.setattr(rich.console, "Console", console)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    return screen


def read_slowly(path: str, meter: inputs.Meter) -> Iterator[float]:
    """The share of the work that is done after each sentence."""
    with tw.read(meter.source(path)) as reader:
        for _ in meter.track(reader):
            yield shown_share(meter)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_progress_is_the_share_of_the_bytes(
    tmp_path: Path, terminal: io.StringIO, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "long.conllu"
    text = "".join(f"{sentence}\n" for sentence in written(600, 1))
    path.write_bytes(pack(text.encode()))
    with open_meter([str(path)], quiet=False, output="x") as meter:
        shares = list(read_slowly(str(path), meter))
    assert len(shares) == 600
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    if pack is bytes:
        exact = [(number + 1) / 600 for number in range(600)]
        assert max(abs(share - line) for share, line in zip(shares, exact, strict=True)) < 0.25
    assert re.search(r"100%.*left 600 sentences", terminal.getvalue())


def test_the_total_is_that_of_all_inputs(tmp_path: Path, terminal: io.StringIO) -> None:
    paths = [str(tmp_path / name) for name in ("a", "b")]
    for path, size in zip(paths, (10, 30), strict=True):
        tw.write(written(size, 2), path)
    total = sum(Path(path).stat().st_size for path in paths)
    with open_meter(paths, quiet=False, output="x") as meter:
        *_, share = read_slowly(paths[0], meter)
        assert share == pytest.approx(Path(paths[0]).stat().st_size / total)
        *_, share = read_slowly(paths[1], meter)
        assert share == 1.0


def test_progress_of_raw_text_is_that_of_its_sentences(tmp_path: Path, terminal: io.StringIO) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Chaque élève écoute. " * 500)  # read as a whole before the first sentence is out
    with open_meter([str(path)], quiet=False, output="x") as meter:
        file = meter.source(str(path), "text")
        shares = [shown_share(meter) for _ in meter.track(read_input(file, "text"))]
        assert shown_share(meter) == 1.0
    exact = [(number + 1) / 500 for number in range(500)]
    assert max(abs(share - line) for share, line in zip(shares, exact, strict=True)) < 0.01


def shown_share(meter: inputs.Meter) -> float:
    assert meter._bar is not None
    task = meter._bar.tasks[0]
    assert task.total
    return task.completed / task.total


def test_without_a_size_sentences_are_counted(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "size_of", lambda source: None)
    with open_meter(["-"], quiet=False, output="x") as meter:
        assert meter.source("-") == "-"
        assert len(list(meter.track(written(3, 1)))) == 3
    assert "3 sentences" in terminal.getvalue()
    assert "%" not in terminal.getvalue()


def test_a_pipe_has_no_size(tmp_path: Path) -> None:
    assert size_of("/dev/null") is None
    (tmp_path / "five").write_text("12345")
    assert size_of(str(tmp_path / "five")) == 5


@pytest.mark.parametrize("quiet", [True, False])
def test_nothing_is_shown_where_there_is_no_terminal(
    tmp_path: Path, quiet: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_meter(["-"], quiet=quiet, output="x") as meter:
        assert len(list(meter.track(written(2, 1)))) == 2
    assert capsys.readouterr() == ("", "")


def test_the_clock_of_the_summary_starts_with_the_first_sentence() -> None:
    summary = Summary()
    time.sleep(0.2)  # imports, and the loading of a model
    with open_meter(["-"], quiet=True, output="x", start=summary.start) as meter:
        for sentence in meter.track(iter([Sentence.from_words(["a"])])):
            summary.count(sentence)
    assert summary.as_dict()["seconds"] < 0.1


def test_a_sentence_without_a_tree_does_not_count_among_the_trees() -> None:
    summary = Summary()
    summary.count(["a"], certified=None)
    assert "certified" not in summary.in_words()
    summary.count(["a"], certified=True)
    assert summary.as_dict()["certified"] == 1.0


def test_the_summary_names_trees_that_are_not_certified() -> None:
    summary = Summary()
    parse = Parse(np.array([-1, 0], np.int32), 1.0, 1.0, "eisner", 0.0)
    sentence = Sentence.from_words(["a"])
    summary.count_parse(sentence, parse)
    assert summary.in_words().endswith(" words a second")
    sentence.sent_id = "s2"
    summary.count_parse(sentence, replace(parse, gap=0.25, bound=1.25))
    assert summary.in_words().endswith(" words a second, 1 tree not certified: s2 (gap 0.25)")
    for number in range(3, 7):
        sentence.sent_id = f"s{number}"
        summary.count_parse(sentence, replace(parse, gap=np.inf, bound=np.inf, parts=number))
    named = "s2 (gap 0.25), s3 (joined from 3 parts), s4 (joined from 4 parts) and 2 more"
    assert summary.in_words().endswith(f" words a second, 5 trees not certified: {named}")


def test_the_summary_of_climbed_trees_says_what_is_certified() -> None:
    summary = Summary(climbs=2)
    summary.count(["a", "b"], certified=False)
    assert summary.in_words().endswith(", 1 tree not certified: the best of up to 2 climbs")
    summary.count(["a"], certified=True)
    assert summary.in_words().endswith(", 1 tree not certified: the best of up to 2 climbs")


@pytest.mark.parametrize("command", [("parse", "my.tw"), ("complete", "my.tw"), ("tag", "run", "my.tw")])
def test_the_speed_does_not_contain_the_loading_of_the_model(
    run: Run, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = modelfile.open_model

    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.5)
        return real(*arguments, **options)

    monkeypatch.setattr(modelfile, "open_model", slow)
    ended = run(*command, "c.conllu", "-o", "out.conllu", "--json")
    assert json.loads(ended.stdout)["seconds"] < 0.4


def test_an_evaluation_reports_the_share_that_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.conllu"
    tw.write(written(3, 5) * 2000, path)
    monkeypatch.setattr(batches, "BATCH", 1000)
    shares: list[float] = []
    tw.evaluate.evaluate(path, path, progress=shares.append)
    assert len(shares) >= 4
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.6
    assert shares[-1] == 1


def test_skipping_and_comparing_report_the_share_that_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.conllu"
    tw.write(written(3, 5) * 2000, path)
    monkeypatch.setattr(batches, "BATCH", 1000)
    shares: list[float] = []
    for evaluation in (
        lambda: tw.evaluate.evaluate(path, path, skip_bad=True, progress=shares.append),
        lambda: tw.evaluate.compare(path, path, path, samples=2, progress=shares.append),
        lambda: tw.evaluate.compare(path, path, path, samples=2, skip_bad=True, progress=shares.append),
    ):
        shares.clear()
        evaluation()
        assert len(shares) >= 4
        assert shares == sorted(shares)
        assert 0 < shares[0] < 0.6
        assert shares[-1] == 1


def test_eval_shows_the_share_and_the_time_left(run: Run, terminal: io.StringIO) -> None:
    assert run("eval", "c.conllu", "c.conllu").returncode == 0
    assert re.search(r"100%.*left", terminal.getvalue())


# -- files that are not what the command reads

READERS = {
    "parse": ("parse", "my.tw", "FILE"),
    "complete": ("complete", "my.tw", "FILE"),
    "tag run": ("tag", "run", "my.tw", "FILE"),
    "tag tokenise": ("tag", "tokenise", "en", "FILE"),
    "train": ("train", "FILE", "-o", "new.tw"),
    "train a parser": ("train", "c.conllu", "--dev", "FILE", "-o", "new.tw", "--only", "parser"),
    "induce": ("induce", "FILE", "-o", "new.tw", "-q"),
    "eval, gold": ("eval", "FILE", "c.conllu"),
    "eval, system": ("eval", "c.conllu", "FILE"),
    "show": ("show", "FILE"),
    "show, gold": ("show", "c.conllu", "--gold", "FILE", "-o", "x.html"),
}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 20


def refused_files() -> dict[str, tuple[bytes, str]]:
    text = TEXTS["b.txt"]
    return {
        "a.png": (PNG, "a PNG image; expected text in UTF-8"),
        "png.gz": (gzip.compress(PNG), "a PNG image; expected text in UTF-8"),
        "utf16.txt": (text.encode("utf-16"), "text in UTF-16; expected UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)"),
        "no-mark.txt": (text.encode("utf-16-le"), "text in UTF-16; expected UTF-8"),
        "model.conllu": (Path("my.tw").read_bytes(), "a model file; expected text in UTF-8"),
    }


@pytest.mark.parametrize("command", READERS)
def test_every_command_refuses_binary_files(run: Run, command: str) -> None:
    for name, (data, message) in refused_files().items():
        Path(name).write_bytes(data)
        ended = run(*(name if word == "FILE" else word for word in READERS[command]))
        assert ended.returncode == 1
        assert ended.stderr.splitlines()[-1].startswith(f"treewright: {name}:1: {message}")
        assert not Path("new.tw").exists()


@pytest.mark.parametrize("command", [name for name in READERS if name not in ("parse", "tag tokenise")])
def test_plain_text_is_recognised_where_sentences_are_expected(run: Run, command: str) -> None:
    ended = run(*("b.txt" if word == "FILE" else word for word in READERS[command]))
    remedy = "(`treewright parse en FILE` reads plain text)"
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (
        1,
        f"treewright: b.txt:1: plain text, without tabs; expected CoNLL-U {remedy}",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="file names of Windows have no line breaks")
@pytest.mark.parametrize("command", [["parse", "my.tw"], ["check"], ["show"], ["eval", "c.conllu"]])
def test_names_of_files_may_have_line_breaks(run: Run, command: list[str]) -> None:
    name = "a\nb.conllu"
    missing = run(*command, name)
    assert missing.returncode == 1
    assert missing.stderr.startswith("treewright: ")
    assert "Traceback" not in missing.stderr
    Path(name).write_bytes(Path("c.conllu").read_bytes())
    plain, odd = run(*command, "c.conllu"), run(*command, name)
    assert (odd.returncode, odd.stdout) == (plain.returncode, plain.stdout.replace("c.conllu:", f"{name}:"))


def test_drawing_is_not_counted_as_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    summary = Summary(begin=0.0)
    for sentence in summary.time([Sentence.from_words(["a"])] * 3):
        summary.count(sentence)
        for _ in range(100):
            next(clock)  # a second of drawing
    assert summary.as_dict()["seconds"] == 4.0  # one for each sentence, and one for their end
