"""`treewright parse`: trees for raw text, or for sentences."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treewright.cli import corpora
from treewright.cli import options as opt
from treewright.cli import phrases as phrase_trees
from treewright.cli.drawing import terminal_options, write_drawings
from treewright.cli.inputs import Job, each_job, is_folder, jobs_of, model_and_inputs, open_meter
from treewright.cli.kbest import KBest, best_trees, is_first, rank_line, rank_of, with_rank_in_name
from treewright.cli.resuming import (
    Tally,
    check_resumable,
    finished_sentences,
    is_finished,
    part_of,
    reporting_interrupt,
)
from treewright.cli.sentences import (
    MODEL_HELP,
    Kind,
    ParserInput,
    Text,
    check_text,
    is_arriving,
    is_induced,
    kind_of,
    may_wait,
    open_sentences,
)
from treewright.cli.shared import (
    PICTURES,
    SENTENCE_EXTENSIONS,
    KeptGraphs,
    Summary,
    form_of,
    note_long,
    note_skipped,
    write_lines,
    write_sentences,
)
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence


app, command = opt.new_command(
    "parse",
    "Several inputs are written into a folder (-o FOLDER/), each under its own name. Without MODEL, the English "
    "model that comes with Treewright is used; `treewright train`, `induce` and `pack` make others. Raw text is "
    "divided into sentences and words, tagged and parsed. CoNLL-U sentences without tags are tagged first; HEAD and "
    "DEPREL are set, DEPS is emptied (filled if MODEL was trained with --graphs), and everything else is written as "
    "it was read, byte for byte.\n\n"
    "A comment says what is proved of each tree: '# treewright = certified' (no tree scores higher under the model; it "
    "may still be wrong) or '# treewright = gap 0.12' (none scores higher by more than that); docs/parser.md explains "
    "over which arcs. --all-arcs prunes none. A sentence of "
    "more than 150 words is parsed in parts, whose trees are joined without a certificate. Each sentence is written as "
    "soon as it is parsed, so that the command works as a filter.\n\n"
    "A corpus is parsed in shards by several processes, into a folder of files: with --to parquet, --jobs, --engine or "
    "--shards. INPUT may then be Parquet too, a pattern in quotes or a URL. The same command continues what was "
    "interrupted; what cannot be parsed is listed in FOLDER/_job/rejected-*.jsonl. --max-seconds is then 2 if not "
    "given; see docs/scale.md.",
    'treewright parse --text "The bridge creaked when a cart rolled over it."',
    "treewright parse letter.txt -o letter.conllu",
    "treewright parse letter.txt -o letter.html",
    "treewright parse a.txt b.txt -o parsed/",
    'treewright parse --text "Time flies like an arrow." --kbest 3 --to text',
    'treewright parse --text "The dog chased a cat." --phrases --to text',
    "cat tagged.conllu | treewright parse my.tw | treewright show -",
    "treewright parse my.tw tagged.conllu --threads 4 -o parsed.conllu",
    "treewright parse en 'texts/*.jsonl.gz' -o parsed/ --to parquet --jobs 4",
)
Form = Literal["conllu", "parquet", "brackets", "json", "text", "svg", "png", "html", "latex"]
EXTENSIONS = {
    **dict.fromkeys(SENTENCE_EXTENSIONS, "conllu"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
    **PICTURES,
    ".tex": "latex",
}


@command
def parse(
    model: Annotated[str | None, opt.argument("MODEL", MODEL_HELP)] = None,
    inputs: Annotated[
        list[str] | None, opt.argument("INPUT", 'What to parse; standard input if "-" or not given.')
    ] = None,
    text: Text = None,
    kind: Kind = None,
    output: opt.Output = "-",
    to: Annotated[
        Form | None, opt.to_option("by default that of FILE's extension, else CoNLL-U. On a terminal, --text is drawn")
    ] = None,
    threads: opt.Threads = 1,
    method: opt.Decoding = "exact",
    max_seconds: opt.MaxSeconds = None,
    projective: opt.Projective = None,
    all_arcs: opt.AllArcs = False,
    fast: Annotated[
        bool,
        opt.option(
            "Use the linear models alone, without the network of the model: faster. Trees are projective.", "--fast"
        ),
    ] = False,
    phrases: Annotated[
        bool,
        typer.Option(
            "--phrases",
            help="Write phrase-structure trees in brackets, for English; --to json has the confidence of each phrase.",
        ),
    ] = False,
    kbest: KBest = None,
    proofs: Annotated[str | None, opt.file_option("Write proofs for `treewright verify`, a line a sentence.")] = None,
    confidence: opt.HeadConfidence = False,
    comment: opt.Comment = True,
    keep_deps: opt.KeepDeps = False,
    skip_bad: opt.SkipBad = False,
    resume: Annotated[bool, opt.resume_option("FILE.part, in which Ctrl-C leaves finished sentences")] = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
    workers: corpora.Jobs = None,
    engine: corpora.EngineName = None,
    ray_address: corpora.RayAddress = None,
    shards: corpora.Shards = None,
    shard_size: corpora.ShardSize = None,
    text_column: corpora.TextColumn = None,
    id_column: corpora.IdColumn = None,
    document_seconds: corpora.DocumentSeconds = None,
) -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts a thread a core, which parsing does not use
    from treewright.corpus import open_output
    from treewright.corpus.confidence import write_confidence
    from treewright.model.registry import load_parser
    from treewright.pipeline import Pipeline
    from treewright.pipeline.certificate import drop_certificate, set_certificate
    from treewright.streams import BATCH, arriving

    named, sources = model_and_inputs(model, inputs, text)
    check_text(text, sources)
    if phrases:
        others = {"--kbest": kbest, "--proofs": proofs, "--confidence": confidence, "--keep-deps": keep_deps}
        others |= {"--resume": resume, "--jobs": workers, "--engine": engine, "--shards": shards}
        phrase_trees.refuse(to, others)
        request = ParserInput("-", "-", text, kind, skip_bad)
        phrase_trees.parse_sentences(
            *(named or "en", sources, output, to, request), fast=fast, threads=threads, as_json=as_json, quiet=quiet
        )
        return
    if to == "brackets":
        raise typer.BadParameter("brackets are the form of phrase-structure trees: --phrases", param_hint="--to")
    corpus: dict[str, Any] = {"jobs": workers, "engine": engine, "ray_address": ray_address, "shards": shards}
    corpus |= {"shard_size": shard_size, "document_seconds": document_seconds}
    corpus |= {"text_column": text_column, "id_column": id_column}
    if corpora.is_corpus(to, corpus):
        others = {"--text": text, "--threads": threads > 1, "--kbest": kbest, "--proofs": proofs}
        others |= {"--keep-deps": keep_deps, "--skip-bad": skip_bad, "--resume": resume}
        corpora.refuse(to, output, sources, others)
        corpus |= {"to": to or "conllu", "input": kind, "fast": fast, "method": method, "max_seconds": max_seconds}
        corpus |= {"projective": projective, "all_arcs": all_arcs, "confidence": confidence, "comment": comment}
        corpora.run(named or "en", sources, output, as_json=as_json, quiet=quiet, given=corpus)
        return
    form = choose_form(to, output, text)
    jobs = jobs_of(sources, output, form)
    if resume:
        check_resumable(form, output, kbest, proofs)
    parser = load_parser(named or "en", network=not fast)
    options: dict[str, Any] = {"threads": threads, "projective": projective, "method": method}
    options["confidence"] = confidence or form != "conllu"  # the other forms show it
    options |= {} if max_seconds is None else {"max_seconds": max_seconds}
    options["all_arcs"] = all_arcs
    if proofs is not None:
        check_proofs(parser, named or "en", form, jobs, kbest, method)
        options["proof"] = True
    parse_all = best_trees(parser, kbest, method, confidence) if kbest else parser.parse
    if isinstance(parser, Pipeline) and not kbest:
        options["comment"] = False  # `finish` writes it, for every kind of model
    summary = Summary()
    graphs = KeptGraphs(keep_deps)
    in_parts: list[str] = []  # the places of sentences that were parsed in parts

    def finish(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            if kbest is None or is_first(sentence):
                summary.count_parse(sentence, sentence.parse)
            graphs.restore(sentence)
            if sentence.parse.parts > 1 and (kbest is None or is_first(sentence)):
                in_parts.append(f"{sentence.source}:{sentence.line}")
            if comment:
                set_certificate(sentence, sentence.parse)
            else:
                drop_certificate(sentence)
            if recorded is not None:
                recorded.write(proof_line(parser, sentence, projective))
            if confidence:
                if sentence.head_confidence is None:
                    raise InputError(f"{named}: an induced model has no probabilities of heads; leave out --confidence")
                write_confidence(sentence)
            yield sentence

    with (
        open_output(proofs) if proofs is not None else nullcontext() as recorded,
        open_meter([] if text is not None else sources, quiet=quiet, output=output, start=summary.start) as meter,
    ):
        for source, target in each_job(jobs):
            if resume and is_finished(Job(source, target), len(jobs)):
                continue
            tally = Tally()
            parser_input = ParserInput(meter.source(source, kind_of(source, kind)), source, text, kind, skip_bad)
            with open_sentences(parser, named or "en", parser_input) as reader:
                tracked = meter.track(reader)
                finished = finished_sentences(Job(source, target), tracked) if resume else ()
                sentences = graphs.keep(tracked)
                if threads == 1 and text is None and may_wait(source):
                    batches = arriving(sentences, lambda batch: len(batch) < BATCH and is_arriving())
                    parsed: Iterator[Sentence] = (tree for batch in batches for tree in parse_all(batch, **options))
                else:
                    parsed = parse_all(sentences, **options)
                with reporting_interrupt(target, tally):
                    written = tally(chain(finished, finish(summary.time(parsed))))
                    write_as(form, written, target, source, is_ranked=kbest is not None)
            note_skipped(reader.skipped, reader.errors)
    note_long(in_parts)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def choose_form(to: Form | None, output: str, text: str | None) -> str:
    """Return the output format; --text is drawn on a terminal."""
    if to is None and text is not None and output == "-" and sys.stdout.isatty():
        return "text"
    return form_of(to, "" if is_folder(output) else output, EXTENSIONS, "conllu")


def write_as(form: str, sentences: Iterator[Sentence], output: str, source: str, *, is_ranked: bool) -> None:
    """Write the sentences in one of the forms, one by one where the form allows it."""
    if form == "conllu":
        write_sentences(sentences, output, None if is_ranked else part_of(output))
    elif form == "json":
        values = ((rank_of(sentence) if is_ranked else {}) | sentence.to_dict() for sentence in sentences)
        write_lines((json.dumps(value, ensure_ascii=False) for value in values), output)
    elif form == "text":
        write_lines(drawings(sentences, terminal_options(output), is_ranked), output)
    else:
        named = map(with_rank_in_name, sentences) if is_ranked else sentences
        write_drawings(form, enumerate(((sentence, {}) for sentence in named), start=1), output, source)


def drawings(sentences: Iterable[Sentence], options: dict[str, Any], is_ranked: bool) -> Iterator[str]:
    """Yield the text of each sentence, its drawing and its certificate, or its rank among the best trees."""
    from treewright import draw
    from treewright.draw.measure import clean
    from treewright.pipeline.certificate import certificate_line

    for sentence in sentences:
        last = rank_line(sentence) if is_ranked else certificate_line(sentence)
        yield f"{clean(sentence.text)}\n\n{draw.text(sentence, **options)}\n{last}\n"


def check_proofs(parser: Any, name: str, form: str, jobs: Sequence[Any], kbest: int | None, method: opt.Method) -> None:
    """Refuse --proofs where there are none, or where `treewright verify` could not match them."""
    reason = None
    if is_induced(parser):
        reason = f"the parser of {name} is induced; proofs are about the scores of a parser trained on a treebank"
    elif method != "exact":
        reason = f"--method {method} has no proofs; leave it out"
    elif kbest:
        reason = "proofs are about the best tree; leave out --kbest"
    elif form != "conllu":
        reason = "`treewright verify` reads CoNLL-U; use --to conllu"
    elif len(jobs) > 1:
        reason = "one input at a time"
    if reason is not None:
        raise typer.BadParameter(reason, param_hint="--proofs")


def proof_line(parser: Any, sentence: Sentence, projective: bool | None) -> bytes:
    """Return the line of the file of proofs."""
    from treewright.parser.proofs import proof_record

    record = proof_record(getattr(parser, "parser", parser), sentence, projective)
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
