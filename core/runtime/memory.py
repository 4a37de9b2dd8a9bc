"""How the C library treats memory that is freed: glibc only, elsewhere nothing changes."""

import ctypes
import platform

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX, _ARENA_MAX = -1, -2, -4, -8
"""Parameters of mallopt(3)."""
_STEP = 1 << 28
"""Bytes that are asked for at once."""


def keep_freed_memory() -> bool:
    """Let this process keep the memory that it frees, and use it again; returns whether glibc does so from now on.

    A training step frees and allocates buffers of many megabytes. glibc would map each of them anew, and the kernel
    would clear it page by page, one thread at a time.
    """
    return _set({_MMAP_MAX: 0, _TRIM_THRESHOLD: -1, _TOP_PAD: _STEP, _ARENA_MAX: 1})


def share_arenas() -> bool:
    """Let all threads take memory from two arenas; returns whether glibc does so from now on.

    Each visitor has threads of its own. With eight arenas a core, what one of them frees is not used by the next.
    """
    return _set({_ARENA_MAX: 2})


def _set(wanted: dict[int, int]) -> bool:
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return all([mallopt(parameter, value) for parameter, value in wanted.items()])
