"""Every command that writes a file follows one rule: devices and pipes are written to, symlinks followed.

Regular files appear when they are complete, folders are refused or take one file an input, and the message about a full
disk names the file.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest
from oracles.phrases import PENN_TREES
from oracles.pipelines import pipeline, text_of, written
from oracles.processes import FULL, Run, full_disk, runner
from oracles.projects import TREEBANK

import treewright as tw
from treewright.corpus import Tree
from treewright.grammar import TreebankGrammar
from treewright.papers import all as report_of_all

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices and named pipes are those of POSIX")

RULES = "rule object { pattern { e: V -[dobj]-> O } commands { e.label = obj } }\n"
REQUEST = "pattern { V [upos=VERB]; V -[nsubj]-> S }"
# Command -> its arguments; OUT is the output.
COMMANDS: dict[str, str] = {
    "parse": "parse en --fast text.txt -o OUT -q",
    "parse json": "parse en --fast text.txt --to json -o OUT -q",
    "parse svg": "parse en --fast line.txt --to svg -o OUT -q",
    "parse proofs": "parse en --fast text.txt -o /dev/null --proofs OUT -q",
    "parse kbest": "parse en --fast text.txt --kbest 2 -o OUT -q",
    "tag": "tag run en bank.conllu -o OUT -q",
    "tokenise": "tag tokenise text.txt -o OUT -q",
    "complete": "complete en open.conllu -o OUT -q",
    "complete rank": "complete en open.conllu -o /dev/null --rank OUT -q",
    "rewrite": "rewrite fixes.grs bank.conllu -o OUT -q",
    "distil": "distil tiny.tw raw.txt -o OUT -q",
    "grep": f"grep|{REQUEST}|bank.conllu|-o|OUT|-q",
    "grep html": f"grep|{REQUEST}|bank.conllu|--to|html|-o|OUT|-q",
    "grep conllu": f"grep|{REQUEST}|bank.conllu|--to|conllu|-o|OUT|-q",
    "show": "show bank.conllu --to text -o OUT",
    "show html": "show bank.conllu --to html -o OUT",
    "show latex": "show bank.conllu --to latex -o OUT",
    "show png": "show one.conllu --to png -o OUT",
    "train tagger": "train bank.conllu --only tagger --epochs 1 -o OUT -q",
    "train tokeniser": "train bank.conllu --only tokeniser --epochs 1 -o OUT -q",
    "words": "words text.txt -o OUT -q",
    "pack": "pack en -o OUT -q",
    "induce": "induce bank.conllu -o OUT -q",
    "grammar": "grammar train --kind treebank trees.mrg -o OUT -q",
    "selftrain": "reproduce huang2010 selftrain --labelled trees.mrg --raw lines.txt --teachers 1 --rounds 1 -o OUT -q",
    "phrases": "grammar parse grammar.tw trees.mrg -o OUT -q",
    "joint": "grammar train trees.mrg --with tags --kind treebank -o OUT -q",
    "joint parse": "grammar parse joint.tw trees.mrg -o OUT -q",
    "reproduce": "reproduce all . -o OUT --quick -q",
}
ONE_BY_ONE = {"distil"}  # adds sentences to a file that is kept when it is interrupted: no pipes and no devices
IN_FOLDER = {  # the files of other formats have the name of the input and the extension of the format
    "parse": "text.conllu",
    "parse json": "text.jsonl",
    "parse kbest": "text.conllu",
    "tag": "bank.conllu",
    "tokenise": "text.conllu",
    "complete": "open.conllu",
    "rewrite": "bank.conllu",
    "parse svg": "1.svg",
    "show png": "1.png",
}
SLOW = {"pack"}  # it compresses the whole model en each time


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command in a folder with its inputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report_of_all, "sections", lambda *_, **__: iter(["## one\n" * 20, "## two\n"]))
    sentences = written(12, 0)
    tw.write(sentences, "bank.conllu")
    tw.write(sentences[:1], "one.conllu")
    for sentence in sentences:
        sentence.heads = [-1] * len(sentence)
    tw.write(sentences[:2], "open.conllu")
    for name, text in {
        "text.txt": "It rains. She sang.\n" * 3,
        "line.txt": "It rains.\n",
        "lines.txt": "The dog sleeps .\nThe man barks .\n",
        "raw.txt": text_of(12, seed=1),
        "fixes.grs": RULES,
        "trees.mrg": PENN_TREES,
        "trees.conllu": TREEBANK,
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    pipeline().save("tiny.tw")
    TreebankGrammar.train(map(Tree.parse, PENN_TREES.splitlines())).save("grammar.tw")
    return runner(monkeypatch, capsys)


def arguments(case: str, output: str) -> list[str]:
    line = COMMANDS[case]
    return [word.replace("OUT", output) for word in line.split("|" if "|" in line else " ")]


def device(path: Path, minor: int) -> Path:
    """Make a device as /dev/null (3) or /dev/full (7) in a folder, so that no test can harm that of the machine."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        path.open("wb").close()
    except OSError:
        pytest.skip("devices may not be made or opened here")
    return path


