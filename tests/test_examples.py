"""The scripts in examples/ run, and print what they printed when somebody last looked."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import treewright as tw

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES = Path(__file__).parent.parent / "examples"


Script = Callable[[str], str]


@pytest.fixture
def output_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Script:
    """output_of(name) runs a script and returns what it prints."""

    def run(name: str) -> str:
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_own_scores(output_of: Script, golden: Callable[[str, str], None]) -> None:
    golden("own_scores.txt", output_of("own_scores.py"))


def test_train_your_own(output_of: Script) -> None:
    found = output_of("train_your_own.py")
    assert "Parser(model='sib', non-projective, 12 labels)" in found
    assert "The      det    < 3" in found
    assert "certified over " in found


def test_parse_text(output_of: Script) -> None:
    found = output_of("parse_text.py")
    assert "1. The museum opened in 1912.   [certified]\n     museum | open | -\n" in found
    assert "     city | pay | her\n" in found
    assert "     It rains.  ['PRON', 'VERB', 'PUNCT']\n" in found


def test_evaluate(output_of: Script) -> None:
    found = output_of("evaluate.py")
    assert found.startswith("            Words   UPOS    UAS    LAS   CLAS\nfrom text 100.00 ")
    assert "from tags 100.00 100.00 " in found


def test_demo(output_of: Script) -> None:
    found = output_of("demo.py")
    assert found.startswith("She told the committee a story that nobody believed.\n\n         root\n")
    assert found.count("certified: the model's best tree over candidate arcs, value ") == 3
    assert "Why see → telescope, and not man → telescope? The best tree with that arc scores " in found
    assert "3 sentences, 35 words in " in found


def test_the_picture_of_the_readme_is_made_by_the_program() -> None:
    [sentence] = tw.load("en")("She told the committee a story that nobody believed.")
    drawn, kept = str(tw.draw.svg(sentence)), (DOCS / "images" / "parse.svg").read_text(encoding="utf-8")
    assert words_of(drawn) == words_of(kept)  # but for the confidence, which every training changes a little


def words_of(svg: str) -> list[str]:
    return [re.sub(r" \d+%$", "", text) for text in re.findall(r">([^<>\n]+)</text>", svg)]


def test_complete_treebank(output_of: Script) -> None:
    found = output_of("complete_treebank.py")
    assert "   8 expected   acl:relcl  < 2  filled in" in found
    assert "   1 The        det        < 3  annotated" in found
    assert re.search(r"To check first:\n  bridge-\d: word \d+, \w+ < \d+ \(probability 0\.\d\d, entropy", found)
    assert "<words>:1: the heads run in a circle: 1 <- 2 <- 1; expected a tree" in found


def test_an_example_without_its_package_prints_the_install_line(
    output_of: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match=r"^this example needs PyTorch: pip install 'treewright\[neural\]'$"):
        output_of("torch_crf.py")
