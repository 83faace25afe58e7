"""A pipeline answers text with trees, in order, whatever the number of threads, and survives its file."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.pipelines import pipeline, text_of, written
from oracles.treebank import treebank

import treewright as tw
from treewright.errors import InputError
from treewright.evaluate import evaluate
from treewright.learn import Learning, Observer, Report
from treewright.model import modelfile
from treewright.model.checkpoint import Steps
from treewright.pipeline import Pipeline, lighten, prune_weights
from treewright.pipeline.pruning import quantise
from treewright.pipeline.training import PartTrainer, Recipe, jackknife_tags
from treewright.streams import LOOK_AHEAD, QUICK
from treewright.tagger import TaggerOptions
from treewright.tokeniser import Tokeniser, TokeniserOptions, rebuild_text


def lines_of(sentences: list[tw.Sentence]) -> str:
    return "".join(map(str, sentences))


def test_text_becomes_trees() -> None:
    [first, second] = pipeline()("The old dog sees a house. Every teacher hears this song.")
    assert first.upos == ["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert first.heads.tolist() == [3, 3, 4, 0, 6, 4, 4]
    assert first.deprels == ["det", "amod", "nsubj", "root", "det", "obj", "punct"]
    assert first.comments == [
        "# newdoc",
        "# newpar",
        "# sent_id = 1",
        "# text = The old dog sees a house.",
        "# treewright = certified",
    ]
    assert second.sent_id == "2"
    assert second.parse.certified
    assert second.head_confidence is not None
    assert second.head_confidence.shape == (len(second),)
    assert second.misc[0] == "TokenRange=26:31"


def test_all_of_the_text_can_be_had_back() -> None:
    text = text_of(400, seed=1)  # several blocks
    found = pipeline()(text)
    assert rebuild_text(found) == text
    assert [sentence.sent_id for sentence in found] == [str(number) for number in range(1, len(found) + 1)]
    place = found[-1].misc[-1].rpartition("TokenRange=")[2].split(":")
    assert text[int(place[0]) : int(place[1])] == found[-1].forms[-1]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    texts = [text_of(count % 5, seed=count) for count in range(40)]
    one = list(pipeline().pipe(texts))
    assert [lines_of(sentences) for sentences in one] == [lines_of(pipeline()(text)) for text in texts]
    several = list(pipeline().pipe(texts, threads=threads))
    assert [lines_of(sentences) for sentences in several] == [lines_of(sentences) for sentences in one]
    text = text_of(200, seed=3)
    assert lines_of(pipeline()(text, threads=threads)) == lines_of(pipeline()(text))


def count_texts(count: int, taken: list[int], delay: float = 0.0) -> Iterator[str]:
    """Texts, whose numbers are added to `taken` when they are read."""
    for number in range(count):
        time.sleep(delay)
        taken.append(number)
        yield "The dog sees a house."


def test_texts_are_read_as_they_are_needed() -> None:
    taken: list[int] = []
    answers = pipeline().pipe(count_texts(1000, taken))
    assert taken == []
    next(answers)
    assert taken == [0]


def test_short_texts_together_are_parsed_as_each_alone() -> None:
    nlp = tw.Pipeline.load("en")
    texts = [
        "It rains.",
        "",
        " \n",
        "Stay! Go home, Sam.",
        "x",
        "Dogs  bark.\n\nCats don't.",
        'He said "no".',
        "It rains.",
    ]
    for found, text in zip(nlp.pipe(texts * 5), texts * 5, strict=True):
        assert found.to_dict() == nlp(text).to_dict()
        assert lines_of(found) == lines_of(nlp(text))


def test_long_and_short_texts_together_are_parsed_as_each_alone() -> None:
    long = "The dog sees a house.\n\n" * 300
    texts = [text_of(1, seed=1), long, text_of(2, seed=2), long[:-5]]
    assert [lines_of(found) for found in pipeline().pipe(texts)] == [lines_of(pipeline()(text)) for text in texts]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_texts_of_a_slow_iterator_do_not_wait_for_each_other(threads: int) -> None:
    taken: list[int] = []
    for place, _ in enumerate(pipeline().pipe(count_texts(6, taken, 2 * QUICK), threads=threads)):
        assert len(taken) <= place + (1 if threads == 1 else 2 + LOOK_AHEAD * threads)


def test_not_more_texts_are_read_ahead_than_a_chunk() -> None:
    taken: list[int] = []
    for place, _ in enumerate(pipeline().pipe(count_texts(300, taken), batch_size=16)):
        assert len(taken) <= place + 16
    taken.clear()
    for place, _ in enumerate(pipeline().pipe(count_texts(300, taken), batch_size=1)):
        assert len(taken) == place + 1


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_names_the_place_of_its_text(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline()
    tree_setter = tw.Parser.tree_setter

    def failing(self: tw.Parser, **options: Any) -> Callable[[list[tw.Sentence]], list[tw.Sentence]]:
        set_trees = tree_setter(self, **options)

        def set_trees_or_fail(sentences: list[tw.Sentence]) -> list[tw.Sentence]:
            if any("bad" in sentence.forms for sentence in sentences):
                raise InputError("this sentence is bad")
            return set_trees(sentences)

        return set_trees_or_fail

    monkeypatch.setattr(tw.Parser, "tree_setter", failing)
    texts = ["The dog sees."] * 20 + ["The bad dog."] + ["The dog sees."] * 20
    found = nlp.pipe(texts, threads=threads)
    assert [next(found).text for _ in range(20)] == texts[:20]
    with pytest.raises(InputError, match=r"^texts\[20\]: this sentence is bad$"):
        next(found)


def test_tags_that_are_there_are_kept() -> None:
    tagged = tw.Sentence.from_words(["sees", "dog"], upos=["NOUN", "VERB"])
    bare = tw.Sentence.from_words(["the", "dog", "sees", "."])
    found = list(pipeline().parse([tagged, bare]))
    assert [sentence.upos for sentence in found] == [["NOUN", "VERB"], ["DET", "NOUN", "VERB", "PUNCT"]]
    assert found[0].heads.tolist() == [2, 0]
    assert bare.upos == ["_"] * 4


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t\r\n", "\u00a0"])
def test_nothing_is_no_sentence(text: str) -> None:
    assert pipeline()(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f98a\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd!",
        "The dog\x00sees \x07 a house.",
        "الكلب يرى البيت. \u05e9\u05dc\u05d5\u05dd",
        "The dog\r\nsees\r\n\r\na house.\r\n",
        "dog " * 300,
        "x" * 10_000,
        "# 1\t_ | = \\ '",
        "\ufeffThe dog \u2028 sees.",
    ],
)
def test_rubbish_is_parsed_like_anything_else(text: str, tmp_path: Path) -> None:
    found = pipeline()(text)
    assert rebuild_text(found) == text
    for sentence in found:
        sentence.check("single-root")
    tw.write(found, tmp_path / "out.conllu")
    assert [sentence.forms for sentence in tw.read(tmp_path / "out.conllu")] == [one.forms for one in found]


def test_what_is_no_text() -> None:
    with pytest.raises(TypeError, match=r"text is of type bytes; expected a str \(decode bytes first"):
        pipeline()(b"dog")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"text is of type list; expected a str \(nlp.pipe takes several texts"):
        pipeline()(["dog"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads is 0; give at least 1"):
        pipeline()("dog", threads=0)


@pytest.mark.parametrize("pack", [True, False])
@pytest.mark.parametrize("learned", [True, False])
def test_a_file_holds_everything(tmp_path: Path, pack: bool, learned: bool) -> None:
    nlp = pipeline()
    if learned:
        nlp = Pipeline(
            Tokeniser.train(treebank(40), options=TokeniserOptions(learning=Learning(bits=10))),
            nlp.tagger,
            nlp.parser,
            {"name": "toy"},
        )
    nlp.save(tmp_path / "toy.tw", pack=pack)
    again = tw.load(tmp_path / "toy.tw")
    assert isinstance(again, Pipeline)
    assert repr(again) == repr(nlp)
    text = text_of(30, seed=7)
    assert lines_of(again(text)) == lines_of(nlp(text))
    again.save(tmp_path / "again.tw", pack=pack)
    assert (tmp_path / "again.tw").read_bytes() == (tmp_path / "toy.tw").read_bytes()


def test_packed_is_smaller_and_weights_that_were_dropped_cost_next_to_nothing(tmp_path: Path) -> None:
    def size(nlp: Pipeline, pack: bool) -> int:
        nlp.save(tmp_path / "model.tw", pack=pack)
        return (tmp_path / "model.tw").stat().st_size

    whole, lighter, without = pipeline(), prune_weights(pipeline(), parser=0.2), prune_weights(pipeline(), parser=2.0)
    assert size(without, True) < size(lighter, True) < size(whole, True) < size(whole, False)
    model = whole.trained_parser.model
    tables = sum(len(weights.values) for weights in (model.pruner, model.scorer, model.labeller))
    assert size(without, False) == size(whole, False)
    assert size(without, False) - size(without, True) > 0.95 * tables


def test_a_light_pipeline_is_smaller_and_loses_no_accuracy() -> None:
    dev = written(30, 8)
    attempts: list[Report] = []
    light = lighten(pipeline(), dev, Observer(attempts.append))
    assert [attempt.epoch for attempt in attempts][:2] == [0, 1]
    assert attempts[0].figures["las"] > 90
    weights = [nlp.trained_parser.model.scorer.values for nlp in (pipeline(), light)]
    assert np.count_nonzero(weights[1]) < 0.9 * np.count_nonzero(weights[0])
    figures = [evaluate(dev, nlp(text_of(30, seed=8))).scores["LAS"].f1 for nlp in (pipeline(), light)]
    assert figures[1] >= figures[0] - 0.001
    with pytest.raises(InputError, match="no development sentence has a complete tree"):
        lighten(pipeline(), [sentence.with_columns(heads=[-1] * len(sentence)) for sentence in dev])


def test_a_prune_weights_pipeline_still_parses() -> None:
    light = prune_weights(pipeline(), parser=0.1, tagger=0.1, tokeniser=0.1)
    text = text_of(30, seed=8)
    same = [a.heads.tolist() == b.heads.tolist() for a, b in zip(light(text), pipeline()(text), strict=True)]
    assert sum(same) >= 28
    weights = light.trained_parser.model.scorer.values
    assert np.abs(weights[weights != 0].astype(int)).min() >= 13  # a tenth of 127
    assert np.count_nonzero(weights) < 0.8 * np.count_nonzero(pipeline().trained_parser.model.scorer.values)


def test_weights_are_quantise() -> None:
    found = quantise(np.array([1.0, -0.5, 0.02, 0.001, 0.0], dtype=np.float32), 0.01)
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([1.0, -64 / 127, 3 / 127, 0.0, 0.0])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.uint32])
@pytest.mark.parametrize("values", [2, 1000])
def test_packing_loses_nothing(dtype: type[np.generic], values: int) -> None:
    array = np.random.default_rng(1).integers(0, values, size=(50, 40)).astype(dtype)
    form, data = modelfile.pack_array(array)
    found = modelfile.unpack_array(form, data)
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


def test_bytes_that_cannot_be_compressed_are_packed_as_they_are() -> None:
    array = np.random.default_rng(1).integers(-128, 128, size=10_000).astype(np.int8)
    form, data = modelfile.pack_array(array)
    assert array.tobytes() in data.tobytes()
    assert np.array_equal(modelfile.unpack_array(form, data), array)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "toy.tw"
    pipeline().save(path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    path.write_bytes(data[: 8 + length] + b"\0" * (len(data) - 8 - length))
    with pytest.raises(InputError, match=r"toy.tw: .*its checksum does not match its content.*; get the file again"):
        tw.load(path)
    path.write_bytes(data[:-10])
    with pytest.raises(InputError, match=r"toy.tw: not a model file, or a damaged one"):
        tw.load(path)


def test_a_file_of_something_else(tmp_path: Path) -> None:
    pipeline().tagger.save(tmp_path / "tagger.tw")
    with pytest.raises(InputError, match=r"tagger.tw is a tagger, but a pipeline, a parser, an induced"):
        tw.load(tmp_path / "tagger.tw")


def test_models_are_joined_in_any_order(tmp_path: Path) -> None:
    nlp = pipeline()
    nlp.parser.save(tmp_path / "p")
    nlp.tagger.save(tmp_path / "t")
    joined = Pipeline.join(tmp_path / "p", tmp_path / "t")
    assert lines_of(joined("The dog sees a house.")) == lines_of(nlp("The dog sees a house."))
    with pytest.raises(InputError, match="no parser among "):
        Pipeline.join(tmp_path / "t")
    with pytest.raises(InputError, match="a second tagger; a pipeline has one of each"):
        Pipeline.join(tmp_path / "t", tmp_path / "t")
    joined.save(tmp_path / "j")
    with pytest.raises(InputError, match="a second pipeline; give one"):
        Pipeline.join(tmp_path / "j", tmp_path / "j")


def test_the_parser_learns_from_the_same_share_of_lower_case_as_the_tagger() -> None:
    sentences = [one.with_columns(forms=[form.title() for form in one.forms]) for one in treebank(40, seed=5)]
    recipe = Recipe(tagger=TaggerOptions(columns=("upos",), tags=Learning(bits=12, epochs=1), case_noise=0.25))
    tagged = jackknife_tags(sentences, recipe, PartTrainer(Steps(), Observer()))
    changed = [one.forms != gold.forms for one, gold in zip(tagged, sentences, strict=True)]
    assert sum(changed) == 10
    lower = [one.forms == [form.lower() for form in gold.forms] for one, gold in zip(tagged, sentences, strict=True)]
    assert all(lower[place] for place in range(len(sentences)) if changed[place])
    assert [one.heads.tolist() for one in tagged] == [gold.heads.tolist() for gold in sentences]


def test_worker_processes_of_a_program_without_a_guard_end_with_a_sentence(tmp_path: Path) -> None:
    pipeline().save(tmp_path / "tiny.tw")
    program = "import treewright as tw\nlist(tw.load('tiny.tw').pipe(['The dog.'] * 3, n_process=2, batch_size=1))\n"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "program.py"]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert finished.stderr.splitlines()[-1].endswith("begins with `if __name__ == '__main__':`")


def test_worker_processes_give_the_documents_of_one_process() -> None:
    texts = [text_of(count % 5, seed=count) for count in range(12)]
    documents = list(pipeline().pipe(texts, n_process=2, batch_size=3))
    expected = list(pipeline().pipe(texts))
    assert [document.to_conllu() for document in documents] == [document.to_conllu() for document in expected]
    assert [document.to_dict() for document in documents] == [document.to_dict() for document in expected]
    with pytest.raises(InputError, match="threads is 2 and there are 2 processes; give one of the two"):
        pipeline().pipe(texts, threads=2, n_process=2)
    with pytest.raises(InputError, match="n_process is 0; give at least 1"):
        pipeline().pipe(texts, n_process=0)


def test_an_error_in_a_worker_process_names_the_place_of_its_text() -> None:
    documents = pipeline().pipe(["The dog sees a house.", "The dog."], n_process=2, method="guess")
    with pytest.raises(ValueError, match=r"^texts\[0\]: .*'guess'"):
        list(documents)
