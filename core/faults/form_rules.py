"""Detectors for the form of a summary: repetition, length, confidence, special tokens."""

import re
from collections.abc import Iterator

from core.explain.shared.repetition import words_of
from core.faults import evidence
from core.faults.case import Case, WrittenToken
from core.faults.evidence import Evidence
from core.faults.fault import Fault
from core.faults.words import POSSESSIVES, REPORT_WORDS, TAG, Word

SHORT_SHARE, LONG_SHARE = 0.09, 0.35
"""Words of a summary per word of its dialogue. Of the human summaries of DialogSum's training rows (12,460), 1 % are
below 0.09 and 1 % above 0.35; the median is 0.18."""
SHORT_FACTOR, LONG_FACTOR = 0.5, 2.0
"""With references: half as long as the shortest, twice as long as the longest."""
FEW_WORDS = 40
"""With fewer words of the dialogue, the length of its summary is not checked."""
LOW_PROBABILITY = 0.1
"""A word has low confidence if one of its tokens has a lower probability. About 3 % of the tokens of our own summaries
of DialogSum's validation rows are below it."""
FEWEST_CUT = 5
"""Words of a summary of which the end of the last sentence is looked for."""
_SENTENCE_ENDS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u2019\u201d\u00bb)\]]*\s*$")
RETURN = 8
"""Most words until the repeat of a trigram counts; later, texts repeat "is interested in" rightly."""
NEAR = 4
"""Most words from a content word to its repeat that count as near."""
_DOUBLED = frozenset({"that", "had", "very", "bye", "so", "no", "many", "really"})
"""Words that may be repeated directly."""
_BREAK = re.compile(r"[.!?;,]|\b(?:and|or|because|than)\b|\S-\S*$")
"""After these a word may be repeated."""
_LEFTOVERS = re.compile(
    r"\[(?:PAD|SOS|EOS|UNK|TURN)\]|<(?:unk|pad|s|/s|eos|bos|sos|mask)>|#*Person\d+#*(?![^\W\d_])"
    r"|\ufffd+|[\u0120\u010a\u2581]|<0x[0-9A-Fa-f]{2}>|\u00e2\u20ac[\u2122\u0153\u201c\u201d\u009d]?|\u00c3[\u0080-\u00bf]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def repetition(case: Case) -> Iterator[Fault]:
    """Find repeated trigrams with content, directly repeated words, and content words repeated nearby."""
    words = case.alignment.words
    seen: dict[tuple[str, ...], int] = {}
    end = 0
    for place, word in enumerate(words):
        said = _repeated(case, place, seen)
        if said is None or word.start < end:
            continue
        last, reason = said
        end = words[last].end
        yield Fault("repetition", word.start, end, (), reason)


def _repeated(case: Case, place: int, seen: dict[tuple[str, ...], int]) -> tuple[int, Evidence] | None:
    """Return the index of the last word of a repeat that begins or ends at a word, and the sentence about it."""
    words = case.alignment.words
    three = words[place : place + 3]
    if len(three) == 3 and any(word.content and _small(word) not in REPORT_WORDS for word in three):
        trigram = tuple(map(_small, three))
        before = seen.get(trigram, -RETURN - 1)
        seen[trigram] = place
        if place - before <= RETURN:
            text = case.summary[words[place].start : words[place + 2].end]
            return place + 2, evidence.of("twice", words=text)
    small = _small(words[place])
    if place + 1 < len(words) and small == _small(words[place + 1]) and small not in _DOUBLED:
        gap, after = case.summary[words[place].end : words[place + 1].start], case.summary[words[place + 1].end :]
        if gap.isspace() and not after.startswith(POSSESSIVES):
            return place + 1, evidence.of("in_a_row", word=words[place].text)
    later = _near(case, place)
    if later is None:
        return None
    text = case.summary[words[place].start : words[later].end]
    return later, evidence.of("nearby", words=text)


def _near(case: Case, place: int) -> int | None:
    """Return the index of a nearby repeat of a content word in the same phrase; "Tom tells Tom" is none."""
    words = case.alignment.words
    word = words[place]
    if word.kind not in ("content", "name") or _small(word) in REPORT_WORDS:
        return None
    for later in range(place + 2, min(place + NEAR + 1, len(words))):
        between = words[place + 1 : later]
        if any(each.kind == "speaker" or (word.kind == "name" and each.kind == "content") for each in between):
            return None
        gap = case.summary[word.end : words[later].start]
        if words[later].stem == word.stem and len(word.text) > 3 and not _BREAK.search(gap):
            return later
    return None


def _small(word: Word) -> str:
    return word.text.casefold()


def too_short(case: Case) -> Iterator[Fault]:
    """Find summaries with unusually few words."""
    written, least, reason = _length(case, shortest=True)
    if written < least:
        yield Fault("too_short", 0, 0, (), reason, float(written))


def too_long(case: Case) -> Iterator[Fault]:
    """Find summaries with unusually many words."""
    written, most, reason = _length(case, shortest=False)
    if written > most:
        yield Fault("too_long", 0, 0, (), reason, float(written))


def _length(case: Case, *, shortest: bool) -> tuple[int, float, Evidence]:
    """Return the words of the summary, the bound, and the sentence about both."""
    written = len(words_of(case.summary))
    words = _count(written)
    lengths = [len(words_of(reference)) for reference in case.references if reference.strip()]
    if lengths and shortest:
        return written, SHORT_FACTOR * min(lengths), evidence.of("shortest", words=words, least=min(lengths))
    if lengths:
        return written, LONG_FACTOR * max(lengths), evidence.of("longest", words=words, most=max(lengths))
    spoken = sum(len(words_of(turn.text)) for turn in case.dialogue.turns)
    if spoken < FEW_WORDS:
        return written, 0.5 if shortest else float("inf"), evidence.of("few_said", words=words, said=spoken)
    bound = (SHORT_SHARE if shortest else LONG_SHARE) * spoken
    rare = "rarely_fewer" if shortest else "rarely_more"
    return written, bound, evidence.of(rare, words=words, said=spoken, bound=f"{bound:.0f}")


def _count(written: int) -> Evidence:
    if written < 2:
        return evidence.of("one_word" if written else "no_words")
    return evidence.of("words", count=written)


def cut_off(case: Case) -> Iterator[Fault]:
    """Find summaries that reached their longest length: without an end token, or without the end of a sentence."""
    words = case.alignment.words
    if not words or case.ended:
        return
    if case.ended is False:
        yield Fault("cut_off", words[-1].start, words[-1].end, (), evidence.of("no_end"))
    elif len(words) >= FEWEST_CUT and not _ended(case.summary) and _ended(*case.references):
        tail = case.summary[words[-3].start : words[-1].end]
        yield Fault("cut_off", words[-1].start, words[-1].end, (), evidence.of("unended", words=tail))


def _ended(*texts: str) -> bool:
    """Return whether one of some texts ends with the end of a sentence; of no texts nobody knows, which counts."""
    return not texts or any(_SENTENCE_ENDS.search(text) for text in texts)


def low_confidence(case: Case) -> Iterator[Fault]:
    """Find words with a low probability; neighbours are one span."""
    run: list[WrittenToken] = []
    for token in case.tokens:
        if token.end <= token.start:
            continue
        if token.probability < LOW_PROBABILITY:
            between = case.summary[run[-1].end : token.start] if run else ""
            if run and between.strip():
                yield _unsure(case, run)
                run = []
            run.append(token)
        elif run:
            yield _unsure(case, run)
            run = []
    if run:
        yield _unsure(case, run)


def _unsure(case: Case, run: list[WrittenToken]) -> Fault:
    start, end = run[0].start, run[-1].end
    lowest = min(token.probability for token in run)
    text = case.summary[start:end]
    reason = evidence.of("unsure", words=text, percent=f"{100 * lowest:.1f}")
    return Fault("low_confidence", start, end, (), reason, lowest)


def special_token(case: Case) -> Iterator[Fault]:
    """Find special tokens, tags of speakers who are not in the dialogue, and damaged characters."""
    dialogue = case.dialogue.text
    untagged = TAG.sub(" ", dialogue)
    for match in _LEFTOVERS.finditer(case.summary):
        text = match.group()
        if text in case.tags or text in (dialogue if TAG.fullmatch(text) else untagged):
            continue
        if "Person" in text:
            whole = TAG.fullmatch(text) is not None
            reason = evidence.of("no_speaker" if whole else "damaged_tag", tag=text)
        elif text.startswith(("[", "<")):
            reason = evidence.of("special", token=text)
        else:
            codes = " ".join(f"U+{ord(character):04X}" for character in text[:4])
            reason = evidence.of("damaged", codes=codes)
        yield Fault("special_token", *match.span(), (), reason)
