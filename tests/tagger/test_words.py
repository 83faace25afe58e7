"""Descriptions of words and characters agree with their definitions, computed one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from treewright._core import surface_class, text_hash
from treewright.tokeniser.characters import ATOMS, REACH, SPACE, TEMPLATES, Layout, atoms_of, class_of, features_of
from treewright.tokeniser.rules import labels_by_rule

TEXTS = ["", " ", "Hi there. It's 5 p.m.", "a\tB  c\n\nd ", "İstanbul – wie schön!", "好。\ud800 x"]
MASK = (1 << 64) - 1


def properties(shape: str) -> tuple[str, bool, bool]:
    letters = [character for character in shape if character in "Aa"]
    has_hyphen = "-" in shape and bool(letters)
    if not letters:
        return "none", "0" in shape, has_hyphen
    if "A" not in letters:
        casing = "lower"
    elif shape[0] != "A":
        casing = "mixed"
    else:
        casing = "upper" if letters == ["A"] * len(letters) and len(letters) > 1 else "capitalised"
    return casing, "0" in shape, has_hyphen


def test_surface_classes_are_casing_digits_and_hyphens() -> None:
    shapes = ["".join(letters) for length in range(6) for letters in product("Aa0-.", repeat=length)]
    number_of = {properties(shape): surface_class(shape) for shape in shapes}
    assert [surface_class(shape) for shape in shapes] == [number_of[properties(shape)] for shape in shapes]
    assert len(set(number_of.values())) == len(number_of) == 18


def fnv(text: str, group: int) -> int:
    state = (0x811C9DC5 + mixed(group)) & 0xFFFFFFFF
    for character in text:
        state = ((state ^ ord(character)) * 0x01000193) & 0xFFFFFFFF
    return mixed(state)


def mixed(x: int) -> int:
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


@pytest.mark.parametrize("text", ["", "a", "Dogs", "好", "\ud800"])
@pytest.mark.parametrize("group", [0, 1, 2**32 - 1])
def test_keys_of_model_files_are_fnv_hashes(text: str, group: int) -> None:
    assert text_hash(text, group) == fnv(text, group)


def chunk_around(text: str, place: int) -> tuple[int, int]:
    """The chunk of a character; an empty one for white space."""
    if text[place].isspace():
        return place, place
    first = place
    while first > 0 and not text[first - 1].isspace():
        first -= 1
    end = place
    while end < len(text) and not text[end].isspace():
        end += 1
    return first, end


def chunk_after(text: str, end: int) -> tuple[int, int]:
    while end < len(text) and text[end].isspace():
        end += 1
    return chunk_around(text, end) if end < len(text) else (end, end)


def substring_hash(text: str, begin: int, end: int) -> int:
    base = 0x9E3779B97F4A7C15
    return sum(lowered(text[k]) * pow(base, k - begin, 1 << 64) for k in range(begin, end)) & MASK


def lowered(character: str) -> int:
    return ord(" ") if character.isspace() else ord(character.lower() if len(character.lower()) == 1 else character)


def class_at(text: str, place: int) -> int:
    return class_of(text[place]) if place < len(text) else 0


@pytest.mark.parametrize("text", TEXTS)
def test_atoms_of_characters_follow_their_definitions(text: str) -> None:
    rule = labels_by_rule(text)
    table = atoms_of(text, rule, Layout.of([len(text)]))
    assert not table[:, :REACH].any()
    assert not table[:, REACH + len(text) :].any()
    found = dict(zip(ATOMS, table[:, REACH : REACH + len(text)], strict=True))
    for place in range(len(text)):
        first, end = chunk_around(text, place)
        begin, stop = chunk_after(text, end)
        expected = {
            "char": lowered(text[place]),
            "class": class_of(text[place]),
            "rule": 1 + rule[place],
            "prefix": substring_hash(text, first, place + 1) if end > first else None,  # undefined for white space
            "rest": substring_hash(text, place + 1, max(end, place + 1)),
            "chunk": substring_hash(text, first, end),
            "first_class": class_at(text, first),
            "length": min(place - first, 8),
            "next_chunk": substring_hash(text, begin, stop)
            if begin < len(text)
            else None,  # undefined if there is none
            "next_class": class_at(text, begin),
            "next_class2": class_at(text, begin + 1),
        }
        for atom, value in expected.items():
            if value is not None:
                assert int(found[atom][place]) == value, (atom, place)


def test_texts_side_by_side_have_the_features_that_each_has_alone() -> None:
    rules = [labels_by_rule(text) for text in TEXTS]
    alone = [
        features_of(text, rule, [len(text)], np.arange(len(text))) for text, rule in zip(TEXTS, rules, strict=True)
    ]
    joined = "".join(TEXTS)
    together = features_of(joined, np.concatenate(rules), [len(text) for text in TEXTS], np.arange(len(joined)))
    assert (together == np.concatenate(alone)).all()


def test_a_feature_is_the_hash_of_its_atoms_and_its_place() -> None:
    text = "Hi there. It's 5 p.m."
    atoms = atoms_of(text, labels_by_rule(text), Layout.of([len(text)]))
    table = features_of(text, labels_by_rule(text), [len(text)], np.arange(len(text)))
    for number, template in enumerate(TEMPLATES):
        for place in range(len(text)):
            values = []
            for item in template.split():
                offset, atom = item.split(".")
                values.append(int(atoms[ATOMS.index(atom), REACH + place + int(offset)]))
            feature = joined(values) if len(values) > 1 else values[0]
            assert int(table[place, number]) == joined([feature, number]) >> 32, (template, place)


def joined(values: list[int]) -> int:
    state = (values[0] + 0x632BE59BD9B4E019) & MASK
    for value in values[1:]:
        state = ((state ^ (state >> 29)) * 0xBF58476D1CE4E5B9 + value) & MASK
    return ((state ^ (state >> 32)) * 0x94D049BB133111EB) & MASK


def test_templates_differ_and_stay_within_reach() -> None:
    assert len(set(TEMPLATES)) == len(TEMPLATES) == 46
    offsets = [int(item.split(".")[0]) for template in TEMPLATES for item in template.split()]
    assert max(map(abs, offsets)) == REACH


def test_all_white_space_is_one_class() -> None:
    spaces = np.array([class_of(character) for character in " \t\n\u00a0\u3000\u2028"])
    assert (spaces == SPACE).all()
