"""`treewright get`: a model for a language, from a treebank of Universal Dependencies."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright import __version__
from treewright.checking import findings
from treewright.cli import options as opt
from treewright.cli.figures import FIGURES, f1_figures
from treewright.cli.inputs import open_bar
from treewright.cli.shared import note, quantity
from treewright.cli.training import Task, figures_in_words
from treewright.corpus import Sentence, Treebank, replacing
from treewright.errors import InputError
from treewright.languages.cards import card_of, metadata_of
from treewright.languages.catalogue import TreebankEntry, comparable, find_treebank, published_in_words
from treewright.languages.download import sha256_of
from treewright.languages.fetch import RELEASES, Progress, TreebankFiles, cache_name, fetch
from treewright.languages.installed import EMBEDDED, card_path, find_model, home, models_folder
from treewright.model.component import hash_of
from treewright.network import NetworkOptions
from treewright.network.network import import_training
from treewright.pipeline import Pipeline
from treewright.tokeniser.tokeniser import text_and_ends

app, command = opt.new_command(
    "get",
    "LANGUAGE is a code or an English name, as in de or German, or a treebank, as in German-GSD; `treewright models "
    "--available` lists them all. The treebank is one of Universal Dependencies; where a language has one that is free "
    "for any use, it is the default, and otherwise you are asked to accept its licence. The model has the licence of "
    "the treebank.\n\n"
    "The model is installed in the folder of your data (TREEWRIGHT_HOME changes it), with a card that has its "
    'figures from the raw text of the test part. `treewright parse de` and tw.load("de") find it. For another '
    "treebank than the default, give --treebank; a model made by the name of its treebank, French-GSD, is called "
    "fr_gsd.\n\n"
    "Interrupted at any time, the same command continues: downloads and training. HTTPS_PROXY is used where it is set; "
    "without a connection, --from takes a UD release on disk.",
    "treewright get de",
    "treewright get fr --treebank GSD",
    "treewright get Irish-IDT --from ud-treebanks-v2.16",
    "treewright get hi --yes",
)


@command
def get(
    language: Annotated[str, opt.argument("LANGUAGE", "A language or a treebank.")],
    treebank: Annotated[str | None, opt.option("Another treebank of the language, as in GSD.", metavar="NAME")] = None,
    neural: opt.Neural = False,
    source: Annotated[
        str,
        opt.option(
            "A UD release on disk, or the address of the files, in which {treebank} and {release} are filled in.",
            "--from",
            metavar="SOURCE",
            show_default=False,
        ),
    ] = RELEASES,
    yes: Annotated[bool, opt.option("Accept the licence of the treebank.", "--yes")] = False,
    quiet: opt.Quiet = False,
) -> None:
    entry = find_treebank(language, treebank)
    is_language = comparable(language) in (comparable(entry.code), comparable(entry.language))
    name = entry.code if is_language and entry.code not in EMBEDDED else entry.files
    if neural:
        import_training()  # before the download: it says what to install if PyTorch is missing
    accept_licence(entry, yes)
    with show_downloads(quiet) as progress:
        files = fetch(entry, source, home() / "treebanks" / cache_name(entry, source), progress)
    if is_installed(name, {"treebank": entry.treebank, "release": files.release, "network": neural}):
        note(f"{name} is installed already; `treewright models remove {name}` removes it")
        return
    if not quiet:
        note(f"{entry.treebank} {files.release}".rstrip() + f" ({entry.licence}) in {files.train.parent}")
        note(sizes_in_words(files))
        note(check_files(files))
    target = models_folder() / f"{name}.tw"
    figures = make_model(Making(name, entry, files, neural, quiet), target)
    if not quiet:
        size = target.stat().st_size / 1e6
        note(f'{target}: {size:.1f} MB; treewright parse {name}, or tw.load("{name}"), uses it')
        typer.echo(f"from the raw text of {judged_part(files)} (F1): {figures_in_words(figures)}", err=True)
        if published := published_in_words(entry):
            typer.echo(published, err=True)


def is_installed(name: str, wanted: Mapping[str, Any]) -> bool:
    """Return whether `treewright get` made a model of this name with this metadata; a damaged one is made again."""

    model = find_model(name)
    try:
        return model is not None and model.origin == "get" and wanted.items() <= model.metadata().items()
    except InputError:
        return False


def accept_licence(entry: TreebankEntry, yes: bool) -> None:
    """Ask whether the licence of a treebank is accepted if it does not allow every use."""
    if entry.is_free or yes:
        return
    terms = f"{entry.treebank} and models of it have the licence {entry.licence}, which does not allow every use"
    if not sys.stdin.isatty():
        raise InputError(f"{terms}; add --yes to accept it")
    if not typer.confirm(f"{terms}. Accept it?", err=True):
        raise typer.Exit(1)


@contextmanager
def show_downloads(quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows a bar for each file that is downloaded, on a terminal."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    tasks: dict[str, Any] = {}
    with open_bar(*columns, TimeRemainingColumn(), quiet=quiet) as bar:

        def show(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done, total=total)

        yield show


def sizes_in_words(files: TreebankFiles) -> str:
    """Return the number of sentences and words of each part."""
    sizes = []
    for part, path in (("train", files.train), ("dev", files.dev), ("test", files.test)):
        if path:
            numbers = [line.partition(b"\t")[0] for line in path.read_bytes().splitlines()]
            words = sum(number.isdigit() for number in numbers)
            sizes.append(f"{part} {quantity(numbers.count(b'1'), 'sentence')}, {words:,} words")
    return "; ".join(sizes)


def check_files(files: TreebankFiles) -> str:
    """Check the files by the rules of UD up to level 2, and return the number of findings by rule in words."""

    parts = [path for path in (files.train, files.dev, files.test) if path]
    rules = Counter(finding.rule for path in parts for finding in findings(path, level=2))
    if not rules:
        return "checked: nothing found"
    named = ", ".join(f"{count} {rule}" for rule, count in rules.most_common(3))
    return f"checked: {quantity(rules.total(), 'finding')} ({named}); `treewright check {files.train}` lists them"


@dataclass(frozen=True)
class Making:
    """A model that is to be trained on a treebank."""

    name: str
    entry: TreebankEntry
    files: TreebankFiles
    neural: bool
    quiet: bool

    def work_folder(self) -> Path:
        """Return the folder for the unfinished training: another one for other data, options or versions."""

        data = [sha256_of(path) for path in (self.files.train, self.files.dev) if path]
        return home() / "unfinished" / f"{self.name}-{hash_of([*data, self.neural, __version__])[:8]}"

    def task(self, output: Path) -> Task:
        """Return the training of the model file `output`; sentences that cannot be read are left out."""
        dev = None if self.files.dev is None else os.fspath(self.files.dev)
        return Task(os.fspath(self.files.train), dev, output, resume=True, skip_bad=True, quiet=self.quiet)

    def test(self, output: Path) -> Sequence[Sentence]:
        """Return the sentences that give the figures: `test`, or the development data of the training of `output`."""

        if self.files.test is None:
            return self.task(output).banks("tree")[1]
        return Treebank.read(self.files.test, check="tree", on_error="skip")


def judged_part(files: TreebankFiles) -> str:
    """Return the name of the part of a treebank that gives the figures of a model."""
    return "test" if files.test else "dev" if files.dev else "the last tenth of train"


def make_model(making: Making, target: Path) -> dict[str, float]:
    """Train the model, or continue its training; install it with its card, and return its figures."""

    work = making.work_folder()
    work.mkdir(parents=True, exist_ok=True)
    pipeline = trained_pipeline(making, work / "model.tw")
    gold = making.test(work / "model.tw")
    figures = f1_figures(gold, pipeline(text_and_ends(gold)[0]), FIGURES)
    metadata = {**pipeline.metadata, "figures": figures, "figures_of": judged_part(making.files)}
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(card_path(target)) as beside:
        beside.write_text(card_of(metadata), encoding="utf-8")
    replace(pipeline, metadata=metadata).save(target)
    shutil.rmtree(work)
    return figures


def trained_pipeline(making: Making, output: Path) -> Pipeline:
    """Train a pipeline and save it, with checkpoints beside it; one that is finished is loaded."""

    if output.exists():
        return Pipeline.load(output)
    task = making.task(output)
    metadata = metadata_of(making.name, making.entry, making.files.release, making.files.licence_text)
    plan = Pipeline.plan(
        *task.banks("partial"),
        network=NetworkOptions() if making.neural else None,
        metadata={**metadata, "network": making.neural},
    )
    return task.run(plan).model
