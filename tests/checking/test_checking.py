"""Findings: each rule by a sentence that breaks it and by one that does not; agreement with the validator of UD."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from oracles.processes import Ended, Run, runner

import treewright as tw
from treewright.checking import RULES, Counts, Finding, check
from treewright.corpus import Sentence
from treewright.errors import InputError

GOOD = """\
# sent_id = s1
# text = She doesn't see old boats.
1	She	she	PRON	PRP	Case=Nom|Number=Sing	4	nsubj	4:nsubj	_
2-3	doesn't	_	_	_	_	_	_	_	_
2	does	do	AUX	VBZ	Tense=Pres	4	aux	4:aux	_
3	n't	not	PART	RB	_	4	advmod	4:advmod	_
4	see	see	VERB	VB	VerbForm=Inf	0	root	0:root	_
5	old	old	ADJ	JJ	Degree=Pos	6	amod	6:amod	_
6	boats	boat	NOUN	NNS	Number=Plur	4	obj	4:obj	SpaceAfter=No
7	.	.	PUNCT	.	_	4	punct	4:punct	_

"""
ELLIPSIS = """\
# sent_id = s2
# text = She sees boats and he birds
1	She	she	PRON	_	_	2	nsubj	2:nsubj	_
2	sees	see	VERB	_	_	0	root	0:root	_
3	boats	boat	NOUN	_	_	2	obj	2:obj	_
4	and	and	CCONJ	_	_	5	cc	5.1:cc	_
5	he	he	PRON	_	_	2	conj	5.1:nsubj	_
5.1	sees	see	VERB	_	_	_	_	2:conj:and	_
6	birds	bird	NOUN	_	_	5	orphan	5.1:obj	_

