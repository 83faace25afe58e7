"""White space, typography and normal forms change nothing but places in the text; arbitrary text is taken."""

from __future__ import annotations

import io
import re
import textwrap
import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pipelines import text_of, written

import treewright as tw
from treewright.corpus.offsets import join_tokens, surface_tokens
from treewright.corpus.typography import INVISIBLE, MARKS
from treewright.errors import InputError
from treewright.learn import Learning
from treewright.pipeline import read_input
from treewright.tokeniser import Tokeniser, TokeniserOptions, rebuild_text
from treewright.tokeniser.corrections import agreeing_patterns
from treewright.tokeniser.patterns import PATTERNS, Patterns
from treewright.tokeniser.text import Text

SMALL = TokeniserOptions(learning=Learning(bits=12, epochs=2), boundaries=Learning(bits=12, epochs=2))
RULES = Tokeniser()
TEXT = text_of(40, 7)
ANY = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("aA1 .,!'’“…—\n\r\t\u00a0\u200b\ufeffé\u0301🙂")
)


@cache
def learned() -> Tokeniser:
    return Tokeniser.train(written(60, 3), options=SMALL)


def words(tokeniser: Tokeniser, text: str) -> list[list[str]]:
    return [sentence.forms for sentence in tokeniser(text)]


def wrapped(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, 72, break_on_hyphens=False) for part in text.split("\n\n"))


