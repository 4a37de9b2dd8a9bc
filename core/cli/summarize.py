"""The command `summarize`: one dialogue in, its summary out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.cli import stdin
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    ForceOption,
    Given,
    JsonOption,
    decode_settings,
    print_json,
    tell,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_file
from core.config import DecodeSettings
from core.errors import DialogueError, SettingsError
from core.files import cause, read_bytes, writing
from core.limits import check, limits
from core.words import first_few

if TYPE_CHECKING:
    from core.service import Summarizer
    from core.text.formats.transcript import Transcript
    from core.trace import Summary


@with_decoding
def summarize(
    file: Annotated[str, typer.Argument(help="A text file or chat export, or - for standard input.")] = "-",
    checkpoint: CheckpointOption = DEFAULT,
    decoding: Given = NONE_GIVEN,
    trace: Annotated[Path | None, typer.Option(help="Write the whole run to this .npz file.")] = None,
    overwrite: OverwriteOption = False,
    reading: Annotated[
        str, typer.Option("--format", help="Read it as this format of docs/formats.md; without it, its content tells.")
    ] = "",
    parts: Annotated[bool, typer.Option(help="List the parts of a long one with their first lines, and end.")] = False,
    part: Annotated[int | None, typer.Option(min=1, help="Summarize this part of the list alone.")] = None,
    strict: Annotated[bool, typer.Option(help="Refuse a file of which anything is left out.")] = False,
    force: ForceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize one dialogue."""
    settings = decode_settings(checkpoint, decoding)
    check_file(trace, [file, checkpoint, force], overwrite, option="--trace")
    given = given_summary(force)
    found = read_dialogue(file, reading)
    if strict and not found.whole:
        raise DialogueError(f"--strict takes whole files alone: {_sentence(found)}")
    if parts:
        return _list_parts(found, as_json)
    text = found.text if part is None else _part(found, part)
    from core.service import Summarizer

    summary = summary_of(Summarizer.load(checkpoint), text, settings, given)
    if trace:
        with writing(f"the trace '{trace}'", SettingsError):
            summary.save(trace)
    if as_json:
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in summary.dialogue.turns]
        print_json(summary.to_dict() | {"format": found.to_dict(), "turns": turns})
    else:
        print(summary.text)


def given_summary(force: Path | None) -> str:
    """Return the summary in the file of --force, "" without one.

    Raises:
        SettingsError: it cannot be read, is empty, or longer than a summary may be.
    """
    if force is None:
        return ""
    try:
        text = read_bytes(stdin.local(force), limits().dialogue_file).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise SettingsError(f"--force must be a UTF-8 text. Received: {force} ({error.reason})") from None
    except OSError as error:
        raise SettingsError(f"the summary of --force cannot be read: {force} ({cause(error)})") from None
    check("summary_characters", len(text), f"the summary of --force '{force}'")
    if not text:
        raise SettingsError(f"--force needs a file with a summary. Received: {force}, which is empty")
    return text


def summary_of(summarizer: "Summarizer", text: str, settings: DecodeSettings, given: str = "") -> "Summary":
    """Return what a model writes of a dialogue, or the trace of a summary that is `given`; report what it did not read.

    Raises:
        DialogueError: as `Summarizer.summarize` does.
        SettingsError: the summary is too long for the model.
    """
    summary = summarizer.force(text, given, settings) if given else summarizer.summarize(text, settings)
    if summary.omitted or summary.shortened:
        turns = first_few(index + 1 for index in (*summary.omitted, *summary.shortened))
        tell(f"too long for this model; turns left out or cut: {turns} (truncation: {summary.settings.truncation})")
    return summary


def _list_parts(found: "Transcript", as_json: bool) -> None:
    from core.text.formats.parts import parts

    rows = [
        {"part": number, "first": each.first + 1, "last": each.last + 1, "day": each.day, "opening": each.opening}
        for number, each in enumerate(parts(found), 1)
    ]
    if as_json:
        print_json({"format": found.to_dict(), "parts": rows})
    for row in () if as_json else rows:
        print("{part}: turns {first} to {last}  {day}  {opening}".format(**row))


def _part(found: "Transcript", number: int) -> str:
    """Return the text of a part; raises SettingsError for a number that there is not."""
    from core.text.formats.parts import parts

    cut = parts(found)
    if number > len(cut):
        raise SettingsError(f"--part must be a part of the list. Received: {number}; allowed: 1 to {len(cut)}")
    return cut[number - 1].text


def _sentence(found: "Transcript") -> str:
    from core.figures.shared.transcript_words import sentence

    return sentence(found)


def read_dialogue(file: str, reading: str = "") -> "Transcript":
    """Return the dialogue of a file, or of standard input for "-", and say what it was read as.

    Args:
        file: its path.
        reading: name of a format; "" for the one that its content has.

    Raises:
        DialogueError: no such file or format, or no dialogue.
    """
    from core.text.upload import read_file

    most = limits().dialogue_file
    try:
        name, size = ("", 0) if file == "-" else (Path(file).name, Path(file).stat().st_size)
        check("dialogue_file", size, repr(name), DialogueError)
        data = stdin.content(most) if file == "-" else read_bytes(Path(file), most)
    except OSError as error:
        raise DialogueError(f"the dialogue cannot be read: {error}") from None
    check("dialogue_file", len(data), "the text of standard input", DialogueError)
    found = read_file(name, data, reading)
    if found.format != "dialogue" or not found.whole:
        tell(_sentence(found))
    return found
