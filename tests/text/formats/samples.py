"""The samples of every format in tests/data/formats, all invented, with the turns that a reader would want."""

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "data" / "formats"


@dataclass(frozen=True)
class Sample:
    """A file as a tool writes it; `format` is the name of its folder, and of the reader that recognises it."""

    format: str
    file: str
    turns: list[tuple[str | None, str]]
    left_out: dict[str, int] = field(default_factory=dict)
    joined: int = 0

    @property
    def data(self) -> bytes:
        return (FOLDER / self.format / self.file).read_bytes()

    def __str__(self) -> str:
        return f"{self.format}/{self.file}"


def samples() -> list[Sample]:
    known = json.loads((FOLDER / "expected.json").read_text("utf-8"))
    return [
        Sample(*place.split("/"), [tuple(turn) for turn in found.pop("turns")], **found)
        for place, found in known.items()
    ]


SAMPLES = samples()


def document(xml: str, part: str = "word/document.xml") -> bytes:
    """Return a Word document that has this XML."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part, xml)
    return buffer.getvalue()
