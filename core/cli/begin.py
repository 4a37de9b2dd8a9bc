"""The command `begin`: a checkpoint to train, made of the layers of a BERT."""

from pathlib import Path
from typing import Annotated

import typer

from core import checkpoints
from core.cli.data import FILES, load
from core.cli.options import JsonOption, layer_numbers, print_result
from core.cli.outputs import OverwriteOption, check_checkpoint


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
