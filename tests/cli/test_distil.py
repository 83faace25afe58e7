"""`treewright distil`: each sentence of the texts once, balanced over them, and continued after any interruption."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from oracles.pipelines import pipeline, text_of
from oracles.processes import Run, runner

import treewright as tw

ARGUMENTS = ("distil", "my.tw", "a.txt", "b.txt", "-o", "out.conllu")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return run(*arguments): `treewright arguments` in a folder with two texts, which share their first sentences."""
    monkeypatch.chdir(tmp_path)
    pipeline().save("my.tw")
    Path("a.txt").write_text(text_of(12, seed=1))
    Path("b.txt").write_text(text_of(4, seed=2) + " " + text_of(3, seed=1))
    return runner(monkeypatch, capsys)


def forms_in(path: str) -> list[tuple[str, ...]]:
    return [tuple(sentence.forms) for sentence in tw.read(path)]


def test_each_sentence_is_parsed_once_and_sources_take_turns(run: Run) -> None:
    assert run(*ARGUMENTS, "-q").returncode == 0
    found = forms_in("out.conllu")
    nlp = tw.Pipeline.load("my.tw")
    first, second = ({tuple(each.forms) for each in nlp(Path(name).read_text())} for name in ("a.txt", "b.txt"))
    assert len(set(found)) == len(found)
    assert set(found) == {forms for forms in first | second if len(forms) >= 3}
    own = {forms for forms in second - first if len(forms) >= 3}
    assert [forms in own for forms in found[: 2 * len(own)]] == [False, True] * len(own)
    assert all(sentence.heads.min() >= 0 for sentence in tw.read("out.conllu"))
    assert not Path("out.conllu.part").exists()


def test_what_a_treebank_has_is_left_out_and_words_are_limited(run: Run) -> None:
    run(*ARGUMENTS, "-q")
    whole = list(tw.read("out.conllu"))
    tw.write(whole[:3], "dev.conllu")
    run(*ARGUMENTS, "-q", "--without", "dev.conllu")
    assert sorted(forms_in("out.conllu")) == sorted(tuple(sentence.forms) for sentence in whole[3:])
    run(*ARGUMENTS, "-q", "--stop-after", "20")
    words = sum(map(len, forms_in("out.conllu")))
    assert 20 - max(map(len, whole)) < words <= 20


def test_a_killed_run_is_continued_to_the_same_bytes(run: Run) -> None:
    """A kill may leave any number of bytes."""
    run(*ARGUMENTS, "-q")
    expected = Path("out.conllu").read_bytes()
    for size in (0, 1, len(expected) // 3, len(expected) // 2, len(expected) - 1, len(expected)):
        Path("out.conllu").unlink()
        Path("out.conllu.part").write_bytes(expected[:size])
        assert run(*ARGUMENTS, "-q", "--resume").returncode == 0
        assert Path("out.conllu").read_bytes() == expected


def test_what_another_run_left_is_not_continued(run: Run) -> None:
    run(*ARGUMENTS, "-q")
    Path("out.conllu").rename("out.conllu.part")
    found = run(*ARGUMENTS, "--seed", "2", "--resume")
    assert found.returncode == 1
    assert "sentence 1 is not that of the texts; delete the file, or leave out --resume" in found.stderr
    assert run(*ARGUMENTS, "--seed", "2").returncode == 0  # which begins anew


@pytest.mark.parametrize("output", ["-", "out.conllu.gz"])
def test_an_output_that_cannot_be_continued_is_refused(run: Run, output: str) -> None:
    assert run(*ARGUMENTS[:4], "-o", output).returncode == 2


def test_a_link_stays_and_a_device_is_refused(run: Run) -> None:
    Path("folder").mkdir()
    Path("out.conllu").symlink_to("folder/real.conllu")
    assert run(*ARGUMENTS, "-q").returncode == 0
    assert Path("out.conllu").is_symlink()
    assert forms_in("folder/real.conllu")
    Path("out.conllu").unlink()
    os.mkfifo("out.conllu")
    result = run(*ARGUMENTS, "-q")
    assert (result.returncode, "is no file" in result.stderr) == (2, True)
    assert Path("out.conllu").is_fifo()
