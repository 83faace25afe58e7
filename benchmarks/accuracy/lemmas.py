"""How well does a model divide ordinary English into sentences and words, and find lemmas?

Forms with their lemmas are put into frames ("They sang."), so that tags are predicted too. The pieces of text in the
last two tables were written for this purpose, with the sentences and tokens that the treebank's guidelines ask for. A
row for each class: how many are wrong. --errors prints them. Nothing here is training data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import treewright as tw
from treewright.corpus.offsets import surface_tokens

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

PASTS = """
 arose:arise awoke:awake bade:bid bit:bite bled:bleed blew:blow bound:bind bred:breed broke:break burst:burst
bought:buy caught:catch chose:choose clung:cling crept:creep dealt:deal dug:dig drank:drink cost:cost drew:draw
drove:drive dwelt:dwell ate:eat fed:feed felt:feel fought:fight fled:flee flew:fly flung:fling forbade:forbid
forgave:forgive forgot:forget forsook:forsake froze:freeze ground:grind grew:grow hung:hang heard:hear held:hold
kept:keep knelt:kneel knew:know laid:lay leapt:leap learnt:learn lent:lend meant:mean met:meet mistook:mistake
overcame:overcome overthrew:overthrow paid:pay rang:ring rode:ride rose:rise sang:sing sank:sink sewed:sew shook:shake
shone:shine shot:shoot shrank:shrink slept:sleep slid:slide slung:sling slunk:slink smelt:smell sought:seek sold:sell
sped:speed spent:spend spun:spin spat:spit sprang:spring stole:steal stood:stand strode:stride struck:strike
stuck:stick stung:sting stank:stink strove:strive swam:swim swept:sweep swore:swear swung:swing taught:teach
threw:throw tore:tear undertook:undertake understood:understand wept:weep withdrew:withdraw wove:weave wrote:write
"""
PARTICIPLES = """
 arisen:arise awoken:awake beaten:beat begun:begin bitten:bite bled:bleed bought:buy blown:blow born:bear bred:breed
broken:break caught:catch cut:cut chosen:choose clung:cling crept:creep drawn:draw driven:drive drunk:drink fed:feed
fled:flee flown:fly flung:fling forbidden:forbid forgiven:forgive forgotten:forget frozen:freeze grown:grow hewn:hew
hidden:hide lain:lie laid:lay mistaken:mistake overthrown:overthrow proven:prove ridden:ride risen:rise rung:ring
sawn:saw sewn:sew shaken:shake shorn:shear shrunk:shrink slain:slay sown:sow spoken:speak sprung:spring stolen:steal
stridden:stride stung:sting sunk:sink sworn:swear swum:swim swollen:swell thrown:throw torn:tear trodden:tread
undergone:undergo woken:wake worn:wear woven:weave written:write
"""
PLURALS = """
 analyses:analysis appendices:appendix bacteria:bacterium bases:basis buffaloes:buffalo cacti:cactus calves:calf
children:child crises:crisis criteria:criterion diagnoses:diagnosis dice:die echoes:echo elves:elf feet:foot
fungi:fungus geese:goose gentlemen:gentleman grandchildren:grandchild halves:half heroes:hero hooves:hoof
hypotheses:hypothesis indices:index knives:knife larvae:larva leaves:leaf lice:louse lives:life loaves:loaf men:man
mice:mouse mosquitoes:mosquito nuclei:nucleus oases:oasis oxen:ox parentheses:parenthesis phenomena:phenomenon
postmen:postman potatoes:potato quizzes:quiz salesmen:salesman scarves:scarf sheep:sheep shelves:shelf
stimuli:stimulus strata:stratum syllabi:syllabus teeth:tooth theses:thesis thieves:thief tomatoes:tomato
vertebrae:vertebra volcanoes:volcano wives:wife wolves:wolf women:woman
"""
REGULAR = """
 They:agreed:agree They:argued:argue They:bathed:bathe They:begged:beg They:boiled:boil They:breathed:breathe