LAYOUTS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "line separators": lambda text: text.replace("\n", "\u2028"),
    "double blanks": lambda text: text.replace(" ", "  "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "zero-width blanks": lambda text: text.replace(" ", " \u200b"),
    "form feeds": lambda text: text.replace("\n\n", "\n\f\n"),
    "indentation": lambda text: textwrap.indent(text, "    "),
    "trailing blanks": lambda text: re.sub(r"(?<=\S)\n", "  \n", text),
    "blanks on blank lines": lambda text: text.replace("\n\n", "\n \t\u00a0\n"),
    "wrapped": wrapped,
    "wrapped, CRLF, indented": lambda text: textwrap.indent(wrapped(text), "  ").replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text.replace("\n\n", "\n\n\ufeff"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("by_rules", [True, False])
def test_white_space_changes_nothing_but_places(layout: str, by_rules: bool) -> None:
    tokeniser = RULES if by_rules else learned()
    text = LAYOUTS[layout](TEXT)
    assert text != TEXT
    assert words(tokeniser, text) == words(tokeniser, TEXT)
    assert rebuild_text(tokeniser(text)) == text
    check_places(tokeniser, text)


@given(
    st.lists(
        st.sampled_from([" ", "  ", "\t", "\u00a0", "\u3000", "\f", "\v", "\u200b ", " \ufeff"]), min_size=8, max_size=8
    )
)
def test_any_blanks_are_one_blank(blanks: list[str]) -> None:
    forms = ["The", "dogs", "walked", ".", "The", "cat", "jumps", "!"]
    text = "".join(form + blank for form, blank in zip(forms, blanks, strict=True))
    for tokeniser in (RULES, learned()):
        assert words(tokeniser, text) == words(tokeniser, " ".join(forms))


@given(st.lists(st.sampled_from(["a", "bc.", "Def", "\r\n", "\n", "\r", " ", "\t"]), max_size=30))
def test_line_breaks_are_equal(parts: list[str]) -> None:
    text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n")
    expected = words(learned(), text)
    for line_break in ("\r\n", "\r"):
        assert words(learned(), text.replace("\n", line_break)) == expected


@given(st.lists(st.text("abcdefgh.,", min_size=1, max_size=20), min_size=1, max_size=60), st.integers(45, 100))
def test_wrapped_text_is_that_without_line_breaks(chunks: list[str], width: int) -> None:
    text = " ".join(chunks)
    lines = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    assert Text.of(lines).canonical == f"{text}\n\n"


@pytest.mark.parametrize("by_rules", [True, False])
def test_a_blank_line_ends_a_sentence(by_rules: bool) -> None:
    for blank in ("\n\n", "\n \n", "\r\n\r\n", "\r\r", "\n\t\u00a0\n", "\n\u200b\n", "\u2029"):
        assert words(RULES if by_rules else learned(), f"the dog{blank}sees a house") == [
            ["the", "dog"],
            ["sees", "a", "house"],
        ]


def test_a_short_line_is_kept_apart_from_a_wrapped_one() -> None:
    list_of_items = "apples\npears\nplums and cherries"
    assert Text.of(list_of_items).canonical == "apples\n\npears\n\nplums and cherries\n\n"
    verse = "We saw the apples,\nthe pears,\nplums and cherries"
    assert Text.of(verse).canonical == f"{verse}\n\n"
    paragraph = "A paragraph whose first line is as long as lines of letters usually are\nand whose second is not."
    assert "\n" not in Text.of(paragraph).canonical.strip()


@pytest.mark.parametrize(("mark", "ascii_form"), [(mark, one) for one, marks in MARKS.items() for mark in marks])
def test_typographic_marks_are_cut_as_ascii_forms(mark: str, ascii_form: str) -> None:
    for form in ("They{}re here.", "{}Stop{} she said.", "one {} two", "one{}two", "Wait{} He came."):
        plain, written_so = form.replace("{}", ascii_form), form.replace("{}", mark)
        for tokeniser in (RULES, learned()):
            expected = [[token.replace(ascii_form, mark) for token in sentence] for sentence in words(tokeniser, plain)]
            assert words(tokeniser, written_so) == expected


CONTRACTIONS = [
    *("I'm", "you're", "he's", "she's", "it's", "we're", "they're", "I've", "you've", "we've", "they've"),
    *("I'll", "you'll", "he'll", "she'll", "it'll", "we'll", "they'll", "I'd", "you'd", "he'd", "she'd", "we'd"),
    *("they'd", "isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "haven't", "hasn't"),
    *("hadn't", "can't", "couldn't", "won't", "wouldn't", "shouldn't", "mustn't", "needn't", "mightn't"),
    *("that's", "there's", "here's", "what's", "who's", "where's", "how's", "let's", "John's", "dog's"),
    *("cannot",),
]


def contracted(form: str) -> tw.Sentence:
    cut = len(form) - 3 if "n't" in form or form == "cannot" else form.index("'")
    first, second = form[:cut], form[cut:]
    rows = [f"1-2\t{form}", f"1\t{first}", f"2\t{second}", "3\tok"]
    return tw.Sentence("".join(f"{row}{chr(9)}_" + "\t_" * (7) + "\n" for row in rows) + "\n")


def test_contractions_with_an_apostrophe_are_split_in_either_spelling() -> None:
    tokeniser = Tokeniser.train([contracted(form) for form in CONTRACTIONS] * 2, options=SMALL)
    for form in CONTRACTIONS:
        [[*plain]] = words(tokeniser, f"{form} ok")
        assert len(plain) == 3
        written_so = form.replace("'", "’")
        assert words(tokeniser, f"{written_so} ok") == [[word.replace("'", "’") for word in plain]]


@given(st.text("aeoucn\u0301\u0308\u0327 .,éü", max_size=40))
def test_normal_forms_are_cut_alike(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    for tokeniser in (RULES, learned()):
        found = [[unicodedata.normalize("NFC", form) for form in one] for one in words(tokeniser, decomposed)]
        assert found == words(tokeniser, composed)


@given(ANY)
def test_arbitrary_text_is_rebuilt_and_places_are_right(text: str) -> None:
    for tokeniser in (RULES, learned()):
        sentences = tokeniser(text)
        visible = text.translate(dict.fromkeys(map(ord, INVISIBLE))).strip()
        assert rebuild_text(sentences) == (text if visible else "")
        assert all(sentence.text == join_tokens(surface_tokens(sentence)) for sentence in sentences)
        check_places(tokeniser, text)


def check_places(tokeniser: Tokeniser, text: str) -> None:
    for sentence in tokeniser(text):
        assert not sentence.tokens
        for form, misc in zip(sentence.forms, sentence.misc, strict=True):
            begin, _, end = misc.rpartition("TokenRange=")[2].partition(":")
            assert text[int(begin) : int(end)] == form


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(InputError, match=r"character 4 of the text is the lone surrogate U\+D800"):
        RULES("It \ud800")


TOKENS = [
    *(
        "https://example.org/a_b?c=1",
        "www.example.org",
        "a.b+c@example.org",
        "mailto:a@example.org",
        "@ann_b",
        "#Topic2",
    ),
    *(
        "👩‍👩‍👧",
        "👍🏽",
        "🇩🇪",
        "1️⃣",
        "❤️",
        "🦊",
        "/usr/local/bin",
        "~/notes",
        "./run.sh",
        "C:\\Temp\\a.txt",
        "report-2.final.pdf",
    ),
    *("v1.2", "1.2.3", "2.0.1-rc1", "10:30", "23:59:59", "snake_case", "__init__", "foo.bar()", "std::move()", "C++"),
    *("C#", ".NET", "ASP.NET", "Node.js", "Yahoo!"),
]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("by_rules", [True, False])
def test_tokens_by_pattern_are_whole_and_do_not_end_sentences_inside(token: str, by_rules: bool) -> None:
    tokeniser = RULES if by_rules else learned()
    [sentence] = words(tokeniser, f"we saw {token} here")
    assert sentence == ["we", "saw", token, "here"]
    assert words(tokeniser, f"({token}, ok)")[0][:3] == ["(", token, ","]


def test_emoji_in_a_row_are_a_token_each() -> None:
    assert words(RULES, "ok👍🏽👩‍👩‍👧🇩🇪🇫🇷") == [["ok", "👍🏽", "👩‍👩‍👧", "🇩🇪", "🇫🇷"]]


def test_the_patterns_of_a_treebank_that_cuts_them_are_dropped() -> None:
    cut = tw.Sentence.from_words(["@", "ann", "at", "10:30"], misc=["SpaceAfter=No", "_", "_", "_"])
    tokeniser = Tokeniser.train([cut, *written(20, 1)], options=SMALL)
    assert tokeniser.model is not None
    assert set(PATTERNS) - set(tokeniser.model.corrections.patterns.names) == {"account"}
    assert agreeing_patterns("", np.zeros(0, dtype=np.int32)) == tuple(PATTERNS)
    with pytest.raises(ValueError, match="there is no pattern 'x'; there are address"):
        Patterns(["x"])


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_each_line_is_a_paragraph(line_break: str) -> None:
    text = line_break.join(["the dog", "sees a house. The cat", "", "and more"])
    found = list(read_input(io.BytesIO(text.encode()), "paragraphs"))
    forms = [["the", "dog"], ["sees", "a", "house", "."], ["The", "cat"], ["and", "more"]]
    assert [sentence.forms for sentence in found] == forms
    assert [sentence.line for sentence in found] == [1, 2, 2, 4]
