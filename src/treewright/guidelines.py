"""What the tags, relations and features of Universal Dependencies mean: a sentence each, and where to read more.

The sentences are our own, and short; the guidelines at universaldependencies.org decide.
"""

from __future__ import annotations

from difflib import get_close_matches

from treewright.errors import InputError

GUIDELINES = "https://universaldependencies.org"

TAGS = {
    "ADJ": "adjective: a word that describes a noun (a *green* door)",
    "ADP": "adposition: a preposition or postposition (*in* the house)",
    "ADV": "adverb: a word that modifies a verb, an adjective or another adverb (*very* old)",
    "AUX": "auxiliary: a word that marks tense, mood, voice or aspect of a verb, or a copula (she *has* left)",
    "CCONJ": "coordinating conjunction: a word that joins equal parts (tea *and* milk)",
    "DET": "determiner: an article, or another word that says which or how many (*the* door, *every* day)",
    "INTJ": "interjection: an exclamation or a word such as *yes* and *hello*",
    "NOUN": "noun: the name of a kind of thing, being, place or idea (a *bridge*)",
    "NUM": "numeral: a number, as a word or in digits (*three*, *2026*)",
    "PART": "particle: a function word that is none of the others, such as *not*, *'s* and the *to* of infinitives",
    "PRON": "pronoun: a word that stands for a noun phrase (*she*, *who*, *this*)",
    "PROPN": "proper noun: the name of one person, place or thing (*Ada*, *Paris*)",
    "PUNCT": "punctuation mark",
    "SCONJ": "subordinating conjunction: a word that makes a clause part of another (I know *that* she left)",
    "SYM": "symbol: a sign that is not punctuation and stands for a word ($, %, :-))",
    "VERB": "verb: the name of an action, event or state (she *sang*)",
    "X": "other: a word that has no other tag, such as a foreign or unfinished one",
}

RELATIONS = {
    "acl": "clause that modifies a noun (the reason *to leave*)",
    "acl:relcl": "relative clause (the bridge *that creaked*)",
    "advcl": "clause that modifies a verb or another predicate (she left *when it rained*)",
    "advcl:relcl": "relative clause that modifies a whole clause (he sang, *which surprised us*)",
    "advmod": "adverb that modifies a predicate or a modifier (*very* old)",
    "amod": "adjective that modifies a noun (a *green* door)",
    "appos": "noun after another that names the same thing (Ada, *my sister*)",
    "aux": "auxiliary verb of a predicate (she *has* left)",
    "aux:pass": "auxiliary verb of the passive (it *was* mended)",
    "case": "preposition, postposition or case marker of a noun (*in* the house, Ada*'s*)",
    "cc": "conjunction before the conjunct that it belongs to (tea *and* milk)",
    "cc:preconj": "conjunction before the first of two parts (*both* tea and milk)",
    "ccomp": "clause with a subject of its own as an object (she said *that it rained*)",
    "clf": "classifier: a word that goes with a number in counting, as in Chinese",
    "compound": "word that makes up a compound with its head (*phone* book)",
    "compound:prt": "particle of a verb (look *up*)",
    "conj": "conjunct: a part that is coordinated with the first one, which is its head (tea and *milk*)",
    "cop": "copula: the verb *to be* that links a subject and a predicate that is no verb (she *is* tall)",
    "csubj": "clause that is the subject (*that she left* surprised us)",
    "csubj:outer": "clausal subject of a predicate that is itself a clause",
    "csubj:pass": "clausal subject of a passive verb",
    "dep": "relation that could not be determined",
    "det": "determiner of a noun (*the* door)",
    "det:predet": "determiner before another one (*all* the doors)",
    "discourse": "interjection or other word that is not part of the clause (*well*, she left)",
    "dislocated": "part moved to the edge of a clause that has a word in its place (*that bridge*, it creaks)",
    "expl": "expletive: a pronoun that fills a place without meaning (*it* is raining, *there* is tea)",
    "fixed": "further word of a fixed expression, attached to its first word (because *of*)",
    "flat": "further word of a name or another phrase without a head, attached to its first word (Ada *Lovelace*)",
    "goeswith": "part of a word that is written with a space in it by mistake (with *out*)",
    "iobj": "indirect object: a second object, usually the recipient (she gave *me* tea)",
    "list": "item of a list, attached to the first one",
    "mark": "word that marks a clause as part of another (I know *that* she left)",
    "nmod": "noun that modifies a noun (a cup *of tea*)",
    "nmod:desc": "noun that describes a name or a noun, without a preposition (*Doctor* Jones)",
    "nmod:poss": "possessor (*Ada's* book, *her* book)",
    "nmod:unmarked": "noun that modifies a noun without a preposition (the concert *last night*)",
    "nsubj": "noun or pronoun that is the subject (*she* sang)",
    "nsubj:outer": "subject of a predicate that is itself a clause (the *problem* is that it rains)",
    "nsubj:pass": "subject of a passive verb (the *bridge* was mended)",
    "nummod": "number that modifies a noun (*three* doors)",
    "obj": "object: what an action is done to (she mended the *bridge*)",
    "obl": "noun that modifies a predicate, usually with a preposition (she sat in the *garden*)",
    "obl:agent": "agent of a passive verb (mended by *her*)",
    "obl:unmarked": "noun that modifies a predicate without a preposition, such as a time (she left last *week*)",
    "orphan": "part of a clause whose verb is left out, attached to another part (Ada had tea, and Ben *milk*)",
    "parataxis": "clause or phrase beside another one, without a conjunction (she left, *I think*)",
    "punct": "punctuation mark, attached to the phrase that it belongs to",
    "reparandum": "words that the speaker takes back and replaces (go to the *left*, to the right)",
    "root": "the top word of the sentence, usually the main verb",
    "vocative": "the one who is addressed (*Ada*, come here)",
    "xcomp": "clause or adjective without a subject of its own that completes a verb (she wants *to leave*)",
}

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

