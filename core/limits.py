"""What one visitor of the app may ask for: every limit, in one place; docs/limits.md has the same table.

Widgets repeat these numbers and cannot enforce them: a client can send anything. So the server checks again, and says
what it got and what is allowed. A demonstration (`DIALOSCOPE_DEMO=1`) has lower ones. What a
model's own shape allows (tokens, positions) stands in its configuration.
"""

import os
from dataclasses import dataclass, field, fields

from core.errors import DialoscopeError, SettingsError
from core.words import later, say

SETTING = "DIALOSCOPE_DEMO"
"""Environment variable: 1 makes the app a demonstration for strangers."""


def _limit(unit: str, about: str, value: int, demo: int | None = None) -> int:
    limit: int = field(default=value, metadata={"unit": unit, "about": about, "demo": value if demo is None else demo})
    return limit


@dataclass(frozen=True)
class Limits:
    """All limits; the metadata of each has a unit and a phrase, marked with `later`, and a value for demonstrations."""

    dialogue_characters: int = _limit(
        later("characters"), later("characters of a dialogue: typed, linked or in a file"), 200_000, 20_000
    )
    dialogue_turns: int = _limit(later("turns"), later("turns of a dialogue"), 2_000, 300)
    summary_characters: int = _limit(
        later("characters"), later("characters of a reference, or of a summary that is typed"), 10_000, 2_000
    )
    link_characters: int = _limit(later("characters"), later("characters of a dialogue in a link, packed"), 4_096)
    beam_size: int = _limit(later("beams"), later("beams of a search"), 8, 4)
    new_tokens: int = _limit(later("tokens"), later("tokens of a written summary"), 1_024, 128)
    table_positions: int = _limit(later("rows"), later("rows of a table of positions, and its columns"), 512, 128)
    drawn_positions: int = _limit(later("tokens"), later("tokens of a source or target on Architecture"), 256, 64)
    batch_rows: int = _limit(later("rows"), later("rows of a batch of masks"), 4)
    batch_tokens: int = _limit(later("tokens"), later("tokens of a row of a batch of masks"), 24)
    lesson_steps: int = _limit(later("steps"), later("steps of the lesson that copies through noise"), 1_000, 400)
    corpus_rows: int = _limit(later("rows"), later("rows of a data set on Errors; more are left out"), 1_000, 100)
    corpus_files: int = _limit(later("data sets"), later("data sets on Errors at once; the oldest is dropped"), 4)
    labelled_summaries: int = _limit(
        later("summaries"), later("summaries with labels in a session on Errors"), 20_000, 2_000
    )
    undo_steps: int = _limit(
        later("changes"), later("changes of labels that can be taken back; older ones are forgotten"), 100
    )
    corpus_lines: int = _limit(
        later("lines"), later("lines of a file with a data set; a longer one is refused"), 20_000, 0
    )
    sweep_changes: int = _limit(later("changes"), later("changes that are measured one after another"), 10_000, 64)
    shapley_parts: int = _limit(later("turns"), later("turns that share a summary by Shapley"), 64, 12)
    branches: int = _limit(later("branches"), later("branches of a summary"), 24, 8)
    report_heads: int = _limit(later("heads"), later("heads of a report"), 8, 4)
    report_references: int = _limit(later("references"), later("references of a report"), 10, 4)
    report_weights: int = _limit(
        later("weights"), later("weights of attention in a report; more heads are left out"), 250_000, 100_000
    )
    report_cells: int = _limit(
        later("cells"), later("cells of a report's tables by turn; more tables are left out"), 10_000, 4_000
    )
    history_rows: int = _limit(later("rows"), later("rows of a history of a training"), 2_000)
    dialogue_file: int = _limit(later("bytes"), later("bytes of a file with a dialogue"), 2_000_000, 0)
    unpacked_document: int = _limit(
        later("bytes"), later("bytes of a Word document with a dialogue once it is unpacked"), 16_000_000, 0
    )
    corpus_file: int = _limit(later("bytes"), later("bytes of a file with a data set or with labels"), 50_000_000, 0)
    session_file: int = _limit(later("bytes"), later("bytes of a saved session of Errors"), 100_000_000, 0)
    history_file: int = _limit(later("bytes"), later("bytes of a history of a training"), 1_000_000, 0)
    run_file: int = _limit(later("bytes"), later("bytes of a saved run"), 100_000_000, 0)
    unpacked_file: int = _limit(
        later("bytes"), later("bytes of an archive (.npz, .zip) once it is unpacked"), 256_000_000
    )
    lessons: int = _limit(later("files"), later("files of a folder of lessons; more are left out"), 99)
    lesson_file: int = _limit(later("bytes"), later("bytes of a lesson's file"), 20_000)
    visits: int = _limit(
        later("entries"),
        later("entries of what was visited; the oldest are left out, a longer file is refused"),
        50,
        20,
    )
    visited_characters: int = _limit(
        later("characters"),
        later("characters of all texts of what was visited; the oldest are left out, a longer file is refused"),
        400_000,
        60_000,
    )
    visited_file: int = _limit(later("bytes"), later("bytes of a file with what was visited"), 3_000_000, 0)
    handed_dialogues: int = _limit(
        later("dialogues"), later("dialogues too long for a link, kept for two models side by side"), 64, 16
    )
    followers: int = _limit(later("followers"), later("followers of a presenter"), 60, 0)
    following_codes: int = _limit(later("codes"), later("codes of classes at the same time"), 20, 0)
    following_minutes: int = _limit(
        later("minutes"), later("minutes after the presenter's last change until a code expires"), 120, 0
    )
    waiting_visitors: int = _limit(later("visitors"), later("visitors that wait for the model at once"), 60, 30)


FULL = Limits()
DEMO = Limits(**{each.name: each.metadata["demo"] for each in fields(Limits)})


def is_demo() -> bool:
    """Return whether the app is a demonstration for strangers."""
    return os.environ.get(SETTING) == "1"


def limits() -> Limits:
    """Return the limits that hold now."""
    return DEMO if is_demo() else FULL


def check(name: str, got: int, what: str, error: type[DialoscopeError] = SettingsError) -> None:
    """Refuse what is beyond a limit.

    Args:
        name: of the limit.
        got: the number that is limited.
        what: what has so many, at the beginning of a sentence; translated already.
        error: what is raised.

    Raises:
        DialoscopeError: of the kind `error`.
    """
    most = getattr(limits(), name)
    if got > most:
        unit = next(limit.metadata["unit"] for limit in fields(Limits) if limit.name == name)
        places = {"what": what, "got": f"{got:,}", "unit": say(unit), "most": f"{most:,}"}
        if unit == "bytes":
            raise error(say("{what} is too large. Received: {got} {unit}; allowed: {most}", **places))
        raise error(say("{what} is too long. Received: {got} {unit}; allowed: {most}", **places))


def table() -> list[dict[str, str | int]]:
    """Return the table of all limits: name, what is limited, and the most of it here and in a demonstration."""
    return [
        {
            "Limit": limit.name,
            "What is limited": say(limit.metadata["about"]),
            "Most": getattr(FULL, limit.name),
            "In a demonstration": getattr(DEMO, limit.name),
        }
        for limit in fields(Limits)
    ]
