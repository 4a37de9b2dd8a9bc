"""Every tensor of one forward pass: recorded shapes beside the formulas, for ordinary and odd models."""

import pytest

from core.config import PRESETS
from core.errors import SettingsError
from core.experiments.architecture.describe import ROOT, forward_pass
from core.explain.architecture.blueprint import inside, stacks
from core.explain.architecture.listing import listings
from core.explain.architecture.parameters import position_rows, total
from tests.figures.drawing import drawn
from tests.models import FAMILIES, small
from tests.refusals import refusals

SMALL = small(5, 1, (9, 8), source_vocabulary=7, d_model=6, num_heads=3, feed_forward_dim=10, decoder_layers=2)
SHARED = SMALL.replace(source_vocabulary=5, share_embeddings=True, share_output=True, norm="pre", copy=True)
T5 = SMALL.replace(**FAMILIES["t5"] | {"share_embeddings": False})
BLENDERBOT = SMALL.replace(
    source_vocabulary=5, positions="learned", source_positions=20, target_positions=30, share_embeddings=True,
    share_output=True, output_bias=True, embedding_norm="before_positions",
)  # fmt: skip
CASES = {
    "report-b": (PRESETS["report-b"].model, 2, 12, 8),
    "post-norm": (SMALL, 3, 9, 8),
    "copying": (SHARED, 2, 3, 8),
    "copying with cross-attention": (SHARED.replace(copy_heads=1), 2, 3, 8),
    "vectors of speakers": (SHARED.replace(source_vocabulary=9, target_vocabulary=9, speakers=3), 2, 4, 3),
    "odd width, learned": (SMALL.replace(d_model=5, head_dim=7, positions="learned"), 2, 4, 3),
    "T5": (T5, 2, 3, 4),
    "gated, without sharing": (T5.replace(share_output=False, embedding_scale=True, biases=True), 1, 2, 3),
    "Blenderbot-small": (BLENDERBOT, 2, 3, 4),
    "width 1": (SMALL.replace(d_model=1, num_heads=1, feed_forward_dim=1, encoder_layers=1, decoder_layers=1), 1, 1, 1),
    "width 1, pre-norm, copying": (SHARED.replace(d_model=1, num_heads=1, feed_forward_dim=1), 1, 2, 1),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    config, batch, source, target = CASES[request.param]
    return config, (batch, source, target), forward_pass(config, batch, source, target)


def test_every_shape_is_that_of_its_formula_with_a_name_a_box_and_a_line(case):
    config, (batch, source, target), facts = case
    sizes = {"B": batch, "S": source, "T": target, "H": config.num_heads, "K": config.key_dim, "D": config.d_model}
    sizes |= {"F": config.feed_forward_dim, "V": config.target_vocabulary, "1": 1}
    sizes |= {"C": config.copy_heads, "W": 1 + config.copy_heads}
    sizes["HK"] = config.num_heads * config.key_dim
    for fact in facts:
        table = position_rows(config)[0 if fact.part.startswith("source") else 1]
        expected = tuple((sizes | {"L": table})[axis] for axis in fact.axes)
        assert fact.shape == expected, fact
    assert facts[-1].shape == (batch, target, config.target_vocabulary)
    # Every tensor has a name and a box, every box its tensors; parameters are counted where they are used first.
    layers = range(1, max(config.encoder_layers, config.decoder_layers) + 1)
    boxes = {box.path for layer in layers for stack in stacks(config, layer, layer) for box in stack.boxes}
    for fact in facts:
        assert " in " not in fact.name and "{" not in fact.name, fact
        assert sum(inside(fact.part, box) for box in boxes) == 1, fact
    for stack in stacks(config, config.encoder_layers, config.decoder_layers):
        for box in stack.boxes:
            assert any(inside(fact.part, box.path) for fact in facts), box
            assert sum(fact.parameters for fact in facts if inside(fact.part, box.path)) == box.parameters
    assert sum(fact.parameters for fact in facts) == total(config)
    for fact in facts:
        lines = (ROOT / fact.file).read_text("utf-8").splitlines()
        assert lines[fact.line - 1].strip() == fact.code and lines[fact.start - 1].strip().startswith("def ")
        assert fact.start < fact.line


def test_reports_a_and_b_by_hand(snapshot):
    facts = forward_pass(*CASES["report-b"])
    columns = ("part", "name", "shape", "parameters")
    assert drawn({column: [getattr(fact, column) for fact in facts] for column in columns}) == snapshot
    keys = next(fact for fact in facts if fact.layer == "encoder/block1/self_attention/key")
    assert keys.parameters == 128 * 256 + 256 and keys.kind == "Dense"
    assert "self.key_projection(memory)" in keys.code and keys.file == "core/model/attention.py"
    # The order of the norm is that of the configuration.
    for config, order in ((SMALL, ["weights", "sum", "mean"]), (SHARED, ["mean", "weights", "sum"])):
        facts = forward_pass(config, 1, 2, 2)
        parts = "encoder/block1/self_"
        names = [fact.name.split(":")[0] for fact in facts if fact.part.startswith(parts)]
        assert [name for name in names if name in ("weights", "sum", "mean")] == order
    cases = [(0, 2, 2), (1, 10, 2), (1, 2, -1)]
    assert refusals(SettingsError, lambda *sizes: forward_pass(SMALL, *sizes), cases) == snapshot


def test_listings_show_the_functions_with_their_shapes():
    facts = forward_pass(SMALL, 2, 4, 3)
    found = listings(fact for fact in facts if inside(fact.part, "encoder/block1/self_attention"))
    functions = [listing.text.split("def ")[1].split("(")[0] for listing in found]
    assert functions == ["project", "_split", "weigh", "attention_weights", "attend"]
    lines = found[3].text.split("\n")
    place = next(place for place, line in enumerate(lines) if "ops.matmul" in line)
    number = found[3].start + place
    code = (ROOT / found[3].file).read_text("utf-8").splitlines()[number - 1]
    assert lines[place] == f"{number:>4}  {code}" and code.startswith("    scores = ")
    assert lines[place + 1] == "          # → [2, 3, 4, 4]"
    projected = next(line for line in found[1].text.split("\n") if "# →" in line)
    assert projected.strip() == "# → [2, 4, 3, 2]"  # query, key and value alike: once
