"""`treewright why`: why a word is not attached to another head."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from treewright import draw
from treewright.cli import options as opt
from treewright.cli.drawing import terminal_options
from treewright.cli.inputs import model_and_inputs
from treewright.cli.sentences import MODEL_HELP, Kind, ParserInput, Text, check_text, is_induced, open_sentences
from treewright.cli.shared import quantity
from treewright.corpus import Sentence
from treewright.errors import InputError, MissingComponentError
from treewright.model.registry import load_parser
from treewright.parser import Explanation

app, command = opt.new_command(
    "why",
    "The sentence is parsed with MODEL, as by `treewright parse`. With --head, the best tree in which the word has "
    "this head is compared with the tree of the parser: their values, the words that change their heads, and the "
    "scores of the parts that only one of them has. An arc that pruning removed is added back. Without --head, the "
    "best alternative heads of the word are listed, each with the difference of value and its probability.",
    'treewright why --text "I saw the man with the telescope." --word 7',
    "treewright why letter.txt --sentence 2 --word 5 --head 3",
    "treewright why my.tw dev.conllu --sentence dev-12 --word saw --head root",
)


@command
def why(
    model: Annotated[str | None, opt.argument("MODEL", MODEL_HELP)] = None,
    file: Annotated[
        str | None, opt.argument("FILE", 'Where the sentence is; standard input if "-" or not given.')
    ] = None,
    word: Annotated[str, opt.option("The word; its number, or its form.", metavar="WORD")] = "",
    head: Annotated[str | None, opt.option("The other head; its number, its form, or root.", metavar="WORD")] = None,
    sentence: Annotated[str, opt.option("The sentence; its number, or its sent_id.", metavar="SENTENCE")] = "1",
    count: Annotated[int, opt.max_option("heads, if --head is not given")] = 5,
    text: Text = None,
    kind: Kind = None,
    max_seconds: opt.MaxSeconds = None,
    projective: opt.Projective = None,
    as_json: opt.Json = False,
) -> None:
    if not word:
        raise typer.BadParameter("give the word to explain: its number or its form", param_hint="--word")
    named, sources = model_and_inputs(model, [file] if file else None, text)
    check_text(text, sources)
    if len(sources) > 1:
        raise typer.BadParameter(f"one file at a time, not {' and '.join(sources)}", param_hint="FILE")
    name, source = named or "en", sources[0]
    parser: Any = load_parser(name)
    if is_induced(parser):
        raise MissingComponentError(f"{name}: its parser is induced and has no scores of single parts", "parser")
    with open_sentences(parser, name, ParserInput(source, source, text, kind, False)) as reader:
        chosen = choose(reader, sentence, "the text" if text is not None else source)
    options: dict[str, Any] = {"projective": projective}
    options |= {} if max_seconds is None else {"max_seconds": max_seconds}
    modifier = word_number(chosen, word, "--word")
    if head is None:
        alternatives = parser.alternatives(chosen, modifier, count=count, **options)
        typer.echo(json.dumps(alternatives.to_dict(), ensure_ascii=False) if as_json else str(alternatives))
        return
    answer = parser.why_not(chosen, head=head_number(chosen, head), modifier=modifier, **options)
    typer.echo(json.dumps(answer.to_dict(), ensure_ascii=False) if as_json else f"{answer}\n\n{drawing(answer)}")


def choose(sentences: Iterable[Sentence], requested: str, source: str) -> Sentence:
    """Return the sentence of a number, or else of a sent_id."""
    number, named = 0, None
    for number, sentence in enumerate(sentences, start=1):
        if str(number) == requested:
            return sentence
        if named is None and sentence.sent_id == requested:
            named = sentence
            if not requested.isdecimal():
                break
    if named is not None:
        return named
    size = f"{source} has {quantity(number, 'sentence')}"
    if requested.isdecimal():
        raise InputError(f"{size}; --sentence is {requested}")
    raise InputError(f"{size}, none with sent_id {requested!r} (--sentence)")


def head_number(sentence: Sentence, word: str) -> int:
    """Return the number of a head; 0 for the root."""
    return 0 if word in ("0", "root") else word_number(sentence, word, "--head")


def word_number(sentence: Sentence, word: str, option: str) -> int:
    """Return the number of a word, which is given by its number, or by its form if no other word has it."""
    if word.isdecimal() and 1 <= int(word) <= len(sentence):
        return int(word)
    numbers = [number for number, form in enumerate(sentence.forms, start=1) if form == word]
    if len(numbers) == 1:
        return numbers[0]
    numbered = " ".join(f"{number}:{form}" for number, form in enumerate(sentence.forms, start=1))
    if numbers:
        raise InputError(f"{option} is {word!r}, which occurs {len(numbers)} times; give a number: {numbered}")
    raise InputError(f"{option} is {word!r}, which is no word of the sentence: {numbered}")


def drawing(answer: Explanation) -> str:
    """Draw the tree of the parser above the words, and below them the arcs of the other tree that it does not have."""

    options = terminal_options()
    if not answer.moves:
        return draw.text(answer.best, **options)
    both = answer.best.copy()
    rival = zip(answer.rival.heads.tolist(), answer.rival.deprels, strict=True)
    both.graph = [(head, word, label) for word, (head, label) in enumerate(rival, start=1)]
    picture = draw.text(both, enhanced=True, **options).rpartition("\n\n")[0]  # without the legend of enhanced graphs
    return f"{picture}\n\nAbove the words: the parser's tree (dashed: not in the other tree). Below: the other tree."
