"""The Architecture page: which model it shows, its tensors, sizes, costs, and the printed tables."""

import pytest

from core.config import PRESETS
from core.describe import forward_pass
from core.explain.parameters import total
from pages.parts.architecture import chosen, runs
from tests.pages.architecture import PAGE, arrive, boxes, choose, diagram, pick, said, see, shapes, size, tensors
from tests.pages.driver import captions, chart, data, noted


def test_it_opens_on_the_checkpoint_of_the_sidebar(app):
    arrive(app)
    assert "Shown: Checkpoint “tiny”: the one in the sidebar." in said(app)
    assert "fresh ones are run here" in said(app)
    assert shapes(app)["source ids"] == "[2, 12]"
    assert shapes(app)["log-probability of the mixture"].startswith("[2, 8, ")
    assert boxes(app, 0)[4:6] == ["Norm", "Self-attention"] and boxes(app, 1)[-1] == "Mixture"
    assert "“tiny”: 2 encoder layers, 2 decoder layers, width 16, 2 heads of width 8" in captions(app)
    assert app.query_params == {}


def test_report_a_and_its_shape_table(app):
    """The reports' network: 2 heads of width 128 beside a width of 128, post-norm, 9,200 words."""
    choose(arrive(app), "preset.report-b")
    assert "Shown: Preset “report-b”: course reports A and B, one network." in said(app)
    assert "Tokens are whole words" in said(app) and "Report A trains this network for 300 epochs" in said(app)
    assert boxes(app, 0)[4:] == ["Self-attention", "Add", "Norm", "Feed-forward", "Add", "Norm"]
    found = shapes(app)
    assert found["query of every head"] == "[2, 2, 8, 128]" and found["heads concatenated"] == "[2, 8, 256]"
    assert found["logits: states W + b"] == "[2, 8, 9200]" and found["padding mask"] == "[2, 1, 1, 8]"
    assert app.query_params == {"arch_model": "preset.report-b"}
    assert "Parameters used: 4,468,464." in captions(app)


def test_the_table_is_that_of_the_forward_pass(app):
    arrive(app, arch_model="preset.tutorial-encoder", arch_batch=1, arch_source=10, arch_target=3)
    facts = forward_pass(PRESETS["tutorial-encoder"].model, 1, 10, 3)
    table = tensors(app)
    assert list(table["Tensor"]) == [fact.name for fact in facts]
    assert list(table["Shape"]) == [str(list(fact.shape)) for fact in facts]
    assert list(table["File and line"]) == [f"{fact.file}:{fact.line}" for fact in facts]
    assert table["Parameters"].sum() == total(PRESETS["tutorial-encoder"].model)
    assert f"{len(facts)} tensors with B = 1, S = 10, T = 3; the largest, “logits" in captions(app)
    assert "B × H × S × S" in set(table["Axes"]) and "B × S × H·K" in set(table["Axes"])


def test_sizes_change_the_shapes_and_stand_in_the_link(app):
    arrive(app, arch_model="preset.report-b")
    for key, value in (("arch_batch", 3), ("arch_source", 5), ("arch_target", 4)):
        size(app, key, value)
    assert shapes(app)["weights: softmax of the scores"] == "[3, 2, 4, 5]"
    sizes = {"arch_batch": "3", "arch_source": "5", "arch_target": "4"}
    assert app.query_params == {"arch_model": "preset.report-b"} | sizes


def test_a_box_filters_the_table_and_shows_its_lines(app):
    arrive(app, arch_model="preset.report-b")
    assert not app.code
    pick(app, "decoder/block2/cross_attention")
    assert app.main.header[-1].value == "Cross-attention of decoder layer 2"
    table = tensors(app)
    assert len(table) == 17 and all(layer.startswith("decoder/block2/cross_attention") for layer in table["Layer"])
    assert table["Parameters"].sum() == 4 * 128 * 256 + 3 * 256 + 128
    code = "\n".join(each.value for each in app.code)
    assert "scores = ops.matmul(query, ops.swapaxes(key, -1, -2))" in code and "# → [2, 2, 8, 12]" in code
    assert diagram(app)["chosen"] == "decoder/block2/cross_attention" and diagram(app)["stacks"][1]["layer"] == 2
    assert app.query_params["arch_part"] == "decoder/block2/cross_attention"
    pick(app, "")
    assert len(tensors(app)) > 100 and not app.code and "arch_part" not in app.query_params


def test_a_whole_layer_can_be_picked(app):
    arrive(app, arch_model="preset.tutorial-transformer", arch_part="encoder/block7")
    assert app.main.header[-1].value == "Encoder layer 7"
    assert {layer.split("/")[1] for layer in tensors(app)["Layer"]} == {"block7"}
    assert diagram(app)["stacks"][0]["numbered"] == 7


