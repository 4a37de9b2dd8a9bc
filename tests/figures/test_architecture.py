"""Pictures of size and cost: their sentences follow the configuration, their tables hold what they show."""

import pytest

from core.config import PRESETS, ModelConfig
from core.explain.parameters import total
from core.figures.architecture import LENGTHS, memory_curves, parameter_bars, parameter_shares, work_curves
from tests.figures.conftest import said

SMALL = ModelConfig(
    source_vocabulary=7, target_vocabulary=5, d_model=4, num_heads=2, head_dim=3, feed_forward_dim=6,
    encoder_layers=1, decoder_layers=2, max_source_length=8, max_target_length=8,
)  # fmt: skip
AT_8 = LENGTHS.index(8)


def test_the_bars_hold_every_parameter_once_and_name_what_is_shared():
    # Attention: 3 × (4·6 + 6) + 6·4 + 4 = 118, five of them; feed-forward 24 + 6 + 24 + 4 = 58, three of them.
    picture = parameter_bars("small <b>", SMALL)
    table = picture.table
    assert sum(table["Parameters"]) == total(SMALL) == 28 + 20 + 5 * 118 + 3 * 58 + 8 * 8 + 25
    assert sum(table["Share"]) == pytest.approx(1)
    assert dict(zip(table["Part"], table["Parameters"], strict=True))["Cross-attention: key"] == 2 * 30
    assert sum(sum(bar.x) for bar in picture.figure.data) == 901 and picture.figure.data[1].name == "attention"
    shares = "“small <b>” has 901 parameters; 65 % are attention, the largest part; no table is shared."
    assert said(picture) == shares and "small &lt;b&gt;" in picture.figure.layout.xaxis.title.text
    both = SMALL.replace(source_vocabulary=5, share_embeddings=True, share_output=True)
    assert "source and target share one table and the output layer is the transposed target table" in said(
        parameter_bars("s", both)
    )
    tied = said(parameter_bars("s", SMALL.replace(share_output=True)))
    assert "; the output layer is the transposed target table: what is shared counts once." in tied


def test_shares_beside_the_models_of_the_paper():
    picture = parameter_shares(
        {"small": SMALL} | {name: PRESETS[name].model for name in ("vaswani-base", "vaswani-big")}
    )
    # 63,082,496 / 901 = 70,013.9; 214,245,376 / 901 = 237,786.2.
    assert said(picture) == (
        "“small” has 901 parameters; beside it, with the ratio: “vaswani-base” 63.1 million (70,014 ×) and "
        "“vaswani-big” 214 million (237,786 ×); embeddings are 5.3 % of “small”, 30 % of “vaswani-base” and 18 % of "
        "“vaswani-big”; "
        "the paper prints 65 million for “vaswani-base” and 213 million for “vaswani-big”."
    )
    assert picture.table["small"] == [48, 590, 174, 64, 25, 901]
    assert [sum(bar.x[row] for bar in picture.figure.data) for row in range(3)] == pytest.approx([100] * 3)
    alone = said(parameter_shares({"small": SMALL}))
    assert alone == "“small” has 901 parameters; embeddings are 5.3 % of “small”."
    with pytest.raises(ValueError, match="Received: none"):
        parameter_shares({})


def test_work_grows_with_the_source_as_the_formulas_say():
    picture = work_curves("small", SMALL, 1, 2)
    table, lines = picture.table, picture.figure.data
    for part, count in (("scores and weighted sums, S²", 2 * 64 * 6), ("feed-forward", 2 * 8 * 4 * 6),
                        ("query, key, value, output", 4 * 8 * 4 * 6)):  # fmt: skip
        assert table[f"encoder: {part}"][AT_8] == count
    assert table["all"][AT_8] == sum(table[name][AT_8] for name in table if name not in ("Source length", "all"))
    assert list(lines[0].y) == table["encoder: scores and weighted sums, S²"]
    # S = D·F / (H·K) = 24 / 6 = 4; at 8 source tokens 768 / 384 = 2 times.
    assert said(picture) == (
        "In the encoder of “small” the S² part of attention passes the feed-forward network at 4 source tokens "
        "(S = D·F ÷ H·K); at 8, the longest source it reads, it takes 2 × the feed-forward network's multiply–adds."
    )
    assert [line.name for line in lines[-2:]] == ["longest source: 8", "S² part = feed-forward: 4"]
    assert list(lines[-1].x) == [4, 4]
    assert "output" in table and "output and copying" not in table
    copying = SMALL.replace(source_vocabulary=5, target_vocabulary=5, copy=True)
    assert "output and copying" in work_curves("c", copying, 3, 2).table
    # A crossover before the first token is said and not drawn.
    picture = work_curves("t", PRESETS["tutorial-transformer"].model, 1, 6)
    assert "passes the feed-forward network before the first token" in said(picture)
    assert not any("S² part =" in line.name for line in picture.figure.data)


def test_memory_in_megabytes():
    # B = 3, 2 heads, 4 bytes: 24 bytes a pair; at S = 8, T = 2: 24 · (64 + 2·4 + 2·16) = 2,496 bytes.
    picture = memory_curves("small", SMALL, 3, 2)
    assert picture.table["all (MB)"][AT_8] == pytest.approx(0.002496)
    assert picture.table["encoder self-attention, S² (MB)"][AT_8] == pytest.approx(24 * 64 / 1e6)
    # At 16: 24 · (256 + 8 + 64) = 7,872 bytes, 3.15 times.
    assert said(picture) == (
        "All attention weights of “small” take 0.0025 MB at 8 source tokens and 0.00787 MB at 16, 3.2 × as much."
    )
