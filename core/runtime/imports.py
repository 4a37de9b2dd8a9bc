"""Import a library whole, without others that it only looks for, and without the notices that it prints."""

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ONE_AT_A_TIME = threading.RLock()
_NOTICE = re.compile(rb"I\d{4} |WARNING: All log messages before absl::InitializeLog\(\)")
"""How a line of information begins that TensorFlow's C++ code prints, and the line above the first one."""
STANDARD_ERROR = 2


def finish_numpy() -> None:
    """Import the part of NumPy that goes through its table of types, before TensorFlow adds its own to that table.

    Where one thread imports pandas, which needs that part, while another imports TensorFlow, the import of pandas
    fails. The next one seems to work and keeps Python's import lock for good: nothing can be imported any more.
    """
    import numpy.ma  # noqa: F401  (imported for what it does)


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


@contextmanager
def without_notices() -> Iterator[None]:
    """Leave out the notices that C++ code prints; warnings and errors are printed when the block ends.

    TensorFlow heeds TF_CPP_MIN_LOG_LEVEL too late for that. Whoever sets it to 0 sees everything.
    """
    if os.environ.get("TF_CPP_MIN_LOG_LEVEL") == "0":
        yield
        return
    with _ONE_AT_A_TIME, tempfile.TemporaryFile() as written:
        try:
            standard_error = os.dup(STANDARD_ERROR)
        except OSError:  # a program without a terminal may have none
            yield
            return
        os.dup2(written.fileno(), STANDARD_ERROR)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(standard_error, STANDARD_ERROR)
            os.close(standard_error)
            written.seek(0)
            for line in written:
                if not _NOTICE.match(line):
                    os.write(STANDARD_ERROR, line)
