"""`treewright parse` and raw text: the embedded model, every input and output, and what it says of rubbish."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from oracles.pipelines import pipeline, pipeline_file, text_of
from oracles.processes import Run, run_process, runner, started_process

import treewright as tw


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return pipeline_file(tmp_path_factory.mktemp("model"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright arguments` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def test_no_model_is_the_english_one(run: Run) -> None:
    ended = run("parse", "--text", "The old bridge creaked.")
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[4:7] == [
        "# treewright = certified",
        "1\tThe\tthe\tDET\tDT\tDefinite=Def|PronType=Art\t3\tdet\t_\tTokenRange=0:3",
        "2\told\told\tADJ\tJJ\tDegree=Pos\t3\tamod\t_\tTokenRange=4:7",
    ]
    assert re.fullmatch(r"treewright: 1 sentence, 5 words, \d+ words a second\n", ended.stderr)


def test_one_argument_is_a_model_or_a_file(run: Run, model: str) -> None:
    Path("letter.txt").write_text("The dog sees a house.")
    by_file = run("parse", "letter.txt", "-q").stdout
    assert run("parse", "en", "letter.txt", "-q").stdout == by_file
    assert run("parse", "en", "-q", stdin=b"The dog sees a house.").stdout == by_file
    Path("model").write_bytes(Path(model).read_bytes())  # whatever it is called
    by_model = run("parse", "model", "-q", stdin=b"The dog sees a house.").stdout
    assert by_model == run("parse", model, "letter.txt", "-q").stdout != by_file


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.txt", "The dog sees a house. Every teacher\nhears this song.\n", ()),
        ("a", "The dog sees a house.\r\n\r\nEvery teacher hears this song.", ()),
        ("a.txt", "The dog sees a house.\nEvery teacher hears this song.\n\n", ("--input", "lines")),
        ("a.jsonl", '"The dog sees a house."\n{"text": "Every teacher hears this song."}\n', ()),
        ("a", '{"words": ["The","dog","sees","a","house","."]}\n"Every teacher hears this song."\n', ()),
    ],
)
def test_every_input(run: Run, model: str, name: str, content: str, options: tuple[str, ...]) -> None:
    Path(name).write_text(content, newline="")
    ended = run("parse", model, name, "-o", "out.conllu", *options)
    assert ended.returncode == 0
    sentences = list(tw.read("out.conllu", check="single-root"))
    assert [sentence.forms[1] for sentence in sentences] == ["dog", "teacher"]
    assert [sentence.heads.tolist() for sentence in sentences] == [[2, 3, 0, 5, 3, 3], [2, 3, 0, 5, 3, 3]]
    assert all(sentence.comment("treewright") == "certified" for sentence in sentences)


def test_words_alone_are_tagged_and_what_else_is_there_is_kept(run: Run, model: str) -> None:
    rows = [f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\tKeep=1" for number, form in enumerate(["the", "dog", "sees"], 1)]
    Path("in.conllu").write_text("# mine\n" + "\n".join(rows) + "\n\n")
    found = run("parse", model, "in.conllu", "-q").stdout.splitlines()
    assert found[:3] == [
        "# mine",
        "# treewright = certified",
        "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\tKeep=1",
    ]


def test_json_lines(run: Run, model: str) -> None:
    ended = run("parse", model, "--text", "The dog sees a house. Every teacher hears this song.", "--to", "json")
    values = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [value["text"] for value in values] == ["The dog sees a house.", "Every teacher hears this song."]
    assert [word["head"] for word in values[0]["words"]] == [2, 3, 0, 5, 3, 3]
    again = run("parse", model, "--to", "json", "-q", stdin=ended.stdout.encode())
    assert again.stdout == ended.stdout


def test_drawings(run: Run, model: str) -> None:
    text = "The dog sees a house."
    drawn = run("parse", model, "--text", text, "--to", "text", "-q").stdout
    assert drawn.startswith(f"{text}\n\n")
    assert "─nsubj" in drawn
    assert drawn.endswith("; it may still be wrong\n\n")
    run("parse", model, "--text", text, "-o", "tree.svg", "-q")
    assert Path("tree.svg").read_text().startswith("<svg")
    run("parse", model, "--text", f"{text} {text}", "-o", "trees.html", "-q")
    assert Path("trees.html").read_text().count("<article") == 2
    run("parse", model, "--text", f"{text} {text}", "-o", "tree2.svg", "-q")
    assert Path("tree2.svg").read_text().count("<title>The dog sees a house.</title>") == 2
    run("parse", model, "--text", text, "-o", "tree.png", "-q")
    assert Path("tree.png").read_bytes().startswith(b"\x89PNG")
    run("parse", model, "--text", f"{text} {text}", "-o", "trees.tex", "-q")
    assert Path("trees.tex").read_text().count("\\begin{dependency}") == 2
    too_many = run("parse", model, "--text", f"{text} " * 201, "-o", "all.svg", "-q")
    assert (too_many.returncode, too_many.stderr) == (
        1,
        "treewright: <stdin>: more than 200 sentences for one image; give a folder (-o drawings/) or write a web page "
        "(-o drawings.html)\n",
    )
    assert not Path("all.svg").exists()
    Path("folder").mkdir()
    run("parse", model, "--text", f"{text} {text}", "--to", "svg", "-o", "folder", "-q")
    assert sorted(os.listdir("folder")) == ["1.svg", "2.svg"]


def test_who_looks_on_sees_a_drawing(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "─nsubj" in run("parse", model, "--text", "The dog sees a house.", "-q").stdout
    Path("a.txt").write_text("The dog sees a house.")
    assert "# sent_id = 1" in run("parse", model, "a.txt", "-q").stdout


def test_comments_can_be_left_out(run: Run, model: str) -> None:
    found = run("parse", model, "--text", "The dog sees.", "--no-comment", "-q").stdout
    assert "# treewright" not in found
    assert "# text = The dog sees." in found


def test_threads_give_the_same_bytes(run: Run, model: str) -> None:
    Path("in.txt").write_text(text_of(300, seed=5))
    one, three = (run("parse", model, "in.txt", "-q", "--threads", count).stdout for count in ("1", "3"))
    assert one == three


@pytest.mark.parametrize("text", [b"", b"  \n\n \t\r\n"])
def test_nothing_gives_nothing(run: Run, model: str, text: bytes) -> None:
    ended = run("parse", model, "--input", "text", stdin=text)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "treewright: 0 sentences, 0 words" in ended.stderr


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("It's the olé.\nThe ol\u00e9".encode("latin-1"), "in.txt:1: byte 0xE9 at character 12 is not UTF-8"),
        (b"\xff\xfeI\0t\0", "in.txt:1: text in UTF-16; expected UTF-8"),
    ],
)
def test_other_encodings_are_named_and_leave_no_file(run: Run, model: str, data: bytes, message: str) -> None:
    Path("in.txt").write_bytes(data)
    ended = run("parse", model, "in.txt", "-o", "out.conllu")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"treewright: {message}")
    assert os.listdir() == ["in.txt"]


def test_a_line_beyond_the_length_limit_does_not_end_the_run(run: Run, model: str) -> None:
    Path("long.txt").write_text("It rains.\n" + "the dog sees a house , " * 401 + "\nIt rains.\n")
    done = run("parse", model, "long.txt", "--input", "lines", "-o", "out.conllu")
    assert "parsed 1 sentence of more than 150 words in parts: long.txt:2" in done.stderr
    found = list(tw.read("out.conllu"))
    assert [len(sentence) for sentence in found] == [3, 2406, 3]
    assert found[1].comment("treewright") == "joined from 17 parts, not certified"


def test_a_parser_alone_reads_no_text(run: Run) -> None:
    pipeline().parser.save("parser.tw")
    for arguments in (("--text", "The dog."), ("--input", "lines")):
        ended = run("parse", "parser.tw", *arguments)
        assert ended.returncode == 1
        assert "parser.tw: a parser alone, which needs sentences with tags; for raw text leave the" in ended.stderr


def test_a_text_and_a_file_exclude_each_other(run: Run, model: str) -> None:
    ended = run("parse", model, "in.txt", "--text", "The dog.")
    assert ended.returncode == 2
    assert "--text and in.txt exclude each other" in ended.stderr.replace("\n", " ").replace("│", "").replace("  ", " ")


def test_raw_text_is_not_replaced_by_its_trees(run: Run, model: str) -> None:
    Path("letter.txt").write_text("The dog sees a house.\n")
    ended = run("parse", model, "letter.txt", "-o", "letter.txt")
    message = "treewright: letter.txt is the input and would be overwritten; choose another name for the output\n"
    assert (ended.returncode, ended.stderr) == (1, message)
    assert Path("letter.txt").read_text() == "The dog sees a house.\n"
    assert run("parse", model, "letter.txt", "-o", "letter.conllu", "-q").returncode == 0
    assert run("parse", model, "letter.conllu", "-o", "letter.conllu", "-q").returncode == 0  # columns are kept


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs pipes with names")
@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("parse {model}", "The dog sees a house."),
        ("tag tokenise", "The dog sees a house."),
        ("show", r"1\tdog\t_\t_\t_\t_\t0\troot\t_\t_\n\n"),
    ],
)
def test_a_pipe_is_opened_once(model: str, command: str, content: str) -> None:
    line = f"{sys.executable} -m treewright {command.format(model=model)} <(printf '{content}')"
    ended = run_process(["bash", "-c", line], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "dog" in ended.stdout


def test_no_such_file(run: Run) -> None:
    ended = run("parse", "letter.txt")
    assert (ended.returncode, ended.stderr) == (1, "treewright: letter.txt: No such file or directory\n")


def test_lines_are_answered_at_once(model: str) -> None:
    command = [sys.executable, "-m", "treewright", "parse", model, "-q", "--input", "lines", "--to", "json"]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"The dog sees a house.\n")
        assert json.loads(process.stdout.readline())["words"][1]["form"] == "dog"
        process.stdin.close()
    assert process.returncode == 0


def test_lines_that_arrive_together_are_answered_before_the_next_ones(model: str) -> None:
    command = [sys.executable, "-m", "treewright", "parse", model, "-q", "--input", "lines", "--to", "json"]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for count in (1, 5, 200, 2):
            process.stdin.write(b"The dog sees a house.\n" * count)
            for _ in range(count):
                assert json.loads(process.stdout.readline())["words"][1]["form"] == "dog"
        process.stdin.close()
    assert process.returncode == 0


def test_a_killed_process_leaves_no_file(model: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treewright", "parse", model, "-q", "--input", "lines", "-o", "out.conllu"]
    with started_process(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write(b"The dog sees a house.\n" * 5)
        process.stdin.flush()
        while process.poll() is None and not os.listdir(tmp_path):
            time.sleep(0.01)
        assert os.listdir(tmp_path) == ["out.conllu.partial"]  # beside its place until it is complete
        process.send_signal(signal.SIGTERM)
        process.wait()
    assert os.listdir(tmp_path) == []


def test_pack(run: Run) -> None:
    pipeline().parser.save("p")
    pipeline().tagger.save("t")
    ended = run("pack", "p", "t", "-o", "both.tw")
    assert ended.returncode == 0
    assert re.match(
        r"treewright: both.tw: Pipeline\('both', Tokeniser\(by rules\), Tagger\(upos; .*, 0.0 MB\n", ended.stderr
    )
    assert "nsubj" in run("parse", "both.tw", "--text", "The dog sees a house.").stdout
    assert run("pack", "p", "t", "-o", "light.tw", "--prune", "0.2", "-q").returncode == 0
    assert Path("light.tw").stat().st_size < Path("both.tw").stat().st_size
    alone = run("pack", "t", "-o", "x.tw")
    assert (alone.returncode, alone.stderr) == (
        1,
        "treewright: no parser among t; `treewright train --only parser TRAIN` makes one\n",
    )


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("lines", b"The dog sees a house.\nThe ol\xe9.\nEvery teacher hears this song.\n"),
        ("paragraphs", b"\xef\xbb\xbfThe dog sees a house.\r\nThe ol\xe9.\r\nEvery teacher hears this song."),
        ("json", b'"The dog sees a house."\n"The ol\xe9."\n{"text": "Every teacher hears this song."}\n'),
    ],
)
def test_lines_in_another_encoding_are_named_or_left_out(run: Run, model: str, kind: str, content: bytes) -> None:
    Path("in").write_bytes(content)
    stopped = run("parse", model, "in", "--input", kind, "-o", "out.conllu")
    assert stopped.returncode == 1
    assert stopped.stderr.startswith("treewright: in:2: byte 0xE9 at character ")
    ended = run("parse", model, "in", "--input", kind, "--skip-bad", "-o", "out.conllu")
    assert ended.returncode == 0
    assert "left out 1 bad sentence: in:2: byte 0xE9 at character " in ended.stderr
    sentences = list(tw.read("out.conllu"))
    assert [sentence.forms[1] for sentence in sentences] == ["dog", "teacher"]
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    if kind != "json":
        assert [text[sentence[1].begin : sentence[1].end] for sentence in sentences] == ["dog", "teacher"]
