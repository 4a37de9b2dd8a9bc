"""Lesions on the Experiments page: the damage of every head, sets of heads that are off, zero and mean ablation."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.experiments import ablations, interventions
from core.experiments.ablations import Head
from core.experiments.interventions import Condition, Effect, Untouched
from core.explain import catalogue
from core.explain.catalogue import Catalogue
from core.figures.wording import number
from core.text.examples import load_examples
from pages.shared.frame import sweep
from tests.pages.attention import said
from tests.pages.conftest import ROOT, paste
from tests.pages.driver import captions, choose, data, notes, press, table, tiny
from tests.pages.experiments import MARKUP, TAGGED, arrive, base, damage, flip, lit, shows, step_by_step


def every_head() -> tuple[Head, ...]:
    return ablations.every_head(tiny().config)


def off(run: Untouched, heads: list[Head], means: dict | None = None) -> Condition:
    """Some heads switched off."""
    return Condition(run.condition.encoded, ablations.gates(tiny().config, heads, means))


def each_off(run: Untouched, means: dict | None = None) -> dict[Head, Effect]:
    """Every head off alone."""
    found = interventions.measure_effects(tiny(), run, [off(run, [head], means) for head in every_head()])
    return dict(zip(every_head(), found, strict=True))


def filled(app) -> dict[Head, str]:
    """The heads that have a number."""
    return {head: text for head, text in damage(app).items() if text != "·"}


@pytest.fixture
def measured(folder: Path) -> Iterator[Catalogue]:
    """The checkpoint's heads, measured on two dialogues."""
    texts = [example.dialogue for example in load_examples()[1:3]]
    found = catalogue.measure(tiny(), texts, "two dialogues", "by a test")
    path = folder / "tiny" / checkpoints.HEADS
    catalogue.write(path, found)
    yield Catalogue.from_dict(json.loads(path.read_text(encoding="utf-8")))  # rounded, as the page reads it
    path.unlink()


def test_every_lesion_is_what_the_model_does(app):
    arrive(app, experiment="heads")
    assert not filled(app) and "the cells have no colour" in captions(app)
    press(app, "start_heads")
    found = each_off(base())
    assert damage(app) == {head: number(each.drop_per_token) for head, each in found.items()}
    worst = max(found, key=lambda head: found[head].drop)
    same = sum(each.changed == 0 for each in found.values())
    gains = sum(each.drop < 0 for each in found.values())
    kind = {"encoder": "encoder self-attention", "decoder": "decoder self-attention", "cross": "cross-attention"}
    assert (
        f"12 of 12 heads measured, each ablated alone. The largest effect has head {worst.head + 1} of layer "
        f"{worst.layer + 1} ({kind[worst.kind]}): {found[worst].drop_per_token:.2f} nats a token; without it "
        f"{said(found[worst].changed)} of the words change. Without {same} heads the text stays as it is, and without "
        f"{gains} the summary is more probable."
    ) in captions(app)
    ordered = sorted(found.values(), key=lambda each: -each.drop)
    drawn = table(app, "Effect (nats a token)")
    assert list(drawn["Effect (nats a token)"]) == pytest.approx([each.drop_per_token for each in ordered], abs=1e-4)
    assert list(drawn["Summary without it"]) == [each.text for each in ordered]
    assert "All 12 heads are measured." in captions(app) and app.query_params == {"experiment": "heads"}


def test_one_scale_for_all_heads(app):
    press(arrive(app, experiment="heads"), "start_heads")
    found = each_off(base())
    limit = max(abs(each.drop_per_token) for each in found.values())
    rows = [row for grid in data(app, "head_switches")["grids"] for row in grid["rows"]]
    shares = [cell["share"] for row in rows for cell in row["cells"]]
    assert shares == pytest.approx([each.drop_per_token / limit for each in found.values()], abs=1e-3)
    assert max(map(abs, shares)) == 1


