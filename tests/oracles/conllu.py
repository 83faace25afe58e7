"""Random CoNLL-U: files and what must be read from them; treebanks and damaged copies over the same characters."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from random import Random

# CoNLL-U files by definition: one for every seed, and what must be read from it, line by line.

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


# Random treebanks in CoNLL-U, and damaged copies of them over the same characters.
#
# The copies differ in all that an evaluation looks at: heads, relations, tags, features, lemmas, DEPS, tokens split and
# joined, multiword tokens made and dissolved, words of multiword tokens changed, sentences split and joined. Every
# sentence of every copy is a tree with one root, as the official script demands.

RELATIONS = [
    "nsubj",
    "obj",
    "iobj",
    "csubj:pass",
    "ccomp",
    "xcomp",
    "obl:tmod",
    "advcl",
    "advmod",
    "nmod:poss",
    "nmod",
    "amod",
    "conj",
    "flat",
    "compound:prt",
    "det",
    "case",
    "case:loc",
    "cc",
    "aux",
    "aux:pass",
    "cop",
    "mark",
    "punct",
    "clf",
    "dep",
    "parataxis",
    "odd",
]
TAGS = ["NOUN", "VERB", "ADJ", "ADV", "ADP", "DET", "PRON", "AUX", "PUNCT", "X"]
FEATURES = [
    "Case=Nom",
    "Case=Acc",
    "Number=Sing",
    "Number=Plur",
    "Tense=Past",
    "Typo=Yes",
    "Person=3",
    "Gender[psor]=Fem",
    "Mood=Ind",
]
LETTERS = "abcdeABCDEéßλж日本I"
SPACES = (" ", "\u00a0", "\u3000")


@dataclass(eq=False)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: list[str]
    deprel: str
    head: Word | None = None
    edges: list[tuple[Word | str | None, str]] = field(default_factory=list)  # a string is an empty node


@dataclass(eq=False)
class Token:
    form: str
    words: list[Word]
    is_multiword: bool = False


Sentence = list[Token]


def words_of(sentence: Sentence) -> list[Word]:
    return [word for token in sentence for word in token.words]


def generate(
    sentences: int, seed: int, *, longest: int = 25, multiword: float = 0.08, letters: str = LETTERS
) -> list[Sentence]:
    rng = random.Random(seed)
    treebank = []
    for _ in range(sentences):
        sentence = []
        for _ in range(rng.randint(1, longest)):
            form = random_form(rng, letters)
            if rng.random() < multiword:
                parts = [random_form(rng, letters) for _ in range(rng.randint(1, 3))]
                sentence.append(Token(form, [random_word(part, rng) for part in parts], is_multiword=True))
            else:
                sentence.append(Token(form, [random_word(form, rng)]))
        words = words_of(sentence)
        for i in range(len(words)):
            words[i].head = rng.choice(words)
        make_tree(sentence, rng)
        for word in words:
            word.edges = [(word.head, word.deprel)]
            while rng.random() < 0.2:
                word.edges.append((rng.choice([*words, None, "empty"]), random_path(rng)))
        treebank.append(sentence)
    return treebank


def random_form(rng: random.Random, letters: str) -> str:
    form = "".join(rng.choice(letters) for _ in range(rng.randint(1, 6)))
    if rng.random() < 0.02:
        form = form[:1] + rng.choice(SPACES) + form[1:]
    return rng.choice([".", ",", "..."]) if rng.random() < 0.1 else form


def random_word(form: str, rng: random.Random) -> Word:
    tag = rng.choice(TAGS)
    feats = rng.sample(FEATURES, rng.choice([0, 0, 1, 2, 3]))
    lemma = "_" if rng.random() < 0.05 else form.lower()
    return Word(form, lemma, tag, tag.lower(), feats, rng.choice(RELATIONS))


def random_path(rng: random.Random) -> str:
    return ">".join(rng.choice(RELATIONS) for _ in range(rng.choice([1, 1, 1, 1, 2])))


def make_tree(sentence: Sentence, rng: random.Random) -> None:
    """Attach anew what has no head in the sentence or never reaches the root; one word is the root."""
    words = words_of(sentence)
    inside = set(words)
    roots = [word for word in words if word.head is None]
    root = roots[0] if roots else rng.choice(words)
    root.head = None
    for word in words:
        if word is not root and (word.head is None or word.head not in inside or word.head is word):
            word.head = root
    for word in words:
        seen = {word}
        above = word.head
        while above is not None and above not in seen:
            seen.add(above)
            above = above.head
        if above is not None:
            above.head = root
    for word in words:
        word.edges = [(head, path) for head, path in word.edges if not isinstance(head, Word) or head in inside]


def copy(treebank: list[Sentence]) -> list[Sentence]:
    copies: dict[Word, Word] = {}
    result = []
    for sentence in treebank:
        tokens = []
        for token in sentence:
            for word in token.words:
                copies[word] = Word(word.form, word.lemma, word.upos, word.xpos, list(word.feats), word.deprel)
            tokens.append(Token(token.form, [copies[word] for word in token.words], token.is_multiword))
        result.append(tokens)
    for word, copied in copies.items():
        copied.head = copies[word.head] if word.head else None
        copied.edges = [(copies[head] if isinstance(head, Word) else head, path) for head, path in word.edges]
    return result


def damage(
    treebank: list[Sentence], seed: int, *, words: float = 0.1, tokens: float = 0.03, letters: str = LETTERS
) -> list[Sentence]:
    """A copy in which so large a share of the words and tokens is changed."""
    rng = random.Random(seed)
    treebank = copy(treebank)
    result: list[Sentence] = []
    for sentence in treebank:
        damaged = damage_tokens(sentence, tokens, rng, letters)
        if result and rng.random() < tokens:
            result[-1] += damaged
        elif len(damaged) > 1 and rng.random() < tokens:
            cut = rng.randrange(1, len(damaged))
            result += [damaged[:cut], damaged[cut:]]
        else:
            result.append(damaged)
    for sentence in result:
        for word in words_of(sentence):
            damage_word(word, words, sentence, rng)
        make_tree(sentence, rng)
    return result


def damage_tokens(sentence: Sentence, share: float, rng: random.Random, letters: str) -> Sentence:
    result: Sentence = []
    for token in sentence:
        if rng.random() >= share:
            result.append(token)
            continue
        change = rng.choice(["split", "join", "multiword", "single", "inner", "case"])
        compact = "".join(character for character in token.form if character not in SPACES)
        if change == "split" and len(compact) > 1:
            cut = rng.randrange(1, len(compact))
            for part in (compact[:cut], compact[cut:]):
                result.append(Token(part, [random_word(part, rng)]))
        elif change == "join" and result:
            before = result.pop()
            form = before.form + token.form
            result.append(Token(form, [random_word(form, rng)]))
        elif change == "multiword" and len(compact) > 1:
            cut = rng.randrange(1, len(compact))
            parts = [compact[:cut], compact[cut:]]
            result.append(Token(token.form, [random_word(part, rng) for part in parts], is_multiword=True))
        elif change == "single":
            token.words[0].form = token.form
            result.append(Token(token.form, token.words[:1]))
        else:
            for word in token.words if token.is_multiword else []:
                word.form = (
                    word.form.swapcase() if change == "case" else rng.choice([word.form, random_form(rng, letters)])
                )
            result.append(token)
    return result


def damage_word(word: Word, share: float, sentence: Sentence, rng: random.Random) -> None:
    words = words_of(sentence)
    if rng.random() < share:
        word.head = rng.choice(words)
    if rng.random() < share:
        word.deprel = rng.choice([word.deprel.split(":")[0], rng.choice(RELATIONS)])
    if rng.random() < share:
        word.upos = rng.choice(TAGS)
    if rng.random() < share:
        word.xpos = rng.choice(TAGS)
    if rng.random() < share:
        word.feats = rng.sample([*word.feats, "Typo=No", "Case=Gen"], rng.randint(0, len(word.feats) + 1))
    if rng.random() < share:
        word.lemma = rng.choice(["_", word.lemma + "x"])
    if rng.random() < share and word.edges:
        change = rng.randrange(4)
        head, path = word.edges[0]
        if change == 0:
            word.edges = word.edges[1:]
        elif change == 1:
            word.edges = [*word.edges, word.edges[0]]
        elif change == 2:
            word.edges = [(head, path.split(":")[0] + ":x"), *word.edges[1:]]
        else:
            word.edges = [*word.edges, (rng.choice([*words, None, "empty"]), random_path(rng))]


def to_conllu(treebank: list[Sentence]) -> str:
    lines = []
    for number, sentence in enumerate(treebank, 1):
        numbers = {word: i for i, word in enumerate(words_of(sentence), 1)}
        lines.append(f"# sent_id = {number}\twith a tab")
        for token in sentence:
            if token.is_multiword:
                first, last = numbers[token.words[0]], numbers[token.words[-1]]
                lines.append(f"{first}-{last}\t{token.form}" + "\t_" * 8)
            for word in token.words:
                lines.append(row_of(word, numbers))
                if any(head == "empty" for head, _ in word.edges):
                    lines.append(f"{numbers[word]}.1\tempty" + "\t_" * 6 + "\t0:dep\t_")
        lines.append("")
    return "".join(line + "\n" for line in lines)


def row_of(word: Word, numbers: dict[Word, int]) -> str:
    def number(head: Word | str | None) -> str:
        return f"{numbers[word]}.1" if isinstance(head, str) else str(numbers[head] if head else 0)

    deps = "|".join(f"{number(head)}:{path}" for head, path in word.edges) or "_"
    feats = "|".join(word.feats) or "_"
    cells = [str(numbers[word]), word.form, word.lemma, word.upos, word.xpos, feats, number(word.head), word.deprel]
    return "\t".join([*cells, deps, "_"])


def parse_conllu(text: str) -> list[Sentence]:
    """A real treebank in these terms; what is not evaluated is lost."""
    treebank = []
    for block in text.strip("\n").split("\n\n"):
        sentence: Sentence = []
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        words: list[Word] = []
        end = 0
        for row in rows:
            if "-" in row[0]:
                end = int(row[0].split("-")[1])
                sentence.append(Token(row[1], [], is_multiword=True))
            elif "." not in row[0]:
                words.append(Word(row[1], row[2], row[3], row[4], row[5].split("|"), row[7]))
                if len(words) > end:
                    sentence.append(Token(row[1], []))
                sentence[-1].words.append(words[-1])
        for word, row in zip(words, (row for row in rows if row[0].isdecimal()), strict=True):
            word.head = words[int(row[6]) - 1] if row[6] != "0" else None
            edges = [edge.split(":", 1) for edge in row[8].split("|")] if row[8] != "_" else []
            for head, path in edges:
                word.edges.append(("empty" if "." in head else words[int(head) - 1] if head != "0" else None, path))
        treebank.append(sentence)
    return treebank


# Three sentences that the tests of commands search, draw and rewrite.

PETS = """\
# sent_id = dogs-1
# text = Dogs chase cats.
1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t2\tnsubj\t2:nsubj\t_
2\tchase\tchase\tVERB\t_\t_\t0\troot\t0:root\t_
3\tcats\tcat\tNOUN\t_\tNumber=Plur\t2\tobj\t2:obj\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

# sent_id = sue-2
# text = Sue reads and writes
1\tSue\tSue\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|4:nsubj\t_
2\treads\tread\tVERB\t_\t_\t0\troot\t0:root\t_
3\tand\tand\tCCONJ\t_\t_\t4\tcc\t4:cc\t_
4\twrites\twrite\tVERB\t_\t_\t2\tconj\t0:root|2:conj:and\t_

# sent_id = run-3
1\tRun\trun\tVERB\t_\t_\t0\troot\t0:root\t_

"""


# A sentence with a multiword token and words without a space after them.

DONT_GO = """# sent_id = s1
# text = Don't go, cats!
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	Mood=Imp|VerbForm=Fin	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	go	go	VERB	VB	VerbForm=Inf	0	root	_	SpaceAfter=No
4	,	,	PUNCT	,	_	5	punct	_	_
5	cats	cat	NOUN	NNS	Number=Plur	3	vocative	_	SpaceAfter=No
6	!	!	PUNCT	.	_	3	punct	_	_
"""
