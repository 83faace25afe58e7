"""CoNLL-U files by definition: one for every seed, and what must be read from it, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

# Anything may stand in a cell but a tab and a line break; some of these are line breaks to others, or blanks.
SIGNS = "aéZ_|=:.-#( )語\u00a0\u0085\u2028\x0b\x1c\0𝔘ا"
Row = list[str]


@dataclass(frozen=True)
class File:
    """The bytes of a file, and what each of its sentences should be: rows of ten cells, and comments."""

    content: bytes
    sentences: list[list[Row]]
    comments: list[list[str]]


def some_cell(random: Random) -> str:
    return "".join(random.choices(SIGNS, k=random.randint(1, 4))) if random.random() < 0.6 else "_"


def some_comment(random: Random) -> str:
    return random.choice(["# sent_id = s-1", "#", "# text = a = b", "# " + some_cell(random), "#" + some_cell(random)])


def some_rows(random: Random) -> list[Row]:
    """A sentence: words, multiword tokens before their first word, empty nodes after any word and before the first."""
    words = random.randint(1, 5)
    empty = [random.choice([0, 0, 0, 1, 2]) for _ in range(words + 1)]
    nodes = [f"{word}.{minor + 1}" for word in range(words + 1) for minor in range(empty[word])]
    numbers = [str(number) for number in range(words + 1)]

    def row(id_: str, head: str) -> Row:
        edges = [
            f"{random.choice(numbers + nodes)}:{random.choice(['dep', 'conj:and'])}"
            for _ in range(random.randint(0, 3))
        ]
        return [
            id_,
            *(some_cell(random) for _ in range(5)),
            head,
            some_cell(random),
            "|".join(edges) or "_",
            some_cell(random),
        ]

    rows = []
    covered = 0
    for word in range(words + 1):
        if word > covered and random.random() < 0.3:
            covered = random.randint(word, words)
            rows.append([f"{word}-{covered}", some_cell(random), *["_"] * 7, some_cell(random)])
        if word:
            rows.append(row(str(word), random.choice(["_", *numbers])))
        rows += [row(f"{word}.{minor + 1}", "_") for minor in range(empty[word])]
    return rows


def some_file(seed: int) -> File:
    random = Random(seed)
    sentences = [some_rows(random) for _ in range(random.randint(1, 4))]
    comments = [[some_comment(random) for _ in range(random.randint(0, 2))] for _ in sentences]
    endings = random.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])

    def line(text: str = "") -> str:
        return text + random.choice(endings)

    def blank_lines() -> list[str]:
        return [line(random.choice(["", "", "", " ", "\t"])) for _ in range(random.choice([1, 1, 1, 2, 3]))]

    lines = [random.choice(["", "", "\ufeff"])]
    lines += random.choice([[], blank_lines(), [line("# about the file"), line()]])
    for rows, remarks in zip(sentences, comments, strict=True):
        lines += [line(remark) for remark in remarks]
        for row in rows:
            lines.append(line("\t".join(row)))
            if random.random() < 0.05 and row is not rows[-1]:
                lines.append(line("# a comment where none should be"))
        lines += blank_lines()
    while random.random() < 0.5 and not lines[-1].strip():  # perhaps it ends without a blank line
        lines.pop()
    ending = random.choice(["", "", "\n# after all\n", "cut"])
    content = "".join(lines)
    content = content.removesuffix("\n").removesuffix("\r") if ending == "cut" else content + ending
    return File(content.encode(), sentences, comments)
