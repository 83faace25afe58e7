"""`treewright tag`: tag sentences, tokenise text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from treewright.cli import options as opt
from treewright.cli.inputs import each_file, each_job, is_stream, jobs_of, model_and_inputs, open_meter
from treewright.cli.shared import Summary, write_sentences
from treewright.corpus import Sentence, open_input
from treewright.corpus.confidence import clear_confidence, write_confidence
from treewright.errors import InputError
from treewright.model.registry import load_tagger
from treewright.pipeline import read_input
from treewright.pipeline.reading import guess_content
from treewright.tagger import Tagger
from treewright.tokeniser import Tokeniser

app = opt.new_group(
    "tag",
    "`tag run` fills UPOS, XPOS, FEATS and LEMMA of sentences that have only forms; `tag tokenise` makes such "
    "sentences of raw text. `treewright train --only tagger` and `--only tokeniser` train the components.",
    "treewright tag run en words.conllu -o tagged.conllu",
    "cat letter.txt | treewright tag tokenise en | treewright tag run en",
)


@opt.subcommand(
    app,
    "Tag the sentences of INPUT: CoNLL-U in, CoNLL-U out.\n\n"
    "Only the columns that the tagger fills change; sentences are written as they are read, so that the command works "
    "as a filter.",
    "treewright tag run my.tw words.conllu -o tagged.conllu",
    "cat words.conllu | treewright tag run my.tw | treewright parse my.tw",
)
def run(
    model: Annotated[str, opt.argument("MODEL", "A model with a tagger: a file, or en.")],
    inputs: Annotated[
        list[str] | None, opt.argument("INPUT", 'Sentences: CoNLL-U or CoNLL-X; "-" is standard input.')
    ] = None,
    output: opt.Output = "-",
    threads: opt.Threads = 1,
    confidence: Annotated[bool, opt.confidence_option("of each tag: TagConfidence=0.98")] = False,
    skip_bad: opt.SkipBad = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    jobs = jobs_of(inputs or ["-"], output, "conllu")
    tagger = load_tagger(model)
    tag = tagger.tag if isinstance(tagger, Tagger) else tagger.retag
    summary = Summary()

    def finish(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in count(summary, sentences):
            clear_confidence(sentence, "tag_confidence")  # of other tags
            if confidence and sentence.tag_confidence is not None:
                write_confidence(sentence, "tag_confidence")
            yield sentence

    for target, sentences in each_file(jobs, skip_bad=skip_bad, quiet=quiet, output=output, start=summary.start):
        write_sentences(finish(tag(sentences, threads=threads, confidence=confidence)), target)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def count(summary: Summary, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Count sentences in passing."""
    for sentence in sentences:
        summary.count(sentence)
        yield sentence


def check_raw(sources: Sequence[str]) -> None:
    """Refuse files with sentences that are divided into words already."""

    for source in sources:
        if is_stream(source):
            continue
        with open_input(source) as file:
            opening = file.peek(1 << 16)
        if guess_content(opening) == "conllu":  # whatever its name is
            raise InputError(f"{source}: CoNLL-U; expected raw text (`treewright tag run` reads CoNLL-U)")


@opt.subcommand(
    app,
    "Divide raw text into sentences and words, as CoNLL-U.\n\nWithout MODEL, the text is divided by Unicode rules.",
    "treewright tag tokenise en letter.txt -o letter.conllu",
    "echo 'It rains. Stay!' | treewright tag tokenise",
)
def tokenise(
    model: Annotated[str | None, opt.argument("MODEL", "A model with a tokeniser: a file, or en.")] = None,
    inputs: Annotated[list[str] | None, opt.argument("INPUT", 'Raw text in UTF-8; "-" is standard input.')] = None,
    output: opt.Output = "-",
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    named, sources = model_and_inputs(model, inputs)
    jobs = jobs_of(sources, output, "conllu")
    check_raw(sources)
    tokeniser = Tokeniser() if named is None else Tokeniser.load(named)
    summary = Summary()
    with open_meter(sources, quiet=quiet, output=output, start=summary.start) as meter:
        for source, target in each_job(jobs):
            reader = read_input(meter.source(source, "text"), "text", tokeniser)
            write_sentences(count(summary, meter.track(reader)), target)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")
