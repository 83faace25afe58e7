"""Where sentences end: how the tokeniser's two models are weighted, and from which probability on a sentence ends.

For each treebank, tokenisers are trained on `train` with seeds 1 to K and split the raw text of `dev`. The table has
the F1 of sentences, averaged over the seeds, by the weight of the token model and by the threshold; weight 0 is the
character model alone. The last column is the F1 of tokens, which does not depend on them. --held-out trains without
each fifth document of `train` and splits these documents instead of `dev`; --views and --join replace the number of
views of the training text and the share of its paragraphs that are joined to the next. Without DATA it prints a
message and stops.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

import treewright as tw
from treewright.evaluate import evaluate
from treewright.tokeniser import Tokeniser, TokeniserOptions, boundaries
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

WEIGHTS = (0.0, 0.5, 0.6, 2 / 3, 0.75)
THRESHOLDS = (0.5, 0.4, 0.3, 0.2)
NAMES = ("English-EWT", "Portuguese-Bosque", "Estonian-EWT", "Turkish-IMST", "Irish-IDT", "Afrikaans-AfriBooms")
LAST_EPOCH = TokeniserOptions(choose_epoch=False)


def main() -> None:
    parser = common.arguments(__doc__, treebanks=[f"ud/{name}" for name in NAMES])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--views", type=int, default=boundaries.VIEWS)
    parser.add_argument("--join", type=float, default=boundaries.JOIN_SHARE)
    given = common.parse(parser, needs="ud/English-EWT and others")
    print(f"{'':20} {'weight':>7} " + " ".join(f"{threshold:>7}" for threshold in THRESHOLDS) + f" {'Tokens':>7}")
    for name in given.treebanks:
        bank = given.data / name
        train, gold = list(tw.read(bank / "train.conllu")), list(tw.read(bank / "dev.conllu"))
        if given.held_out:
            train, gold = divided(train)
        with mock.patch.multiple(boundaries, VIEWS=given.views, JOIN_SHARE=given.join):
            tokenisers = [Tokeniser.train(train, seed=seed, options=LAST_EPOCH) for seed in range(1, given.seeds + 1)]
        for weight in WEIGHTS:
            rows = [[figures(one, gold, weight, threshold) for threshold in THRESHOLDS] for one in tokenisers]
            means = [sum(row[place][0] for row in rows) / len(rows) for place in range(len(THRESHOLDS))]
            tokens = sum(row[0][1] for row in rows) / len(rows)
            print(
                f"{bank.name:20} {weight:7.2f} " + " ".join(f"{mean:7.2f}" for mean in means) + f" {tokens:7.2f}",
                flush=True,
            )


def divided(sentences: list[tw.Sentence]) -> tuple[list[tw.Sentence], list[tw.Sentence]]:
    """The documents of a treebank without each fifth, and these."""
    documents: list[list[tw.Sentence]] = [[]]
    for sentence in sentences:
        if documents[-1] and any(line.startswith("# newdoc") for line in sentence.comments):
            documents.append([])
        documents[-1].append(sentence)
    parts: tuple[list[tw.Sentence], list[tw.Sentence]] = ([], [])
    for number, document in enumerate(documents):
        parts[number % 5 == 2].extend(document)
    return parts


def figures(tokeniser: Tokeniser, gold: list[tw.Sentence], weight: float, threshold: float) -> tuple[float, float]:
    """F1 of sentences and of tokens in per cent."""
    with mock.patch.multiple(boundaries, TOKEN_WEIGHT=weight, THRESHOLD=threshold):
        found = tokeniser(text_and_ends(gold)[0])
    scores = evaluate(gold, [common.with_some_tree(sentence) for sentence in found]).scores
    return 100 * scores["Sentences"].f1, 100 * scores["Tokens"].f1


if __name__ == "__main__":
    main()
