"""The web page: whole, harmless, and complete without its script."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

import treewright as tw
from treewright.errors import InputError

DOGS = SimpleNamespace(
    forms=["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"], sent_id="dogs-1", text="Dogs bark"
)
CATS = SimpleNamespace(
    forms=["Cats", "sleep"], heads=[0, 1], deprels=["root", "dep"], sent_id="cats-1", text="Cats sleep"
)
CATS_GOLD = SimpleNamespace(forms=["Cats", "sleep"], heads=[2, 0], deprels=["nsubj", "root"])
EVIL = SimpleNamespace(
    forms=["</script><script>alert(1)</script>", '"onload="x'],
    heads=[2, 0],
    deprels=["<img src=x onerror=alert(1)>", "root"],
    sent_id="<b>",
    text="</svg><script>alert(1)</script>",
)


class Elements(HTMLParser):
    """Which elements a page has, and with which attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_each_sentence_has_its_place_name_and_drawing() -> None:
    page = tw.draw.html([DOGS, CATS], title="pets.conllu")
    elements = Elements(page)
    assert [article["id"] for article in elements.all("article")] == ["s1", "s2"]
    assert [link["href"] for link in elements.all("a")] == ["#s1", "#s2"]
    assert len(elements.all("svg")) == 2
    assert "dogs-1" in page
    assert "2 sentences, 4 words" in page


def test_nothing_comes_from_outside_and_nothing_that_is_drawn_can_run() -> None:
    page = tw.draw.html([EVIL], title="<script>")
    elements = Elements(page)
    assert len(elements.all("script")) == 1
    assert not elements.all("img")
    assert not elements.all("b")
    attributes = {name for _, found in elements.found for name in found}
    assert not {name for name in attributes if name.startswith("on")}
    assert not attributes & {"src", "srcset", "action"}
    assert not elements.all("link")
    outside = set(re.findall(r"(?:https?:)?//[\w.]+[^\s\"<]*", page)) - {"http://www.w3.org/2000/svg"}
    assert not {address for address in outside if address.startswith("http")}
    assert not re.search(r"url\(|@import", page)


def test_differences_are_counted() -> None:
    page = tw.draw.html([DOGS, CATS], gold=[DOGS, CATS_GOLD])
    articles = Elements(page).all("article")
    assert [article["data-wrong"] for article in articles] == ["0", "4"]
    assert "50.0% as in gold" in page
    assert "0 of 2 as in gold" in page
    assert 'id="wrong"' in page
    assert 'id="wrong"' not in tw.draw.html([DOGS])


def test_doubt_can_be_sorted_by() -> None:
    page = tw.draw.html([SimpleNamespace(**vars(DOGS), confidence=[0.5, 0.9])])
    assert Elements(page).all("article")[0]["data-doubt"] == "0.5000"
    assert "most doubtful first" in page
    assert "most doubtful first" not in tw.draw.html([DOGS])


def test_a_wide_drawing_is_laid_out_again_for_narrow_windows() -> None:
    words = SimpleNamespace(forms=["word"] * 12, heads=[0, *range(1, 12)])
    assert tw.draw.html(words).count("<svg") == 2
    assert tw.draw.html(words, narrow=None).count("<svg") == 1
    assert tw.draw.html(DOGS).count("<svg") == 1


def test_trees_and_sentences_share_a_page() -> None:
    page = tw.draw.html([DOGS, ("S", ("NP", "dogs"), ("VP", "bark"))])
    assert page.count("<svg") == 2


def test_right_to_left_text_is_marked_so() -> None:
    articles = Elements(tw.draw.html([SimpleNamespace(forms=["שלום", "עולם"], heads=[0, 1])]))
    assert articles.all("p")[0]["dir"] == "rtl"


def test_what_cannot_be_drawn_is_named_by_its_number() -> None:
    with pytest.raises(InputError, match=r"^sentence 2: heads: word 1 has head 5"):
        tw.draw.html([DOGS, SimpleNamespace(forms=["x"], heads=[5])])
    with pytest.raises(InputError, match="gold has only 1 sentences; each needs one of gold to compare with"):
        tw.draw.html([DOGS, CATS], gold=[DOGS])
    with pytest.raises(InputError, match="there are only 1 sentences"):
        tw.draw.html([DOGS], gold=[DOGS, CATS])
