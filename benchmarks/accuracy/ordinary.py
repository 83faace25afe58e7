"""How well does a model parse ordinary English that is in no treebank?

The sentences of tests/data/ordinary.conllu were written for this purpose, with their trees: quotations, participial
clauses, conditionals, lists, headings, chat, emoji, code, contracts and more, in the conventions of English-EWT. A row
for each genre and one for all: F1 of tokens and sentences from raw text, and UPOS, UAS and LAS from raw text and from
gold words (tags are predicted in both). --errors prints the words of a genre ("all": of every genre) whose head or
relation is wrong given gold words.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import treewright as tw
from treewright.evaluate import Evaluation, evaluate
from treewright.tokeniser.segments import rebuild_text

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

GOLD = Path(__file__).parents[2] / "tests" / "data" / "ordinary.conllu"
RAW = ("Tokens", "Sentences", "UPOS", "UAS", "LAS")
GIVEN = ("UPOS", "UAS", "LAS")  # of gold words


def main() -> None:
    arguments = common.arguments(__doc__, model="en")
    arguments.add_argument("--errors", metavar="GENRE")
    given = common.parse(arguments)
    nlp, genres = tw.Pipeline.load(given.model), read_genres()
    raw = {genre: list(nlp(rebuild_text(gold))) for genre, gold in genres.items()}
    parsed = {genre: list(nlp.parse(map(without_tags, gold))) for genre, gold in genres.items()}
    if given.errors:
        print_errors(genres, parsed, given.errors)
        return
    print(f"{'':15}{'':10} | from raw text {'':29} | from gold words")
    print(f"{'genre':15}{'sentences':>10} | " + " ".join(f"{name:>8}" for name in (*RAW, "|", *GIVEN)))
    for genre, gold in genres.items():
        print_row(genre, gold, raw[genre], parsed[genre])
    print_row("all", joined(genres), joined(raw), joined(parsed))


def read_genres() -> dict[str, list[tw.Sentence]]:
    """The sentences of each genre, which are the documents of the file."""
    return {str(genre): list(some) for genre, some in groupby(tw.read(GOLD), key=lambda gold: gold.comment("genre"))}


def joined(genres: dict[str, list[tw.Sentence]]) -> list[tw.Sentence]:
    return [sentence for some in genres.values() for sentence in some]


def without_tags(gold: tw.Sentence) -> tw.Sentence:
    """A copy that the pipeline tags, as it does text; heads and relations are overwritten by the parser."""
    empty = ["_"] * len(gold)
    return gold.with_columns(upos=empty, lemmas=empty)


def print_row(
    genre: str, gold: Sequence[tw.Sentence], raw: Sequence[tw.Sentence], words: Sequence[tw.Sentence]
) -> None:
    from_raw, from_words = evaluate(gold, raw), evaluate(gold, words)
    cells = [*figures(from_raw, RAW), f"{'|':>8}", *figures(from_words, GIVEN)]
    print(f"{genre:15}{len(gold):10} | " + " ".join(cells), flush=True)


def figures(scores: Evaluation, names: Sequence[str]) -> Iterator[str]:
    return (f"{100 * scores[name].f1:8.2f}" for name in names)


def print_errors(genres: dict[str, list[tw.Sentence]], parsed: dict[str, list[tw.Sentence]], genre: str) -> None:
    """The sentences of a genre that are wrong, and their wrong words: gold and predicted tag, head and relation."""
    chosen = genres if genre == "all" else {genre: genres[genre]}
    for name, sentences in chosen.items():
        for gold, found in zip(sentences, parsed[name], strict=True):
            wrong = list(wrong_words(gold, found))
            if wrong:
                print(f"{gold.sent_id}: {gold.text}", *wrong, sep="\n    ")


def wrong_words(gold: tw.Sentence, found: tw.Sentence) -> Iterator[str]:
    for word, (right, guess) in enumerate(zip(analyses(gold), analyses(found), strict=True), start=1):
        if right != guess:
            place = f"{word} {gold.forms[word - 1]}"
            yield f"{place:20} {right}   found {guess}"


def analyses(sentence: tw.Sentence) -> list[str]:
    """Tag, head and relation of each word."""
    cells = zip(sentence.upos, sentence.heads, sentence.deprels, strict=True)
    return [f"{tag} {head} {relation}" for tag, head, relation in cells]


if __name__ == "__main__":
    main()