FEATURES: dict[str, tuple[str, dict[str, str]]] = {  # name -> its meaning and that of its values
    "Abbr": ("whether a word is an abbreviation", {"Yes": "it is"}),
    "Animacy": (
        "class of nouns by whether they name living beings",
        {"Anim": "animate", "Hum": "human", "Inan": "inanimate", "Nhum": "not human"},
    ),
    "Aspect": (
        "how an action extends in time",
        {"Hab": "habitual", "Imp": "imperfective", "Iter": "iterative", "Perf": "perfective", "Prog": "progressive"}
        | {"Prosp": "prospective"},
    ),
    "Case": (
        "the role of a noun phrase, marked on its words",
        {"Abl": "ablative", "Abs": "absolutive", "Acc": "accusative", "Dat": "dative", "Erg": "ergative"}
        | {"Ess": "essive", "Gen": "genitive", "Ins": "instrumental", "Loc": "locative", "Nom": "nominative"}
        | {"Par": "partitive", "Voc": "vocative"},
    ),
    "Clusivity": ("whether *we* includes the one addressed", {"Ex": "exclusive", "In": "inclusive"}),
    "Definite": (
        "whether a noun phrase names something known",
        {"Com": "complex", "Cons": "construct state", "Def": "definite", "Ind": "indefinite", "Spec": "specific"},
    ),
    "Degree": (
        "degree of comparison",
        {"Abs": "absolute superlative", "Aug": "augmentative", "Cmp": "comparative", "Dim": "diminutive"}
        | {"Equ": "equative", "Pos": "positive", "Sup": "superlative"},
    ),
    "Deixis": (
        "distance of what is pointed at",
        {"Abv": "above", "Bel": "below", "Even": "at the same level", "Med": "medium", "Nvis": "not visible"}
        | {"Prox": "near", "Remt": "far"},
    ),
    "DeixisRef": ("the person from whom that distance is measured", {"1": "the speaker", "2": "the one addressed"}),
    "Evident": ("the source of the speaker's knowledge", {"Fh": "first hand", "Nfh": "not first hand"}),
    "ExtPos": ("the part of speech of a fixed expression as a whole, on its first word", {}),
    "Foreign": ("whether a word is of another language than its text", {"Yes": "it is"}),
    "Gender": (
        "grammatical gender",
        {"Com": "common", "Fem": "feminine", "Masc": "masculine", "Neut": "neuter"},
    ),
    "Mood": (
        "mood of a finite verb",
        {"Adm": "admirative", "Cnd": "conditional", "Des": "desiderative", "Imp": "imperative", "Ind": "indicative"}
        | {"Int": "interrogative", "Irr": "irrealis", "Jus": "jussive", "Nec": "necessitative", "Opt": "optative"}
        | {"Pot": "potential", "Prp": "purposive", "Qot": "quotative", "Sub": "subjunctive"},
    ),
    "NounClass": ("noun class, as in the Bantu languages", {}),
    "NumForm": (
        "how a number is written",
        {"Combi": "digits with letters", "Digit": "digits", "Roman": "Roman numerals", "Word": "letters"},
    ),
    "NumType": (
        "kind of number word",
        {"Card": "cardinal", "Dist": "distributive", "Frac": "fraction", "Mult": "multiplicative", "Ord": "ordinal"}
        | {"Range": "range", "Sets": "number of sets"},
    ),
    "Number": (
        "grammatical number",
        {
            "Coll": "collective",
            "Count": "count form",
            "Dual": "dual",
            "Grpa": "greater paucal",
            "Grpl": "greater plural",
        }
        | {"Inv": "inverse", "Pauc": "paucal", "Plur": "plural", "Ptan": "plural only"}
        | {"Sing": "singular", "Tri": "trial"},
    ),
    "Person": (
        "grammatical person",
        {"0": "impersonal", "1": "first, the speaker", "2": "second, the one addressed", "3": "third", "4": "fourth"},
    ),
    "Polarity": ("whether a word negates", {"Neg": "negative", "Pos": "affirmative"}),
    "Polite": (
        "politeness of a form",
        {"Elev": "elevates another", "Form": "formal", "Humb": "humbles the speaker", "Infm": "informal"},
    ),
    "Poss": ("whether a word is possessive", {"Yes": "it is"}),
    "PronType": (
        "kind of pronoun, determiner or adverb",
        {"Art": "article", "Dem": "demonstrative", "Emp": "emphatic", "Exc": "exclamative", "Ind": "indefinite"}
        | {"Int": "interrogative", "Neg": "negative", "Prs": "personal", "Rcp": "reciprocal", "Rel": "relative"}
        | {"Tot": "total, such as *every*"},
    ),
    "Reflex": ("whether a pronoun refers back to the subject", {"Yes": "it does"}),
    "Style": (
        "register of a word",
        {"Arch": "archaic", "Coll": "colloquial", "Expr": "expressive", "Slng": "slang", "Vrnc": "vernacular"},
    ),
    "Tense": (
        "grammatical tense",
        {"Fut": "future", "Imp": "imperfect", "Past": "past", "Pqp": "pluperfect", "Pres": "present"},
    ),
    "Typo": ("whether a word is misspelt", {"Yes": "it is"}),
    "VerbForm": (
        "form of a verb",
        {"Conv": "converb", "Fin": "finite", "Gdv": "gerundive", "Ger": "gerund", "Inf": "infinitive"}
        | {"Part": "participle", "Sup": "supine", "Vnoun": "verbal noun"},
    ),
    "Voice": (
        "voice of a verb",
        {"Act": "active", "Antip": "antipassive", "Bfoc": "beneficiary focus", "Cau": "causative", "Dir": "direct"}
        | {"Inv": "inverse", "Lfoc": "location focus", "Mid": "middle", "Pass": "passive", "Rcp": "reciprocal"},
    ),
}

