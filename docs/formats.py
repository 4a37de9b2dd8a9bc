"""Write the table of formats in docs/formats.md from the readers and their samples: `make docs`; `--check` compares it.

A row is a format: its title and name, by what it is recognised, the turns of a sample, and what is left out of the
samples.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from core.text.formats.registry import READERS
from core.text.formats.transcript import REASONS
from docs.tables import with_table, write
from tests.text.formats.samples import SAMPLES

DOCUMENT = ROOT / "docs" / "formats.md"
HEAD = "| format | `--format` | recognised by | turns of a sample | left out of the samples |\n|---|---|---|---|---|\n"


def table() -> str:
    """Return the table as Markdown."""
    rows = []
    for reader in READERS:
        samples = [each for each in SAMPLES if each.format == reader.name]
        turns = [f"{speaker}: {text}" if speaker else text for speaker, text in samples[0].turns] if samples else []
        left = dict.fromkeys(REASONS[reason] for each in samples for reason in each.left_out)
        cells = (
            reader.title,
            f"`{reader.name}`",
            _literal(reader.by),
            "<br>".join(map(_literal, turns)),
            ", ".join(left),
        )
        rows.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(rows)


def _literal(text: str) -> str:
    """Return a text as it is shown in a cell."""
    for sign in "\\|[]<>*_":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", "<br>")


def main() -> int:
    """Write the table, or with `--check` say whether it is out of date; returns the exit status."""
    return write({DOCUMENT: with_table(DOCUMENT.read_text(encoding="utf-8"), HEAD, table())})


if __name__ == "__main__":
    sys.exit(main())
