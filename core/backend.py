"""The only module that touches TensorFlow or JAX: compile a function for the active Keras backend."""

from collections.abc import Callable, Sequence
from typing import Any

import keras

from core.errors import BackendError

NAME: str = keras.backend.backend()
if NAME not in ("tensorflow", "jax"):
    raise BackendError(f"the Keras backend is not supported. Received: KERAS_BACKEND={NAME}; allowed: tensorflow, jax")


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

        def stateless(values: list[Any], *arguments: Any) -> Any:  # noqa: ANN401
            with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
                return function(*arguments)

        run = jax.jit(stateless)
        return lambda *arguments: run([variable.value for variable in variables], *arguments)
    import tensorflow

    return tensorflow.function(function, jit_compile=True, reduce_retracing=False)  # type: ignore[no-any-return]


def use_threads(count: int) -> None:
    """Bound TensorFlow's worker threads; has to be called before the first operation. JAX takes no bound."""
    if NAME == "tensorflow":
        import tensorflow

        tensorflow.config.threading.set_intra_op_parallelism_threads(count)
        tensorflow.config.threading.set_inter_op_parallelism_threads(1)