PENN_TAGS = {  # XPOS of the embedded English model
    "$": "currency sign",
    "''": "closing quotation mark",
    ",": "comma",
    "-LRB-": "opening bracket",
    "-RRB-": "closing bracket",
    ".": "punctuation mark that ends a sentence",
    ":": "colon, semicolon, dash or ellipsis",
    "ADD": "e-mail or web address",
    "AFX": "prefix that is a word of its own",
    "CC": "coordinating conjunction",
    "CD": "cardinal number",
    "DT": "determiner",
    "EX": "*there* of existence",
    "FW": "foreign word",
    "GW": "part of a word that is written with a space in it by mistake",
    "HYPH": "hyphen",
    "IN": "preposition or subordinating conjunction",
    "JJ": "adjective",
    "JJR": "comparative adjective",
    "JJS": "superlative adjective",
    "LS": "number or letter of a list item",
    "MD": "modal verb",
    "NFP": "ornament or other superfluous punctuation",
    "NN": "noun, singular or mass",
    "NNP": "proper noun, singular",
    "NNPS": "proper noun, plural",
    "NNS": "noun, plural",
    "PDT": "determiner before another one",
    "POS": "possessive ending",
    "PRP": "personal pronoun",
    "PRP$": "possessive pronoun",
    "RB": "adverb",
    "RBR": "comparative adverb",
    "RBS": "superlative adverb",
    "RP": "particle of a verb",
    "SYM": "symbol",
    "TO": "*to* before an infinitive",
    "UH": "interjection",
    "VB": "verb, base form",
    "VBD": "verb, past tense",
    "VBG": "verb, gerund or present participle",
    "VBN": "verb, past participle",
    "VBP": "verb, present tense, not third person singular",
    "VBZ": "verb, present tense, third person singular",
    "WDT": "determiner that asks or relates",
    "WP": "pronoun that asks or relates",
    "WP$": "possessive pronoun that asks or relates",
    "WRB": "adverb that asks or relates",
    "``": "opening quotation mark",
}


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
        meanings.append(f"{name} (tag, UPOS): {TAGS[name]}\n{GUIDELINES}/u/pos/{file_name(name)}.html")
    if name in PENN_TAGS:
        address = f"{GUIDELINES}/tagset-conversion/en-penn-uposf.html"
        meanings.append(f"{name} (tag, XPOS of English): {PENN_TAGS[name]}\n{address}")
    return meanings


