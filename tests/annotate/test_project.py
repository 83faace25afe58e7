"""Projects: decisions, undo, layers, files; the journal gives every state again."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from oracles.pipelines import pipeline
from oracles.projects import TREEBANK, Client, Make, exported

import treewright as tw
from treewright.annotate import AccessError, ConflictError, Person, Project, ProjectError, StoreError, UnknownItemError
from treewright.annotate.view import moved
from treewright.checking import check
from treewright.corpus import Sentence
from treewright.induce import InducedParser, InductionOptions
from treewright.parser.punctuation import MovedParse
from treewright.pipeline import Pipeline

OPEN = 3  # the sentence without heads


def test_untouched_documents_are_exported_byte_for_byte(make: Make, tmp_path: Path) -> None:
    for number, text in enumerate((TREEBANK, TREEBANK.replace("\n", "\r\n"), f"\ufeff{TREEBANK}\n\n# end\n")):
        path = tmp_path / f"file{number}.conllu"
        path.write_bytes(text.encode())
        assert exported(make(path)) == text


@pytest.mark.parametrize("model", [None, "en"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_changing_one_relation_changes_one_line(make: Make, tmp_path: Path, newline: str, model: str | None) -> None:
    path = tmp_path / "file.conllu"
    path.write_bytes(TREEBANK.replace("\n", newline).encode())
    project = make(path, model=model)
    answer = Client(project).send(1, {"kind": "deprel", "word": 6, "deprel": "nsubj"})
    assert answer.changed == [6]
    before, after = TREEBANK.replace("\n", newline).split("\n"), exported(project).split("\n")
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    [(old, new)] = changed
    assert new == old.replace("\tobj\t3:obj", "\tnsubj\t3:nsubj")


def test_a_head_that_inverts_an_arc_frees_only_the_arc_that_closes_the_circle(make: Make) -> None:
    answer = Client(make()).head(2, 5, 1)
    assert answer.state.heads == [-1, 4, 4, 1, 1, 5]
    assert answer.state.released == [1]


def test_what_is_decided_does_not_depend_on_the_order(make: Make) -> None:
    project = make(model="en")
    arcs = [(1, 5), (5, 0), (3, 2), (6, 1)]
    trees = []
    for person in ("ana", "ben", "cem"):
        project.people.add(person)
        client = Client(project, person)
        order = random.Random(person).sample(arcs, len(arcs))
        for word, head in order:
            answer = client.head(2, word, head)
        trees.append(answer.state.sentence.written())
    assert len(set(trees)) == 1


def test_an_induced_model_suggests_heads_beside_the_decisions(make: Make, treebank: Path, tmp_path: Path) -> None:
    sentences = list(tw.read(treebank))
    induced = InducedParser.train(sentences[:2], options=InductionOptions(iterations=1))
    Pipeline(pipeline().tokeniser, pipeline().tagger, induced).save(tmp_path / "induced.tw")
    client = Client(make(model=str(tmp_path / "induced.tw")))
    suggested = client.project.editor.state(OPEN, client.layer).heads
    [parsed] = induced.parse([sentences[OPEN - 1]])
    assert suggested == parsed.heads.tolist()
    word = 1 + next(place for place, head in enumerate(suggested) if head not in (0, 1))
    heads = client.head(OPEN, word, 1 if word != 1 else 2).state.heads
    assert heads[word - 1] == (1 if word != 1 else 2)
    assert all(head in (-1, old) for head, old in zip(heads[word:], suggested[word:], strict=True))
    assert "an induced model suggests" in client.project.editor.state(OPEN, client.layer).proof


def test_the_tree_is_the_best_one_under_the_decisions(make: Make) -> None:
    project, parser = make(model="en"), tw.load("en").trained_parser
    rng = random.Random(1)
    for trial in range(200):
        project.people.add(f"p{trial}")
        client = Client(project, f"p{trial}")
        state = project.editor.state(OPEN, client.layer)
        for _ in range(rng.randint(1, 4)):
            word = rng.randint(1, 8)
            head = rng.choice([head for head in range(9) if head != word])
            kind = rng.choice(["head", "reject"])
            with suppress(ConflictError):
                state = client.send(OPEN, {"kind": kind, "word": word, "head": head}).state
        heads = state.heads
        assert all(heads[word - 1] == head for head, word in state.required)
        assert all(heads[word - 1] != head for head, word in state.forbidden)
        [text] = tw.load("en").read([Sentence(state.sentence.written()).with_columns(heads=[-1] * 8)])
        projective = parser.model.projective and not state.note
        parts = parser.parts(text, all_arcs=True, projective=projective)
        assert state.tree is not None
        best = tw.decode.tree(parts, require=state.required, forbid=state.forbidden, projective=projective)
        searched = state.tree.searched if isinstance(state.tree, MovedParse) else state.tree
        assert searched is not None
        assert searched.score == pytest.approx(best.score, abs=1e-6)
        assert state.tree.bound >= state.tree.score


def test_words_before_the_cursor_stay(make: Make) -> None:
    client = Client(make(model="en"))
    before = client.project.editor.state(OPEN, "me").heads
    for choice in client.project.editor.alternatives(OPEN, "me", 7):
        op = {"kind": "head", "word": 7, "head": choice.head}
        after = client.send(OPEN, op, cursor=7).state.heads
        assert after[:6] == before[:6]
        assert after[6] == choice.head
        client.call("undo", OPEN)


def test_alternatives(make: Make) -> None:
    project = make(model="en")
    choices = project.editor.alternatives(OPEN, "me", 7)
    probabilities = [choice.probability for choice in choices]
    assert 1 <= len(choices) <= 5
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1
    shown = project.editor.state(OPEN, "me").heads[6]
    Client(project).send(OPEN, {"kind": "reject", "word": 7, "head": shown})
    assert shown not in [choice.head for choice in project.editor.alternatives(OPEN, "me", 7)]
    assert project.editor.state(OPEN, "me").heads[6] != shown


@pytest.mark.parametrize("model", [None, "en"])
def test_all_heads_rejected(make: Make, model: str | None) -> None:
    client = Client(make(model=model))
    rejections = [{"kind": "reject", "word": 5, "head": head} for head in (0, 1, 2, 3, 4, 6)]
    with pytest.raises(ConflictError, match="no tree agrees with these decisions") as error:
        client.send(2, *rejections)
    assert set(error.value.arcs) <= {(head, 5) for head in range(7)}
    assert error.value.arcs


def test_undo_and_redo_across_restarts(make: Make) -> None:
    project = make()
    client = Client(project)
    versions = [exported(project)]
    for ops in (
        [{"kind": "head", "word": 4, "head": 3}],
        [{"kind": "split_word", "word": 6, "at": [3]}, {"kind": "upos", "word": 7, "upos": "X"}],
        [{"kind": "reject", "word": 5, "head": 6}],
        [{"kind": "note", "word": 3, "text": "why?"}],
    ):
        client.send(1, *ops)
        versions.append(exported(project))
    client.call("accept", 2)
    project.close()
    client.project = project = Project.open(project.folder)
    client.call("undo", 2)
    for version in reversed(versions[:-1]):
        client.call("undo", 1)
        assert exported(project) == version
    assert exported(project) == TREEBANK
    assert not project.editor.state(1, "me").can_undo
    for version in versions[1:]:
        client.call("redo", 1)
        assert exported(project) == version
    with pytest.raises(ConflictError, match="nothing of me to do again"):
        client.call("redo", 1)
    assert project.records.problems() == []
    project.close()


def test_a_repeated_operation_is_stored_once(make: Make) -> None:
    project = make()
    op = [{"kind": "deprel", "word": 1, "deprel": "dep"}]
    first = project.editor.apply(1, "me", "me", "a", 0, op)
    again = project.editor.apply(1, "me", "me", "a", 0, op)
    assert (again.seq, again.revision, again.is_repeated) == (first.seq, first.revision, True)
    with pytest.raises(ProjectError, match="belongs to another operation"):
        project.editor.apply(2, "me", "me", "a", 0, op)


def test_two_windows(make: Make) -> None:
    project = make()
    project.editor.apply(1, "me", "me", "a", 0, [{"kind": "deprel", "word": 1, "deprel": "dep"}])
    project.editor.apply(1, "me", "me", "b", 0, [{"kind": "upos", "word": 4, "upos": "X"}])  # another cell
    with pytest.raises(ConflictError, match="has changed since revision 0") as error:
        project.editor.apply(1, "me", "me", "c", 0, [{"kind": "head", "word": 1, "head": 6}])
    [cell] = error.value.cells
    assert (cell["word"], cell["column"], cell["value"], cell["author"]) == (1, "DEPREL", "dep", "me")


def test_accept_and_reopen(make: Make) -> None:
    project = make(model="en")
    client = Client(project)
    shown = project.editor.state(OPEN, "me")
    assert {word.states["HEAD"] for word in shown.words} == {"suggested"}
    accepted = client.call("accept", OPEN).state
    assert accepted.heads == shown.heads
    assert {word.states["HEAD"] for word in accepted.words} == {"accepted"}
    assert (accepted.status, accepted.expected_errors, accepted.doubtful) == ("accepted", 0.0, [])
    reopened = client.call("reopen", OPEN).state
    assert (reopened.status, reopened.heads) == ("started", shown.heads)
    assert check([Sentence(reopened.sentence.written())], level=1) == []
    assert project.records.problems() == []


def test_without_a_model_words_are_open_until_they_are_attached(make: Make) -> None:
    client = Client(make())
    assert client.project.editor.state(OPEN, "me").heads == [-1] * 8
    with pytest.raises(ConflictError, match="word 1, She, has no head"):
        client.call("accept", OPEN)
    for word, head in enumerate([2, 0, 4, 2, 7, 7, 2, 2], 1):
        client.head(OPEN, word, head)
    assert client.call("accept", OPEN).state.status == "accepted"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "fly"}, "the kind of an operation is 'fly'"),
    ({"kind": "head", "word": 1}, "head needs the field 'head'"),
    ({"kind": "head", "word": 1, "head": 1}, "expected another word"),
    ({"kind": "head", "word": 99, "head": 1}, "word is 99; the sentence has the words 1 to 9"),
    ({"kind": "head", "word": "1", "head": 2}, "word of head is '1'; expected int"),
    ({"kind": "upos", "word": 1, "upos": "A B"}, "expected a value without spaces"),
    ({"kind": "upos", "word": 1, "upos": "A", "x": 1}, "upos has no field 'x'"),
    ({"kind": "misc", "word": 1, "misc": "a\tb"}, "without tab and line break"),
    ({"kind": "lemma", "word": 1, "lemma": "a\0"}, "lemma has the character U\\+0000"),
    ({"kind": "insert_word", "word": 1, "form": "\0"}, "insert_word has the character U\\+0000"),
    ({"kind": "note", "text": "x" * 10_001}, "the text has 10,001 characters; at most 10,000 are kept"),
    ({"kind": "split_word", "word": 3, "at": [9]}, "wake cannot be split at"),
    ({"kind": "make_token", "word": 3, "last": 4}, "there is a space in wake the"),
    ({"kind": "dissolve_token", "word": 5}, "word 5 is in no multiword token"),
    ({"kind": "split_sentence", "word": 2}, "word 2 is inside a multiword token"),
    ({"kind": "split_at_roots"}, "the sentence has one root"),
]


@pytest.mark.parametrize(("op", "message"), WRONG)
def test_operations_that_make_no_sense_change_nothing(make: Make, op: dict[str, Any], message: str) -> None:
    project = make()
    with pytest.raises(ProjectError, match=message):
        Client(project).send(1, op)
    assert exported(project) == TREEBANK
    assert project.editor.state(1, "me").status == "new"


def test_people_see_their_own_layer(make: Make) -> None:
    project = make()
    tokens = {name: project.people.add(name, role) for name, role in (("ana", "annotator"), ("eva", "adjudicator"))}
    person = project.people.with_token(tokens["ana"])
    assert person == Person("ana", "annotator")
    assert project.people.with_token("guess") is None
    assert project.people.layers("ana") == ["ana"]
    assert set(project.people.layers("eva")) == {"eva", "me", "ana", "gold"}
    for layer in ("me", "gold"):
        with pytest.raises(AccessError, match=f"ana is annotator and may not see the layer {layer}"):
            project.people.check_access("ana", layer)
        with pytest.raises(AccessError, match="may not write"):
            Client(project, "ana", layer).head(2, 1, 4)
    project.people.check_access("eva", "ana")
    with pytest.raises(AccessError, match="eva is adjudicator and may not write the layer ana"):
        project.people.check_access("eva", "ana", write=True)
    with pytest.raises(UnknownItemError, match="nobody is called 'x'"):
        project.people.check_access("x", "ana")
    stored = sqlite3.connect(project.folder / "project.sqlite").execute("SELECT token_hash FROM person").fetchall()
    assert all(token not in str(stored) for token in tokens.values())


def test_the_journal_is_append_only(make: Make) -> None:
    project = make()
    Client(project).head(2, 1, 4)
    project.close()
    connection = sqlite3.connect(project.folder / "project.sqlite")
    for statement in ("UPDATE event SET author = 'x'", "DELETE FROM event", "UPDATE sentence SET text = 'x'"):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)


def test_check_finds_a_state_that_the_journal_does_not_give(make: Make) -> None:
    project = make()
    Client(project).head(2, 1, 4)
    project._store.run("UPDATE tree SET draft = replace(draft, '\"4\"', '\"3\"')")
    assert any("the journal gives another state" in problem for problem in project.records.problems())


def test_marked_export_gives_the_same_state_again(make: Make, tmp_path: Path) -> None:
    project = make(model="en")
    client = Client(project)
    client.send(1, {"kind": "deprel", "word": 6, "deprel": "nsubj"}, {"kind": "unsure", "word": 4})
    client.send(OPEN, {"kind": "head", "word": 7, "head": 4}, {"kind": "reject", "word": 1, "head": 4})
    client.call("accept", 2)
    marked = tmp_path / "marked.conllu"
    marked.write_text(exported(project, "marked"))
    again = make(marked, model="en")
    for number in (1, 2, OPEN):
        old, new = project.editor.state(number, "me"), again.editor.state(number, "me")
        assert [word.states for word in old.words] == [word.states for word in new.words]
        assert (old.heads, old.status, old.forbidden) == (new.heads, new.status, new.forbidden)
        assert [word.is_unsure for word in old.words] == [word.is_unsure for word in new.words]
    assert exported(again, "clean").count("treewright") == 0
    assert again.records.problems() == []


def test_partial_export_has_no_suggestions(make: Make) -> None:
    project = make(model="en")
    Client(project).head(OPEN, 7, 4)
    rows = exported(project, "partial").strip().split("\n\n")[2].split("\n")[2:]
    assert [row.split("\t")[6] for row in rows] == ["_", "_", "_", "_", "_", "_", "4", "_"]


def test_raw_text(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dogs bark. Cats sleep all day.\n")
    project = make(path, model="en")
    [(name, data)] = project.export()
    assert name == "notes.conllu"
    assert [summary.text for summary in project.queues.summaries("me")] == ["Dogs bark.", "Cats sleep all day."]
    assert project.editor.state(1, "me").heads == [2, 0, 2]
    assert b"\t_\t_\t_\t_\t_\t_\t" in data


def test_search_and_queues(make: Make) -> None:
    project = make()
    [hit] = project.queues.search("pattern { V [upos=VERB]; V -[nsubj]-> S }", "me")
    assert (hit.sentence_id, hit.nodes) == (2, {"V": 5, "S": 1})
    assert [hit.sentence_id for hit in project.queues.search("red sails", "me")] == [2]
    [summary] = project.queues.summaries("me", "search:red sails")
    assert (summary.id, summary.hit) == (2, [3, 4])
    Client(project).call("accept", 2)
    assert project.queues.counts("me") == {"file": 3, "open": 2, "doubtful": 0, "lint": 0, "notes": 0, "unsure": 0}
    assert [summary.id for summary in project.queues.summaries("me", "open", after=1)] == [3]
    with pytest.raises(UnknownItemError, match="there is no queue 'x'"):
        project.queues.summaries("me", "x")


def test_suggestions_come_in_the_background(make: Make) -> None:
    project = make(model="en")
    project.start_suggestions()
    assert project._suggestions._thread is not None
    project._suggestions._thread.join(60)
    assert all(summary.doubtful is not None for summary in project.queues.summaries("me"))
    assert project.queues.search("pattern { S [form=She]; V -[nsubj]-> S }", "me")[0].nodes == {"S": 1, "V": 2}


def test_one_program_at_a_time(make: Make) -> None:
    project = make()
    with pytest.raises(StoreError, match="the project is open in another program; close that one first"):
        Project.open(project.folder)
    with Project.open(project.folder, read_only=True) as reader:
        assert exported(reader) == TREEBANK
        with pytest.raises(StoreError, match="read-only; nothing was stored"):
            Client(reader).head(2, 1, 4)


def test_a_full_disk_loses_nothing(make: Make) -> None:
    project = make()
    client = Client(project)
    client.head(2, 1, 4)
    (pages,) = project._store.one("PRAGMA page_count")
    project._store.run(f"PRAGMA max_page_count = {pages}")
    notes = [{"kind": "note", "text": "x" * 10_000}] * 10
    with pytest.raises(StoreError, match="the disk is full; nothing of the last operation was stored") as error:
        client.send(2, *notes)
    assert "\n" not in str(error.value)
    project._store.run("PRAGMA max_page_count = 1000000")
    assert client.head(2, 2, 1).state.heads[:2] == [4, 1]
    assert project.records.problems() == []


def test_there_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no project here; `treewright project new"):
        Project.open(tmp_path)
    with pytest.raises(FileNotFoundError):
        Project.create(tmp_path / "new", [tmp_path / "missing.conllu"])
    assert not (tmp_path / "new").exists()


def test_the_journal_as_json_lines(make: Make) -> None:
    project = make()
    Client(project).head(2, 1, 4)
    [line] = exported(project, "journal").splitlines()
    assert json.loads(line)["payload"] == {"ops": [{"kind": "head", "word": 1, "head": 4}]}
    project.people.add("ana")
    Client(project, "ana").head(3, 1, 2)
    layers = [[json.loads(line)["layer"] for line in journal(project, layer)] for layer in (None, "ana", "ben")]
    assert layers == [["me", "ana"], ["ana"], []]


def journal(project: Project, layer: str | None) -> list[bytes]:
    [(_, content)] = project.export("journal", layer)
    return content.splitlines()


def test_labels_of_sentences_are_queues(make: Make) -> None:
    client = Client(make())
    state = client.send(2, {"kind": "label", "label": "ask-ana"}, {"kind": "label", "label": "idiom"}).state
    assert state.labels == ["ask-ana", "idiom"]
    assert [summary.id for summary in client.project.queues.summaries("me", "label:idiom")] == [2]
    assert client.send(2, {"kind": "label", "label": "idiom", "value": False}).state.labels == ["ask-ana"]
    assert client.project.queues.counts("me")["label:ask-ana"] == 1
    assert "# treewright.labels = ask-ana" in exported(client.project, "marked")
    with pytest.raises(ProjectError, match="label is 'two words'; expected a word without spaces"):
        client.send(2, {"kind": "label", "label": "two words"})


def test_a_new_version_of_a_file_is_merged(make: Make, treebank: Path) -> None:
    client = Client(make())
    project = client.project
    client.head(2, 4, 5)
    dogs, boats, rest = TREEBANK.split("\n\n", 2)
    added = "# sent_id = new\n# text = Rain\n1\tRain\t_\tNOUN\t_\t_\t0\troot\t_\t_"
    treebank.write_text("\n\n".join([dogs.replace("old\told", "old\tOLD"), added, boats, rest]))
    assert project.import_files([treebank]) == ["trees.conllu: merged; 1 changed, 1 added"]
    texts = exported(project).split("\n\n")
    assert [text.partition("\n")[0] for text in texts[:4]] == [
        f"# sent_id = {name}" for name in ("dogs", "new", "boats", "open")
    ]
    assert "old\tOLD" in texts[0]
    assert "4\tsails\tsail\tNOUN\t_\t_\t5\t" in texts[2]
    treebank.write_text(exported(project))
    assert project.import_files([treebank]) == ["trees.conllu: merged; no sentence differs"]
    theirs = exported(project).replace("2\twith\twith\tADP\t_\t_\t4\tcase", "2\twith\twith\tADP\t_\t_\t4\tmark")
    treebank.write_text(theirs.replace(added + "\n\n", ""))
    done = "trees.conllu: merged; 1 changed on both sides (layer file), 1 removed"
    assert project.import_files([treebank]) == [done]
    client.call("accept", 2)
    assert [(item.sentence_id, item.word) for item in project.layers.adjudication(layers=["me", "file"])] == [(2, 2)]
    assert project.records.problems() == []
    treebank.write_text(theirs.replace("# sent_id = dogs\n", ""))
    with pytest.raises(ProjectError, match="merging needs a sent_id of its own for every sentence"):
        project.import_files([treebank])


def test_an_uploaded_document(make: Make) -> None:
    project = make()
    assert project.import_document("../../etc/more.txt", b"It rains. We stay.") == "more.txt: 2 sentences added"
    assert project.records.documents() == ["trees.conllu", "more.txt"]
    with pytest.raises(ProjectError, match=r"^bad.conllu:1: "):
        project.import_document("bad.conllu", b"1\tx\n\n")
    with pytest.raises(ProjectError, match=r"^virus.exe: expected a file whose name ends in .conllu"):
        project.import_document("virus.exe", b"")


def test_what_moved_around_new_words() -> None:
    def sentence(*rows: tuple[str, int, str]) -> Sentence:
        lines = [f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{deprel}\t_\t_" for i, (form, head, deprel) in enumerate(rows, 1)]
        return Sentence("\n".join(lines) + "\n\n")

    whole = sentence(("a", 2, "x"), ("b", 0, "root"), ("cd", 2, "y"), ("e", 2, "z"))
    split = sentence(("a", 2, "x"), ("b", 0, "root"), ("c", 2, "y"), ("d", 3, "v"), ("e", 2, "z"))
    assert (moved(whole, whole), moved(whole, split), moved(split, whole)) == ([], [3, 4], [3])
    relabelled = sentence(("a", 2, "x"), ("b", 0, "root"), ("cd", 2, "w"), ("e", 3, "z"))
    assert moved(whole, relabelled) == [3, 4]
