"""Addresses, accounts, emoji and file names are tagged by their kind."""

from __future__ import annotations

from functools import _lru_cache_wrapper, cache

import pytest
from oracles.treebank import tagged_treebank

import treewright as tw
from treewright.caching import MAX_CACHED
from treewright.learn import Learning
from treewright.tagger import Tagger, TaggerOptions
from treewright.tokeniser.multiwords import Multiwords
from treewright.tokeniser.patterns import PATTERNS
from treewright.tokeniser.representatives import (
    EMOTICON,
    REPRESENTATIVES,
    UNKNOWN_NAME,
    kind_of,
    representative,
    with_representatives,
)

SMALL = TaggerOptions(tags=Learning(bits=14, epochs=4), lemmas=Learning(bits=12, epochs=4))
EXAMPLES = {
    "address": ["https://example.org/a?b=1", "www.example.com"],
    "e-mail": ["ann@example.org", "a.b+c@mail.example.com"],
    "account": ["@ann", "@ann_b.c"],
    "topic": ["#news", "#Bridge2024"],
    "emoji": ["😀", "👍🏽", "❤️", "👩‍🚀"],
    "flag": ["🇫🇷"],
    "keycap": ["1️⃣"],
    "path": ["/etc/hosts", "../lib/a.so"],
    "home path": ["~/notes"],
    "drive path": ["C:\\Users\\ann\\file.txt"],
    "version": ["6.2.1", "v2.0"],
    "time": ["9:15", "23:59:59"],
}


def tagger_of(*added: tw.Sentence) -> Tagger:
    return Tagger.train([*tagged_treebank(120), *added], columns=["upos", "lemma"], options=SMALL)


@cache
def tagger_with_symbol(form: str) -> Tagger:
    return tagger_of(
        *[
            tw.Sentence.from_words(
                ["Dogs", "barked", form], upos=["NOUN", "VERB", "SYM"], lemmas=["dog", "bark", "symbol"]
            )
        ]
        * 4
    )


def test_every_kind_has_examples_and_a_pattern() -> None:
    assert set(EXAMPLES) == set(REPRESENTATIVES) <= set(PATTERNS)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_word_is_described_by_the_representative_of_its_kind(kind: str) -> None:
    assert {representative(form) for form in EXAMPLES[kind]} == {REPRESENTATIVES[kind]}
    assert representative(REPRESENTATIVES[kind]) == REPRESENTATIVES[kind]


@pytest.mark.parametrize("form", ["bridge", "Mr.", "U.S.", "don't", "1,000", "and/or", "...", "-", ":-)", "a@", "#1"])
def test_other_words_describe_themselves(form: str) -> None:
    assert representative(form) == form


@pytest.mark.parametrize("form", ["max_retries", "parse_line()", "tw.load()", "notes.md", "report-2024.pdf"])
def test_identifiers_are_described_as_an_unknown_name_when_tagging_only(form: str) -> None:
    assert representative(form) == UNKNOWN_NAME
    assert with_representatives(tw.Sentence.from_words([form])).forms == [form]


@pytest.mark.parametrize("emoji", EXAMPLES["emoji"] + EXAMPLES["flag"])
@pytest.mark.parametrize("seen", [EMOTICON, "🎉", "%"])
def test_emoji_are_symbols_where_the_treebank_has_symbols(seen: str, emoji: str) -> None:
    tagger = tagger_with_symbol(seen)
    for forms in ([emoji], ["Dogs", "barked", emoji], [emoji, "Dogs", "barked", "."]):
        [found] = tagger.tag([tw.Sentence.from_words(forms)])
        assert found.upos[forms.index(emoji)] == "SYM"


@pytest.mark.parametrize("form", [form for forms in EXAMPLES.values() for form in forms])
def test_words_of_a_kind_are_their_own_lemmas(form: str) -> None:
    [found] = tagger_with_symbol("%").tag([tw.Sentence.from_words(["Dogs", "barked", form])])
    assert found.lemmas[2] == form


def test_an_unseen_address_has_the_tag_of_the_addresses_that_were_seen() -> None:
    added = [
        tw.Sentence.from_words(["Dogs", "barked", f"http://{name}.net/"], upos=["NOUN", "VERB", "X"])
        for name in ("one", "two", "three", "four", "five")
    ]
    tagger = tagger_of(*added)
    [found] = tagger.tag([tw.Sentence.from_words(["Dogs", "barked", "https://example.org/walked/barked"])])
    assert found.upos == ["NOUN", "VERB", "X"]
    assert found.forms[2] == "https://example.org/walked/barked"


def test_caches_of_tokens_are_bounded() -> None:
    assert kind_of.cache_info().maxsize == MAX_CACHED
    words_of = Multiwords({}).words_of
    assert isinstance(words_of, _lru_cache_wrapper)
    assert words_of.cache_info().maxsize == MAX_CACHED
