"""The sentences of tests/data/ordinary.conllu: valid trees of many genres, which the English model parses well."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import treewright as tw
from treewright.checking import check
from treewright.evaluate import evaluate
from treewright.tokeniser import rebuild_text

FILE = Path(__file__).parent.parent / "data" / "ordinary.conllu"
SENTENCES = 200
MIN_OF_GENRE = 4  # sentences
GENRES = (
    *("quotation", "participle", "conditional", "list", "heading", "chat", "emoji", "code", "legal", "question"),
    *("imperative", "date", "contraction", "address", "parenthetical", "relative", "comparative", "coordination"),
    "passive",
)
# Lower bounds of the English model's scores; benchmarks/accuracy/ordinary.py prints them.
MIN_UAS_OF_WORDS = 0.90
MIN_UAS_OF_TEXT = 0.90


@pytest.fixture(scope="module")
def gold() -> list[tw.Sentence]:
    return list(tw.read(FILE))


def test_the_file_breaks_no_rule_of_universal_dependencies() -> None:
    assert [str(finding) for finding in check(FILE, level=3)] == []


def test_the_file_has_all_genres(gold: list[tw.Sentence]) -> None:
    counts = Counter(sentence.comment("genre") for sentence in gold)
    assert len(gold) == SENTENCES
    assert set(counts) == set(GENRES)
    assert min(counts.values()) >= MIN_OF_GENRE


def test_every_word_has_a_lemma_and_a_tag(gold: list[tw.Sentence]) -> None:
    assert not [sentence.sent_id for sentence in gold if "_" in (*sentence.lemmas, *sentence.upos)]


def test_the_english_model_attaches_as_many_words_as_before(gold: list[tw.Sentence]) -> None:
    nlp = tw.Pipeline.load("en")
    words = [sentence.with_columns(upos=["_"] * len(sentence)) for sentence in gold]
    assert evaluate(gold, list(nlp.parse(words)))["UAS"].f1 >= MIN_UAS_OF_WORDS
    assert evaluate(gold, nlp(rebuild_text(gold)))["UAS"].f1 >= MIN_UAS_OF_TEXT
