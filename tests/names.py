"""Names of traced functions that tell what they compute, so that a compiled program is found again.

TensorFlow ends the name of each function with a number that counts all that its process has made, and looks a compiled
program up by name too: a process that had done anything else before compiled everything anew.
"""

import hashlib
import importlib.util
import sys
from collections import defaultdict
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

GRADIENT = "_gradient_op_type"
"""What TensorFlow writes beside an operation with a gradient of its own: a number of this process."""


class _Names(MetaPathFinder):
    """Waits for TensorFlow."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Let the names be set as soon as TensorFlow is there."""
        if fullname != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        load = spec.loader.exec_module

        def load_and_name(module: Any) -> None:
            load(module)
            _name_by_content()

        spec.loader.exec_module = load_and_name
        return spec


def install() -> None:
    """Name traced functions by their content; TensorFlow is not imported for it."""
    sys.meta_path.insert(0, _Names())


def _name_by_content() -> None:
    """Name what is traced from now on by its content; what differs in numbers of the process alone is counted."""
    from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function
    from tensorflow.python.ops import control_flow_util_v2

    build = atomic_function.from_func_graph
    known: defaultdict[str, list[str]] = defaultdict(list)

    def from_func_graph(name: str, graph: Any, attributes: Any, *rest: Any, **options: Any) -> Any:
        if name.startswith((concrete_function._FORWARD_PREFIX, concrete_function._BACKWARD_PREFIX)):
            return build(name, graph, attributes, *rest, **options)
        definition = graph.as_graph_def()
        definition.ClearField("library")  # the names of these functions tell what they are
        texts = [name, repr([tensor.name for tensor in (*graph.inputs, *graph.outputs)]), repr(attributes)]
        exact = _digest(definition, texts)
        for node in definition.node:
            node.attr.pop(GRADIENT, None)
        content = _digest(definition, texts)
        if exact not in known[content]:
            known[content].append(exact)
        full = f"{name}_{content}_{known[content].index(exact)}"
        if graph.name == name:
            graph.name = full
        return build(full, graph, attributes, *rest, **options)

    atomic_function.from_func_graph = from_func_graph
    concrete_function._inference_name = lambda name: f"{concrete_function._INFERENCE_PREFIX}{name}"
    control_flow_util_v2.unique_fn_name = lambda scope, name: f"{scope}{name}".replace("/", "_")
    control_flow_util_v2.unique_grad_fn_name = lambda name: f"{name}_grad"


def _digest(definition: Any, texts: list[str]) -> str:
    """Return a short name of a graph and of texts."""
    found = hashlib.sha256(definition.SerializeToString(deterministic=True))
    found.update(repr(texts).encode())
    return found.hexdigest()[:16]
