"""What a token can be contrasted with: the probable tokens, the other speakers, and the reference's token."""

import pytest

from core.config import FIRST_TAG
from core.errors import DialogueError
from core.figures.shared.shades import weakest
from pages.shared.controls.foils import foils
from tests.pages.conftest import paste
from tests.pages.driver import decoded, open_link, tiny

ANA = "Ana: The goat is ill.\nBen: I call the vet.\nAna: Thanks."
BEN = FIRST_TAG + 1
VET = "The vet looks after every goat, and Ben calls him today. Nobody knows why."


def low(summary, step: int, id: int) -> bool:
    """Whether a token is neither written nor among the probable ones of a step."""
    return id not in {summary.steps[step].token.id, *(each.id for each in summary.steps[step].alternatives)}


def test_the_other_speaker_and_the_reference_are_offered_however_improbable(app):
    app.run()
    summary, names = decoded(text=ANA), tiny().encode(ANA).speakers
    tags, reference = set(names), tiny().tokenizer.encode_summary(VET, names)
    step = next(step for step, id in enumerate(reference) if low(summary, step, id) and low(summary, step, BEN))
    offered, written = foils(tiny(), summary, step, [VET, "Ana"]), summary.tokens[step].id
    probable = [each.id for each in summary.steps[step].alternatives if each.id != written]
    assert set(offered) == {*probable, *tags, reference[step]} - {written} and next(iter(offered)) == probable[0]
    assert [id for id, label in offered.items() if label.endswith(", reference)")] == [reference[step]]
    assert set(foils(tiny(), summary, step, [])) == {*probable, *tags} - {written}


def test_names_are_offered_by_their_first_token_where_a_model_writes_them(imported):
    run = imported.summarize(ANA)
    first = {imported.tokenizer.encode_continuation(name, {})[0] for name in ("Ana", "Ben")}
    offered = foils(imported, run, 1, [])
    assert first - {run.tokens[1].id} <= set(offered)


def test_a_name_that_a_model_cannot_write_is_left_out(words):
    text = "Xqzzy: The goat is ill.\nBen: I call the vet."
    with pytest.raises(DialogueError):
        words.tokenizer.encode_continuation("Xqzzy", {})
    assert foils(words, words.summarize(text), 0, [])


@pytest.mark.parametrize(
    ("page", "link", "key"),
    [("decoding", {"voters": "head"}, "against_choice"), ("experiments", {"experiment": "words"}, "instead")],
)
def test_both_pages_offer_them(app, page, link, key):
    paste(open_link(f"pages/{page}.py", app, **link), ANA, VET)
    summary = decoded(text=ANA)
    step = 0 if page == "decoding" else summary.steps.index(weakest(summary))
    expected = foils(tiny(), summary, step, [VET])
    assert any("reference" in label for label in expected.values())
    assert set(expected.values()) <= set(app.selectbox(key=key).options)
