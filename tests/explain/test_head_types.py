"""Types of heads: the published thresholds, the nearest type where none is reached, ranks, and what stands out."""

from dataclasses import replace

from core import checkpoints
from core.explain.catalogue import Catalogue
from core.explain.head_types import nearest, ordinal, outstanding, standing, type_scores
from tests.explain.test_heads import PLAIN as SCORES

PLAIN = replace(SCORES, confidence=1.0)


def test_a_head_has_the_type_that_it_reaches_or_is_nearest_to():
    for changes, text in [
        ({"offset_rate": 0.9, "previous": 0.6}, "positional, 0.9 (≥ 0.9)"),  # the first that is reached
        ({"offset_rate": 0.89, "previous": 0.5, "sink": 0.6}, "previous token, 0.5 (≥ 0.5)"),
        ({"following": 0.7}, "next token, 0.7 (≥ 0.5)"),
        ({"copied": 0.1, "sink": 0.6}, "copy, 0.1 (≥ 0.1)"),
        ({"sink": 0.5, "confidence": 0.09}, "sink, 0.5 (≥ 0.5)"),
        ({"confidence": 0.1}, "broad, 0.1 (≤ 0.1)"),
        ({"previous": 0.21}, "nearest: previous token, 0.21 of 0.5"),
        ({"offset_rate": 0.4, "previous": 0.21}, "nearest: positional, 0.4 of 0.9"),  # 44 % of it, not 42 %
        ({"confidence": 0.125, "sink": 0.3}, "nearest: broad, 0.125 (needs ≤ 0.1)"),
        # a type counts only if it holds without the rows that collide, too
        ({"previous": 0.7, "previous_apart": 0.4}, "nearest: previous token, 0.4 of 0.5"),
        ({"sink": 0.6, "sink_apart": 0.45}, "nearest: sink, 0.45 of 0.5"),
        ({"following": 0.6, "following_apart": 0.8}, "next token, 0.6 (≥ 0.5)"),
        # nobody published thresholds for these
        ({"same": 0.9, "speakers": 0.9, "turn": 0.9, "sink": 0.1}, "nearest: sink, 0.1 of 0.5"),
    ]:
        found = replace(PLAIN, **changes)
        assert nearest(found, [found]).type_text == f"{text}; 1st of 1", changes
    empty = replace(PLAIN, rows=0, confidence=0.0)
    assert type_scores(empty) == {} and nearest(empty, [empty]) is None and outstanding(empty, [empty]) is None


def test_heads_are_ranked_by_the_score_of_a_type_and_broad_ones_by_the_lowest():
    heads = [replace(PLAIN, head=head, previous=0.1 * head, confidence=0.9 - 0.2 * head) for head in range(4)]
    assert nearest(heads[2], heads).type_text == "nearest: previous token, 0.2 of 0.5; 2nd of 4"
    assert [standing("broad", each, heads).place for each in heads] == [4, 3, 2, 1]
    assert [ordinal(each) for each in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"
    ]  # fmt: skip


def test_a_head_stands_out_by_what_it_does_more_than_the_others():
    heads = [replace(PLAIN, head=head, kind="cross", copied=0.02, speakers=0.3, turn=None) for head in range(3)]
    heads.append(replace(heads[0], head=3, copied=0.12, speakers=0.31))
    assert outstanding(heads[3], heads).text == "copy, 0.12 (mean of all 0.045); 1st of 4"
    below = [replace(PLAIN, head=head, same=-0.04 + 0.01 * head, chance=0.08) for head in range(4)]
    assert outstanding(below[3], below).name != "same token"  # first, but below what uniform attention gives


def test_the_heads_of_the_scratch_checkpoint_are_told_apart():
    """Before, all 36 were called mixed or broad."""
    found = Catalogue.from_dict(checkpoints.read_heads("dialoscope-scratch") or {})
    texts = {head.place: (found.nearest(head).type_text, found.outstanding(head).text) for head in found.heads}
    assert texts["decoder", 0, 3] == (
        "nearest: previous token, 0.443 of 0.5; 1st of 12",
        "previous token, 0.443 (mean of all 0.251); 1st of 12",
    )
    assert texts["cross", 2, 0] == (
        "copy, 0.141 (≥ 0.1); 1st of 12",
        "copy, 0.141 (mean of all 0.0428); 1st of 12",
    )
    assert [place[1:] for place, (kind, _) in texts.items() if kind.startswith("broad")] == [(2, n) for n in range(4)]
    assert [place for place, (kind, _) in texts.items() if kind.startswith("copy")] == [
        ("cross", 2, 0),
        ("cross", 2, 3),
    ]
    assert len(set(texts.values())) == 36
    names = {found.outstanding(head).name for head in found.heads}
    assert names >= {"copy", "same token", "previous token", "positional", "speaker tag", "sink", "broad"}
    assert found.labels()["cross", 2, 0] == "copy" and found.labels()["encoder", 2, 1] == "broad"


def test_a_type_in_which_all_heads_are_alike_does_not_stand_out():
    """Less than a deviation above the mean is more than none."""
    heads = [replace(PLAIN, head=head, turn=0.5, sink=sink) for head, sink in enumerate((0.3, 0.7, 0.2, 0.1, 0.0))]
    assert outstanding(heads[0], heads).name == "sink"  # (0.3 - 0.26) / 0.24 of a deviation
