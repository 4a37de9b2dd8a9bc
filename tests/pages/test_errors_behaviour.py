"""Behaviour on the Errors page, slices by anything, other references, and runs that cannot be compared."""

import json
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.behaviour.changes import KINDS
from core.errors import SettingsError
from core.evaluation.rows import RowOrigin
from pages.parts.errors import behaviour, data
from pages.shared.model import models, sweep
from tests.pages import errors
from tests.pages.driver import another, captions, chart, choose, noted, press
from tests.pages.errors import DIALOGUES, OWN, REFERENCES, arrive, brought, lines
from tests.refusals import refused


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """No test sees what another one measured."""
    sweep._kept.clear()


def test_changed_dialogues_are_summarized_and_a_failure_opens_side_by_side(app: AppTest, visited) -> None:
    brought(app, err_view="behaviour", max_tokens=8)
    assert any("summarizes it again" in each.value for each in app.info)
    press(app, "start_behaviour")
    drawn = chart(app, behaviour.BARS)
    assert "All 3 dialogues are done." in captions(app) and drawn["layout"]["annotations"]
    trials = [each for found in _sweep(app).values() for each in found]
    kind = min(KINDS, key=lambda name: _held(trials, name))
    failed = sorted((e for e in trials if e.kind == kind and not e.holds()), key=lambda each: each.overlap)
    shown = errors.table(app, behaviour.TABLE).value
    assert list(shown["Id"]) == [each.id for each in failed] and list(shown["After"])[0] == failed[0].after
    press(app, "open_pair")
    page, asked = visited[-1]
    assert page == "pages/compare.py" and {"left_dialogue", "right_dialogue"} <= set(asked)
    assert parse_qs(asked["left_dialogue"])["t"] != parse_qs(asked["right_dialogue"])["t"]


def test_changed_dialogues_outlast_a_reload_and_are_part_of_a_saved_session(app: AppTest) -> None:
    """A reload shows what the server keeps for all; a session brings back what it does not keep."""
    link = {"err_view": "behaviour", "max_tokens": 8}
    brought(app, **link)
    press(app, "start_behaviour")
    measured = _sweep(app)
    content = errors.saved(app, "errors_save_session")
    assert "3 changed dialogues" in captions(app)
    again = brought(another(app), **link)
    assert "All 3 dialogues are done." in captions(again) and _sweep(again) == measured
    sweep._kept.clear()
    opened = errors.upload(arrive(another(app), **link), content, "work.session.json")
    assert "All 3 dialogues are done." in captions(opened) and _sweep(opened) == measured
    changed = json.loads(content)
    changed["behaviour"]["weights"] = "0" * 64
    sweep._kept.clear()
    other = errors.upload(arrive(another(app), **link), json.dumps(changed), "work.session.json")
    assert "they are left out" in noted(other) and not _sweep(other)


def _sweep(app: AppTest) -> dict:
    sweeps = app.session_state["sweeps"]
    return next((found for key, found in sweeps.items() if found and key[0] == "behaviour"), {})


def _held(trials: list, kind: str) -> float:
    own = [each.holds() for each in trials if each.kind == kind]
    return sum(own) / len(own) if own else 2.0


def test_a_demonstration_does_not_write_again(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    arrive(app, err_view="behaviour")
    assert not [each for each in app.button if each.key == "start_behaviour"]
    why = "it does not write every dialogue again"
    refused(SettingsError, why, behaviour._measure, None, [0], "tiny", None)


def test_slices_by_an_own_column_crossed_with_a_label(app: AppTest) -> None:
    content = lines(channel=["<i>mail</i>", "<i>mail</i>", "chat"])
    brought(app, content, err_view="slices", err_slice="column:channel")
    shown = [each["text"] for each in chart(app, "errors_slices_picture")["layout"]["annotations"]]
    assert "&lt;i&gt;mail&lt;/i&gt; · 2 summaries" in shown and "chat · 1 summary" in shown
    choose(app, "err_slice_and", "judged")
    shown = [each["text"] for each in chart(app, "errors_slices_picture")["layout"]["annotations"]]
    assert "chat · not judged · 1 summary" in shown


def test_scores_use_the_references_that_are_chosen(app: AppTest) -> None:
    brought(app, lines(references=[["Somebody else.", each] for each in OWN]), err_view="examples")
    assert max(errors.table(app).value["ROUGE-1"]) < 20
    choose(app, "err_references", "max")
    assert list(errors.table(app).value["ROUGE-1"]) == [100, 100, 100]
    assert "ROUGE-Lsum" not in {each.label for each in app.metric}
    choose(app, "err_lsum", "yes")
    assert "ROUGE-Lsum" in {each.label for each in app.metric}


@pytest.mark.parametrize(
    ("columns", "measured", "said"),
    [
        pytest.param({"summary": [each.replace(".", "!") for each in REFERENCES]}, (), "other references in 3 rows",
                     id="other references"),
        pytest.param({"dialogue": [f"{DIALOGUES[0]}\nBen: Good.", *DIALOGUES[1:]]}, (),
                     "1 rows that cannot be compared", id="other dialogues under the same ids"),
        pytest.param({"prediction": [f"{each} Yes." for each in OWN]},
                     (("references", "first"), ("rouge", "rouge-score 0.0")), "rouge-score 0.0",
                     id="another measurement"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said(app: AppTest, columns: dict, measured: tuple, said: str) -> None:
    origin = RowOrigin("mine", measured=measured) if measured else None
    own, other = errors.taken(), errors.taken(lines(**columns), origin)
    app.session_state[data.FILES] = {each.key: each for each in (own, other)}
    arrive(app, err_data=own.key, err_by="file", err_view="compare", err_against=f"file:{other.key}")
    assert any(said in each.value.replace("\\", "") for each in app.warning)


WRITTEN = RowOrigin("mine", "ab" * 32, (("strategy", "beam"), ("beam_size", 3)), "x.jsonl", 7, date="2026-03-01")


@pytest.mark.parametrize(
    ("origin", "parts"),
    [
        (WRITTEN, ("Written by mine", "weights abababababab", "beam_size=3", "row 7 of x.jsonl")),
        (None, ("The file does not say who wrote the summary above.",)),
    ],
    ids=["known", "unknown"],
)
def test_nobody_is_called_another_system(app: AppTest, origin: RowOrigin | None, parts: tuple[str, ...]) -> None:
    said = captions(brought(app, origin=origin, err_row="row-0"))
    assert "another system" not in said and all(part in said for part in parts)


@pytest.mark.parametrize("same", [True, False])
def test_the_model_that_wrote_a_summary_explains_it(app, of_words, same: bool, monkeypatch, visited) -> None:
    """One that only has its name does not."""
    monkeypatch.setattr(checkpoints, "FOLDER", of_words[0])
    weights = models.file_hash("words") if same else "ab" * 32
    origin = RowOrigin("words", weights, (("strategy", "greedy"),), "x.jsonl", 7, date="2026-03-01")
    brought(app, origin=origin, err_row="row-0", checkpoint="tiny")
    assert f"explain it {'with words, the model' if same else 'as tiny reads it'}" in captions(app)
    press(app, "open_attention")
    ((page, asked),) = visited
    assert (page, asked["given"], asked.get("checkpoint")) == ("pages/attention.py", OWN[0], "words" if same else None)


def test_a_summary_that_no_link_holds_is_not_said_to_be_explained(app: AppTest) -> None:
    long = "Anna ate the goat. " * 120
    brought(app, lines(prediction=(long, *OWN[1:])), err_row="row-0")
    assert "It has more than 2,000 characters: those pages show what tiny writes instead." in captions(app)
