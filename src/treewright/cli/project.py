"""`treewright project`: what the workbench does with files and people, for scripts."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from treewright.annotate import Project
from treewright.annotate.files import Mode
from treewright.annotate.people import Role
from treewright.cli import options as opt
from treewright.cli.shared import make_folder, note, quantity
from treewright.corpus import open_output
from treewright.errors import InputError

app = opt.new_group(
    "project",
    "A project is a folder with a journal of decisions. Every person has a layer of their own; the layer gold is the "
    "adjudicated one. docs/annotating.md explains projects.",
    "treewright project new work dev.conllu --model en",
    "treewright project status work",
    "treewright project users work --add ana",
    "treewright project agree work ana ben --json",
    "treewright project export work -o corrected",
)

Folder = Annotated[str, opt.argument("PROJECT", "The folder of the project.")]
Layer = Annotated[
    str | None, opt.option("The layer; gold if there is one, else the manager's.", "--layer", metavar="NAME")
]


@opt.subcommand(
    app,
    "Make a project of CoNLL-U files, raw text (.txt) or folders of CoNLL-U files.\n\n"
    "Heads that a file has are kept until a decision contradicts them, or with --trees suggested replaced by the "
    "model's; heads that are _ are open, and the model suggests them.",
    "treewright project new work dev.conllu --model en",
)
def new(
    folder: Annotated[str, opt.argument("PROJECT", "A new folder.")],
    files: Annotated[list[str], opt.argument("FILES", "Files, or folders of them.")],
    model: Annotated[
        str | None, opt.option("Model that suggests trees, a file or en; none if not given.", metavar="MODEL")
    ] = None,
    author: Annotated[str, opt.option("Your name in the project.", metavar="NAME")] = "me",
    trees: Annotated[Literal["kept", "suggested"], opt.option("What the heads of the files are.")] = "kept",
) -> None:
    with Project.create(folder, files, model, author, keep_trees=trees == "kept") as project:
        note(f"{folder}: {quantity(project.queues.counts(author)['file'], 'sentence')}")


@opt.subcommand(
    app, "Print the number of sentences by layer and status, and the models.", "treewright project status work"
)
def status(folder: Folder, as_json: opt.Json = False) -> None:
    with Project.open(folder, read_only=True) as project:
        report = project.status()
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return
    typer.echo(f"{quantity(report['sentences'], 'sentence')} in {quantity(len(report['documents']), 'document')}")
    for layer, counts in report["layers"].items():
        typer.echo(f"{layer}: {counts['accepted']} accepted, {counts['started']} started")
    for model in report["models"]:
        used = ", in use" if model["is_used"] else ""
        typer.echo(f"model {model['id']}: LAS {model['las']:.1f} ({model['low']:.1f} to {model['high']:.1f}){used}")


@opt.subcommand(
    app,
    "List the people of a project, or add one and print the token with which they sign in.",
    "treewright project users work --add ana --role annotator",
)
def users(
    folder: Folder,
    add: Annotated[str | None, opt.option("Add this person; a new token if known.", metavar="NAME")] = None,
    role: Annotated[Role, opt.option("What the person may do.")] = "annotator",
) -> None:
    if add is None:
        with Project.open(folder, read_only=True) as project:
            for person in project.people.all():
                typer.echo(f"{person.name}\t{person.role}")
        return
    with Project.open(folder) as project:
        typer.echo(project.people.add(add, role))


@opt.subcommand(
    app,
    "Print how far layers agree: UAS, LAS and Cohen's kappa, for each pair.\n\n"
    "Sentences count that both of a pair have accepted. kappa_relations is of the words whose heads agree.",
    "treewright project agree work ana ben --json",
)
def agree(
    folder: Folder,
    layers: Annotated[list[str] | None, opt.argument("LAYER", "Two layers or more; all annotators' if none.")] = None,
    as_json: opt.Json = False,
) -> None:
    with Project.open(folder, read_only=True) as project:
        report = project.layers.agreement(layers or project.layers.annotators())
    typer.echo(json.dumps(report.as_dict(), ensure_ascii=False, indent=2) if as_json else str(report))


@opt.subcommand(
    app,
    "Write the documents of a layer.\n\n"
    "clean: for publishing; sentences that nobody has touched are byte for byte as imported. marked: with comments "
    "that say who decided what, so that importing them gives the same state. partial: what nobody decided or accepted "
    "is _. journal: every operation as a line of JSON, of all layers if --layer names none.",
    "treewright project export work -o corrected --mode marked",
)
def export(
    folder: Folder,
    output: Annotated[str, opt.output_option('a folder; "-" is standard output.', "FOLDER")] = "-",
    mode: Annotated[Mode, opt.option("What is written.")] = "clean",
    layer: Layer = None,
) -> None:
    with Project.open(folder, read_only=True) as project:
        for name, data in project.export(mode, layer):
            if output == "-":
                typer.get_binary_stream("stdout").write(data)
                continue
            path = make_folder(output) / name
            if path.is_file() and path.read_bytes() == data:
                continue  # a file that has not changed is not written
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_output(path) as file:
                file.write(data)
            note(f"wrote {path}")


@opt.subcommand(
    app,
    "Add files to a project, or with --layer take their trees as the accepted ones of a layer.\n\n"
    "A new version of a file that the project has is merged by sent_id: sentences that only the file has changed are "
    "replaced; where people have changed them too, the file's trees become the layer file, for adjudication.",
    "treewright project import work more.conllu",
    name="import",
)
def import_(
    folder: Folder,
    files: Annotated[list[str], opt.argument("FILES", "Files, or folders of them.")],
    layer: Annotated[
        str | None, opt.option("The layer; sentences are found by sent_id and text.", metavar="NAME")
    ] = None,
) -> None:
    with Project.open(folder) as project:
        for line in project.import_files(files, layer):
            note(line)


@opt.subcommand(
    app,
    "Check the store of a project: that it is whole, and that its journal gives every state.",
    "treewright project check work",
)
def check(folder: Folder) -> None:
    with Project.open(folder, read_only=True) as project:
        problems = project.records.problems()
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    note(f"{folder}: nothing found")


@opt.subcommand(
    app,
    "Train a model on what is annotated, and print its accuracy on held-out sentences.\n\n"
    "Accepted sentences are taken whole, of the others what is decided. About a tenth of the sentences, always the "
    "same ones, is held out. With --adopt the project uses the model from then on.",
    "treewright project train work --adopt",
)
def train(
    folder: Folder,
    layer: Layer = None,
    adopt: Annotated[bool, opt.option("Use the model for suggestions.", "--adopt")] = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    with Project.open(folder) as project:
        number = project.models.train(layer)
        last = ""
        while (job := project.models.job(number)).state == "running":
            line = f"{100 * job.progress:3.0f} % {job.message}"
            if not quiet and line != last:
                note(line)
                last = line
            time.sleep(0.5)
        if job.state == "failed":
            raise InputError(f"the training failed: {job.message}")
        if adopt:
            project.adopt(job.model)
    typer.echo(json.dumps(asdict(job), indent=2) if as_json else f"model {job.model}: {job.message}")
