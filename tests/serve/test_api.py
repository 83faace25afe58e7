"""The JSON interface answers as the library does, and says what is wrong with a request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from oracles.pipelines import pipeline, text_of
from starlette.testclient import TestClient

import treewright as tw
from treewright.serve.limits import Limits

JSON = {"content-type": "application/json"}
TEXT = text_of(7, 3)
SENTENCE = text_of(1, 8).strip()


def post(client: TestClient, path: str, status: int = 200, **request: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=request)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_parse_answers_the_sentences_of_the_pipeline(client: TestClient) -> None:
    expected = [sentence.to_dict() for sentence in pipeline()(TEXT)]
    assert post(client, "parse", text=TEXT) == {"model": "tiny-en", "sentences": expected}


@pytest.mark.parametrize("kind", ["paragraphs", "lines"])
def test_parse_takes_the_kinds_of_text_of_the_command(client: TestClient, kind: str) -> None:
    sentences = post(client, "parse", text=TEXT, input=kind)["sentences"]
    lines = [line for line in TEXT.split("\n") if line]
    assert len(sentences) == (len(lines) if kind == "lines" else 7)


def test_parse_takes_and_writes_conllu(client: TestClient) -> None:
    parsed = post(client, "parse", text=TEXT, to="conllu")["conllu"]
    assert parsed == "".join(sentence.written() for sentence in pipeline()(TEXT))
    again = post(client, "parse", text=parsed, input="conllu", to="conllu", model="bare")
    assert again == {"model": "bare", "conllu": parsed}


def test_parse_takes_sentences_as_it_wrote_them(client: TestClient) -> None:
    first = post(client, "parse", text=TEXT)["sentences"]
    again = post(client, "parse", sentences=first)["sentences"]
    heads = [[word["head"] for word in sentence["words"]] for sentence in (*first, *again)]
    assert heads[:7] == heads[7:]


def test_confidence_is_written_into_conllu_on_request(client: TestClient) -> None:
    assert "|Confidence=" in post(client, "parse", text=SENTENCE, to="conllu", confidence=True)["conllu"]
    [sentence] = post(client, "parse", text=SENTENCE, confidence=False)["sentences"]
    assert "confidence" not in sentence["words"][0]


def test_kbest_lists_trees_with_falling_probabilities(client: TestClient) -> None:
    [sentence] = post(client, "parse", text=SENTENCE, kbest=3)["sentences"]
    [expected] = pipeline().kbest(SENTENCE, 3)
    assert [tree["rank"] for tree in sentence["trees"]] == [1, 2, 3]
    assert [tree["probability"] for tree in sentence["trees"]] == list(expected.probabilities)
    assert [word["head"] for word in sentence["trees"][1]["words"]] == expected[1].heads.tolist()


def test_a_width_draws_each_tree(client: TestClient) -> None:
    [sentence] = post(client, "parse", text=SENTENCE, width=600)["sentences"]
    assert sentence["svg"].startswith("<svg ")
    [sentence] = post(client, "parse", text=SENTENCE, width=600, kbest=2)["sentences"]
    assert [tree["svg"][:5] for tree in sentence["trees"]] == ["<svg ", "<svg "]


def test_markup_in_a_sentence_is_drawn_as_text(client: TestClient) -> None:
    hostile = {"words": ['<script>alert("x")</script>', "]]>", "javascript:x", "\u202ee"]}
    [sentence] = post(client, "parse", sentences=[hostile], width=900)["sentences"]
    assert "<script" not in sentence["svg"]
    assert "&lt;script&gt;" in sentence["svg"]


def test_proofs_are_verified_and_changed_ones_are_refused(client: TestClient) -> None:
    sentences = post(client, "parse", text=TEXT, proofs=True)["sentences"]
    answer = post(client, "verify", sentences=sentences)
    assert answer["verified"]
    assert [verdict["certified"] for verdict in answer["sentences"]] == [True] * 7
    sentences[0]["proof"]["score"] += 1
    del sentences[1]["proof"]
    answer = post(client, "verify", sentences=sentences)
    assert not answer["verified"]
    assert [verdict["verified"] for verdict in answer["sentences"]] == [False, False] + [True] * 5
    assert answer["sentences"][0]["reason"].startswith("refused: ")


def test_complete_keeps_the_heads_given_and_marks_what_it_filled_in(client: TestClient) -> None:
    sentence = {"words": [{"form": "a", "upos": "DET"}, {"form": "b", "upos": "NOUN", "head": 0, "deprel": "x"}]}
    [completed] = post(client, "complete", sentences=[sentence])["sentences"]
    assert [word["head"] for word in completed["words"]] == [2, 0]
    assert completed["words"][1]["deprel"] == "x"
    assert [word["filled_in"] for word in completed["words"]] == [["head", "deprel"], []]


def test_complete_takes_conllu(client: TestClient) -> None:
    [sentence] = pipeline()(SENTENCE)
    partial = sentence.copy()
    partial.heads = [-1, *sentence.heads.tolist()[1:]]
    conllu = post(client, "complete", text=partial.written(), to="conllu")["conllu"]
    assert tw.Sentence(conllu).heads.tolist() == sentence.heads.tolist()


def test_annotation_that_contradicts_itself_is_a_conflict(client: TestClient) -> None:
    circle = {"words": [{"form": "a", "head": 2}, {"form": "b", "head": 1}]}
    answer = post(client, "complete", 409, sentences=[{"words": ["a"]}, circle])
    error = answer["error"]
    assert error["code"] == "infeasible"
    assert error["where"] == "sentences[1]"
    assert "circle" in error["message"]
    assert sorted(answer["conflict"]) == [[1, 2], [2, 1]]


def test_a_conflict_names_its_arcs(client: TestClient) -> None:
    two_roots = {"words": [{"form": "a", "head": 0}, {"form": "b"}, {"form": "c", "head": 0}]}
    assert post(client, "complete", 409, sentences=[two_roots])["conflict"] == [[0, 1], [0, 3]]


def test_why_not_is_the_explanation_of_the_library(client: TestClient) -> None:
    [sentence] = pipeline()(SENTENCE)
    answer = post(client, "why-not", text=SENTENCE, word=1, head=0)
    explanation = pipeline().why_not(sentence, head=0, modifier=1)
    assert answer["loss"] == pytest.approx(explanation.loss)
    assert answer["explanation"] == str(explanation)
    assert answer["moves"] == [
        dict(zip(("word", "head", "rival_head"), move, strict=True)) for move in explanation.moves
    ]


def test_why_not_without_a_head_lists_other_heads(client: TestClient) -> None:
    sentences = list(pipeline()(TEXT))
    answer = post(client, "why-not", text=TEXT, sentence=2, word=1)
    assert answer["alternatives"] == pipeline().alternatives(sentences[1], 1).to_dict()["alternatives"]


BAD_REQUESTS: list[tuple[int, str, dict[str, Any], str]] = [
    (422, "parse", {}, "give either text or sentences"),
    (422, "parse", {"text": "a", "sentences": []}, "give either text or sentences"),
    (422, "parse", {"text": "a", "txt": "b"}, "txt: Extra inputs are not permitted"),
    (422, "parse", {"text": "a", "kbest": 21}, "kbest: Input should be less than or equal to 20"),
    (422, "parse", {"text": "a", "kbest": 2, "to": "conllu"}, "need the format json"),
    (422, "parse", {"text": "a", "kbest": 2, "proofs": True}, "leave out kbest"),
    (404, "parse", {"text": "a", "model": "fr"}, "there is no model 'fr'; there is tiny-en, bare"),
    (400, "parse", {"text": "a", "model": "bare"}, "reads no raw text; send CoNLL-U"),
    (400, "parse", {"text": "1\ta\n", "input": "conllu"}, "columns"),
    (400, "parse", {"text": "a\ud800"}, "the lone surrogate U+D800"),
    (400, "parse", {"sentences": [{"words": ["a\ud800"]}]}, "surrogates not allowed"),
    (422, "parse", {"text": "", "\ud800": 1}, "unicode string"),
    (400, "parse", {"sentences": [{"words": []}]}, "words is empty"),
    (400, "parse", {"sentences": [{"words": [{"form": 3}]}]}, "word 1 has no form"),
    (413, "parse", {"sentences": [{"words": ["a"] * 61}]}, "a sentence has 61 words; at most 60 are taken"),
    (413, "parse", {"sentences": [{"words": ["a"] * 61}], "kbest": 2}, "at most 60"),
    (413, "complete", {"sentences": [{"words": ["a"] * 61}]}, "at most 60"),
    (413, "why-not", {"sentences": [{"words": ["a"] * 41}], "word": 1}, "at most 40"),
    (400, "why-not", {"text": "a b", "word": 3}, "word"),
    (400, "why-not", {"text": "a b", "word": 1, "sentence": 9}, "there is no sentence 9"),
    (422, "verify", {"sentences": []}, "sentences"),
]


@pytest.mark.parametrize(("status", "path", "request_", "message"), BAD_REQUESTS, ids=str)
def test_a_bad_request_is_answered_by_a_sentence(
    client: TestClient, status: int, path: str, request_: dict[str, Any], message: str
) -> None:
    answer = client.post(f"/api/v1/{path}", content=json.dumps(request_), headers=JSON)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert message in error["message"]
    assert set(error) == {"code", "message", "where", "remedy", "id"}


def test_a_body_that_is_no_json_is_refused(client: TestClient) -> None:
    for body, headers, message in (
        (b"{", JSON, "JSON decode error"),
        (b'{"text": "a"}', {}, "the body is not JSON"),
        (b"[]", JSON, "the body is not JSON"),
    ):
        answer = client.post("/api/v1/parse", content=body, headers=headers)
        assert answer.status_code == 422
        assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_body_that_is_nested_too_deeply_is_refused(client: TestClient, depth: int) -> None:
    body = '{"sentences": [{"words": ' + "[" * depth + "]" * depth + "}]}"
    answer = client.post("/api/v1/parse", content=body, headers=JSON)
    assert answer.status_code in (400, 422)


def test_models_and_health_describe_the_server(client: TestClient) -> None:
    models = client.get("/api/v1/models").json()["models"]
    assert [(model["name"], model["is_default"]) for model in models] == [("tiny-en", True), ("bare", False)]
    assert models[0]["components"] == ["tokeniser", "tagger", "parser"]
    assert models[1]["components"] == ["parser"]
    health = client.get("/api/v1/health").json()
    assert (health["status"], health["version"], health["requests"]) == ("ok", tw.__version__, 1)
    assert health["limits"]["body"] == Limits().body


def test_openapi_describes_every_path(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    names = ("parse", "complete", "why-not", "verify", "models", "health")
    assert set(paths) == {*(f"/api/v1/{name}" for name in names), "/process", "/models"}


def test_the_page_loads_only_files_of_the_server(client: TestClient) -> None:
    page = client.get("/").text
    assert "<style" not in page
    assert " style=" not in page
    assert "http" not in page
    for path, kind in {
        "/demo.js": "text/javascript",
        "/demo.css": "text/css",
        "/drawing.css": "text/css",
        "/favicon.ico": "image/svg+xml",
    }.items():
        assert path in page
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
