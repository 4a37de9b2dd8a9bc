"""Functions that see, and may change, what a layer of a network returns, while a block of code runs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from core.errors import SettingsError

Hook = Callable[[Any], Any]
"""Takes what a layer returned, and returns what counts instead of it; None leaves it as it is."""


def layers_of(model: Any) -> dict[str, Any]:
    """Return the layers inside of a network by their paths, such as `encoder/block1/self_attention`."""
    return {layer.path: layer for layer in model._flatten_layers(include_self=False) if layer.path}


@contextmanager
def hooked(model: Any, hooks: Mapping[str, Hook]) -> Iterator[None]:
    """Call each hook with what its layer returns; only where the network runs uncompiled.

    Raises:
        SettingsError: there is no such layer.
    """
    layers = layers_of(model)
    with ExitStack() as stack:
        for path, hook in hooks.items():
            if path not in layers:
                raise SettingsError(
                    "there is no such layer. Received: {path!r}; allowed: {some} …",
                    path=str(path)[:80],
                    some=", ".join([*layers][:10]),
                )
            layers[path].call = _seen(layers[path].call, hook)
            stack.callback(delattr, layers[path], "call")  # that of its class counts again
        yield


def _seen(call: Callable[..., Any], hook: Hook) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        found = call(*arguments, **options)
        changed = hook(found)
        return found if changed is None else changed

    return called
