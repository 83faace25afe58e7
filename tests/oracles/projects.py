"""A small treebank, and a client of a project of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from oracles.pipelines import written

from treewright.annotate import Project
from treewright.corpus import Sentence

Make = Callable[..., Project]
Kind = Literal["accept", "reopen", "undo", "redo"]

TREEBANK = """\
# sent_id = dogs
# text = Don't wake the old dogs, please.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\t_
3\twake\twake\tVERB\tVB\tVerbForm=Inf\t0\troot\t0:root\t_
4\tthe\tthe\tDET\tDT\t_\t6\tdet\t6:det\t_
5\told\told\tADJ\tJJ\tDegree=Pos\t6\tamod\t6:amod\t_
6\tdogs\tdog\tNOUN\tNNS\tNumber=Plur\t3\tobj\t3:obj|8.1:nsubj\tSpaceAfter=No
7\t,\t,\tPUNCT\t,\t_\t8\tpunct\t8:punct\t_
8\tplease\tplease\tINTJ\tUH\t_\t3\tdiscourse\t3:discourse\tSpaceAfter=No
8.1\tsleep\tsleep\tVERB\t_\t_\t_\t_\t3:conj\tCopyOf=3
9\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_

# sent_id = boats
# text = Boats with red sails leave.
1\tBoats\tboat\tNOUN\t_\t_\t5\tnsubj\t_\t_
2\twith\twith\tADP\t_\t_\t4\tcase\t_\t_
3\tred\tred\tADJ\t_\t_\t4\tamod\t_\t_
4\tsails\tsail\tNOUN\t_\t_\t1\tnmod\t_\t_
5\tleave\tleave\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t5\tpunct\t_\t_

# sent_id = open
# text = She saw a man with a telescope.
1\tShe\tshe\tPRON\t_\t_\t_\t_\t_\t_
2\tsaw\tsee\tVERB\t_\t_\t_\t_\t_\t_
3\ta\ta\tDET\t_\t_\t_\t_\t_\t_
4\tman\tman\tNOUN\t_\t_\t_\t_\t_\t_
5\twith\twith\tADP\t_\t_\t_\t_\t_\t_
6\ta\ta\tDET\t_\t_\t_\t_\t_\t_
7\ttelescope\ttelescope\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No
8\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

"""


def gold_and_work(count: int, seed: int, line_end: str = "\n") -> tuple[bytes, bytes]:
    """Return a treebank with comments, multiword tokens, empty nodes and DEPS, and the same with other heads.

    In the second one every other sentence is open, and the others have chains in place of trees.
    """
    gold, work = [], []
    for number, sentence in enumerate(written(count, seed)):
        words = range(1, len(sentence) + 1)
        arcs = list(zip(sentence.heads.tolist(), sentence.deprels, strict=True))
        chain = [(word - 1, "dep" if word > 1 else "root") for word in words]
        gold += [*lines_of(sentence, number, arcs, arcs), ""]
        work += [*lines_of(sentence, number, [("_", "_") for _ in words] if number % 2 else chain, arcs), ""]
    return tuple("".join(f"{line}{line_end}" for line in lines).encode() for lines in (gold, work))  # type: ignore[return-value]


def lines_of(sentence: Sentence, number: int, shown: list[Any], arcs: list[tuple[int, str]]) -> list[str]:
    """Return the lines of a sentence with these heads and relations; DEPS has the arcs and other edges."""
    has_token, has_empty_node = number % 3 == 1, number % 4 >= 2
    text = sentence.text.replace(" ", "", 1) if has_token else sentence.text
    lines = [f"# newdoc id = d{number}", "#no space = a = b"] if number % 5 == 0 else []
    lines += [f"# sent_id = s{number}", f"# text = {text}"]
    for word, form in enumerate(sentence.forms, 1):
        if has_token and word == 1:
            lines.append(f"1-2\t{form}{sentence.forms[1]}" + "\t_" * 8)
        head, deprel = arcs[word - 1]
        further = "2.1:nsubj" if word == 1 else f"{word - 1}:dep" if word > 2 and head < word - 1 else ""
        deps = "|".join(filter(None, [f"{head}:{deprel}", further])) if has_empty_node else "_"
        cells = [word, form, "_", sentence.upos[word - 1], "_", "_", *shown[word - 1], deps, sentence.misc[word - 1]]
        lines.append("\t".join(map(str, cells)))
        if has_empty_node and word == 2:
            lines.append("2.1\tempty\t_\tVERB\t_\t_\t_\t_\t0:root\tCopyOf=1")
    return lines


def exported(project: Project, mode: str = "clean", layer: str | None = None) -> str:
    [(_, data)] = project.export(mode, layer)
    return data.decode()


class Client:
    """Sends operations with ids of its own, at the present revision."""

    def __init__(self, project: Project, person: str = "me", layer: str | None = None) -> None:
        self.project, self.person, self.layer = project, person, layer or person
        self.count = 0

    def id(self) -> str:
        self.count += 1
        return f"{self.person}-{self.layer}-{self.count}"

    def send(self, sentence: int, *ops: dict[str, Any], cursor: int | None = None) -> Any:
        base = self.project.editor.state(sentence, self.layer).revision
        return self.project.editor.apply(sentence, self.layer, self.person, self.id(), base, ops, cursor)

    def head(self, sentence: int, word: int, head: int) -> Any:
        return self.send(sentence, {"kind": "head", "word": word, "head": head})

    def call(self, name: Kind, sentence: int) -> Any:
        return self.project.editor.change(name, sentence, self.layer, self.person, self.id())
