"""Laws of operations: characters stay, lines are valid, undo gives the last bytes, the journal gives every state."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from oracles.projects import TREEBANK, Client, Make, exported

from treewright.annotate import Project, ProjectError
from treewright.checking import check
from treewright.corpus import Sentence
from treewright.corpus.offsets import join_tokens, surface_tokens

CHANGE_TEXT = ("insert_word", "delete_word")
STEPS = 60


def characters(text: str) -> str:
    """The characters of the tokens of a file, without spaces."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    surfaces = [join_tokens(surface_tokens(Sentence(block))) for block in blocks]
    return "".join("".join(surface.split()) for surface in surfaces)


def random_op(rng: Random, size: int) -> dict[str, Any]:
    word, other = rng.randint(1, size), rng.randint(0, size)
    return rng.choice(
        [
            {"kind": "head", "word": word, "head": other},
            {"kind": "deprel", "word": word, "deprel": rng.choice(["obj", "nmod:of", "dep"])},
            {"kind": "upos", "word": word, "upos": rng.choice(["NOUN", "X"])},
            {"kind": "feats", "word": word, "feats": "Case=Nom"},
            {"kind": "lemma", "word": word, "lemma": "lemma"},
            {"kind": "reject", "word": word, "head": other},
            {"kind": "confirm", "word": word},
            {"kind": "release", "word": word},
            {"kind": "unsure", "word": word},
            {"kind": "note", "word": word, "text": "a note"},
            {"kind": "split_word", "word": word, "at": [1]},
            {"kind": "split_word", "word": word, "forms": ["de", "le"], "as_token": True},
            {"kind": "split_word", "word": word, "at": [1, 2], "as_token": True},
            {"kind": "join_words", "word": word},
            {"kind": "make_token", "word": word, "last": word + 1},
            {"kind": "dissolve_token", "word": word},
            {"kind": "insert_word", "word": other, "form": "new"},
            {"kind": "delete_word", "word": word},
            {"kind": "split_sentence", "word": word},
            {"kind": "join_sentences"},
            {"kind": "split_at_roots"},
        ]
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_operations(make: Make, seed: int) -> None:
    project, rng = make(), Random(seed)
    client = Client(project)
    done: list[tuple[int, str]] = []  # sentence, and the bytes before
    for _ in range(STEPS):
        sentence = rng.choice([summary.id for summary in project.queues.summaries("me")])
        before = exported(project)
        if rng.random() < 0.2 and done:
            sentence, before = done.pop()
            client.call("undo", sentence)
            assert exported(project) == before
            continue
        op = random_op(rng, len(project.editor.state(sentence, "me").words))
        try:
            client.send(sentence, op)
        except ProjectError:
            assert exported(project) == before
            continue
        done.append((sentence, before))
        after = exported(project)
        if op["kind"] not in CHANGE_TEXT:
            assert characters(after) == characters(before), op
        for block in after.split("\n\n"):
            if block.strip():
                assert check([Sentence(f"{block}\n\n")], level=1) == [], op
        texts = [finding for finding in check_file(after, project.folder) if finding.rule in ("text", "format")]
        assert texts == [], op
    assert project.records.problems() == []
    project.close()
    with Project.open(project.folder) as reopened:
        client.project = reopened
        while done:
            sentence, before = done.pop()
            client.call("undo", sentence)
            assert exported(reopened) == before
        assert exported(reopened) == TREEBANK
        assert reopened.records.problems() == []


def check_file(text: str, folder: Path) -> list[Any]:
    path = folder / "after.conllu"
    path.write_text(text)
    return check(path, level=2)


SPLIT = [
    (
        {"kind": "split_word", "word": 6, "at": [3]},
        "6\tdog\t",
        "7\ts\tdog\tNOUN\tNNS\tNumber=Plur\t_\t_\t_\tSpaceAfter=No",
    ),
    (
        {"kind": "split_word", "word": 6, "forms": ["dog", "es"], "as_token": True},
        "6-7\tdogs\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "7\tes\tdog\t",
    ),
    ({"kind": "join_words", "word": 1}, "1\tDon't\tdo\t", "2\twake\twake\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\t_"),
    ({"kind": "dissolve_token", "word": 1}, "1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\tSpaceAfter=No", "2\tn't"),
    ({"kind": "delete_word", "word": 7}, "# text = Don't wake the old dogs please.", "7.1\tsleep"),
    ({"kind": "insert_word", "word": 3, "form": "all"}, "# text = Don't wake all the old dogs, please.", "4\tall"),
    (
        {"kind": "split_sentence", "word": 8},
        "# sent_id = dogs-1\n# text = Don't wake the old dogs,",
        "# text = please.\n",
    ),
]


@pytest.mark.parametrize(("op", "first", "second"), SPLIT)
def test_words_and_sentences(make: Make, op: dict[str, Any], first: str, second: str) -> None:
    project = make()
    Client(project).send(1, op)
    assert first in exported(project)
    assert second in exported(project)


def test_decisions_move_with_their_words(make: Make) -> None:
    client = Client(make())
    client.send(1, {"kind": "head", "word": 8, "head": 6}, {"kind": "reject", "word": 9, "head": 8})
    state = client.send(1, {"kind": "split_word", "word": 5, "at": [1]}).state
    assert (state.words[8].cells["HEAD"], state.words[8].states["HEAD"]) == ("7", "decided")
    assert state.words[9].rejected == [9]
    state = client.send(1, {"kind": "split_sentence", "word": 8}).state
    assert len(state.words) == 7
    second = client.project.editor.state(client.project.queues.summaries("me", after=1, limit=1)[0].id, "me")
    assert second.words[2].rejected == [2]
    assert "HEAD" not in second.words[1].states
