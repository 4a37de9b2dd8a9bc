"""A guard that asks before the tab is closed or reloaded while the session holds what nobody could get back."""

from pages.shared.components import component

_GUARD = component(__file__, kit=False)


def guard(unsaved: bool) -> None:
    """Let the browser ask before it leaves the app, on every page of it, or no longer.

    Args:
        unsaved: whether the session holds files or labels that would be lost.
    """
    _GUARD(key="errors_guard", data={"unsaved": unsaved})
