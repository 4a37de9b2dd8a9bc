"""The command `import`: a model of another library becomes a checkpoint."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from core.cli.options import JsonOption, print_json, say
from core.errors import SettingsError


def import_(
    model: Annotated[str, typer.Argument(help="Folder with config.json, *.safetensors and a tokenizer.")],
    output: Annotated[Path, typer.Option(help="Folder of the checkpoint, checkpoints/NAME for instance.")],
    precision: Annotated[
        Literal["half", "original"], typer.Option(help="Round the weights to float16, or keep them.")
    ] = "half",
    dialogue: Annotated[
        Literal["names", "tags", "text"] | None,
        typer.Option(help="How turns are written for it: “Name: text”, “#Person1#: text”, or the text alone."),
    ] = None,
    prefix: Annotated[str | None, typer.Option(help="Text in front of a dialogue, “summarize: ” for instance.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Import BART, mBART, Pegasus, Marian, Blenderbot-small, T5, Flan-T5 or mT5 from its files."""
    if output.exists() and not (output / "config.json").is_file() and any(output.iterdir()):
        raise SettingsError(f"--output must be a new folder or a checkpoint to replace. Received: {str(output)!r}")
    from core.importing.run import import_model

    folder = Path(model)
    report = import_model(
        folder, output, name=folder.resolve().name, precision=precision, dialogue=dialogue, prefix=prefix
    )
    for note in report.notes:
        say(note)
    if as_json:
        print_json(report.to_dict())
        return
    print(f"{report.family}, {report.parameters:,} parameters, licence: {report.licence}")
    print(f"Dialogues are written as {report.dialogue}, after the prefix {report.prefix!r}")
    print(f"Written to {output}")
