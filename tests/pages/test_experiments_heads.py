"""Ablations on the Experiments page: the effect of every head, sets of heads that are off, zero and mean ablation."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from core import checkpoints
from core.experiments import ablations, interventions
from core.experiments.ablations import Head
from core.experiments.interventions import Effect, Untouched
from core.explain import catalogue
from core.explain.catalogue import Catalogue
from core.figures import head_effects
from core.figures.wording import number
from core.text.examples import load_examples
from pages.parts.experiments import heads as view
from pages.shared.frame import sweep
from tests.pages.conftest import paste
from tests.pages.driver import another, captions, choose, data, press, table, tiny
from tests.pages.experiments import TAGGED, arrive, base, flip, heads, off, shows, step_by_step


def every_head() -> tuple[Head, ...]:
    return ablations.every_head(tiny().config)


def each_off(run: Untouched, means: dict | None = None) -> dict[Head, Effect]:
    """Every head off alone."""
    found = interventions.measure_effects(tiny(), run, [off(run, head, means=means) for head in every_head()])
    return dict(zip(every_head(), found, strict=True))


def written(found: dict[Head, Effect]) -> dict[Head, str]:
    return {head: number(each.drop_per_token) for head, each in found.items()}


def filled(app) -> dict[Head, str]:
    """The heads that have a number."""
    return {head: text for head, text in heads(app).items() if text != "·"}


@pytest.fixture
def measured(folder: Path) -> Iterator[Catalogue]:
    """The checkpoint's heads, measured on two dialogues."""
    texts = [example.dialogue for example in load_examples()[1:3]]
    path = folder / "tiny" / checkpoints.HEADS
    catalogue.write(path, catalogue.measure(tiny(), texts, "two dialogues", "by a test"))
    yield Catalogue.from_dict(json.loads(path.read_text(encoding="utf-8")))  # rounded, as the page reads it
    path.unlink()


def test_every_ablation_is_what_the_model_does_and_is_measured_once_for_all(app, monkeypatch):
    found = each_off(base())
    arrive(app, experiment="heads")
    assert not filled(app) and head_effects.caption({}, 12) in captions(app)
    press(app, "start_heads")
    assert heads(app) == written(found)
    sentence = head_effects.caption(found, 12).replace("\xa0", " ")
    assert sentence in captions(app)
    drawn = table(app, "Effect (nats a token)")
    assert all(list(drawn[name]) == values for name, values in head_effects.table(found).items())
    assert "All 12 heads are measured." in captions(app) and app.query_params == {"experiment": "heads"}
    # Another dialogue is another sweep.
    paste(app, TAGGED)
    assert not filled(app)
    press(app, "start_heads")
    assert heads(app) == written(each_off(base(TAGGED))) != written(found) and sentence not in captions(app)
    app.segmented_control(key="input").set_value("example").run()
    assert heads(app) == written(found)
    # What one visitor measured the next one has.
    monkeypatch.setattr(interventions, "measure_effects", None)
    other = arrive(another(app), experiment="heads")
    assert not filled(other)
    assert heads(press(other, "start_heads")) == written(found) and "All 12 heads are measured." in captions(other)


def test_heads_and_layers_are_switched_off_and_on(app):
    run = base()
    arrive(app, experiment="heads")
    assert all(heads(app, "on").values())
    flip(app, "cross", 0, 1)
    assert app.query_params["off"] == "cross1.2"
    shows(app, run, interventions.compare(tiny(), run, off(run, Head("cross", 0, 1))), "ablation")
    assert any("Without head 2 of layer 1 (cross" in each.value.replace("\\", "") for each in app.markdown)
    flip(app, "encoder", 1, None)
    gone = {Head("cross", 0, 1), Head("encoder", 1, 0), Head("encoder", 1, 1)}
    assert app.query_params["off"] == "cross1.2-encoder2.1-encoder2.2"
    assert {head for head, on in heads(app, "on").items() if not on} == gone
    flip(app, "encoder", 1, 0)
    assert app.query_params["off"] == "cross1.2-encoder2.2"
    flip(app, "encoder", 1, None)  # some are on: all go off
    flip(app, "encoder", 1, None)
    assert app.query_params["off"] == "cross1.2"
    press(app, "all_on")
    assert "off" not in app.query_params and all(heads(app, "on").values())
    assert not [each for each in app.dataframe if "With the change" in each.value]
    # Two sets of the same name are two experiments; and all heads off still give numbers.
    for places in (every_head()[:5], every_head()[7:], every_head()):
        app.session_state["off"] = ablations.write(places)
        app.run()
        assert any(f"Without {len(places)} heads" in each.value for each in app.markdown)
        shows(app, run, interventions.compare(tiny(), run, off(run, *places)), "ablation")
    assert not any(heads(app, "on").values())


