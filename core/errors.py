"""The exception tree: everything that `core` raises for bad input derives from `DialoscopeError`.

Messages are one line and name what was wrong, what was received and what is allowed, so that the
command line and the pages can show them as they are.
"""


class DialoscopeError(Exception):
    """Base of every error that a user can cause and should read."""


class SettingsError(DialoscopeError, ValueError):
    """A configuration or decoding setting is outside its allowed range."""


class DialogueError(DialoscopeError, ValueError):
    """A pasted dialogue cannot be summarised (empty, binary, too long and truncation refused)."""


class CorpusError(DialoscopeError, ValueError):
    """A data set cannot be read, or holds no usable row."""


class CheckpointError(DialoscopeError):
    """A checkpoint is missing, incomplete, damaged, or does not fit its configuration."""


class ScoringError(DialoscopeError):
    """A score cannot be computed: an encoder is missing, damaged or cannot be downloaded, or texts do not fit."""


class BackendError(DialoscopeError):
    """The chosen Keras backend is not supported here."""
