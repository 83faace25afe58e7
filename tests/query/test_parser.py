"""Requests and rules that cannot be used are refused by name and place."""

from __future__ import annotations

import pickle

import pytest

import treewright as tw
from treewright.errors import RequestError


@pytest.mark.parametrize(
    ("text", "problem", "line", "column"),
    [
        ("", "the request is empty", 1, 1),
        ("pattern { V -[nsubj-> N }", "'->'; expected ']->'", 1, 20),
        ("pattern {\n  V [upos=VERB];\n  V => N\n}", "'=>' after V; expected [, ->", 3, 5),
        ("pattern { V [upos=VERB }", "expected ','", 1, 24),
        ("pattern { V [upos=VERB] N [] }", "'N'; expected ';' or '}'", 1, 25),
        ("pattern { V [upos=VERB]", "the text ends here; expected '}'", 1, 24),
        ("pattern { V [lemma=lex.noun] }", "lex.noun: lexicons are not supported", 1, 20),
        ('pattern { V [lemma="be] }', "the quotation mark is not closed", 1, 20),
        ('pattern { V [lemma=re"("] }', "regular expression: ", 1, 20),
        ('pattern { V [lemma=re"a\\|b"] }', "write | for alternatives", 1, 20),
        ("pattern { V [] } commands { del_edge e }", "'commands': commands change sentences", 1, 18),
        ("rule r { pattern { V [] } }", "'rule': a rule is for `treewright rewrite`", 1, 1),
        ("match { V [] }", "'match': `match` is older syntax", 1, 1),
        ("pattern { V [] } when { V [] }", "'when'; expected pattern, with, without or global", 1, 18),
        ("pattern { V [] } global { is_big }", "'is_big' is not supported; expected is_tree", 1, 27),
        ("pattern { X.lemma = Y.lemma }", "no node or edge X in this request", 1, 11),
        ("pattern { e: X -> Y; e: Y -> Z }", "a second edge e", 1, 22),
        ("pattern { e: X -> Y; e.upos = V }", "an edge has no upos, only label, 1, 2", 1, 22),
        ("pattern { e: X -> Y; X < e }", "< is between nodes", 1, 22),
        ("pattern { e: X -> Y; e << X }", "e is an edge and X is not; write X << e", 1, 22),
        ("pattern { X -> Y; X >< Y }", "X is not an edge; >< is between named edges", 1, 19),
        ("pattern { X -> Y; X <> Y }", "<> between names is not supported", 1, 21),
        ("pattern { X -[3=a]-> Y }", "3: a label has the parts 1, 2, deep and enhanced", 1, 15),
        ("pattern { X []; X.conf < low }", "'low'; expected a number after <", 1, 26),
        ("pattern { X [Case <> *] }", "Case <> * excludes every value", 1, 23),
        ("pattern { X [conf < 1] }", "write X.conf < ... as a clause of its own", 1, 19),
        ("X -> Y without { Y -> Z }", "'without' after clauses; write pattern { ... } around them", 1, 8),
        ("pattern { X [] } % a comment\nglobal { is_tree", "the text ends here; expected '}'", 2, 17),
    ],
)  # fmt: skip
def test_a_bad_request_is_refused_with_its_place(text: str, problem: str, line: int, column: int) -> None:
    with pytest.raises(RequestError) as error:
        tw.query.compile(text, source="find.req")
    assert problem in error.value.problem
    assert (error.value.line, error.value.column) == (line, column)
    message, shown, caret = str(error.value).split("\n")
    assert message.startswith(f"find.req:{line}:{column}: ")
    assert shown == "  " + text.split("\n")[line - 1]
    assert caret == " " * (column + 1) + "^"


def test_an_error_can_be_pickled() -> None:
    with pytest.raises(RequestError) as error:
        tw.query.compile("pattern {")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_the_caret_stands_below_the_place_after_tabs() -> None:
    with pytest.raises(RequestError, match=r"\n  \tX \?\n  \t  \^$"):
        tw.query.compile("pattern {\n\tX ?\n}")


def test_blanks_quotes_and_empty_clauses_are_as_users_write_them() -> None:
    sentence = tw.Sentence.from_words(
        ['"', "I", "am"], upos=["PUNCT", "PRON", "AUX"], feats=["_", "Person=1", "_"], heads=[3, 3, 0],
        deprels=["punct", "nsubj", "root"],
    )  # fmt: skip
    for text in (
        'pattern{X[upos = "AUX" | VERB] ; e : X -[ nsubj | csubj ]-> Y;} global { is_tree ; }',
        "% first\npattern {\n  X -[1=nsubj|csubj]-> Y; % subject\n}\n",
        "pattern { X -[^punct|root]-> Y }",
        'pattern { X [form="am"] } pattern { X -> Y; Y [Person="1"] }',
        'pattern { X -> Y } without { Y [form="\\""] } with { X [upos=AUX] }',
    ):
        assert [match.nodes for match in tw.query.compile(text).search(sentence)] == [{"X": 3, "Y": 2}], text