def test_mean_ablation_puts_the_mean_of_other_dialogues_in_place(app, measured):
    run, means = base(), measured.mean_outputs()
    gone = [Head("cross", 1, 0), Head("decoder", 0, 1)]
    arrive(app, experiment="heads", off=ablations.write(gone))
    before = table(app, "With the change").copy()
    choose(app, "ablation", "mean")
    shows(app, run, interventions.compare(tiny(), run, off(run, *gone, means=means)), "ablation")
    assert not np.allclose(before["Effect"], table(app, "With the change")["Effect"], atol=1e-4)
    assert "Mean output over all positions of 2 dialogues of two dialogues" in captions(app)
    assert "(decoder self-attention), their means instead, the summary" in captions(app)
    press(app, "start_heads")
    assert heads(app) == written(each_off(run, means))
    assert all(f"In the catalogue: {label}." in str(data(app, "head_switches")) for label in measured.labels().values())
    choose(app, "ablation", "zero")
    assert not filled(app)  # another sweep
    choose(app, "ablation", "mean")
    assert filled(app)


def test_without_measured_means_it_is_said_and_zero_is_used(app, folder, request):
    run, path = base(), folder / "tiny" / checkpoints.HEADS
    arrive(app, experiment="heads", ablation="mean", off="cross2.1")
    unknown, damaged = "have not been measured yet.", "damaged or of another version: lacks 'format'."
    assert f"The heads of this checkpoint {unknown}" in app.warning[0].value.replace("\\", "")
    path.write_text("{}", encoding="utf-8")
    request.addfinalizer(path.unlink)
    app.run()
    said = app.warning[0].value.replace("\\", "")
    assert f"{damaged} Measure the heads again" in said and said.endswith("Ablated heads give nothing (zero).")
    shows(app, run, interventions.compare(tiny(), run, off(run, Head("cross", 1, 0))), "ablation")
    assert "Without head 1 of layer 2 (cross-attention), the summary" in captions(app)  # nothing about a mean
    choose(app, "ablation", "zero")
    assert not app.warning


def test_a_sweep_stopped_half_way_keeps_its_cells_and_goes_on(app, monkeypatch):
    step_by_step(monkeypatch)
    monkeypatch.setattr(view, "BATCH", 2)
    found = written(each_off(base()))
    press(arrive(app, experiment="heads"), "start_heads")
    app.run()
    assert filled(app) == {head: found[head] for head in every_head()[:2]}
    assert "2 of 12 heads measured" in captions(app)
    press(app, "stop_heads")
    kept = filled(app)
    app.run()
    assert len(kept) == 4 and filled(app) == kept
    # Who looks elsewhere stops it, too, and loses nothing.
    for key, there, back in (("experiment", "lenses", "heads"), ("control", "shuffled", "none")):
        press(app, "start_heads")
        choose(app, key, there)
        assert app.session_state["sweeping"] is None
        choose(app, key, back)
        assert kept.items() <= filled(app).items() and len(filled(app)) < 12
        assert app.button(key="start_heads").label == f"Go on with the other {12 - len(filled(app))}"
    press(app, "start_heads")
    for _ in range(3):
        app.run()
    assert heads(app) == found and "All 12 heads are measured." in captions(app)


def test_the_oldest_sweep_makes_room(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(sweep, "MOST", 3)
    for key in "abcd":
        sweep.results(key)[key] = 1
    assert sweep.results("d") == {"d": 1} and sweep.results("b") == {"b": 1}
    assert not sweep.known("a") and sweep.results("a") == {} and not sweep.known("b")