def test_heads_and_layers_are_switched_off_and_on(app):
    run = base()
    arrive(app, experiment="heads")
    assert lit(app) == set(every_head())
    flip(app, "cross", 0, 1)
    assert app.query_params["off"] == "cross1.2"
    shows(app, run, interventions.compare(tiny(), run, off(run, [Head("cross", 0, 1)])), "ablation")
    flip(app, "encoder", 1, None)
    gone = [Head("cross", 0, 1), Head("encoder", 1, 0), Head("encoder", 1, 1)]
    assert app.query_params["off"] == "cross1.2-encoder2.1-encoder2.2" and lit(app) == set(every_head()) - set(gone)
    shows(app, run, interventions.compare(tiny(), run, off(run, gone)), "ablation")
    assert any("Without head 2 of layer 1 (cross" in each.value.replace("\\", "") for each in app.markdown)
    flip(app, "encoder", 1, 0)
    assert app.query_params["off"] == "cross1.2-encoder2.2"
    flip(app, "encoder", 1, None)  # some are on: all go off
    flip(app, "encoder", 1, None)
    assert app.query_params["off"] == "cross1.2"
    press(app, "all_on")
    assert "off" not in app.query_params and lit(app) == set(every_head())
    assert not [each for each in app.dataframe if "With the change" in each.value]


def test_sets_of_many_heads_are_told_apart(app):
    """Both are "without 5 heads"; once the second showed the outcome of the first."""
    run = base()
    for gone in (every_head()[:5], every_head()[7:]):
        arrive(app, experiment="heads")
        app.session_state["off"] = ablations.write(gone)
        app.run()
        assert any("Without 5 heads" in each.value for each in app.markdown)
        shows(app, run, interventions.compare(tiny(), run, off(run, list(gone))), "ablation")


def test_all_heads_off_still_gives_numbers(app):
    run = base()
    arrive(app, experiment="heads", off=ablations.write(every_head()))
    assert lit(app) == set()
    shows(app, run, interventions.compare(tiny(), run, off(run, list(every_head()))), "ablation")


def test_mean_ablation_puts_the_mean_of_other_dialogues_in_place(app, measured):
    run, means = base(), measured.mean_outputs()
    gone = [Head("cross", 1, 0), Head("decoder", 0, 1)]
    arrive(app, experiment="heads", off=ablations.write(gone))
    before = table(app, "With the change").copy()
    choose(app, "ablation", "mean")
    found = interventions.compare(tiny(), run, off(run, gone, means))
    shows(app, run, found, "ablation")
    assert not np.allclose(before["Effect"], table(app, "With the change")["Effect"], atol=1e-4)
    assert "Mean output over all positions of 2 dialogues of two dialogues" in captions(app)
    assert "(decoder self-attention), their means instead, the summary" in captions(app)
    press(app, "start_heads")
    assert damage(app) == {head: number(each.drop_per_token) for head, each in each_off(run, means).items()}
    tips = str(data(app, "head_switches"))
    assert all(f"In the catalogue: {label}." in tips for label in measured.labels().values())
    choose(app, "ablation", "zero")
    assert not filled(app)  # another sweep
    choose(app, "ablation", "mean")
    assert filled(app)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "The heads of this checkpoint have not been measured yet."),
        ("{}", "The head catalogue is damaged or of another version: lacks 'format'."),
        ("other", "The head catalogue was measured with other weights (tiny@000)"),
    ],
)
def test_without_measured_means_it_is_said_and_zero_is_used(app, folder, content, said, request):
    path = folder / "tiny" / checkpoints.HEADS
    if content == "other":
        found = request.getfixturevalue("measured")
        path.write_text(json.dumps(found.to_dict() | {"checkpoint": "tiny@000"}), encoding="utf-8")
    elif content:
        path.write_text(content, encoding="utf-8")
        request.addfinalizer(path.unlink)
    run = base()
    arrive(app, experiment="heads", ablation="mean", off="cross2.1")
    assert said in app.warning[0].value.replace("\\", "")
    assert "Ablated heads give nothing (zero)." in app.warning[0].value.replace("\\", "")
    shows(app, run, interventions.compare(tiny(), run, off(run, [Head("cross", 1, 0)])), "ablation")
    assert "Without head 1 of layer 2 (cross-attention), the summary" in captions(app)  # nothing about a mean
    choose(app, "ablation", "zero")
    assert not app.warning


