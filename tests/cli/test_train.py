"""`treewright train --only parser`: what it writes, how it resumes, what it refuses."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import written
from oracles.processes import Ended, Run, run_process, runner, started_process
from oracles.treebank import treebank

import treewright as tw
from treewright.model import checkpoint as checkpoints
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring, options
from treewright.parser.options import root_kind

TINY = ParserOptions(
    pruning=Pruning(bits=8, folds=2, epochs=2),
    scoring=Scoring(bits=10, epochs=3),
    labelling=Labelling(bits=8, epochs=2),
)
CYCLE = "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t1\troot\t_\t_\n\n"
GOOD = "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright train arguments` in a folder with two small treebanks and with small tables."""
    monkeypatch.chdir(tmp_path)
    tw.write(treebank(30), "train.conllu")
    tw.write(treebank(8, seed=1), "dev.conllu")

    def small(model: str, projective: bool | None, root: str | None, seed: int, learner: str) -> ParserOptions:
        return replace(TINY, model=model, projective=projective, root=root, seed=seed, learner=learner)

    monkeypatch.setattr("treewright.cli.train.ParserOptions", small)
    return runner(monkeypatch, capsys, "train", "--only", "parser")


def test_options_are_resolved_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[str] = []

    def counted(sentences: Sequence[tw.Sentence]) -> str:
        chosen.append(root_kind(sentences))
        return chosen[-1]

    monkeypatch.setattr(options, "root_kind", counted)
    run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc")
    assert chosen == [tw.Parser.load("model.tw").options.root]


def test_a_model_a_line_an_epoch_and_a_summary(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "sib")
    assert (ended.returncode, ended.stdout) == (0, "")
    lines = ended.stderr.splitlines()
    assert len(lines) == 4 + 2 * 2 + 2 + 3 + 2 + 1 + 1
    assert lines[0].startswith("settings  model sib, projective True, root single, seed 1, learner crf")
    assert lines[2].startswith("  scoring  bits 10, epochs 3, rate 0.05, adagrad_epsilon 3.0, margin 1.0")
    assert lines[4].startswith("fold 1    epoch 1/2  loss 0.")
    assert "UAS " in lines[-5]
    assert "pruning recall " in lines[-5]
    assert "LAS " in lines[-3]
    assert lines[-2].startswith("confidence  epoch 1/1  head temperature ")
    assert lines[-1].startswith("model.tw: sib, projective, one root, 9 relations; trained on 30 sentences")
    assert sorted(os.listdir()) == ["dev.conllu", "model.tw", "train.conllu"]
    assert tw.Parser.load("model.tw").options.model == "sib"


def test_json_has_the_figures_and_every_epoch(run: Run) -> None:
    found = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--json", "--quiet")
    assert found.stderr == ""
    summary = json.loads(found.stdout)
    gold = list(tw.read("dev.conllu"))
    parsed = list(tw.Parser.load("model.tw").parse(gold))
    words = [pair for one, other in zip(gold, parsed, strict=True) for pair in zip(one, other, strict=True)]
    heads = sum(right.head == found.head for right, found in words)
    labelled = sum((right.head, right.deprel) == (found.head, found.deprel) for right, found in words)
    assert heads > 0.9 * len(words)
    assert summary["development"]["uas"] == pytest.approx(100 * heads / len(words), abs=0.01)
    assert summary["development"]["las"] == pytest.approx(100 * labelled / len(words), abs=0.01)
    assert summary["options"]["model"] == "arc"
    assert [epoch["stage"] for epoch in summary["epochs"]][-2:] == ["labeller", "confidence"]
    assert summary["epochs"][-4]["oracle"] > 90


