"""Accuracy on one text in several spellings: white space, line breaks, typographic marks, casing.

Each row is the raw text of the treebank's `test`, written in another way, parsed by MODEL (default: en) and compared
with the gold trees, whose forms are written in the same way; F1 as in the official script. Without DATA it prints
a message and stops.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

import treewright as tw
from treewright.corpus import Token
from treewright.evaluate import evaluate
from treewright.pipeline import Pipeline
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

FIGURES = ("Tokens", "Sentences", "UPOS", "UAS", "LAS")
WIDTH = 72  # columns of wrapped text, as in e-mail
Forms = list[tuple[str, bool]]  # tokens of a sentence, and whether a space follows


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--model", default="en")
    parser.add_argument("--treebank", default="ud/English-EWT")
    parser.add_argument("--split", default="test", help="test or dev")
    parser.add_argument("--only", nargs="*", choices=[*LAYOUTS, *SPELLINGS], help="rows to print (default: all)")
    given = common.parse(parser, needs="ud/English-EWT")
    gold = list(tw.read(given.data / given.treebank / f"{given.split}.conllu"))
    nlp = tw.load(given.model)
    assert isinstance(nlp, Pipeline)
    print(f"{given.treebank} {given.split}, raw text")
    print(f"{'':24} " + " ".join(f"{name:>9}" for name in FIGURES))
    for name in given.only or [*LAYOUTS, *SPELLINGS]:
        print_row(name, nlp, gold)


def print_row(name: str, nlp: Pipeline, gold: list[tw.Sentence]) -> None:
    """The figures for one way of writing."""
    spelled = [respelled(sentence, SPELLINGS[name]) for sentence in gold] if name in SPELLINGS else gold
    text, _ = text_and_ends(spelled)
    scores = evaluate(spelled, nlp(LAYOUTS[name](text) if name in LAYOUTS else text)).scores
    print(f"{name:24} " + " ".join(f"{100 * scores[figure].f1:9.2f}" for figure in FIGURES), flush=True)


# -- white space


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text without line breaks."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def wrapped(text: str) -> str:
    """Lines of at most WIDTH columns, a blank line between paragraphs."""
    fill = textwrap.TextWrapper(WIDTH, break_long_words=False, break_on_hyphens=False).fill
    return "\n\n".join(map(fill, paragraphs(text))) + "\n"


LAYOUTS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "wrapped, LF": wrapped,
    "wrapped, CRLF": lambda text: wrapped(text).replace("\n", "\r\n"),
    "wrapped, CR": lambda text: wrapped(text).replace("\n", "\r"),
    "wrapped, indented": lambda text: textwrap.indent(wrapped(text), "    "),
    "wrapped, trailing blanks": lambda text: re.sub(r"(?<=\S)\n", "  \n", wrapped(text)),
    "double blanks": lambda text: text.replace(" ", "  "),
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
}


# -- forms


def respelled(sentence: tw.Sentence, spell: Callable[[Forms], Iterable[str]]) -> tw.Sentence:
    """The sentence with its words and multiword tokens written in another way."""
    spaces = {token.last: token.misc for token in sentence.tokens}
    words = [
        (form, "SpaceAfter=No" not in spaces.get(place, misc) and not is_inside(sentence, place))
        for place, (form, misc) in enumerate(zip(sentence.forms, sentence.misc, strict=True), start=1)
    ]
    forms = list(spell(words))
    return tw.Sentence.from_words(
        forms,
        upos=sentence.upos,
        xpos=sentence.xpos,
        feats=sentence.feats,
        heads=sentence.heads,
        deprels=sentence.deprels,
        misc=sentence.misc,
        comments=[line for line in sentence.comments if not line.startswith("# text")],
        tokens=[
            Token(token.first, token.last, joined_form(token, sentence.forms, forms, spell), token.misc)
            for token in sentence.tokens
        ],
    )


def is_inside(sentence: tw.Sentence, word: int) -> bool:
    """Whether a word is followed by another one of the same token."""
    return any(token.first <= word < token.last for token in sentence.tokens)


def joined_form(token: Token, before: list[str], after: list[str], spell: Callable[[Forms], Iterable[str]]) -> str:
    """The form of a multiword token: its words, where they make it up, or else spelled alone."""
    words = slice(token.first - 1, token.last)
    if "".join(before[words]) == token.form:
        return "".join(after[words])
    return "".join(spell([(token.form, True)]))


def quotes(words: Forms) -> list[str]:
    """Quotation marks by the blanks around them, apostrophes otherwise."""
    found = []
    after_space = True
    for form, space in words:
        is_opening = after_space and not space
        found.append(form.replace('"', "“" if is_opening else "”").replace("'", "‘" if is_opening else "’"))
        after_space = space
    return found


def marks(words: Forms) -> list[str]:
    """Quotation marks, dashes and ellipses."""
    dashes = {"-": "–", "--": "—", "...": "…"}
    return [dashes.get(form, form) for form in quotes(words)]


SPELLINGS: dict[str, Callable[[Forms], Iterable[str]]] = {
    "typographic quotes": quotes,
    "typographic marks": marks,
    "lower case": lambda words: (form.lower() for form, _ in words),
    "capitals": lambda words: (form.upper() for form, _ in words),
}


if __name__ == "__main__":
    main()
