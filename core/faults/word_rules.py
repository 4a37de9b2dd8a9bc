"""Detectors that look up words in the dialogue: new words, names and numbers, other numbers, negation."""

import re
from collections.abc import Iterator, Sequence

from core.faults import evidence
from core.faults.alignment import Clause, topic_words
from core.faults.case import Case
from core.faults.evidence import Evidence
from core.faults.fault import Fault, Kind
from core.faults.quantities import Quantity, quantities
from core.faults.words import REPORT_WORDS, Word, sentences

UNIT_PLACES = 2
"""Most words from a number to its unit: "two weeks", "two more weeks"."""
SCOPE = 3
"""Number of words that a negation reaches."""
_NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|nothing|none|neither|nor|without|cannot|hardly)\b|\w+n['\u2019]t\b", re.IGNORECASE
)


def novel_word(case: Case) -> Iterator[Fault]:
    """Find content words that are in no turn in any form."""
    for word in case.alignment.words:
        if word.kind == "content" and word.text.casefold() not in REPORT_WORDS and not case.source.has(word):
            yield _novel("novel_word", word, evidence.of("new_word", word=word.text))


def novel_name(case: Case) -> Iterator[Fault]:
    """Find names that are not in the dialogue."""
    for word in case.alignment.words:
        if word.kind == "name" and not case.source.has(word):
            yield _novel("novel_name", word, evidence.of("new_name", name=word.text))


def novel_number(case: Case) -> Iterator[Fault]:
    """Find numbers, times, days and prices that are not in the dialogue, in digits or words."""
    for word in case.alignment.words:
        if word.kind == "number" and not case.source.has(word):
            yield _novel("novel_number", word, evidence.of("new_number", number=word.text))


def _novel(kind: Kind, word: Word, reason: Evidence) -> Fault:
    return Fault(kind, word.start, word.end, (), reason)


def number_mismatch(case: Case) -> Iterator[Fault]:
    """Find quantities that differ from the one beside the same unit, or in the turn that fits best."""
    sorts = {number.start: number for number in quantities(case.summary)}
    for clause in case.alignment.clauses:
        for place, word in enumerate(clause.words):
            quantity = sorts.get(word.start) if word.kind == "number" else None
            if quantity is None:
                continue
            rival = _beside_unit(case, clause.words, place, quantity) or _in_best_turn(case, clause, quantity)
            if rival:
                turn, other = rival
                reason = evidence.of("other_number", number=word.text, turn=turn + 1, other=other)
                yield Fault("number_mismatch", word.start, word.end, (turn,), reason)


def _beside_unit(case: Case, words: Sequence[Word], place: int, quantity: Quantity) -> tuple[int, str] | None:
    """Return turn and words of another number with the same unit, if this number never has that unit."""
    unit = next((word.stem for word in words[place + 1 : place + 1 + UNIT_PLACES] if word.kind == "content"), None)
    rival = None
    for turn in case.source.where.get(unit, ()) if unit else ():
        turn_words = case.source.turns[turn]
        for number, word in enumerate(turn_words):
            near = {neighbour.stem for neighbour in turn_words[number + 1 : number + 1 + UNIT_PLACES]}
            if word.kind != "number" or unit not in near:
                continue
            if word.stem == quantity.value:
                return None
            rival = rival or (turn, word.text)
    return rival


def _in_best_turn(case: Case, clause: Clause, quantity: Quantity) -> tuple[int, str] | None:
    """Return turn and words of a quantity of the same sort in the best turn of a clause that lacks this one."""
    others = [each for each in topic_words(clause.words) if each.kind != "number"]
    best = next((each for each in clause.support if set(each.words) & {word.text for word in others}), None)
    if best is None or len(others) < 2 or best.share < 0.4:
        return None
    candidates = quantities(case.dialogue.turns[best.turn].text)
    around = [turn for turn in (best.turn - 1, best.turn, best.turn + 1) if 0 <= turn < len(case.source.turns)]
    if any(quantity.value in case.source.stems[turn] for turn in around):
        return None
    rivals = [each for each in candidates if each.sort == quantity.sort]
    text = case.dialogue.turns[best.turn].text
    return (best.turn, text[rivals[0].start : rivals[0].end]) if rivals else None


def negation_mismatch(case: Case) -> Iterator[Fault]:
    """Find words that are negated in the summary and never in the dialogue, or the other way round."""
    negated, near = _negated_in_turns(case)
    for clause in case.alignment.clauses:
        scopes = _scopes(case.summary[clause.start : clause.end], clause.words, clause.start)
        heads = {word.start: negation for negation, word in scopes}
        for word in clause.words:
            places = near.get(word.stem, {})
            if word.kind != "content" or not places:
                continue
            if word.start in heads and not any(negated[word.stem].values()):
                yield _mismatch(word, heads[word.start], places, "negated_here")
            elif not scopes and all(places.values()) and clause.support and clause.support[0].turn in places:
                yield _mismatch(word, None, places, "negated_there")


def _mismatch(word: Word, negation: tuple[int, int] | None, turns: dict[int, bool], what: str) -> Fault:
    start = min(word.start, negation[0]) if negation else word.start
    return Fault("negation_mismatch", start, word.end, tuple(turns)[:3], evidence.of(what, word=word.text))


def _scopes(text: str, words: Sequence[Word], offset: int) -> list[tuple[tuple[int, int], Word]]:
    """Find each negation of a stretch of text, and the first content word that it reaches."""
    negations = []
    for match in _NEGATION.finditer(text):
        start, end = match.start() + offset, match.end() + offset
        reached = [word for word in words if word.start >= end][: SCOPE + 1]
        head = next((word for word in reached if word.kind == "content"), None)
        if head is not None:
            negations.append(((start, end), head))
    return negations


_Places = dict[str, dict[int, bool]]


def _negated_in_turns(case: Case) -> tuple[_Places, _Places]:
    """Find for each content stem and turn whether a negation precedes it in its sentence.

    Returns:
        Whether any occurrence in the turn has a negation before it, and whether all have one that reaches them.
    """
    negated: _Places = {}
    near: _Places = {}
    for turn, words in enumerate(case.source.turns):
        text = case.dialogue.turns[turn].text
        place = 0
        for start, end in sentences(text):
            first = place
            while place < len(words) and words[place].start < end:
                place += 1
            inside = words[first:place]
            before = [match.start() + start for match in _NEGATION.finditer(text[start:end])]
            reached = {word.start for _, word in _scopes(text[start:end], inside, start)} if before else set()
            for word in (each for each in inside if each.kind == "content"):
                anywhere, everywhere = negated.setdefault(word.stem, {}), near.setdefault(word.stem, {})
                anywhere[turn] = anywhere.get(turn, False) or any(each < word.start for each in before)
                everywhere[turn] = everywhere.get(turn, True) and word.start in reached
    return negated, near
