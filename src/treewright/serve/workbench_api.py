"""The JSON interface of a project below /api/v1: the requests with their checks, and one call for each."""

import io
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import PurePath, PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

import treewright
from treewright.annotate import AccessError, Answer, Person, Project, State
from treewright.annotate.files import Mode
from treewright.annotate.people import Role
from treewright.corpus import Sentence
from treewright.draw import svg
from treewright.serve.api import Strict, errors
from treewright.serve.errors import Refusal
from treewright.serve.guard import HEALTH, cookie_name
from treewright.serve.work import as_json

PREFIX = "/api/v1"
LOGIN = f"{PREFIX}/login"
COOKIE_SECONDS = 30 * 24 * 3600
GLOSSES = ("Translit", "Gloss")  # keys of MISC that are drawn under the words

Id = Annotated[int, Path(ge=1, le=2**53)]
Number = Annotated[int, Query(ge=1, le=2**31)]
Width = Annotated[int, Query(ge=160, le=8192, description="Width of the drawing, in pixels.")]


class Login(Strict):
    """The token in the address that `treewright annotate` prints."""

    token: str = Field(max_length=200)


class Event(Strict):
    """A change, with an id that the client chose: a repeated one is answered like the first, and stored once."""

    op_id: str = Field(min_length=1, max_length=100)


class Operation(BaseModel):
    """What to do: a kind, and the fields of this kind (docs/annotating.md lists them)."""

    model_config = ConfigDict(extra="allow")
    kind: str


class Operations(Event):
    """Operations on a sentence; all are stored or none."""

    base: int = Field(ge=0, le=2**53, description="The revision that the person saw.")
    cursor: int | None = Field(None, ge=1, le=2**31, description="Words before this one keep their heads.")
    ops: list[Operation] = Field(min_length=1, max_length=100)


class SearchRequest(Strict):
    """A Grew request, or words to search for."""

    request: str = Field(min_length=1, max_length=10_000)
    limit: int = Field(1000, ge=1, le=1000)


class NewPerson(Strict):
    """A person and what the person may do."""

    name: str = Field(min_length=1, max_length=80)
    role: Role = "annotator"


class NewDocument(Strict):
    """A file to add: its name, which says what it is (.conllu, .txt, ...), and its text."""

    name: str = Field(min_length=1, max_length=200)
    text: str


class Adoption(Strict):
    """The id of a trained model; null for the one that the project was made with."""

    model: str | None = Field(max_length=200)


class Timer:
    """Measures the parts of the work on a request, for the header Server-Timing."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self._parts: list[str] = []

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measure a part."""
        begin = time.perf_counter()
        yield
        self._parts.append(f"{name};dur={1000 * (time.perf_counter() - begin):.1f}")

    def answer(self, value: dict[str, Any]) -> Response:
        """Return a JSON response with the header."""
        with self.part("json"):
            body = as_json(value)
        total = f"total;dur={1000 * (time.perf_counter() - self._begin):.1f}"
        return Response(
            body, media_type="application/json", headers={"Server-Timing": ", ".join([*self._parts, total])}
        )