"""

# rule -> what is replaced in GOOD, its replacement, the line and the word that are reported, a part of the reason
BROKEN: dict[str, tuple[str, str, int, str | None, str]] = {
    "format": ("7\t.\t.", "9\t.\t.", 10, None, "expected"),
    "line-break": ("_\n2-3", "_\r\n2-3", 3, None, "CR"),
    "byte-order-mark": ("# sent_id", "\ufeff# sent_id", 1, None, "byte order mark"),
    "blank-line": ("# sent_id", "\n# sent_id", 1, None, "ends no sentence"),
    "end-of-file": ("4:punct\t_\n\n", "4:punct\t_\n", 11, None, "without a blank line"),
    "comment-place": ("5\told", "# note\n5\told", 8, None, "between words"),
    "white-space": ("boats\tboat\tNOUN", "boats\tboat \tNOUN", 9, "6", "LEMMA 'boat '"),
    "unicode": ("She\tshe", "She\tshe\u0301", 3, None, "normalisation"),
    "sent-id": ("# sent_id = s1\n", "", 2, None, "no comment sent_id"),
    "text": ("old boats.", "old boots.", 3, None, "text has 'ots.' at character 23; the tokens have 'ats.'"),
    "space-after": (
        "n't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_",
        "n't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\tSpaceAfter=No",
        6,
        "3",
        "inside",
    ),
    "multiword-token": ("doesn't\t_\t_", "doesn't\t_\tAUX", 4, "2-3", "UPOS filled"),
    "empty-node": ("", "", 0, None, ""),  # tested with ELLIPSIS
    "upos": ("ADJ\tJJ", "ADJE\tJJ", 8, "5", "UPOS is ADJE"),
    "feats": ("Case=Nom|Number=Sing", "Number=Sing|Case=Nom", 3, "1", "not sorted"),
    "misc": ("SpaceAfter=No\n", "SpaceAfter=No|\n", 9, "6", "empty item"),
    "relation": ("amod\t6:amod", "amods\t6:amod", 8, "5", "DEPREL is amods"),
    "head": ("6\tamod\t6", "_\tamod\t6", 8, "5", "HEAD is _"),
    "cycle": ("4\tobj\t4", "5\tobj\t4", 8, "5", "circle"),
    "roots": ("6\tamod\t6:amod", "0\troot\t0:root", 8, "5", "2 roots: 4, 5"),
    "root-relation": ("amod\t6:amod", "root\t6:amod", 8, "5", "HEAD is 6 and DEPREL root"),
    "deps-format": ("6:amod", "9:amod", 8, "5", "'9:amod'"),
    "deps-missing": ("6:amod", "_", 8, "5", "DEPS is _"),
    "deps-root": ("6:amod", "0:amod", 8, "5", "'0:amod'"),
    "deps-reach": ("4:obj", "5:obj", 8, "5", "5, 6"),
    "two-subjects": ("6\tamod\t6:amod", "4\tnsubj\t4:nsubj", 7, "4", "nsubj 1 She, nsubj 5 old"),
    "two-objects": ("6\tamod\t6:amod", "4\tobj\t4:obj", 7, "4", "obj 5 old, obj 6 boats"),
    "object-of-noun": ("6\tamod\t6:amod", "6\tobj\t6:obj", 9, "6", "NOUN with obj 5 old"),
    "punct-tag": (".\tPUNCT", ".\tSYM", 10, "7", "SYM with the relation punct"),
    "punct-dependents": ("6\tamod\t6:amod", "7\tamod\t7:amod", 10, "7", "amod 5 old"),
    "punct-crossing": ("4\tpunct\t4:punct", "5\tpunct\t5:punct", 10, "7", "passes over 6 boats"),
    "direction": ("6\tamod\t6:amod", "6\tconj\t6:conj", 8, "5", "conj of 6"),
    "deps-head": ("6:amod", "4:amod", 8, "5", "HEAD is 6, but DEPS is 4:amod"),
}
OFFICIAL = {  # the name that the validator of Universal Dependencies has for the same
    "format": "word-id-sequence",
    "line-break": "non-unix-newline",
    "byte-order-mark": "invalid-line",
    "blank-line": "empty-sentence",
    "end-of-file": "missing-empty-line",
    "comment-place": "misplaced-comment",
    "white-space": "trailing-whitespace",
    "unicode": "unicode-normalization",
    "sent-id": "missing-sent-id",
    "text": "text-form-mismatch",
    "space-after": "spaceafter-mwt-node",
    "multiword-token": "mwt-nonempty-field",
    "empty-node": "empty-node-nonempty-field",
    "upos": "unknown-upos",
    "feats": "unsorted-features",
    "misc": "empty-misc",
    "relation": "unknown-udeprel",
    "head": "invalid-head",
    "cycle": "non-tree",
    "roots": "multiple-roots",
    "root-relation": "root-is-not-0",
    "deps-format": "unknown-ehead",
    "deps-missing": "unconnected-egraph",
    "deps-root": "enhanced-0-is-not-root",
    "deps-reach": "unconnected-egraph",
    "two-subjects": "too-many-subjects",
    "two-objects": "too-many-objects",
    "punct-tag": "rel-upos-punct",
    "punct-dependents": "leaf-punct",
    "punct-crossing": "punct-is-nonproj",
    "direction": "right-to-left-conj",
}


def found_in(text: str, **options: object) -> list[Finding]:
    return check(io.BytesIO(text.encode()), **options)  # type: ignore[arg-type]


def broken(rule: str) -> str:
    if rule == "empty-node":
        return ELLIPSIS.replace("VERB\t_\t_\t_\t_\t2:conj:and", "VERB\t_\t_\t2\tconj\t2:conj:and")
    old, new = BROKEN[rule][:2]
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_valid_sentences_have_no_findings() -> None:
    assert found_in(GOOD + ELLIPSIS) == []


def test_every_rule_below_level_four_has_a_sentence_that_breaks_it() -> None:
    assert set(BROKEN) == {name for name, rule in RULES.items() if rule.level < 4}


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if rule != "empty-node"])
def test_a_broken_rule_is_found_at_its_place(rule: str) -> None:
    found = [finding for finding in found_in(broken(rule)) if finding.rule == rule]
    [finding] = found
    _, _, line, word, reason = BROKEN[rule]
    assert (finding.line, finding.word, finding.level) == (line, word, RULES[rule].level)
    assert reason in finding.reason
    if rule not in ("format", "sent-id"):
        assert finding.sent_id == "s1"
    if word is not None:
        assert finding.form == next(row.split("\t")[1] for row in GOOD.split("\n") if row.startswith(f"{word}\t"))


def test_an_empty_node_has_no_head() -> None:
    [finding] = found_in(broken("empty-node"))
    assert (finding.rule, finding.word, finding.line) == ("empty-node", "5.1", 8)


@pytest.mark.parametrize("rule", OFFICIAL)
def test_the_validator_of_universal_dependencies_reports_the_same(rule: str, tmp_path: Path) -> None:
    assert OFFICIAL[rule] in official_findings(tmp_path, broken(rule))


def test_the_validator_of_universal_dependencies_accepts_the_valid_sentences(tmp_path: Path) -> None:
    assert official_findings(tmp_path, GOOD + ELLIPSIS) == set()


def official_findings(folder: Path, text: str) -> set[str]:
    """What the official validator reports, up to level 3."""
    udtools = pytest.importorskip("udtools")
    path = folder / "a.conllu"
    path.write_bytes(text.encode())
    output = io.StringIO()
    udtools.Validator(lang="ud", level=3, output=output).validate_files([str(path)])
    return set(re.findall(r"\[L\d \w+ ([a-z0-9-]+)\]", output.getvalue())) - {"pron-det-without-prontype"}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_level_has_the_rules_up_to_it(level: int) -> None:
    text = "".join(
        broken(rule).replace("s1", rule) for rule in BROKEN if rule not in ("format", "end-of-file", "sent-id")
    )
    levels = {finding.level for finding in found_in(text, level=level)}
    assert levels == set(range(1, level + 1))


def test_ignored_rules_are_not_reported() -> None:
    assert found_in(broken("upos"), ignore=["upos"]) == []
    with pytest.raises(InputError, match="ignore has 'nonsense'; the rules are format, "):
        check([], ignore=["nonsense"])
    with pytest.raises(InputError, match="level is 7; expected one of 1, 2, 3, 4"):
        check([], level=7)


def test_findings_are_in_the_order_of_lines() -> None:
    wrong = broken("multiword-token")
    for rule in ("two-subjects", "misc"):
        old, new = BROKEN[rule][:2]
        wrong = wrong.replace(old, new)
    lines = [finding.line for finding in found_in(wrong + wrong.replace("sent_id = ", "sent_id = other-"))]
    assert len(lines) >= 6
    assert lines == sorted(lines)


def test_repeated_sent_ids_are_found() -> None:
    [finding] = found_in(GOOD + GOOD)
    assert (finding.rule, finding.reason) == ("sent-id", "sent_id is also that of the sentence at line 1")


@pytest.mark.parametrize(
    "cell",
    ["Case=nom", "case=Nom", "Case", "Case=Nom|Case=Acc", "Case=Nom,Acc", "Case=Nom||Number=Sing", "Case=Nom,Nom"],
)
def test_malformed_features_are_found(cell: str) -> None:
    assert [finding.rule for finding in found_in(GOOD.replace("Case=Nom|Number=Sing", cell))] == ["feats"]


@pytest.mark.parametrize("cell", ["Case=Acc,Nom", "Number[psor]=Sing", "Case=Nom|Number=Sing|PronType=Prs", "_"])
def test_well_formed_features_are_not_found(cell: str) -> None:
    assert found_in(GOOD.replace("Case=Nom|Number=Sing", cell)) == []


@pytest.mark.parametrize("cell", ["6:amod|6:amod", "6:amod|4:dep", "6", "6:", "5:amod", "6:Amod", "6.1:amod", "6:root"])
def test_malformed_deps_are_found(cell: str) -> None:
    rules = {finding.rule for finding in found_in(GOOD.replace("6:amod", cell), level=2)}
    assert rules & {"deps-format", "deps-root"}


@pytest.mark.parametrize("cell", ["6:amod", "4:dep|6:amod", "6:amod:of_the", "6:amod:до"])
def test_well_formed_deps_are_not_found(cell: str) -> None:
    assert found_in(GOOD.replace("6:amod", cell), level=2) == []


def test_an_open_head_is_reported_once() -> None:
    text = GOOD.replace("0\troot\t0:root", "_\troot\t0:root")
    assert [finding.rule for finding in found_in(text, level=2)] == ["head"]


def test_an_outer_subject_is_no_second_subject() -> None:
    assert found_in(broken("two-subjects").replace("nsubj\t4:nsubj\t_\n6", "nsubj:outer\t4:nsubj:outer\t_\n6")) == []


def test_punctuation_inside_an_arc_that_it_does_not_belong_to_is_found() -> None:
    rows = [("a", 2, "det"), ("b", 0, "root"), (",", 5, "punct"), ("c", 2, "obj"), ("d", 2, "dep")]
    sentence = Sentence.from_words(
        [form for form, _, _ in rows],
        upos=["DET", "VERB", "PUNCT", "NOUN", "X"],
        heads=[head for _, head, _ in rows],
        deprels=[relation for _, _, relation in rows],
    )
    found = check([sentence], ignore=["sent-id", "text"])
    assert [(one.rule, one.word) for one in found] == [("punct-crossing", "3")]


def test_sentences_that_cannot_be_read_are_findings_and_the_others_are_checked() -> None:
    found = found_in("1\tonly\n\n" * 150 + broken("upos"))
    assert [finding.rule for finding in found].count("format") == 101
    assert found[-1].reason == "50 more sentences cannot be read"
    assert found[100].rule == "upos"


def test_a_file_without_sentences_is_a_finding() -> None:
    [finding] = found_in("")
    assert str(finding) == "<file>: format: the file is empty; expected at least one sentence"


# -- against another treebank


def bank(*kinds: tuple[str, str, str, int]) -> list[Sentence]:
    """For each (tag, relation, tag of the head, number) so many sentences of two words."""
    return [
        Sentence.from_words(
            ["a", "b"], upos=[tag, head], heads=[2, 0], deprels=[relation, "root"], xpos=[tag.lower(), "x"]
        )
        for tag, relation, head, number in kinds
        for _ in range(number)
    ]


def against(sentence: Sentence, other: list[Sentence]) -> list[Finding]:
    return [finding for finding in check([sentence], against=other) if finding.level == 4]


USUAL = (("NOUN", "nsubj", "VERB", 400), ("ADV", "advmod", "VERB", 400), ("DET", "det", "NOUN", 400))


def test_counts_are_those_of_a_direct_count() -> None:
    counts = Counts.of(bank(*USUAL))
    assert counts.words == 2400
    assert counts.with_tag["nsubj", "NOUN"] == 400
    assert counts.below_tag["nsubj", "VERB"] == 400
    assert counts.below_tag["root", "ROOT"] == 1200
    assert counts.heads_with["det"] == 400
    assert counts.heads_with_two["det"] == 0


@pytest.mark.parametrize(("times", "words"), [(0, "never"), (1, "once"), (2, "2 times")])
def test_a_relation_that_hardly_ever_has_a_tag_is_found_with_its_count(times: int, words: str) -> None:
    [sentence] = bank(("ADV", "nsubj", "VERB", 1))
    found = against(sentence, bank(*USUAL, ("ADV", "nsubj", "VERB", times)))
    [finding] = found
    assert (finding.rule, finding.word, finding.count) == ("rare-relation", "1", times)
    assert finding.reason.startswith(f"nsubj with the tag ADV: {words} in {400 + times} nsubj and {400 + times} ADV")


def test_a_combination_that_occurs_or_is_not_expected_by_chance_is_not_found() -> None:
    [sentence] = bank(("ADV", "nsubj", "VERB", 1))
    assert against(sentence, bank(*USUAL, ("ADV", "nsubj", "VERB", 3))) == []
    few = bank(("NOUN", "nsubj", "VERB", 20), ("ADV", "advmod", "VERB", 20))
    assert against(sentence, few) == []


def test_a_relation_that_hardly_ever_is_below_a_tag_is_found() -> None:
    [sentence] = bank(("DET", "det", "VERB", 1))
    found = against(sentence, bank(*USUAL))
    assert [(one.rule, one.count) for one in found] == [("rare-head", 0)]
    assert found[0].reason == "det below the tag VERB: never in 400 det and 800 VERB"


def test_unknown_values_are_found() -> None:
    sentence = Sentence.from_words(
        ["a"], upos=["INTJ"], xpos=["UH"], feats=["Polite=Form"], heads=[0], deprels=["root:x"]
    )
    found = against(sentence, bank(*USUAL))
    assert [one.rule for one in found] == ["unknown-upos", "unknown-xpos", "unknown-relation", "unknown-feature"]
    assert {one.count for one in found} == {0}


def test_an_unknown_xpos_is_not_found_where_many_occur_once() -> None:
    [sentence] = bank(("INTJ", "advmod", "VERB", 1))
    rules = [one.rule for one in against(sentence, bank(*USUAL, ("PART", "dep", "VERB", 1)))]
    assert "unknown-upos" in rules
    assert "unknown-xpos" not in rules


def test_a_repeated_relation_is_found_if_it_is_never_repeated_there() -> None:
    sentence = Sentence.from_words(
        ["a", "b", "c"], upos=["NOUN", "NOUN", "VERB"], heads=[3, 3, 0], deprels=["nsubj", "nsubj", "root"]
    )
    often = bank(("NOUN", "nsubj", "VERB", 1000))
    [finding] = [one for one in against(sentence, often) if one.rule == "rare-repetition"]
    assert finding.reason == "2 modifiers with nsubj: never in 1000 heads with nsubj"
    assert "rare-repetition" not in [one.rule for one in against(sentence, often[:999])]
    assert "rare-repetition" not in [one.rule for one in against(sentence, [*often, *[sentence] * 3])]


# -- the command


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("good.conllu").write_text(GOOD)
    Path("bad.conllu").write_text(broken("upos").replace("s1", "s3") + broken("two-subjects"))
    return runner(monkeypatch, capsys, "check")


def test_a_clean_treebank_ends_with_status_zero(run: Run) -> None:
    assert run("good.conllu") == Ended(0, "", "treewright: nothing found\n")
    assert run("good.conllu", "-q") == Ended(0, "", "")


def test_findings_are_printed_and_counted_and_end_with_status_one(run: Run) -> None:
    ended = run("good.conllu", "bad.conllu")
    assert ended.returncode == 1
    assert ended.stdout.splitlines() == [
        "bad.conllu:8: upos: 5 old: UPOS is ADJE; expected one of the 17 universal tags (sent_id s3)",
        "bad.conllu:18: two-subjects: 4 see: nsubj 1 She, nsubj 5 old; expected at most one subject (sent_id s1)",
    ]
    assert ended.stderr == "treewright: 2 findings: 1 upos, 1 two-subjects\n"


def test_options_of_the_command(run: Run) -> None:
    assert run("bad.conllu", "--level", "1").returncode == 0
    assert run("bad.conllu", "--ignore", "upos", "--ignore", "two-subjects").returncode == 0
    limited = run("bad.conllu", "--max", "1")
    assert (limited.returncode, limited.stdout.count("\n")) == (1, 1)
    assert limited.stderr == "treewright: 2 findings: 1 upos, 1 two-subjects\n"
    unknown = run("bad.conllu", "--ignore", "nonsense")
    assert unknown.returncode == 2
    assert "no rule nonsense; there are format, " in " ".join(unknown.stderr.split())


def test_json_has_the_same_findings(run: Run) -> None:
    report = json.loads(run("bad.conllu", "--json").stdout)
    assert (report["total"], report["counts"]) == (2, {"upos": 1, "two-subjects": 1})
    assert [Finding(**one) for one in report["findings"]] == check("bad.conllu")


def test_the_command_compares_with_a_treebank(run: Run) -> None:
    tw.write(bank(*USUAL), "train.conllu")
    tw.write(bank(("ADV", "nsubj", "VERB", 1)), "odd.conllu")
    ended = run("odd.conllu", "--against", "train.conllu", "--ignore", "sent-id", "--ignore", "text")
    assert ended.returncode == 1
    assert "rare-relation: 1 a: nsubj with the tag ADV: never in 400 nsubj and 400 ADV" in ended.stdout


def test_the_page_lists_every_rule() -> None:
    page = (Path(__file__).parents[2] / "docs" / "checking.md").read_text(encoding="utf-8")
    for name, rule in RULES.items():
        assert f"| `{name}` | {rule.level} | {rule.requires} |" in page


def test_one_sentence_is_no_list_of_sentences() -> None:
    sentence = next(iter(tw.read(io.StringIO(GOOD))))
    with pytest.raises(InputError, match="sentences is one sentence; expected a list of sentences"):
        check(sentence)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="against is one sentence; expected a list of sentences"):
        check([sentence], against=sentence)  # type: ignore[arg-type]
