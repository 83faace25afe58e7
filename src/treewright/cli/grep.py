"""`treewright grep`: search treebanks with Grew requests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.app import message_of
from treewright.cli.drawing import write_drawings
from treewright.cli.inputs import Meter, open_meter
from treewright.cli.shared import form_of, note, quantity, read_text, write_lines, write_sentences
from treewright.corpus import Sentence, read
from treewright.errors import InputError
from treewright.query import Match, Request, compile

app, command = opt.new_command(
    "grep",
    "A request names words and edges: pattern { V [upos=VERB]; e: V -[obj]-> O } without { V -[nsubj]-> S }. Each "
    "matching, an assignment of words and edges to the names, is a line: file and line, sent_id, the words, the labels "
    "of named edges. docs/searching.md describes the language.\n\n"
    "Exit status: 0 if there is a match, 1 if there is none, 2 after an error.",
    "treewright grep 'V [upos=VERB]; V -[nsubj]-> S; V < S' dev.conllu",
    "treewright grep 'e: V -> N; V [lemma=rely]' *.conllu --cluster e.label",
    "treewright grep 'V -[obj]-> O' dev.conllu --columns V.lemma,O.lemma",
    "treewright grep -f passive.req dev.conllu -o hits.html",
)

Form = Literal["tsv", "conllu", "json", "html"]
EXTENSIONS: dict[str, str] = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".conllu": "conllu",
    ".json": "json",
    ".jsonl": "json",
    ".html": "html",
    ".htm": "html",
}


@command
def grep(
    arguments: Annotated[
        list[str] | None,
        opt.argument("REQUEST INPUT", 'The request, unless -f is given; CoNLL-U, "-": standard input.'),
    ] = None,
    request_file: Annotated[
        str | None, opt.option("Read the request from this file.", "--file", "-f", metavar="FILE")
    ] = None,
    count: Annotated[
        bool, opt.option("Print the number of matchings; of each file, and the total last.", "--count", "-c")
    ] = False,
    columns: Annotated[
        str | None, opt.columns_option("values of the matchings to print: V.lemma,O.lemma,e.label")
    ] = None,
    cluster: Annotated[
        str | None, opt.option("Count the matchings by value: e.label, or V.lemma,e.label.", metavar="NAMES")
    ] = None,
    to: Annotated[
        Form | None,
        opt.to_option("a line or a JSON object for each matching, or the sentences that match; by default tsv"),
    ] = None,
    output: Annotated[
        str, opt.output_option(".tsv, .conllu, .jsonl and .html choose the format. A web page marks what was found.")
    ] = "-",
    invert: Annotated[bool, opt.option("Select the sentences without a match.", "--invert", "-v")] = False,
    max_matches: Annotated[int | None, opt.max_option("matchings, or sentences with -v; the search stops then")] = None,
    quiet: opt.Quiet = False,
) -> None:
    try:
        form = form_of(to, output, EXTENSIONS, "tsv")
        check_usage(form, invert, count=count, columns=columns, cluster=cluster)
        request, files = request_and_files(arguments or [], request_file)
        attributes = [name for names in (columns, cluster) if names for name in names.split(",")]
        for attribute in attributes:
            request.check_attribute(attribute)
        with open_meter(files, quiet=quiet, output=output) as meter:
            search = Search(request, files, meter, invert, max_matches)
            write(search, form, output, attributes, counts_files=count, counts_values=cluster is not None)
    except BrokenPipeError:  # the reader has closed the pipe, which is no error
        raise
    except (InputError, OSError) as error:  # bad input has status 2, because 1 means that nothing was found
        note(message_of(error))
        raise typer.Exit(2) from None
    if not quiet and not count:
        note(search.in_words())
    if not search.hits:
        raise typer.Exit(1)


def check_usage(form: str, invert: bool, **tables: object) -> None:
    """Refuse options that exclude each other."""
    given = [f"--{name}" for name, value in tables.items() if value]
    if len(given) > 1:
        raise typer.BadParameter(f"{given[0]} and {given[1]} exclude each other")
    if invert and given and given != ["--count"]:
        raise typer.BadParameter(f"-v selects sentences without a match, which have no values for {given[0]}")
    if given and form in ("conllu", "html"):
        raise typer.BadParameter(f"{given[0]} prints a table; {form} is a format of sentences")


def request_and_files(arguments: list[str], request_file: str | None) -> tuple[Request, list[str]]:
    """Return the request, from a file or the first argument, and the files to search."""

    if request_file is not None:
        return compile(read_text(request_file, "a request"), source=request_file), arguments or ["-"]
    if not arguments:
        raise typer.BadParameter("give a request, as in treewright grep 'V -[obj]-> O' FILE, or a file with one (-f)")
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        raise InputError(f"{arguments[0]} is a file; the request comes first, or is read from a file by -f")
    return compile(arguments[0]), arguments[1:] or ["-"]


@dataclass
class Search:
    """The search of files: its matches or, inverted, the sentences without one; counts are updated on the way."""

    request: Request
    files: Sequence[str]
    meter: Meter
    invert: bool
    limit: int | None
    sentences: int = 0
    matching_sentences: int = 0
    hits: int = 0  # matchings, or sentences without one

    def results(self) -> Iterator[tuple[Sentence, list[Match]]]:
        """Yield the sentences that are selected, each with its matches."""
        for file in self.files:
            yield from self.results_in(file)

    def results_in(self, file: str) -> Iterator[tuple[Sentence, list[Match]]]:
        for sentence in self.meter.track(read(self.meter.source(file))):
            if self.limit is not None and self.hits >= self.limit:
                return
            self.sentences += 1
            left = None if self.limit is None else self.limit - self.hits
            matches = list(islice(self.request.search(sentence), 1 if self.invert else left))
            self.matching_sentences += bool(matches)
            if self.invert == (not matches):
                self.hits += 1 if self.invert else len(matches)
                yield sentence, matches

    def count_in(self, file: str) -> int:
        """Return the number of matchings in a file, or of sentences without one."""
        before = self.hits
        for _ in self.results_in(file):
            pass
        return self.hits - before

    def in_words(self) -> str:
        of = f"of {quantity(self.sentences, 'sentence')}"
        if self.invert:
            return f"{self.hits} {of} without a match"
        matches = f"{self.hits} match{'es' * (self.hits != 1)}"
        return f"{matches} in {self.matching_sentences} {of}"


def write(
    search: Search, form: str, output: str, attributes: list[str], *, counts_files: bool, counts_values: bool
) -> None:
    """Write what was found in a form."""

    if counts_files:
        write_lines(count_lines(search), output)
    elif counts_values:
        write_lines(cluster_lines(search, form, attributes), output)
    elif form == "conllu":
        write_sentences((sentence for sentence, _ in search.results()), output)
    elif form == "html":
        pairs = (
            (sentence, {"marks": [mark for match in found for mark in match.marks]})
            for sentence, found in search.results()
        )
        title = " ".join(search.request.text.split())
        write_drawings(
            "html", enumerate(pairs, start=1), output, "", title=title, enhanced=search.request.is_enhanced or None
        )
    else:
        lines = json_lines(search, attributes) if form == "json" else table_lines(search, attributes)
        write_lines(lines, output)


def count_lines(search: Search) -> Iterator[str]:
    """Yield the number of one file; of several, a line for each and the total."""
    for file in search.files:
        number = search.count_in(file)
        yield str(number) if len(search.files) == 1 else f"{file}\t{number}"
    if len(search.files) > 1:
        yield f"total\t{search.hits}"


def cluster_lines(search: Search, form: str, attributes: list[str]) -> Iterator[str]:
    """Yield how often each combination of values occurs, the most frequent first."""
    counts: Counter[tuple[str | None, ...]] = Counter()
    for _, matches in search.results():
        counts.update(tuple(map(match.value, attributes)) for match in matches)
    in_order = sorted(counts.items(), key=lambda item: (-item[1], tuple(value or "" for value in item[0])))
    if form == "tsv" and in_order:
        yield "\t".join(["count", *attributes])
    for values, number in in_order:
        if form == "json":
            yield as_json({"count": number, **dict(zip(attributes, values, strict=True))})
        else:
            yield "\t".join([str(number), *cells(values)])


def table_lines(search: Search, attributes: list[str]) -> Iterator[str]:
    """Yield a line for each matching, or for each sentence without one, after a line with the names."""
    request = search.request
    values = attributes or [
        *(f"{name}.form" for name in request.names),
        *(f"{name}.label" for name in request.edge_names),
    ]
    names = ["text"] if search.invert else values
    header = "\t".join(names if attributes else ["place", "sent_id", *names])
    for sentence, matches in search.results():
        if header:
            yield header
            header = ""
        if search.invert:
            yield "\t".join([sentence.place, *cells([sentence.sent_id, sentence.text])])
        for match in matches:
            place = [] if attributes else [f"{sentence.source}:{match.line}", *cells([sentence.sent_id])]
            yield "\t".join([*place, *cells(map(match.value, values))])


def json_lines(search: Search, attributes: list[str]) -> Iterator[str]:
    """Yield a JSON object for each matching, or for each sentence without one."""
    for sentence, matches in search.results():
        known = {"source": sentence.source, "sent_id": sentence.sent_id, "text": sentence.text}
        if search.invert:
            yield as_json({**known, "line": sentence.line})
        for match in matches:
            if attributes:
                yield as_json({name: match.value(name) for name in attributes})
                continue
            nodes = {name: {"id": id_, "form": match.value(f"{name}.form")} for name, id_ in match.nodes.items()}
            edges = {name: edge._asdict() for name, edge in match.edges.items()}
            yield as_json({**known, "line": match.line, "nodes": nodes, "edges": edges})


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def cells(values: Iterable[str | None]) -> list[str]:
    """Return values as cells of a table; a missing one is "_"."""
    return [" ".join((value or "_").split()) for value in values]
