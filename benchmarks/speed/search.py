"""Speed of searching a treebank with requests, reading the file included, on one thread.

Words per second of CPU time, the best of the repeats, and the number of matchings, for requests from one edge to
filters, paths and enhanced edges; then rewriting with two rules. With DATA: English-EWT train; else generated ones.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

SENTENCES = 4000  # generated
REQUESTS = (
    "V [upos=VERB]; N [upos=NOUN]; V -[nsubj]-> N",
    "V -[nsubj]-> N; V << N",
    "V -> N",
    'V [lemma=re"re.*"]; V -[obj|obl]-> N; N [Number=Plur]',
    "pattern { V [upos=VERB]; V -[obj]-> O } without { V -[nsubj]-> S }",
    "V [upos=VERB]; V ->> W; W [upos=VERB]; W -[nsubj]-> *",
    "e: V -> N; f: W -> M; e >< f",
    "V -[E:nsubj]-> N",
)
RULES = """
rule passive { pattern { e: V -[aux]-> A; V [VerbForm=Part]; A [lemma=be] } commands { e.label = "aux:pass" } }
rule proper { pattern { N [upos=PROPN, !Number] } commands { N.Number = Sing } }
"""


def count(request: tw.query.Request, path: Path) -> int | None:
    try:
        return request.count(tw.read(path))
    except tw.errors.BudgetError:
        return None


def rewrite(path: Path) -> int:
    rules = tw.query.Rules(RULES)
    return sum(rules.apply(sentence).applied.total() for sentence in tw.read(path))


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "generated.conllu") if data is None else data / "ud/English-EWT/train.conllu"
        if data is None:
            tw.write(common.three_words(SENTENCES, seed=1), path)
        words = sum(map(len, tw.read(path)))
        print(f"\n{path.parent.name if data else 'generated'}: {words} words")
        print(f"{'words a second':>15}{'matchings':>11}  request")
        for text in REQUESTS:
            request = tw.query.compile(text)
            matchings, seconds = common.fastest(lambda request=request: count(request, path))  # type: ignore[misc]
            print(f"{words / seconds:15,.0f}{'budget' if matchings is None else matchings:>11}  {text}", flush=True)
        applied, seconds = common.fastest(lambda: rewrite(path), repeats=1)
        print(f"{words / seconds:15,.0f}{applied:>11}  rewriting with two rules")


if __name__ == "__main__":
    main()