def test_quiet_says_nothing(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--quiet")
    assert ended == Ended(0, "", "")


def test_options_reach_the_model(run: Run) -> None:
    choice = ("--nonprojective", "--root", "multi", "--seed", "7", "--epochs", "1")
    run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", *choice)
    options = tw.Parser.load("model.tw").options
    assert (options.projective, options.root, options.seed, options.scoring.epochs) == (False, "multi", 7, 1)
    assert (options.pruning.max_heads, options.pruning.threshold) == (Pruning.max_heads, Pruning.threshold)


def test_options_of_the_full_model_reach_it(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "full", "--learner", "pa")
    assert ended.returncode == 0
    parser = tw.Parser.load("model.tw")
    assert parser.options.learner == "pa"
    assert parser.model.factors is not None
    assert parser.model.tensor is not None


def test_restarts_have_two_epochs_each_or_share_those_given(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--restarts", "2", "--epochs", "5")
    scoring = tw.Parser.load("model.tw").options.scoring
    assert (scoring.restarts, scoring.epochs) == (2, 5)
    monkeypatch.setattr(
        "treewright.cli.train.ParserOptions", lambda *given: replace(TINY, model=given[0], scoring=Scoring(bits=10))
    )
    run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--restarts", "4")
    scoring = tw.Parser.load("model.tw").options.scoring
    assert (scoring.restarts, scoring.epochs) == (4, 8)


def test_the_same_seed_gives_the_same_file(run: Run) -> None:
    for name in ("first.tw", "second.tw"):
        run("train.conllu", "--dev", "dev.conllu", "-o", name, "--model", "grand", "-q")
    assert Path("first.tw").read_bytes() == Path("second.tw").read_bytes()


@pytest.mark.parametrize("stop", [1, 4, 7, 9, 11])
def test_interrupted_after_any_epoch_it_goes_on_to_the_same_bytes(
    run: Run, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    arguments = ("train.conllu", "--dev", "dev.conllu", "--model", "sib", "-q")
    run(*arguments, "-o", "whole.tw")
    monkeypatch.setattr("treewright.model.checkpoint.CHECKPOINT_TIME_SHARE", math.inf)
    save, calls = checkpoints.save, []

    def save_and_stop(*given: Any) -> None:
        save(*given)
        calls.append(given)
        if len(calls) == stop:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "save", save_and_stop)
    ended = run(*arguments, "-o", "model.tw")
    assert ended.returncode != 0
    assert "--resume continues from model.tw.checkpoint" in ended.stderr
    assert Path("model.tw.checkpoint").exists()
    assert not Path("model.tw").exists()
    monkeypatch.setattr(checkpoints, "save", save)
    assert run(*arguments, "-o", "model.tw", "--resume").returncode == 0
    assert Path("model.tw").read_bytes() == Path("whole.tw").read_bytes()
    assert not Path("model.tw.checkpoint").exists()


KILLED = """
import math, sys
from treewright.cli.app import main
from treewright.parser import Labelling, ParserOptions, Pruning, Scoring, options
from treewright.parser.options import root_kind
import treewright.parser as room
small = Pruning(bits=8, folds=2), Scoring(bits=14, epochs=40), Labelling(bits=8)
room.ParserOptions = lambda *given: ParserOptions(*given, *small)
from treewright.model import checkpoint
checkpoint.CHECKPOINT_TIME_SHARE = math.inf
sys.argv[0] = "treewright"
main()
"""


def test_killed_it_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    tw.write(treebank(60), tmp_path / "train.conllu")
    tw.write(treebank(8, seed=1), tmp_path / "dev.conllu")
    (tmp_path / "run.py").write_text(KILLED)
    command = [
        sys.executable,
        "run.py",
        "train",
        "--only",
        "parser",
        "train.conllu",
        "--dev",
        "dev.conllu",
        "--model",
        "sib",
        "-q",
    ]
    run_process([*command, "-o", "whole.tw"], cwd=tmp_path, check=True)
    checkpoint = tmp_path / "model.tw.checkpoint"
    with started_process([*command, "-o", "model.tw"], cwd=tmp_path) as training:
        while training.poll() is None and not checkpoint.exists():
            time.sleep(0.001)
        time.sleep(0.05)  # somewhere in some epoch
        training.send_signal(signal.SIGKILL)
    assert training.returncode == -signal.SIGKILL
    for name in ("model.tw.partial", "model.tw.checkpoint.partial"):  # as if it had been killed while it wrote
        (tmp_path / name).write_bytes(b"0" * 10_000_000)
    run_process([*command, "-o", "model.tw", "--resume"], cwd=tmp_path, check=True)
    assert (tmp_path / "model.tw").read_bytes() == (tmp_path / "whole.tw").read_bytes()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["dev.conllu", "model.tw", "run.py", "train.conllu", "whole.tw"]


def interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the checkpoint of a training of `arc`."""
    with monkeypatch.context() as patched:
        save = checkpoints.save

        def save_and_stop(*given: Any) -> None:
            save(*given)
            raise KeyboardInterrupt

        patched.setattr(checkpoints, "save", save_and_stop)
        run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "-q")


def test_a_checkpoint_is_not_overwritten(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(run, monkeypatch)
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc")
    assert ended.returncode == 1
    assert "model.tw.checkpoint: a training was interrupted here; continue it with resume, or delete it" in ended.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("--model", "sib"), "another training: model arc (now sib); use the same data and options"),
        (("--model", "arc", "--seed", "2"), "another training: seed 1 (now 2)"),
        (("--model", "arc", "--epochs", "9"), "another training: scoring epochs 3 (now 9)"),
        (("--model", "arc", "--dev", "train.conllu"), "another training: other development data"),
    ],
)
def test_the_checkpoint_of_another_training_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, change: tuple[str, ...], message: str
) -> None:
    interrupted(run, monkeypatch)
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--resume", *change)
    assert ended.returncode == 1
    assert message in ended.stderr


def test_the_checkpoint_of_other_data_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(run, monkeypatch)
    tw.write(treebank(29), "train.conllu")
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--resume")
    assert "another training: other training data; use the same data and options, or delete it" in ended.stderr


def test_a_damaged_checkpoint_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(run, monkeypatch)
    whole = Path("model.tw.checkpoint").read_bytes()
    Path("model.tw.checkpoint").write_bytes(whole[: len(whole) // 2])
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--resume")
    assert ended.returncode == 1
    assert "damaged" in ended.stderr
    assert "delete it to start again" in ended.stderr


def test_resume_without_a_checkpoint_begins_at_the_beginning(run: Run) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--resume", "-q")
    assert ended.returncode == 0, ended.stderr
    run("train.conllu", "--dev", "dev.conllu", "-o", "other.tw", "--model", "arc", "-q")
    assert Path("model.tw").read_bytes() == Path("other.tw").read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bad.conllu: the file is empty; expected at least one sentence"),
        (GOOD + CYCLE, "bad.conllu:4: the heads run in a circle: 1 <- 2 <- 1; expected a tree"),
        ("\x00\x01\n", "bad.conllu:1: "),
    ],
)
@pytest.mark.parametrize("role", ["train", "dev"])
def test_bad_treebanks_are_named_by_file_and_line(run: Run, text: str, message: str, role: str) -> None:
    Path("bad.conllu").write_text(text)
    files = ("bad.conllu", "--dev", "dev.conllu") if role == "train" else ("train.conllu", "--dev", "bad.conllu")
    ended = run(*files, "-o", "model.tw")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"treewright: {message}")
    assert not Path("model.tw").exists()


def test_partial_trees_are_trained_on_and_counted(run: Run) -> None:
    tw.write([opened(sentence) for sentence in treebank(30)], "partial.conllu")
    ended = run("partial.conllu", "-o", "model.tw", "--model", "arc")
    assert ended.returncode == 0
    assert "treewright: training data: " in ended.stderr
    assert re.search(r"training data: 27 of \d+ heads and 27 of \d+ relations are open \(_\)", ended.stderr)
    assert re.search(r"development data: 3 of \d+ heads and 3 of \d+ relations are open \(_\)", ended.stderr)
    assert "on 3 development sentences UAS" in ended.stderr
    assert "certified" not in ended.stderr  # only trees that are not are named


def opened(sentence: tw.Sentence) -> tw.Sentence:
    """The sentence without the head and the relation of its first word."""
    return sentence.with_columns(heads=[-1, *sentence.heads[1:]], deprels=["_", *sentence.deprels[1:]])


def test_heads_of_the_training_and_the_development_data_must_not_all_be_open(run: Run) -> None:
    tw.write([sentence.with_columns(heads=[-1] * len(sentence)) for sentence in treebank(3)], "open.conllu")
    ended = run("open.conllu", "--dev", "dev.conllu", "-o", "model.tw")
    assert "the training data has only _ in HEAD; `treewright induce` learns a parser without heads" in ended.stderr
    ended = run("train.conllu", "--dev", "open.conllu", "-o", "model.tw")
    assert "the development data has only _ in HEAD; give some heads, or leave it out" in ended.stderr


def test_two_roots_in_a_partial_tree_are_named_by_file_and_line(run: Run) -> None:
    Path("roots.conllu").write_text(GOOD.replace("\t2\tnsubj", "\t0\troot"))
    ended = run("roots.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--root", "single")
    assert ended.stderr.startswith("treewright: roots.conllu:2: 2 words are attached to the root: 1, 2; expected one")


def test_bad_sentences_can_be_left_out(run: Run) -> None:
    Path("some.conllu").write_text(GOOD + CYCLE + GOOD)
    ended = run("some.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--model", "arc", "--skip-bad")
    assert ended.returncode == 0
    assert "left out 1 bad sentence: some.conllu:4: the heads run in a circle" in ended.stderr
    assert tw.Parser.load("model.tw").model.metadata["sentences"] == 2


def test_nothing_left_is_an_error(run: Run) -> None:
    Path("bad.conllu").write_text(CYCLE)
    ended = run("bad.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--skip-bad")
    assert ended.returncode == 1
    assert "bad.conllu: no sentence is left to train with" in ended.stderr


def test_two_roots_where_one_was_asked_for(run: Run) -> None:
    Path("two.conllu").write_text(GOOD.replace("\t2\tnsubj", "\t0\troot"))
    ended = run("two.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--root", "single")
    assert ended.returncode == 1
    assert "two.conllu:2: 2 words are attached to the root: 1, 2; expected one" in ended.stderr


@pytest.mark.parametrize(
    ("output", "code", "message"),
    [
        ("absent/model.tw", 1, "absent/model.tw: there is no folder absent; make it first"),
        (".", 1, ".: a folder; give the name of a file"),
        ("-", 2, "a model is a file; give it a name"),
    ],
)
def test_where_it_cannot_write_is_said_at_once(run: Run, output: str, code: int, message: str) -> None:
    ended = run("train.conllu", "--dev", "dev.conllu", "-o", output)
    assert ended.returncode == code
    assert message in ended.stderr


def test_without_dev_the_last_tenth_is_held_out(run: Run) -> None:
    ended = run("train.conllu", "-o", "model.tw", "--model", "arc")
    assert ended.returncode == 0
    assert "treewright: no --dev: 3 of 30 sentences are held out to choose the best epoch\n" in ended.stderr
    assert "trained on 27 sentences" in ended.stderr
    tw.write(treebank(30)[:27], "first.conllu")
    tw.write(treebank(30)[27:], "last.conllu")
    run("first.conllu", "--dev", "last.conllu", "-o", "same.tw", "--model", "arc", "-q")
    assert Path("model.tw").read_bytes() == Path("same.tw").read_bytes()


def test_one_sentence_cannot_be_divided(run: Run) -> None:
    Path("one.conllu").write_text(GOOD)
    ended = run("one.conllu", "-o", "model.tw")
    assert (ended.returncode, ended.stderr) == (
        1,
        "treewright: one.conllu: one sentence, of which none can be held out; give --dev\n",
    )


@pytest.mark.parametrize(("component", "stage"), [("tagger", "tags"), ("tokeniser", "tokens")])
def test_json_of_a_component_has_its_size_and_every_epoch(run: Run, component: str, stage: str) -> None:
    tw.write(written(20, 0), "train.conllu")  # sentences with a text
    tw.write(written(5, 1), "dev.conllu")
    arguments = ("train.conllu", "--dev", "dev.conllu", "-o", "model.tw", "--only", component, "--epochs", "2")
    ended = run(*arguments, "--json", "-q")
    assert (ended.returncode, ended.stderr) == (0, "")
    report = json.loads(ended.stdout)
    assert report["file"] == "model.tw"
    assert report["bytes"] == Path("model.tw").stat().st_size
    assert report["words"] == tw.Treebank.read("train.conllu").words
    assert [one["epoch"] for one in report["epochs"] if one["stage"] == stage] == [1, 2]
    assert report["options"]["seed"] == 1


def test_the_share_of_case_noise_is_saved_with_the_tagger(run: Run) -> None:
    tw.write(treebank(20), "train.conllu")
    arguments = ("train.conllu", "-o", "model.tw", "--only", "tagger", "--epochs", "1", "--case-noise")
    ended = run(*arguments, "0.35", "--json", "-q")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["options"]["case_noise"] == 0.35
    assert tw.tagger.Tagger.load("model.tw").model.options.case_noise == 0.35
    ended = run(*arguments, "1.5")
    assert ended.returncode == 2
    assert "--case-noise is 1.5; expected a number, at least 0, at most 1" in ended.stderr


def test_options_of_another_component_are_refused(run: Run) -> None:
    ended = run("train.conllu", "-o", "model.tw", "--only", "tagger", "--model", "arc")
    assert ended.returncode == 2
    assert "--only tagger has no such option" in ended.stderr
    ended = run("train.conllu", "-o", "model.tw", "--case-noise", "0.1")
    assert ended.returncode == 2
    assert "--only parser has no such option" in ended.stderr
    ended = run("train.conllu", "-o", "model.tw", "--columns", "upos")
    assert ended.returncode == 2
    assert "--only parser has no such option" in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="devices are those of POSIX")
@pytest.mark.parametrize(("minor", "returncode"), [(3, 0), (7, 1)])  # as /dev/null; as /dev/full: every write fails
def test_devices_stay_devices_and_have_no_checkpoint_beside_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minor: int, returncode: int
) -> None:
    device = tmp_path / "devices" / "device"
    device.parent.mkdir()
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        device.open("wb").close()
    except OSError:
        pytest.skip("devices may not be made or opened here")

    def refuse(*args: Any) -> None:
        raise AssertionError(f"a checkpoint was written to {args[0]}")

    monkeypatch.setattr(checkpoints, "save", refuse)
    ended = run("train.conllu", "-o", str(device), "--model", "arc", "-q")
    assert ended.returncode == returncode, ended.stderr
    assert ended.stderr == (f"treewright: {device}: No space left on device\n" if returncode else "")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(device.parent.iterdir()) == [device]


def test_a_lexicon_gives_lemmas(run: Run) -> None:
    tw.write(written(20, 1), "train.conllu")
    Path("words.tsv").write_text("dormice\tNOUN\t_\tdormouse\n", encoding="utf-8")
    arguments = ("train.conllu", "-o", "model.tw", "--only", "tagger", "--epochs", "1", "--lexicon", "words.tsv")
    assert run(*arguments).returncode == 0
    [tagged] = tw.tagger.Tagger.load("model.tw").tag([tw.Sentence.from_words(["dormice"], upos=["NOUN"])], keep=True)
    assert tagged.lemmas == ["dormouse"]
    Path("words.tsv").write_text("dormice\tNOUN\tdormouse\n", encoding="utf-8")
    refused = run(*arguments)
    assert refused.returncode == 1
    assert "words.tsv:1: 3 columns; expected form, UPOS, FEATS and lemma with tabs between" in refused.stderr
