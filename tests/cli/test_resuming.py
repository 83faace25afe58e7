"""Ctrl-C in `treewright parse -o FILE` keeps finished sentences; --resume gives the bytes of an undisturbed run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.pipelines import pipeline, text_of
from oracles.processes import Ended, Run, runner

from treewright.cli.shared import Summary

Interrupted = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return run(*arguments): `treewright parse my.tw arguments`, in a folder with a text of ten sentences."""
    monkeypatch.chdir(tmp_path)
    pipeline().save("my.tw")
    Path("a.txt").write_text(text_of(10, seed=1))
    return runner(monkeypatch, capsys, "parse", "my.tw")


@pytest.fixture
def run_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> Interrupted:
    """Return run_interrupted(after, *arguments), which presses Ctrl-C after some sentences."""

    def interrupted(after: int, *arguments: str) -> Ended:
        count = Summary.count_parse
        with monkeypatch.context() as patch:

            def counted(summary: Summary, *parsed: object) -> None:
                if summary.sentences == after:
                    raise KeyboardInterrupt
                count(summary, *parsed)  # type: ignore[arg-type]

            patch.setattr(Summary, "count_parse", counted)
            return run(*arguments)

    return interrupted


@pytest.mark.parametrize("output", ["out.conllu", "out.conllu.gz"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_resumed_output_has_the_same_bytes(run: Run, run_interrupted: Interrupted, output: str, threads: str) -> None:
    arguments = ("a.txt", "-o", output, "--threads", threads)
    assert run(*arguments, "-q").returncode == 0
    expected = Path(output).read_bytes()
    Path(output).unlink()
    for after in (3, 1, 2):
        ended = run_interrupted(after, *arguments, "--resume")
        assert ended.returncode == 130
        kept = {3: 3, 1: 4, 2: 6}[after]
        message = f"kept {kept} finished sentences in {output}.part; add --resume to the command to continue"
        assert ended.stderr == f"treewright: interrupted: {message}\n"
        assert not Path(output).exists()
    ended = run(*arguments, "--resume")
    assert ended.stderr.startswith("treewright: 4 sentences, ")
    assert Path(output).read_bytes() == expected
    assert sorted(path.name for path in Path.cwd().glob("out*")) == [output]


def test_interrupted_before_the_first_sentence_nothing_is_kept(run_interrupted: Interrupted) -> None:
    ended = run_interrupted(0, "a.txt", "-o", "out.conllu")
    assert (ended.returncode, ended.stderr) == (130, "treewright: interrupted\n")
    assert not list(Path.cwd().glob("out*"))


def test_in_a_folder_complete_outputs_are_not_repeated(run: Run, run_interrupted: Interrupted) -> None:
    Path("b.txt").write_text(text_of(4, seed=2))
    run("a.txt", "b.txt", "-o", "whole/", "-q")
    assert run_interrupted(12, "a.txt", "b.txt", "-o", "parsed/").returncode == 130
    assert sorted(path.name for path in Path("parsed").iterdir()) == ["a.conllu", "b.conllu.part"]
    assert run("a.txt", "b.txt", "-o", "parsed/", "--resume").stderr.startswith("treewright: 2 sentences, ")
    for name in ("a.conllu", "b.conllu"):
        assert Path("parsed", name).read_bytes() == Path("whole", name).read_bytes()


def test_the_part_of_another_input_is_refused(run: Run, run_interrupted: Interrupted) -> None:
    run_interrupted(3, "a.txt", "-o", "out.conllu")
    Path("a.txt").write_text(text_of(10, seed=7))
    ended = run("a.txt", "-o", "out.conllu", "--resume")
    assert ended.returncode == 1
    assert "out.conllu.part: sentence 1 is not that of a.txt; delete the file, or leave out --resume" in ended.stderr
    assert run("a.txt", "-o", "out.conllu", "-q").returncode == 0
    assert not Path("out.conllu.part").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt"], "--resume: it needs a file (-o FILE), whose finished sentences are in FILE.part"),
        (["a.txt", "-o", "out.html"], "--resume: only CoNLL-U is continued; use -o FILE.conllu"),
        (["a.txt", "-o", "out.conllu", "--kbest", "2"], "--kbest cannot be continued; leave out --resume"),
    ],
)
def test_what_cannot_be_resumed_is_refused(run: Run, arguments: list[str], message: str) -> None:
    ended = run(*arguments, "--resume")
    assert (ended.returncode, message in ended.stderr.splitlines()[0]) == (2, True), ended.stderr
