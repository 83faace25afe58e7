"""`treewright parse`: what it writes, as a filter and to files, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.pipelines import PARSER, parser_file
from oracles.processes import Run, runner, started_process
from oracles.treebank import treebank

import treewright as tw
from treewright.cli.options import SECONDS_HELP
from treewright.parser.long_sentences import MAX_WHOLE
from treewright.parser.worker import MAX_SECONDS

INPUT = """# newdoc id = fables
# sent_id = a
# text = don't see it
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes
1\tdo\tdo\tDET\t_\t_\t_\t_\t_\tKeep=1
2\tn't\tnot\tNOUN\t_\tPolarity=Neg\t_\t_\t_\t_
2.1\tyou\tyou\tPRON\t_\t_\t_\t_\t3:nsubj\t_
3\tsee\tsee\tVERB\t_\t_\t1\told\t0:root|2:x\tOdd||Cell
4\tit\tit\tNOUN\t_\t_\t2\t_\t_\t_

# sent_id = b

1\tRun\trun\tVERB\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return parser_file(tmp_path_factory.mktemp("model"), replace(PARSER, projective=False))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright parse arguments` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys, "parse")


def blanked(text: str) -> str:
    """The text without heads, relations and our comment."""
    lines = [line for line in text.split("\n") if not line.startswith("# treewright = ")]
    return "\n".join(re.sub(r"^(\d+\t(?:[^\t]*\t){5})[^\t]*\t[^\t]*", r"\1_\t_", line) for line in lines)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_head_and_relation_change(run: Run, model: str, newline: str) -> None:
    Path("in.conllu").write_bytes(INPUT.replace("\n", newline).encode())
    ended = run(model, "in.conllu", "-o", "out.conllu", "--keep-deps")
    assert (ended.returncode, ended.stdout) == (0, "")
    written = Path("out.conllu").read_bytes().decode()
    assert written.count(f"# treewright = certified{newline}") == 2  # too short to be pruned
    assert blanked(written.replace("\r\n", "\n")) == blanked(INPUT)
    for sentence in tw.read("out.conllu", check="single-root"):
        assert "_" not in sentence.deprels


def test_a_filter(run: Run, model: str) -> None:
    ended = run(model, "--no-comment", "--keep-deps", stdin=INPUT)
    assert ended.returncode == 0
    assert blanked(ended.stdout) == blanked(INPUT)
    assert "# treewright" not in ended.stdout
    assert re.fullmatch(
        r"treewright: 2 sentences, 5 words, \d+ words a second\n",
        ended.stderr,
    )


def test_each_sentence_is_answered_before_the_next_is_sent(model: str) -> None:
    first, second = INPUT.split("\n\n", 1)
    command = [sys.executable, "-m", "treewright", "parse", model, "-q"]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(first + "\n\n")
        lines = [process.stdout.readline() for _ in range(10)]
        assert lines[-1].startswith("4\tit")
        process.stdin.write(second)
        process.stdin.close()
        assert "1\tRun\trun\tVERB\t_\t_\t0\t" in process.stdout.read()
    assert process.returncode == 0


def test_parsing_again_replaces_what_was_said(run: Run, model: str) -> None:
    once = run(model, "--confidence", stdin=INPUT).stdout
    again = run(model, "--confidence", stdin=once).stdout
    assert again == once
    assert once.count("# treewright = ") == 2
    assert once.count("|Confidence=") + once.count("\tConfidence=") == 5
    assert once.count("|LabelConfidence=") == 5
    assert re.search(r"Odd\|\|Cell\|Confidence=[01]\.\d{4}\|LabelConfidence=[01]\.\d{4}\n", once)


@pytest.mark.parametrize("method", ["exact", "dd", "climb", "rearrange", "ilp"])
def test_every_method(run: Run, model: str, method: str) -> None:
    ended = run(model, "--method", method, "-q", stdin=INPUT)
    assert ended.returncode == 0
    for sentence in tw.read(io.StringIO(ended.stdout), check="single-root"):
        status = r"certified|gap [\d.e-]+|not certified"
        if method == "climb":
            status = r"best of \d+ climbs, not certified"
        assert re.fullmatch(status, str(sentence.comment("treewright")))


def test_the_summary_of_climbed_trees_says_how_they_were_found(run: Run, model: str) -> None:
    ended = run(model, "--method", "climb", stdin=INPUT)
    assert re.search(r"a second, 2 trees not certified: the best of up to [1-9]\d* climbs\n$", ended.stderr)


def test_threads_give_the_same_bytes(run: Run, model: str) -> None:
    tw.write(treebank(150, seed=3), "in.conllu")
    one, three = (run(model, "in.conllu", "--confidence", "-q", "--threads", count).stdout for count in ("1", "3"))
    assert one == three


def test_json_goes_where_there_is_room(run: Run, model: str) -> None:
    Path("in.conllu").write_text(INPUT)
    to_file, to_stdout = run(model, "in.conllu", "-o", "out.conllu", "--json"), run(model, "in.conllu", "--json")
    for text in (to_file.stdout, to_stdout.stderr):
        summary = json.loads(text)
        assert (summary["sentences"], summary["words"], summary["certified"]) == (2, 5, 1.0)


def test_old_columns_have_no_comments(run: Run, model: str) -> None:
    Path("in.conll").write_text("1\tdogs\t_\tNOUN\tNOUN\t_\t_\t_\t_\t_\n2\tbark\t_\tVERB\tVERB\t_\t_\t_\t_\t_\n\n")
    ended = run(model, "in.conll", "-q")
    assert ended.returncode == 0
    assert "#" not in ended.stdout
    assert [sentence.heads.tolist() for sentence in tw.read(io.StringIO(ended.stdout), "conllx")] == [[2, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "in.conllu: the file is empty; expected at least one sentence"),
        ("rubbish\n\n", "in.conllu:1: 1 column in 'rubbish'"),
        (INPUT + "1\tx\t_\t_\t_\t_\t9\t_\t_\t_\n\n", "in.conllu:15: "),
    ],
)
def test_rubbish_is_named_and_leaves_no_file(run: Run, model: str, text: str, message: str) -> None:
    Path("in.conllu").write_text(text)
    ended = run(model, "in.conllu", "-o", "out.conllu")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"treewright: {message}")
    assert os.listdir() == ["in.conllu"]


def test_rubbish_can_be_left_out(run: Run, model: str) -> None:
    ended = run(model, "--skip-bad", stdin="rubbish\n\n" + INPUT)
    assert ended.returncode == 0
    assert ended.stdout.count("sent_id") == 2
    assert "left out 1 bad sentence: <stdin>:1: 1 column in 'rubbish'" in ended.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no.tw: there is no such file"), (b"weights", "no.tw: not a model file, or a damaged one")],
)
def test_no_model(run: Run, content: bytes | None, message: str) -> None:
    if content is not None:
        Path("no.tw").write_bytes(content)
    ended = run("no.tw", stdin=INPUT)
    assert ended.returncode == 1
    assert message in ended.stderr


def test_unknown_method(run: Run, model: str) -> None:
    ended = run(model, "--method", "guess", stdin=INPUT)
    assert ended.returncode == 2
    assert "--method is guess; expected one of exact, " in ended.stderr


def test_a_search_without_time_leaves_a_gap(run: Run, model: str) -> None:
    parts = treebank(30)
    forms, tags = ([cell for part in parts for cell in getattr(part, name)][:MAX_WHOLE] for name in ("forms", "upos"))
    tw.write(tw.Sentence.from_words(forms, upos=tags), "long.conllu")
    assert "# treewright = gap" in run(model, "long.conllu", "--max-seconds", "0").stdout
    assert "# treewright = gap" not in run(model, "long.conllu", "--max-seconds", "0", "--projective").stdout


def test_the_help_tells_the_limit_that_holds() -> None:
    assert f"{MAX_SECONDS:g} if not given" in SECONDS_HELP


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["--projective", "--nonprojective"])
def test_a_thousand_words_within_the_limit(run: Run, model: str, shape: str) -> None:
    parts = treebank(140, seed=4)
    forms, tags = ([cell for part in parts for cell in getattr(part, name)][:1000] for name in ("forms", "upos"))
    tw.write(tw.Sentence.from_words(forms, upos=tags), "long.conllu")
    ended = run(model, "long.conllu", "-o", "out.conllu", "--json", "--max-seconds", "5", shape)
    assert ended.returncode == 0
    [sentence] = tw.read("out.conllu", check="single-root")
    assert len(sentence) == 1000
    assert json.loads(ended.stdout)["seconds"] < 120
