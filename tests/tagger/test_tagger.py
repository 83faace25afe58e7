"""A tagger learns a small language, answers the same for any threads and seed, and its decoder is exact."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracles.treebank import tagged_treebank

import treewright as tw
from treewright.errors import InputError
from treewright.learn import Calibration, Learning, Report
from treewright.tagger import Tagger, TaggerOptions, training
from treewright.tagger.model import DescribedWords, Spelling, Worker
from treewright.tagger.scripts import apply_script, script_of

SMALL = TaggerOptions(tags=Learning(bits=14, epochs=4), lemmas=Learning(bits=12, epochs=4))
TRAIN, TEST = tagged_treebank(120), tagged_treebank(40, seed=2)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger.train(TRAIN, options=SMALL)


def bare(sentence: tw.Sentence) -> tw.Sentence:
    return tw.Sentence.from_words(sentence.forms, misc=sentence.misc)


def test_every_column_is_filled_from_forms_alone(tagger: Tagger) -> None:
    for sentence in TEST:
        [found] = tagger.tag([bare(sentence)])
        assert (found.upos, found.xpos, found.feats) == (sentence.upos, sentence.xpos, sentence.feats)
        assert found.lemmas == sentence.lemmas
        assert found.head_confidence is None
        assert found.tag_confidence is not None
        assert found.tag_confidence.shape == (len(sentence),)
        assert ((found.tag_confidence > 0) & (found.tag_confidence <= 1)).all()


def test_words_never_seen_are_tagged_by_their_endings(tagger: Tagger) -> None:
    [found] = tagger.tag([tw.Sentence.from_words(["The", "flubs", "zopped", "the", "quozes", "."])])
    assert found.upos == ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert found.feats[1:3] == ["Number=Plur", "Tense=Past"]
    assert found.lemmas[1:3] == ["flub", "zopp"]


def test_only_the_chosen_columns_change(tmp_path: Path) -> None:
    chosen = Tagger.train(TRAIN, columns=["xpos"], options=SMALL)
    given = TEST[0].with_columns(xpos=["?"] * len(TEST[0]))
    [found] = chosen.tag([given])
    assert found == TEST[0]
    assert given.xpos[0] == "?"
    chosen.save(tmp_path / "m")
    assert list(Tagger.load(tmp_path / "m").tag([given])) == [found]


def test_lemmas_alone_follow_the_tags_of_the_file() -> None:
    lemmas = Tagger.train(TRAIN, columns=["lemma"], options=SMALL)
    [found] = lemmas.tag([TEST[0].with_columns(lemmas=["_"] * len(TEST[0]))])
    assert found == TEST[0]
    with pytest.raises(ValueError, match="fills no tags"):
        lemmas.decode(TEST[0])


def test_same_answer_for_any_number_of_threads(tagger: Tagger) -> None:
    sentences = [bare(sentence) for sentence in tagged_treebank(200, seed=3)]
    one, three = list(tagger.tag(sentences)), list(tagger.tag(sentences, threads=3))
    assert one == three
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a.tag_confidence, b.tag_confidence)


def test_one_seed_one_file(tagger: Tagger, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.tw", "b.tw", "c.tw")]
    tagger.save(paths[0])
    Tagger.train(TRAIN, options=SMALL).save(paths[1])
    Tagger.train(TRAIN, options=SMALL, seed=2).save(paths[2])
    a, b, c = (path.read_bytes() for path in paths)
    assert a == b != c


def test_a_loaded_tagger_is_the_same(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "model.tw")
    loaded = Tagger.load(tmp_path / "model.tw")
    assert loaded.model.options == tagger.model.options
    assert list(loaded.tag(map(bare, TEST))) == list(tagger.tag(map(bare, TEST)))
    assert repr(loaded) == repr(tagger) == "Tagger(upos, xpos, feats, lemma; 6 tags, 3 edit scripts)"


def test_files_that_hold_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.tw: there is no such file"):
        Tagger.load(tmp_path / "nowhere.tw")
    (tmp_path / "text.tw").write_text("text")
    with pytest.raises(InputError, match=r"text\.tw: not a model file"):
        Tagger.load(tmp_path / "text.tw")


def test_damaged_lists_are_named(tagger: Tagger, tmp_path: Path) -> None:
    lists = tagger.model.lexicon.words
    for bad, message in (
        (replace(lists, labels=lists.labels + np.uint16(999)), "has a label that is not among its tags or scripts"),
        (replace(lists, keys=lists.keys[::-1].copy()), "or a damaged one .*sorted"),
        (replace(lists, begin=lists.begin[:-1]), "or a damaged one"),
    ):
        lexicon = replace(tagger.model.lexicon, words=bad)
        Tagger(replace(tagger.model, lexicon=lexicon)).save(tmp_path / "bad.tw")
        with pytest.raises(InputError, match=message):
            Tagger.load(tmp_path / "bad.tw")


def values_of_sequences(tagger: Tagger, sentence: tw.Sentence) -> dict[tuple[int, ...], float]:
    """The value of every sequence of candidates: each is the best one when its tags are made so."""
    n, tags = len(sentence), len(tagger.tags)
    height = 1000.0
    values = {}
    for sequence in product(range(tags), repeat=n):
        forced = np.zeros((n, tags))
        forced[np.arange(n), sequence] = height
        found = tagger.decode(sentence, forced)
        if tuple(found.tags.tolist()) == sequence:  # otherwise a word does not have that tag among its candidates
            values[sequence] = found.value - n * height
    assert len(values) > 8
    return values


def test_the_decoder_finds_the_best_of_all_sequences(tagger: Tagger) -> None:
    sentence = tw.Sentence.from_words(["the", "zops", "walks"])
    everything = Tagger(replace(tagger.model, options=replace(SMALL, min_known_count=1000, max_candidates=100)))
    values = values_of_sequences(everything, sentence)
    best = everything.decode(sentence)
    assert best.value == pytest.approx(max(values.values()), rel=1e-6)
    assert values[tuple(best.tags.tolist())] == max(values.values())
    weights = np.exp(np.array(list(values.values())) - best.value)
    share = sum(weight for tags_, weight in zip(values, weights, strict=True) if tags_[1] == best.tags[1])
    assert best.confidence is not None
    assert best.confidence[1] == pytest.approx(share / weights.sum(), rel=1e-6)


def test_adjustments_move_the_tags_of_their_position(tagger: Tagger) -> None:
    sentence = tw.Sentence.from_words(["the", "zops", "walks", "."])
    plain = tagger.decode(sentence)
    reached = set()
    for tag in range(len(tagger.tags)):
        adjust = np.zeros((4, len(tagger.tags)))
        adjust[1, tag] = 100
        moved = tagger.decode(sentence, adjust)
        assert moved.tags[1] in (tag, plain.tags[1])  # or it is none of the word's candidates
        assert moved.value <= plain.value + 100 + 1e-9
        reached.add(int(moved.tags[1]))
    assert len(reached) > 1
    with pytest.raises(ValueError, match=r"adjust has shape \(4, 1\); expected \(4, 6\)"):
        tagger.decode(sentence, np.zeros((4, 1)))


@pytest.mark.parametrize(
    "form", ["", "\u200b", "🦊🦊", "a" * 100_000, "İ", "\x07", "ﬁ", "١٢", "\ud800", "བོད་ཡིག", "ქართული"]
)
def test_strange_words_get_a_tag(tagger: Tagger, form: str) -> None:
    [found] = tagger.tag([tw.Sentence.from_words([form or "_", "x"])])
    assert "_" not in found.upos
    assert all(found.lemmas)


@pytest.mark.parametrize("words", [1, 2, 1000])
def test_sentences_of_any_length(tagger: Tagger, words: int) -> None:
    forms = (["The", "flubs", "walked", "zopped"] * words)[:words]
    [found] = tagger.tag([tw.Sentence.from_words(forms)])
    assert found.upos[:2] == ["DET", "NOUN"][:words]
    assert len(found.lemmas) == words
    assert found.tag_confidence is not None
    np.testing.assert_array_less(0, found.tag_confidence)


def test_columns_that_the_treebank_leaves_empty_stay_empty() -> None:
    bank = [sentence.with_columns(xpos=["_"] * len(sentence), lemmas=["_"] * len(sentence)) for sentence in TRAIN]
    [found] = Tagger.train(bank, options=SMALL).tag([bare(TEST[0])])
    assert found.upos == TEST[0].upos
    assert set(found.xpos) == set(found.lemmas) == {"_"}


def test_a_new_form_of_a_known_lemma_gets_that_lemma() -> None:
    """Both "drop s" and "drop es" fit the ending; the lemma that other words have decides."""
    stems = ["fox", "box", "bus", "loss", "cat", "house", "horse", "case", "dog", "cow"]
    plural = {stem: stem + ("es" if stem[-1] in "xs" else "s") for stem in stems}
    pairs = [(stem, stem) for stem in [*stems, "rose", "ross"]] + [(plural[stem], stem) for stem in stems]
    bank = [tw.Sentence.from_words([form], upos=["NOUN"], lemmas=[lemma]) for form, lemma in pairs * 3]
    bank = [*bank, *(tw.Sentence.from_words(["roseate"], upos=["NOUN"], lemmas=["rose"]) for _ in range(2))]
    bank = [*bank, *(tw.Sentence.from_words(["rossy"], upos=["NOUN"], lemmas=["ross"]) for _ in range(2))]
    tagger = Tagger.train(bank, columns=["upos", "lemma"], options=SMALL)
    found = [
        sentence.lemmas[0] for sentence in tagger.tag(tw.Sentence.from_words([form]) for form in ("roses", "rosses"))
    ]
    assert found == ["rose", "ross"]


def test_a_sentence_that_looks_like_the_development_data_is_judged() -> None:
    reports: list[Report] = []
    Tagger.train(TRAIN, TEST, options=SMALL, columns=["upos"], report=reports.append)
    assert [report.stage for report in reports] == ["tags"] * SMALL.tags.epochs + ["confidence"]
    assert reports[-2].figures["accuracy"] == 100


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_confidence_is_that_of_all_sequences_at_a_temperature(tagger: Tagger, temperature: float) -> None:
    sentence = tw.Sentence.from_words(["the", "zops", "walks"])
    options = replace(SMALL, min_known_count=1000, max_candidates=100)
    everything = Tagger(replace(tagger.model, options=options, calibration=Calibration(temperature)))
    values = values_of_sequences(everything, sentence)
    best = everything.decode(sentence)
    weights = np.exp((np.array(list(values.values())) - best.value) / temperature)
    assert best.confidence is not None
    for place in range(len(sentence)):
        share = sum(weight for tags, weight in zip(values, weights, strict=True) if tags[place] == best.tags[place])
        assert best.confidence[place] == pytest.approx(share / weights.sum(), rel=1e-5)


def test_a_column_of_another_scheme_does_not_count_in_the_calibration_of_tags() -> None:
    tagger = Tagger.train(TRAIN, options=SMALL, columns=["upos", "xpos"])
    other_scheme = [sentence.with_columns(xpos=[f"{tag}-x" for tag in sentence.xpos]) for sentence in TEST]
    without_xpos = training.comparable_columns(tagger.model.tags, [("NOUN", "N-x"), ("NOUN", "V-x")])
    assert without_xpos == [0]
    found = tagger.calibrate(other_scheme).model.calibration
    assert found is not None
    tagged = list(Tagger(replace(tagger.model, calibration=found)).tag(TEST))
    pairs = zip(np.concatenate([one.upos for one in TEST]), np.concatenate([one.upos for one in tagged]), strict=True)
    right = np.mean([gold == own for gold, own in pairs])
    assert np.concatenate([one.tag_confidence for one in tagged]).mean() == pytest.approx(right, abs=0.1)
    with_other_upos = [sentence.with_columns(upos=["X-x"] * len(sentence)) for sentence in other_scheme]
    assert tagger.calibrate(with_other_upos).model.calibration is None


def test_tag_confidence_is_calibrated_on_the_development_data(tmp_path: Path) -> None:
    tagger = Tagger.train(TRAIN, TEST, options=SMALL, columns=["upos"])
    calibration = tagger.model.calibration
    assert calibration is not None
    plain = Tagger(replace(tagger.model, calibration=Calibration(calibration.temperature)))
    for one, other in zip(tagger.tag(TEST), plain.tag(TEST), strict=True):
        assert one.upos == other.upos
        assert one.tag_confidence is not None
        assert other.tag_confidence is not None
        np.testing.assert_array_equal(one.tag_confidence, calibration.apply(other.tag_confidence))
    assert plain.calibrate(TEST).model.calibration == calibration
    tagger.save(tmp_path / "my.tw")
    assert Tagger.load(tmp_path / "my.tw").model.calibration == calibration
    assert Tagger.train(TRAIN, options=SMALL, columns=["upos"]).model.calibration is None


def words_with_lemmas(count: int, seed: int) -> list[tw.Sentence]:
    """Words that no rule covers: the accuracy of their lemmas rises and falls from epoch to epoch."""
    random = np.random.default_rng(seed)
    stems = ["".join(random.choice(list("abcd"), size=5)) for _ in range(count)]
    forms = [stem + str(random.choice(["s", "es", "n"])) for stem in stems]
    cut = [form[: -int(random.integers(1, 3))] for form in forms]
    return [
        tw.Sentence.from_words([form], upos=["NOUN"], lemmas=[lemma]) for form, lemma in zip(forms, cut, strict=True)
    ]


def test_the_epoch_with_the_best_lemmas_on_the_development_data_is_kept() -> None:
    train, dev = words_with_lemmas(200, 0), words_with_lemmas(100, 1)
    reports: list[float] = []

    def report(one: Report) -> None:
        if one.stage == "lemmas":
            reports.append(one.figures["lemma_accuracy"])

    options = TaggerOptions(("upos", "lemma"), lemmas=Learning(bits=10, epochs=3, rate=1.0))
    tagger = Tagger.train(train, dev, options=options, report=report)
    found = tagger.tag(dev)
    accuracy = sum(one.lemmas == gold.lemmas for one, gold in zip(found, dev, strict=True))
    assert len(reports) == 3
    assert max(reports) > reports[-1]  # otherwise the test could not fail
    assert accuracy == max(reports)


def test_without_lemmas_in_the_development_data_the_last_epoch_is_kept() -> None:
    bare = [sentence.with_columns(lemmas=["_"] * len(sentence)) for sentence in TEST]
    with_dev, without = (Tagger.train(TRAIN, dev, columns=["lemma"], options=SMALL) for dev in (bare, None))
    assert [str(one) for one in with_dev.tag(TEST)] == [str(one) for one in without.tag(TEST)]


def test_what_training_refuses() -> None:
    with pytest.raises(InputError, match="the training data has no sentences"):
        Tagger.train([])
    with pytest.raises(InputError, match="there is no column 'stem' to fill"):
        Tagger.train(TRAIN, columns=["stem"])
    with pytest.raises(InputError, match="only _ in UPOS"):
        Tagger.train([tw.Sentence.from_words(["a"])])
    with pytest.raises(ValueError, match="threads is 0"):
        Tagger.train(TRAIN, columns=["upos"], options=SMALL).tag([], threads=0)


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("Dogs", "dog"),
        ("went", "go"),
        ("USA", "USA"),
        ("gegangen", "gehen"),
        ("İ", "i"),
        ("a", "A"),
        ("x", "_"),
        ("", "b"),
    ],
)
def test_scripts_make_the_lemma_they_were_made_from(form: str, lemma: str) -> None:
    assert apply_script(script_of(form, lemma), form) == lemma


def test_full_caches_are_cleared_and_change_nothing(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [tw.Sentence.from_words([f"w{number}", "x"], feats=[f"Form=F{number}", "_"]) for number in range(20)]
    wanted = [str(sentence) for sentence in tagger.tag(sentences)]
    given = Worker(tagger.model).tag(sentences, keep=True)
    monkeypatch.setattr("treewright.tagger.model.MAX_CACHED", 3)
    worker, keeping = Worker(tagger.model), Worker(tagger.model)
    assert [str(worker.tag([sentence])[0]) for sentence in sentences] == wanted
    assert list(map(str, [keeping.tag([sentence], keep=True)[0] for sentence in sentences])) == list(map(str, given))
    for each in (worker, keeping):
        assert each.tags is not None
        assert each.lemmas is not None
        sizes = len(each.tags.described._rows), len(each.lemmas.known), len(each.tags._permitted)
        assert max(sizes) <= 3 + 2  # a sentence may be added to a cache that is full


def test_scores_that_are_kept_change_nothing(tagger: Tagger) -> None:
    described = DescribedWords(tagger.model)
    forms = [form for sentence in TEST for form in sentence.forms]
    words, rows, (values, scale) = described.words, described.rows([Spelling(forms, forms)]), tagger.model.weights
    first, again, without = (
        described.kernel.decode_words(words, rows, weights, scale, None, True)
        for weights in (values, values, values.copy())  # of another array nothing is kept
    )
    for tags, value, probability in (again, without):
        assert (tags.tolist(), value) == (first[0].tolist(), first[1])
        assert probability is not None
        assert first[2] is not None
        assert probability.tolist() == first[2].tolist()
