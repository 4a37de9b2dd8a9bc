"""Record a forward pass: every tensor that a line of this package makes, with its shape and that line.

Nothing is computed twice and no layer is changed: while the pass runs eagerly, Python's trace function reports each
line that has run, and the local variables show what it made.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import ReferenceType, ref

from core.runtime.backend import keras

PACKAGE = f"{Path(__file__).resolve().parent}/"
RETURNED = "return"
"""Name of a returned tensor that is in no variable of the function."""


@dataclass(frozen=True, slots=True)
class Made:
    """A tensor and the line that made it.

    Args:
        name: of the variable, argument or named-tuple field that holds it, or of the Keras layer that made it;
            otherwise `RETURNED`.
        occurrence: number of earlier tensors with the same name in this call of the function.
        function: qualified name of the function of this package that made or took it.
        callers: qualified names of the functions of this package that were running, the outermost first.
        layer: Keras' layer that made it, or the innermost of our layers whose function was running.
        shape: of the tensor.
        file: of the line.
        line: that made it.
        start: first line of the function in which that line stands.
    """

    name: str
    occurrence: int
    function: str
    callers: tuple[str, ...]
    layer: Any
    shape: tuple[int, ...]
    file: str
    line: int
    start: int


def record(run: Callable[[], Any]) -> list[Made]:
    """Run a function on this thread and list every new tensor, in the order of creation.

    Args:
        run: calls layers of this package eagerly; compiled code cannot be recorded.

    Returns:
        One entry for each tensor; passing it on or renaming it adds none.
    """
    watch = _Watch()
    before = sys.gettrace()
    sys.settrace(watch.enter)
    try:
        run()
    finally:
        sys.settrace(before)
    return watch.made


class _Watch:
    """The trace function and the tensors it has seen."""

    def __init__(self) -> None:
        self.made: list[Made] = []
        self._seen: dict[int, ReferenceType[Any]] = {}  # by id, which may be reused once its tensor is deleted
        self._names: dict[FrameType, Counter[str]] = {}

    def enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Choose the trace function for a function that has just been called."""
        code = frame.f_code
        if _is_ours(frame):
            return self._follow(frame) if not code.co_name.startswith("<") else None
        if code.co_name == "call" and isinstance(frame.f_locals.get("self"), keras.layers.Layer):
            return self._wait(frame)
        return None

    def _follow(self, frame: FrameType) -> Callable[..., Any]:
        """Look for new tensors after every line of one of our functions."""
        self._names[frame] = Counter()
        caller = next(_ours(frame.f_back), None)
        place = _place(caller) if caller else _place(frame)  # an argument was made by the caller

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal place
            for name, value in list(frame.f_locals.items()):
                self._note(frame, name, value, place)
            place = _place(frame)
            if event == "return":
                for name, value in _returned(argument):
                    self._note(frame, name, value, place)
                del self._names[frame]
            return trace

        return trace

    def _wait(self, frame: FrameType) -> Callable[..., Any]:
        """Record the tensor that a Keras layer returns to our line."""
        frame.f_trace_lines = False
        layer = frame.f_locals["self"]

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            caller = next(_ours(frame), None)
            if event == "return" and caller is not None:
                self._note(caller, layer.name, argument, _place(caller), layer)
            return trace

        return trace

    def _note(self, frame: FrameType, name: str, value: Any, place: tuple[str, int, int], layer: Any = None) -> None:
        if not keras.ops.is_tensor(value):
            return
        known = self._seen.get(id(value))
        if known is not None and known() is value:
            return
        self._seen[id(value)] = ref(value)
        callers = [each.f_code.co_qualname for each in _ours(frame)][::-1]
        names = self._names[frame]
        self.made.append(
            Made(
                name,
                names[name],
                callers[-1],
                tuple(callers),
                layer or _layer(frame),
                tuple(int(size) for size in value.shape),
                *place,
            )
        )
        names[name] += 1


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return file.startswith(PACKAGE) and file != __file__


def _ours(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the functions of this package that are running, from the innermost outwards."""
    while frame is not None:
        if _is_ours(frame) and not frame.f_code.co_name.startswith("<"):
            yield frame
        frame = frame.f_back


def _place(frame: FrameType) -> tuple[str, int, int]:
    """Return file, line and the function's first line."""
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_firstlineno


def _layer(frame: FrameType) -> Any:
    """Return the innermost layer that is running one of our functions."""
    owners = (each.f_locals.get("self") for each in _ours(frame))
    return next((owner for owner in owners if isinstance(owner, keras.layers.Layer)), None)


def _returned(value: Any) -> list[tuple[str, Any]]:
    """List the returned tensors of a function, named by the fields of a named tuple."""
    if not isinstance(value, tuple):
        return [(RETURNED, value)]
    fields = getattr(value, "_fields", None) or [RETURNED] * len(value)
    return list(zip(fields, value, strict=True))
