"""Tokens that are recognised by their form: addresses, names of accounts, emoji, files, times, identifiers.

The table names each pattern. Training drops the patterns that its treebank cuts in another way; prices are learned
(UD English cuts `$5` into `$` and `5`). Patterns apply to canonical text (text.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from treewright.caching import cached_property

# Letters of scripts that are written with blanks: not those of Thai, Lao, Burmese, Khmer, Chinese and Japanese.
_LETTER = r"[^\W\d_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_WORD = rf"(?:{_LETTER}|[0-9_])"
_AFTER_BLANK = r"(?<![^\s(\[{<\"'`])"  # after white space or an opening mark
_BEFORE_BLANK = r"(?![^\s)\]}>\"',;:.!?`])"
_MODIFIER = r"[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"  # emoji style, skin tones, tags of flags
_PICTURE = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
)
_FILE_TYPES = (
    "pdf|docx?|xlsx?|pptx?|odt|rtf|txt|csv|tsv|json|ya?ml|toml|xml|html?|css|jpe?g|png|gif|svg|mp3|mp4|zip|gz|tar|exe|"
    "dll|py|ipynb|js|cc|cpp|hpp|java|sh|bat|md|ini|cfg|conf|log|sql|conllu"
)
_ARGUMENTS = r"(?:\((?:[^\s()]|\([^\s()]*\))*\))"  # of a call, with other calls inside

PATTERNS = {
    "address": r"(?<![A-Za-z0-9])(?:(?:https?|ftps?|file|ssh|git)://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}']",
    "e-mail": r"(?<![\w.+%-])(?:mailto:)?[\w.+%-]+@\w[\w-]*(?:\.\w[\w-]*)+",
    "account": rf"{_AFTER_BLANK}@{_LETTER}{_WORD}*(?:\.{_WORD}+)*",
    "topic": rf"{_AFTER_BLANK}#{_LETTER}{_WORD}*",
    "flag": r"[\U0001f1e6-\U0001f1ff]{2}",
    "keycap": r"[0-9#*]\ufe0f?\u20e3",
    "emoji": rf"{_PICTURE}{_MODIFIER}*(?:\u200d[\u2190-\u2bff\U0001f000-\U0001faff]{_MODIFIER}*)*",
    "drive path": r"(?<!\w)[A-Za-z]:\\[^\s<>\"'|*?,;:()]*[^\s<>\"'|*?.,;:!()]",
    "path": r"(?<![^\s(\[{<\"'=])(?:~|\.{1,2})?(?:/[\w.+@%-]*[\w+@%-]){2,}/?",
    "home path": r"(?<![^\s(\[{<\"'=])(?:~|\.{1,2})/[\w.+@%-]*[\w+@%-]/?",
    "file": rf"(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_TYPES}){_BEFORE_BLANK}",
    "version": r"(?<![\w.])(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:-?(?:alpha|beta|rc|dev|post)\.?\d*)?(?!\.?\w)",
    "time": r"(?<![\w:])\d{1,2}:\d{2}(?::\d{2})?(?![\w:]|\.\d)",
    "call": rf"(?<![\w.:>])[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(\)(?:\.[A-Za-z_]\w*{_ARGUMENTS}?)*",
    "call with arguments": rf"(?<![\w.:>])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+{_ARGUMENTS}(?:\.[A-Za-z_]\w*{_ARGUMENTS}?)*",
    "element": (
        r"(?<![\w.:>])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\[[^\s\[\]]+\]|[A-Za-z_]\w*\[[A-Za-z_]\w*\])"
        rf"(?:\[[^\s\[\]]+\]|\.[A-Za-z_]\w*{_ARGUMENTS}?)*"
    ),
    "identifier": rf"{_AFTER_BLANK}(?:(?=\w*_\w)[A-Za-z]\w+|__\w+__){_BEFORE_BLANK}",
    "assignment": rf"{_AFTER_BLANK}-{{0,2}}[A-Za-z_][\w.-]*==?[\w.+/-]*\w{_BEFORE_BLANK}",
    "scoped name": r"(?<![\w:])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+",
    "back quotes": r"(?<!\w)`+|`+(?![\w`])",
    "degree": r"°[CFK](?!\w)",
    "sign": r"(?<=\d)%|[€£¥₹]",
    "name with a mark": r"(?<!\w)(?:C\+\+|[CFJ]#|Yahoo!|(?:[A-Z]{2,3})?\.NET|[A-Z][a-z]+\.js)(?!\w)",
}
# Each match has one of these: only the text between white space around them is searched, which is faster.
_TRIGGER = re.compile(r"[@#/\\:_+!=`%\[]|\.\w|\(\)|[^\x00-\x7f]")
_SPACE = re.compile(r"\s")


class Patterns:
    """Some of the patterns as one.

    >>> text = "see C++ at 10:30"
    >>> [(name, text[begin:end]) for name, begin, end in Patterns(PATTERNS).matches(text)]
    [('name with a mark', 'C++'), ('time', '10:30')]
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        unknown = sorted(set(self.names) - set(PATTERNS))
        if unknown:
            raise ValueError(f"there is no pattern {unknown[0]!r}; there are {', '.join(PATTERNS)}")

    @cached_property
    def _matcher(self) -> re.Pattern[str]:
        """All patterns in one, compiled when a text first has a trigger."""
        groups = (f"(?P<p{number}>{PATTERNS[name]})" for number, name in enumerate(self.names))
        return re.compile("|".join(groups) or r"(?!)")

    def matches(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Find the tokens that match: the name of the pattern, begin and end."""
        for begin, end in _chunks(text):
            for match in self._matcher.finditer(text, begin, end):
                yield self.names[int((match.lastgroup or "p0")[1:])], *match.span()


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Find the text between white space around each trigger."""
    end = 0
    while trigger := _TRIGGER.search(text, end):
        begin = 1 + max(text.rfind(space, end, trigger.start()) for space in " \n")
        space = _SPACE.search(text, trigger.end())
        begin, end = max(begin, end), space.start() if space else len(text)
        yield begin, end
