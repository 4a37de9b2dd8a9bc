"""Two checkpoints on the same dialogue as a table."""

from dataclasses import replace

from core.explain.attention.catalogue import Effects
from core.explain.attention.catalogue import measure as measure_heads
from core.figures.attention.head_tables import Compared, compared_table
from core.scoring.rouge import rouge

DIALOGUE = "Ann: I lost my keys.\nBen: They are in your coat."


def test_what_was_not_measured_has_no_row(tiny) -> None:
    summary = tiny.summarize(DIALOGUE)
    bare = Compared("bare", summary, {}, None)
    assert compared_table([bare, bare], "cross", ()) == {"Measure": [], "bare": []}
    heads = measure_heads(tiny, [DIALOGUE], "two turns", "none")
    measured = replace(heads, effects=Effects(1, 5, {"cross": 1.25}))
    card = {"scores": {"rouge": {"rouge1": 41.25, "rouge2": 14.0, "rougeL": 33.0}, "bertscore": {"f1": 0.6789}}}
    found = compared_table([Compared("whole", summary, card, measured), bare], "cross", ["Ann lost her keys."])
    here = rouge(summary.text, ["Ann lost her keys."])
    typed = sum(bool((by_type := heads.type_or_nearest(each)) and by_type.reached) for each in heads.heads)
    assert dict(zip(found["Measure"], found["whole"], strict=True)) == {
        "ROUGE-1 / 2 / L of this summary": f"{here.rouge1:.1f} / {here.rouge2:.1f} / {here.rougeL:.1f}",
        "ROUGE-1 / 2 / L, mean of many": "41.2 / 14.0 / 33.0",
        "BERTScore F1, mean of many": "0.679",
        "Heads that reach a published type": f"{typed} of {len(heads.heads)}",
        "Cross-attention off: nats lost per token": "1.25\N{NO-BREAK SPACE}nats",
    }
    assert found["bare"][0] == found["whole"][0] and found["bare"][1:] == ["–"] * 4
