"""Import a library without others that it looks for, where they are installed, and that nothing here needs of it."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Let packages seem not installed inside of the block, unless they have been imported already.

    It saves a second of the start for scikit-learn, and one each for SciPy and Matplotlib. Afterwards they can be
    imported as always.

    Args:
        names: of packages that the imports of the block can do without.
    """
    with _ONE_AT_A_TIME:
        hidden: dict[str, Any] = {name: None for name in names if name not in sys.modules}
        sys.modules.update(hidden)
        try:
            yield
        finally:
            for name in hidden:
                sys.modules.pop(name, None)