They:cancelled:cancel They:carried:carry They:copied:copy They:cycled:cycle They:danced:dance They:dried:dry
They:dyed:dye They:envied:envy They:filed:file They:filled:fill They:gazed:gaze They:grabbed:grab They:hoped:hope
They:hopped:hop They:hummed:hum They:juggled:juggle They:knitted:knit They:limped:limp They:marched:march
They:nodded:nod They:obeyed:obey They:panicked:panic They:planed:plane They:planned:plan They:prayed:pray
They:quarrelled:quarrel They:raked:rake They:raced:race They:robbed:rob They:scolded:scold They:shoved:shove
They:sighed:sigh They:skied:ski They:smoked:smoke They:snored:snore They:squeezed:squeeze They:stirred:stir
They:sued:sue They:tied:tie They:trembled:tremble They:untied:untie They:vowed:vow They:waded:wade
They:whispered:whisper The:aunts:aunt The:bakeries:bakery The:boxes:box The:branches:branch The:buses:bus
The:canoes:canoe The:churches:church The:dishes:dish The:diaries:diary The:donkeys:donkey The:eyelashes:eyelash
The:foxes:fox The:glasses:glass The:guesses:guess The:hinges:hinge The:horses:horse The:houses:house The:judges:judge
The:keys:key The:ladies:lady The:lenses:lens The:lunches:lunch The:mazes:maze The:movies:movie The:noses:nose
The:nurses:nurse The:oranges:orange The:peaches:peach The:pies:pie The:ponies:pony The:purses:purse The:roses:rose
The:sausages:sausage The:shoes:shoe The:spies:spy The:taxes:tax The:toes:toe The:vases:vase The:viruses:virus
The:waltzes:waltz The:wishes:wish The:zebras:zebra
"""
FRAMES = {
    "pasts": ("Yesterday they", "it."),
    "participles": ("They have never", "it before."),
    "plurals": ("The", "are here."),
}
# Words that look like a possessive or a contraction without its mark; each is one word.
WHOLE = [
    "builders",
    "singers",
    "bakers",
    "lawyers",
    "nuns",
    "cooks",
    "uncles",
    "Roberts",
    "Peters",
    "Williams",
    "hits",
    "puts",
    "sets",
    "bets",
    "cuts",
    "shell",
    "hell",
    "farmers",
    "sailors",
    "owners",
    "painters",
    "teachers",
    "drivers",
    "winners",
]
# Contractions without an apostrophe; each is two words.
CONTRACTIONS = ["didnt", "couldnt", "shouldnt", "hasnt", "hadnt", "werent", "theyve", "weve", "youre", "theyll"]

# A piece of text with | where sentences end inside it.
SENTENCES = """
Macron, Scholz to visit Kyiv
Storm hits coast, Thousands without power
She works at the Dept. of Justice.
He moved to the Dept. of Energy in May.
They live on Park Ave. near the river.
The shop is on Fifth Ave. | It opens at nine.
We cited Brown v. Board of Education.
It was Roe v. Wade that mattered.
Smith et al. found no effect.
As Jones et al. (2019) show, it works.
It weighs approx. 30 kg.
It takes approx. two hours.
She has a Ph.D. in physics.
He got his Ph.D. from Leeds. | Then he left.
Toyota Motor Co. Ltd. makes cars.
Nippon Steel Co. Ltd. announced a loss.
Acme Inc. announced a merger.
He works for Acme Inc. | She does not.
FYI I'm out of the office today.
BTW we won the match.
OMG I can't believe it.
The bus leaves at 7 a.m. | Come early.
We met at 5 p.m. | Nobody was late.
The meeting is at 3 p.m. on Monday.
It closes at 6 p.m. sharp.
It was great!We loved it. = It was great! | We loved it.
Is it true?She said so. = Is it true? | She said so.
Call Mr. Hall or Mrs. Reed.
See Fig. 3 for details.
See Sec. 4 of the report.
It rained in Jan. and Feb. this year.
He lived in Washington, D.C. for years.
The U.S. economy grew.
He came from the U.S. | His wife did not.
Buy apples, pears, etc. at the market.
They sell pens, paper, etc. | We bought some.
Gen. Lee met Col. Hill.
No. 7 is missing.
The answer on p. 12 is wrong.
We saw St. Paul in the snow.
J. K. Rowling wrote it.
George W. Bush spoke first.
"Stop!" he cried.
"Who is there?" she asked.
What? | No!
I came. | I saw. | I won.
Wait... what happened?
He said no. | She said yes.
Version 2.5 is out. | Get it now.
The price is $3.50. | It was $4.
Dr. Who is on at eight.
She lives in St. Louis, Mo. with her son.
Martin Luther King Jr. was born in Atlanta.
Sammy Davis Jr. sang.
It costs 5 dollars max. per head.
Lunch incl. drinks costs ten euros.
The min. wage went up.
Ask Prof. Lang about it. | She knows.
I like cats (esp. black ones).
We left at noon. | it was hot. | nobody spoke.
"""
# A piece of text, and its tokens with blanks between them.
TOKENS = {
    "Call list.append(item) first.": "Call list.append(item) first .",
    "Use os.path.join(a,b) here.": "Use os.path.join(a,b) here .",
    "It reads config[name] twice.": "It reads config[name] twice .",
    "Then self.items[0] is empty.": "Then self.items[0] is empty .",
    "See node.next.value for that.": "See node.next.value for that .",
    "Try foo.bar today.": "Try foo.bar today .",
    "The meet-\ning was long.": "The meeting was long .",
    "We dis-\ncussed it.": "We discussed it .",
    "It starts at 5 p.m.": "It starts at 5 p.m.",
    "They left at 11 a.m.": "They left at 11 a.m.",
    "He lives in the U.S.": "He lives in the U.S.",
    "Apples, pears, etc.": "Apples , pears , etc.",
    "Run main() now.": "Run main() now .",
    "I read it (twice).": "I read it ( twice ) .",
    "Is this it?": "Is this it ?",
}


def main() -> None:
    arguments = common.arguments(__doc__, model="en", errors="what is wrong")
    given = common.parse(arguments)
    nlp = tw.Pipeline.load(given.model)
    print(f"{'class':24}{'wrong':>6}{'of':>6}{'per cent':>10}")
    tables = {
        **{name: wrong_lemmas(nlp, name, words.split()) for name, words in LISTS.items()},
        "regular forms": wrong_regular(nlp),
        "words that stay whole": wrong_words(nlp, WHOLE, 1),
        "contractions": wrong_words(nlp, CONTRACTIONS, 2),
        "sentence ends": wrong_sentences(nlp),
        "tokens": wrong_tokens(nlp),
    }
    for name, (wrong, count) in tables.items():
        print(f"{name:24}{len(wrong):6}{count:6}{100 * len(wrong) / count:10.1f}")
        if given.errors:
            print(*(f"    {line}" for line in wrong), sep="\n")


LISTS = {"pasts": PASTS, "participles": PARTICIPLES, "plurals": PLURALS}
Wrong = tuple[list[str], int]  # what is wrong, and the number of items


def wrong_lemmas(nlp: tw.Pipeline, name: str, pairs: Sequence[str]) -> Wrong:
    """Compare the lemmas of forms in the frame of their class."""
    before, after = FRAMES[name]
    cases = [(f"{before} {form} {after}", form, lemma) for form, lemma in split(pairs)]
    return compare_lemmas(nlp, cases), len(cases)


def wrong_regular(nlp: tw.Pipeline) -> Wrong:
    """Compare the lemmas of regular pasts (after They) and plurals (after The)."""
    cases = []
    for first, form, lemma in split(REGULAR.split()):
        cases.append((f"Yesterday they {form} it." if first == "They" else f"The {form} are here.", form, lemma))
    return compare_lemmas(nlp, cases), len(cases)


def split(items: Iterable[str]) -> list[tuple[str, ...]]:
    return [tuple(item.split(":")) for item in items]


def compare_lemmas(nlp: tw.Pipeline, cases: Iterable[tuple[str, str, str]]) -> list[str]:
    wrong = []
    for text, form, lemma in cases:
        predicted = [word.lemma for sentence in nlp(text) for word in sentence if word.form == form]
        if predicted != [lemma]:
            wrong.append(f"{text} {form}: {' '.join(predicted) or 'split'}; expected {lemma}")
    return wrong


def wrong_words(nlp: tw.Pipeline, forms: Sequence[str], count: int) -> Wrong:
    """Return the tokens that do not consist of `count` words."""
    numbers = {form: len(nlp.tokeniser.batch([f"I know the {form} here."])[0][0]) - 5 for form in forms}
    return [f"{form}: {number} words" for form, number in numbers.items() if number != count], len(forms)


def wrong_sentences(nlp: tw.Pipeline) -> Wrong:
    """Return the pieces of text that are divided in another way."""
    wrong = []
    lines = SENTENCES.strip().splitlines()
    for line in lines:
        text, _, gold = line.partition(" = ")
        sentences = [piece.strip() for piece in (gold or text).split("|")]
        predicted = [sentence.text for sentence in nlp.tokeniser(text if gold else " ".join(sentences))]
        if predicted != sentences:
            wrong.append(" | ".join(predicted))
    return wrong, len(lines)


def wrong_tokens(nlp: tw.Pipeline) -> Wrong:
    """Return the pieces of text with other tokens."""
    wrong = []
    for text, gold in TOKENS.items():
        tokens = [token.form for sentence in nlp.tokeniser(text) for token in surface_tokens(sentence)]
        if tokens != gold.split(" "):
            wrong.append(" ".join(tokens))
    return wrong, len(TOKENS)


if __name__ == "__main__":
    main()