def test_a_sweep_stopped_half_way_keeps_its_cells_and_goes_on(app, monkeypatch):
    step_by_step(monkeypatch)
    found = {head: number(each.drop_per_token) for head, each in each_off(base()).items()}
    press(arrive(app, experiment="heads"), "start_heads")
    app.run()
    assert filled(app) == {head: found[head] for head in every_head()[:4]}
    assert "4 of 12 heads measured" in captions(app)
    press(app, "stop_heads")
    kept = filled(app)
    app.run()
    assert 4 <= len(kept) < 12 and filled(app) == kept
    assert app.button(key="start_heads").label == f"Go on with the other {12 - len(kept)}"
    press(app, "start_heads")
    for _ in range(3):
        app.run()
    assert damage(app) == found and "All 12 heads are measured." in captions(app)


@pytest.mark.parametrize(("key", "there", "back"), [("experiment", "lenses", "heads"), ("control", "shuffled", "none")])
def test_who_looks_elsewhere_stops_the_sweep_and_loses_nothing(app, monkeypatch, key, there, back):
    step_by_step(monkeypatch)
    press(arrive(app, experiment="heads"), "start_heads")
    app.run()
    cells = filled(app)
    choose(app, key, there)
    assert app.session_state["sweeping"] is None
    choose(app, key, back)
    assert cells.items() <= filled(app).items() and len(cells) == 4 and len(filled(app)) < 12
    assert app.button(key="start_heads").label.startswith("Go on with the other")


def test_what_one_visitor_measured_the_next_one_has(app, monkeypatch):
    press(arrive(app, experiment="heads"), "start_heads")
    monkeypatch.setattr(interventions, "measure_effects", None)
    other = arrive(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120), experiment="heads")
    assert not filled(other)
    press(other, "start_heads")
    assert damage(other) == damage(app) and "All 12 heads are measured." in captions(other)


def test_another_dialogue_is_another_sweep(app):
    press(arrive(app, experiment="heads", off="cross1.1"), "start_heads")
    first, sentence = damage(app), captions(app)
    paste(app, TAGGED)
    assert not filled(app) and app.query_params["off"] == "cross1.1"
    press(app, "start_heads")
    run = base(TAGGED)
    assert damage(app) == {head: number(each.drop_per_token) for head, each in each_off(run).items()} != first
    assert captions(app) != sentence
    app.segmented_control(key="input").set_value("example").run()
    assert damage(app) == first


def test_the_oldest_sweep_makes_room(app, monkeypatch):
    monkeypatch.setattr(sweep, "MOST", 3)
    press(arrive(app, experiment="heads"), "start_heads")
    assert filled(app)
    for length in (15, 14):
        app.slider(key="max_tokens").set_value(length).run()
    assert len(app.session_state["sweeps"]) == 3
    app.slider(key="max_tokens").set_value(16).run()
    assert filled(app)
    for length in (15, 10):
        app.slider(key="max_tokens").set_value(length).run()
    assert len(app.session_state["sweeps"]) == 3
    app.slider(key="max_tokens").set_value(16).run()
    assert not filled(app)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("cross99.1", "a head is written like cross1.1, and this model must have it. Received: 'cross99.1'"),
        ("<script>", "Received: '<script>'; the last one is cross2.2"),
        ("cross1.1-cross1.3", "Received: 'cross1.3'"),
        ("9" * 4001, "allowed: 4000 characters"),
    ],
)
def test_heads_that_a_link_asks_in_vain(app, asked, said):
    arrive(app, experiment="heads", off=asked, ablation="zeros", turns="1.2.3")
    assert said in notes(app).replace("\\", "") and "ablation=zeros" in notes(app).replace("\\", "")
    assert app.query_params == {"experiment": "heads", "turns": "1.2.3"} and lit(app) == set(every_head())


def test_texts_stay_texts(app):
    paste(arrive(app, experiment="heads", off="cross1.1"), MARKUP)
    press(app, "start_heads")
    for each in (*app.markdown, *app.caption):
        assert "<" not in each.value.replace("\\<", "") and "$y" not in each.value.replace("\\$", "")
