"""A treebank project: a folder with a journal of decisions, from which every state of every sentence follows."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from treewright.annotate import files
from treewright.annotate.answers import ProjectError, StoreError
from treewright.annotate.editor import Editor
from treewright.annotate.importing import Importer
from treewright.annotate.layers import Layers
from treewright.annotate.models import Models
from treewright.annotate.people import People, check_name
from treewright.annotate.queues import Queues
from treewright.annotate.records import Records
from treewright.annotate.store import Store, dump, exclusive
from treewright.annotate.suggestions import Suggestions
from treewright.annotate.view import Linter
from treewright.errors import InputError
from treewright.tokeniser import Tokeniser


class Project:
    """A treebank that people annotate, opened from its folder.

    people: who may see and write which layer. records: the sentences. queues: lists of sentences, and search. editor:
    what people see and decide. layers: agreement and adjudication. models: the model that suggests trees, and training.

    One process at a time may write to a project. Threads that share one wait for each other. A sentence, layer or job
    that does not exist is an UnknownItemError.

    >>> import tempfile
    >>> with Project.create(tempfile.mkdtemp() + "/work", ["sample.conllu"]) as project:
    ...     state = project.editor.state(1, "me")
    ...     op = {"kind": "deprel", "word": 1, "deprel": "dep"}
    ...     answer = project.editor.apply(1, "me", "me", "op-1", state.revision, [op])
    ...     answer.state.words[0].cells["DEPREL"], project.editor.change("undo", 1, "me", "me", "op-2").state.status
    ('dep', 'new')
    """

    def __init__(
        self, folder: str | os.PathLike[str], store: Store, model: str | None = None, read_only: bool = False
    ) -> None:
        """Use `create` or `open`."""
        self.folder, self._store = Path(folder), store
        self.people, self.records, self.queues, self.layers = (
            People(store),
            Records(store),
            Queues(store),
            Layers(store),
        )
        self.models = Models(self.folder / "models", store, model)
        linter = Linter()
        self.editor = Editor(store, self.people, self.models, linter)
        self._suggestions = Suggestions(store, self.models, linter)
        if not read_only:
            self.models.load()

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        files: Sequence[str | os.PathLike[str]],
        model: str | None = None,
        author: str = "me",
        *,
        keep_trees: bool = True,
    ) -> Project:
        """Make a project of files (CoNLL-U, CoNLL-X, raw text, folders of them) in a new folder, and open it.

        model: name or file of the model that suggests trees; None: every word is open. author: the manager's name.
        keep_trees: trees that the files have are kept until a decision contradicts them; otherwise the model's trees
        are shown in their place.
        """
        path = Path(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise StoreError(f"{path}: there is something already; give the name of a new folder")
        is_new = not path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}; nothing was made") from None
        try:
            store = Store(path, is_new=True)
            try:
                with store.transaction():
                    store.set("model", model or "")
                    store.set("keep_trees", "yes" if keep_trees else "no")
                project = cls(path, store)
                project.people.add(author, "manager")
                project.import_files(files)
            except BaseException:
                store.close()
                raise
        except BaseException:
            if is_new:
                shutil.rmtree(path, ignore_errors=True)
            else:
                for name in path.glob("project.*"):
                    name.unlink(missing_ok=True)
            raise
        return project

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, model: str | None = None, read_only: bool = False) -> Project:
        """Open the project in a folder; a StoreError says why it cannot be opened.

        model: use this model in place of the one of the project. read_only: no lock is taken and nothing can change.
        """
        path = Path(folder)
        store = Store(path, read_only=read_only)
        try:
            return cls(path, store, model, read_only)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """End the background work and give up the lock."""
        self._suggestions.stop()
        self.models.stop()
        with self._store.lock:
            self._store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @exclusive
    def status(self) -> dict[str, Any]:
        """Return counts: documents, sentences, for each layer the sentences by status, and the models."""
        layers: dict[str, dict[str, int]] = {}
        for layer, status, count in self._store.rows(
            "SELECT layer, status, COUNT(*) FROM tree JOIN sentence ON sentence.id = tree.sentence WHERE NOT is_gone "
            "GROUP BY layer, status ORDER BY layer"
        ):
            layers.setdefault(layer, {"accepted": 0, "started": 0})[status] = count
        (sentences,) = self._store.one("SELECT COUNT(*) FROM sentence WHERE NOT is_gone")
        people = [asdict(person) for person in self.people.all()]
        counts = {"documents": self.records.documents(), "sentences": sentences, "people": people}
        return counts | {"layers": layers, "models": self.models.all(), "model": self.models.name}

    def start_suggestions(self) -> None:
        """Parse the sentences that nobody has touched in the background; a server calls this once."""
        self._suggestions.start()

    def adopt(self, model_id: str | None) -> None:
        """Use another model for suggestions, as `models.adopt` does, and parse again what nobody has touched."""
        self.models.adopt(model_id)
        self._suggestions.restart()

    # -- files

    def export(self, mode: str = "clean", layer: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the documents, each with its name.

        mode: "clean" for publishing (sentences that nobody has touched byte for byte as imported, the others as they
        were last shown), "marked" with comments that say who decided what, "partial" with "_" for what nobody decided
        or accepted, "journal" for the operations as JSON lines. layer: None for gold if there is one, else the
        manager's; in the journal, for all layers.
        """
        if mode not in files.MODES:
            raise ProjectError(f"mode is {mode!r}; expected one of {', '.join(files.MODES)}")
        with self._store.lock:
            if mode == "journal":
                events = self._store.events() if layer is None else self._store.events("layer = ?", layer)
                lines = [dump(event._asdict()) for event in events]
                yield "journal.jsonl", "".join(f"{line}\n" for line in lines).encode()
                return
            texts: dict[str, list[str]] = {document: [] for document in self.records.documents()}
            for document, sentence in self.records.versions(mode, layer or self.layers.default()):
                texts[document].append(sentence.written())
        for document, parts in texts.items():
            yield files.exported_name(document), "".join(parts).encode()

    @exclusive
    def import_files(self, paths: Iterable[str | os.PathLike[str]], layer: str | None = None) -> list[str]:
        """Add the files at these paths; return what was done, a line for each.

        A new version of a document is merged: sentences that only the file has changed are replaced, those that both
        have changed get the file's trees as the layer `file`. layer: the trees become the accepted ones of this layer,
        in sentences that the project has (by sent_id and text).
        """
        listed = files.listed(paths)
        if not listed:
            raise ProjectError("no files; give CoNLL-U files, raw text, or a folder of them")
        read = [(name, path, files.read_document(path, self._tokeniser)) for name, path in listed]
        importer = Importer(self._store)
        with self._store.transaction():
            if layer is None:
                done = [importer.add(*document) for document in read]
            else:
                done = [importer.add_layer(name, sentences, layer) for name, _, sentences in read]
        self._suggestions.restart()
        return done

    @exclusive
    def import_document(self, name: str, content: bytes) -> str:
        """Add a document with this content that was uploaded, under the last part of its name; return what was done."""
        chosen = PurePosixPath(name.replace("\\", "/")).name
        check_name(chosen, "the name of a document")
        extension = files.known_extension(chosen)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"document{extension}")
            path.write_bytes(content)
            try:
                sentences = files.read_document(path, self._tokeniser)
            except InputError as error:
                raise ProjectError(str(error).replace(os.fspath(path), chosen)) from None
        with self._store.transaction():
            done = Importer(self._store).add(chosen, None, sentences)
        self._suggestions.restart()
        return done

    @property
    def _tokeniser(self) -> Tokeniser | None:
        pipeline = self.models.assistant.pipeline
        return None if pipeline is None else pipeline.tokeniser
