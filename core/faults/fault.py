"""A hint of what may be wrong in a summary, and the kinds of hints."""

from dataclasses import dataclass
from typing import Any

from core.errors import SettingsError
from core.faults.evidence import Evidence
from core.files import finite, table
from core.words import say

Kind = str
"""One of `KINDS`."""
KINDS: tuple[Kind, ...] = tuple(table(__file__, "detectors")["kinds"])


@dataclass(frozen=True, slots=True)
class Fault:
    """One hint.

    Args:
        kind: of its detector.
        start: first character of the marked span of the summary.
        end: one past its last character; equal to `start` if the hint is about the whole summary.
        turns: 0-based turns of the dialogue, as evidence.
        evidence: the reason in one plain sentence.
        value: the measured number, if any: the margin of a swap in nats, a probability, a share.

    Raises:
        SettingsError: an unknown kind or an impossible span.
    """

    kind: Kind
    start: int
    end: int
    turns: tuple[int, ...]
    evidence: Evidence
    value: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            kinds, got = ", ".join(KINDS), repr(self.kind)
            raise SettingsError("a fault's kind must be one of {kinds}. Received: {got}", kinds=kinds, got=got)
        if not 0 <= self.start <= self.end:
            got = f"{self.start}, {self.end}"
            raise SettingsError("a fault's span must be 0 <= start <= end. Received: {got}", got=got)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; `evidence` is the sentence in English, `reason` what it is made of."""
        return {
            "kind": self.kind,
            "start": self.start,
            "end": self.end,
            "turns": list(self.turns),
            "evidence": str(self.evidence),
            "value": self.value,
        } | ({"reason": self.evidence.to_dict()} if self.evidence.known else {})

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Fault":
        """Build from what `to_dict` returned, with or without `reason`; raises SettingsError."""
        try:
            value = values.get("value")
            return cls(
                values["kind"],
                int(values["start"]),
                int(values["end"]),
                tuple(int(turn) for turn in values["turns"]),
                Evidence.from_dict(values["reason"]) if "reason" in values else Evidence(str(values["evidence"])),
                None if value is None else finite(value),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            message = say("a fault must hold kind, start, end, turns and evidence. Received: {error}", error=error)
            raise SettingsError(message) from None