def workbench_router(project: Project) -> APIRouter:
    """Return the routes of a project."""

    def person_of(request: Request) -> Person:
        person: Person = request.state.person
        return person

    Who = Annotated[Person, Depends(person_of)]

    def readable(person: Who, layer: Annotated[str | None, Query(max_length=200)] = None) -> str:
        """Return the layer of a request, which is the own one if it names none; others need the right to read it."""
        chosen = person.layer if layer is None else layer
        project.people.check_access(person.name, chosen)
        return chosen

    Layer = Annotated[str, Depends(readable)]

    def writable(person: Who, layer: Layer) -> str:
        project.people.check_access(person.name, layer, write=True)
        return layer

    WrittenLayer = Annotated[str, Depends(writable)]

    def check_role(person: Person, *roles: str) -> None:
        if person.role not in roles:
            raise AccessError(f"{person.name} is {person.role}; this is for {' and '.join(roles)}s")

    common = errors(400, 408, 413, 415, 422)
    router = APIRouter(prefix=PREFIX, responses=common)
    open_router = APIRouter(responses=common)

    @open_router.post(LOGIN)
    def login(request: Request, body: Login) -> JSONResponse:
        """Exchange a token for a cookie."""
        person = project.people.with_token(body.token)
        if person is None:
            raise Refusal(403, "the token is wrong", remedy="open the address that `treewright annotate` printed")
        answer = JSONResponse(asdict(person))
        answer.set_cookie(
            cookie_name(request.headers), body.token, max_age=COOKIE_SECONDS, httponly=True, samesite="strict", path="/"
        )
        return answer

    @open_router.get(HEALTH)
    def health() -> dict[str, Any]:
        """Return the version."""
        return {"status": "ok", "version": treewright.__version__}

    @router.get("/project")
    def get_project(person: Who, layer: Layer) -> dict[str, Any]:
        """Return the name of the project, who asks, the layers and the queues."""
        return {
            "name": project.folder.name,
            "person": asdict(person),
            "layer": layer,
            "layers": project.people.layers(person.name),
            "people": len(project.people.all()),
            "documents": project.records.documents(),
            "queues": project.queues.counts(layer),
            "version": treewright.__version__,
        }

    @router.get("/sentences", responses=errors(404))
    def list_sentences(
        layer: Layer,
        queue: Annotated[str | None, Query(max_length=10_000)] = None,
        after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> dict[str, Any]:
        """List the sentences of a queue, those after a sentence."""
        summaries = project.queues.summaries(layer, queue, after, limit)
        following = summaries[-1].id if len(summaries) == limit else None
        return {"sentences": [asdict(summary) for summary in summaries], "next": following}

    @router.get("/sentences/{id}", responses=errors(404), response_model=None)
    def get_sentence(id: Id, layer: Layer, width: Width = 960) -> Response:
        """Return a sentence: words with all columns, heads, the tree as SVG, what is proven of it, lint."""
        timer = Timer()
        with timer.part("decode"):
            state = project.editor.state(id, layer)
        with timer.part("draw"):
            drawing = draw(state, width)
        return timer.answer(state.as_dict() | {"svg": drawing})

    def answer(timer: Timer, change: Answer, width: int) -> Response:
        """Return what every change answers."""
        with timer.part("draw"):
            drawing = draw(change.state, width)
        value = change.as_dict()
        return timer.answer(value | {"svg": drawing, "lint": value["state"]["lint"], "heads": value["state"]["heads"]})

    @router.post("/sentences/{id}/ops", responses=errors(404, 409), response_model=None)
    def apply(id: Id, body: Operations, person: Who, layer: WrittenLayer, width: Width = 960) -> Response:
        """Store operations; the answer has the best tree that agrees with everything decided."""
        timer = Timer()
        ops = [op.model_dump() for op in body.ops]
        with timer.part("decode"):
            change = project.editor.apply(id, layer, person.name, body.op_id, body.base, ops, body.cursor)
        return answer(timer, change, width)

    def add_event(name: Literal["undo", "redo", "accept", "reopen"], description: str) -> None:
        @router.post(
            f"/sentences/{{id}}/{name}",
            responses=errors(404, 409),
            response_model=None,
            name=name,
            description=description,
        )
        def event(id: Id, body: Event, person: Who, layer: WrittenLayer, width: Width = 960) -> Response:
            timer = Timer()
            with timer.part("decode"):
                change = project.editor.change(name, id, layer, person.name, body.op_id)
            return answer(timer, change, width)

    add_event("undo", "Take back the last operation of the person on this sentence.")
    add_event("redo", "Do again what was taken back last.")
    add_event("accept", "Accept the sentence as it is shown.")
    add_event("reopen", "Open an accepted sentence again.")

    @router.get("/sentences/{id}/alternatives", responses=errors(404), response_model=None)
    def alternatives(id: Id, word: Number, layer: Layer, k: Annotated[int, Query(ge=1, le=20)] = 5) -> Response:
        """List the most probable other heads of a word, given what is decided about other words."""
        timer = Timer()
        with timer.part("decode"):
            choices = project.editor.alternatives(id, layer, word, k)
        return timer.answer({"alternatives": [asdict(choice) for choice in choices]})

    @router.get("/sentences/{id}/why", responses=errors(404, 409), response_model=None)
    def why(id: Id, word: Number, head: Annotated[int, Query(ge=0, le=2**31)], layer: Layer) -> Response:
        """Explain what the best tree with another head loses, and which words would move."""
        timer = Timer()
        with timer.part("decode"):
            explanation = project.editor.why(id, layer, head, word)
        return timer.answer(explanation.to_dict() | {"explanation": str(explanation)})

    @router.get("/sentences/{id}/labels", responses=errors(404))
    def labels(id: Id, word: Number, layer: Layer) -> dict[str, Any]:
        """List relations that a word may have, with probabilities."""
        return {"labels": project.editor.labels(id, layer, word)}

    @router.get("/sentences/{id}/tags", responses=errors(404))
    def tags(id: Id, word: Number, layer: Layer) -> dict[str, Any]:
        """List UPOS tags that a word may have, with probabilities."""
        return {"tags": project.editor.tags(id, layer, word)}

    @router.get("/features")
    def features(layer: Layer) -> dict[str, Any]:
        """List the features that occur with each UPOS."""
        return {"features": project.records.feature_values(layer)}

    @router.post("/search")
    def search(body: SearchRequest, layer: Layer) -> dict[str, Any]:
        """Search for a Grew request, or for words."""
        return {"hits": [asdict(hit) for hit in project.queues.search(body.request, layer, body.limit)]}

    @router.get("/agreement", responses=errors(404))
    def agreement(person: Who, layer: Layer) -> dict[str, Any]:
        """Compare the layers of the annotators pair by pair."""
        check_role(person, "adjudicator", "manager")
        layers = project.layers.annotators()
        return {"layers": layers, "pairs": []} if len(layers) < 2 else project.layers.agreement(layers).as_dict()

    @router.get("/adjudication")
    def adjudication(person: Who, layer: Layer) -> dict[str, Any]:
        """List the words about which layers differ."""
        check_role(person, "adjudicator", "manager")
        return {"differences": [asdict(difference) for difference in project.layers.adjudication()]}

    @router.get("/progress")
    def progress(layer: Layer) -> dict[str, Any]:
        """Return how much is accepted, the models that were trained, and the name of the one given at the start."""
        queues = project.queues.counts(layer)
        accepted = queues["file"] - queues["open"]
        given = PurePath(project.models.given).name
        return {"sentences": queues["file"], "accepted": accepted, "models": project.models.all(), "given": given}

    @router.post("/train", responses=errors(409))
    def train(person: Who, layer: Layer) -> dict[str, Any]:
        """Train a model on what is annotated; /jobs/{job} has the progress."""
        check_role(person, "manager")
        return {"job": project.models.train(layer)}

    @router.get("/jobs/{job}", responses=errors(404))
    def job(job: Annotated[str, Path(max_length=200)], layer: Layer) -> dict[str, Any]:
        """Return the state of a job."""
        return asdict(project.models.job(job))

    @router.post("/models/adopt", responses=errors(404))
    def adopt(body: Adoption, person: Who, layer: Layer) -> dict[str, Any]:
        """Use a trained model for suggestions, or go back to another one."""
        check_role(person, "manager")
        project.adopt(body.model)
        return {"models": project.models.all()}

    @router.get("/people")
    def people(person: Who, layer: Layer) -> dict[str, Any]:
        """List the people of the project."""
        check_role(person, "manager")
        return {"people": [asdict(other) for other in project.people.all()]}

    @router.post("/people")
    def add_person(body: NewPerson, person: Who, layer: Layer) -> dict[str, Any]:
        """Add a person; the token is in this answer and nowhere else."""
        check_role(person, "manager")
        return {"token": project.people.add(body.name, body.role)}

    @router.post("/documents")
    def add_document(body: NewDocument, person: Who, layer: Layer) -> dict[str, Any]:
        """Add a file to the project; a new version of one that it has is merged."""
        check_role(person, "manager")
        return {"done": project.import_document(body.name, body.text.encode("utf-8", "surrogatepass"))}

    @router.get("/export", response_model=None)
    def export(layer: Layer, mode: Mode = "clean") -> Response:
        """Download the documents: one as it is, several in an archive."""
        return download(list(project.export(mode, layer)), mode)

    open_router.include_router(router)
    return open_router


def draw(state: State, width: int) -> str:
    """Draw the tree of a sentence for the page, which has the style of drawings."""
    return str(
        svg(
            state.sentence,
            width=width,
            style=False,
            data=True,
            states=state.arc_states,
            features=["upos", *(f"misc:{key}" for key in GLOSSES if has_key(state.sentence, key))],
        )
    )


def has_key(sentence: Sentence, key: str) -> bool:
    """Return whether MISC of a word has the key."""
    return any(f"|{cell}".find(f"|{key}=") >= 0 for cell in sentence.misc)


def download(documents: list[tuple[str, bytes]], mode: str) -> Response:
    """Return documents as a download; names in an archive are those of the documents, without folders above them."""
    if len(documents) == 1:
        [(name, content)] = documents
        return attachment(content, "text/plain; charset=utf-8", PurePosixPath(name).name)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in documents:
            target.writestr("/".join(part for part in PurePosixPath(name).parts if part not in ("/", "..")), content)
    return attachment(archive.getvalue(), "application/zip", f"{mode}.zip")


def attachment(content: bytes, kind: str, name: str) -> Response:
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in ".-_") else "_" for letter in name)
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{safe}"'})
