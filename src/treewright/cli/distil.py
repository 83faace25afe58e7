"""`treewright distil`: trees of a large model, from which a small one learns (`treewright train --parsed`)."""

from __future__ import annotations

import mmap
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import Job, jobs_of, open_meter, show_share
from treewright.cli.resuming import Tally, check_resumable, finished_sentences, part_of, reporting_interrupt
from treewright.cli.sentences import Kind, ParserInput, open_sentences
from treewright.cli.shared import SENTENCE_EXTENSIONS, Flushing, Summary, check_extension, note, quantity
from treewright.corpus import Sentence, read, write
from treewright.corpus.files import EXTENSIONS, naming
from treewright.pipeline import Pipeline

MIN_WORDS, MAX_WORDS = 3, 60  # of the sentences that are parsed; not tuned
TOGETHER = 1024  # sentences that are parsed together, of which an encoder reads those of equal length; not tuned
app, command = opt.new_command(
    "distil",
    "The sentences of the texts are parsed in random order, each once, alternately from each TEXT, so that "
    "the first of them are balanced over the sources. Sentences of fewer than 3 or more than 60 words are left out; so "
    "are those of the treebanks that --without names: name the development and test data there.\n\n"
    "`treewright train --parsed FILE` learns from the result. Finished sentences are in FILE.part until all are; "
    "after Ctrl-C, or when the process was killed, --resume continues there.",
    "treewright distil large.tw news.txt.gz blogs.txt -o parsed.conllu",
    "treewright distil large.tw news.txt -o parsed.conllu --without dev.conllu",
    "treewright distil large.tw news.txt -o a.conllu --stop-after 100000 --resume",
)
END = b"\n\n"  # of a sentence in CoNLL-U
Forms = tuple[str, ...]


@command
def distil(
    teacher: Annotated[str, opt.argument("TEACHER", "The model that parses: a file, or a name.")],
    texts: Annotated[list[str], opt.argument("TEXT", "Files of raw text, compressed or not.")],
    output: opt.Output,
    kind: Kind = None,
    stop_after: Annotated[int | None, opt.number_option("Stop after N words; all if not given.")] = None,
    without: Annotated[
        list[str] | None, opt.file_option("A treebank whose sentences are left out; may be given more than once.")
    ] = None,
    threads: opt.Threads = 1,
    seed: Annotated[int, opt.seed_option("of the order of the sentences")] = 1,
    resume: Annotated[bool, opt.resume_option("FILE.part, which has the finished sentences")] = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    for text in texts:
        jobs_of([text], output, "conllu")  # which says what is no file
    check_extension(output, SENTENCE_EXTENSIONS)
    if Path(output).suffix in EXTENSIONS:
        raise typer.BadParameter("sentences are added to the file one by one: name it FILE.conllu", param_hint="-o")
    check_resumable("conllu", output, None, None)
    output = os.path.realpath(output)
    if os.path.exists(output) and not os.path.isfile(output):
        raise typer.BadParameter(f"{output} is no file, to which sentences could be added", param_hint="-o")
    nlp = Pipeline.load(teacher)
    known = {tuple(sentence.forms) for bank in without or () for sentence in read(bank)}
    with open_meter(texts, quiet=quiet, output=output) as meter:
        sources = []
        for text in texts:
            with open_sentences(nlp, teacher, ParserInput(text, text, None, kind, False)) as reader:
                sources.append(different_sentences(meter.track(reader), known))
    chosen = choose(sources, stop_after, seed)
    total = sum(map(len, chosen))
    if not quiet:
        note(f"{quantity(len(chosen), 'sentence')}, {quantity(total, 'word')}")
    part, summary, tally = part_of(output), Summary(), Tally()
    inputs = (Sentence.from_words(forms) for forms in chosen)
    is_begun = resume and cut_to_sentences(part)
    finished = finished_sentences(Job("the texts", output), inputs) if is_begun else ()
    done = sum(map(len, tally(finished)))
    with (
        reporting_interrupt(output, tally),
        nullcontext(float) if quiet else show_share() as show,
        naming(part),
        open(part, "ab" if is_begun else "wb") as file,
    ):

        def counted(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
            nonlocal done
            for sentence in sentences:
                summary.count_parse(sentence, sentence.parse)
                yield sentence
                done += len(sentence)
                show(done / total)

        parsed = nlp.parse(inputs, threads=threads, batch_size=TOGETHER, confidence=False)
        write(tally(counted(summary.time(parsed))), Flushing(file))  # type: ignore[arg-type]
        os.replace(part, output)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=True)


def cut_to_sentences(part: str) -> bool:
    """Cut a file after its last whole sentence, since a process may have been killed while it wrote one.

    Returns whether any is left.
    """
    if not os.path.exists(part) or not os.path.getsize(part):
        return False
    with open(part, "rb+") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        end = content.rfind(END)
    os.truncate(part, end + len(END) if end >= 0 else 0)
    return end >= 0


def different_sentences(sentences: Iterable[Sentence], known: set[Forms]) -> list[Forms]:
    """Return the forms of the sentences that are long and short enough and not known; they are known from then on."""
    new = []
    for sentence in sentences:
        forms = tuple(map(sys.intern, sentence.forms))
        if MIN_WORDS <= len(forms) <= MAX_WORDS and forms not in known:
            known.add(forms)
            new.append(forms)
    return new


def choose(sources: Sequence[list[Forms]], words: int | None, seed: int) -> list[Forms]:
    """Return sentences in random order, alternately from each source that has any left, of at most so many words.

    >>> choose([[("a", "b", "c")] * 3, [("d", "e", "f")]], 9, 1)
    [('a', 'b', 'c'), ('d', 'e', 'f'), ('a', 'b', 'c')]
    """
    order = random.Random(seed)
    for sentences in sources:
        order.shuffle(sentences)
    turns = (forms for turn in zip_longest(*sources) for forms in turn if forms is not None)
    chosen = list(turns)
    totals = accumulate(map(len, chosen))
    return chosen if words is None else chosen[: sum(total <= words for total in totals)]
