"""Search treebanks with Grew requests, and rewrite them with rules.

>>> from treewright.corpus import Sentence
>>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
>>> compile("pattern { V [upos=VERB]; V -[nsubj]-> S }").count([sentence])
1
"""

from treewright.query.request import Match, Request, compile
from treewright.query.rewriting import Rewriting, Rules, rewrite

__all__ = ["Match", "Request", "Rewriting", "Rules", "compile", "rewrite"]
