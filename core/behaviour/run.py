"""Change dialogues, let the model summarize them again, and count how often its summaries follow or stay."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.behaviour.changes import KINDS, Change, changes
from core.config import DecodeSettings
from core.errors import DialogueError, SettingsError
from core.scoring.rouge import rouge
from core.scoring.wilson import wilson

if TYPE_CHECKING:
    from core.service import Summarizer

SAME = 100.0
"""Least ROUGE-1 of two summaries that count as the same, where nobody says otherwise: all words."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A dialogue before and after a change, with both summaries.

    Args:
        id: of the dialogue.
        kind: of the change, one of `changes.KINDS`.
        changed: what was changed.
        dialogue: before.
        text: the dialogue after.
        before: summary of the first.
        after: summary of the second.
        expected: the first summary with the change; "" where nobody can say it.
        overlap: ROUGE-1 (F) of the second summary with the expected one, else with the first, 0 to 100.
        followed: whether the second summary follows the change; None where it must stay.
    """

    id: str
    kind: str
    changed: str
    dialogue: str
    text: str
    before: str
    after: str
    expected: str
    overlap: float
    followed: bool | None

    def holds(self, same: float = SAME) -> bool:
        """Return whether the summary did what it must; `same` is the least overlap of one that stayed."""
        return self.overlap >= same if self.followed is None else self.followed

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Trial":
        """Build from what `to_dict` returned; further names are left alone. Raises SettingsError."""
        try:
            trial = cls(**{name: values[name] for name in cls.__slots__})
            KINDS[trial.kind], float(trial.overlap)
            texts = (trial.id, trial.changed, trial.dialogue, trial.text, trial.before, trial.after, trial.expected)
            if not all(isinstance(text, str) for text in texts) or trial.followed not in (True, False, None):
                raise TypeError("texts must be strings, and followed true, false or null")
        except (KeyError, TypeError, ValueError) as error:
            got = f"{type(error).__name__} {error}"
            raise SettingsError("not a line that `behave` writes. Received: {got}", got=got) from None
        return trial


@dataclass(frozen=True, slots=True)
class Share:
    """How often summaries did what they must after changes of one kind.

    Args:
        kind: of the change.
        count: dialogues in which it was possible.
        held: of them, those whose summary did it.
        low: lower end of the 95 % Wilson interval of the share, 0 to 1.
        high: upper end.
        overlap: mean ROUGE-1 of the summaries with what was expected, 0 to 100.
    """

    kind: str
    count: int
    held: int
    low: float
    high: float
    overlap: float


def shares(trials: Sequence[Trial], same: float = SAME) -> list[Share]:
    """Count by kind, in the order of `KINDS`; a kind that was nowhere possible has no share."""
    counts = []
    for kind in KINDS:
        own = [trial for trial in trials if trial.kind == kind]
        if own:
            held = sum(trial.holds(same) for trial in own)
            mean = sum(trial.overlap for trial in own) / len(own)
            counts.append(Share(kind, len(own), held, *wilson(held, len(own)), mean))
    return counts


def try_changes(
    summarizer: "Summarizer", rows: Sequence[tuple[str, str]], settings: DecodeSettings, seed: int = 0
) -> list[tuple[Trial, ...] | DialogueError]:
    """Summarize dialogues, and again with every change.

    Args:
        summarizer: the model.
        rows: id and text of each dialogue.
        settings: of decoding.
        seed: of what is drawn at random.

    Returns:
        The trials of each dialogue, or why the model cannot read it.
    """
    outcomes: list[tuple[Trial, ...] | DialogueError] = []
    read = {}
    for place, (_, text) in enumerate(rows):
        try:
            read[place] = summarizer.encode(text, settings.truncation)
            outcomes.append(())
        except DialogueError as error:
            outcomes.append(error)
    before = dict(zip(read, summarizer.write_rows(list(read.values()), settings), strict=True))
    made = [
        (place, change, encoded)
        for place, summary in before.items()
        for change in changes(rows[place][0], read[place].dialogue, summary, seed)
        if (encoded := _read(summarizer, change, settings))
    ]
    made.sort(key=lambda each: len(each[2].tokens))  # what is written at once is padded to one length
    after = summarizer.write_rows([encoded for *_, encoded in made], settings)
    trials: dict[int, list[Trial]] = {place: [] for place in before}
    for (place, change, _), summary in zip(made, after, strict=True):
        trials[place].append(_trial(rows[place], change, before[place], summary))
    order = list(KINDS)
    for place, each in trials.items():
        outcomes[place] = tuple(sorted(each, key=lambda trial: order.index(trial.kind)))
    return outcomes


def _read(summarizer: "Summarizer", change: Change, settings: DecodeSettings) -> Any:
    try:
        return summarizer.encode(change.text, settings.truncation)
    except DialogueError:  # small talk made it too long
        return None


def _trial(row: tuple[str, str], change: Change, before: str, after: str) -> Trial:
    target = change.expected or before
    overlap = 100.0 if after.split() == target.split() else rouge(after, [target]).rouge1
    return Trial(
        row[0], change.kind, change.changed, row[1], change.text, before, after, change.expected,
        round(overlap, 2), change.followed(before, after),
    )  # fmt: skip
