"""What describes a tree is removed when the tree is replaced: DEPS, probabilities, certificates."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from oracles.pipelines import pipeline
from oracles.processes import Run, runner

import treewright as tw
from treewright.corpus import Sentence
from treewright.corpus.confidence import clear_derived
from treewright.induce import InducedParser
from treewright.induce.options import InductionOptions
from treewright.pipeline import read_input

PARSED = """\
# sent_id = s1
# treewright = certified
# text = The dog sees birds.
1	The	the	DET	_	_	2	det	2:det	Confidence=0.9900
2	dog	dog	NOUN	_	_	3	nsubj	3:nsubj|3.1:nsubj	Gloss=a|Confidence=0.5
3	sees	see	VERB	_	_	0	root	0:root	_
3.1	sees	see	VERB	_	_	_	_	3:conj	_
4	birds	bird	NOUN	_	_	3	obj	3:obj	LabelConfidence=0.7|SpaceAfter=No
5	.	.	PUNCT	_	_	3	punct	3:punct	_

"""


def read_one(text: str = PARSED) -> Sentence:
    return Sentence(text)


def induced() -> InducedParser:
    return InducedParser.train([read_one()] * 3, options=InductionOptions(method="dmv", iterations=1))


def parsed_by(name: str) -> Sentence:
    nlp = pipeline()
    models = {
        "pipeline": lambda: nlp.parse([read_one()], comment=False),
        "parser": lambda: nlp.trained_parser.parse([read_one()]),
        "induced": lambda: induced().parse([read_one()]),
    }
    [found] = models[name]()
    return found


@pytest.mark.parametrize("model", ["pipeline", "parser", "induced"])
def test_a_parser_leaves_nothing_of_the_old_tree(model: str) -> None:
    found = parsed_by(model)
    assert found.deps == ["_"] * 5
    assert [node.deps for node in found.empty_nodes] == ["_"]
    assert found.misc == ["_", "Gloss=a", "_", "SpaceAfter=No", "_"]
    assert found.comments == ["# sent_id = s1", "# text = The dog sees birds."]


def test_everything_else_is_written_as_it_was_read() -> None:
    found = parsed_by("parser")
    rows = [line.split("\t") for line in str(found).splitlines() if not line.startswith("#")]
    given = [line.split("\t") for line in PARSED.splitlines() if "\t" in line]
    assert [row[:6] for row in rows] == [row[:6] for row in given]


def test_the_sentence_that_is_parsed_is_not_changed() -> None:
    sentence = read_one()
    list(pipeline().parse([sentence]))
    assert str(sentence) + "\n" == PARSED


def test_a_sentence_without_such_cells_is_not_rewritten() -> None:
    text = "# sent_id = s1\n1\tRun\trun\tVERB\t_\t_\t_\t_\t_\tGloss=x\n\n"
    sentence = Sentence(text)
    clear_derived(sentence)
    assert sentence.written() == text


def test_completion_clears_only_what_it_changes() -> None:
    whole, partial = read_one(), read_one(PARSED.replace("3\tobj", "_\tobj"))
    [unchanged, changed] = [found.sentence for found in pipeline().trained_parser.complete([whole, partial])]
    assert unchanged.deps == whole.deps
    assert changed.deps == ["_"] * 5
    assert changed.misc == ["_", "Gloss=a", "_", "SpaceAfter=No", "_"]


# -- commands


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    pipeline().save("my.tw")
    Path("gold.conllu").write_text(PARSED + PARSED.replace("s1", "s2").replace("3:obj", "2:obj"))
    Path("open.conllu").write_text(PARSED.replace("3\tobj", "_\tobj"))
    return runner(monkeypatch, capsys)


def test_eval_reports_no_graphs_that_the_parser_did_not_make(run: Run) -> None:
    run("parse", "my.tw", "gold.conllu", "-o", "parsed.conllu", "-q")
    assert tw.evaluate.evaluate("gold.conllu", "parsed.conllu")["ELAS"].f1 == 0


@pytest.mark.parametrize("threads", ["1", "2"])
def test_deps_is_kept_on_request(run: Run, threads: str) -> None:
    run("parse", "my.tw", "gold.conllu", "-o", "parsed.conllu", "-q", "--keep-deps", "--threads", threads)
    gold, found = list(tw.read("gold.conllu")), list(tw.read("parsed.conllu"))
    assert [one.deps for one in found] == [one.deps for one in gold]
    assert [one.empty_nodes for one in found] == [one.empty_nodes for one in gold]
    assert "Confidence" not in Path("parsed.conllu").read_text()
    run("complete", "my.tw", "open.conllu", "-o", "complete.conllu", "-q", "--keep-deps")
    assert [one.deps for one in tw.read("complete.conllu")] == [gold[0].deps]


def test_complete_clears_deps(run: Run) -> None:
    run("complete", "my.tw", "open.conllu", "-o", "complete.conllu", "-q")
    [found] = tw.read("complete.conllu")
    assert found.deps == ["_"] * 5


def test_sentences_of_json_have_their_file_and_line() -> None:
    file = io.StringIO('{"words": ["Dogs", "bark"]}\n\n{"words": ["Run"]}\n')
    assert [one.place for one in read_input(file, "json")] == ["<file>:1", "<file>:3"]


def test_new_tags_have_no_old_probabilities(run: Run) -> None:
    Path("tagged.conllu").write_text(PARSED.replace("Gloss=a", "Gloss=a|TagConfidence=0.2"))
    run("tag", "run", "my.tw", "tagged.conllu", "-o", "out.conllu", "-q")
    assert "TagConfidence" not in Path("out.conllu").read_text()
    run("tag", "run", "my.tw", "tagged.conllu", "-o", "out.conllu", "-q", "--confidence")
    assert "TagConfidence=0.2|" not in Path("out.conllu").read_text()
    assert Path("out.conllu").read_text().count("TagConfidence=") == 5
