"""Detectors for turns: wrong speakers and omitted turns."""

import re
from collections.abc import Iterator

from core.explain.shared.repetition import words_of
from core.faults import evidence
from core.faults.alignment import CONJUNCTIONS, Clause, topic_words
from core.faults.case import Case, ReferenceClause, quoted
from core.faults.fault import Fault
from core.faults.words import POSSESSIVES, Word

CLEAR = 0.5
"""Share of a clause's weighted words that another speaker must say more than the named one."""
KEY_SHARE = 0.34
"""Share of a reference clause's weighted words, and two of them, that make a turn its topic."""
UNREAD = 0.5
"""A turn is hardly read below this multiple of the attention due to its length."""
_TOWARDS = frozenset(
    """ask asks asked tell tells told invite invites help helps call calls show shows advise advises remind reminds
    thank thanks persuade persuades inform informs meet meets visit visits marry marries teach teaches convince
    convinces comes goes with""".split()
)
"""Verbs with two different persons as subject and object."""
_BETWEEN = frozenset("also to then again the mr mrs ms miss".split())
_PAIR = re.compile(r"\sand\s\S+(?:\s[A-Z]\S*)?\s(?:are|were|talk|discuss|decide|have)\b")
"""Text after the first person of "Peter and Peter are talking"; not a new clause as in "… and Peter thinks …"."""
_BREAK = re.compile(r"[.!?;,]")
_BOTH_SIDED = frozenset({"helps", "help", "and"})
"""After these words, anybody may say the words of a clause."""


def wrong_speaker(case: Case) -> Iterator[Fault]:
    """Find clauses whose words are said by another speaker than their subject."""
    for clause in case.alignment.clauses:
        subject = subject_of(clause)
        if subject is None or len(topic_words(clause.words)) < 2 or not clause.support:
            continue
        shares = dict(clause.by_speaker)
        own = shares.pop(subject.stem, 0.0)
        if not shares:
            continue
        other = max(shares, key=lambda name: (shares[name], name))
        best = [support for support in clause.support if support.speaker == other]
        if shares[other] - own < CLEAR or not best or clause.support[0].speaker == subject.stem:
            continue
        turns = tuple(support.turn for support in best)
        words = quoted([word for support in best for word in support.words])
        reason = evidence.of("said_by", words=words, speaker=other, turn=best[0].turn + 1, other=subject.stem)
        yield Fault("wrong_speaker", subject.start, subject.end, turns, reason, shares[other] - own)


def subject_of(clause: Clause) -> Word | None:
    """Return the speaker whom a clause names first, if it is a single person and not helped."""
    words = clause.words
    start = 1 if words and words[0].text.casefold() in CONJUNCTIONS else 0
    if len(words) < start + 2 or words[start].kind != "speaker":
        return None
    return None if words[start + 1].text.casefold() in _BOTH_SIDED else words[start]


def same_person(case: Case) -> Iterator[Fault]:
    """Find one person on both sides of a verb that needs two: "Tom invites Tom"."""
    words = [word for word in case.alignment.words if word.text.casefold() not in _BETWEEN]
    for first, verb, second in zip(words, words[1:], words[2:], strict=False):
        if first.kind not in ("speaker", "name") or first.stem != second.stem:
            continue
        whole = _BREAK.search(case.summary[first.end : second.start]) is None
        owner = case.summary.startswith(POSSESSIVES, first.end) or case.summary.startswith(POSSESSIVES, second.end)
        joined = verb.text.casefold() in _TOWARDS or _PAIR.match(case.summary, first.end)
        if whole and not owner and joined:
            reason = evidence.of("both_sides", person=first.text, verb=verb.text)
            yield Fault("same_person", first.start, second.end, (), reason)


def omitted_turn(case: Case) -> Iterator[Fault]:
    """Find turns of the references whose shared words are not in the summary."""
    written = case.alignment.stems
    for turn, clauses in _key_turns(case).items():
        shared = {word.stem: word.text for clause in clauses for word in topic_words(clause.words)}
        shared = {stem: text for stem, text in shared.items() if stem in case.source.stems[turn]}
        if not written & set(shared):
            words = quoted(sorted(shared.values()))
            yield Fault("omitted_turn", 0, 0, (turn,), evidence.of("omitted", words=words, turn=turn + 1))


def unread_turn(case: Case) -> Iterator[Fault]:
    """Find turns of the references that got little attention during decoding."""
    if not case.attention:
        return
    lengths = [len(words_of(turn.text)) for turn in case.dialogue.turns]
    for turn in _key_turns(case):
        fair = lengths[turn] / max(1, sum(lengths))
        share = case.attention[turn]
        if share < UNREAD * fair:
            shares = {"share": f"{100 * share:.1f}", "fair": f"{100 * fair:.0f}"}
            yield Fault("unread_turn", 0, 0, (turn,), evidence.of("unread", turn=turn + 1, **shares), share)


def _key_turns(case: Case) -> dict[int, list[ReferenceClause]]:
    """Return the turns that are the topic of clauses in at least half of the references, in order."""
    candidates: dict[int, list[ReferenceClause]] = {}
    votes: dict[int, set[int]] = {}
    for number, clauses in enumerate(case.reference_clauses):
        for clause in clauses:
            best = clause.support[0] if clause.support else None
            if best is not None and best.share >= KEY_SHARE and len(best.words) > 1:
                candidates.setdefault(best.turn, []).append(clause)
                votes.setdefault(best.turn, set()).add(number)
    needed = len(case.reference_clauses) / 2
    return {turn: candidates[turn] for turn in sorted(candidates) if len(votes[turn]) >= needed}
