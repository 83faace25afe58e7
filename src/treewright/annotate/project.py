"""A treebank project: a folder with a journal of decisions, from which every state of every sentence follows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from treewright.annotate.answers import Answer, Choice, Difference, Hit, Job, Op, Person, State, Summary
from treewright.parser import Explanation

MODES = ("clean", "marked", "partial", "journal")


class Project:
    """A treebank that people annotate: sentences, layers, decisions, models.

    One process at a time may write to a project. Threads that share one wait for each other. Methods that take a person
    check what the role allows (AccessError); a sentence, layer or job that does not exist is an UnknownItemError.
    """

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        files: Sequence[str | os.PathLike[str]],
        model: str | None = None,
        author: str = "me",
    ) -> Self:
        """Make a project of files (CoNLL-U, CoNLL-X, raw text, folders of them) in a new folder, and open it.

        model: name or file of the model that suggests trees; None: every word is open. author: the manager's name.
        """
        raise NotImplementedError

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, model: str | None = None, read_only: bool = False) -> Self:
        """Open the project in a folder; a StoreError says why it cannot be opened.

        model: use this model in place of the one of the project. read_only: no lock is taken and nothing can change.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End the background work and give up the lock."""
        raise NotImplementedError

    # -- people

    def people(self) -> list[Person]:
        """List the people of the project; the first is the one who made it."""
        raise NotImplementedError

    def add_person(self, name: str, role: str = "annotator") -> str:
        """Add a person, or change the role of one; return a new token, which is stored only as a hash.

        role: reader, annotator (writes the own layer and sees no other), adjudicator (sees all layers, writes gold),
        manager (everything).
        """
        raise NotImplementedError

    def person_of(self, token: str) -> Person | None:
        """Return the person with this token; None if nobody has it."""
        raise NotImplementedError

    def layers(self, person: str) -> list[str]:
        """List the layers that a person may see; the own one comes first."""
        raise NotImplementedError

    def check_access(self, person: str, layer: str, *, write: bool = False) -> None:
        """Raise an AccessError unless a person may see a layer, or write it."""
        raise NotImplementedError

    # -- sentences

    def documents(self) -> list[str]:
        """List the names of the documents, in order."""
        raise NotImplementedError

    def queues(self, layer: str) -> dict[str, int]:
        """Return the queues of a layer with the number of their sentences: file, open, doubtful, notes, unsure, ..."""
        raise NotImplementedError

    def summaries(
        self, layer: str, queue: str | None = None, after: int | None = None, limit: int = 50
    ) -> list[Summary]:
        """List sentences in the order of a queue, those after the sentence with the id `after`, at most `limit`.

        queue: one of `queues`, or "search:REQUEST"; None: all sentences in the order of the files.
        """
        raise NotImplementedError

    def state(self, sentence_id: int, layer: str, cursor: int | None = None) -> State:
        """Return a sentence as a layer has it, with the best tree under its decisions.

        cursor: words before this one are pinned: they keep the heads and relations that were shown last.
        """
        raise NotImplementedError

    def apply(
        self,
        sentence_id: int,
        layer: str,
        person: str,
        op_id: str,
        base: int,
        ops: Sequence[Op],
        cursor: int | None = None,
    ) -> Answer:
        """Store operations on a sentence, all or none; they are on disk when this returns.

        op_id: chosen by the client; a repeated one returns the first answer. base: the revision that the person saw. A
        ConflictError says which decisions contradict each other, or which cells another person has changed since.
        """
        raise NotImplementedError

    def undo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Take back the last operation of a person on a sentence."""
        raise NotImplementedError

    def redo(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Do again what was taken back last."""
        raise NotImplementedError

    def accept(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Accept the sentence as it is shown: every suggested cell becomes an accepted one."""
        raise NotImplementedError

    def reopen(self, sentence_id: int, layer: str, person: str, op_id: str) -> Answer:
        """Open an accepted sentence again; its cells stay until a decision contradicts them."""
        raise NotImplementedError

    # -- questions

    def alternatives(self, sentence_id: int, layer: str, word: int, k: int = 5) -> list[Choice]:
        """Return the most probable other heads of a word, given the decisions about other words; [] without a model."""
        raise NotImplementedError

    def why(self, sentence_id: int, layer: str, head: int, word: int) -> Explanation:
        """Compare the best tree with an arc to the tree shown."""
        raise NotImplementedError

    def labels(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return relations that a word may have, with probabilities by the model or shares in the project."""
        raise NotImplementedError

    def tags(self, sentence_id: int, layer: str, word: int) -> list[tuple[str, float]]:
        """Return UPOS tags that a word may have, with probabilities by the model or shares in the project."""
        raise NotImplementedError

    def features(self, layer: str) -> dict[str, dict[str, list[str]]]:
        """Return the features that occur with each UPOS, with their values, the most frequent first."""
        raise NotImplementedError

    def search(self, request: str, layer: str, limit: int = 100) -> list[Hit]:
        """List matches of a Grew request; a text that is no request is searched for in forms and lemmas."""
        raise NotImplementedError

    # -- layers

    def agreement(self, layers: Sequence[str]) -> Any:
        """Compare layers pair by pair; see `treewright.annotate.agreement.Report`."""
        raise NotImplementedError

    def adjudication(self, layer: str = "gold", layers: Sequence[str] | None = None) -> list[Difference]:
        """List the words about which layers differ, in sentences that all of them have accepted.

        layer: the one that is written; words about which all agree are accepted there when its first word is decided.
        layers: the ones compared; None: those of all annotators.
        """
        raise NotImplementedError

    # -- models

    def train(self, layer: str | None = None) -> str:
        """Train a model on what is annotated, in a process of its own; return the id of the job."""
        raise NotImplementedError

    def job(self, job_id: str) -> Job:
        """Return the state of a job."""
        raise NotImplementedError

    def models(self) -> list[dict[str, Any]]:
        """List the models that were trained, with held-out accuracy; `is_used` marks the one in use."""
        raise NotImplementedError

    def adopt(self, model_id: str | None) -> None:
        """Use a model for suggestions: one of `models`, or None for the one that the project was made with."""
        raise NotImplementedError

    # -- files

    def export(self, mode: str = "clean", layer: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the documents, each with its name.

        mode: "clean" for publishing, "marked" with comments that say who decided what, "partial" with "_" for what
        nobody decided, "journal" for the operations as JSON lines. layer: None for the manager's.
        """
        raise NotImplementedError

    def import_files(self, paths: Iterable[str | os.PathLike[str]], layer: str | None = None) -> list[str]:
        """Add files; return what was done, a line each.

        A document that the project has already is merged by sent_id. layer: the trees become the accepted ones of this
        layer, in sentences that the project has.
        """
        raise NotImplementedError

    def check(self) -> list[str]:
        """Return what is wrong with the project: damage of the store, states that the journal does not give."""
        raise NotImplementedError
