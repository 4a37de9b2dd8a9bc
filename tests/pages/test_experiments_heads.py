"""Ablations on the Experiments page: the effect of every head, sets of heads that are off, zero and mean ablation."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.experiments import ablations, effects, resampling
from core.experiments.ablations import Head
from core.experiments.effects import Condition, Effect, Untouched
from core.explain.attention import catalogue
from core.explain.attention.catalogue import Catalogue
from core.figures.experiments import changes
from core.figures.shared.wording import number
from pages.parts.experiments import heads as view
from pages.shared.model import sweep
from tests.pages.attention import measured
from tests.pages.driver import another, captions, choose, data, press, said, table, tiny
from tests.pages.experiments import TAGGED, arrive, arrive_with, base, flip, heads, off, shows, step_by_step


def every_head() -> tuple[Head, ...]:
    return ablations.every_head(tiny().config)


def each_off(run: Untouched, means: dict | None = None) -> dict[Head, Effect]:
    """Every head off alone."""
    found = effects.measure_effects(tiny(), run, [off(run, head, means=means) for head in every_head()])
    return dict(zip(every_head(), found, strict=True))


def written(found: dict[Head, Effect]) -> dict[Head, str]:
    return {head: number(each.drop_per_token) for head, each in found.items()}


def filled(app) -> dict[Head, str]:
    """The heads that have a number."""
    return {head: text for head, text in heads(app).items() if text != "·"}


def dark(app) -> set[Head]:
    """The heads that are off."""
    return {head for head, on in heads(app, "on").items() if not on}


@pytest.fixture
def known(app: AppTest, folder: Path) -> Iterator[Catalogue]:
    """The catalogue of the checkpoint, which is gone afterwards."""
    path = folder / "tiny" / checkpoints.HEADS
    catalogue.write(path, measured())
    yield measured()
    path.unlink()


def test_every_ablation_is_what_the_model_does(app):
    found = each_off(base())
    arrive(app, experiment="heads")
    assert not filled(app) and changes.heads_caption({}, 12) in captions(app)
    press(app, "start_heads")
    assert heads(app) == written(found)
    assert changes.heads_caption(found, 12).replace("\xa0", " ") in captions(app)
    drawn = table(app, "Effect (nats a token)")
    assert all(list(drawn[name]) == values for name, values in changes.heads_table(found).items())
    assert "All 12 heads are done." in captions(app)


def test_another_dialogue_is_another_sweep_and_all_visitors_share_its_results(app, monkeypatch):
    found = written(each_off(base(TAGGED)))
    press(arrive(app, experiment="heads"), "start_heads")
    first = heads(app)
    other = arrive_with(another(app), TAGGED, experiment="heads")
    assert not filled(other)
    assert heads(press(other, "start_heads")) == found != first
    app.session_state["input"], app.session_state["own_dialogue"] = "paste", other.session_state["own_dialogue"]
    assert not filled(app.run())
    monkeypatch.setattr(effects, "measure_effects", None)
    assert heads(press(app, "start_heads")) == found


def test_heads_and_layers_are_switched_off_and_on(app):
    arrive(app, experiment="heads", off="cross1.2")
    flip(app, "encoder", 1, None)
    assert app.query_params["off"] == "cross1.2-encoder2.1-encoder2.2"
    assert dark(app) == {Head("cross", 0, 1), Head("encoder", 1, 0), Head("encoder", 1, 1)}
    flip(app, "encoder", 1, 0)
    assert app.query_params["off"] == "cross1.2-encoder2.2"
    flip(flip(app, "encoder", 1, None), "encoder", 1, None)  # some are on: all go off
    assert app.query_params["off"] == "cross1.2"
    press(app, "all_on")
    assert "off" not in app.query_params and not dark(app)
    assert not [each for each in app.dataframe if "With the change" in each.value]


def test_beside_a_given_summary_stands_what_the_model_writes_itself(app):
    arrive(app, experiment="heads", off="cross1.2", given="Anna did it.")
    assert "The model writes this itself." in captions(app) and "Scored is the given summary: “Anna" in captions(app)
    assert "Given summary" in table(app, "With the change")["Forced (nats a token)"].tolist()
    assert [each.value for each in app.text].count("Anna did it.") == 1  # in the box with the dialogue


@pytest.mark.parametrize("place", [slice(2, 3), slice(5), slice(7, None), slice(None)])
def test_any_set_of_heads_has_its_outcome(app, place):
    """Two sets of the same name are two experiments; and all heads off still give numbers."""
    chosen = every_head()[place]
    arrive(app, experiment="heads", off=ablations.write(chosen))
    assert f"Without {f'{len(chosen)} heads' if len(chosen) > 1 else 'head 1 of layer 2'}" in said(app)
    shows(app, base(), effects.compare(tiny(), base(), off(base(), *chosen)), "ablation")


def test_mean_ablation_puts_the_mean_of_other_dialogues_in_place(app, known):
    run, means = base(), known.mean_outputs()
    gone = [Head("cross", 1, 0), Head("decoder", 0, 1)]
    arrive(app, experiment="heads", off=ablations.write(gone), ablation="mean")
    with_means, without = (off(run, *gone, means=each) for each in (means, None))
    found = effects.compare(tiny(), run, with_means)
    shows(app, run, found, "ablation")
    assert not np.allclose(found.after, effects.compare(tiny(), run, without).after)
    assert "Mean output over all positions of 2 dialogues of examples" in said(app)
    assert "(decoder self-attention), their means instead, the summary" in captions(app)
    press(app, "start_heads")
    assert heads(app) == written(each_off(run, means))
    assert all(f"In the catalogue: {label}." in str(data(app, "head_switches")) for label in known.labels().values())
    choose(app, "ablation", "zero")
    assert not filled(app)  # another sweep


def test_resampling_puts_states_of_other_dialogues_in_place(app, monkeypatch):
    run, gone = base(), [Head("cross", 1, 0)]
    arrive(app, experiment="heads", off=ablations.write(gone), ablation="resample")
    states = resampling.draw(tiny(), run.condition.encoded.dialogue.text)
    change = Condition(run.condition.encoded, resampling.gates(tiny(), gone, states)[0])
    shows(app, run, effects.compare(tiny(), run, change), "ablation")
    value, half = resampling.lost(tiny(), run, gone, states)
    assert changes.resampled(value, half, len(states)).replace("\xa0", " ") in captions(app)
    press(app, "start_heads")
    found = resampling.measure_effects(tiny(), run, every_head(), states)
    assert heads(app) == written(dict(zip(every_head(), found, strict=True)))
    monkeypatch.setenv("DIALOSCOPE_DEMO", "1")
    app.run()
    assert any("no states of other dialogues are drawn" in each.value for each in app.error)


def test_without_measured_means_it_is_said_and_zero_is_used(app):
    run = base()
    arrive(app, experiment="heads", ablation="mean", off="cross2.1")
    said = app.warning[0].value.replace("\\", "")
    assert "The heads of this checkpoint have not been measured yet." in said
    assert said.endswith("Ablated heads give nothing (zero).")
    shows(app, run, effects.compare(tiny(), run, off(run, Head("cross", 1, 0))), "ablation")
    assert "Without head 1 of layer 2 (cross-attention), the summary" in captions(app)  # nothing about a mean


@pytest.fixture
def half_way(app, monkeypatch):
    """A sweep that measured four heads and was stopped."""
    step_by_step(monkeypatch)
    monkeypatch.setattr(view, "BATCH", 4)
    press(arrive(app, experiment="heads"), "start_heads")
    return press(app, "stop_heads")


def test_a_sweep_that_was_stopped_keeps_its_cells_and_goes_on(half_way):
    found = written(each_off(base()))
    kept = filled(half_way)
    assert kept == {head: found[head] for head in every_head()[:4]}
    assert filled(half_way.run()) == kept and "4 of 12 heads measured" in captions(half_way)
    press(half_way, "start_heads").run().run()
    assert heads(half_way) == found and "All 12 heads are done." in captions(half_way)


@pytest.mark.parametrize(("key", "there", "back"), [("experiment", "turns", "heads"), ("control", "shuffled", "none")])
def test_who_looks_elsewhere_stops_a_sweep_and_loses_nothing(half_way, key, there, back):
    kept = filled(half_way)
    choose(press(half_way, "start_heads"), key, there)
    sweeping = half_way.session_state["sweeping"]
    assert sweeping is None or sweeping[0] == there  # the turns have a sweep of their own
    choose(half_way, key, back)
    assert kept.items() <= filled(half_way).items() and len(filled(half_way)) < 12
    assert half_way.button(key="start_heads").label == f"Go on with the other {12 - len(filled(half_way))}"


def test_the_oldest_sweep_makes_room(session, monkeypatch):
    monkeypatch.setattr(sweep, "MOST", 3)
    for key in "abcd":
        sweep.results(key)[key] = 1
    assert sweep.results("d") == {"d": 1} and sweep.results("b") == {"b": 1}
    assert not sweep.known("a") and sweep.results("a") == {} and not sweep.known("b")
