"""The only module that touches TensorFlow or JAX: compile a function for the active Keras backend."""

import itertools
import logging
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.errors import BackendError
from core.runtime.imports import finish_numpy, without, without_notices

finish_numpy()
_TENSORFLOW = os.environ.get("KERAS_BACKEND") != "jax"  # JAX itself needs SciPy
with without_notices(), without("sklearn", "matplotlib", "IPython", *(("jax", "scipy") if _TENSORFLOW else ())):
    import keras as keras
    from keras import ops as ops

NAME: str = keras.backend.backend()
if NAME not in ("tensorflow", "jax"):
    raise BackendError(f"the Keras backend is not supported. Received: KERAS_BACKEND={NAME}; allowed: tensorflow, jax")

if NAME == "tensorflow":
    # One trace for each bucket of lengths is expected: the warning about retracing does not apply.
    logging.getLogger("tensorflow").setLevel(logging.ERROR)

# A sequence of one token attends to it alone, which is what is meant.
warnings.filterwarnings("ignore", "You are using a softmax over axis", UserWarning)

ANY_LENGTH = NAME == "tensorflow"
"""Whether `any_length` makes one program for all lengths, so that nothing need be padded for it."""

PROCESSOR = Path("/proc/cpuinfo")
"""File in which Linux lists the abilities of the processor."""


def imitates_bfloat16() -> bool:
    """Return whether this processor has no bfloat16 arithmetic, so that float32 is faster; False if unknown."""
    try:
        lines = PROCESSOR.read_text(encoding="utf-8")
    except OSError:
        return False
    flags = next((line.split() for line in lines.splitlines() if line.startswith("flags")), [])
    if not flags or {"avx512_bf16", "amx_bf16"} & set(flags):
        return False
    if NAME == "tensorflow":
        import tensorflow

        return not tensorflow.config.list_physical_devices("GPU")
    import jax

    return bool(jax.default_backend() == "cpu")


def compiled(function: Callable[..., Any], variables: Sequence[keras.Variable]) -> Callable[..., Any]:
    """Compile `function` with XLA; it is traced once for each new combination of argument shapes and dtypes.

    Args:
        function: takes tensors, returns a structure of tensors.
        variables: the Keras variables that it reads.

    Returns:
        A function of the same arguments.
    """
    if NAME == "jax":
        import jax

        def stateless(values: list[Any], *arguments: Any) -> Any:
            with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
                return function(*arguments)

        run = jax.jit(stateless)
        return lambda *arguments: run([variable.value for variable in variables], *arguments)
    import tensorflow

    # The functions hold no Python branch on a tensor: converting their source would only cost time.
    return tensorflow.function(  # type: ignore[no-any-return]
        function, jit_compile=True, reduce_retracing=False, autograph=False
    )


def any_length(
    function: Callable[..., Any],
    variables: Sequence[keras.Variable],
    inputs: Sequence[Any],
    start_without: bool = False,
) -> Any:
    """Make one program of `function` for inputs of any length; with JAX, which needs each length, see `compiled`.

    Args:
        function: takes tensors, returns a structure of tensors.
        variables: the Keras variables that it reads.
        inputs: a `KerasTensor` for each tensor, or structures of them; None stands for an axis of any length.
        start_without: whether the first call runs `function` itself, because making the program takes a second longer;
            its numbers then differ in their last digits from those of later calls.

    Returns:
        A function of the same arguments. With TensorFlow it runs operator by operator: a summary's matrices are
        large enough for that, and XLA would take seconds for each length and then not be faster.
    """
    if not ANY_LENGTH:
        return compiled(function, variables)
    import tensorflow

    signature = keras.tree.map_structure(lambda each: tensorflow.TensorSpec(each.shape, each.dtype), tuple(inputs))
    program = tensorflow.function(function, input_signature=signature, autograph=False)
    called = itertools.count(0 if start_without else 1)

    def run(*tensors: Any) -> Any:
        if next(called):
            return program(*tensors)
        return function(*keras.tree.map_structure(lambda each, spec: ops.cast(each, spec.dtype), tensors, signature))

    return run


def row_gradients(function: Callable[..., Any], variables: Sequence[keras.Variable]) -> Callable[..., Any]:
    """Make a function of several rows that returns each row's value and its gradients.

    Args:
        function: takes a tuple of float tensors and further tensors or None; returns [B], row b from rows b alone.
        variables: the Keras variables that it reads.

    Returns:
        A function of the same arguments that returns [B] and a tuple: the gradients of each row's value with respect
        to each of the first tuple. With TensorFlow it runs operator by operator, of any length; see `any_length`.
    """
    if NAME == "jax":
        import jax

        def total(inputs: tuple[Any, ...], *rest: Any) -> Any:
            values = function(inputs, *rest)
            return ops.sum(values), values

        of_total = compiled(jax.value_and_grad(total, has_aux=True), variables)

        def both(inputs: tuple[Any, ...], *rest: Any) -> Any:
            (_, values), gradients = of_total(inputs, *rest)
            return values, gradients

        return both
    import tensorflow

    def run(inputs: tuple[Any, ...], *rest: Any) -> Any:
        inputs = tuple(tensorflow.convert_to_tensor(tensor) for tensor in inputs)
        with tensorflow.GradientTape(watch_accessed_variables=False) as tape:  # weights get none: half of the time
            tape.watch(inputs)
            values = function(inputs, *rest)
        return values, tuple(tape.gradient(values, inputs, unconnected_gradients="zero"))

    return run


def stream(batches: Any) -> Any:
    """Wrap batches of varying row counts and widths for `fit`.

    Keras describes a dataset to TensorFlow by its first two batches and refuses a later one of another shape, so
    TensorFlow is given the general description.

    Args:
        batches: `Batches`: (inputs, labels of the loss [B, any]).

    Returns:
        A dataset of as many batches.
    """
    if NAME != "tensorflow":
        return batches
    import tensorflow

    inputs = tuple(tensorflow.TensorSpec((None,) * rank, dtype) for rank, dtype in batches.inputs)
    wanted = tensorflow.TensorSpec((None, None), batches.wanted)
    dataset = tensorflow.data.Dataset.from_generator(
        lambda: (batches[index] for index in range(len(batches))), output_signature=(inputs, wanted)
    )
    cardinality = tensorflow.data.experimental.assert_cardinality(len(batches))
    return dataset.apply(cardinality).prefetch(2)
