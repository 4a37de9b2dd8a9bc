"""The commands `import`, `export` and `begin`: models of another library become checkpoints, and go back."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from core import checkpoints
from core.cli.data import FILES, load
from core.cli.options import JsonOption, layer_numbers, print_result, progress, tell
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

    exported = write(checkpoint, folder, tokenizer)
    for note in exported.notes:
        tell(note)
    text = f"{exported.family}, {exported.parameters:,} parameters\nWritten to {exported.folder}"
    print_result(as_json, exported.to_dict(), text)


def begin(
    encoder: Annotated[Path, typer.Argument(help="Folder of a lower-case BERT: config, *.safetensors, tokenizer.")],
    data: Annotated[str, typer.Argument(help=f"{FILES} with dialogues and summaries, to choose pieces by.")],
    output: Annotated[Path, typer.Option(help="Folder of the checkpoint.")],
    overwrite: OverwriteOption = False,
    layers: Annotated[
        str, typer.Option(help="Layers of the BERT, from 1, that the decoder's layers begin with.")
    ] = "2,4,6",
    encoder_layers: Annotated[str, typer.Option(help="Layers of the BERT, from 1, that are the encoder's.")] = "1,2,3",
    copy_heads: Annotated[int, typer.Option(min=1, help="Heads of the last cross-attention that copy.")] = 4,
    as_json: JsonOption = False,
) -> None:
    """Begin a summarizer with the layers of a BERT as its encoder and decoder, for `train --start`."""
    numbers, kept = layer_numbers(layers), layer_numbers(encoder_layers)
    check_checkpoint(output, [encoder, data], overwrite)
    from core.importing.warm_start import warm_start
    from core.training.recipes.refining import with_layers

    rows = load(data).dataset
    texts = (text for row in rows for text in (row["dialogue"], *row["references"][:1]))
    begun = with_layers(warm_start(encoder, texts, numbers, copy_heads=copy_heads), kept)
    checkpoints.write(output, begun.config, begun.tokenizer, begun.weights, [], begun.card)
    report = {
        "parameters": sum(value.size for value in begun.weights.values()),
        "pieces": begun.tokenizer.size,
        "checkpoint": str(output),
    }
    print_result(as_json, report, f"{report['parameters']:,} parameters, {report['pieces']:,} pieces: {output}")