def test_the_paper_is_shown_by_one_layer_of_each_stack(app, monkeypatch):
    """The big model would take 860 MB: what is run has one layer, what is counted has six."""
    ran = []
    small = forward_pass(PRESETS["tutorial-encoder"].model, 1, 1, 1)
    monkeypatch.setattr(runs, "_facts", lambda config, *_: ran.append(config) or tuple(small))
    arrive(app, arch_model="preset.vaswani-big")
    assert (ran[0].encoder_layers, ran[0].decoder_layers, ran[0].d_model) == (1, 1, 1024)
    assert "one layer of each stack was run: the others are built alike" in captions(app)
    assert diagram(app)["stacks"][0]["count"] == "6 layers, all alike" and diagram(app)["stacks"][0]["numbered"] == 1
    see(app, "parameters")
    assert "“vaswani-big” has 214,245,376 parameters" in captions(app)


def test_parameters_beside_the_paper(app):
    arrive(app, arch_view="parameters", arch_model="preset.report-b")
    assert "“report-b” has 4,468,464 parameters; 53 % are embeddings" in captions(app)
    assert "“vaswani-base” 63.1 million, 14.1 × and “vaswani-big” 214 million, 47.9 × as many" in captions(app)
    bars = chart(app, "parameter_bars_picture")["data"]
    assert sum(sum(bar["x"]) for bar in bars) == 4_468_464


def test_costs_follow_lengths_and_model(app):
    arrive(app, arch_view="cost", arch_model="preset.report-b", arch_batch=1)
    assert "passes the feed-forward network at 64 source tokens" in captions(app)
    size(app, "arch_length", 64)
    table = next(each.value for each in app.dataframe if "One layer, one row" in each.value.columns)
    counts = dict(zip(table["Part"], table["Multiply–adds"], strict=True))
    assert counts["Encoder: feed-forward"] == counts["Encoder: scores and weighted sums"] == 2 * 2 * 64 * 128 * 128
    # 2 heads · 4 bytes · (2 · 64² + 2 · 8² + 2 · 64 · 8) = 74,752 bytes
    assert f"S = 64, T = 8: {sum(counts.values()):,} multiply–adds" in captions(app)
    assert "the attention weights take 0.07 MB" in captions(app)
    choose(app, "preset.vaswani-base")
    assert "at 2,048 source tokens" in captions(app) and app.query_params["arch_length"] == "64"


def test_the_printed_tables_are_ours(app):
    arrive(app, arch_view="printed")
    assert "13 of 13 printed shapes are ours, too." in captions(app)
    tables = [each.value for each in app.dataframe if "Printed" in each.value.columns]
    assert [len(table) for table in tables] == [3, 5, 5]
    assert all((table["Equal"] == "✓").all() and (table["Printed"] == table["Ours"]).all() for table in tables)
    assert "[3, 19, 4, 7]" in list(tables[1]["Ours"])


@pytest.mark.parametrize(
    ("link", "note"),
    [
        ({"arch_model": "preset.<b>nope</b>"}, "The link asks for model preset.<b>nope</b>, which does not exist here"),
        ({"arch_part": "encoder/block3/self_attention"}, "“tiny” has no part 'encoder/block3/self_attention'"),
        ({"arch_part": "nonsense"}, "“tiny” has no part 'nonsense'"),
        ({"arch_target": 200}, "at most 24 here. Received: Target T = 200"),
        ({"arch_batch": 99}, "arch_batch=99"),
        ({"arch_view": "all"}, "arch_view=all"),
    ],
)
def test_what_a_link_asks_in_vain_is_noted(app, link, note):
    arrive(app, **link)
    assert note in noted(app)
    assert shapes(app)["source ids"] == "[2, 12]"


def test_lengths_of_one_and_the_longest(app):
    arrive(app, arch_model="preset.tutorial-transformer", arch_batch=1, arch_source=1, arch_target=12)
    assert shapes(app)["scores: Q Kᵀ"] == "[1, 19, 12, 1]"


def test_another_model_keeps_what_it_can(app):
    arrive(app, arch_model="preset.report-b", arch_source=40, arch_part="encoder/block2/feed_forward")
    choose(app, "preset.tutorial-transformer")
    assert "at most 12 here. Received: Source S = 40" in noted(app)
    assert app.main.header[-1].value == "Feed-forward of encoder layer 2" and len(tensors(app)) == 3


def test_the_sidebars_checkpoint_by_name_is_the_same(app):
    arrive(app, arch_model="checkpoint.tiny")
    assert app.query_params == {} and "Shown: Checkpoint “tiny”" in said(app)


def test_presets_have_a_name_in_words():
    assert set(PRESETS) == set(chosen.PRESET_NAMES)


def test_the_diagram_paints_before_the_network_runs(app, monkeypatch):
    def fails(*_):
        raise LookupError

    monkeypatch.setattr(runs, "facts", fails)
    app.switch_page(PAGE).run()
    assert data(app, "stack_diagram")["stacks"] and "Something went wrong" in app.error[0].value
