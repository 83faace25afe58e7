"""UDPipe's contract: the same answers by query, form and multipart, equal to `treewright parse`."""

from __future__ import annotations

import re
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import HTTP
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import pipeline, text_of
from oracles.processes import runner
from starlette.testclient import TestClient

import treewright as tw

TEXT = text_of(9, 4)
ALL = {"tokenizer": "", "tagger": "", "parser": ""}
GENERATOR = re.compile(r"\A(?:# (?:generator|udpipe_model|udpipe_model_licence) = .*\n)+")


def process(client: TestClient, **fields: str) -> Any:
    answer = client.post("/process", data=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def result(client: TestClient, **fields: str) -> str:
    """The result without the comments about its generator."""
    return GENERATOR.sub("", process(client, **fields)["result"])


def multipart(fields: dict[str, str]) -> dict[str, Any]:
    """Fields without file names, as UDPipe's client sends them."""
    return {"files": {name: (None, value) for name, value in fields.items()}}


@pytest.mark.parametrize("text", [TEXT, text_of(400, 6), "\ufeffIt rains.\r\n\r\nIt pours.\r\n", ""])
def test_the_result_is_that_of_the_command(
    client: TestClient,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipeline().save(tmp_path / "tiny.tw")
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="")
    ended = runner(monkeypatch, capsys, "parse")(str(tmp_path / "tiny.tw"), str(tmp_path / "text.txt"), "-q")
    with (tmp_path / "text.txt").open("rb") as file:
        fields = multipart(ALL)["files"]
        uploaded = client.post("/process", files={"data": file, **fields}).json()["result"]
    assert GENERATOR.sub("", uploaded) == ended.stdout
    for sent in ({"data": {"data": text, **ALL}}, multipart({"data": text, **ALL})):
        answer = client.post("/process", **sent)
        assert answer.json()["result"] == uploaded


def test_mime_messages_with_8bit_fields_are_read(client: TestClient) -> None:
    """UDPipe's client sends these; lines end with CR and LF."""
    message = MIMEMultipart("form-data", policy=HTTP)
    for name, value in {"data": "Žena spí.\n\nIt rains.", **ALL}.items():
        field = MIMENonMultipart("text", "plain")
        field.add_header("Content-Disposition", f'form-data; name="{name}"')
        field.add_header("Content-Transfer-Encoding", "8bit")
        field.set_payload(value, charset="utf-8")
        message.attach(field)
    body = message.as_bytes().partition(b"\r\n\r\n")[2]
    answer = client.post("/process", content=body, headers={"content-type": message["Content-Type"]})
    assert answer.status_code == 200
    assert re.findall("^# text = (.*)$", answer.json()["result"], re.M) == ["Žena spí.", "It rains."]


def test_get_and_post_take_a_query(client: TestClient) -> None:
    fields = {"data": "It rains.", **ALL}
    expected = process(client, **fields)
    assert client.get("/process", params=fields).json() == expected
    assert client.post("/process", params=fields).json() == expected
    assert client.post("/process", params=ALL, data={"data": "It rains."}).json() == expected


def test_the_answer_names_the_model(client: TestClient) -> None:
    answer = client.post("/process", data={"data": "e\u0301", **ALL})
    assert list(answer.json()) == ["model", "acknowledgements", "result"]
    assert answer.json()["model"] == "tiny-en"
    first = answer.json()["result"].splitlines()[:2]
    assert first == [f"# generator = Treewright {tw.__version__}", "# udpipe_model = tiny-en"]
    assert answer.headers["x-billing-input-nfc-len"] == "1"


def test_models_lists_components_by_their_names_there(client: TestClient) -> None:
    expected = {"tiny-en": ["tokenizer", "tagger", "parser"], "bare": ["parser"]}
    assert client.get("/models").json() == {"models": expected, "default_model": "tiny-en"}


@pytest.mark.parametrize("name", ["tiny-en", "tiny", "", "bare"])
def test_a_model_is_named_in_full_or_by_its_first_part(client: TestClient, name: str) -> None:
    conllu = "1\tx\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
    answer = process(client, data=conllu, model=name, parser="")
    assert answer["model"] == ("bare" if name == "bare" else "tiny-en")


def test_each_component_runs_only_if_asked(client: TestClient) -> None:
    tokens = tw.Sentence(result(client, data="Dogs bark.", tokenizer=""))
    assert tokens.upos == ["_"] * 3
    tagged = tw.Sentence(result(client, data="Dogs bark.", tokenizer="", tagger="", parser="none"))
    assert "_" not in tagged.upos
    assert tagged.heads.tolist() == [-1] * 3
    parsed = tw.Sentence(result(client, data=str(tagged), parser=""))
    assert sorted(parsed.heads.tolist())[0] == 0


def test_the_tagger_replaces_tags(client: TestClient) -> None:
    [expected] = pipeline()("Dogs bark.")
    wrong = expected.with_columns(upos=["X"] * 3).written()
    assert tw.Sentence(result(client, data=wrong, tagger="", parser="")).upos == expected.upos
    assert tw.Sentence(result(client, data=wrong, parser="")).upos == ["X"] * 3


def test_formats_of_input_and_output(client: TestClient) -> None:
    horizontal = "a b\u00a0c d\n\ne f\n"
    vertical = "a\nb\u00a0c\nd\n\ne\nf\n\n"
    assert result(client, data=horizontal, input="horizontal", output="vertical") == vertical
    assert result(client, data=vertical, input="vertical", output="horizontal") == "a b\u00a0c d\ne f\n"
    assert result(client, data="It rains. It pours.", tokenizer="", output="plaintext") == "It rains.\nIt pours.\n"
    assert result(client, data="It rains.", input="generic_tokenizer", output="horizontal") == "It rains .\n"


def test_presegmented_text_has_a_sentence_a_line(client: TestClient) -> None:
    lines = result(client, data="It rains. It pours.\nI stay.", tokenizer="ranges;presegmented", output="horizontal")
    assert lines == "It rains . It pours .\nI stay .\n"


def test_conllu_is_kept_byte_for_byte_where_nothing_is_done(client: TestClient) -> None:
    conllu = "# note\r\n1\tx\t_\tNOUN\t_\t_\t0\troot\t_\t_\r\n\r\n"
    assert result(client, data=conllu) == conllu


def test_a_field_of_two_megabytes_is_taken(client: TestClient) -> None:
    data = "# " + "x" * 2_000_000 + "\n1\tx\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    for sent in ({"data": {"data": data}}, multipart({"data": data})):
        answer = client.post("/process", **sent)
        assert answer.status_code == 200
        assert answer.json()["result"].endswith(data)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "the field data is missing; send the text as data"),
        ({"data": "x", "model": "fr"}, "there is no model 'fr'; there is tiny-en, bare"),
        ({"data": "x", "output": "epe"}, "there is no output format 'epe'"),
        ({"data": "x", "input": "matxin"}, "there is no input format 'matxin'"),
        ({"data": "x\ty\n", "parser": ""}, "line 1: "),
        ({"data": "x", "tokenizer": "", "model": "bare"}, "reads no raw text"),
        ({"data": "x", "tagger": "", "model": "bare"}, "the model bare has no tagger"),
    ],
)
def test_errors_are_one_sentence_of_plain_text(client: TestClient, fields: dict[str, str], message: str) -> None:
    for answer in (client.post("/process", data=fields), client.get("/process", params=fields)):
        assert answer.status_code == 400
        assert answer.headers["content-type"].startswith("text/plain")
        assert message in answer.text
        assert answer.text.count("\n") == 1


def test_bytes_that_are_not_utf8_are_named_by_line(client: TestClient) -> None:
    files = {"data": ("f.txt", b"It rains.\n\xff\n"), **multipart(ALL)["files"]}
    answer = client.post("/process", files=files)
    assert answer.status_code == 400
    assert answer.text.startswith("line 2: ")


def test_a_body_of_another_type_is_refused(client: TestClient) -> None:
    answer = client.post("/process", json={"data": "x"})
    assert answer.status_code == 400
    assert "application/json" in answer.text
