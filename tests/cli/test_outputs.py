"""Every command that writes a file follows one rule: devices and pipes are written to, symlinks followed.

Regular files appear when they are complete, folders are refused or take one file an input, and the message about a full
disk names the file.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from threading import Thread

import pytest
from oracles.pipelines import written
from oracles.processes import Run, runner

import treewright as tw
from treewright.corpus import Tree
from treewright.grammar import TreebankGrammar

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices and named pipes are those of POSIX")

TREES = "(S (NP (NNP Ruth)) (VP (VBD sang)))\n(S (NP (NNP Ruth)) (VP (VBD fell)))\n"
RULES = "rule object { pattern { e: V -[dobj]-> O } commands { e.label = obj } }\n"
REQUEST = "pattern { V [upos=VERB]; V -[nsubj]-> S }"
# Command -> its arguments; OUT is the output.
COMMANDS: dict[str, str] = {
    "parse": "parse en --fast text.txt -o OUT -q",
    "parse json": "parse en --fast text.txt --to json -o OUT -q",
    "parse svg": "parse en --fast line.txt --to svg -o OUT -q",
    "parse proofs": "parse en --fast text.txt -o parsed.conllu --proofs OUT -q",
    "parse kbest": "parse en --fast text.txt --kbest 2 -o OUT -q",
    "tag": "tag run en bank.conllu -o OUT -q",
    "tokenise": "tag tokenise text.txt -o OUT -q",
    "complete": "complete en open.conllu -o OUT -q",
    "complete rank": "complete en open.conllu -o filled.conllu --rank OUT -q",
    "rewrite": "rewrite fixes.grs bank.conllu -o OUT -q",
    "grep": f"grep|{REQUEST}|bank.conllu|-o|OUT|-q",
    "grep html": f"grep|{REQUEST}|bank.conllu|--to|html|-o|OUT|-q",
    "grep conllu": f"grep|{REQUEST}|bank.conllu|--to|conllu|-o|OUT|-q",
    "show": "show bank.conllu --to text -o OUT",
    "show html": "show bank.conllu --to html -o OUT",
    "show latex": "show bank.conllu --to latex -o OUT",
    "show png": "show one.conllu --to png -o OUT",
    "train tagger": "train bank.conllu --only tagger --epochs 1 -o OUT -q",
    "train tokeniser": "train bank.conllu --only tokeniser --epochs 1 -o OUT -q",
    "words": "words train text.txt -o OUT -q",
    "pack": "pack en -o OUT -q",
    "induce": "induce bank.conllu -o OUT -q",
    "grammar": "grammar train --kind treebank trees.mrg -o OUT -q",
    "phrases": "grammar parse grammar.tw trees.mrg -o OUT -q",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command in a folder with its inputs."""
    monkeypatch.chdir(tmp_path)
    sentences = written(12, 0)
    tw.write(sentences, "bank.conllu")
    tw.write(sentences[:1], "one.conllu")
    for sentence in sentences:
        sentence.heads = [-1] * len(sentence)
    tw.write(sentences[:2], "open.conllu")
    for name, text in {
        "text.txt": "It rains. She sang.\n" * 3,
        "line.txt": "It rains.\n",
        "fixes.grs": RULES,
        "trees.mrg": TREES,
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    TreebankGrammar.train(map(Tree.parse, TREES.splitlines())).save("grammar.tw")
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


SLOW = {"pack"}  # it compresses the whole model en each time


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in SLOW else case for case in COMMANDS]
)
def test_files_pipes_and_devices_are_written_by_one_rule(case: str, run: Run, tmp_path: Path) -> None:
    places = tmp_path / "places"
    places.mkdir()
    file, link, pipe, folder = (places / name for name in ("file", "link", "pipe", "folder"))
    folder.mkdir()
    ended = run(*arguments(case, str(file)))
    assert ended.returncode == 0, ended.stderr
    content = file.read_bytes()
    assert content

    link.symlink_to(file)
    file.write_bytes(b"before")
    assert run(*arguments(case, str(link))).returncode == 0
    assert link.is_symlink()
    assert file.read_bytes() != b"before"

    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    ended = run(*arguments(case, str(pipe)))
    assert ended.returncode == 0, ended.stderr
    reader.join(60)
    assert received
    assert len(received[0]) == len(content)
    assert stat.S_ISFIFO(pipe.stat().st_mode)

    null, full = device(places / "null", 3), device(places / "full", 7)
    assert run(*arguments(case, str(null))).returncode == 0
    assert stat.S_ISCHR(null.stat().st_mode)
    ended = run(*arguments(case, str(full)))
    assert ended.returncode == (2 if case.startswith("grep") else 1)  # grep's own status 1: nothing was found
    assert f"{full}: No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert stat.S_ISCHR(full.stat().st_mode)

    ended = run(*arguments(case, str(folder)))
    assert "Traceback" not in ended.stderr
    assert folder.is_dir()
    if ended.returncode == 0:
        assert list(folder.iterdir())
    else:
        assert str(folder) in ended.stderr
    left = sorted(path.name for path in places.iterdir())
    assert left == ["file", "folder", "full", "link", "null", "pipe"]
