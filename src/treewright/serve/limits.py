"""The limits of the service; `/api/v1/health` lists them."""

from __future__ import annotations

from dataclasses import dataclass

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
    # Words of a sentence that is decoded whole: k best, proofs, completion, why-not. One of 350 words takes 0.12 s,
    # one of 500 takes 2.2 s (parser/long_sentences.py).
    whole_words: int = 350
    requests: int = 64  # at a time; further ones are asked to try again
