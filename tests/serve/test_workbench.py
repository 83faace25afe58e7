"""The workbench by HTTP: decisions, alternatives, undo, layers, tokens, hostile text, random bodies."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from oracles.bodies import Generator
from oracles.pipelines import pipeline_file, written
from oracles.projects import gold_and_work
from starlette.testclient import TestClient
from typer.testing import CliRunner

from treewright.annotate import Project
from treewright.annotate.operations import FIELDS
from treewright.cli.app import app
from treewright.corpus import Sentence, write
from treewright.serve.guard import cookie_name
from treewright.serve.workbench import PAGES, STATIC_FILES, workbench

TEXTS = ["<script>alert(1)</script>", "javascript:alert(1)", "]]>", "\u202eabc\u202c", "&amp;", '"><img src=x>']
API = "/api/v1"
OP = count()


class Workbench:
    """A client of a project with a manager, two annotators and an adjudicator."""

    def __init__(self, client: TestClient, project: Project) -> None:
        self.client, self.project = client, project
        roles = {"me": "manager", "ana": "annotator", "ben": "annotator", "carla": "adjudicator"}
        self.tokens = {name: project.people.add(name, role) for name, role in roles.items()}

    def call(self, method: str, path: str, status: int = 200, *, who: str = "me", **options: Any) -> Any:
        """Return the JSON of an answer with this status."""
        headers = {"Authorization": f"Bearer {self.tokens[who]}", **options.pop("headers", {})}
        answer = self.client.request(method, f"{API}/{path}", headers=headers, **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, path: str, status: int = 200, **options: Any) -> Any:
        return self.call("GET", path, status, **options)

    def apply(self, sentence: int, *ops: dict[str, Any], status: int = 200, **options: Any) -> Any:
        base = self.get(f"sentences/{sentence}")["revision"]
        body = {"op_id": f"op{next(OP)}", "base": base, "ops": list(ops)}
        return self.call("POST", f"sentences/{sentence}/ops", status, json=body, **options)

    def event(self, sentence: int, name: str, **options: Any) -> Any:
        return self.call("POST", f"sentences/{sentence}/{name}", json={"op_id": f"op{next(OP)}"}, **options)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return pipeline_file(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize(("count", "line_end"), [(100, "\n"), (10, "\r\n")])
def test_an_oracle_corrects_sentences_and_the_export_is_gold(
    tmp_path: Path, model: str, count: int, line_end: str
) -> None:
    gold, work = gold_and_work(count, 11, line_end)
    (tmp_path / "work.conllu").write_bytes(work)
    project = Project.create(tmp_path / "work.project", [tmp_path / "work.conllu"], model=model)
    with TestClient(workbench(project), base_url="http://localhost") as client:
        bench = Workbench(client, project)
        for number, block in enumerate(gold.decode().strip().split(line_end * 2), 1):
            heads, deprels = Sentence(block).heads.tolist(), Sentence(block).deprels
            state = bench.get(f"sentences/{number}")
            for word, (head, deprel) in enumerate(zip(heads, deprels, strict=True), 1):
                cells = state["words"][word - 1]["cells"]
                if (cells["HEAD"], cells["DEPREL"]) != (str(head), deprel):
                    op = {"kind": "head", "word": word, "head": head, "deprel": deprel}
                    body = {"op_id": f"op{next(OP)}", "base": state["revision"], "cursor": word, "ops": [op]}
                    state = bench.call("POST", f"sentences/{number}/ops", json=body)["state"]
            assert bench.event(number, "accept")["heads"] == heads
        command = ["project", "export", str(project.folder)]
        assert CliRunner().invoke(app, command).stdout_bytes == gold
        relation = {"kind": "deprel", "word": 1, "deprel": "dep"}
        bench.apply(3, relation)
        changed = CliRunner().invoke(app, command).stdout_bytes.split(b"\n")
        assert sum(old != new for old, new in zip(gold.split(b"\n"), changed, strict=True)) == 1


def serve(folder: Path, model: str | None, sentences: list[Any]) -> Iterator[Workbench]:
    write(sentences, folder / "dev.conllu")
    project = Project.create(folder / "dev.project", [folder / "dev.conllu"], model=model, keep_trees=False)
    with TestClient(workbench(project), base_url="http://localhost") as client:
        yield Workbench(client, project)


@pytest.fixture
def bench(tmp_path: Path, model: str) -> Iterator[Workbench]:
    yield from serve(tmp_path, model, written(12, 3))


def test_sentences_come_in_pages(bench: Workbench) -> None:
    first = bench.get("sentences?limit=5")
    assert [item["id"] for item in first["sentences"]] == [1, 2, 3, 4, 5]
    assert {"sent_id", "text", "status"} <= set(first["sentences"][0])
    second = bench.get(f"sentences?limit=200&after={first['next']}")
    assert (len(second["sentences"]), second["next"]) == (7, None)


def test_a_sentence_has_its_words_its_tree_and_what_is_proven(bench: Workbench) -> None:
    answer = bench.get("sentences/1?width=500")
    assert len(answer["words"]) == len(answer["heads"]) > 3
    assert answer["certified"]
    assert "best tree" in answer["proof"].lower()
    assert answer["svg"].startswith("<svg")
    assert "<style" not in answer["svg"]
    assert 'style="' not in answer["svg"]
    assert bench.get("sentences/99", 404)["error"]["code"] == "not_found"


def test_a_decision_is_kept_and_the_rest_is_decoded_again(bench: Workbench) -> None:
    word, [first, second, *_] = 3, bench.get("sentences/1/alternatives?word=3")["alternatives"]
    assert first["probability"] >= second["probability"]
    before = bench.get("sentences/1")
    body = {
        "op_id": "a decision",
        "base": before["revision"],
        "cursor": word,
        "ops": [{"kind": "head", "word": word, "head": second["head"]}],
    }
    headers = {"Authorization": f"Bearer {bench.tokens['me']}"}
    response = bench.client.post(f"{API}/sentences/1/ops", json=body, headers=headers)
    answer = response.json()
    assert {"seq", "revision", "changed", "svg", "proof", "lint", "heads"} <= set(answer)
    assert re.search(r"decode;dur=[\d.]+, draw;dur=[\d.]+, .*total;dur=[\d.]+", response.headers["server-timing"])
    assert answer["heads"][word - 1] == second["head"]
    assert answer["heads"][: word - 1] == before["heads"][: word - 1]
    assert word in answer["changed"]
    again = bench.client.post(f"{API}/sentences/1/ops", json=body, headers=headers).json()
    assert (again["seq"], again["revision"], again["is_repeated"]) == (answer["seq"], answer["revision"], True)
    assert bench.get("sentences/1")["revision"] == answer["revision"]


def test_alternatives_are_at_most_five_other_heads_whose_probabilities_fall(bench: Workbench) -> None:
    sentence = bench.get("sentences/2")
    for word in range(1, len(sentence["words"]) + 1):
        listed = bench.get(f"sentences/2/alternatives?word={word}")["alternatives"]
        shares = [item["probability"] for item in listed]
        assert len(listed) <= 5
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1 + 1e-9
        assert sentence["heads"][word - 1] not in [item["head"] for item in listed]


def test_a_rejected_arc_is_gone_until_undo_and_rejecting_all_is_a_conflict_of_arcs(bench: Workbench) -> None:
    size = len(bench.get("sentences/1")["words"])
    first = bench.get("sentences/1")["heads"][1]
    answer = bench.apply(1, {"kind": "reject", "word": 2, "head": first})
    assert answer["heads"][1] != first
    assert first not in [item["head"] for item in bench.get("sentences/1/alternatives?word=2")["alternatives"]]
    assert bench.event(1, "undo")["heads"][1] == first
    ops = [{"kind": "reject", "word": 2, "head": head} for head in range(size + 1) if head != 2]
    refused = bench.apply(1, *ops, status=409)
    assert refused["conflict"]
    assert all(arc[1] == 2 for arc in refused["conflict"])
    assert bench.get("sentences/1")["heads"][1] == first


def test_undo_redo_accept_and_reopen(bench: Workbench) -> None:
    before = bench.get("sentences/1")["heads"]
    head = 0 if before[0] else 2
    bench.apply(1, {"kind": "head", "word": 1, "head": head})
    assert bench.event(1, "undo")["heads"] == before
    assert bench.event(1, "redo")["heads"][0] == head
    assert bench.event(1, "accept")["state"]["status"] == "accepted"
    assert bench.get("project")["queues"]["open"] == 11
    assert bench.event(1, "reopen")["state"]["status"] != "accepted"


def test_questions_about_a_word(bench: Workbench) -> None:
    sentence = bench.get("sentences/1")
    head = next(head for head in range(1, 4) if head not in (2, sentence["heads"][1]))
    answer = bench.get(f"sentences/1/why?word=2&head={head}")
    assert answer["loss"] > 0
    assert answer["moves"][0].keys() == {"word", "head", "rival_head"}
    assert bench.get("sentences/1/labels?word=2")["labels"][0][1] <= 1
    assert bench.get("sentences/1/tags?word=2")["tags"]
    assert isinstance(bench.get("features")["features"], dict)
    form = sentence["words"][1]["cells"]["FORM"]
    hits = bench.call("POST", "search", json={"request": form})["hits"]
    assert (1, 2) in [(hit["sentence_id"], *hit["nodes"].values()) for hit in hits]
    assert bench.call("POST", "search", 400, json={"request": "pattern { X -[ }"})["error"]["message"]
    assert bench.get("progress")["sentences"] == 12


def test_sentences_that_nobody_opened_are_parsed_in_the_background(bench: Workbench) -> None:
    for _ in range(100):
        time.sleep(0.5)  # a request lets the work wait
        if all(item["doubtful"] is not None for item in bench.get("sentences")["sentences"]):
            break
    assert len({hit["sentence_id"] for hit in bench.call("POST", "search", json={"request": "X []"})["hits"]}) == 12


def test_without_a_model_every_word_is_open(tmp_path: Path) -> None:
    for bench in serve(tmp_path, None, written(3, 3)):
        sentence = bench.get("sentences/1")
        assert set(sentence["heads"]) == {-1}
        assert bench.get("sentences/1/alternatives?word=1")["alternatives"] == []
        assert bench.apply(1, {"kind": "head", "word": 1, "head": 2})["heads"][0] == 2


# -- people


OPERATIONS = {"op_id": "x", "base": 0, "ops": [{"kind": "head", "word": 1, "head": 2}]}
BODIES: dict[str, dict[str, Any]] = {  # by the end of the path; others take the id of an operation, or nothing
    "ops": OPERATIONS,
    "search": {"request": "secret"},
    "adopt": {"model": None},
    "people": {"name": "eve"},
    "documents": {"name": "a.txt", "text": "It rains."},
}


def every_request(bench: Workbench) -> Iterator[tuple[str, str, dict[str, str], dict[str, Any]]]:
    """Yield method, path, query and body of a request to each path of the description that needs a token."""
    headers = {"Authorization": f"Bearer {bench.tokens['me']}"}
    paths = bench.client.get(f"{API}/openapi.json", headers=headers).json()["paths"]
    for path, methods in paths.items():
        if path in (f"{API}/login", f"{API}/health"):
            continue
        body = BODIES.get(path.rpartition("/")[2], {"op_id": "x"})
        for method, operation in methods.items():
            required = [item["name"] for item in operation.get("parameters", ()) if item["required"]]
            query = {name: {"word": "1", "head": "2"}[name] for name in required if name not in ("id", "job")}
            for mode in ("clean", "marked", "partial", "journal") if path.endswith("/export") else ("",):
                yield (
                    method,
                    path.replace("{id}", "1").replace("{job}", "1"),
                    query | ({"mode": mode} if mode else {}),
                    body,
                )


def test_an_annotator_gets_nothing_of_another_layer(bench: Workbench) -> None:
    ben = bench.apply(1, {"kind": "note", "text": "secret"}, {"kind": "lemma", "word": 1, "lemma": "secret"}, who="ben")
    headers = {"Authorization": f"Bearer {bench.tokens['ana']}"}
    requests = list(every_request(bench))
    assert len(requests) > 20
    for method, path, query, body in requests:
        sent = {"headers": headers} | ({} if method == "get" else {"json": body})
        refused = bench.client.request(method, path, params=query | {"layer": "ben"}, **sent)
        assert refused.status_code == 403, path
        assert refused.json()["error"]["code"] == "forbidden"
        assert "secret" not in bench.client.request(method, path, params=query, **sent).text, path
    assert bench.get("sentences/1?layer=ben")["seq"] == ben["seq"]


def test_layers_are_separate_and_adjudication_visits_differing_words(bench: Workbench) -> None:
    heads = bench.get("sentences/1", who="ana")["heads"]
    other = next(head for head in range(1, len(heads) + 1) if head not in (2, heads[1]))
    bench.apply(1, {"kind": "head", "word": 2, "head": other}, who="ben")
    assert bench.get("sentences/1", who="ana")["heads"] == heads
    for who in ("ana", "ben"):
        bench.event(1, "accept", who=who)
    differences = bench.get("adjudication", who="carla")["differences"]
    ben = bench.get("sentences/1", who="ben")["heads"]
    assert {item["word"] for item in differences} >= {
        word for word, pair in enumerate(zip(heads, ben, strict=False), 1) if len(set(pair)) > 1
    }
    first = next(item for item in differences if item["word"] == 2)
    body = {
        "op_id": "taken",
        "base": bench.get("sentences/1?layer=gold", who="carla")["revision"],
        "ops": first["ops"]["ben"],
    }
    answer = bench.call("POST", "sentences/1/ops?layer=gold", who="carla", json=body)
    assert answer["heads"][1] == other
    assert bench.get("agreement", who="carla")["pairs"]


def test_a_new_person_has_a_token(bench: Workbench) -> None:
    bench.tokens["eve"] = bench.call("POST", "people", json={"name": "eve"})["token"]
    assert bench.get("project", who="eve")["person"] == {"name": "eve", "role": "annotator"}
    assert "eve" in [person["name"] for person in bench.get("people")["people"]]


# -- safety


def test_nothing_is_answered_without_a_token(bench: Workbench) -> None:
    for method, path, query, body in every_request(bench):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": bench.tokens["me"]}):
            answer = bench.client.request(method, path, params=query, headers=headers, json=body)
            assert answer.status_code == 403, path
    assert bench.client.get(f"{API}/openapi.json").status_code == 403
    assert bench.get("sentences/1")["seq"] == 0


def test_a_foreign_host_or_origin_does_nothing(bench: Workbench) -> None:
    body = {"op_id": "x", "base": 0, "ops": [{"kind": "head", "word": 1, "head": 2}]}
    for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "http://localhost:1"}):
        bench.call("POST", "sentences/1/ops", 403, json=body, headers=headers)
        bench.call("GET", "sentences/1", 403, headers=headers)
    assert bench.get("sentences/1")["seq"] == 0


def test_the_page_exchanges_its_token_for_a_cookie(bench: Workbench) -> None:
    client = bench.client
    assert client.post(f"{API}/login", json={"token": "wrong"}).status_code == 403
    answer = client.post(f"{API}/login", json={"token": bench.tokens["ana"]}, headers={"host": "localhost:8123"})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("treewright-8123=")
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    headers = {"host": "localhost:8123", "cookie": cookie.partition(";")[0]}
    assert client.get(f"{API}/project", headers=headers).json()["person"]["name"] == "ana"
    refused = {"sec-fetch-site": "same-site"}  # a page of another port of this machine
    assert client.get(f"{API}/project", headers=headers | refused).status_code == 403
    body = {"op_id": "x", "base": 0, "ops": [{"kind": "head", "word": 1, "head": 2}]}
    assert client.post(f"{API}/sentences/1/ops", json=body, headers=headers).status_code == 403
    own = headers | {"origin": "http://localhost:8123"}
    assert client.post(f"{API}/sentences/1/ops", json=body, headers=own).status_code == 200
    assert cookie_name(answer.request.headers) == "treewright-8123"  # type: ignore[arg-type]


def test_the_page_and_its_files(bench: Workbench) -> None:
    for path in (*PAGES, "/drawing.css"):
        answer = bench.client.get(path)
        assert answer.status_code == 200, path
        assert "unsafe-inline" not in answer.headers["content-security-policy"]
    page = bench.client.get("/").text
    assert "<style" not in page
    assert 'style="' not in page
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert bench.client.get("/workbench/../../guard.py").status_code in (403, 404)
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in STATIC_FILES)
    assert lines <= 3000


def test_hostile_text_is_drawn_as_text(tmp_path: Path, model: str) -> None:
    rows = [
        f"{i}\t{text}\t_\tNOUN\t_\t_\t{0 if i == 1 else 1}\t{'root' if i == 1 else text}\t_\t_"
        for i, text in enumerate(TEXTS, 1)
    ]
    long = "x" * 1_000_000
    content = (
        "# sent_id = </title><script>\n# text = "
        + "\n".join([" ".join(TEXTS), *rows])
        + f"\n\n1\t{long}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    )
    (tmp_path / "hostile.conllu").write_text(content, encoding="utf-8")
    project = Project.create(tmp_path / "hostile.project", [tmp_path / "hostile.conllu"], model=model)
    with TestClient(workbench(project), base_url="http://localhost") as client:
        bench = Workbench(client, project)
        answer = bench.get("sentences/1")
        assert [word["cells"]["FORM"] for word in answer["words"]] == TEXTS
        assert "<script" not in answer["svg"]
        assert "<img" not in answer["svg"]
        assert "javascript:" in answer["svg"]
        assert re.search(r'<svg [^>]* width="\d{3}"', bench.get("sentences/2")["svg"])  # what is drawn is clipped
        assert (
            bench.client.get(f"{API}/sentences/1", headers={"Authorization": f"Bearer {bench.tokens['me']}"})
            .headers["content-type"]
            .startswith("application/json")
        )


def test_half_a_character_is_refused(bench: Workbench) -> None:
    for op in ({"kind": "lemma", "word": 1, "lemma": "\ud800"}, {"kind": "note", "text": "a\udfff"}):
        body = json.dumps({"op_id": "x", "base": 0, "ops": [op]})
        answer = bench.call("POST", "sentences/1/ops", 422, content=body, headers={"content-type": "application/json"})
        assert "half of a character" in answer["error"]["message"]


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_requests_give_documented_statuses(bench: Workbench, count: int) -> None:
    headers = {"Authorization": f"Bearer {bench.tokens['me']}", "content-type": "application/json"}
    schema = bench.client.get(f"{API}/openapi.json", headers=headers).json()
    generator = Generator(schema["components"]["schemas"], seed=5)
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {"application/json": {"schema": {}}})
            documented = {int(status) for status in operation["responses"]}
            for number in range(count):
                value = generator.value(content.get("application/json", {"schema": {}})["schema"])
                if path.endswith("/ops") and number % 2 and isinstance(value, dict):
                    value |= {"op_id": f"{number}", "base": 2**50, "ops": [generator.value(OPERATION)]}
                address = path.replace("{id}", str(1 + number % 4)).replace("{job}", "1")
                query = {
                    item["name"]: generator.value(item["schema"])
                    for item in operation.get("parameters", ())
                    if item["in"] == "query" and (item["required"] or number % 3 == 0)
                }
                body = None if method == "get" else json.dumps(value)
                if query:
                    address += f"?{urlencode(query, errors='replace')}"
                answer = bench.client.request(method, address, content=body, headers=headers)
                assert answer.status_code in documented, (method, address, value, answer.text)
    assert bench.project.records.problems() == []


TYPES: dict[Any, dict[str, str]] = {
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    list: {"type": "array"},
}
OPERATION = {  # each kind with its own fields, so that most values get as far as the sentence
    "anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"enum": [kind]}, **{name: TYPES[field[0]] for name, field in fields.items()}},
            "required": ["kind", *(name for name, (_, is_needed) in fields.items() if is_needed)],
        }
        for kind, fields in FIELDS.items()
    ]
}
