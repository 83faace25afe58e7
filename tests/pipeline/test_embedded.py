"""The English model that comes with Treewright: there, small, licensed, and right where nobody could be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw
from treewright.languages.installed import EMBEDDED
from treewright.pipeline import Pipeline
from treewright.tokeniser import rebuild_text

FOLDER = EMBEDDED["en"].parent
MAX_BYTES = 32_000_000  # bytes, of everything in the folder: the wheel stays below 40 MB


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    loaded = tw.load("en")
    assert isinstance(loaded, Pipeline)
    return loaded


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= MAX_BYTES


def test_card_and_licence_are_beside_it() -> None:
    card = (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "English-EWT" in card
    assert "CC BY-SA 4.0" in card
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8").startswith("Attribution-ShareAlike 4.0 International")
    assert tw.load("en").metadata["licence"] == "CC BY-SA 4.0"


@pytest.mark.parametrize(
    ("text", "upos", "heads", "deprels"),
    [
        ("The old bridge creaked.", "DET ADJ NOUN VERB PUNCT", [3, 3, 4, 0, 4], "det amod nsubj root punct"),
        ("She reads a book.", "PRON VERB DET NOUN PUNCT", [2, 0, 4, 2, 2], "nsubj root det obj punct"),
        ("I didn't see it.", "PRON AUX PART VERB PRON PUNCT", [4, 4, 4, 0, 4, 4], "nsubj aux advmod root obj punct"),
        (
            "My brother works in a bank.",
            *("PRON NOUN VERB ADP DET NOUN PUNCT", [2, 3, 0, 6, 6, 3, 3], "nmod:poss nsubj root case det obl punct"),
        ),
        ("Is it cold?", "AUX PRON ADJ PUNCT", [3, 3, 0, 3], "cop nsubj root punct"),
        (
            "Dogs and cats were sold by the farmer.",
            "NOUN CCONJ NOUN AUX VERB ADP DET NOUN PUNCT",
            *([5, 3, 1, 5, 0, 8, 8, 5, 5], "nsubj:pass cc conj aux:pass root case det obl:agent punct"),
        ),
    ],
)
def test_unmistakable_sentences(nlp: Pipeline, text: str, upos: str, heads: list[int], deprels: str) -> None:
    [found] = nlp(text)
    assert found.upos == upos.split()
    assert found.heads.tolist() == heads
    assert found.deprels == deprels.split()
    assert found.parse.certified


def test_text_is_cut_as_in_the_treebank(nlp: Pipeline) -> None:
    text = "Dr. Smith doesn't live here. He moved to the U.S. in 1999!\n\nWhy? Nobody knows :)"
    found = nlp(text)
    assert [sentence.text for sentence in found] == [
        "Dr. Smith doesn't live here.",
        "He moved to the U.S. in 1999!",
        *("Why?", "Nobody knows :)"),
    ]
    assert found[0].tokens[0].form == "doesn't"
    assert found[0].forms[2:4] == ["does", "n't"]
    assert rebuild_text(found) == text


@pytest.mark.parametrize(
    "text",
    [
        "We use .NET at work.",
        "She left Yahoo! for a smaller company.",
        "E.g. this one is broken.",
        "Ask e.g. Mrs. Hall or Capt. Cook.",
        "The train leaves at 9:30 a.m. on Sunday.",
        '"Is this seat free?" the woman asked.',
        "Finally finished my thesis! 🎓",
    ],
)
def test_these_are_one_sentence(nlp: Pipeline, text: str) -> None:
    assert [sentence.text for sentence in nlp(text)] == [text]


@pytest.mark.parametrize(
    "marked",
    [
        "Biden, Macron to hold talks in Paris",
        "Floods hit Texas, thousands flee",
        "Apple, Google sign deal on ads",
        "Talks fail, strike goes on",
        "She works at the Fire Dept. in Queens.",
        "Call the Dept. of Motor Vehicles today.",
        "He lives on Fifth Ave. near the park.",
        "They met on Sunset Blvd. and talked.",
        "In Roe v. Wade the court ruled otherwise.",
        "Marbury v. Madison was decided in 1803.",
        "As shown by Smith et al. in 2009, it works.",
        "Jones et al. found no effect.",
        "It weighs approx. 30 kg.",
        "It costs approx. five dollars.",
        "She has a Ph.D. in physics.",
        "He got his Ph.D. from Yale.",
        "John Baker, Ph.D. spoke first.",
        "She works for Tanaka Co. Ltd. in Osaka.",
        "Acme Corp. said profits rose.",
        "Widgets Inc. is hiring.",
        "Doors open at 8 a.m. ‖ Come early.",
        "We left at 5 p.m. ‖ The roads were empty.",
        "The meeting is at 3 p.m. on Friday.",
        "The show starts at 7 p.m. tonight.",
        "The food was good! ‖ It is cheap too.",
        "The food was good!‖It is cheap too.",
        "What a day!‖We loved it.",
        "Is it open?‖Yes it is.",
        "FYI I'm not coming.",
        "BTW we moved the meeting.",
        "Dr. Jones met Mrs. Patel at St. Mary's.",
        "Prof. Lee and Gen. Hill agreed.",
        "See Fig. 3 and p. 12 for details.",
        "No. 5 is alive.",
        "J. R. R. Tolkien wrote it.",
        "The U.S. Army arrived.",
        "He moved to the U.S. ‖ He likes it there.",
        "Bring pens, paper, etc. to class.",
        "We sell tea, coffee, etc. ‖ Come in.",
        '"Why?" he asked.',
        '"Stop!" she cried. ‖ He ran.',
        "e.g. apples and i.e. fruit are common.",
        "Sgt. Pepper vs. Capt. Hook is on at 9.",
        "Send it to 12 Oak Rd. in Leeds.",
        "The firm, founded by Henry Ford Jr. in 1912, closed.",
    ],
)
def test_sentences_end_where_marked(nlp: Pipeline, marked: str) -> None:
    text = marked.replace(" ‖ ", " ").replace("‖", "")
    assert [sentence.text for sentence in nlp.tokeniser(text)] == [part.strip() for part in marked.split("‖")]


@pytest.mark.parametrize(
    "text",
    [
        "Groceries\nrice\nsix onions\nolive oil\nsalt",
        "Spring\nSummer\nAutumn",
        "Street and number\nPost code\nCountry of birth",
        "Before you leave:\nclose the windows\nfeed the cat\nlock the door",
    ],
)
def test_each_item_without_a_mark_is_a_sentence(nlp: Pipeline, text: str) -> None:
    assert [sentence.text for sentence in nlp.tokeniser(text)] == text.split("\n")


def test_each_line_of_a_list_is_a_sentence(nlp: Pipeline) -> None:
    lines = ["Shopping:", "- milk", "- six eggs", "1. call mum", "2. pay the rent", "* sleep"]
    assert [sentence.text for sentence in nlp("\n".join(lines))] == lines


@pytest.mark.parametrize(
    ("form", "tag"),
    [
        *(("https://example.org/a?b=c", "PROPN"), ("ann@example.org", "PROPN"), ("@ann", "PROPN"), ("😀", "SYM")),
        *(("👩‍🚀", "SYM"), ("10:30", "NUM"), ("2.0.1", "NUM"), ("snake_case", "PROPN"), ("/usr/local/bin", "PROPN")),
        *(("verbose=True", "PROPN"), ("main.py", "PROPN"), ("foo.bar()", "PROPN")),
    ],
)
def test_tokens_by_pattern_have_the_tags_of_their_kind(nlp: Pipeline, form: str, tag: str) -> None:
    for text in (f"We saw {form} yesterday.", f"{form}", f"Look at ({form})!", f"It uses {form} a lot."):
        words = [word for sentence in nlp(text) for word in zip(sentence.forms, sentence.upos, strict=True)]
        assert (form, tag) in words


@pytest.mark.parametrize(
    "form", ["They’re", "don’t", "I’m", "we’ll", "he’d", "it’s", "can’t", "won’t", "who’s", "let’s"]
)
def test_contractions_with_a_typographic_apostrophe_are_split(nlp: Pipeline, form: str) -> None:
    assert nlp(f"{form} here")[0].tokens[0].form == form


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("shouldn’t’ve", ["should", "n’t", "’ve"]),
        ("Who'd've", ["Who", "'d", "'ve"]),
        ("WON'T'VE", ["WO", "N'T", "'VE"]),
        ("Y'all'd've", ["Y'all", "'d", "'ve"]),  # y'all is one word in English-EWT
    ],
)
def test_contractions_of_several_words_are_split(nlp: Pipeline, form: str, words: list[str]) -> None:
    [found] = nlp(f"{form} gone.")
    assert found.forms == [*words, "gone", "."]
    assert found.tokens[0].form == form


def test_columns_are_filled(nlp: Pipeline) -> None:
    [found] = nlp("The children were running.")
    assert found.lemmas == ["the", "child", "be", "run", "."]
    assert found.xpos == ["DT", "NNS", "VBD", "VBG", "."]
    assert found.feats[1] == "Number=Plur"


@pytest.mark.slow
def test_as_good_as_the_card_says(nlp: Pipeline, data: Path) -> None:
    from treewright.evaluate import evaluate
    from treewright.tokeniser.tokeniser import text_and_ends

    gold = list(tw.read(data / "ud" / "English-EWT" / "test.conllu"))
    las = 100 * evaluate(gold, nlp(text_and_ends(gold)[0])).scores["LAS"].f1
    card = (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")
    [row] = [line for line in card.splitlines() if line.startswith("| LAS ")]
    assert las == pytest.approx(float(row.split("|")[2]), abs=0.02)
