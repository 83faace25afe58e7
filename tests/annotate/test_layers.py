"""Two annotators: agreement computed a second time, adjudication at the differing words alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from oracles.projects import Client, Make, exported

from treewright.annotate import ProjectError, UnknownItemError
from treewright.corpus import Sentence, write
from treewright.corpus.checks import is_acyclic

SENTENCES, DIFFERENT = 100, 50
TAGS, LABELS = ["NOUN", "VERB", "ADJ"], ["nsubj", "obj", "amod"]


def treebank() -> list[Sentence]:
    rng = Random(3)
    sentences = []
    for number in range(SENTENCES):
        size = rng.randint(4, 9)
        heads = [0, *(rng.randint(1, word) for word in range(1, size))]
        labels = ["root", *(rng.choice(LABELS) for _ in range(size - 1))]
        forms = [f"w{number}x{word}" for word in range(size)]
        upos = [rng.choice(TAGS) for _ in forms]
        text = " ".join(forms)
        sentences.append(
            Sentence.from_words(forms, upos=upos, heads=heads, deprels=labels, sent_id=f"s{number}", text=text)
        )
    return sentences


def changed(sentences: list[Sentence]) -> tuple[list[Sentence], set[tuple[int, int]]]:
    """Other trees: 50 words have another head, relation or tag."""
    rng = Random(4)
    places: set[tuple[int, int]] = set()
    copies = [sentence.copy() for sentence in sentences]
    while len(places) < DIFFERENT:
        number = rng.randrange(SENTENCES)
        sentence = copies[number]
        word = rng.randint(2, len(sentence))
        if (number + 1, word) in places:
            continue
        kind = rng.choice(["head", "deprel", "upos"])
        heads = sentence.heads.tolist()
        if kind == "head":
            heads[word - 1] = heads[word - 1] % len(heads) + 1
            if heads[word - 1] == word or not is_acyclic(heads):
                continue
            sentence.heads = heads
        elif kind == "deprel":
            sentence.deprels[word - 1] = "dep"
        else:
            sentence.upos[word - 1] = "X"
        places.add((number + 1, word))
    return copies, places


def kappa(pairs: list[tuple[str, str]]) -> float:
    observed = sum(a == b for a, b in pairs) / len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(left[tag] / len(pairs) * right[tag] / len(pairs) for tag in left)
    return (observed - chance) / (1 - chance)


def test_agreement_and_adjudication(make: Make, tmp_path: Path) -> None:
    ours = treebank()
    theirs, places = changed(ours)
    plain = [sentence.with_columns(heads=[-1] * len(sentence), deprels=["_"] * len(sentence)) for sentence in ours]
    for name, sentences in (("plain", plain), ("ana", ours), ("ben", theirs)):
        write(sentences, tmp_path / f"{name}.conllu")
    project = make(tmp_path / "plain.conllu")
    for name in ("ana", "ben"):
        project.people.add(name)
        project.import_files([tmp_path / f"{name}.conllu"], layer=name)
        assert exported(project, layer=name) == (tmp_path / f"{name}.conllu").read_text()
    words = [pair for left, right in zip(ours, theirs, strict=True) for pair in zip(left, right, strict=True)]
    same_heads = [(a.deprel, b.deprel) for a, b in words if a.head == b.head]
    [pair] = project.layers.agreement(["ana", "ben"]).pairs
    assert pair.uas == pytest.approx(len(same_heads) / len(words), rel=1e-9)
    assert pair.las == pytest.approx(sum(a == b for a, b in same_heads) / len(words), rel=1e-9)
    assert pair.kappa_upos == pytest.approx(kappa([(a.upos, b.upos) for a, b in words]), rel=1e-9)
    assert pair.kappa_relations == pytest.approx(kappa(same_heads), rel=1e-9)
    assert (pair.sentences, pair.words, pair.different_words) == (SENTENCES, len(words), DIFFERENT)

    differences = project.layers.adjudication()
    assert {(difference.sentence_id, difference.word) for difference in differences} == places
    assert not any(difference.is_decided for difference in differences)
    project.people.add("eva", "adjudicator")
    client = Client(project, "eva", "gold")
    for number, difference in enumerate(differences):
        state = client.send(difference.sentence_id, *difference.ops["ana" if number % 2 else "ben"]).state
        assert state.words[difference.word - 1].states[next(iter(difference.answers["ana"]))] == "decided"
    assert all(difference.is_decided for difference in project.layers.adjudication())
    for number in range(1, SENTENCES + 1):
        client.call("accept", number)
    [(_, data)] = project.export()
    gold = [Sentence(block) for block in data.decode().strip().split("\n\n")]
    taken = {(difference.sentence_id, difference.word): place % 2 for place, difference in enumerate(differences)}
    for number, (left, right, own) in enumerate(zip(ours, theirs, gold, strict=True), 1):
        for word in range(1, len(own) + 1):
            source = right if taken.get((number, word)) == 0 else left
            expected = source[word - 1]
            assert (own[word - 1].head, own[word - 1].deprel, own[word - 1].upos) == (
                *(expected.head, expected.deprel, expected.upos),
            )
    assert project.records.problems() == []


def test_layers_are_compared_where_two_have_accepted_a_sentence(make: Make) -> None:
    project = make()
    clients = {name: Client(project, name) for name in ("me", "ana", "ben")}
    for name in ("ana", "ben"):
        project.people.add(name)
    clients["me"].call("accept", 1)
    clients["ben"].send(2, {"kind": "upos", "word": 1, "upos": "X"})
    clients["ana"].call("accept", 2)
    with pytest.raises(ProjectError, match="ana and me have no accepted sentence in common"):
        project.layers.agreement(["ana", "me"])
    clients["ben"].call("accept", 2)
    [pair] = project.layers.agreement(project.layers.annotators()).pairs
    assert (pair.a, pair.b, pair.sentences) == ("ana", "ben", 1)
    [difference] = project.layers.adjudication()
    assert (difference.sentence_id, difference.word, list(difference.answers)) == (2, 1, ["ana", "ben"])


def test_messages(make: Make) -> None:
    project = make()
    with pytest.raises(ProjectError, match="0 layers have accepted sentences; adjudication compares two or more"):
        project.layers.adjudication()
    with pytest.raises(UnknownItemError, match="nothing is annotated in the layer ana"):
        project.layers.agreement(["ana", "ben"])
