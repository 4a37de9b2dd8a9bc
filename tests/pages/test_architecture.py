"""The Architecture page: which model it shows, its tensors, sizes and costs."""

from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.config import PRESETS
from core.experiments.architecture.describe import forward_pass
from pages.parts.architecture import chosen, runs
from tests.pages.driver import captions, choose, data, noted, open_link, said, table, trigger

PAGE = "pages/architecture.py"
arrive = partial(open_link, PAGE)


def diagram(app: AppTest) -> dict[str, Any]:
    """What the diagram was given."""
    return data(app, "stack_diagram")


def shapes(app: AppTest) -> dict[str, str]:
    """The shape of every tensor in the table; of one name the last."""
    tensors = table(app, "Axes")
    return dict(zip(tensors["Tensor"], tensors["Shape"], strict=True))


@pytest.fixture
def ran(monkeypatch):
    """Run no network: the tensors are those of a small one; the list holds what would have been run."""
    facts, found = tuple(forward_pass(PRESETS["tutorial-encoder"].model, 1, 1, 1)), []
    monkeypatch.setattr(runs, "_facts", lambda *asked: found.append(asked) or facts)
    return found


def test_it_opens_on_the_checkpoint_of_the_sidebar(app):
    arrive(app, arch_model="checkpoint.tiny")
    assert "Shown: Checkpoint “tiny” of the sidebar." in said(app) and "fresh ones are run here" in said(app)
    assert shapes(app)["source ids"] == "[2, 12]"
    assert shapes(app)["log-probability of the mixture"].startswith("[2, 8, ")
    assert "“tiny”: 2 encoder layers, 2 decoder layers, width 16, 2 heads of width 8" in captions(app)
    assert app.query_params == {}  # named or not, it is the same


def test_a_model_its_sizes_and_a_box_make_the_table(app):
    """The reports' network: 2 heads of width 128 beside a width of 128, post-norm, 9,200 words."""
    arrive(app, arch_model="preset.report-b", arch_batch=1, arch_source=5, arch_target=3)
    assert "Shown: Preset “report-b”: small, over whole words, of two student projects." in said(app)
    facts, shown = runs._facts(PRESETS["report-b"].model, 1, 5, 3), table(app, "Axes")
    assert list(shown["Tensor"]) == [fact.name for fact in facts]
    assert list(shown["Shape"]) == [str(list(fact.shape)) for fact in facts]
    assert list(shown["File and line"]) == [f"{fact.file}:{fact.line}" for fact in facts]
    assert shapes(app)["weights: softmax of the scores"] == "[1, 2, 3, 5]"
    assert "B × H × S × S" in set(shown["Axes"]) and "B × S × H·K" in set(shown["Axes"])
    assert f"{len(facts)} tensors with B = 1, S = 5, T = 3; the largest, “" in captions(app)
    assert "Parameters used: 4,468,464." in captions(app)
    trigger(app, "stack_diagram", "pick", {"path": "decoder/block2/cross_attention"})
    assert app.main.header[-1].value == "Cross-attention of decoder layer 2"
    shown = table(app, "Axes")
    assert len(shown) == 17 and all(layer.startswith("decoder/block2/cross_attention") for layer in shown["Layer"])
    assert shown["Parameters"].sum() == 4 * 128 * 256 + 3 * 256 + 128
    code = "\n".join(each.value for each in app.code)
    assert "ops.matmul(query, ops.swapaxes(key, -1, -2))" in code and "# → [1, 2, 3, 5]" in code
    assert diagram(app)["chosen"] == "decoder/block2/cross_attention" and diagram(app)["stacks"][1]["layer"] == 2
    assert app.query_params["arch_part"] == "decoder/block2/cross_attention"
    trigger(app, "stack_diagram", "pick", {"path": ""})
    assert "arch_part" not in app.query_params and not app.code


def test_the_paper_is_shown_by_one_layer_of_each_stack(app, ran):
    """The big model would take 860 MB: what is run has one layer, what is counted has six."""
    arrive(app, arch_model="preset.vaswani-big")
    assert (ran[0][0].encoder_layers, ran[0][0].decoder_layers, ran[0][0].d_model) == (1, 1, 1024)
    assert "one layer of each stack was run: the others are built alike" in captions(app)
    assert diagram(app)["stacks"][0]["numbered"] == 1
    choose(app, "arch_view", "parameters")
    assert "“vaswani-big” has 214,245,376 parameters" in captions(app)


def test_parameters_and_costs_follow_model_and_length(app):
    arrive(app, arch_view="parameters", arch_model="preset.report-b", arch_batch=1)
    assert "“report-b” has 4,468,464 parameters; 53 % are embeddings" in captions(app)
    assert "“vaswani-base” 63.1 million (14.1 ×) and “vaswani-big” 214 million (47.9 ×)" in captions(app)
    choose(app, "arch_view", "cost")
    assert "passes the feed-forward network at 64 source tokens" in captions(app)
    app.number_input(key="arch_length").set_value(64).run()
    found = table(app, "One layer, one row")
    counts = dict(zip(found["Part"], found["Multiply–adds"], strict=True))
    assert counts["Encoder: feed-forward"] == counts["Encoder: scores and weighted sums"] == 2 * 2 * 64 * 128 * 128
    assert f"S = 64, T = 8: {sum(counts.values()):,} multiply–adds" in captions(app)
    choose(app, "arch_model", "preset.vaswani-base")
    assert "at 2,048 source tokens" in captions(app)


def test_what_another_model_cannot_is_noted(app, ran):
    arrive(app, arch_model="preset.report-b", arch_source=40, arch_part="encoder/block2/feed_forward")
    choose(app, "arch_model", "preset.tutorial-transformer")
    assert "at most 12 here. Received: Source S = 40" in noted(app) and ran[-1][1:] == (2, 12, 8)
    assert app.main.header[-1].value == "Feed-forward of encoder layer 2"


def test_presets_have_a_name_in_words():
    assert set(PRESETS) == set(chosen.PRESET_NAMES)


def test_the_diagram_paints_before_the_network_runs(app, monkeypatch):
    def fails(*_):
        raise LookupError

    monkeypatch.setattr(runs, "facts", fails)
    app.switch_page(PAGE).run()
    assert diagram(app)["stacks"] and "Something went wrong" in app.error[0].value
