"""Every tree that is written is valid for the official validator (level 2), and for our level 3."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import pipeline

import treewright as tw
from treewright.decode import Parse
from treewright.errors import ProofError
from treewright.induce import InducedParser, InductionOptions
from treewright.parser.proofs import proof_record
from treewright.parser.punctuation import MovedParse
from treewright.pipeline.certificate import check_proof, set_certificate

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


# Trees of random words with the embedded model, in which arcs cross, under decisions and limits of the search.

TOKENS = ["the", "man", "who", "saw", "dog", "that", "ran", "of", "to", "house", "we", "left", ",", ";", "(", ")"]


def random_sentences(count: int, seed: int) -> list[tw.Sentence]:
    source = random.Random(seed)
    rows = [[*source.choices(TOKENS, k=20), "."] for _ in range(count)]
    named = [tw.Sentence.from_words(row, sent_id=str(number), text=" ".join(row)) for number, row in enumerate(rows)]
    return list(tw.load().tagger.tag(named))


def with_random_decisions(sentence: tw.Sentence, source: random.Random) -> tw.Sentence:
    """The sentence with heads for three of its words, so that a tree has them; marks are open and no heads."""
    words = [number for number, tag in enumerate(sentence.upos, 1) if tag != "PUNCT"]
    heads = [-1] * len(sentence)
    below = source.sample(words, 3)
    for word in below:
        heads[word - 1] = source.choice([head for head in words if head not in below])
    return sentence.with_columns(heads=heads, deprels=["_"] * len(sentence))


def check_trees(trees: Iterable[tw.Sentence]) -> None:
    trees = list(trees)
    assert [str(finding) for finding in tw.check(trees, level=3)] == []
    for tree in trees:
        assert isinstance(tree.parse, Parse)
        assert tree.parse.heads[1:].tolist() == tree.heads.tolist()
        assert tree.parse.bound >= tree.parse.score
        assert tree.parse.gap >= tree.parse.bound - tree.parse.score - 1e-9


@pytest.mark.parametrize(
    "options", [{}, {"all_arcs": True}, {"max_seconds": 1e-5}, {"all_arcs": True, "max_seconds": 1e-3}], ids=str
)
def test_crossing_trees_are_valid(options: dict[str, Any]) -> None:
    check_trees(tw.load().parser.parse(random_sentences(300 // (1 + 4 * len(options)), 3), projective=False, **options))


@pytest.mark.parametrize("max_seconds", [None, 1e-5])
def test_trees_whose_punctuation_was_moved_have_proofs_of_their_gaps(max_seconds: float | None) -> None:
    parser, moved = tw.load().trained_parser, 0
    for tree in parser.parse(random_sentences(60, 3), projective=False, proof=True, max_seconds=max_seconds):
        assert isinstance(tree.parse, Parse)
        set_certificate(tree, tree.parse)
        record = proof_record(parser, tree, False)
        checked = check_proof(parser, tree, record)
        assert checked is not None
        assert checked[0] == tree.parse.certified
        assert checked[1] <= tree.parse.gap + 1e-6
        if isinstance(tree.parse, MovedParse) and tree.parse.searched is not None:
            moved += 1
            with pytest.raises(ProofError, match="a gap of"):
                check_proof(parser, tree, {**record, "gap": tree.parse.gap * 0.99})
            tree.heads = tree.parse.searched.heads[1:].copy()
            with pytest.raises(ProofError, match="another tree"):
                check_proof(parser, tree, record)
    assert moved > 0 or max_seconds is not None  # out of time, trees are projective


@pytest.mark.parametrize("max_seconds", [None, 1e-5])
def test_trees_with_decisions_are_valid(max_seconds: float | None) -> None:
    parser, source = tw.load().trained_parser, random.Random(4)
    partial = [with_random_decisions(sentence, source) for sentence in random_sentences(150, 4)]
    completions = list(parser.complete(partial, projective=False, max_seconds=max_seconds))
    check_trees(completion.sentence for completion in completions)
    for given, completion in zip(partial, completions, strict=True):
        is_given = given.heads >= 0
        assert completion.sentence.heads[is_given].tolist() == given.heads[is_given].tolist()


@pytest.mark.parametrize("max_seconds", [None, 1e-5])
def test_trees_of_sessions_and_rivals_are_valid(max_seconds: float | None) -> None:
    nlp, source = tw.load(), random.Random(5)
    parser = nlp.trained_parser
    for sentence in random_sentences(40, 5):
        session = nlp.open(sentence, max_seconds=max_seconds)
        partial = with_random_decisions(sentence, source)
        for word, head in enumerate(partial.heads.tolist(), 1):
            if head > 0:
                session.decide(word, head=head)
        head, modifier = source.sample(
            [word for word in range(1, 21) if sentence.upos[word - 1] != "PUNCT" and partial.heads[word - 1] < 0], 2
        )
        session.reject(int(session.sentence.heads[modifier - 1]), modifier)
        rival = parser.why_not(sentence, head=head, modifier=modifier, projective=False, max_seconds=max_seconds)
        for tree in (session.sentence, rival.best, rival.rival):
            check_trees([tree])
        assert all(alternative.loss < float("inf") for alternative in session.alternatives(modifier))


def test_a_decided_arc_of_punctuation_stays() -> None:
    """A comma that is decided to make a gap."""
    sentence = tw.Sentence.from_words(
        ["She", "saw", "the", "dog", ",", "again"], upos=["PRON", "VERB", "DET", "NOUN", "PUNCT", "ADV"]
    )
    partial = sentence.with_columns(heads=[2, 0, 4, 2, 1, 2])
    partial.deprels = ["nsubj", "root", "det", "obj", "_", "advmod"]
    [completion] = tw.load().trained_parser.complete([partial], projective=False)
    assert completion.sentence.heads[4] == 1
    [free] = tw.load().trained_parser.complete(
        [partial.with_columns(heads=[2, 0, 4, 2, -1, 2])], projective=False, forbid=[(2, 5), (4, 5)]
    )
    assert free.sentence.heads[4] == 6  # the only other head that makes no gap


def test_decisions_across_the_parts_of_a_long_sentence_leave_a_valid_tree() -> None:
    sentences = random_sentences(12, 6)
    upos = [tag for sentence in sentences for tag in sentence.upos]
    heads = [-1] * len(upos)
    words = [number for number, tag in enumerate(upos, 1) if tag != "PUNCT"]
    heads[words[100] - 1], heads[words[-1] - 1] = words[-30], words[5]
    forms = [form for sentence in sentences for form in sentence.forms]
    long = tw.Sentence.from_words(
        forms, upos=upos, heads=heads, deprels=["_"] * len(upos), sent_id="1", text=" ".join(forms)
    )
    [completion] = tw.load().trained_parser.complete([long], projective=False)
    check_trees([completion.sentence])


@pytest.mark.parametrize("method", ["lc-dmv", "convex-mst"])
def test_trees_of_induced_models_are_valid(method: str) -> None:
    sentences = random_sentences(150, 7)
    induced = InducedParser.train(sentences[:10], options=InductionOptions(method=method, iterations=2))
    check_trees(induced.parse(sentences))
