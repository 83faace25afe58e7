"""`treewright parse --proofs` and `treewright verify`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.processes import Ended, runner

import treewright as tw
from treewright.parser import Parser

TEXT = "The bridge creaked when a cart rolled over it. I saw the man with the telescope. It rains."


Files = tuple[Path, Path]
Checked = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Checked:
    """A command that ends with the status `code`."""
    call = runner(monkeypatch, capsys)

    def checked(*arguments: object, code: int = 0) -> Ended:
        ended = call(*map(str, arguments))
        assert ended.returncode == code, ended
        return ended

    return checked


@pytest.fixture(params=["--projective", "--nonprojective"])
def files(request: pytest.FixtureRequest, run: Checked, tmp_path: Path) -> Files:
    """Parsed sentences and their proofs."""
    parsed, proofs = tmp_path / "parsed.conllu", tmp_path / "proofs.jsonl"
    run("parse", "en", "--text", TEXT, request.param, "-o", parsed, "--proofs", proofs)
    return parsed, proofs


def report(run: Checked, *arguments: object, code: int = 0) -> Any:
    return json.loads(run("verify", *arguments, "--json", code=code).stdout)


def test_the_proofs_of_parse_are_verified(run: Checked, files: Files) -> None:
    found = report(run, "en", *files)
    assert (found["sentences"], found["verified"], found["refused"]) == (3, 3, [])
    assert found["certified"] == 3
    assert found["largest_gap"] < 1e-6
    assert "3 of 3 proofs verified" in run("verify", "en", *files).stderr


def test_a_changed_head_is_refused_with_its_place(run: Checked, files: Files, tmp_path: Path) -> None:
    parsed, proofs = files
    lines = parsed.read_text(encoding="utf-8").splitlines()
    word = next(place for place, line in enumerate(lines) if line.startswith("2\t"))
    cells = lines[word].split("\t")
    cells[6] = "1" if cells[6] != "1" else "3"
    lines[word] = "\t".join(cells)
    changed = tmp_path / "changed.conllu"
    changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = run("verify", "en", changed, proofs, code=1)
    assert f"{changed}:1: sentence 1: refused: the proof is about another tree" in result.stdout
    assert [one["sentence"] for one in report(run, "en", changed, proofs, code=1)["refused"]] == [1]


def test_a_changed_word_or_proof_is_refused(run: Checked, files: Files, tmp_path: Path) -> None:
    parsed, proofs = files
    changed = tmp_path / "changed.conllu"
    changed.write_text(parsed.read_text(encoding="utf-8").replace("bridge", "tower"), encoding="utf-8")
    assert "sentence 1: refused: the tree has the value" in run("verify", "en", changed, proofs, code=1).stdout
    records = [json.loads(line) for line in proofs.read_text(encoding="utf-8").splitlines()]
    other = tmp_path / "other.jsonl"
    for change, reason in (
        ({"score": 0.0}, "the tree has the value"),
        ({"proof": {"kind": "faith"}}, "a proof of the kind 'faith'"),
        ({"proof": {"kind": "search"}}, "the first node of the proof is not the root"),
        ({"heads": None}, "not a record as `treewright parse --proofs` writes it"),
    ):
        other.write_text("\n".join(json.dumps({**record, **change}) for record in records) + "\n", encoding="utf-8")
        found = report(run, "en", parsed, other, code=1)
        assert found["verified"] == 0
        assert reason in found["refused"][0]["reason"]


def test_a_worse_tree_in_both_files_is_refused(run: Checked, files: Files, tmp_path: Path) -> None:
    """Whatever is claimed about it; the value of the tree is that of the model."""
    parsed, proofs = files
    record = json.loads(proofs.read_text(encoding="utf-8").splitlines()[0])
    sentence = next(iter(tw.read(parsed)))
    parts = Parser.load("en").parts(sentence, projective=record["projective"])
    worse = tw.decode.kbest(parts, 2, projective=record["projective"])[1]
    sentence.heads = worse.heads[1:]
    sentence.set_comment("treewright", "certified")
    claim = {"heads": worse.heads[1:].tolist(), "score": worse.score, "bound": worse.score + 1e-9, "certified": True}
    lies = {
        "the spread of the scores is": {"gap": 0.0, "spread": 1e12},
        "a gap of": {"gap": 0.0},
        "the tolerance is 1000000.0; it is at least 0 and below 1": {"gap": 0.0, "tolerance": 1e6},
        "the tolerance is -1.0; it is at least 0 and below 1": {"gap": 0.0, "tolerance": -1.0, "spread": -1000.0},
    }
    if not record["projective"]:
        lies["less than the claim needs"] = lies.pop("a gap of")
    changed, forged = tmp_path / "changed.conllu", tmp_path / "forged.jsonl"
    tw.write([sentence] * len(lies), changed)
    forged.write_text("".join(f"{json.dumps({**record, **claim, **lie})}\n" for lie in lies.values()), encoding="utf-8")
    refused = report(run, "en", changed, forged, code=1)["refused"]
    assert len(refused) == len(lies)
    for reason, line in zip(lies, refused, strict=True):
        assert reason in line["reason"]


def test_a_comment_that_differs_from_the_proof_is_refused(run: Checked, files: Files, tmp_path: Path) -> None:
    parsed, proofs = files
    text = parsed.read_text(encoding="utf-8")
    changed = tmp_path / "changed.conllu"
    changed.write_text(text.replace("= certified", "= gap 0.01", 1), encoding="utf-8")
    output = run("verify", "en", changed, proofs, code=1).stdout
    assert "sentence 1: refused: the comment of the sentence says 'gap 0.01', its proof 'certified'" in output
    changed.write_text(re.sub("# treewright = .*\n", "", text), encoding="utf-8")
    assert report(run, "en", changed, proofs)["verified"] == 3


MALFORMED = [
    ("score", "1" + "0" * 400),
    ("score", "1" + "0" * 5000),
    ("gap", "NaN"),
    ("spread", "Infinity"),
    ("heads", "[1e400]"),
    ("heads", "[9223372036854775808]"),
    ("heads", "[NaN]"),
    ("heads", "[[1], 2]"),
    ("certified", "1"),
    ("proof", "[" * 100_000),
    ("proof", '{"kind": "search", "nodes": [{"point": 1e999}], "points": []}'),
    ("proof", '{"kind": "search", "nodes": [{}], "points": [{"arcs": [], "penalty": 1' + "0" * 400 + "}]}"),
    ("proof", '{"kind": ["chart"]}'),
]


def test_malformed_numbers_are_refused_in_a_sentence(run: Checked, tmp_path: Path) -> None:
    parsed, proofs, bad = (tmp_path / name for name in ("parsed.conllu", "proofs.jsonl", "bad.jsonl"))
    run("parse", "en", "--text", "It rains. " * len(MALFORMED), "-o", parsed, "--proofs", proofs)
    lines = []
    for line, (name, text) in zip(proofs.read_text(encoding="utf-8").splitlines(), MALFORMED, strict=True):
        items = {key: json.dumps(value) for key, value in json.loads(line).items()} | {name: text}
        lines.append("{" + ", ".join(f'"{key}": {value}' for key, value in items.items()) + "}\n")
    bad.write_text("".join(lines), encoding="utf-8")
    refused = report(run, "en", parsed, bad, code=1)["refused"]
    assert len(refused) == len(MALFORMED)
    assert all(line["reason"].startswith("refused: ") for line in refused)


def test_what_was_parsed_with_fast_is_verified_with_fast(run: Checked, tmp_path: Path) -> None:
    parsed, proofs = tmp_path / "parsed.conllu", tmp_path / "proofs.jsonl"
    run("parse", "en", "--text", TEXT, "--fast", "-o", parsed, "--proofs", proofs)
    assert report(run, "en", parsed, proofs, "--fast")["verified"] == 3
    assert report(run, "en", parsed, proofs, code=1)["verified"] < 3


def test_files_that_do_not_match_are_refused(run: Checked, files: Files, tmp_path: Path) -> None:
    parsed, proofs = files
    text = proofs.read_text(encoding="utf-8")
    short, long, bad = (tmp_path / name for name in ("short.jsonl", "long.jsonl", "bad.jsonl"))
    short.write_text(text.splitlines()[0] + "\n", encoding="utf-8")
    long.write_text(text + text, encoding="utf-8")
    bad.write_text("{\n[]\n1\n", encoding="utf-8")
    assert f"sentence 2: refused: {short} has no line for it" in run("verify", "en", parsed, short, code=1).stdout
    assert f"{long}:4: there is no sentence 4 in {parsed}" in run("verify", "en", parsed, long, code=1).stderr
    assert run("verify", "en", parsed, bad, code=1).stdout.count("its line is not a JSON object") == 3


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--method", "dd"), "--method dd has no proofs"),
        (("--to", "json"), "reads CoNLL-U"),
        (("--kbest", "2"), "leave out --kbest"),
    ],
)
def test_options_without_proofs_are_bad_usage(
    options: tuple[str, ...], reason: str, run: Checked, tmp_path: Path
) -> None:
    target = tmp_path / "proofs.jsonl"
    result = run("parse", "en", "--text", "It rains.", *options, "--proofs", target, code=2)
    assert reason in " ".join(result.stderr.split())
    assert not target.exists()


@pytest.fixture
def joined(run: Checked, tmp_path: Path) -> Files:
    """A short sentence and one that is parsed in parts, with their proofs."""
    source, parsed, proofs = (tmp_path / name for name in ("source.conllu", "parsed.conllu", "proofs.jsonl"))
    sentences = [tw.Sentence.from_words(words) for words in (["It", "rains"], ["it", "rains", "and"] * 130)]
    tw.write(sentences, source)
    run("parse", "en", source, "-o", parsed, "--proofs", proofs)
    return parsed, proofs


def test_a_sentence_parsed_in_parts_has_no_proof_and_is_counted(run: Checked, joined: Files) -> None:
    found = report(run, "en", *joined)
    assert (found["sentences"], found["verified"], found["certified"], found["joined_from_parts"]) == (2, 1, 1, 1)
    assert "1 of 1 proof verified, 1 of them certified" in run("verify", "en", *joined).stderr
    assert "1 sentence parsed in parts, without proof" in run("verify", "en", *joined).stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        (0, "= joined from 3 parts, not certified", "= certified", "the comment of the sentence says 'certified'"),
        (1, '"parts":3', '"parts":2', "its record has no proof, and is not that of a long sentence"),
        (1, '"certified":false', '"certified":true', "its record has no proof, and is not that of a long sentence"),
        (1, '"heads":[2', '"heads":[1', "its record has no proof, and is not that of a long sentence"),
    ],
)
def test_a_record_without_a_proof_can_claim_nothing(
    run: Checked, joined: Files, file: int, old: str, new: str, reason: str
) -> None:
    lines = joined[file].read_text(encoding="utf-8").splitlines(keepends=True)
    place = next(place for place in reversed(range(len(lines))) if old in lines[place])
    lines[place] = lines[place].replace(old, new)
    joined[file].write_text("".join(lines), encoding="utf-8")
    assert f"sentence 2: refused: {reason}" in run("verify", "en", *joined, code=1).stdout


def test_a_short_sentence_needs_a_proof(run: Checked, joined: Files) -> None:
    records = [json.loads(line) for line in joined[1].read_text(encoding="utf-8").splitlines()]
    records[0] = {"heads": records[0]["heads"], "certified": False, "parts": 1, "proof": None}
    joined[1].write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert "sentence 1: refused: its record has no proof" in run("verify", "en", *joined, code=1).stdout


def test_a_proof_of_a_sentence_that_is_parsed_in_parts_is_refused_before_it_is_checked(
    run: Checked, joined: Files
) -> None:
    sentences = list(tw.read(joined[0]))
    short, long = (json.loads(line) for line in joined[1].read_text(encoding="utf-8").splitlines())
    long = {**short, "heads": long["heads"]}
    joined[1].write_text("".join(json.dumps(record) + "\n" for record in (short, long)), encoding="utf-8")
    sentences[1].comments = []
    tw.write(sentences, joined[0])
    reason = "a sentence of 390 words is parsed in parts, and its tree has no proof"
    assert f"sentence 2: refused: {reason}" in run("verify", "en", *joined, code=1).stdout
