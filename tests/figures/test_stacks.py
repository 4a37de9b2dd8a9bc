"""The diagram of a model: which boxes and lines it has, what its parts are called, its table and its sentence."""

import pytest

from core.config import PRESETS, ModelConfig
from core.explain.parameters import total
from core.figures.architecture import work_caption
from core.figures.stacks import caption, diagram_data, known, stacks, table, title
from tests.figures.drawing import drawn
from tests.models import FAMILIES

REPORT, TUTORIAL, OURS = (PRESETS[name].model for name in ("report-b", "tutorial-transformer", "dialoscope"))
MINILM = PRESETS["minilm"].model
LSTM, ATTENTIVE = PRESETS["lstm"].model, PRESETS["lstm-attention"].model


def names(config, stack: int) -> list[str]:
    return [box.name for box in stacks(config)[stack].boxes]


def test_boxes_and_lines_follow_the_configuration():
    assert names(REPORT, 0)[4:] == ["Self-attention", "Add", "Norm", "Feed-forward", "Add", "Norm"]
    assert names(OURS, 0)[4:6] == ["Norm", "Self-attention"] and names(OURS, 1)[-1] == "Mixture"
    ours, report, recurrent, plain = (diagram_data(config, "", 9) for config in (OURS, REPORT, ATTENTIVE, LSTM))
    kinds = [kind for kind, *_ in ours["edges"]]
    assert (kinds.count("memory"), kinds.count("shared"), kinds.count("residual")) == (2, 1, 3)
    assert [kind for kind, *_ in report["edges"]].count("memory") == 1 and ["shared", "one table for both"] in ours[
        "lines"
    ]
    assert ["memory", "encoder", "cross_attention"] in recurrent["edges"]
    assert recurrent["kinds"][2] == ["feed-forward", "LSTM"] and "attention" not in [kind for kind, _ in plain["kinds"]]
    assert plain["lines"][0] == ["memory", "the last state: one vector"]
    relative = diagram_data(REPORT.replace(positions="relative"), "", 9)
    bias, attention = "encoder/relative_bias", "encoder/block1/self_attention"
    assert ["past", "source_embedding", attention] in relative["edges"]
    assert ["mask", bias, attention] in relative["edges"] and ["mask", "mask and bias"] in relative["lines"]
    begun = diagram_data(MINILM, "", 9)
    assert ["memory", "decoder/block1/cross_attention", "cross_copy"] in begun["edges"]
    for data in (ours, report, recurrent, plain, relative, begun):
        every = [group for stack in data["stacks"] for group in (stack["before"], *stack["block"], stack["after"])]
        places = {box["path"] for group in every for box in group}
        assert all({start, end} <= places for _, start, end in data["edges"])


@pytest.mark.parametrize(
    ("config", "part", "words"),
    [
        (REPORT, "", "The whole pass"),
        (REPORT, "decoder/block2/cross_attention", "Cross-attention of decoder layer 2"),
        (TUTORIAL, "encoder/block7", "Encoder layer 7"),
        (OURS, "copy_head", "Copy head"),
        (MINILM, "cross_copy", "Copying"),
        (ATTENTIVE, "cross_attention", "Additive attention"),
        (ATTENTIVE, "", "Every layer"),
    ],
)
def test_a_part_has_a_name(config, part, words):
    assert known(config, part, 12) and title(config, part) == words


def test_a_part_that_is_not_there_is_not_known_and_a_layer_is_drawn():
    for config, part, layers in (
        (REPORT, "encoder/block3/self_attention", 12),
        (REPORT, "encoder/block2", 1),  # one layer of a heavy model is run
        (REPORT, "nonsense", 12),
        (REPORT, "copy_head", 12),
        (MINILM, "copy_head", 12),
        (LSTM, "cross_attention", 1),
        (ATTENTIVE, "encoder/block1", 1),
    ):
        assert not known(config, part, layers)
    data = diagram_data(TUTORIAL, "encoder/block7", 12)["stacks"]
    assert (data[0]["layer"], data[0]["numbered"], data[1]["layer"]) == (7, 7, 1)
    one = diagram_data(PRESETS["vaswani-big"].model, "", 1)["stacks"][0]
    assert (one["count"], one["numbered"]) == ("6 layers, all alike", 1)


def test_the_table_holds_every_parameter_and_the_sentence_what_matters(snapshot):
    found = table(REPORT)
    assert sum(n * layers for n, layers in zip(found["Parameters"], found["Layers"], strict=True)) == total(REPORT)
    plain = ModelConfig(share_embeddings=True, share_output=True)
    assert "Not as in the paper" not in caption("x", plain)
    families = [plain.replace(**FAMILIES[name]) for name in ("bart", "t5")]
    # Two layers of 2·2·64²·2·128 multiply–adds; 2 heads · 4 bytes · (2 · 64² + 2 · 8² + 2 · 64 · 8) = 74,752 bytes.
    captions = [caption("x", config) for config in (REPORT, OURS, MINILM, LSTM, ATTENTIVE, *families)]
    assert drawn(*captions, work_caption(REPORT, 1, 64, 8)) == snapshot
