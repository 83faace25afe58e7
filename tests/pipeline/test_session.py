"""Sessions: the tree under decisions is the constrained optimum by definition, in any order, and pins never move."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.networks import random_network
from oracles.pipelines import TAGGER, TINY, pipeline
from oracles.treebank import treebank

import treewright as tw
from treewright.corpus import Sentence
from treewright.errors import InfeasibleError, InputError
from treewright.network import Network
from treewright.parser import Parser
from treewright.parser.network_scores import NetworkWeights
from treewright.pipeline import Pipeline, Session
from treewright.tagger import Tagger
from treewright.tokeniser import Tokeniser

WORDS = ["the", "dog", "sees", "a", "red", "song"]
TAGS = ["DET", "NOUN", "VERB", "ADJ", "ADP"]
MODELS = [(projective, network) for projective in (True, False) for network in (True, False)]
SHAPES = pytest.mark.parametrize(("projective", "network"), MODELS)
Operation = tuple[str, tuple[Any, ...]]


@cache
def trained() -> tuple[Tagger, Parser]:
    bank = treebank(60, crossing=0.3)
    pruning = replace(TINY.pruning, threshold=0.0, max_heads=1000)
    return Tagger.train(bank, options=TAGGER), Parser.train(bank, options=replace(TINY, model="grand", pruning=pruning))


@cache
def model(projective: bool, network: bool) -> Pipeline:
    """A pipeline in which every arc is a candidate."""
    tagger, parser = trained()
    trained_model = replace(parser.model, options=replace(parser.options, projective=projective))
    if network:
        reader = Network(random_network(3, labels=trained_model.labels, columns={"upos": tuple(TAGS)}))
        weights = replace(trained_model.options, network=NetworkWeights(threshold=0.0))
        trained_model = replace(trained_model, network=reader, options=weights)
        tagger = Tagger(replace(tagger.model, network_weight=1.0))
    return Pipeline(Tokeniser(), tagger, Parser(trained_model))


def operations(seed: int, count: int, kinds: tuple[str, ...] = ("head", "deprel", "upos", "reject")) -> list[Operation]:
    """Random decisions, at most one for each cell."""
    dice, drawn = Random(seed), {}
    for _ in range(count):
        kind, word = dice.choice(kinds), dice.randint(1, len(WORDS))
        head = dice.choice([node for node in range(len(WORDS) + 1) if node != word])
        value = {"deprel": dice.choice(["obj", "det", "amod", "new"]), "upos": dice.choice(TAGS)}.get(kind, head)
        drawn[kind, word, head if kind == "reject" else 0] = (kind, (word, value))
    return list(drawn.values())


def replay(session: Session, done: list[Operation]) -> Session:
    for kind, (word, value) in done:
        if kind == "reject":
            session.reject(value, word)
        else:
            session.decide(word, **{kind: value})
    return session


def required(done: list[Operation]) -> dict[str, Any]:
    """The arcs that decisions require and forbid, by definition."""
    heads = {word: head for kind, (word, head) in done if kind == "head"}
    labelled = [word for kind, (word, _) in done if kind == "deprel"]
    rejected = [(head, word) for kind, (word, head) in done if kind == "reject"]
    forbid = rejected + [(0, word) for word in labelled if word not in heads]
    return {"require": [(head, word) for word, head in heads.items()], "forbid": forbid}


def optimum(nlp: Pipeline, sentence: Sentence, arcs: dict[str, Any]) -> tuple[float, bool]:
    """The value of the best tree over all arcs, and whether it is one of all trees for want of a projective one."""
    parts = nlp.trained_parser.parts(sentence, all_arcs=True)
    root = nlp.trained_parser.model.root
    if nlp.trained_parser.model.projective:
        try:
            return tw.decode.tree(parts, projective=True, root=root, **arcs).score, False
        except InfeasibleError:
            pass
    return tw.decode.tree(parts, root=root, **arcs).score, nlp.trained_parser.model.projective


@SHAPES
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 8))
def test_the_tree_is_the_best_one_that_has_all_decisions(
    projective: bool, network: bool, seed: int, count: int
) -> None:
    nlp, done = model(projective, network), operations(seed, count)
    session, arcs = replay(nlp.open(WORDS), done), required(done)
    if session.conflict:
        assert set(session.conflict) <= {*arcs["require"], *arcs["forbid"]}
        with pytest.raises(InfeasibleError):
            optimum(nlp, Sentence.from_words(WORDS, upos=["NOUN"] * len(WORDS)), arcs)
        with pytest.raises(InfeasibleError, match=r"^there is no such tree"):
            _ = session.tree
        return
    value, is_crossing = optimum(nlp, tagged_words(session), arcs)
    assert session.tree.score == pytest.approx(value, rel=1e-9)
    assert session.tree.certified
    assert bool(session.note) == is_crossing
    tree = set(enumerate(session.tree.heads.tolist()[1:], 1))
    assert all((word, head) in tree for head, word in arcs["require"])
    assert all((word, head) not in tree for head, word in arcs["forbid"])
    sentence = session.sentence
    for kind, (word, decided) in done:
        if kind in ("deprel", "upos"):
            assert getattr(sentence, "deprels" if kind == "deprel" else "upos")[word - 1] == decided


def tagged_words(session: Session) -> Sentence:
    """The sentence with the tags of a session, without its tree."""
    return Sentence.from_words(WORDS, upos=session.sentence.upos)


@SHAPES
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(0, 6))
def test_the_order_of_decisions_does_not_matter(projective: bool, network: bool, seed: int, count: int) -> None:
    nlp, done = model(projective, network), operations(seed, count)
    mixed = list(done)
    Random(seed + 1).shuffle(mixed)
    one, other = replay(nlp.open(WORDS), done), nlp.open(WORDS)
    for operation in mixed:
        _ = replay(other, [operation]).conflict  # looked at after each decision
    assert one.conflict == other.conflict
    if not one.conflict:
        assert str(one.sentence) == str(other.sentence)
        assert one.tree.score == other.tree.score


@SHAPES
@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_pins_never_move(projective: bool, network: bool, seed: int) -> None:
    dice, session = Random(seed), model(projective, network).open(WORDS)
    pinned: dict[int, tuple[int, str]] = {}
    for operation in operations(seed, 6):
        if session.conflict:
            return
        if operation[1][0] not in pinned:
            replay(session, [operation])
        if session.conflict:
            return
        sentence = session.sentence
        arcs = dict(enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), 1))
        assert all(arcs[word] == arc for word, arc in pinned.items())
        word = dice.randint(1, len(WORDS))
        session.pin([word])
        pinned[word] = arcs[word]
        assert session.sentence.heads.tolist() == sentence.heads.tolist()


@SHAPES
def test_what_is_released_is_as_if_it_had_never_been_decided(projective: bool, network: bool) -> None:
    nlp = model(projective, network)
    session, untouched = nlp.open(WORDS), nlp.open(WORDS)
    before = str(session.sentence)
    for word in range(1, len(WORDS) + 1):
        session.decide(word, head=0 if word == 6 else 6, deprel="obj", upos="ADP")
        session.reject(word % 5 + 1, word)
    assert str(session.sentence) != before
    assert session.sentence.heads.tolist() == [6, 6, 6, 6, 6, 0]
    for word in range(1, len(WORDS) + 1):
        session.release(word)
    assert str(session.sentence) == before == str(untouched.sentence)


def test_changed_has_the_words_that_the_last_call_moved() -> None:
    session = pipeline().open(["The", "old", "dog", "sees", "a", "house", "."])
    assert session.changed == []
    before = session.sentence
    session.reject(int(before.heads[1]), 2)
    after = session.sentence
    pairs = zip(before.heads.tolist(), before.deprels, after.heads.tolist(), after.deprels, strict=True)
    moved = [word for word, (h, label, head, deprel) in enumerate(pairs, 1) if (h, label) != (head, deprel)]
    assert session.changed == moved
    assert 2 in moved
    session.decide(7, head=4)
    assert session.changed == []


def test_after_a_conflict_changes_are_counted_from_the_last_tree() -> None:
    session = pipeline().open(["The", "old", "dog", "sees", "a", "house", "."])
    first = session.sentence.heads.tolist()
    session.decide(3, head=6)
    _ = session.tree
    session.decide(6, head=3)
    assert session.conflict == [(6, 3), (3, 6)]
    assert session.changed == []
    session.release(6)
    assert session.changed == []
    session.release(3)
    assert session.sentence.heads.tolist() == first
    assert 3 in session.changed


def test_two_roots_are_a_conflict_of_two_arcs() -> None:
    session = pipeline().open(["The", "dog", "sees", "a", "house", "."])
    session.decide(1, head=0)
    session.decide(3, deprel="root")
    assert session.conflict == [(0, 1), (0, 3)]
    with pytest.raises(InfeasibleError, match=r"every tree that is left gives node 0 several children"):
        _ = session.sentence


def test_crossing_decisions_are_kept_by_a_projective_model_which_says_so() -> None:
    session = model(True, False).open(WORDS)
    assert session.note == ""
    session.decide(1, head=3)
    session.decide(4, head=2)
    assert session.sentence.heads.tolist()[0] == 3
    assert session.sentence.heads.tolist()[3] == 2
    assert session.note == "no projective tree has all the heads given; completed with crossing arcs"
    assert session.tree.certified


def test_a_decided_tag_is_kept_and_the_others_are_tagged_given_it() -> None:
    subject_first = Sentence.from_words(["fish", "fish"], upos=["NOUN", "VERB"], heads=[2, 0])
    object_last = Sentence.from_words(["fish", "fish"], upos=["VERB", "NOUN"], heads=[0, 1])
    bank = [subject_first] * 12 + [object_last] * 8
    nlp = Pipeline(Tokeniser(), Tagger.train(bank, columns=["upos"]), Parser.train(bank, options=TINY))
    session = nlp.open(["fish", "fish"])
    assert session.sentence.upos == ["NOUN", "VERB"]
    session.decide(1, upos="VERB")
    assert session.sentence.upos == ["VERB", "NOUN"]
    assert [tag for tag, _ in session.tags(2)] == ["NOUN", "VERB"]
    assert sum(probability for _, probability in session.tags(2)) == pytest.approx(1, abs=1e-9)
    assert session.tags(1)[0][0] == "NOUN"  # what is decided about the word itself is set aside
    session.decide(1, upos="XYZ")  # a tag that the tagger does not have
    assert session.sentence.upos[0] == "XYZ"


@SHAPES
def test_alternatives_are_ranked_by_their_probability_and_cost_what_the_best_tree_with_them_loses(
    projective: bool, network: bool
) -> None:
    nlp = model(projective, network)
    session = nlp.open(WORDS)
    session.decide(5, head=6)
    session.reject(2, 1)
    tagged, arcs = tagged_words(session), {"require": [(6, 5)], "forbid": [(2, 1)]}
    value, _ = optimum(nlp, tagged, arcs)
    alternatives = session.alternatives(1, k=3)
    assert len(alternatives) == 3
    chances = [one.probability for one in alternatives]
    assert chances == sorted(chances, reverse=True)
    assert all(one.head not in (1, 2, int(session.tree.heads[1])) for one in alternatives)
    for one in alternatives:
        with_arc = {**arcs, "require": [(6, 5), (one.head, 1)]}
        assert one.loss == pytest.approx(value - optimum(nlp, tagged, with_arc)[0], abs=1e-9)
        assert session.why(one.head, 1).loss == pytest.approx(one.loss, abs=1e-9)
    assert [one.head for one in session.alternatives(1, k=2)] == [one.head for one in alternatives[:2]]


@SHAPES
def test_alternatives_of_a_decided_word_set_its_own_decision_aside(projective: bool, network: bool) -> None:
    nlp = model(projective, network)
    session = nlp.open(WORDS)
    own = int(session.tree.heads[5])
    best = session.tree.score
    worst = session.alternatives(5, k=10)[-1].head
    session.decide(5, head=worst)
    alternatives = session.alternatives(5, k=10)
    assert int(alternatives.best.heads[4]) == worst
    [back] = [one for one in alternatives if one.head == own]
    assert back.loss == pytest.approx(session.tree.score - best, abs=1e-9)
    assert back.loss < 0
    session.reject(own, 5)
    assert own not in [one.head for one in session.alternatives(5, k=10)]
    assert session.why(own, 5).loss == pytest.approx(back.loss, abs=1e-9)


@SHAPES
def test_labels_are_a_distribution_whose_best_is_shown(projective: bool, network: bool) -> None:
    session = model(projective, network).open(WORDS)
    for word in range(1, len(WORDS) + 1):
        labels = session.labels(word)
        assert sum(probability for _, probability in labels) == pytest.approx(1, abs=1e-5)
        assert [p for _, p in labels] == sorted((p for _, p in labels), reverse=True)
        assert session.sentence.deprels[word - 1] in [label for label, _ in labels]
    session.decide(1, deprel="new")
    assert session.sentence.deprels[0] == "new"


def test_a_sentence_with_decisions_begins_with_them() -> None:
    nlp = pipeline()
    forms = ["The", "old", "dog", "sees", "a", "house", "."]
    partial = Sentence.from_words(
        forms, heads=[-1, 6, -1, -1, -1, -1, 3], deprels=["_", "_", "_", "_", "new", "_", "_"]
    )
    session = nlp.open(partial)
    [completion] = nlp.complete([partial])
    assert str(session.sentence) == str(completion.sentence)
    assert session.sentence.heads.tolist()[1] == 6
    assert session.states[6, 2] == session.states[3, 7] == "decided"
    [parsed] = nlp.parse([Sentence.from_words(forms)], comment=False)
    assert str(nlp.open(parsed).sentence) == str(parsed)  # a whole tree decides nothing
    assert nlp.open("The old dog sees a house.").sentence.heads.tolist() == parsed.heads.tolist()


def test_the_states_of_arcs() -> None:
    session = pipeline().open(["The", "old", "dog", "sees", "a", "house", "."])
    session.pin([1])
    session.decide(2, head=6)
    session.reject(4, 3)
    states = session.states
    heads = session.sentence.heads.tolist()
    assert states[heads[0], 1] == "pinned"
    assert states[6, 2] == "decided"
    assert states[4, 3] == "rejected"
    assert {states[heads[word - 1], word] for word in session.changed} <= {"changed", "decided"}
    assert len(states) == 8


def test_a_session_reads_with_the_network_once(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp, read = model(False, True), Network.read
    reads: list[int] = []

    def counted(self: Network, sentences: Any) -> Any:
        reads.append(len(sentences))
        return read(self, sentences)

    monkeypatch.setattr(Network, "read", counted)
    session = nlp.open(WORDS)
    session.decide(1, head=3, upos="ADJ")
    session.alternatives(2)
    session.why(0, 2)
    assert sum(reads) == 1


def test_threads_share_a_session() -> None:
    session = pipeline().open(["The", "old", "dog", "sees", "a", "house", "."])

    def work(word: int) -> int:
        session.decide(word, upos="NOUN")
        session.alternatives(word)
        return len(session.tree.heads)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, [1, 2, 3, 4, 5, 6] * 3)) == {8}
    assert session.sentence.upos[:6] == ["NOUN"] * 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.decide(9, head=1), r"^word is 9; the sentence has the words 1\.\.3$"),
        (lambda s: s.decide(1, head=4), r"^head is 4; the sentence has the words 1\.\.3, and 0 is the root$"),
        (lambda s: s.decide(1), r"^nothing is decided; give head, deprel or upos$"),
        (lambda s: s.decide(1, deprel="_"), r"^deprel is '_'; expected a word without spaces \(release\(word\) opens"),
        (lambda s: s.decide(1, upos="A B"), r"^upos is 'A B'; expected a word without spaces"),
        (lambda s: s.reject(2, 2), r"^head and word are both 2; no word is its own head$"),
        (lambda s: s.pin([0]), r"^words is 0; the sentence has the words 1\.\.3$"),
        (lambda s: s.alternatives(1, k=0), r"^k is 0; give at least 1$"),
        (lambda s: s.labels("dog"), r"^word is 'dog'; expected the number of a word$"),
    ],
)
def test_bad_arguments_are_refused(call: Callable[[Session], object], message: str) -> None:
    session = pipeline().open(["dogs", "see", "cats"])
    before = str(session.sentence)
    with pytest.raises(InputError, match=message):
        call(session)
    assert str(session.sentence) == before


def test_what_cannot_be_opened_is_refused() -> None:
    nlp = pipeline()
    with pytest.raises(InputError, match=r"^the text has 2 sentences; a session is about one$"):
        nlp.open("The dog sees a house. The dog sees a house.")
    with pytest.raises(ValueError, match=r"^forms is empty; a sentence has at least one word$"):
        nlp.open([])
    with pytest.raises(InputError, match=r"^max_seconds is -1; give seconds, or None for no limit$"):
        nlp.open(WORDS, max_seconds=-1)


def test_a_search_that_runs_out_of_time_has_a_tree_with_all_decisions_and_a_bound() -> None:
    session = model(False, False).open(WORDS * 6, max_seconds=1e-9)
    session.decide(3, head=20)
    session.decide(30, head=1)
    assert session.tree.heads[[3, 30]].tolist() == [20, 1]
    assert session.tree.score <= session.tree.bound
    assert tw.trees.is_tree(session.tree.heads)


def test_the_probability_of_the_label_that_is_shown_is_its_confidence() -> None:
    session = model(True, False).open(WORDS)
    sentence = session.sentence
    assert sentence.label_confidence is not None
    for word, (label, sure) in enumerate(zip(sentence.deprels, sentence.label_confidence.tolist(), strict=True), 1):
        assert dict(session.labels(word))[label] == pytest.approx(sure, abs=1e-5)
