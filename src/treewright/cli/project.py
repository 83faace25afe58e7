"""`treewright project`: what the workbench does with files and people, for scripts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from treewright.cli import options as opt
from treewright.cli.shared import note, quantity
from treewright.errors import InputError

HELP = (
    "Make and use a treebank project: what `treewright annotate` does with files and people, for scripts.\n\n"
    "A project is a folder with a journal of decisions. Every person has a layer of their own; the layer gold is the "
    "adjudicated one. docs/annotating.md explains projects."
) + opt.examples(
    "treewright project new work dev.conllu --model en",
    "treewright project status work",
    "treewright project users work --add ana",
    "treewright project agree work ana ben --json",
    "treewright project export work -o corrected",
)
app = opt.new_app(HELP)

Mode = Literal["clean", "marked", "partial", "journal"]
Role = Literal["reader", "annotator", "adjudicator", "manager"]
Folder = Annotated[str, typer.Argument(metavar="PROJECT", help="The folder of the project.")]
Layer = Annotated[
    str | None,
    typer.Option("--layer", metavar="NAME", help="The layer; gold if there is one, else the manager's."),
]


@app.command(
    help="Make a project of CoNLL-U files, raw text (.txt) or folders of CoNLL-U files.\n\n"
    "Heads that a file has are kept until a decision contradicts them, or with --trees suggested replaced by the "
    "model's; heads that are _ are open, and the model suggests them."
    + opt.examples("treewright project new work dev.conllu --model en"),
    cls=opt.PlainCommand,
)
def new(
    folder: Annotated[str, typer.Argument(metavar="PROJECT", help="A new folder.")],
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Files, or folders of them.")],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Model that suggests trees, a file or en; none if not given."),
    ] = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Your name in the project.")] = "me",
    trees: Annotated[
        Literal["kept", "suggested"], typer.Option("--trees", help="What the heads of the files are.")
    ] = "kept",
) -> None:
    from treewright.annotate import Project

    with Project.create(folder, files, model, author, keep_trees=trees == "kept") as project:
        note(f"{folder}: {quantity(project.queues(author)['file'], 'sentence')}")


@app.command(
    help="Print the number of sentences by layer and status, and the models."
    + opt.examples("treewright project status work"),
    cls=opt.PlainCommand,
)
def status(folder: Folder, as_json: Annotated[bool, opt.json_option()] = False) -> None:
    from treewright.annotate import Project

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


@app.command(
    help="List the people of a project, or add one and print the token with which they sign in."
    + opt.examples("treewright project users work --add ana --role annotator"),
    cls=opt.PlainCommand,
)
def users(
    folder: Folder,
    add: Annotated[
        str | None, typer.Option("--add", metavar="NAME", help="Add this person; a new token if known.")
    ] = None,
    role: Annotated[Role, typer.Option("--role", help="What the person may do.")] = "annotator",
) -> None:
    from treewright.annotate import Project

    if add is None:
        with Project.open(folder, read_only=True) as project:
            for person in project.people():
                typer.echo(f"{person.name}\t{person.role}")
        return
    with Project.open(folder) as project:
        typer.echo(project.add_person(add, role))


@app.command(
    help="Print how far layers agree: UAS, LAS and Cohen's kappa, for each pair.\n\n"
    "Sentences count that both of a pair have accepted. kappa_relations is of the words whose heads agree."
    + opt.examples("treewright project agree work ana ben --json"),
    cls=opt.PlainCommand,
)
def agree(
    folder: Folder,
    layers: Annotated[
        list[str] | None, typer.Argument(metavar="LAYER", help="Two layers or more; all annotators' if none.")
    ] = None,
    as_json: Annotated[bool, opt.json_option()] = False,
) -> None:
    from treewright.annotate import Project

    with Project.open(folder, read_only=True) as project:
        report = project.agreement(layers or project.annotators())
    typer.echo(json.dumps(report.as_dict(), ensure_ascii=False, indent=2) if as_json else str(report))


@app.command(
    help="Write the documents of a layer.\n\n"
    "clean: for publishing; sentences that nobody has touched are byte for byte as imported. marked: with comments "
    "that say who decided what, so that importing them gives the same state. partial: what nobody decided or accepted "
    "is _. journal: every operation as a line of JSON."
    + opt.examples("treewright project export work -o corrected --mode marked"),
    cls=opt.PlainCommand,
)
def export(
    folder: Folder,
    output: Annotated[str, opt.output_option('a folder; "-" is standard output.', "FOLDER")] = "-",
    mode: Annotated[Mode, typer.Option("--mode", help="What is written.")] = "clean",
    layer: Layer = None,
) -> None:
    from treewright.annotate import Project
    from treewright.corpus import open_output

    with Project.open(folder, read_only=True) as project:
        for name, data in project.export(mode, layer):
            if output == "-":
                typer.get_binary_stream("stdout").write(data)
                continue
            path = Path(output, name)
            if path.is_file() and path.read_bytes() == data:
                continue  # a file that has not changed is not written
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_output(path) as file:
                file.write(data)
            note(f"wrote {path}")


@app.command(
    name="import",
    help="Add files to a project, or with --layer take their trees as the accepted ones of a layer.\n\n"
    "A new version of a file that the project has is merged by sent_id: sentences that only the file has changed are "
    "replaced; where people have changed them too, the file's trees become the layer file, for adjudication."
    + opt.examples("treewright project import work more.conllu"),
    cls=opt.PlainCommand,
)
def import_(
    folder: Folder,
    files: Annotated[list[str], typer.Argument(metavar="FILES", help="Files, or folders of them.")],
    layer: Annotated[
        str | None,
        typer.Option("--layer", metavar="NAME", help="The layer; sentences are found by sent_id and text."),
    ] = None,
) -> None:
    from treewright.annotate import Project

    with Project.open(folder) as project:
        for line in project.import_files(files, layer):
            note(line)


@app.command(
    help="Check the store of a project: that it is whole, and that its journal gives every state."
    + opt.examples("treewright project check work"),
    cls=opt.PlainCommand,
)
def check(folder: Folder) -> None:
    from treewright.annotate import Project

    with Project.open(folder, read_only=True) as project:
        problems = project.check()
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    note(f"{folder}: nothing found")


@app.command(
    help="Train a model on what is annotated, and print its accuracy on held-out sentences.\n\n"
    "Accepted sentences are taken whole, of the others what is decided. About a tenth of the sentences, always the "
    "same ones, is held out. With --adopt the project uses the model from then on."
    + opt.examples("treewright project train work --adopt"),
    cls=opt.PlainCommand,
)
def train(
    folder: Folder,
    layer: Layer = None,
    adopt: Annotated[bool, typer.Option("--adopt", help="Use the model for suggestions.")] = False,
    as_json: Annotated[bool, opt.json_option()] = False,
    quiet: opt.Quiet = False,
) -> None:
    from treewright.annotate import Project

    with Project.open(folder) as project:
        number = project.train(layer)
        last = ""
        while (job := project.job(number)).state == "running":
            line = f"{100 * job.progress:3.0f} % {job.message}"
            if not quiet and line != last:
                note(line)
                last = line
            time.sleep(0.5)
        if job.state == "failed":
            raise InputError(f"the training failed: {job.message}")
        if adopt:
            project.adopt(job.model)
    typer.echo(json.dumps(job.as_dict(), indent=2) if as_json else f"model {job.model}: {job.message}")
