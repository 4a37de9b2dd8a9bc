import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.diff import changed_share, word_diff
from tests.figures.drawing import drawn


def test_changes_by_hand(snapshot):
    pairs = [("Anna has a cat.", "Anna has a dog."), ("", ""), ("", "one two"), ("one", ""), ("one  two", "one two")]
    assert drawn(*([str(change) for change in word_diff(*pair)] for pair in pairs)) == snapshot
    # Tags and contractions are one word.
    changes = word_diff("#Person1# can't come", "#Person2# can't come")
    assert [change.text for change in changes] == ["#Person1#", "#Person2#", " can't come"]
    for before, after, share in [
        ("Anna has a cat.", "Anna has a dog.", 2 / 10),  # 4 of 5 words and marks stay in each
        ("Anna has a cat.", "anna has a cat.", 2 / 10),
        ("one two", "one two three four", 2 / 6),
        ("a b c", "c a b", 2 / 6),  # "c" is somewhere else
        ("one two", "three", 1.0),
        ("", "one", 1.0),
        ("one  two", "one two", 0.0),
        ("", "", 0.0),
        (" \n", "", 0.0),
    ]:
        assert changed_share(before, after) == pytest.approx(share), before
        assert changed_share(after, before) == pytest.approx(share), before


@given(st.text("ab #1.'\n", max_size=40), st.text("ab #1.'\n", max_size=40))
def test_both_texts_can_be_read_from_the_changes(before, after):
    changes = word_diff(before, after)
    kept = {kind: "".join(change.text for change in changes if change.kind != kind) for kind in ("added", "removed")}
    assert "".join(kept["added"].split()) == "".join(before.split())
    assert "".join(kept["removed"].split()) == "".join(after.split())
    # A share is from nothing to all.
    assert changed_share(before, before) == 0
    assert 0 <= changed_share(before, after) <= 1
    assert (changed_share(before, after) == 0) == all(each.kind == "same" for each in word_diff(before, after))
