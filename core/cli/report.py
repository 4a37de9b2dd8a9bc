"""The command `report`: one dialogue in, everything about its summary out as one HTML file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from core import checkpoints
from core.cli.data import EncodingOption, ReadingOption
from core.cli.options import (
    DEFAULT,
    NONE_GIVEN,
    CheckpointOption,
    ForceOption,
    Given,
    JsonOption,
    Metric,
    decode_settings,
    print_result,
    with_decoding,
)
from core.cli.outputs import OverwriteOption, check_file
from core.cli.scores import EncoderOption, encoder_files
from core.cli.summarize import given_summary, read_dialogue, summary_of
from core.errors import SettingsError
from core.files import beside, writing
from core.scoring.encoders import EMBEDDED, find


class Explanation(StrEnum):
    """What a report can explain: `METHODS` and keys of `EXPLAINED` in `core.report.contents`."""

    contributions = "contributions"
    reliance = "reliance"
    votes = "votes"
    patching = "patching"
    curves = "curves"


@with_decoding
def report(
    file: Annotated[str, typer.Argument(help="A text file or chat export, or - for standard input.")] = "-",
    output: Annotated[Path, typer.Option(help="The HTML file.")] = Path("report.html"),
    overwrite: OverwriteOption = False,
    checkpoint: CheckpointOption = DEFAULT,
    head: Annotated[
        list[str] | None,
        typer.Option(
            help="What to show of cross-attention, LAYER.HEAD or LAYER.mean, from 1; with .norms, .contributions or "
            ".zeroing behind it what is carried; may be repeated."
        ),
    ] = None,
    reference: Annotated[list[str] | None, typer.Option(help="A reference summary; may be repeated.")] = None,
    metric: Annotated[
        list[Metric] | None, typer.Option(help="Scores against the references; ROUGE is always among them.")
    ] = None,
    encoder: EncoderOption = EMBEDDED,
    explain: Annotated[
        list[Explanation] | None,
        typer.Option(help="Which explanations to add: they take from seconds to a minute each; may be repeated."),
    ] = None,
    decoding: Given = NONE_GIVEN,
    reading: ReadingOption = "",
    encoding: EncodingOption = "",
    force: ForceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize one dialogue and write everything about it to one HTML file."""
    settings = decode_settings(checkpoint, decoding)
    check_file(output, [file, checkpoint, force, *encoder_files(encoder)], overwrite)
    if metric and not reference:
        raise SettingsError("--metric needs a --reference to score against. Received: none")
    with_bertscore = Metric.bertscore in (metric or ())
    if with_bertscore:
        find(encoder)
    given = given_summary(force)
    text = read_dialogue(file, reading, encoding).text
    from core.experiments.attribution.registry import attribute
    from core.explain.attention import catalogue
    from core.explain.attribution import maps
    from core.notebook import ShownSummary
    from core.report import contents, page, scores
    from core.service import Summarizer

    contents.check_request(head or (), reference or ())
    summarizer = Summarizer.load(checkpoint)
    summary = summary_of(summarizer, text, settings, given)
    measured, _ = catalogue.choose(checkpoints.read_heads(checkpoint), summary.checkpoint)
    scored = scores.bertscore(summary.text, reference or (), encoder) if with_bertscore else None
    shown, asked = ShownSummary(summary, "", summarizer), list(dict.fromkeys(explain or ()))
    document = contents.collect(
        summary, summarizer.checkpoint.name, summarizer.checkpoint.card, summarizer.tokenizer, measured,
        heads=head or None, references=reference or (), bertscore=scored,
        maps=maps.chosen(summarizer, summary, head or ()),
        owed=[attribute(name, summarizer, summary) for name in asked if name in contents.METHODS],
        explained=[getattr(shown, name)().picture() for name in asked if name in contents.EXPLAINED],
    )  # fmt: skip
    data = page.to_html(document).encode()
    with writing(f"the report '{output}'", SettingsError), beside(output) as opened:
        opened.write(data)
    about = {"report": str(output), "bytes": len(data), "heads": list(document.heads), "command": document.command}
    print_result(as_json, about | summary.to_dict(), f"{output} ({len(data):,} bytes)")
