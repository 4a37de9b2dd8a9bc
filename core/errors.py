"""The exception tree: everything that `core` raises for bad input derives from `DialoscopeError`.

A message is one line: what was wrong, what was received, what is allowed. An error takes it in English with the values
of its {names}, and says itself (`core.words`) where it is shown: in a page in the language of its reader.
"""

from typing import Any

from core.words import say


class DialoscopeError(Exception):
    """Base of every error that is shown to the user.

    Args:
        message: in English, a literal so that it can be translated; or a text that is translated already.
        values: what its {names} stand for, as `say` takes them.
    """

    def __init__(self, message: str = "", /, **values: Any) -> None:
        super().__init__(message)
        self.values = values

    def __str__(self) -> str:
        """Return the message with half character pairs written out: neither a page nor a terminal can show them."""
        return say(str(self.args[0]), **self.values).encode("utf-8", "backslashreplace").decode("utf-8")


class SettingsError(DialoscopeError, ValueError):
    """A configuration or decoding setting is outside its allowed range."""


class DialogueError(DialoscopeError, ValueError):
    """A pasted dialogue cannot be summarized (empty, binary, too long and truncation refused)."""


class CorpusError(DialoscopeError, ValueError):
    """A data set cannot be read, or holds no usable row."""


class CheckpointError(DialoscopeError):
    """A checkpoint is missing, incomplete, damaged, or does not fit its configuration."""


class DownloadError(DialoscopeError):
    """A model cannot be found on the hub, or not be downloaded."""


class LessonError(DialoscopeError, ValueError):
    """The file of a lesson is damaged, or its question cannot be asked of this run."""


class VisitedError(DialoscopeError, ValueError):
    """A saved list of visits is damaged or beyond a limit, or an entry cannot have this name."""


class FollowingError(DialoscopeError):
    """A class that follows a presenter has ended, is unknown or full, or its code is not valid."""


class ScoringError(DialoscopeError):
    """A score cannot be computed: an encoder is missing, damaged or cannot be downloaded, or texts do not fit."""


class BusyError(DialoscopeError):
    """Too many wait for the model, or the wait was cancelled: nothing is wrong with what was asked."""


class BackendError(DialoscopeError):
    """The chosen Keras backend is not supported here."""
