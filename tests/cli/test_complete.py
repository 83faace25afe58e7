"""`treewright complete`: what it fills in, what it keeps, what it names."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import pytest
from oracles.pipelines import parser_file
from oracles.processes import Run, runner
from oracles.treebank import treebank

import treewright as tw

PARTIAL = """# sent_id = a
1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_
2\tdog\t_\tNOUN\t_\t_\t03\tstrange\t_\t_
3\tsees\t_\tVERB\t_\t_\t_\troot\t_\t_
4\tthe\t_\tDET\t_\t_\t3\t_\t_\tKeep=1

# sent_id = b
1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_
2\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_
3\tsees\t_\tVERB\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return parser_file(tmp_path_factory.mktemp("model"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) is `treewright complete arguments` in a folder of its own, where partial.conllu is."""
    monkeypatch.chdir(tmp_path)
    Path("partial.conllu").write_text(PARTIAL)
    return runner(monkeypatch, capsys, "complete")


def test_what_was_decided_stays_byte_for_byte(run: Run, model: str) -> None:
    ended = run(model, "partial.conllu", "--no-comment")
    assert ended.returncode == 0
    for before, after in zip(PARTIAL.split("\n"), ended.stdout.split("\n"), strict=True):
        old, new = before.split("\t"), after.split("\t")
        assert all(
            b == a or (b == "_" and column in (6, 7)) for column, (b, a) in enumerate(zip(old, new, strict=True))
        )
    first, second = tw.read(io.StringIO(ended.stdout), check="single-root")
    assert first.heads.tolist() == [2, 3, 0, 3]
    assert first.deprels[1:3] == ["strange", "root"]
    assert second.heads.tolist() == [2, 3, 0]
    assert second.deprels == ["det", "nsubj", "root"]
    assert "2 sentences, 7 words, 4 heads filled in, 4 relations filled in" in ended.stderr


def test_comment_and_confidence(run: Run, model: str) -> None:
    ended = run(model, "partial.conllu", "--confidence", "-q")
    assert ended.stdout.count("# treewright = certified\n") == 2
    assert re.search(r"Keep=1\|Confidence=1\.0000\|LabelConfidence=[01]\.\d{4}\n", ended.stdout)


def test_the_list_of_what_to_look_at_first(run: Run, model: str) -> None:
    ended = run(model, "partial.conllu", "-o", "out.conllu", "--rank", "-", "-q")
    header, *lines = (line.split("\t") for line in ended.stdout.splitlines())
    assert header == ["kind", "sentence", "word", "form", "head", "relation", "confidence", "entropy"]
    sentences, arcs = ([line for line in lines if line[0] == kind] for kind in ("sentence", "arc"))
    assert lines == arcs + sentences
    assert [line[1] for line in sentences] == ["a", "b"]
    assert sorted((line[1], line[2], line[3]) for line in arcs) == [
        *(("a", "1", "the"), ("a", "3", "sees"), ("a", "4", "the")),
        *(("b", "1", "the"), ("b", "2", "dog")),
    ]
    assert [float(line[6]) for line in arcs] == sorted(float(line[6]) for line in arcs)


def test_the_list_goes_to_a_file_beside_the_sentences(run: Run, model: str) -> None:
    ended = run(model, "-", "--rank", "list.tsv", "-q", stdin=PARTIAL)
    assert "sent_id = b" in ended.stdout
    assert Path("list.tsv").read_text().startswith("kind\tsentence\t")


def test_two_lists_on_one_output(run: Run, model: str) -> None:
    ended = run(model, "partial.conllu", "--rank", "-")
    assert ended.returncode == 2
    assert "standard output takes the sentences" in ended.stderr


def test_json(run: Run, model: str) -> None:
    summary = json.loads(run(model, "partial.conllu", "-o", "out.conllu", "--json").stdout)
    assert (summary["heads_filled_in"], summary["relations_filled_in"], summary["certified"]) == (4, 4, 1.0)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (["2", "1", "_"], "bad.conllu:1: the heads run in a circle: 1 <- 2 <- 1"),
        (
            ["0", "_", "0"],
            "bad.conllu:3: words 1, 3 are attached to the root; expected one, or root='multi' (--root multi)",
        ),
        (["7", "_", "_"], "bad.conllu:1: "),
    ],
)
def test_contradictions_are_named_by_file_and_line(run: Run, model: str, heads: list[str], message: str) -> None:
    rows = [f"{word}\tw\t_\tNOUN\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate(heads, 1)]
    Path("bad.conllu").write_text("".join(rows) + "\n")
    ended = run(model, "bad.conllu", "-o", "out.conllu")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"treewright: {message}")
    assert sorted(os.listdir()) == ["bad.conllu", "partial.conllu"]


def test_contradictions_can_be_left_as_they_are(run: Run, model: str) -> None:
    circle = "1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\ty\t_\t_\n\n"
    ended = run(model, "-", "--skip-bad", stdin=circle + PARTIAL)
    assert ended.returncode == 0
    assert ended.stdout.startswith(circle)
    assert "unchanged: <stdin>:1: the heads run in a circle" in ended.stderr
    assert "3 sentences" in ended.stderr


def test_several_roots_by_option(run: Run, model: str) -> None:
    text = "".join(f"{word}\tw\t_\tVERB\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate("0_0", 1)) + "\n"
    ended = run(model, "-", "--root", "multi", "-q", stdin=text)
    [sentence] = tw.read(io.StringIO(ended.stdout), check="tree")
    assert sentence.heads.tolist()[::2] == [0, 0]


def test_heads_that_cross_are_kept_and_said(run: Run, model: str) -> None:
    text = "".join(f"{word}\tw\t_\tNOUN\t_\t_\t{head}\t_\t_\t_\n" for word, head in enumerate("3_402", 1)) + "\n"
    ended = run(model, "-", stdin=text)
    [sentence] = tw.read(io.StringIO(ended.stdout), check="single-root")
    heads = sentence.heads.tolist()
    assert (heads[0], heads[2:]) == (3, [4, 0, 2])
    assert "<stdin>:1: no projective tree has all the heads given; completed with crossing arcs" in ended.stderr


def test_threads_give_the_same_bytes(run: Run, model: str) -> None:
    bank = treebank(140, seed=5)
    for sentence in bank:
        sentence.heads[::2] = -1
    tw.write(bank, "half.conllu")
    one, three = (run(model, "half.conllu", "--confidence", "-q", "--threads", count).stdout for count in ("1", "3"))
    assert one == three


def test_a_long_sentence_is_completed_in_parts(run: Run, model: str) -> None:
    tw.write([tw.Sentence.from_words(["the", "dog", "sees"] * 130, upos=["DET", "NOUN", "VERB"] * 130)], "long.conllu")
    ended = run(model, "long.conllu", "-o", "out.conllu")
    assert "parsed 1 sentence of more than 150 words in parts: long.conllu:1" in ended.stderr
    [sentence] = tw.read("out.conllu", check="single-root")
    assert sentence.comment("treewright") == "joined from 3 parts, not certified"
