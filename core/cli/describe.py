"""The commands `describe` and `checkpoints`: list the layers of a model, and the installed checkpoints."""

from dataclasses import asdict
from typing import Annotated

import typer

from core import checkpoints
from core.cli.options import JsonOption, print_json
from core.config import PRESETS
from core.errors import DialoscopeError, SettingsError


def describe(
    name: Annotated[str, typer.Argument(help="A preset, an installed checkpoint, or a checkpoint folder.")],
    as_json: JsonOption = False,
) -> None:
    """List every layer: output shape, parameters, source file and line."""
    if name in PRESETS and name not in checkpoints.installed():
        config = PRESETS[name].model
    else:
        try:
            config = checkpoints.read_config(name)
        except DialoscopeError as error:
            raise SettingsError(f"{error}; presets: {', '.join(PRESETS)}") from None
    from core.experiments.architecture.describe import describe as list_layers

    layers, parameters = list_layers(config)
    if as_json:
        rows = [asdict(layer) for layer in layers]
        print_json({"name": name, "config": config.to_dict(), "parameters": parameters, "layers": rows})
        return
    for layer in layers:
        indent, leaf = "  " * layer.path.count("/"), layer.path.rsplit("/", 1)[-1]
        shape = "[" + ", ".join(map(str, layer.output_shape)) + "]"
        print(f"{indent + leaf:42} {layer.kind:20} {shape:16} {layer.parameters:>12,}  {layer.source}")
    print(f"{parameters:,} parameters")


def list_checkpoints(as_json: JsonOption = False) -> None:
    """List the installed checkpoints with card and hash."""
    cards = [{"name": name, **checkpoints.read_card(name)} for name in checkpoints.installed()]
    if as_json:
        print_json({"checkpoints": cards})
        return
    for card in cards:
        scores = card.get("scores", {}).get("rouge", {}).values()
        print(f"{card['name']}  {card['sha256']['weights.safetensors'][:12]}  {card.get('about', '')}")
        rouge = " / ".join(map(str, scores)) or "not measured"
        epochs, loss = card.get("epochs", "unknown"), card.get("validation_loss", "unknown")
        print(f"  epochs {epochs}, validation loss {loss}, ROUGE-1/2/L {rouge}")
        print(f"  licence: {card.get('licence') or 'not named'}")
