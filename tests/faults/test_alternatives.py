"""What a summary could say instead, on a dialogue of three speakers and on one of two."""

from core.faults.alternatives import alternatives
from core.text.dialogue import parse_dialogue
from tests.figures.drawing import drawn

TWO = parse_dialogue(
    "#Person1#: My suitcase is in Madrid, Mr. Hill. The wedding is on Friday at ten.\n"
    "#Person2#: It comes from Lisbon on Thursday and costs 40 pounds.\n"
    "#Person1#: Friday is too late for the two of us and the three guests."
)
THREE = parse_dialogue("Ann: I lost it.\nBen: Where?\nAnn: At home.\nBen: Oh.\nAnn: Yes.\nCleo: Look again.")


def changes(kind, summary, dialogue=TWO, limit=40):
    return [each.summary for each in alternatives(dialogue, summary, limit) if each.kind == kind]


def test_speakers_are_exchanged(snapshot):
    # Two speakers are exchanged throughout and one by one; three are tried in turn and never paired with themselves.
    named = parse_dialogue("Ann: My suitcase is in Madrid.\nBen: A driver brings it.")
    tags = {"#Person1#": "Ann", "#Person2#": "Ben"}  # tags that stand for speakers are replaced by tags
    for summary, dialogue, known in [
        ("#Person2# asks #Person1# for #Person2#'s suitcase.", TWO, {}), ("Ann meets Ben.", THREE, {}),
        ("Ann and Ben talk.", THREE, {}), ("#Person2# asks #Person1#.", named, tags),
    ]:  # fmt: skip
        found = [each for each in alternatives(dialogue, summary, 40, known) if each.kind == "speaker_swap"]
        columns = ("summary", "start", "end", "change")
        assert drawn({name: [getattr(each, name) for each in found] for name in columns}) == snapshot
    # "Both" stays the same if they are exchanged.
    assert not [each for each in alternatives(TWO, "#Person1# and #Person2# talk.", 40) if each.end == 0]
    assert alternatives(TWO, "#Person1# and #Person2# talk. #Person1# left.", 40)[0].end == 0


def test_names_with_their_titles_and_numbers_of_one_sort():
    assert changes("name_swap", "They fly to Madrid.") == ["They fly to Mr. Hill.", "They fly to Lisbon."]
    assert changes("name_swap", "They call Mr. Hill.") == ["They call Madrid.", "They call Lisbon."]
    assert changes("number_swap", "It comes on Thursday.") == ["It comes on Friday."]
    assert changes("number_swap", "It is for 2 guests.") == ["It is for ten guests.", "It is for three guests."]
    assert changes("number_swap", "It costs 40 pounds.") == []
    # Evidence is where the dialogue has the other one.
    (each,) = [each for each in alternatives(TWO, "It comes on Thursday.", 9) if each.kind == "number_swap"]
    assert each.turns == (0, 2)
    # Kinds take turns up to the limit.
    kinds = [each.kind for each in alternatives(TWO, "#Person1# wants to fly to Madrid on Thursday.", 5)]
    assert kinds == ["speaker_swap", "name_swap", "number_swap", "negation_swap", "name_swap"]
    assert alternatives(TWO, "", 5) == () and alternatives(parse_dialogue(""), "They talk.", 5) == ()


def test_negations_are_taken_out_and_put_in(snapshot):
    texts = ["He doesn't want it.", "He doesn't have it.", "He doesn't watch it.", "They can't go.", "He wants it."]
    texts += ["They won\u2019t go.", "They do not go and never come.", "He is late.", "He is not late.", "He tells it."]
    assert drawn({"text": texts, "negated": [changes("negation_swap", text) for text in texts]}) == snapshot
