"""The shape of a word: what is known of a word that is rare or was never seen."""

from __future__ import annotations

MAX_ENDING = 3  # letters of an ending in a shape; not tuned


def shapes(form: str) -> list[str]:
    """Return the shapes of a word, the most specific first: digits, a capital or none, and its ending.

    >>> shapes("Running"), shapes("1984")
    (['<A-ing>', '<A-ng>', '<A-g>', '<A>'], ['<0>'])
    """
    if any(character.isdigit() for character in form):
        return ["<0>"]
    shape = "A" if form[:1].isupper() else "a"
    endings = [form[-letters:].lower() for letters in range(min(MAX_ENDING, len(form) - 1), 0, -1)]
    return [*(f"<{shape}-{ending}>" for ending in endings), f"<{shape}>"]
