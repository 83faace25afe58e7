"""What pruning costs: trees over candidate arcs against trees over all arcs of the same model.

python benchmarks/accuracy/all_arcs.py DATA [--crossing MODEL]

Two models: the embedded one on English-EWT (projective), which tags the sentences itself, and a parser of crossing arcs
on Gothic-PROIEL with gold tags, which is trained first (about two minutes) unless its file is given. Printed are the
share of sentences whose tree changes, LAS (all words, subtypes included) of both, the share of certified trees over all
arcs, and CPU seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

HEADER = ("", "sentences", "changed %", "LAS", "LAS all", "certified %", "s", "s all", "ratio")


@dataclass(frozen=True)
class Run:
    """The trees of a run and the CPU seconds that it took."""

    sentences: list[tw.Sentence]
    seconds: float

    @property
    def certified(self) -> float:
        return float(100 * sum(one.parse.certified for one in self.sentences) / len(self.sentences))

    def las(self, gold: Sequence[tw.Sentence]) -> float:
        right = sum(
            head == own and label == label_of_gold
            for one, other in zip(self.sentences, gold, strict=True)
            for head, label, own, label_of_gold in zip(
                one.heads.tolist(), one.deprels, other.heads.tolist(), other.deprels, strict=True
            )
        )
        return float(100 * right / sum(map(len, gold)))


def parsed(parser: tw.Parser, sentences: Sequence[tw.Sentence], *, all_arcs: bool) -> Run:
    begin = time.process_time()
    found = list(parser.parse(sentences, all_arcs=all_arcs))
    return Run(found, time.process_time() - begin)


def row(name: str, parser: tw.Parser, sentences: Sequence[tw.Sentence], gold: Sequence[tw.Sentence]) -> tuple[str, ...]:
    pruned, every = (parsed(parser, sentences, all_arcs=all_arcs) for all_arcs in (False, True))
    pairs = zip(pruned.sentences, every.sentences, strict=True)
    changed = 100 * sum(one.heads.tolist() != other.heads.tolist() for one, other in pairs) / len(gold)
    figures = (changed, pruned.las(gold), every.las(gold), every.certified, pruned.seconds, every.seconds)
    return (name, str(len(gold)), *(f"{figure:.2f}" for figure in figures), f"{every.seconds / pruned.seconds:.1f}")


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--crossing", type=Path, help="a parser of crossing arcs that was trained on Gothic-PROIEL")
    given = common.parse(arguments, needs="ud/English-EWT and ud/Gothic-PROIEL")
    if given.data is None:
        print("needs treebanks: python benchmarks/accuracy/all_arcs.py DATA")
        return
    english, gothic = given.data / "ud" / "English-EWT", given.data / "ud" / "Gothic-PROIEL"
    print("\t".join(HEADER))
    nlp = tw.load("en")
    gold = list(tw.read(english / "test.conllu"))
    tagged = list(nlp.tagger.tag(gold, confidence=False))
    print("\t".join(row("English-EWT, projective", nlp.trained_parser, tagged, gold)), flush=True)
    if given.crossing is None:
        parser = tw.Parser.train(
            gothic / "train.conllu", gothic / "dev.conllu", model="grand", projective=False, seed=1
        )
    else:
        parser = tw.Parser.load(given.crossing)
    gold = list(tw.read(gothic / "test.conllu"))
    print("\t".join(row("Gothic-PROIEL, crossing", parser, gold, gold)))


if __name__ == "__main__":
    main()
