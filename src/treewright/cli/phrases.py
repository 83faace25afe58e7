"""Sentences for commands that find phrase-structure trees, and the trees as these commands write them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args

import typer

from treewright.cli import options as opt
from treewright.cli.drawing import Pair, terminal_options, write_drawings
from treewright.cli.inputs import each_job, is_folder, is_stream, jobs_of
from treewright.cli.sentences import ParserInput, open_sentences
from treewright.cli.shared import MAX_NAMED, PICTURES, Summary, form_of, note, note_skipped, write_lines
from treewright.errors import FormatError, InfeasibleError, InputError

if TYPE_CHECKING:
    from treewright.grammar import PhraseParse

NO_TREE = "(())"  # EVALB's sign for a sentence without a parse
EXTENSIONS = {
    **dict.fromkeys([".mrg", ".brackets", ".trees", ".ptb"], "brackets"),
    **dict.fromkeys([".json", ".jsonl"], "json"),
    **PICTURES,
    ".txt": "text",
}
Source = Literal["lines", "trees", "conllu", "text"]
Form = Literal["brackets", "json", "text", "svg", "png", "html"]
SourceKind = Annotated[
    Source | None,
    opt.option(
        "Input format; a sentence a line with blanks between words, the words of a file of trees, CoNLL-U, or "
        "raw text, which the tokeniser of en divides. Detected if not given.",
        "--input",
    ),
]


class Item(NamedTuple):
    """A sentence: where it is, its words, and their tags if they are to be kept."""

    place: str
    words: list[str]
    tags: list[str | None] | None


class Outcome(NamedTuple):
    """A sentence and its tree, or why it has none."""

    item: Item
    parse: PhraseParse | None
    problem: str


def read_items(
    source: str, kind: Source | None, metadata: Mapping[str, Any], keep_tags: bool, skip_bad: bool
) -> Iterator[Item]:
    """Yield the sentences of a file; quotation marks are written as in the trees with this metadata."""
    from treewright.grammar.words import penn_quotes

    kind = kind or detect_kind(source)
    for item in items_as_written(source, kind, keep_tags, skip_bad):
        keep = kind == "trees" or not metadata.get("penn_quotes")
        yield item if keep else item._replace(words=penn_quotes(item.words))


def items_as_written(source: str, kind: Source, keep_tags: bool, skip_bad: bool) -> Iterator[Item]:
    """Yield the sentences of a file of this kind."""
    from treewright.corpus import read, read_trees, strip_traces
    from treewright.pipeline import read_input
    from treewright.tokeniser import Tokeniser

    on_error = "skip" if skip_bad else "raise"
    if keep_tags and kind in ("lines", "text"):
        raise typer.BadParameter(f"an input of {kind} has no tags; leave it out", param_hint="--tags")
    if kind == "trees":
        with read_trees(source, on_error=on_error) as trees:
            left_out: list[FormatError] = []
            for tree in trees:
                bare = strip_traces(tree)
                if bare is not None:
                    yield Item(f"{tree.source}:{tree.line}", bare.leaves(), list(bare.tags()) if keep_tags else None)
                    continue
                left_out.append(FormatError(tree.source, tree.line, "the tree has no words, only traces; remove it"))
                if not skip_bad:
                    raise left_out[0]
            note_skipped(trees.skipped + len(left_out), [*trees.errors, *left_out])
        return
    if kind == "lines":
        yield from read_lines(source)
        return
    reader = read(source, on_error=on_error) if kind == "conllu" else read_input(source, "text", Tokeniser.load("en"))
    with reader as sentences:
        for number, sentence in enumerate(sentences, start=1):
            columns = zip(sentence.xpos, sentence.upos, strict=True)
            tags = [next((tag for tag in pair if tag != "_"), None) for pair in columns]
            place = sentence.place if kind == "conllu" else f"{reader.name}, sentence {number}"
            yield Item(place, list(sentence.forms), tags if keep_tags else None)
        note_skipped(reader.skipped, reader.errors)


def detect_kind(source: str) -> Source:
    """Return the kind of a file, by its extension or its first bytes; lines for standard input and pipes."""
    from treewright.corpus import format_of
    from treewright.pipeline import guess_input

    if is_stream(source):
        return "lines"
    if format_of(source) == "brackets":
        return "trees"
    return "conllu" if guess_input(source) == "conllu" else "lines"


def read_lines(source: str) -> Iterator[Item]:
    """Yield a sentence for each line with words."""
    from treewright.corpus import Reader
    from treewright.corpus.reader import Lines, Problems
    from treewright.pipeline.reading import check_encoding

    lines = Lines(source)
    rows = (line for piece in check_encoding(lines) for line in io.StringIO(piece, newline="\n"))
    with Reader(lines, rows, Problems("raise")) as reader:
        for row, line in enumerate(reader, start=1):
            if words := line.split():
                yield Item(f"{lines.name}:{row}", words, None)


def refuse(to: str | None, others: Mapping[str, Any]) -> None:
    """Refuse options of `treewright parse` that phrase-structure trees do not have."""
    for name, value in others.items():
        if value:
            raise typer.BadParameter("there is none for phrase-structure trees; leave it out", param_hint=name)
    if to in ("conllu", "parquet", "latex"):
        problem = f"phrase-structure trees are not written as {to}, but as {', '.join(get_args(Form))}"
        raise typer.BadParameter(problem, param_hint="--to")


def parse_sentences(
    model: str,
    sources: Sequence[str],
    output: str,
    to: Any,
    request: ParserInput,
    *,
    fast: bool,
    threads: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the phrases of raw text or of sentences with the words and tags of a pipeline; write trees and summary."""
    from treewright.grammar import LatentGrammar
    from treewright.model.registry import load_parser
    from treewright.pipeline import Pipeline
    from treewright.pipeline.phrases import find_phrases, grammar_for

    nlp = load_parser(model, network=not fast)
    if not isinstance(nlp, Pipeline):
        raise InputError(f"{model} is a parser alone; phrases need a pipeline, with a tokeniser and a tagger")
    grammar = LatentGrammar.load(grammar_for(nlp.metadata))
    is_shown = request.text is not None and output == "-" and sys.stdout.isatty()
    chosen = form_of(to, "" if is_folder(output) else output, EXTENSIONS, "brackets")
    form = "text" if to is None and is_shown else chosen
    summary = Summary()
    for source, target in each_job(jobs_of(sources, output, form)):
        name = "--text" if request.text is not None else source
        with open_sentences(nlp, model, request._replace(file=source, name=source)) as reader:
            parses = find_phrases(nlp.tag(reader, confidence=False), grammar, threads)
            numbered = enumerate(summary.time(parses), start=1)
            outcomes = (
                Outcome(Item(f"{name}, sentence {number}", parse.words, None), parse, "") for number, parse in numbered
            )
            counted = count_and_note(outcomes, summary, with_iterations=False, with_certificates=False)
            write_outcomes(counted, form, target, source, grammar.metadata.get("wrapper"))
        note_skipped(reader.skipped, reader.errors)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def parse_items(
    items: Iterable[Item], parse: Callable[[Item], PhraseParse], without_tree: str, max_words: int, threads: int
) -> Iterator[Outcome]:
    """Parse each sentence, in order; without_tree is the problem of those that have no tree.

    max_words is the limit from which on a sentence is not searched completely.
    """
    from treewright import streams

    def outcome(item: Item) -> Outcome:
        try:
            return Outcome(item, parse(item), "")
        except InfeasibleError:
            return Outcome(item, None, f"{without_tree}{limit_of(item, max_words)}; --partial writes a cover")
        except InputError as error:
            raise InputError(f"{item.place}: {error}") from None

    chunk = streams.CHUNK if threads > 1 else 1
    yield from streams.map_items(lambda batch: [outcome(item) for item in batch], items, threads=threads, chunk=chunk)


