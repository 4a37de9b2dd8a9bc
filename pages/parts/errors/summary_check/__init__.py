"""A summary laid against its dialogue: what comes from where, what was missed, and hints that one confirms or rejects.

The script and the style sheet are in the folder of the same name. Turns are counted from 0 here and from 1 on screen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import ERROR_TAGS, Books, Entry, Verdict, subject, tag_name
from core.faults.alignment import Alignment, Passage, passages, reference_coverage, turn_words
from core.faults.fault import Fault
from core.figures.shared.wording import capital, count, listed, percent
from core.text.dialogue import parse_dialogue
from core.words import later, say
from pages.shared.components import component

KINDS: Mapping[str, tuple[str, str]] = {
    "same phrase": ("phrase", later("the dialogue's words")),
    "similar meaning": ("similar", later("another form of its words")),
    "new word": ("new", later("not in the dialogue")),
    "new name": ("name-new", later("a name that is not in it")),
    "new number": ("number-new", later("a number that is not in it")),
    "other speaker": ("speaker", later("said by another speaker")),
}
"""Class in the script and meaning of each kind of passage; it is to be said."""
TURN_KINDS = {"same": "phrase", "another form": "similar", "reference": "absent"}
"""Class in the script of each kind of word of a turn."""
TURN_TIPS = {
    (False, False): later("Turn {turn}: {share} of its content words are in the summary"),
    (True, False): later("Turn {turn}: {share} of its content words are in the summary, {covered} in the reference"),
    (False, True): later(
        "Turn {turn}: {share} of its content words are in the summary, it got {attention} of the attention"
    ),
    (True, True): later(
        "Turn {turn}: {share} of its content words are in the summary, {covered} in the reference, it got {attention} "
        "of the attention"
    ),
}
"""What is said of a turn: whether there are references, and whether its attention is known."""
MISSED = 0.34
"""A turn of which the reference holds at least this share, and the summary less than half as much, was missed."""

_CHECK = component(__file__, judged={"fault": int, "verdict": str}, unmarked=int)


def summary_check(data: dict[str, Any], key: str, on_judge: Callable[[], None], on_unmark: Callable[[], None]) -> None:
    """Draw a summary beside its dialogue.

    Args:
        data: what `check_data` and `label_data` returned.
        key: of the component; `st.session_state[key].judged` is {fault, verdict} inside `on_judge`, `.unmarked` the
            number of the reader's mark inside `on_unmark`.
        on_judge: called when a hint was confirmed, rejected, or neither any more.
        on_unmark: called when words were taken out of the labels.
    """
    _CHECK(key=key, data=data, on_judged_change=on_judge, on_unmarked_change=on_unmark)


def label_data(row: ScoredSummary, books: Books, me: str) -> dict[str, Any]:
    """Return what the script draws of labels: the words that the reader marked, and all that other readers said.

    What others say is shown to who has judged the summary: it shall not lead a second reading.
    """
    mine = books.get(me, {})
    known = books if mine.get(subject(row), Entry()).decided else {me: mine}
    turns = parse_dialogue(row.dialogue).turns
    remarks: list[dict[str, Any]] = []
    for who, entry in ((who, book.get(subject(row), Entry())) for who, book in known.items()):
        name = "" if who == me else who or say("a reader without a name")
        for number, mark in enumerate(entry.marks):
            texts = [f"\u201c{row.summary[mark.start : mark.end]}\u201d"] if mark.end else []
            places = ((turn + 1, turns[turn].text[start:end]) for turn, start, end in mark.passages)
            texts += [say("turn {number}: “{words}”", number=turn, words=words) for turn, words in places]
            spans = [*([(-1, mark.start, mark.end)] if mark.end else []), *mark.passages]
            own = number if who == me else None
            remarks.append(
                {"who": name, "label": tag_name(mark.tag), "words": " · ".join(texts), "spans": spans, "own": own}
            )
        if who != me and not entry.empty:
            rest = replace(entry, tags=tuple(tag for tag in entry.tags if all(tag != mark.tag for mark in entry.marks)))
            remarks += [{"who": name, "label": str(rest), "words": "", "spans": [], "own": None}] if str(rest) else []
    labels = [remark | {"turns": [turn for turn, *_ in remark["spans"] if turn >= 0]} for remark in remarks]
    return {"row": row.id, "labels": labels, "tags": [(tag, tag_name(tag)) for tag in ERROR_TAGS]}


def check_data(
    alignment: Alignment,
    faults: Sequence[Fault],
    labels: Mapping[str, tuple[str, str]],
    verdicts: Mapping[int, Verdict],
    references: Sequence[str] = (),
    attention: Sequence[float] = (),
    others: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return what the script draws.

    Args:
        alignment: of the summary with the dialogue.
        faults: the hints.
        labels: for each kind of hint, what it is called and how often it was right ("" where nobody measured).
        verdicts: by hint, what somebody said about it.
        references: reference summaries; empty where there are none.
        attention: share of the model's attention that each turn got; empty where another system wrote the summary.
        others: other systems' summaries, by their names.
    """
    stretches = [passage for passage in passages(alignment, faults) if passage.kind in KINDS]
    covered = reference_coverage(alignment, references)
    shown = [kind for kind in KINDS if any(passage.kind == kind for passage in stretches)]
    return {
        "about": alignment.summary,
        "summary": _pieces(alignment.summary, stretches, faults, labels),
        "turns": [
            _turn(alignment, turn, None if covered is None else covered[turn], attention, references)
            for turn in range(len(alignment.coverage))
        ],
        "faults": [
            {
                "label": labels[fault.kind][0],
                "measured": labels[fault.kind][1],
                "evidence": fault.evidence.said(),
                "turns": list(fault.turns),
                "verdict": verdicts.get(index, ""),
            }
            for index, fault in enumerate(faults)
        ],
        "texts": [
            *([_numbered(number, len(references)), text] for number, text in enumerate(references, 1)),
            *([name, text] for name, text in others.items()),
        ],
        "none": say("No detector that is on found anything. That does not make the summary right."),
        "legend": [{"kind": KINDS[kind][0], "text": say(KINDS[kind][1])} for kind in shown],
        "titles": {
            "summary": say("The summary"),
            "labels": say("Labels of words, and what others say"),
            "errors": say("Errors of the opened summary"),
            "hints": say("{hints}: check them, they are no verdicts", hints=count(len(faults), "hint")),
            "dialogue": say("The dialogue"),
        },
        "bars": _bars_legend(covered is not None),
    }


