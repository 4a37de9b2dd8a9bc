"""Another checkpoint's summary and a place that is not there are refused before anything is computed."""

from types import SimpleNamespace

from core.errors import SettingsError
from core.explain.shared.recomputing import check_place, check_writer
from tests.refusals import refused


def test_a_summary_of_another_checkpoint_is_refused() -> None:
    own = SimpleNamespace(checkpoint=SimpleNamespace(identity="ours@1"))
    check_writer(own, SimpleNamespace(checkpoint="ours@1"))
    message = "Received: a summary of theirs@2 and the checkpoint ours@1"
    refused(SettingsError, message, check_writer, own, SimpleNamespace(checkpoint="theirs@2"))


def test_a_place_that_is_not_there_is_refused() -> None:
    check_place("layer", 0, 2)
    check_place("layer", 1, 2)
    for value in (-1, 2):
        refused(
            SettingsError, f"layer must be from 0 to 1 here. Received: layer={value}", check_place, "layer", value, 2
        )
