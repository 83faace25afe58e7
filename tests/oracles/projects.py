"""A small treebank, and a client of a project of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treewright.annotate import Project

Make = Callable[..., Project]

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
        base = self.project.state(sentence, self.layer).revision
        return self.project.apply(sentence, self.layer, self.person, self.id(), base, ops, cursor)

    def head(self, sentence: int, word: int, head: int) -> Any:
        return self.send(sentence, {"kind": "head", "word": word, "head": head})

    def call(self, name: str, sentence: int) -> Any:
        return getattr(self.project, name)(sentence, self.layer, self.person, self.id())