def _numbered(number: int, of: int) -> str:
    return say("Reference") if of == 1 else say("Reference {number}", number=number)


def _pieces(
    text: str, stretches: Sequence[Passage], faults: Sequence[Fault], labels: Mapping[str, tuple[str, str]]
) -> list[dict[str, Any]]:
    """The summary cut wherever a passage or a hint begins or ends."""
    marked = [fault for fault in faults if fault.end > fault.start]
    spans = [(each.start, each.end) for each in stretches] + [(each.start, each.end) for each in marked]
    cuts = sorted({0, len(text), *(edge for span in spans for edge in span if 0 <= edge <= len(text))})
    pieces = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        passage = next((each for each in stretches if each.start <= start and end <= each.end), None)
        hints = [place for place, fault in enumerate(faults) if fault.start <= start and end <= fault.end]
        turns = sorted({turn for place in hints for turn in faults[place].turns})
        pieces.append(
            {
                "text": text[start:end],
                "kind": KINDS[passage.kind][0] if passage else "",
                "turns": list(passage.turns) if passage else turns,
                "faults": hints,
                "tip": _piece_tip(passage, [labels[faults[place].kind][0] for place in hints]),
            }
        )
    return pieces


def _piece_tip(passage: Passage | None, hints: Sequence[str]) -> str:
    parts = []
    if passage:
        meaning = capital(say(KINDS[passage.kind][1]))
        parts.append(f"{meaning}: {_turns(passage.turns)}" if passage.turns else meaning)
    if hints:
        parts.append(say("Hint: {hints}", hints=listed(list(dict.fromkeys(hints)))))
    return ". ".join(parts)


def _turns(turns: Sequence[int]) -> str:
    numbers = [str(turn + 1) for turn in turns]
    if len(numbers) == 1:
        return say("turn {number}", number=numbers[0])
    return say("turns {numbers}", numbers=listed(numbers))


def _turn(
    alignment: Alignment,
    index: int,
    covered: float | None,
    attention: Sequence[float],
    references: Sequence[str],
) -> dict[str, Any]:
    dialogue = alignment.source.dialogue
    turn = dialogue.turns[index]
    own = alignment.coverage[index]
    is_missed = covered is not None and covered >= MISSED and own < covered / 2
    return {
        "index": index,
        "name": turn.speaker or "",
        "speaker": -1 if turn.speaker is None else dialogue.speakers.index(turn.speaker),
        "pieces": _turn_pieces(alignment, index, references),
        "coverage": own,
        "reference": covered,
        "missed": is_missed,
        "size": len(turn.text),
        "tip": _turn_tip(index, own, covered, attention[index] if attention else None),
    }


def _turn_tip(index: int, own: float, covered: float | None, attention: float | None) -> str:
    """Say how much of a turn is in the summary and in the reference, and how much of the attention it got."""
    shares = {"share": percent(own), "covered": percent(covered or 0.0), "attention": percent(attention or 0.0)}
    return say(TURN_TIPS[covered is not None, attention is not None], turn=index + 1, **shares)


def _turn_pieces(alignment: Alignment, index: int, references: Sequence[str]) -> list[dict[str, str]]:
    """A turn's words: those of the summary, those that only a reference holds, and the rest."""
    text, position = alignment.source.dialogue.turns[index].text, 0
    pieces = []
    for word, kind in turn_words(alignment, index, references):
        pieces.append({"text": text[position : word.start], "kind": ""})
        pieces.append({"text": text[word.start : word.end], "kind": TURN_KINDS[kind]})
        position = word.end
    pieces.append({"text": text[position:], "kind": ""})
    return [piece for piece in pieces if piece["text"]]


def _bars_legend(with_reference: bool) -> str:
    bars = (
        say(
            "Dark bar under a turn: share of its content words that are in the summary; grey: in the reference. "
            "Dashed words are in the reference alone."
        )
        if with_reference
        else say("Dark bar under a turn: share of its content words that are in the summary.")
    )
    return f"{bars} {say('Click a turn, a stretch of the summary or a hint to see what belongs together.')}"
