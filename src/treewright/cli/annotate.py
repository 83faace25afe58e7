"""`treewright annotate`: the workbench in the browser."""

from __future__ import annotations

import os
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from treewright.annotate import Project
from treewright.annotate.files import listed
from treewright.cli import options as opt
from treewright.cli.shared import note
from treewright.errors import InputError, MissingExtra

SUFFIX = ".project"
TOKEN = "token"  # file in the folder of a project: the manager's token, so that an open page outlives the server
NO_MODEL = "none"

app, command = opt.new_command(
    "annotate",
    "Give files (CoNLL-U, CoNLL-X, raw text, or folders of them) or the folder of a project. A project of files "
    f"is made beside the first one, as NAME{SUFFIX}; giving the files again opens it. The command prints the "
    "address of the page and opens it. Every decision is stored before the page shows it, and re-decodes the rest "
    "of the sentence: the tree is the best one that agrees with everything decided. `treewright project export` "
    "writes CoNLL-U. The server listens on this machine alone, unless --host names another address; then "
    "--allow-host must give the names under which browsers call it. Ctrl-C stops it. It needs `pip install "
    "'treewright[serve]'`.",
    "treewright annotate dev.conllu",
    "treewright annotate notes.txt --model my.tw",
    f"treewright annotate dev{SUFFIX} --no-browser --port 8123",
)


@command
def annotate(
    paths: Annotated[list[str], opt.argument("FILES|PROJECT", "Files, or the folder of a project.")],
    model: Annotated[
        str | None,
        opt.option(
            "Model that suggests trees, a file or en; by default the one of the project, en in a new one. "
            f"{NO_MODEL}: every word is open.",
            metavar="MODEL",
        ),
    ] = None,
    host: opt.Host = "127.0.0.1",
    port: opt.Port = 0,
    allow_host: opt.AllowHost = None,
    no_browser: Annotated[bool, opt.option("Print the address only.", "--no-browser")] = False,
    quiet: opt.Quiet = False,
) -> None:
    try:
        from treewright.serve.guard import check_host
        from treewright.serve.server import open_socket, run, url_of
        from treewright.serve.workbench import workbench
    except ImportError as error:
        raise MissingExtra(error.name or "fastapi", "serve", "treewright annotate") from None

    check_host(host, allow_host or ())
    with open_socket(host, port) as listening:
        project = open_project([Path(path) for path in paths], model, quiet)
        url = f"{url_of(listening, *(allow_host or ())[:1])}#token={token_of(project)}"
        typer.echo(url)
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()
        run(workbench(project, allowed_hosts=allow_host or ()), listening, quiet=True)


def open_project(paths: list[Path], model: str | None, quiet: bool) -> Project:
    """Open the project in a folder, or the one of these files, which is made if there is none."""

    chosen = None if model == NO_MODEL else model
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder")
    folder = paths[0]
    if is_project(folder):
        if len(paths) > 1:
            raise InputError(f"{folder} is a project; give it alone, and add files with `treewright project import`")
        return Project.open(folder, model=chosen)
    target = folder.resolve()
    target = target.with_name(target.name + SUFFIX) if folder.is_dir() else target.with_suffix(SUFFIX)
    if not is_project(target):
        if not quiet:
            note(f"making the project {target}")
        return Project.create(target, paths, model="en" if model is None else chosen)
    project = Project.open(target, model=chosen)
    known = project.records.documents()
    new = next((path for name, path in listed(paths) if name not in known), None)
    if new is not None:
        project.close()
        raise InputError(f"{target} is the project of other files; `treewright project import` adds {new} to it")
    return project


def is_project(folder: Path) -> bool:
    return (folder / "project.sqlite").is_file()


def token_of(project: Project) -> str:
    """Return the token of the manager: the one in the folder of the project, or a new one."""
    path, manager = project.folder / TOKEN, project.people.all()[0]
    if path.is_file():
        token = path.read_text(encoding="utf-8").strip()
        if project.people.with_token(token) == manager:
            return token
    token = project.people.add(manager.name, manager.role)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n")
    return token
