"""The diagram of a model: which boxes and lines it has, what its parts are called, its table and its sentence."""

from core.config import PRESETS, ModelConfig
from core.explain.architecture.parameters import total
from core.figures.architecture.diagram import work_caption
from core.figures.architecture.stacks import caption, diagram_data, known, stacks, table, title
from tests.figures.drawing import drawn
from tests.models import FAMILIES

REPORT, TUTORIAL, OURS = (PRESETS[name].model for name in ("report-b", "tutorial-transformer", "dialoscope"))
MINILM = PRESETS["minilm"].model
LSTM, ATTENTIVE = PRESETS["lstm"].model, PRESETS["lstm-attention"].model


def test_boxes_and_lines_follow_the_configuration(snapshot):
    for config in (OURS, REPORT, ATTENTIVE, LSTM, REPORT.replace(positions="relative"), MINILM):
        data = diagram_data(config, "", 9)
        every = [group for stack in data["stacks"] for group in (stack["before"], *stack["block"], stack["after"])]
        places = {box["path"] for group in every for box in group}
        assert all({start, end} <= places for _, start, end in data["edges"])
        names = [[box.name for box in stack.boxes] for stack in stacks(config)]
        edges = "\n".join(" → ".join(edge) for edge in data["edges"])
        assert drawn(*names, edges, data["kinds"], data["lines"]) == snapshot


def test_a_part_has_a_name(snapshot):
    parts = [
        (REPORT, ""),
        (REPORT, "decoder/block2/cross_attention"),
        (TUTORIAL, "encoder/block7"),
        (OURS, "copy_head"),
    ]
    parts += [(MINILM, "cross_copy"), (ATTENTIVE, "cross_attention"), (ATTENTIVE, "")]
    assert all(known(*part, 12) for part in parts) and drawn(*(title(*part) for part in parts)) == snapshot


def test_a_part_that_is_not_there_is_not_known_and_a_layer_is_drawn():
    parts = [
        (REPORT, "encoder/block3/self_attention"),
        (REPORT, "nonsense"),
        (REPORT, "copy_head"),
        (MINILM, "copy_head"),
    ]
    assert not any(known(*part, 12) for part in parts)
    # One layer of a heavy model is run.
    parts = [(REPORT, "encoder/block2"), (LSTM, "cross_attention"), (ATTENTIVE, "encoder/block1")]
    assert not any(known(*part, 1) for part in parts)
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
