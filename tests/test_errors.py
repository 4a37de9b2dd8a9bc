"""Messages of errors can be shown."""

from core.errors import CorpusError, DialoscopeError


def test_a_message_has_no_half_of_a_character_pair():
    assert str(CorpusError("a\ud800b\U0001f600")) == "a\\ud800b\U0001f600" and str(DialoscopeError()) == ""
