"""Full-form lexicons: how they are read, and what training makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw
from treewright.errors import FormatError, InputError
from treewright.learn import Learning
from treewright.tagger import Tagger, TaggerOptions
from treewright.tagger.full_forms import Entry, read_lexicon
from treewright.tagger.training import collect_lemmas

PAST = "Tense=Past|VerbForm=Fin"
INFINITIVE = "VerbForm=Inf"
SMALL = TaggerOptions(tags=Learning(bits=12), lemmas=Learning(bits=12, epochs=4))


def word(form: str, upos: str, lemma: str, feats: str = "_") -> tw.Sentence:
    return tw.Sentence.from_words([form], upos=[upos], feats=[feats], lemmas=[lemma])


BANK = [
    *(word(f"{stem}ed", "VERB", stem, PAST) for stem in ("walk", "jump", "pick", "lift", "turn", "kick")),
    *(word(stem, "VERB", stem, INFINITIVE) for stem in ("walk", "jump", "pick", "lift", "turn", "kick")),
    *(word(f"{stem}s", "NOUN", stem, "Number=Plur") for stem in ("lamp", "desk", "fork", "cup")),
    *(word("rode", "VERB", "ride", PAST) for _ in range(2)),
    word("brethren", "NOUN", "brother", "Number=Plur"),
]
LEXICON = [
    Entry("strove", "VERB", "_", "strive"),
    Entry("fell", "VERB", "Tense=Past", "fall"),
    Entry("fell", "VERB", "_", "fell"),
    Entry("dormice", "NOUN", "_", "dormouse"),
    Entry("rode", "VERB", "_", "rode"),
]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(BANK, columns=["lemma"], options=SMALL, lexicon=LEXICON)


def lemma(tagger: Tagger, form: str, upos: str, feats: str = "_") -> str:
    [tagged] = tagger.tag([tw.Sentence.from_words([form], upos=[upos], feats=[feats])])
    return tagged.lemmas[0]


def test_words_that_the_treebank_lacks_have_their_lemmas_from_the_lexicon(tagger: Tagger) -> None:
    assert lemma(tagger, "strove", "VERB", PAST) == "strive"
    assert lemma(tagger, "Strove", "VERB", PAST) == "strive"
    assert lemma(tagger, "dormice", "NOUN", "Number=Plur") == "dormouse"
    assert lemma(tagger, "dormice", "VERB", INFINITIVE) != "dormouse"


def test_features_of_an_entry_choose_among_its_lemmas(tagger: Tagger) -> None:
    assert lemma(tagger, "fell", "VERB", PAST) == "fall"
    assert lemma(tagger, "fell", "VERB", INFINITIVE) == "fell"


def test_the_treebank_is_stronger_than_the_lexicon(tagger: Tagger) -> None:
    assert lemma(tagger, "rode", "VERB", PAST) == "ride"


def test_the_lemma_of_one_exception_is_not_made_for_another_word(tagger: Tagger) -> None:
    """`rode` and `brethren` are changed in a way that no other word is."""
    assert not lemma(tagger, "glode", "VERB", PAST).startswith("ri")
    assert "brother" not in lemma(tagger, "citren", "NOUN", "Number=Plur")


def test_a_guessed_lemma_ends_as_some_known_lemma_does() -> None:
    vowels, letters = "aeiou", "bdfgklmnprstvz"
    stems = [f"{a}{v}{b}{w}{c}" for a in letters for v in vowels for b in letters for w in "ae" for c in "kt"]
    bank = [*BANK, *(word(f"{stem}ed", "VERB", stem, PAST) for stem in stems)]
    tagger = Tagger.train(bank, columns=["lemma"], options=SMALL)
    assert lemma(tagger, "vomaked", "VERB", PAST) == "vomak"
    assert lemma(tagger, "gled", "VERB", PAST) == "gled"  # no lemma ends like gl
    assert lemma(tagger, "red", "VERB", PAST) == "red"


def test_long_endings_are_dropped_only_from_words_that_have_them() -> None:
    bank = [*BANK, *(word(f"{stem}eren", "NOUN", stem, "Number=Plur") for stem in ("kal", "lam", "hoed"))]
    scripts, lexicon = collect_lemmas(bank, SMALL, [])
    assert any(script.split("\t")[3:4] == ["4"] for script in scripts)
    tagger = Tagger.train(bank, columns=["lemma"], options=SMALL)
    assert len(lemma(tagger, "boxen", "NOUN", "Number=Plur")) > 1
    assert len(lexicon.suffixes.keys) > 0


def test_lemmas_are_trained_anew_and_tags_stay() -> None:
    tagger = Tagger.train(BANK, options=SMALL)
    renewed = tagger.retrain_lemmas(BANK, lexicon=LEXICON)
    sentence = tw.Sentence.from_words(["strove"])
    [before], [after] = tagger.tag([sentence]), renewed.tag([sentence])
    assert (after.upos, after.feats) == (before.upos, before.feats)
    assert lemma(renewed.retrain_lemmas(BANK, lexicon=LEXICON), "dormice", "NOUN") is not None
    [given] = renewed.tag([tw.Sentence.from_words(["strove"], upos=["VERB"], feats=[PAST])], keep=True)
    assert given.lemmas == ["strive"]


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("# form, UPOS, FEATS, lemma\n\nstrove\tVERB\tTense=Past\tstrive\nice cream\tNOUN\t_\tice cream\n")
    assert read_lexicon(path) == [
        Entry("strove", "VERB", "Tense=Past", "strive"),
        Entry("ice cream", "NOUN", "_", "ice cream"),
    ]
    assert read_lexicon(None) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("strove\tVERB\tstrive\n", "words.tsv:1: 3 columns; expected form, UPOS, FEATS and lemma with tabs between"),
        ("# words\nstrove\tVERB\t\tstrive\n", "words.tsv:2: an empty cell"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=problem):
        read_lexicon(path)


def test_a_file_without_entries_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="has no entries"):
        read_lexicon(path)


def test_a_script_that_drops_many_different_endings_is_suggested_for_any_word() -> None:
    consonants, vowels = "bcdfghklmnprstvz", "aeiou"
    endings = [f"{first}{vowel}{last}" for first in consonants[:4] for vowel in vowels for last in consonants[:3]]
    stems = [f"{first}o{last}a" for first in consonants for last in consonants]
    words = [(stem + endings[number % len(endings)], stem) for number, stem in enumerate(stems)]
    tagger = Tagger.train([word(form, "NOUN", lemma) for form, lemma in words], options=SMALL)
    [tagged] = tagger.tag([tw.Sentence.from_words(["kolazuz"])])  # no word of the treebank ends with -zuz
    assert tagged.lemmas == ["kola"]
