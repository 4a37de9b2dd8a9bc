"""Write files that are either complete or absent."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def beside(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces `path` when the block ends and is removed if it fails; raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        fresh.chmod(0o644)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
