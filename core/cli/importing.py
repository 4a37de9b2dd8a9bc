"""The commands `import` and `export`: a model of another library becomes a checkpoint, and goes back."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from core import checkpoints
from core.cli.options import JsonOption, print_result, progress, tell
from core.cli.outputs import OverwriteOption, check_checkpoint


def import_(
    model: Annotated[
        str,
        typer.Argument(help="Folder with config.json, *.safetensors and a tokenizer, or NAME[@REVISION] on the hub."),
    ],
    output: Annotated[
        Path | None, typer.Option(help="Folder of the checkpoint. Without it the app lists the model by its name.")
    ] = None,
    overwrite: OverwriteOption = False,
    precision: Annotated[
        Literal["half", "original"], typer.Option(help="Round the weights to float16, or keep them.")
    ] = "half",
    dialogue: Annotated[
        Literal["names", "tags", "text"] | None,
        typer.Option(help="How turns are written for it: “Name: text”, “#Person1#: text”, or the text alone."),
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="Text in front of a dialogue, “summarize: ” for instance.")] = None,
    decoding: Annotated[
        Literal["own", "task", "default"],
        typer.Option(help="Decode as the model's own settings ask, as its config.json says for summaries, or as here."),
    ] = "own",
    language: Annotated[str | None, typer.Option(help="Language that every summary begins with, for mBART.")] = None,
    base: Annotated[str | None, typer.Option(help="Folder of the model that a LoRA adapter belongs to.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Import BART, mBART, Pegasus, Marian, Blenderbot, T5, ByT5, Flan-T5 or mT5 from a folder or from the hub."""
    from core.importing.download import size
    from core.importing.source import look_up, read
    from core.text.import_notes import said

    source = look_up(model, base)
    output = output or checkpoints.place_of(source.short)
    check_checkpoint(output, [model, *([base] if base else [])], overwrite)
    if not isinstance(source.origin, Path):
        tell(f"{source.name}: {source.family}, {size(source.bytes)}, licence: {source.licence or 'not named'}")
    with progress("download", "B") as moved:
        report = read(
            source,
            output,
            precision=precision,
            dialogue=dialogue,
            prefix=prefix,
            decoding=decoding,
            language=language,
            progress=moved,
        )
    for note in said(report.notes):
        tell(note)
    lines = (
        f"{report.family}, {report.parameters:,} parameters, licence: {report.licence}",
        f"Dialogues are written as {report.dialogue}, after the prefix {report.prefix!r}",
        f"Written to {output}",
    )
    print_result(as_json, report.to_dict(), "\n".join(lines))


def export(
    checkpoint: Annotated[
        str, typer.Argument(help="Name of an installed checkpoint that was imported, or its folder.")
    ],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    tokenizer: Annotated[
        Path | None, typer.Option(help="Copy the tokenizer's files from this folder; a Marian needs it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write an imported checkpoint, trained on here or not, as a folder that transformers opens."""
    from core.importing.export import export as write

    found = write(checkpoint, folder, tokenizer)
    for note in found.notes:
        tell(note)
    text = f"{found.family}, {found.parameters:,} parameters\nWritten to {found.folder}"
    print_result(as_json, found.to_dict(), text)
