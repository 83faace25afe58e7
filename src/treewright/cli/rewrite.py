"""`treewright rewrite`: change treebanks by rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import each_file, jobs_of
from treewright.cli.shared import note, quantity, read_text, write_sentences
from treewright.corpus import Sentence
from treewright.query import Rules

app, command = opt.new_command(
    "rewrite",
    "A rule is a request and commands: rule obj { pattern { e: V -[dobj]-> O } commands { e.label = obj } }. The rules "
    "are applied in their order until nothing changes. What no rule changes is written byte for byte; DEPS follows "
    "HEAD and DEPREL; a result that is not a tree is an error with the rule and the sentence. The number of "
    "applications of each rule is printed. docs/searching.md describes the language.",
    "treewright rewrite fixes.grs dev.conllu -o dev.conllu",
    "treewright rewrite fixes.grs *.conllu -o rewritten/",
)


@command
def rewrite(
    rules: Annotated[str, opt.argument("RULES", "A file with rules.")],
    inputs: Annotated[list[str] | None, opt.argument("INPUT", 'CoNLL-U; "-" is standard input.')] = None,
    output: Annotated[
        str, opt.output_option("may be the input itself. A folder takes the result of each of several inputs.")
    ] = "-",
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    report = Report(Rules(read_text(rules, "rules"), source=rules))
    for target, sentences in each_file(jobs_of(inputs or ["-"], output, "conllu"), quiet=quiet, output=output):
        write_sentences(report.rewrite(sentences), target)
    if as_json:
        typer.echo(json.dumps(report.as_dict()), err=output == "-")
    elif not quiet:
        for line in report.in_words():
            note(line)


@dataclass
class Report:
    """The rules, and how often each was applied."""

    rules: Rules
    sentences: int = 0
    changed: int = 0
    applied: Counter[str] = field(default_factory=Counter)
    changed_by_rule: Counter[str] = field(default_factory=Counter)

    def rewrite(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the sentences after rewriting."""
        for sentence in sentences:
            result = self.rules.apply(sentence)
            self.sentences += 1
            self.changed += bool(result.applied)
            self.applied += result.applied
            self.changed_by_rule.update(result.applied.keys())
            yield result.sentence

    def as_dict(self) -> dict[str, object]:
        rules = {
            name: {"applied": self.applied[name], "sentences": self.changed_by_rule[name]} for name in self.rules.names
        }
        return {"sentences": self.sentences, "changed": self.changed, "rules": rules}

    def in_words(self) -> Iterator[str]:
        for name in self.rules.names:
            times = quantity(self.applied[name], "time")
            yield f"{name}: applied {times} in {quantity(self.changed_by_rule[name], 'sentence')}"
        yield f"{self.changed} of {quantity(self.sentences, 'sentence')} changed"