def read_from_pipe(run: Run, arguments: Sequence[str], pipe: Path) -> bytes:
    """Return what a command writes to a pipe."""
    received: list[bytes] = []
    reader = Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    ended = run(*arguments)
    assert ended.returncode == 0, ended.stderr
    reader.join(60)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    return b"".join(received)


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in SLOW else case for case in COMMANDS]
)
def test_files_pipes_and_devices_are_written_by_one_rule(case: str, run: Run, tmp_path: Path) -> None:
    if case == "joint parse":
        assert run(*arguments("joint", "joint.tw")).returncode == 0
    places = tmp_path / "places"
    places.mkdir()
    file, link, pipe, folder = (places / name for name in ("file", "link", "pipe", "folder"))
    folder.mkdir()
    ended = run(*arguments(case, str(file)))
    assert ended.returncode == 0, ended.stderr
    content = file.read_bytes()
    assert len(content) > FULL

    link.symlink_to(file)
    file.write_bytes(b"before")
    assert run(*arguments(case, str(link))).returncode == 0
    assert link.is_symlink()
    assert file.read_bytes() == content

    file.write_bytes(b"before")
    with full_disk():
        ended = run(*arguments(case, str(file)))
    assert ended.returncode == (2 if case.startswith("grep") else 1)  # grep's own status 1: nothing was found
    assert "File too large" in ended.stderr
    assert str(file) in ended.stderr
    assert file.read_bytes() == b"before"

    os.mkfifo(pipe)
    null, full = device(places / "null", 3), device(places / "full", 7)
    if case in ONE_BY_ONE:
        for place in (pipe, null, full):
            ended = run(*arguments(case, str(place)))
            assert (ended.returncode, f"{place} is no file" in ended.stderr) == (2, True)
        Path(f"{file}.part").unlink()  # finished sentences, for --resume
    else:
        assert read_from_pipe(run, arguments(case, str(pipe)), pipe) == content
        assert run(*arguments(case, str(null))).returncode == 0
        ended = run(*arguments(case, str(full)))
        assert ended.returncode == (2 if case.startswith("grep") else 1)
        assert f"{full}: No space left on device" in ended.stderr
        assert "Traceback" not in ended.stderr
    for place, number in ((null, 3), (full, 7)):
        assert stat.S_ISCHR(place.lstat().st_mode)
        assert os.minor(place.lstat().st_rdev) == number

    ended = run(*arguments(case, str(folder)))
    if case in IN_FOLDER:
        assert ended.returncode == 0, ended.stderr
        [inside] = folder.iterdir()
        assert inside.name == IN_FOLDER[case]
        assert inside.read_bytes() == content
    else:
        assert ended.returncode in (1, 2)
        assert str(folder) in ended.stderr
        assert "Traceback" not in ended.stderr
        assert not list(folder.iterdir())
    left = sorted(path.name for path in places.iterdir())
    assert left == ["file", "folder", "full", "link", "null", "pipe"]


@pytest.mark.parametrize("source", ["text", "stdin"])
def test_a_folder_is_no_output_of_a_text(source: str, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for output in (str(folder), f"{folder}/", "new/"):
        given = {"text": ("--text", "It rains."), "stdin": ("-",)}[source]
        ended = run("parse", "en", "--fast", *given, "-o", output, "-q")
        named = os.path.join(output, "parsed.conllu")
        message = f"{output}: a folder, which is for files; give the name of a file, as in {named}"
        assert (ended.returncode, ended.stderr) == (1, f"treewright: {message}\n")
        assert not list(folder.iterdir())
    assert not Path("new").exists()


def test_files_in_a_folder_follow_the_rule(run: Run, tmp_path: Path) -> None:
    """`project export` and `models wheel` write files of their own names into a folder."""
    assert run("project", "new", "work", "trees.conllu", "--author", "eva").returncode == 0
    commands = {
        "trees.conllu": ("project", "export", "work"),
        "treewright_model_tiny-1-py3-none-any.whl": ("models", "wheel", "tiny.tw", "--licence", "MIT"),
    }
    for command in commands.values():
        ended = run(*command, "-o", "plain")
        assert ended.returncode == 0, ended.stderr
    Path("aim").mkdir()
    Path("link").symlink_to("aim")
    for written_file in sorted(Path("plain").iterdir()):
        command = commands.get(written_file.name, commands["treewright_model_tiny-1-py3-none-any.whl"])
        content = written_file.read_bytes()
        assert run(*command, "-o", "link").returncode == 0
        assert Path("link").is_symlink()
        assert Path("aim", written_file.name).read_bytes() == content

        written_file.write_bytes(b"before")
        with full_disk():
            ended = run(*command, "-o", "plain")
        assert ended.returncode == 1
        assert f"{written_file}: File too large" in ended.stderr
        assert written_file.read_bytes() == b"before"

        written_file.unlink()
        os.mkfifo(written_file)
        assert read_from_pipe(run, [*command, "-o", "plain"], written_file) == content
        written_file.unlink()

        null = device(tmp_path / "null", 3)
        for place in ("one.conllu", str(null)):
            ended = run(*command, "-o", place)
            assert (ended.returncode, f"{place}: a file; expected a folder" in ended.stderr) == (1, True), ended.stderr
        assert stat.S_ISCHR(null.lstat().st_mode)
        null.unlink()
    assert not list(Path("plain").iterdir())
