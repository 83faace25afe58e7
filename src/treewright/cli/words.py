"""`treewright words`: learn word classes and word vectors from text, or import them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import CountedFile, show_share, size_of
from treewright.cli.shared import check_output, note, quantity
from treewright.cli.training import Run, Trained, train_and_save
from treewright.corpus import Sentence, open_input
from treewright.errors import InputError
from treewright.learn import Progress, StageCost
from treewright.pipeline import read_input
from treewright.pipeline.reading import text_lines
from treewright.tokeniser import Tokeniser
from treewright.words import Words, WordsOptions
from treewright.words.training import stage_costs

RULES, WHITESPACE = "rules", "whitespace"
STEPS = 1024  # of the progress display while a text is read; a multiple of its step
READING = "text"

app, command = opt.new_command(
    "words",
    "Texts are raw text, CoNLL-U or JSON, in any language. "
    "Classes maximise the likelihood of a class bigram model and are the leaves of a binary tree, as Brown "
    "clusters are. Vectors are a factorisation of the association of words and their neighbours. --vectors and "
    "--classes import what other programs have learned; TEXT is then needed only for the other of the two. An "
    "interrupted training continues with --resume and ends with the same file. docs/words.md explains the models.",
    "treewright words letter.txt news.txt.gz -o my.words",
    "treewright words tokenised.txt --tokeniser whitespace -o my.words",
    "treewright words --vectors glove.6B.100d.txt --classes paths -o en.words",
    "treewright words news.txt --vectors cc.ga.300.vec.gz -o ga.words",
)


@command
def train(
    output: opt.ModelOutput,
    texts: Annotated[list[str] | None, opt.argument("TEXT", 'Files, compressed or not; "-" is standard input.')] = None,
    vectors: Annotated[
        str | None,
        opt.file_option("Import vectors: word2vec (text), GloVe, fastText .vec."),
    ] = None,
    classes: Annotated[
        str | None, opt.file_option("Import classes: lines of path, word and count, or of word and path.")
    ] = None,
    classes_count: Annotated[
        int | None,
        opt.number_option(
            "Number of classes to learn; 0: none. The default is 1000, for a small text a tenth of its words.", min=0
        ),
    ] = None,
    size: Annotated[
        int | None,
        opt.number_option("Numbers of a vector to learn; 0: none. The default is 64, for a small text fewer.", min=0),
    ] = None,
    min_count: Annotated[int, opt.number_option("Rarer words are represented by their shape.")] = 2,
    max_vectors: Annotated[int | None, opt.number_option("Import the first N vectors only.")] = None,
    tokeniser: Annotated[
        str,
        opt.option(
            "How raw text is divided into words: rules (Unicode), whitespace (a sentence a line), or a model.",
            metavar="NAME",
        ),
    ] = RULES,
    seed: opt.ModelSeed = 1,
    resume: opt.Resume = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    check_output(output)
    if not texts and not vectors and not classes:
        raise InputError("nothing to learn from: give a TEXT, or --vectors or --classes to import")
    for source in texts or ():
        if source != "-" and Path(source).is_dir():
            raise InputError(f"{source}: a folder; give its files, as in {Path(source) / '*.txt'}")
    imported = import_words(vectors, classes, max_vectors, quiet)
    options = options_of(classes_count, size, min_count, seed, imported, has_text=bool(texts))
    if texts and (options.classes != 0 or options.size != 0):
        trained = learn(texts, tokeniser, imported, options, output, resume, quiet)
    else:
        imported.save(output)
        trained = Trained(imported, 0.0, [])
    report(trained, output, quiet, as_json)


def import_words(vectors: str | None, classes: str | None, max_vectors: int | None, quiet: bool) -> Words:
    """Import vectors and classes of files; none for those that are not given."""

    remark = (lambda text: None) if quiet else note
    words = Words()
    with show_share() as progress:
        shown = None if quiet else progress
        if vectors is not None:
            words = Words.from_vectors(vectors, max_words=max_vectors, note=remark, progress=shown)
        if classes is not None:
            words = words.join(Words.from_classes(classes, note=remark, progress=shown))
    return words


def options_of(
    classes: int | None, size: int | None, min_count: int, seed: int, imported: Words, *, has_text: bool
) -> WordsOptions:
    """Return the options of training: what is imported is not learned, and a number for it is refused."""

    for name, number, is_imported in (
        ("--classes-count", classes, bool(imported.paths)),
        ("--size", size, bool(imported.size)),
    ):
        if number and is_imported:
            raise InputError(f"{name} is for what is learned from text, but it is imported; leave one of the two out")
        if number and not has_text:
            raise InputError(f"{name} is for what is learned from text; give a TEXT")
    return WordsOptions(0 if imported.paths else classes, 0 if imported.size else size, min_count, seed=seed)


def learn(
    texts: Sequence[str],
    tokeniser: str,
    imported: Words,
    options: WordsOptions,
    output: Path,
    resume: bool,
    quiet: bool,
) -> Trained[Words]:
    """Learn from text what is not imported, and save all."""

    splitter = None if tokeniser == WHITESPACE else tokeniser_of(tokeniser)

    def train_words(run: Run) -> Words:
        sentences = read_sentences(texts, splitter, run.progress)
        return Words.train(sentences, options=options, resume=resume, **run._asdict()).join(imported)

    return train_and_save(output, [StageCost(READING, 1, 4.0), *stage_costs(options)], quiet, train_words)


def tokeniser_of(name: str) -> Tokeniser:
    """Return the tokeniser by rules, or of a model."""

    return Tokeniser() if name == RULES else Tokeniser.load(name)


def read_sentences(texts: Sequence[str], tokeniser: Tokeniser | None, progress: Progress) -> Iterator[Sentence]:
    """Yield the sentences of files; without a tokeniser lines of words. Files without any sentence are refused."""

    sizes = [size_of(source) for source in texts]
    total = 0 if None in sizes else sum(size or 0 for size in sizes)
    count_bytes = bytes_counter(total, progress)
    count = 0
    for source in texts:
        counted_file = None if size_of(source) is None else CountedFile(source, count_bytes)
        with open_input(source, counted_file) as file:
            sentences = read_lines(file) if tokeniser is None else read_input(file, tokeniser=tokeniser)
            for sentence in sentences:
                count += 1
                yield sentence
    if not count:
        names = ", ".join("<stdin>" if source == "-" else source for source in texts)
        raise InputError(f"{names}: the text has no words")


def bytes_counter(total: int, progress: Progress) -> Callable[[int], None]:
    """Return a function that shows the share of the bytes that have been read."""
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        if total:
            step = STEPS * min(done, total) // total
            progress(READING, 0, step - step % 16, STEPS)

    return count


def read_lines(file: Any) -> Iterator[Sentence]:
    """Yield a sentence for each line of words that are separated by white space."""

    for line in text_lines(file):
        if forms := line.split():
            yield Sentence.from_words(forms)


def report(trained: Trained[Words], output: Path, quiet: bool, as_json: bool) -> None:
    """Print what was written."""
    words = trained.model
    summary = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "vectors": len(words.vocabulary),
        "size": words.size,
        "words": len(words.classes),
        "classes": len(words.paths),
    }
    learned = ""
    if "tokens" in words.metadata:
        summary |= {"tokens": words.metadata["tokens"], "seconds": round(trained.seconds, 3)}
        learned = f"; learned from {quantity(words.metadata['tokens'], 'word')} of text in {trained.seconds:.1f} s"
    if as_json:
        typer.echo(json.dumps({**summary, "epochs": trained.epochs}, indent=2))
    elif not quiet:
        note(f"{output}: {words}{learned}")
