"""Every reader and every command refuses rubbish with a sentence that names the file, or reads it: no traceback.

Inputs are mutations of small valid files, by a seed. A quick run by default; ten minutes of it with --slow.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline
from oracles.processes import Run, runner

import treewright as tw
from treewright.errors import InputError
from treewright.pipeline.reading import read_input

Random = np.random.Generator

CONLLU = (
    "# sent_id = 1\n# text = Dogs don't bark\n"
    "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj\t_\n"
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_\n"
    "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_\n"
    "4\tbark\tbark\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No\n"
    "4.1\tloud\tloud\tADV\t_\t_\t_\t_\t4:advmod\t_\n"
    "\n"
    "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\trains\train\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No\n\n"
)
CONLLX = "1\tDogs\tdog\tN\tNNS\t_\t2\tSUB\t_\t_\n2\tbark\tbark\tV\tVB\t_\t0\tROOT\t_\t_\n\n"
BRACKETS = "( (S (NP (DT the) (NN dog)) (VP (VBZ barks) (ADVP (-NONE- *T*-1))) (. .)) )\n(S (NN rain))\n"
TEXT = "Dogs don't bark. It rains in the U.S. today!\n\nHe said: “no…”\n"
JSON = '"It rains."\n{"text": "It rains.", "id": "a"}\n' + json.dumps({"words": [{"form": "Run", "head": 0}]}) + "\n"
PIECES = (
    *("\t", "\n", "\r", "\r\n", "\n\n", " ", "\u00a0", "\u2028", "\ufeff", "\0", "_", "#", "# ", "=", "|", ":", "0"),
    *("-1", "1-2", "1.1", "2-1", "99999999999", "1e9", "(", ")", "()", "((", '"', "{", "}", "[", "]", "\\", "null"),
    *("\ud800", "é", "e\u0301", "字", "👩‍👩‍👧", "\u200f", "א", "<b>", "&amp;", "$1", "%s", "-", "--", "'", "\x1b[31m"),
)
VALID = {".conllu": CONLLU, ".conll": CONLLX, ".mrg": BRACKETS, ".txt": TEXT, ".json": JSON}


def mutated(text: str, random: Random) -> bytes:
    """A text with some pieces inserted, removed, repeated, exchanged or replaced; then perhaps its bytes too."""
    for _ in range(int(random.integers(1, 5))):
        at = int(random.integers(len(text) + 1))
        length = int(random.integers(1, 12))
        choice = int(random.integers(6))
        piece = PIECES[random.integers(len(PIECES))]
        if choice == 0:
            text = text[:at] + piece + text[at:]
        elif choice == 1:
            text = text[:at] + text[at + length :]
        elif choice == 2:
            text = text[:at] + text[at : at + length] * int(random.integers(2, 40)) + text[at + length :]
        elif choice == 3:
            text = text[:at] + piece * int(random.integers(1, 300)) + text[at + length :]
        elif choice == 4:
            lines = text.splitlines(keepends=True)
            random.shuffle(lines)
            text = "".join(lines)
        else:
            cells = text.split("\t")
            cells[random.integers(len(cells))] = piece
            text = "\t".join(cells)
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.1 and data:
        at = int(random.integers(len(data)))
        data = data[:at] + bytes([int(random.integers(256))]) + data[at + 1 :]
    return data


def sample(seed: int) -> tuple[str, bytes]:
    """The extension and the content of a file."""
    random = np.random.default_rng(seed)
    extension = list(VALID)[random.integers(len(VALID))]
    return extension, mutated(VALID[extension], random)


def consume(items: Any) -> None:
    for item in items:
        str(item)
        repr(item)


def readers(data: bytes) -> list[tuple[str, Callable[[], Any]]]:
    return [
        ("read", lambda: list(tw.read(io.BytesIO(data)))),
        ("read skip", lambda: list(tw.read(io.BytesIO(data), on_error="skip"))),
        ("read tree", lambda: list(tw.read(io.BytesIO(data), check="tree"))),
        ("read_trees", lambda: list(tw.read_trees(io.BytesIO(data)))),
        *(
            (kind, lambda kind=kind: list(read_input(io.BytesIO(data), kind)))
            for kind in ("text", "lines", "conllu", "json")
        ),
    ]


def check_readers(seed: int) -> None:
    _, data = sample(seed)
    for name, read in readers(data):
        try:
            consume(read())
        except InputError:
            continue
        except Exception as error:
            raise AssertionError((seed, name)) from error


def test_readers_refuse_rubbish_with_a_sentence() -> None:
    for seed in range(150):
        check_readers(seed)


@cache
def model() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my.tw")
        pipeline().save(path)
        return path.read_bytes()


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("parse", "my.tw", "FILE"),
    ("parse", "my.tw", "FILE", "--to", "json"),
    ("tag", "run", "my.tw", "FILE"),
    ("show", "FILE"),
    ("show", "FILE", "-o", "out.svg"),
    ("show", "FILE", "-o", "out.html"),
    ("eval", "FILE", "gold.conllu"),
    ("eval", "gold.conllu", "FILE"),
    ("complete", "my.tw", "FILE"),
    ("check", "FILE"),
    ("train", "FILE", "--only", "tokeniser", "--epochs", "1", "-o", "t.tw"),
    ("parse", "FILE", "gold.conllu"),
)


def check_command(run: Run, seed: int) -> None:
    extension, data = sample(seed)
    name = f"rubbish{extension}"
    Path(name).write_bytes(data)
    command = COMMANDS[seed % len(COMMANDS)]
    ended = run(*(name if word == "FILE" else word for word in command), "-q")
    assert ended.returncode in (0, 1, 2), (seed, command, ended.stderr)
    assert "Traceback" not in ended.stderr, (seed, command, ended.stderr)
    if ended.returncode:
        assert (ended.stderr or ended.stdout).strip(), (seed, command)
    assert not list(Path().glob("*.partial")), (seed, command)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("my.tw").write_bytes(model())
    Path("gold.conllu").write_text(CONLLU)
    return runner(monkeypatch, capsys)


def test_commands_refuse_rubbish_with_a_sentence(run: Run) -> None:
    for seed in range(4 * len(COMMANDS)):
        check_command(run, seed)


@pytest.mark.slow
def test_ten_minutes_of_rubbish(run: Run) -> None:
    end = time.monotonic() + 600
    seed = 1_000_000
    while time.monotonic() < end:
        check_readers(seed)
        check_command(run, seed)
        seed += 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("brackets", "(A b)" * 100_000 + "\n"),
        ("brackets", "(A b" * 100_000 + "\n"),
        ("brackets", "(A " * 100_000 + "b" + ")" * 100_000 + "\n"),
        ("json", json.dumps("a b\n" * 30_000) + "\n"),
        ("json", "[" * 200_000 + "]" * 200_000 + "\n"),
        ("text", "a b c\n" * 30_000),
        ("conllu", "# x\n" * 200_000),
    ],
)
def test_time_grows_linearly_with_one_long_item(kind: str, text: str) -> None:
    def seconds(given: str) -> float:
        begin = time.process_time()
        try:
            read = tw.read_trees(io.StringIO(given)) if kind == "brackets" else read_input(io.StringIO(given), kind)
            for _ in read:
                pass
        except InputError:
            pass
        return time.process_time() - begin

    whole = seconds(text)
    assert whole < 10, f"{whole} s; linear time is below one second on an idle machine"


def test_a_byte_order_mark_within_a_file_is_kept() -> None:
    one = "1\tA\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    text = f"\ufeff{one}\ufeff{one}"
    out = io.BytesIO()
    tw.write(tw.read(io.BytesIO(text.encode())), out)
    assert out.getvalue().decode() == text


def test_a_tokeniser_learns_from_forms_of_white_space() -> None:
    forms = [["A ", "b"], ["\u00a0"], [" ", "c\u2003"], ["a\rb", "\u2028"]]
    bank = [tw.Sentence.from_words([form for form in row if "\r" not in form]) for row in forms]
    learning = tw.learn.Learning(bits=8, epochs=1)
    tokeniser = tw.tokeniser.Tokeniser.train(bank, options=tw.tokeniser.TokeniserOptions(learning=learning))
    assert [sentence.forms for sentence in tokeniser("A b")] == [["A", "b"]]
    with pytest.raises(InputError, match="the training data has no text: its forms are white space"):
        tw.tokeniser.Tokeniser.train([tw.Sentence.from_words(["\u00a0"])])


def test_a_form_with_a_carriage_return_is_tagged() -> None:
    data = b"1\tDo\rgs\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    [tagged] = tw.load("en").tagger.tag(tw.read(io.BytesIO(data)))
    assert (tagged.forms, tagged.lemmas) == (["Do\rgs"], ["_"])
