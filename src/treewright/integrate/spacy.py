"""A component and a tokeniser for pipelines of spaCy, which finds both by the entry points of this package.

    nlp = spacy.blank("en")
    nlp.add_pipe("treewright", config={"model": "en"})

The component parses the tokens that a Doc has. Starts of sentences that are set before are kept; the others are those
of the tokeniser of the model. Importing this module imports no model: spaCy imports it with every pipeline.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treewright import trees
from treewright.corpus import Sentence, replacing
from treewright.corpus.graph import Token as MultiwordToken
from treewright.corpus.offsets import offsets_in_token, surface_tokens, token_range
from treewright.errors import InputError, MissingExtra
from treewright.model.registry import load_component, open_named

try:
    from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
    from spacy.language import Language
    from spacy.parts_of_speech import IDS
    from spacy.tokens import Doc, Span, Token
    from spacy.util import minibatch
except ImportError as error:
    raise MissingExtra("spacy", "spacy", "treewright.integrate.spacy") from error

if TYPE_CHECKING:
    from treewright.pipeline import Pipeline

ASSIGNED = ["token.head", "token.dep", "token.pos", "token.tag", "token.morph", "token.lemma", "token.is_sent_start"]
KEY = "treewright"  # of the results in `Doc.user_data`
CONFIDENCE = ("head_confidence", "label_confidence")


class Certificate(NamedTuple):
    """How good a tree is under the model: its score, an upper bound on the gain of any other tree, whether it is 0."""

    score: float
    gap: float
    certified: bool


def create_component(nlp: Language, name: str, model: str) -> SpacyParser:
    """Create the component; model is the name or the file of a pipeline of Treewright."""
    return SpacyParser(model)


Language.factory(KEY, assigns=ASSIGNED, default_config={"model": "en"}, func=create_component)


def create_tokenizer(model: str = "en") -> Callable[[Language], SpacyTokenizer]:
    """Return a function that creates the tokeniser: `treewright.Tokenizer.v1` in the configuration of spaCy.

    model: the name or the file of a pipeline of Treewright.
    """
    return lambda nlp: SpacyTokenizer(nlp.vocab, model)


class _WithModel:
    """What the component and the tokeniser store: the name and the hash of the model, not the model itself."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.pipeline = cast("Pipeline", load_component(model, "pipeline"))
        set_extensions()

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the name of the model and the SHA-256 of its file, as JSON."""
        digest = hashlib.sha256(Path(open_named(self.model).path).read_bytes()).hexdigest()
        return json.dumps({"model": self.model, "sha256": digest}).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Any:
        """Check that the model is the one that was stored, and return the object itself."""
        stored, loaded = json.loads(data), json.loads(self.to_bytes())
        if stored["sha256"] != loaded["sha256"]:
            raise InputError(
                f"the pipeline of spaCy was saved with another file of the model {stored['model']} (SHA-256 "
                f"{stored['sha256'][:12]}, but {self.model} has {loaded['sha256'][:12]}); give that file, or save again"
            )
        return self

    def to_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> None:
        """Write the name and the hash of the model to a file."""
        with replacing(path) as beside:
            beside.write_bytes(self.to_bytes())

    def from_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> Any:
        """Check that the model is the one that a file names, and return the object itself."""
        return self.from_bytes(Path(path).read_bytes())


class SpacyParser(_WithModel):
    """Tags and parses the tokens of Docs: HEAD, DEP, POS, TAG, MORPH, LEMMA and starts of sentences."""

    def __call__(self, doc: Doc) -> Doc:
        """Set the annotation of a Doc and return it."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the annotation of a stream of Docs and yield them; the Docs of a batch are parsed together."""
        for docs in minibatch(stream, batch_size):
            readings = [read_doc(doc, starts) for doc, starts in zip(docs, self._starts_of(docs), strict=True)]
            sentences = [sentence for reading in readings for sentence in reading.sentences]
            parsed = self.pipeline.parse(sentences, comment=False)
            for doc, reading in zip(docs, readings, strict=True):
                annotate(doc, reading.places, list(islice(parsed, len(reading.sentences))))
                yield doc

    def _starts_of(self, docs: Sequence[Doc]) -> list[NDArray[np.bool_]]:
        """Return which tokens of each Doc start a sentence: the preset ones, or else the tokeniser's."""
        preset = [np.array([SENT_START_VALUES[token.is_sent_start] for token in doc]) for doc in docs]
        is_open = [bool((values[1:] == 0).any()) for values in preset]
        split = iter(self.pipeline.tokeniser.batch([doc.text for doc, each in zip(docs, is_open, strict=True) if each]))
        starts = []
        for doc, values, each in zip(docs, preset, is_open, strict=True):
            chosen = starts_in(doc, next(split)) if each else np.zeros(len(doc), dtype=np.bool_)
            starts.append((values == 1) | (chosen & (values == 0)))
        return starts