def limit_of(item: Item, max_words: int) -> str:
    """Say what the limit of words means for a sentence without a tree."""
    words = len(item.words)
    return "" if words <= max_words else f" of {words} words, more than --max-words {max_words}, in a limited search"


def count_and_note(
    outcomes: Iterable[Outcome], summary: Summary, with_iterations: bool, with_certificates: bool
) -> Iterator[Outcome]:
    """Count the outcomes in the summary; name the first that have no tree or were not searched completely."""
    named = 0
    for outcome in outcomes:
        parse = outcome.parse
        further = {"iterations": parse.iterations if parse else 0} if with_iterations else {}
        is_incomplete = parse is None or parse.method == "cover"
        is_certified = parse.certified if parse and with_certificates else None
        summary.count(outcome.item.words, is_certified, **further, without_tree=int(is_incomplete))
        problem = outcome.problem or (parse.given_up if parse else "")
        if problem and named < MAX_NAMED:
            note(f"{outcome.item.place}: {problem}")
        named += bool(problem)
        yield outcome
    if named > MAX_NAMED:
        note(f"and {named - MAX_NAMED} more")


def write_outcomes(outcomes: Iterable[Outcome], form: str, output: str, source: str, wrapper: str | None) -> None:
    """Write the trees; sentences without one are drawn by no picture."""
    from treewright.grammar.trees import wrap

    if form == "brackets":
        trees = (str(wrap(outcome.parse.tree, wrapper)) if outcome.parse else NO_TREE for outcome in outcomes)
        write_lines(trees, output)
    elif form == "json":
        write_lines((json.dumps(as_json(outcome), ensure_ascii=False) for outcome in outcomes), output)
    elif form == "text":
        write_lines(drawings(outcomes, terminal_options(output)), output)
    else:
        parses = ((number, outcome.parse) for number, outcome in enumerate(outcomes, start=1))
        write_drawings(form, ((number, pair_of(parse)) for number, parse in parses if parse), output, source)


def pair_of(parse: PhraseParse) -> Pair:
    """Return the tree, with confidence if it has any, and the dependencies of a grammar with head words."""
    from treewright.grammar import LexicalParse
    from treewright.grammar.latent import LatentParse

    if isinstance(parse, LatentParse):
        return parse.drawn, {}
    return parse.tree, {"heads": parse.heads[1:].tolist()} if isinstance(parse, LexicalParse) else {}


def as_json(outcome: Outcome) -> dict[str, object]:
    values = outcome.parse.to_json() if outcome.parse else {"tree": None, "words": outcome.item.words}
    return {"place": outcome.item.place, **values, **({"problem": outcome.problem} if outcome.problem else {})}


def drawings(outcomes: Iterable[Outcome], options: dict[str, Any]) -> Iterator[str]:
    """Yield the drawing of each tree and its certificate."""
    from treewright import draw

    for outcome in outcomes:
        if outcome.parse:
            tree, heads = pair_of(outcome.parse)
            yield f"{draw.text(tree, **heads, **options)}\n{outcome.parse.status}\n"
        else:
            yield f"{' '.join(outcome.item.words)}\n{outcome.problem}\n"
