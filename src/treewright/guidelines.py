"""What the tags, relations and features of Universal Dependencies mean: a sentence each, and where to read more.

`guidelines.tsv` has the sentences, which are our own, and short; the guidelines at universaldependencies.org decide.
The rows of the kind xpos are the XPOS tags of the embedded English model.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from treewright.errors import InputError

GUIDELINES = "https://universaldependencies.org"


def read_table() -> dict[str, dict[str, dict[str, str]]]:
    """Return the meaning by kind, name and value; the empty value has the meaning of the name alone."""
    table: dict[str, dict[str, dict[str, str]]] = {}
    for row in Path(__file__).with_name("guidelines.tsv").read_text("utf-8").splitlines()[1:]:
        kind, name, value, meaning = row.split("\t")
        table.setdefault(kind, {}).setdefault(name, {})[value] = meaning
    return table


TABLE = read_table()
TAGS, PENN_TAGS, RELATIONS, FEATURES = (TABLE[kind] for kind in ("upos", "xpos", "relation", "feature"))


UNIVERSAL_RELATIONS = frozenset(name for name in RELATIONS if ":" not in name)

# What the guidelines exclude, whatever the language. `treewright.checking` reports it at level 3; the parser chooses no
# labels that break it.
SUBJECTS = ("nsubj", "csubj")  # a word has one at most
OUTER = ":outer"  # the subject of an outer clause, beside which another may stand
OBJECT = "obj"  # a word has one at most, and a noun has none
NOUNS = ("NOUN", "PROPN")
PREDICATE_MARKS = ("cop", "aux")  # their head is a predicate, which may have an object
LEFT_TO_RIGHT = ("conj", "fixed", "flat", "goeswith", "appos")  # their head is on the left
PUNCTUATION, PUNCTUATION_TAG = "punct", "PUNCT"  # only words with this tag have this relation, and no other but root


def explain(name: str) -> str:
    """Explain the name of a tag, relation or feature of Universal Dependencies, or of a tag of the model "en".

    The answer is a sentence for each meaning that the name has, and the address of its guideline.

    >>> print(explain("obl:unmarked"))
    obl:unmarked (relation): noun that modifies a predicate without a preposition, such as a time (she left last *week*)
    https://universaldependencies.org/en/dep/obl-unmarked.html
    >>> print(explain("Number=Plur"))
    Number=Plur (feature): grammatical number; plural
    https://universaldependencies.org/u/feat/Number.html
    """
    if not isinstance(name, str):
        raise TypeError(f"name is {name!r}; expected a str such as 'nsubj'")
    meanings = [*tag_meanings(name), *relation_meanings(name), *feature_meanings(name)]
    if meanings:
        return "\n".join(meanings)
    known = [*TAGS, *RELATIONS, *FEATURES, *PENN_TAGS]
    by_case = {other.lower(): other for other in known}
    similar = get_close_matches(name.lower(), by_case, 1)
    suggestion = f"; did you mean {by_case[similar[0]]}?" if similar else ""
    raise InputError(f"{name!r} is no tag, relation or feature of Universal Dependencies{suggestion}")


def guideline_address(relation: str) -> str:
    """Return the address of the guideline of a relation, or of the one that it is a subtype of; empty if unknown.

    >>> guideline_address("nmod:xyz")
    'https://universaldependencies.org/u/dep/nmod.html'
    """
    meanings = relation_meanings(relation)
    return meanings[0].rpartition("\n")[2] if meanings else ""


def tag_meanings(name: str) -> list[str]:
    """Explain a part-of-speech tag, universal or of the Penn Treebank."""
    meanings = []
    if name in TAGS:
        meanings.append(f"{name} (tag, UPOS): {TAGS[name]['']}\n{GUIDELINES}/u/pos/{file_name(name)}.html")
    if name in PENN_TAGS:
        address = f"{GUIDELINES}/tagset-conversion/en-penn-uposf.html"
        meanings.append(f"{name} (tag, XPOS of English): {PENN_TAGS[name]['']}\n{address}")
    return meanings


def relation_meanings(name: str) -> list[str]:
    """Explain a relation; a subtype that is not known by its relation."""
    base = name.partition(":")[0]
    if name in RELATIONS:
        folder = "u" if name == base else "en"  # subtypes are described by language
        return [f"{name} (relation): {RELATIONS[name]['']}\n{GUIDELINES}/{folder}/dep/{file_name(name)}.html"]
    if base in RELATIONS and name != base:
        subtype = f"{name} (relation): a subtype, of some languages or treebanks, of {base}"
        return [f"{subtype}: {RELATIONS[base]['']}\n{GUIDELINES}/u/dep/{file_name(base)}.html"]
    return []


def feature_meanings(name: str) -> list[str]:
    """Explain a feature, alone or with a value."""
    written, _, value = name.partition("=")
    feature = written.partition("[")[0]  # Number[psor] is the number of the possessor
    if feature not in FEATURES:
        return []
    values = FEATURES[feature]
    meaning = values[""]
    if value:
        known = [values.get(part) or TAGS.get(part, {}).get("") for part in value.split(",")]  # Fem,Masc: either
        explained = f"{meaning}; the value {value} is not among the usual ones"
        if all(known):
            explained = f"{meaning}; {' or '.join(map(str, known))}"
    else:
        listed = ", ".join(f"{key} ({text})" for key, text in values.items() if key)
        explained = f"{meaning}: {listed}" if listed else meaning
    return [f"{name} (feature): {explained}\n{GUIDELINES}/u/feat/{feature}.html"]


def file_name(name: str) -> str:
    """Return the name of a page of the guidelines; aux and AUX have another, for Windows cannot have files aux.*."""
    written = name.replace(":", "-")
    return f"{written}_" if written in ("aux", "AUX") else written
