"""The limits of the service; `/api/v1/health` lists them."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.parser.long_sentences import MAX_ASKED

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one request may use. Requests beyond a limit are answered by 413, 503 or 504."""

    body: int = 4 * MEBIBYTE  # bytes of a request
    body_seconds: float = 60.0  # for a request to arrive
    # For the answer. 4 MiB of text take 90 s of CPU time with `en`; long requests take turns with short ones, so that
    # they hold up nobody.
    seconds: float = 300.0
    sentence_seconds: float = 2.0  # of the search for one sentence; the best tree found by then has a gap
    sentence_words: int = 2_000
    asked_words: int = MAX_ASKED  # of a sentence with a question about a word, which is decoded whole
    requests: int = 64  # at a time; further ones are asked to try again
