"""Every tree that is written is valid for the official validator (level 2), and for our level 3."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright.induce import InducedParser, InductionOptions

WORDS = (
    "the a old bridges it she who that and but or not n't 's to of in with over saw sees seeing seen mended is was has"
    " quickly very well yes no 3 1912 $5 % e-mail Ada Paris tea-cup , ; : - -- ( ) \" ' ... * / @home #tag :-)"
)
ORDINARY = Path(__file__).parents[1] / "data" / "ordinary.conllu"
MESSY = """FREE!!! click here >>> http://a.example/x?y=1 ... lol :-) #wow @you 50% off (T&C apply)

** NOTE ** the old bridge: 3 x 4 = 12; see p. 7, fig. 2 // TODO mend it

u r gr8 thx - - - call 555-1234 asap!!

1. tea 2. coffee 3. , , , milk

Name: Ada | Age: 36 | City: Paris"""
MARKS = [".", "!", "...", "?!", "(", "—", "•", '"', "***", ";"]


def random_text(sentences: int, seed: int) -> str:
    """Return a text of random words and marks."""
    source = random.Random(seed)
    lines = []
    for _ in range(sentences):
        words = source.choices(WORDS.split(), k=source.randint(1, 25))
        lines.append(" ".join(words) + source.choice(".!?"))
    return "\n\n".join([*lines, *MARKS])


def check_valid(document: list[tw.Sentence], tmp_path: Path, level: int) -> None:
    path = tmp_path / "parsed.conllu"
    tw.write(document, path)
    assert [str(finding) for finding in tw.check(path, level=level)] == []
    udtools = pytest.importorskip("udtools")
    output = io.StringIO()
    udtools.Validator(lang="ud", level=2, output=output).validate_files([str(path)])
    assert output.getvalue() == ""


@pytest.mark.parametrize("is_fast", [False, True])
def test_trees_of_ordinary_sentences_are_valid(is_fast: bool, tmp_path: Path) -> None:
    nlp = tw.load().without_network() if is_fast else tw.load()
    paragraphs = [sentence.text for sentence in tw.read(ORDINARY)]
    check_valid(nlp("\n\n".join(paragraphs)), tmp_path, level=3)


@pytest.mark.parametrize("seed", range(3))
def test_trees_of_random_words_are_valid(seed: int, tmp_path: Path) -> None:
    nlp, text = tw.load(), f"{random_text(40, seed)}\n\n{MESSY}"
    check_valid(nlp(text), tmp_path, level=3)
    check_valid(nlp.without_network()(text), tmp_path, level=3)


@pytest.mark.parametrize("is_fast", [False, True])
def test_a_long_run_of_marks_is_valid(is_fast: bool, tmp_path: Path) -> None:
    nlp = tw.load().without_network() if is_fast else tw.load()
    forms = [*["Ada", "slept"], *["*"] * 400, *["and", "left"], *["-"] * 400]
    upos = ["PUNCT" if form in "*-" else tag for form, tag in zip(forms, ["PROPN", "VERB"] * 402, strict=True)]
    sentence = tw.Sentence.from_words(forms, upos=upos, sent_id="1", text=" ".join(forms))
    check_valid(list(nlp.parser.parse([sentence])), tmp_path, level=3)


def test_decisions_have_precedence_over_the_rule_that_punctuation_has_no_dependents() -> None:
    parser = tw.load().trained_parser
    partial = tw.Sentence.from_words(["Yes", ",", "it", "rains"], upos=["INTJ", "PUNCT", "PRON", "VERB"])
    for arc in [(2, 3), (0, 2)]:
        [completion] = parser.complete([partial], require=[arc])
        assert completion.sentence.heads[arc[1] - 1] == arc[0]
    [best] = parser.parse([partial])
    assert 2 not in best.heads
    answer = parser.why_not(best, head=2, modifier=3)
    assert answer.rival.heads[2] == 2
    assert answer.loss > 0
    # Every other head of the last word is forbidden.
    [completion] = parser.complete([partial], forbid=[(0, 4), (1, 4), (3, 4)])
    assert completion.sentence.heads[3] == 2


@pytest.mark.parametrize("mark", MARKS)
def test_a_sentence_of_one_mark_has_the_relation_root(mark: str) -> None:
    train = [
        tw.Sentence.from_words(
            ["It", "rains", "."], upos=["PRON", "VERB", "PUNCT"], heads=[2, 0, 2], deprels=["nsubj", "root", "punct"]
        )
    ] * 300  # a rule is read off: this tag has this label alone
    alone = tw.Sentence.from_words([mark], upos=["PUNCT"])
    induced = InducedParser.train(train, options=InductionOptions(method="dmv", iterations=1))
    for parser in (tw.Parser.train(train, model="arc"), tw.load().parser, induced):
        [parsed] = parser.parse([alone])
        assert (parsed.heads.tolist(), parsed.deprels) == ([0], ["root"])


def test_no_other_word_has_the_relation_root() -> None:
    sentences = [sentence for text in range(20) for sentence in pipeline()(random_text(3, seed=text))]
    for sentence in sentences:
        assert [label == "root" for label in sentence.deprels] == [head == 0 for head in sentence.heads.tolist()]


def test_an_invalid_tree_is_found(tmp_path: Path) -> None:
    wrong = tw.Sentence.from_words([";"], upos=["PUNCT"], heads=[0], deprels=["punct"], sent_id="1", text=";")
    with pytest.raises(AssertionError):
        check_valid([wrong], tmp_path, level=2)