class SpacyTokenizer(_WithModel):
    """Splits texts into words of Universal Dependencies; the starts of sentences are set.

    A multiword token is several tokens if the forms of its words make it up ("don't"); else it is one token, whose
    words are in `token._.words` and are parsed as words of their own.
    """

    def __init__(self, vocab: Any, model: str) -> None:
        super().__init__(model)
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Return the Doc of a text."""
        [sentences] = self.pipeline.tokeniser.batch([text])
        pieces: list[Piece] = []
        for sentence in sentences:
            pieces += pieces_of(sentence)
        forms, spaces, owners = with_white_space(text, pieces)
        starts = [owner is not None and pieces[owner].is_start for owner in owners]
        doc = Doc(self.vocab, words=forms, spaces=spaces, sent_starts=starts)
        for token, owner in zip(doc, owners, strict=True):
            if owner is not None and pieces[owner].words:
                token._.words = pieces[owner].words
        return doc


SENT_START_VALUES = {None: 0, True: 1, False: -1}


class Piece(NamedTuple):
    """A token of a text: its place, whether a sentence starts with it, and its words if they are not one substring."""

    begin: int
    end: int
    is_start: bool
    words: list[str]


def pieces_of(sentence: Sentence) -> Iterator[Piece]:
    """Yield the tokens of a sentence that has been tokenised: multiword tokens in parts where they have parts."""
    for token in surface_tokens(sentence):
        begin, end = cast("tuple[int, int]", token_range(token.misc))
        forms = sentence.forms[token.first - 1 : token.last]
        places = offsets_in_token(token, forms, begin, end)
        if len(set(places)) == len(forms):
            for number, (first, last) in enumerate(places, start=token.first):
                yield Piece(first, last, number == 1, [])
        else:
            yield Piece(begin, end, token.first == 1, list(forms))


def with_white_space(text: str, pieces: Sequence[Piece]) -> tuple[list[str], list[bool], list[int | None]]:
    """Return the forms of the tokens of a Doc, whether a space follows each, and which piece each is.

    The forms and spaces make up the text: white space other than a single space after a token is a token of its own.

    >>> with_white_space("  Go!", [Piece(2, 4, True, []), Piece(4, 5, False, [])])
    (['  ', 'Go', '!'], [False, False, False], [None, 0, 1])
    """
    forms: list[str] = []
    spaces: list[bool] = []
    owners: list[int | None] = []
    ends = [0, *(piece.end for piece in pieces)]
    begins = [*(piece.begin for piece in pieces), len(text)]
    for place, (end, begin) in enumerate(zip(ends, begins, strict=True)):
        gap = text[end:begin]
        if forms and gap.startswith(" "):
            spaces[-1], gap = True, gap[1:]
        if gap:
            forms, spaces, owners = [*forms, gap], [*spaces, False], [*owners, None]
        if place < len(pieces):
            forms.append(text[begin : pieces[place].end])
            spaces.append(False)
            owners.append(place)
    return forms, spaces, owners


def starts_in(doc: Doc, sentences: Sequence[Sentence]) -> NDArray[np.bool_]:
    """Return which tokens of a Doc contain the first character of one of the sentences, which have offsets."""
    is_start = np.zeros(len(doc), dtype=np.bool_)
    begins = [sentence.offsets()[0][0] for sentence in sentences]
    is_start[np.searchsorted([token.idx for token in doc], begins, side="right") - 1] = True
    return is_start


class Reading(NamedTuple):
    """The sentences of a Doc, and the place in the Doc of the token that each of their words belongs to."""

    sentences: list[Sentence]
    places: list[list[int]]


def read_doc(doc: Doc, starts: NDArray[np.bool_]) -> Reading:
    """Return the words of a Doc as sentences without tags and trees; tokens of white space are no words."""
    groups: list[list[Any]] = []
    starts_next = True
    for token in doc:
        starts_next |= bool(starts[token.i])
        if token.is_space:
            continue
        if starts_next:
            groups.append([])
        groups[-1].append(token)
        starts_next = False
    sentences, places = [], []
    for tokens in groups:
        words = [token._.words or [token.text] for token in tokens]
        sentences.append(sentence_of(tokens, words))
        places.append([token.i for token, forms in zip(tokens, words, strict=True) for _ in forms])
    return Reading(sentences, places)


def sentence_of(tokens: Sequence[Any], words: Sequence[Sequence[str]]) -> Sentence:
    """Return the sentence of tokens of spaCy, each with its words."""
    multiword: list[MultiwordToken] = []
    misc: list[str] = []
    for token, forms in zip(tokens, words, strict=True):
        cell = "_" if token.whitespace_ or token is tokens[-1] or token.nbor().is_space else "SpaceAfter=No"
        if len(forms) > 1:
            multiword.append(MultiwordToken(len(misc) + 1, len(misc) + len(forms), token.text, cell))
        misc += [cell] if len(forms) == 1 else ["_"] * len(forms)
    forms = [form for each in words for form in each]
    return Sentence.from_words(forms, misc=misc, tokens=multiword)


def annotate(doc: Doc, places: Sequence[Sequence[int]], sentences: Sequence[Sentence]) -> None:
    """Set the tags and trees of a Doc; the words of the sentences belong to the tokens at these places."""
    if not sentences:
        return
    rows: dict[int, list[int]] = {}
    results: dict[str, Any] = {name: [math.nan] * len(doc) for name in CONFIDENCE}
    results["sentences"] = []
    for tokens, sentence in zip(places, sentences, strict=True):
        depths = trees.depths(trees.from_conll(sentence.heads))[1:].tolist()
        highest: dict[int, int] = {}  # of each token the word that is nearest to the root
        for word, token in enumerate(tokens):
            if token not in highest or depths[word] < depths[highest[token]]:
                highest[token] = word
        for token, word in highest.items():
            rows[token] = row_of(doc, sentence, word, token, tokens)
            for name in CONFIDENCE:
                values = getattr(sentence, name)
                results[name][token] = math.nan if values is None else float(values[word])
        if (parse := sentence.parse) is not None:
            results["sentences"].append([tokens[0], float(parse.score), float(parse.gap), bool(parse.certified)])
    add_white_space(doc, rows)
    table = np.array([rows[place] for place in range(len(doc))], dtype=np.int64).view(np.uint64)
    doc.from_array([HEAD, DEP, POS, TAG, MORPH, LEMMA], table)
    doc.user_data[KEY] = results


def row_of(doc: Doc, sentence: Sentence, word: int, token: int, tokens: Sequence[int]) -> list[int]:
    """Return the attributes of a token that has the annotation of a word: its head is a distance in tokens."""
    head = int(sentence.heads[word])
    label = sentence.deprels[word]
    return attributes_of(
        doc,
        0 if head == 0 else tokens[head - 1] - token,
        "ROOT" if label == "root" else label,
        sentence.upos[word],
        sentence.xpos[word],
        sentence.feats[word],
        sentence.lemmas[word],
    )


def attributes_of(doc: Doc, distance: int, label: str, upos: str, xpos: str, feats: str, lemma: str) -> list[int]:
    """Return the attributes of a token as numbers of the string store; "_" is empty, and so is a UPOS of no meaning."""
    strings = doc.vocab.strings
    dep, tag, lemma_key = (strings.add("" if cell == "_" else cell) for cell in (label, xpos, lemma))
    morph = doc.vocab.morphology.add("" if feats == "_" else feats)
    return [distance, *map(signed, (dep, IDS.get(upos, 0), tag, morph, lemma_key))]


def signed(key: int) -> int:
    """Return a 64-bit key as a signed number, so that it fits one table with distances."""
    return key - (1 << 64) if key >= 1 << 63 else key


def add_white_space(doc: Doc, rows: dict[int, list[int]]) -> None:
    """Attach tokens of white space to the word before them, as spaCy does; those before all words to the first."""
    head = min(rows)
    for place in range(len(doc)):
        if place not in rows:
            rows[place] = attributes_of(doc, head - place, "dep", "SPACE", "_SP", "_", doc[place].text)
        else:
            head = place


def set_extensions() -> None:
    """Define `token._.words`, `token._.head_confidence`, `token._.label_confidence` and `_.treewright` once."""
    if not Token.has_extension("words"):
        Token.set_extension("words", default=None)
    for name in CONFIDENCE:
        if not Token.has_extension(name):
            Token.set_extension(name, getter=confidence_getter(name))
    if not Doc.has_extension(KEY):
        Doc.set_extension(KEY, getter=lambda doc: certificate_of(doc, 0, len(doc)))
        Span.set_extension(KEY, getter=lambda span: certificate_of(span.doc, span.start, span.end))


def confidence_getter(name: str) -> Callable[[Any], float | None]:
    """Return a function from a token to its confidence; None if it has not been parsed, NaN for white space."""

    def confidence(token: Any) -> float | None:
        results = token.doc.user_data.get(KEY)
        return None if results is None else results[name][token.i]

    return confidence


def certificate_of(doc: Doc, begin: int, end: int) -> Certificate | None:
    """Return the sum of scores and gaps of the sentences that start in begin .. end; None if there is none."""
    rows = [row[1:] for row in doc.user_data.get(KEY, {}).get("sentences", []) if begin <= row[0] < end]
    if not rows:
        return None
    scores, gaps, certified = zip(*rows, strict=True)
    return Certificate(sum(scores), sum(gaps), all(certified))
