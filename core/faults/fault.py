"""A hint that something in a summary may be wrong, and the kinds of hints."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from core.errors import SettingsError

Kind = Literal[
    "repetition",
    "novel_word",
    "novel_name",
    "novel_number",
    "number_mismatch",
    "negation_mismatch",
    "wrong_speaker",
    "same_person",
    "omitted_turn",
    "unread_turn",
    "too_short",
    "too_long",
    "low_confidence",
    "special_token",
    "speaker_swap",
    "name_swap",
    "number_swap",
    "negation_swap",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Fault:
    """One hint.

    Args:
        kind: which detector gave it.
        start: first character of the marked span of the summary.
        end: one past its last character; equal to `start` where the hint is about the summary as a whole.
        turns: 0-based turns of the dialogue that are its evidence.
        evidence: why, in one plain sentence.
        value: what was measured, if anything: the margin of a swap in nats, a probability, a share.

    Raises:
        SettingsError: an unknown kind or an impossible span.
    """

    kind: Kind
    start: int
    end: int
    turns: tuple[int, ...]
    evidence: str
    value: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingsError(f"a fault's kind must be one of {', '.join(KINDS)}. Received: {self.kind!r}")
        if not 0 <= self.start <= self.end:
            raise SettingsError(f"a fault's span must be 0 <= start <= end. Received: {self.start}, {self.end}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self) | {"turns": list(self.turns)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Fault":
        """What `to_dict` gave; raises SettingsError."""
        try:
            value = values.get("value")
            return cls(
                values["kind"],
                int(values["start"]),
                int(values["end"]),
                tuple(int(turn) for turn in values["turns"]),
                str(values["evidence"]),
                None if value is None else float(value),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise SettingsError(f"a fault must hold kind, start, end, turns and evidence. Received: {error}") from None
