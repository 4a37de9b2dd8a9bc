"""The command `summarize`: one dialogue in, its summary out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core import checkpoints
from core.cli import stdin
from core.cli.data import EncodingOption, ReadingOption, load
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    ForceOption,
    Given,
    JsonOption,
    decode_settings,
    print_json,
    progress,
    tell,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_file
from core.config import DecodeSettings
from core.errors import CorpusError, DialogueError, SettingsError
from core.files import cause, read_bytes, writing
from core.limits import check, limits
from core.words import first_few

if TYPE_CHECKING:
    from core.service import Summarizer
    from core.text.corpus import Corpus
    from core.text.formats.parts import Part
    from core.text.formats.transcript import Transcript
    from core.trace import Summary


@with_decoding
def summarize(
    file: Annotated[str, typer.Argument(help="A text file or chat export, or - for standard input.")] = "-",
    checkpoint: CheckpointOption = DEFAULT,
    decoding: Given = NONE_GIVEN,
    trace: Annotated[Path | None, typer.Option(help="Write the whole run to this .npz file.")] = None,
    overwrite: OverwriteOption = False,
    reading: ReadingOption = "",
    encoding: EncodingOption = "",
    parts: Annotated[bool, typer.Option(help="List the parts of a long one with their first lines, and end.")] = False,
    part: Annotated[int | None, typer.Option(min=1, help="Summarize this part of the list alone.")] = None,
    every_part: Annotated[
        bool, typer.Option("--every-part", help="Summarize each part, and then all of their summaries together.")
    ] = False,
    strict: Annotated[bool, typer.Option(help="Refuse a file of which anything is left out.")] = False,
    force: ForceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize one dialogue."""
    settings = decode_settings(checkpoint, decoding)
    check_file(trace, [file, checkpoint, force], overwrite, option="--trace")
    given = given_summary(force)
    transcript = read_dialogue(file, reading, encoding)
    if strict and not transcript.whole:
        raise DialogueError(f"--strict takes whole files alone: {_sentence(transcript)}")
    if (parts, every_part, part is not None).count(True) > 1 or (trace or force) and (parts or every_part):
        raise SettingsError("--parts, --part and --every-part exclude each other; --trace and --force need one text")
    cut = _cut(transcript, checkpoint) if parts or every_part or part is not None else []
    if parts:
        return _list_parts(transcript, cut, [""] * len(cut), as_json)
    if part is not None and part > len(cut):
        raise SettingsError(f"--part must be a part of the list. Received: {part}; allowed: 1 to {len(cut)}")
    text = transcript.text if part is None else cut[part - 1].text
    from core.service import Summarizer

    summarizer = Summarizer.load(checkpoint)
    if every_part:
        return _every_part(transcript, cut, summarizer, settings, as_json)
    summary = summary_of(summarizer, text, settings, given)
    from core.figures.decoding.steps import remarks

    for line in remarks(summary):
        tell(line)
    if trace:
        with writing(f"the trace '{trace}'", SettingsError):
            summary.save(trace)
    if as_json:
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in summary.dialogue.turns]
        print_json(summary.to_dict() | {"format": transcript.to_dict(), "turns": turns})
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


def _cut(transcript: "Transcript", checkpoint: str) -> "list[Part]":
    """Cut a transcript into parts that a checkpoint reads whole."""
    from core.text.formats.parts import fitting
    from core.text.tokenizer import Tokenizer

    tokenizer = Tokenizer.load(checkpoints.locate(checkpoint) / "tokenizer.json")
    return fitting(transcript, tokenizer, checkpoints.read_config(checkpoint).max_source_length)


def _list_parts(
    transcript: "Transcript", cut: "Sequence[Part]", summaries: Sequence[str], as_json: bool, whole: str = ""
) -> None:
    """Print parts with their first lines; with summaries these, and the one of them all with what it comes from."""
    from core.text.formats.parts import origins as nearest

    origins = [(text, None if at is None else at + 1) for text, at in nearest(whole, summaries)]
    rows = [
        {
            "part": number, "first": each.first + 1, "last": each.last + 1, "day": each.day, "times": each.times,
            "opening": each.opening,
        } | ({"summary": summary} if whole else {})
        for number, (each, summary) in enumerate(zip(cut, summaries, strict=True), 1)
    ]  # fmt: skip
    if as_json:
        last = {"summary": whole, "origins": [{"text": text, "part": part} for text, part in origins]} if whole else {}
        print_json({"format": transcript.to_dict(), "parts": rows} | last)
        return
    for row in rows:
        print("{part}: turns {first} to {last}  {day}  {times}  {opening}".format(**row))
        if whole:
            print(f"   {row['summary']}")
    if whole:
        print("the summaries of all parts, summarized:")
    for text, source in origins:
        print(f"   {text}  ({f'part {source}' if source else 'in no part'})")


def _every_part(
    transcript: "Transcript", cut: "Sequence[Part]", summarizer: "Summarizer", settings: DecodeSettings, as_json: bool
) -> None:
    from core.text.formats.parts import fitting, together

    def write(text: str) -> str:
        return summarizer.summarize(text, settings).text

    summaries = []
    with progress("summarize", "part") as moved:
        for part in cut:
            summaries.append(write(part.text))
            moved(len(summaries), len(cut))
    room = summarizer.config.max_source_length
    whole = together(summaries, write, lambda text: fitting(text, summarizer.tokenizer, room))
    _list_parts(transcript, cut, summaries, as_json, whole)


def _sentence(transcript: "Transcript") -> str:
    from core.figures.shared.transcript_words import sentence

    return sentence(transcript)


def read_dialogue(file: str, reading: str = "", encoding: str = "") -> "Transcript":
    """Return the dialogue of a file, or of standard input for "-", and say what it was read as.

    Args:
        file: its path.
        reading: name of a format; "" for the one that its content has.
        encoding: of the file; "" for the one that its bytes tell.

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
    transcript = read_file(name, data, reading, encoding)
    if transcript.format != "dialogue" or not transcript.whole:
        tell(_sentence(transcript))
    return transcript


def corpus_in(file: str, columns: list[str] | None = None, encoding: str = "") -> "Corpus | None":
    """Return the corpus in a file as `evaluate` reads it; None of a file that holds one dialogue, or may do so.

    Raises:
        CorpusError: it has the ending of a corpus alone, and is none.
    """
    from core.text.corpora.files import ending_of

    ending = ending_of(file)
    if not ending or (ending in (".csv", ".tsv") and not columns and _is_dialogue(file)):
        return None
    try:
        corpus = load(file, columns, summaries=False, encoding=encoding)
    except CorpusError:
        if columns or ending not in (".json", ".jsonl") or not _is_dialogue(file):
            raise
        return None
    return None if ending == ".json" and len(corpus.sources) == 1 else corpus


def _is_dialogue(file: str) -> bool:
    from core.text.upload import read_file

    try:
        return bool(read_file(Path(file).name, read_bytes(Path(file), limits().dialogue_file)))
    except (DialogueError, OSError):
        return False
