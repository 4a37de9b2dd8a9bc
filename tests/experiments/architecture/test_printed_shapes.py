"""The printed shape tables: ours are equal, and the printed ones are those of the source documents."""

import json
from pathlib import Path

from core.experiments.architecture.printed_shapes import DECODER, Line, reproduce

PRINTED = json.loads((Path(__file__).parents[2] / "data" / "worked_examples.json").read_text("utf-8"))["shapes"]
NAMES = {"encoder output": "encoder_output", "self-attention": "self_attention", "cross-attention": "cross_attention"}


def test_the_printed_shapes_are_those_of_the_documents_and_ours():
    tables = [reproduce(name) for name in ("encoder", "decoder", "transformer")]
    for table in tables:
        known = PRINTED[table.title.lower()]
        shapes = {name: value for name, value in known.items() if isinstance(value, list)}
        assert {NAMES.get(line.name, line.name): list(line.printed) for line in table.lines} == shapes
    # Ours are equal.
    assert [len(table.lines) for table in tables] == [3, 5, 5]
    assert all(line.equal for table in tables for line in table.lines)
    # Attention matrices have the reports names.
    names = {line.source for line in tables[2].lines}
    assert {name.format(i=7) for name in PRINTED["attention_names"]} <= names
    # The decoder is the documents.
    known = PRINTED["decoder"]
    sizes = (DECODER.d_model, DECODER.num_heads, DECODER.feed_forward_dim, DECODER.decoder_layers)
    assert sizes == (known["d_model"], known["heads"], known["d_ff"], known["layers"])
    assert (DECODER.target_vocabulary, DECODER.max_target_length) == (known["vocab"], known["max_positions"])
    # A shape that differs is not equal.
    assert not Line("output", (1, 2), (2, 1), "").equal
