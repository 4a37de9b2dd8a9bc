"""What is said of how often such summaries were wrong."""

from types import SimpleNamespace

from core.faults.measure import Measured
from core.faults.sureness import Sureness
from core.figures.summarize.sureness import how_sure

MEASURED = Measured((), 67, {}, "f00", "validation", (Sureness(-2, -0.5, 33, 30), Sureness(-0.4, -0.1, 34, 20)))
UNSURE = SimpleNamespace(mean_log_probability=-0.7)


def test_the_sentence_has_the_count_and_its_interval():
    assert how_sure(UNSURE, MEASURED, "f00").startswith(
        "This model is small and often wrong. It wrote 33 other summaries as surely as this one: 30 of them said "
        "something false (91\xa0%; 95 % interval 76\xa0% to 97\xa0%). A language model read them. Their dialogues "
        "(validation) were not trained on."
    )


def test_other_weights_were_not_measured():
    unmeasured = "How often this model is wrong has not been measured. Check the summary against the dialogue."
    assert how_sure(UNSURE, MEASURED, "another") == how_sure(UNSURE, None, "f00") == unmeasured