def relation_meanings(name: str) -> list[str]:
    """Explain a relation; a subtype that is not known by its relation."""
    base = name.partition(":")[0]
    if name in RELATIONS:
        folder = "u" if name == base else "en"  # subtypes are described by language
        return [f"{name} (relation): {RELATIONS[name]}\n{GUIDELINES}/{folder}/dep/{file_name(name)}.html"]
    if base in RELATIONS and name != base:
        subtype = f"{name} (relation): a subtype, of some languages or treebanks, of {base}"
        return [f"{subtype}: {RELATIONS[base]}\n{GUIDELINES}/u/dep/{file_name(base)}.html"]
    return []


def feature_meanings(name: str) -> list[str]:
    """Explain a feature, alone or with a value."""
    written, _, value = name.partition("=")
    feature = written.partition("[")[0]  # Number[psor] is the number of the possessor
    if feature not in FEATURES:
        return []
    meaning, values = FEATURES[feature]
    if value:
        known = [
            values.get(name_of_value) or TAGS.get(name_of_value) for name_of_value in value.split(",")
        ]  # Fem,Masc: either
        explained = f"{meaning}; the value {value} is not among the usual ones"
        if all(known):
            explained = f"{meaning}; {' or '.join(map(str, known))}"
    else:
        listed = ", ".join(f"{key} ({text})" for key, text in values.items())
        explained = f"{meaning}: {listed}" if listed else meaning
    return [f"{name} (feature): {explained}\n{GUIDELINES}/u/feat/{feature}.html"]


def file_name(name: str) -> str:
    """Return the name of a page of the guidelines; aux and AUX have another, for Windows cannot have files aux.*."""
    written = name.replace(":", "-")
    return f"{written}_" if written in ("aux", "AUX") else written
