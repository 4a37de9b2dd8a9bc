"""Types of heads: the published thresholds, the nearest type where none is reached, ranks, and what stands out."""

from dataclasses import replace

from core import checkpoints
from core.explain.attention.catalogue import Catalogue
from core.explain.attention.head_types import ordinal, outstanding, standing, type_or_nearest, type_scores
from tests.explain.attention.test_head_scores import PLAIN as SCORES
from tests.figures.drawing import drawn

PLAIN = replace(SCORES, confidence=1.0)


def test_a_head_has_the_type_that_it_reaches_or_is_nearest_to(snapshot):
    changes = [
        {"offset_rate": 0.9, "previous": 0.6},  # the first that is reached
        {"offset_rate": 0.89, "previous": 0.5, "sink": 0.6}, {"following": 0.7}, {"copied": 0.1, "sink": 0.6},
        {"sink": 0.5, "confidence": 0.09}, {"confidence": 0.1}, {"previous": 0.21},
        {"offset_rate": 0.4, "previous": 0.21},  # 44 % of it, not 42 %
        {"confidence": 0.125, "sink": 0.3},
        # a type counts only if it holds without the rows that collide, too
        {"previous": 0.7, "previous_apart": 0.4}, {"sink": 0.6, "sink_apart": 0.45},
        {"following": 0.6, "following_apart": 0.8},
        # nobody published thresholds for these
        {"same": 0.9, "speakers": 0.9, "turn": 0.9, "sink": 0.1},
    ]  # fmt: skip
    heads = [replace(PLAIN, **change) for change in changes]
    assert drawn({"Head": changes, "Type": [type_or_nearest(head, [head]).type_text for head in heads]}) == snapshot
    empty = replace(PLAIN, rows=0, confidence=0.0)
    assert type_scores(empty) == {} and type_or_nearest(empty, [empty]) is None and outstanding(empty, [empty]) is None


def test_heads_are_ranked_by_the_score_of_a_type_and_broad_ones_by_the_lowest():
    heads = [replace(PLAIN, head=head, previous=0.1 * head, confidence=0.9 - 0.2 * head) for head in range(4)]
    assert type_or_nearest(heads[2], heads).type_text == "No type. Closest: previous token (0.20; 0.5 is needed)"
    assert [standing("broad", each, heads).place for each in heads] == [4, 3, 2, 1]
    ranks = "1st 2nd 3rd 4th 11th 12th 13th 21st 112th".split()
    assert [ordinal(int(rank[:-2])) for rank in ranks] == ranks


def test_a_head_stands_out_by_what_it_does_more_than_the_others():
    heads = [replace(PLAIN, head=head, kind="cross", copied=0.02, speakers=0.3, turn=None) for head in range(3)]
    heads.append(replace(heads[0], head=3, copied=0.12, speakers=0.31))
    assert outstanding(heads[3], heads).text == "copy, 0.12 (mean of all 0.045); 1st of 4"
    below = [replace(PLAIN, head=head, same=-0.04 + 0.01 * head, chance=0.08) for head in range(4)]
    assert outstanding(below[3], below).name != "same token"  # first, but below what uniform attention gives


def test_the_heads_of_the_scratch_checkpoint_are_told_apart(snapshot):
    """Before, all 36 were called mixed or broad."""
    found = Catalogue.from_dict(checkpoints.read_heads("dialoscope-scratch") or {})
    columns = {"type": found.type_or_nearest, "stands out by": found.outstanding}
    told = {"head": [head.place for head in found.heads], "label": list(found.labels().values())}
    told |= {name: [ask(head).text for head in found.heads] for name, ask in columns.items()}
    assert drawn(told) == snapshot
    assert len(set(zip(told["type"], told["stands out by"], strict=True))) == 36


def test_a_type_in_which_all_heads_are_alike_does_not_stand_out():
    """Less than a deviation above the mean is more than none."""
    heads = [replace(PLAIN, head=head, turn=0.5, sink=sink) for head, sink in enumerate((0.3, 0.7, 0.2, 0.1, 0.0))]
    assert outstanding(heads[0], heads).name == "separator"  # (0.3 - 0.26) / 0.24 of a deviation


def test_what_a_head_does_is_said_in_shares_of_its_weight(snapshot):
    heads = [replace(PLAIN, head=head, previous=share) for head, share in enumerate((0.0041, 0.99))]
    assert "\n".join(standing("previous token", each, heads).sentences for each in heads) == snapshot


def test_a_score_beside_its_threshold_has_the_digits_that_keep_them_apart():
    head = replace(PLAIN, kind="cross", copied=0.0962)
    assert standing("copy", head, [head]).type_text == "No type. Closest: copy (0.0962; 0.1 is needed)"
