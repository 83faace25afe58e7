"""`tw.explain`: every label that a user meets has a sentence and an address."""

from __future__ import annotations

import pytest
from oracles.processes import Run, runner

import treewright as tw
from treewright.errors import InputError
from treewright.guidelines import FEATURES, RELATIONS, TAGS
from treewright.parser import Parser


def embedded_labels() -> set[str]:
    """Return all tags, relations and features that the embedded model can write."""
    nlp = tw.load()
    assert isinstance(nlp.parser, Parser)
    tags = nlp.tagger.to_arrays()[0]["tags"]
    cells = {cell for tag in tags for cell in (tag[0], tag[1])}
    features = {feature for tag in tags for feature in tag[2].split("|")}
    return {*nlp.parser.to_arrays()[0]["labels"], *cells, *features} - {"_"}


def test_every_label_of_the_embedded_model_is_explained() -> None:
    names = embedded_labels()
    assert len(names) > 150
    for name in names:
        explained = tw.explain(name)
        assert explained.startswith(f"{name} (")
        assert "https://universaldependencies.org/" in explained
        assert "not among the usual" not in explained, name


def test_universal_names_are_complete() -> None:
    assert len(TAGS) == 17
    assert len({name for name in RELATIONS if ":" not in name}) == 37
    for name in [*TAGS, *RELATIONS, *FEATURES]:
        assert tw.explain(name).count("\n") >= 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("aux", "/u/dep/aux_.html"),
        ("AUX", "/u/pos/AUX_.html"),
        ("nmod:xyz", "a subtype, of some languages or treebanks, of nmod"),
        ("Number[psor]=Sing", "grammatical number; singular\nhttps://universaldependencies.org/u/feat/Number.html"),
        ("Case=Xyz", "the value Xyz is not among the usual ones"),
    ],
)
def test_names_are_explained(name: str, text: str) -> None:
    assert text in tw.explain(name)


def test_a_name_with_two_meanings_has_both() -> None:
    assert tw.explain("SYM").count("SYM (tag, ") == 2


def test_an_unknown_name_gets_a_suggestion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"'nsub' is no tag, relation or feature .*; did you mean nsubj\?"):
        tw.explain("nsub")
    with pytest.raises(TypeError, match="expected a str"):
        tw.explain(3)  # type: ignore[arg-type]
    run: Run = runner(monkeypatch, capsys)
    assert run("explain", "noun").returncode == 1
    ended = run("explain", "obl:unmarked", "NOUN")
    assert ended.returncode == 0
    assert ended.stdout == f"{tw.explain('obl:unmarked')}\n{tw.explain('NOUN')}\n"


def test_only_public_names_are_listed() -> None:
    assert sorted(set(dir(tw)) - {"__version__"}) == sorted(tw.__all__)
    assert all(getattr(tw, name) is not None for name in dir(tw))


def test_load_without_a_name_loads_english() -> None:
    assert tw.load().metadata == tw.load("en").metadata
