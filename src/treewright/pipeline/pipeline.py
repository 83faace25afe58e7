"""A tokeniser, a tagger and a parser that work one after the other, in one model file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack, cast

from treewright import streams
from treewright.checks import check
from treewright.corpus import Document, Sentence
from treewright.corpus.checks import checked_items
from treewright.corpus.document import checked_sentence, checked_sentences
from treewright.decode import Parts
from treewright.errors import InputError, MissingComponentError
from treewright.integrate.batches import BatchParser
from treewright.learn import Plan
from treewright.model import component, modelfile
from treewright.model.component import ArrayForm, Arrays, Component, Corpus, Stored, part_of, sentences_of
from treewright.model.registry import component_class
from treewright.model.run import Run, RunOptions
from treewright.network import Network, NetworkOptions
from treewright.parser import Alternatives, Completion, Explanation, KBest, Parser, ParserOptions, ParserSettings
from treewright.parser.decisions import Arc
from treewright.parser.explanation import ALTERNATIVES
from treewright.parser.networks import set_readings, with_readings, without_reading
from treewright.parser.worker import MAX_SECONDS, ParseOptions, TreeOptions, groups
from treewright.pipeline.batches import Failure, Numbered, documents_of, one_by_one, text_batches
from treewright.pipeline.certificate import set_certificate
from treewright.pipeline.joining import join_files
from treewright.pipeline.networks import NO_GAIN
from treewright.pipeline.phrases import find_phrases, grammar_for
from treewright.pipeline.reading import BLOCK, MAX_TEXTS, tokenise_text
from treewright.pipeline.session import Session
from treewright.pipeline.training import Recipe, plan_training
from treewright.streams import check_seconds
from treewright.tagger import Tagger, TaggerOptions
from treewright.tagger.full_forms import FullForms
from treewright.tokeniser import Tokeniser, TokeniserOptions
from treewright.words import Words

if TYPE_CHECKING:
    from treewright.grammar import LatentGrammar
    from treewright.grammar.latent import LatentParse
    from treewright.induce import InducedParser


class TextOptions(ParseOptions, total=False):
    """The keywords of `Pipeline.parse`, for functions that pass them on."""

    batch_size: int
    comment: bool


class PartOptions(TypedDict, total=False):
    """The keywords of `Pipeline.plan` beside seed and options, for functions that pass them on."""

    tagger_options: TaggerOptions | None
    tokeniser_options: TokeniserOptions | None
    folds: int
    network: NetworkOptions | None
    words: Words | None
    parsed: Corpus | None
    lexicon: FullForms | None
    raw: str | os.PathLike[str] | None
    metadata: Mapping[str, Any] | None
    light: bool


class PipelineOptions(PartOptions, RunOptions, total=False):
    """The keywords of `Pipeline.train` beside options and note."""


class SearchOptions(TypedDict, total=False):
    """The keywords of `Parser.why_not` and `Parser.alternatives` that choose trees."""

    projective: bool | None
    require: Iterable[Arc]
    forbid: Iterable[Arc]
    max_seconds: float | None


class KBestOptions(SearchOptions, total=False):
    """The keywords of `Parser.kbest`."""

    threads: int
    all_arcs: bool


class CompletionOptions(SearchOptions, total=False):
    """The keywords of `Parser.complete`."""

    threads: int
    root: str | None
    on_error: str
    method: str


@dataclass(frozen=True)
class Pipeline(Component):
    """Raw text in, sentences with tags, lemmas, trees and certificates out. `tw.load("en")` is one.

    >>> import treewright as tw
    >>> tagger = tw.tagger.Tagger.train("sample.conllu")
    >>> parser = tw.Parser.train("sample.conllu", model="arc")
    >>> nlp = Pipeline(tw.tokeniser.Tokeniser(), tagger, parser)
    >>> [first, second] = nlp("The bridge creaked. She mended the rail.")
    >>> first.upos, first.heads.tolist(), first.deprels, first.parse.certified
    (['DET', 'NOUN', 'VERB', 'PUNCT'], [2, 3, 0, 3], ['det', 'nsubj', 'root', 'punct'], True)
    """

    tokeniser: Tokeniser
    tagger: Tagger
    parser: Parser | InducedParser
    metadata: Mapping[str, Any] = field(default_factory=dict)  # name, licence, figures

    KIND: ClassVar[str] = "pipeline"
    FORMAT: ClassVar[int] = 1
    ARRAYS: ClassVar[Mapping[str, ArrayForm]] = {}  # those of its parts

    @classmethod
    def plan(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        seed: int | None = None,
        options: ParserOptions | ParserSettings | None = None,
        tagger_options: TaggerOptions | None = None,
        tokeniser_options: TokeniserOptions | None = None,
        folds: int = 4,
        network: NetworkOptions | None = None,
        words: Words | None = None,
        parsed: Corpus | None = None,
        lexicon: FullForms | None = None,
        raw: str | os.PathLike[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        light: bool = False,
    ) -> Plan[Sentence, Pipeline]:
        """Plan the training of every component on the treebank train: a CoNLL-U file or sentences.

        The plan has the data, the settings, the stages with their costs, and notes about what the treebank cannot
        teach; `plan.run()` trains. Tags, heads and relations that are "_" are open: each component learns from the
        cells that are filled. Epochs are chosen on `dev`; without it the last tenth of the sentences is held out. The
        parser is trained on predicted tags: each of the folds is tagged by a tagger that was trained on the others.
        options are those of the parser, tagger_options and tokeniser_options those of the other components; seed
        replaces theirs. network: train a network too, whose scores are added to those of tagger and parser (it needs
        PyTorch); words: word vectors and classes for it. parsed: sentences with the tags and trees of a more accurate
        model, from which tagger, parser and network learn beside the treebank: the first two from as many words as the
        treebank has, the network as in `treewright.network.Network.train`. lexicon: a full-form lexicon for the
        tagger (`treewright.tagger.Tagger.train`). raw: a file of text, by which the tokeniser knows words that look
        like contractions without an apostrophe (`Tokeniser.with_raw_text`). metadata is saved with the model. light:
        set small weights to zero at the end (`lighten`). Columns that are empty in the treebank are not filled, and
        without its text the tokeniser works by rules.

        >>> plan = Pipeline.plan("sample.conllu", options=ParserOptions("arc"))
        >>> len(plan.train), len(plan.dev), plan.settings["model"], plan.stages[0].name
        (2, 1, 'arc', 'tokens')
        """
        check(options, ParserOptions | ParserSettings | None, "options")
        check(tagger_options, TaggerOptions | None, "tagger_options")
        check(tokeniser_options, TokeniserOptions | None, "tokeniser_options")
        check(network, NetworkOptions | None, "network")
        recipe = Recipe(
            tokeniser_options or TokeniserOptions(),
            tagger_options or TaggerOptions(),
            options or ParserOptions(),
            folds,
            network,
        )
        if seed is not None:
            recipe = recipe.with_seed(seed)

        def make(tokeniser: Tokeniser, tagger: Tagger, parser: Parser) -> Pipeline:
            confirmed = tokeniser if raw is None else tokeniser.with_raw_text(raw)
            return cls(confirmed, tagger, parser, metadata or {})

        plan = plan_training(train, dev, recipe, words, parsed, lexicon, make)
        if not light:
            return plan
        from treewright.pipeline.pruning import plan_light  # which imports this module

        return plan_light(plan)

    @classmethod
    def train(
        cls,
        train: Corpus,
        dev: Corpus | None = None,
        *,
        options: ParserOptions | ParserSettings | None = None,
        note: Callable[[str], None] | None = None,
        **how: Unpack[PipelineOptions],
    ) -> Pipeline:
        """Train every component on the treebank train; the arguments are those of `Pipeline.plan`.

        how: its other keywords, and report, progress, checkpoint and resume (`RunOptions`). Finished components and the
        state of the current one are kept beside the checkpoint; the caller removes them when the model is saved
        (`model.checkpoint.remove_checkpoint`). note is called with a line about what the treebank cannot teach.
        """
        run, parts = Run.split(how)
        plan = cls.plan(train, dev, seed=run.seed, options=options, **parts)
        tell = note or (lambda line: None)
        for line in plan.notes:
            tell(line)
        pipeline = run.follow(plan)
        if parts.get("network") is not None and pipeline.network is None:
            tell(NO_GAIN)
        return pipeline

    def save(self, path: str | os.PathLike[str], *, pack: bool = True) -> None:
        """Write a model file to path: safetensors with a JSON header.

        pack=True compresses the arrays: the file is smaller, but is not mapped on load.
        """
        modelfile.save(path, self.KIND, self.FORMAT, *self.to_arrays(), pack=pack)

    def to_arrays(self) -> Stored:
        """Return the header and the arrays of a model file; a tokeniser by rules has none."""
        parts: dict[str, Component] = {"tagger": self.tagger, self.parser.KIND: self.parser}
        if self.tokeniser.model is not None:
            parts["tokeniser"] = self.tokeniser
        headers, arrays = component.join_parts(parts)
        return {"metadata": dict(self.metadata), **headers}, arrays

    @classmethod
    def from_arrays(cls, source: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays) -> Pipeline:
        """Make the pipeline of a header and arrays; messages name their source."""
        tokeniser = part_of(Tokeniser, source, header, arrays) if "tokeniser" in header else Tokeniser()
        kind = component_class("induced parser") if "induced parser" in header else Parser
        parser = cast("Parser | InducedParser", part_of(kind, source, header, arrays))
        return cls(tokeniser, part_of(Tagger, source, header, arrays), parser, header.get("metadata", {}))

    @classmethod
    def join(cls, *paths: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> Pipeline:
        """Join the components in the files of these paths into a pipeline: a tagger, a parser and perhaps a tokeniser.

        One of the files may be a pipeline; the components in the other files replace its own. metadata is added to
        that of this pipeline.
        """
        joined, of_base = join_files(paths)
        parts: dict[str, Any] = {"tokeniser": Tokeniser(), **joined}
        return cls(**parts, metadata={**of_base, **(metadata or {})})

    @property
    def trained_parser(self) -> Parser:
        """The parser, if it was trained on a treebank: an induced one has no scores of single parts."""
        if not isinstance(self.parser, Parser):
            needed = "a parser that was trained on a treebank is needed"
            raise MissingComponentError(f"{self}: its parser is induced, but {needed}", "parser")
        return self.parser

    @property
    def components(self) -> dict[str, Component]:
        """The components by their role."""
        return {"tokeniser": self.tokeniser, "tagger": self.tagger, "parser": self.parser}

    def __call__(self, text: str, *, threads: int = 1, **options: Unpack[TextOptions]) -> Document:
        """Tag and parse a text: the sentences are a list that displays itself in a notebook.

        Each has `parse` (value, bound, certificate), `head_confidence`, `label_confidence` and `tag_confidence` (the
        calibrated probability of each word's head, of its label given the head, and of its tag), the comments
        `# sent_id`, `# text` and `# treewright` (the certificate), and in MISC the places of its tokens in the text
        (SpaceAfter, TokenRange). A certified tree is the model's best tree over the candidate arcs (with all_arcs=True
        over all arcs); it may still be wrong. options are those of `Parser.parse`.
        """
        check_text(text)
        sentences = tokenise_text(text, self.tokeniser)
        return Document(self.parse(sentences, threads=threads, **options), text)

    def pipe(
        self, texts: Iterable[str], *, threads: int = 1, n_process: int = 1, **options: Unpack[TextOptions]
    ) -> Iterator[Document]:
        """Tag and parse each text; yield their documents in order.

        Short texts are parsed together, which is faster; the result is that of `nlp(text)` for each, for any number of
        threads or processes. At most `batch_size` texts are read ahead for a thread, and only while they come quickly:
        those of a slow iterator are parsed as they come. With batch_size=1 no text waits for the next, for an iterator
        that needs the result of its last text. n_process: the number of worker processes in place of threads, -1 for
        one a core; each has a copy of the model, and a program that uses them starts under `if __name__ ==
        "__main__":`. An exception names the place of the text, after the results of the texts before it. options are
        those of `Pipeline.__call__`.
        """
        check_seconds(options.get("max_seconds"))
        texts = checked_items(texts, str, "texts", "nlp(text) parses one text", "one text each")
        batch_size = streams.check_count(options.get("batch_size", MAX_TEXTS), "batch_size")
        parse_batch = partial(self._parse_batch, options=options)
        batches = text_batches(texts, batch_size)
        return documents_of(streams.map_chunks(parse_batch, batches, threads, streams.check_processes(n_process)))

    def _parse_batch(self, batch: list[Numbered], options: TextOptions) -> list[Document | Failure]:
        """Parse texts together; an error stands in the place of the document that it belongs to."""
        try:
            return list(self._documents([text for _, text in batch], options))
        except Exception:  # raised again for the text that it belongs to
            return list(one_by_one(batch, lambda text: self(text, **options)))

    def map_batch(
        self, column: str = "text", *, id_column: str | None = None, **options: Unpack[TextOptions]
    ) -> BatchParser:
        """Return a function that parses the texts in a column of a batch, for libraries that map over tables.

        A batch is a mapping of columns, or a table of pandas, Polars or Arrow; the result is of the same kind and has a
        row for each sentence (`treewright.integrate.arrow.schema`). id_column: the column with the names of the texts,
        which become doc_id. options are those of `Pipeline.__call__`. It needs the extra arrow.
        """
        return BatchParser(self.pipe, column, id_column, options)

    def _documents(self, texts: Iterable[str], options: TextOptions) -> Iterator[Document]:
        """Yield the document of each text; those that are one block are tokenised and parsed together."""
        for is_block, group in groupby(texts, lambda text: len(text) <= BLOCK):
            if is_block:
                yield from self._short_documents(list(group), options)
            else:
                yield from (self(text, **options) for text in group)

    def _short_documents(self, texts: Sequence[str], options: TextOptions) -> Iterator[Document]:
        tokenised = self.tokeniser.batch(texts)
        parsed = self.parse(chain.from_iterable(tokenised), **options)
        for text, sentences in zip(texts, tokenised, strict=True):
            yield Document(islice(parsed, len(sentences)), text)

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = streams.BATCH,
        comment: bool = True,
        confidence: bool = True,
        **options: Unpack[TreeOptions],
    ) -> Iterator[Sentence]:
        """Parse sentences that are split into words already; yield copies with heads and labels set, in order.

        Words whose UPOS is open ("_") are tagged first, given the cells that are filled, which are kept. batch_size:
        how many sentences are taken together, which is faster; with 1 none waits for the next. comment: write the
        certificate of each tree into the comment `# treewright`. confidence: compute those of heads, labels and, where
        words are tagged, of tags. threads and options are those of `Parser.parse`.
        """
        check_seconds(options.get("max_seconds"))
        set_trees = self.parser.tree_setter(confidence=confidence, **options)

        def parse_chunk(sentences: list[Sentence]) -> list[Sentence]:
            parsed: list[Sentence] = []
            for group in groups([sentence.copy() for sentence in sentences]):
                self._fill_tags(group, confidence)
                parsed += set_trees(group)
            if comment:
                for sentence in parsed:
                    set_certificate(sentence, sentence.parse)
            return parsed

        return streams.map_items(parse_chunk, checked_sentences(sentences), threads=threads, chunk=batch_size)

    def kbest(self, text: str | Iterable[Sentence], k: int, **options: Unpack[KBestOptions]) -> list[KBest]:
        """Find the k best trees of each sentence of a text, or of each of the sentences given, best first.

        options are those of `Parser.kbest`.

        >>> import treewright as tw
        >>> [trees] = tw.load("en").kbest("I saw her duck.", 3)
        >>> len(trees), trees[0].parse.certified
        (3, True)
        """
        if isinstance(text, str):
            sentences = self._tag_each(tokenise_text(text, self.tokeniser))
        else:
            sentences = self._tag_each(checked_sentences(text, "text"))
        return list(self.trained_parser.kbest(sentences, k, **options))

    def phrases(
        self, text: str | Iterable[Sentence], *, grammar: LatentGrammar | str | os.PathLike[str] | None = None
    ) -> list[LatentParse]:
        """Find the phrase-structure tree of each sentence of a text, or of each of the sentences given.

        Each has tree, spans (label, first and last word of each phrase) and confidence, the calibrated probability of
        each span. Words and tags are those of this pipeline. grammar: one with latent variables, or its file; if not
        given, that which comes with Treewright for English. A sentence of more than 100 words is parsed in parts;
        `given_up` says so.

        >>> import treewright as tw
        >>> [parse] = tw.load("en").phrases("The old bridge creaked.")
        >>> print(parse.tree)
        (S (NP (DT The) (JJ old) (NN bridge)) (VP (VBD creaked)) (. .))
        """
        if grammar is None or isinstance(grammar, (str, os.PathLike)):
            loaded = component_class("latent-variable grammar").load(grammar or grammar_for(self.metadata))
            grammar = cast("LatentGrammar", loaded)
        given = tokenise_text(text, self.tokeniser) if isinstance(text, str) else checked_sentences(text, "text")
        return list(find_phrases(self.tag(given, confidence=False), grammar))

    def complete(self, sentences: Iterable[Sentence], **options: Unpack[CompletionOptions]) -> Iterator[Completion]:
        """Fill in the heads and relations that are "_", and the tags of words whose UPOS is; what is given is kept.

        options are those of `treewright.Parser.complete`.

        >>> import treewright as tw
        >>> nlp = tw.load("en")
        >>> [completion] = nlp.complete([tw.Sentence.from_words(["It", "rains"], heads=[-1, 0])])
        >>> completion.sentence.heads.tolist(), completion.sentence.deprels, completion.open_heads.tolist()
        ([2, 0], ['nsubj', 'root'], [True, False])
        """
        return self.trained_parser.complete(self._tag_each(sentences), **options)

    def open(self, sentence: Sentence | Sequence[str] | str, *, max_seconds: float | None = MAX_SECONDS) -> Session:
        """Open a session about one sentence: decide, reject, ask, and get the best tree of what is left.

        sentence: a Sentence, the forms of its words, or a text of one sentence. If some of its heads are open (-1), the
        others and the relations are decided; a sentence without open heads has no decisions. Tags that are filled are
        kept, unless a tagger chose them (`tag_confidence`). max_seconds limits each search, see `Parser.parse`.

        >>> import treewright as tw
        >>> session = tw.load("en").open("Time flies like an arrow.")
        >>> session.decide(2, upos="NOUN")
        >>> session.sentence.upos, session.tree.certified
        (['NOUN', 'NOUN', 'ADP', 'DET', 'NOUN', 'PUNCT'], True)
        """
        return Session(self, self._one_sentence(sentence), max_seconds)

    def _one_sentence(self, sentence: Sentence | Sequence[str] | str) -> Sentence:
        """Return a sentence that is given as one, as forms, or as a text."""
        if isinstance(sentence, str):
            sentences = list(tokenise_text(sentence, self.tokeniser))
            if len(sentences) != 1:
                raise InputError(f"the text has {len(sentences)} sentences; a session is about one")
            return sentences[0]
        return sentence if isinstance(sentence, Sentence) else Sentence.from_words(sentence)

    def parts(self, sentence: Sentence, *, projective: bool | None = None, all_arcs: bool = False) -> Parts:
        """Score the parts over the candidate arcs of a sentence, see `Parser.parts`."""
        tagged = self._tag_one(sentence)
        return self.trained_parser.parts(tagged, projective=projective, all_arcs=all_arcs)

    def why_not(self, sentence: Sentence, *, head: int, modifier: int, **options: Unpack[SearchOptions]) -> Explanation:
        """Explain what it costs to attach a word of a sentence to another head; as `Parser.why_not`.

        head and modifier are numbers of words, 0 the root; options are those of `Parser.why_not`.
        """
        return self.trained_parser.why_not(self._tag_one(sentence), head=head, modifier=modifier, **options)

    def alternatives(
        self, sentence: Sentence, modifier: int, *, count: int = ALTERNATIVES, **options: Unpack[SearchOptions]
    ) -> Alternatives:
        """List the heads that a word could have instead; options are those of `Parser.alternatives`."""
        return self.trained_parser.alternatives(self._tag_one(sentence), modifier, count=count, **options)

    def tag(self, sentences: Iterable[Sentence], *, confidence: bool = True) -> Iterator[Sentence]:
        """Tag copies of the sentences in which some UPOS is "_", with confidence; yield the others as they are.

        Cells that are filled are kept, and the other words are tagged given them.
        """
        return (without_reading(sentence) for sentence in self._tag_each(sentences, confidence))

    def _tag_each(self, sentences: Iterable[Sentence], confidence: bool = True) -> Iterator[Sentence]:
        """Tag like `tag`, and keep the readings of the network for the parser."""
        checked = checked_sentences(sentences)
        return (tagged for sentence in checked for tagged in self._tag_together([sentence], confidence))

    def retag(self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = True) -> Iterator[Sentence]:
        """Yield copies of the sentences with tags and lemmas of this model in place of their own, in order.

        threads and confidence are those of `Tagger.tag`.
        """

        def tag_chunk(chunk: list[Sentence]) -> list[Sentence]:
            tagged = (self.tagger.tag(self.read(group), confidence=confidence) for group in groups(chunk))
            return list(map(without_reading, chain.from_iterable(tagged)))

        size = streams.CHUNK if self.network or streams.check_threads(threads) > 1 else 1
        return streams.map_items(tag_chunk, checked_sentences(sentences), threads=threads, chunk=size)

    def _tag_one(self, sentence: Sentence) -> Sentence:
        return self._tag_together([checked_sentence(sentence)], True)[0]

    def _tag_together(self, sentences: Sequence[Sentence], confidence: bool) -> list[Sentence]:
        """Tag the sentences with open tags; those tagged with the help of a network have its readings."""
        tagged = [sentence.copy() if has_open_tag(sentence) else sentence for sentence in sentences]
        self._fill_tags(tagged, confidence)
        return tagged

    def _fill_tags(self, sentences: Sequence[Sentence], confidence: bool) -> None:
        """Tag the sentences with open tags in place; they keep the readings of the network, if there is one."""
        untagged = [sentence for sentence in sentences if has_open_tag(sentence)]
        set_readings(self._first_reader, untagged)
        self.tagger.fill(untagged, confidence=confidence, keep=True)

    @property
    def _first_reader(self) -> Network | None:
        """The network, if it is needed before tagging: one that reads tags is left to the parser, which has them."""
        return None if self.network is None or self.network.model.tag_inputs else self.network

    @property
    def network(self) -> Network | None:
        """The network whose scores parser and tagger use; None if there is none."""
        return self.parser.model.network if isinstance(self.parser, Parser) else None

    def without_network(self) -> Pipeline:
        """Return a copy whose tags and trees are those of the linear models alone: faster, less accurate.

        Its trees are projective unless projective=False is given, as in `treewright parse --fast`.
        """
        if not isinstance(self.parser, Parser):
            return self
        tagger = Tagger(self.tagger.model.without_network())
        return replace(self, tagger=tagger, parser=self.parser.without_network())

    def read(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Read the sentences with the network, for tagger and parser; without a network they stay as they are.

        A network that reads tags is left to the parser, which has them.
        """
        return with_readings(self._first_reader, list(sentences))

    def calibrate(self, dev: Corpus) -> Pipeline:
        """Return a copy whose confidence is calibrated on sentences with gold tags and trees not seen in training.

        The parser is calibrated on the tags that the tagger predicts. Training does this with its own `dev`.
        """
        gold = self.read(sentences_of(dev, "partial"))
        tagger = self.tagger.calibrate(gold)
        parser = self.trained_parser.calibrate(list(tagger.tag(gold, confidence=False)))
        return replace(self, tagger=tagger, parser=parser)

    def __repr__(self) -> str:
        name = self.metadata.get("name")
        parts = f"{self.tokeniser!r}, {self.tagger!r}, {self.parser!r}"
        return f"Pipeline({name!r}, {parts})" if name else f"Pipeline({parts})"


def check_text(text: str) -> None:
    """Refuse what is not a text."""
    if isinstance(text, str):
        return
    remedy = "nlp.pipe takes several texts"
    if isinstance(text, bytes):
        remedy = "decode bytes first: data.decode()"
    if isinstance(text, Sentence):
        remedy = "nlp.parse takes sentences"
    raise TypeError(f"text is of type {type(text).__name__}; expected a str ({remedy})")


def has_open_tag(sentence: Sentence) -> bool:
    """Return whether the UPOS of some word is "_"."""
    return "_" in sentence.upos
