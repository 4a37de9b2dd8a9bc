"""The Summarize page and the frame, without a browser."""

import json
import shutil

import pytest

from core import checkpoints
from core.errors import DialogueError
from core.text.dialogue import parse_dialogue, replace_turn
from core.text.examples import example_by_id, load_examples
from pages.shared import links, model, state
from tests.pages.conftest import paste, summary, turns
from tests.pages.driver import data

FIRST = load_examples()[0]


def test_an_example_and_its_summary_are_there_on_arrival(app):
    app.run()
    assert not app.exception and not app.error
    assert turns(app)[0].startswith("Good evening.")
    assert summary(app).strip()
    assert app.query_params == {}
    assert [metric.label for metric in app.metric] == ["Tokens", "Seconds", "Log-prob.", "Ending"]
    assert int(app.metric[0].value) == len(data(app, "token_strip")["tokens"])


def test_what_has_to_be_said_stands_beside_the_summary(app):
    app.run()
    said = next(caption.value for caption in app.caption if "Written by" in caption.value)
    assert "**tiny**" in said and "often wrong about who did what" in said and "weights: none" in said


def test_references_of_an_example_are_scored(app):
    app.run()
    shown = [text.value for text in app.text]
    assert list(FIRST.references) == shown
    table = next(frame.value for frame in app.dataframe if "ROUGE-1" in frame.value)
    assert list(table["Reference"]) == ["1", "2", "Best"]
    assert table["ROUGE-L"].iloc[2] == max(table["ROUGE-L"].iloc[:2])


def test_every_token_has_its_numbers(app):
    strip = data(app.run(), "token_strip")
    for token in strip["tokens"]:
        assert len(token["alternatives"]) == 10
        total = sum(share for _, share, _ in token["alternatives"]) + token["rest"]
        assert total == pytest.approx(1, abs=1e-3)
        assert 0 < token["probability"] <= 1 and token["rank"] >= 1 and token["entropy"] >= 0
        assert 0 <= token["copied"] <= 1
    table = next(frame.value for frame in app.dataframe if "Entropy (nats)" in frame.value)
    assert list(table["Rank"]) == [token["rank"] for token in strip["tokens"]]
    lowest = min(strip["tokens"], key=lambda token: token["probability"])
    assert strip["tokens"][strip["weakest"]]["probability"] == lowest["probability"]


def test_settings_change_the_result(app):
    app.run()
    before = summary(app)
    app.slider(key="max_tokens").set_value(6).run()
    assert len(data(app, "token_strip")["tokens"]) == 6
    assert app.metric[3].value == "Cut"
    assert summary(app) != before
    assert app.query_params["max_tokens"] == "6"


def test_only_the_controls_of_the_strategy_are_shown(app):
    app.run()
    shown = {slider.key for slider in app.slider}
    assert {"beam", "penalty", "max_tokens", "no_repeat"} == shown
    app.segmented_control(key="strategy").set_value("sample").run()
    assert {slider.key for slider in app.slider} == {"temperature", "top_k", "top_p", "max_tokens", "no_repeat"}
    first = summary(app)
    app.number_input(key="seed").set_value(7).run()
    assert summary(app) != first
    app.number_input(key="seed").set_value(0).run()
    assert summary(app) == first


def test_beam_search_lists_its_best_summaries(app):
    app.run()
    table = next(frame.value for frame in app.dataframe if "Score" in frame.value)
    assert len(table) > 1 and list(table["Score"]) == sorted(table["Score"], reverse=True)
    assert table["Summary"][0] == summary(app)


def test_another_example_brings_its_own_dialogue(app):
    app.run()
    app.selectbox(key="example").set_value("cat-sitter").run()
    assert turns(app)[0].startswith("Thank you so much")
    assert app.query_params == {"example": "cat-sitter"}


def test_an_edited_turn_shows_the_difference_and_the_way_back(app):
    app.run()
    original, before = turns(app), summary(app)
    edit(app, 1, "My cat.")
    assert turns(app)[1] == "My cat."
    assert [turn["edited"] for turn in data(app, "conversation")["turns"]].index(True) == 1
    parts = data(app, "word_diff")["changes"]
    assert "".join(text for kind, text in parts if kind != "removed").split() == summary(app).split()
    assert "".join(text for kind, text in parts if kind != "added").split() == before.split()
    edit(app, 0, "What is missing?")
    button(app, "Undo last edit").click().run()
    assert turns(app)[:2] == [original[0], "My cat."]
    button(app, "Restore the original").click().run()
    assert turns(app) == original
    assert "t" not in app.query_params
    with pytest.raises(LookupError):
        data(app, "word_diff")


def test_an_edit_stays_in_the_link(app):
    app.run()
    edit(app, 1, "My cat.")
    packed = app.query_params["t"]
    assert "My cat." in links.unpack(packed)


def test_reset_brings_the_first_visit_back(app):
    app.run()
    before = summary(app)
    app.segmented_control(key="strategy").set_value("greedy").run()
    paste(app, "Anna: A goat ate my hat.\nBen: Which hat?")
    assert turns(app) == ["A goat ate my hat.", "Which hat?"]
    app.button(key="reset").click().run()
    assert turns(app)[0].startswith("Good evening.") and summary(app) == before
    assert app.query_params == {}
    app.segmented_control(key="input").set_value("paste").run()
    assert app.text_area(key="paste_box").value == ""


def test_a_pasted_dialogue_with_its_reference(app):
    paste(app.run(), "Anna: A goat ate my hat.\nBen: Which hat?", "A goat ate Anna's hat.")
    assert turns(app) == ["A goat ate my hat.", "Which hat?"]
    assert summary(app).strip()
    assert [text.value for text in app.text] == ["A goat ate Anna's hat."]
    assert app.query_params["input"] == "paste"


@pytest.mark.parametrize("text", ["", "   \n\t\n"])
def test_nothing_to_summarise_is_said(app, text):
    paste(app.run(), text)
    assert "nothing to summarise" in app.error[0].value
    assert not app.exception


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        "!!! ??? ...",
        "דנה: שלום, מה שלומך?\nיוסי: הכול בסדר, תודה.",
        "Zoë: 😀😀👩‍👩‍👧‍👦 ok?\nUli: 🦊!",
        "Eve: <script>alert(1)</script><b>x</b>\nBob: # x [a](http://b) ![i](http://c) $x$ :red[y]",
        "\n".join(f"Speaker{number}: I am number {number}." for number in range(30)),
    ],
    ids=["one word", "symbols", "right to left", "emoji", "markup", "30 speakers"],
)
def test_unusual_text_is_shown_as_it_is_and_summarised(app, text):
    paste(app.run(), text)
    assert not app.exception and not app.error
    spoken = [line.split(": ", 1)[-1] for line in text.splitlines()]
    assert turns(app) == spoken
    assert data(app, "token_strip")["tokens"]


def test_a_long_dialogue_says_what_was_left_out(app):
    lines = [f"#Person{number % 2 + 1}#: This is turn number {number + 1} of a very long talk." for number in range(65)]
    paste(app.run(), "\n".join(lines))
    assert len(turns(app)) == 65
    states = [turn["state"] for turn in data(app, "conversation")["turns"]]
    left_out = states.count("omitted")
    assert left_out > 0 and states[0] == "" and states[-1] == ""  # the middle
    assert f"left out {left_out} of 65 turns" in app.warning[0].value
    app.selectbox(key="truncation").set_value("start").run()
    states = [turn["state"] for turn in data(app, "conversation")["turns"]]
    assert states[0] == "omitted" and states[-1] == ""
    app.selectbox(key="truncation").set_value("error").run()
    assert "too long" in app.error[0].value and len(turns(app)) == 65


def test_fifty_kilobytes_are_summarised_and_too_long_for_a_link(app):
    paste(app.run(), "".join(f"Anna: {number * 7919 % 100003} goats ate {number} hats.\n" for number in range(1500)))
    assert not app.exception and not app.error
    assert any("left out" in warning.value for warning in app.warning)
    assert any("too long for a link" in caption.value for caption in app.caption)
    assert "t" not in app.query_params


def test_a_megabyte_is_refused_and_nothing_is_lost(app):
    paste(app.run(), "Anna: A goat ate my hat.\nBen: Which hat?")
    paste(app, "x" * 1_000_000)
    assert "too long" in app.error[0].value and "200,000" in app.error[0].value
    assert turns(app) == ["A goat ate my hat.", "Which hat?"]


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("photo.txt", bytes(range(256)) * 20, "binary"),
        ("talk.json", b'{"dialogue": ', "not valid JSON"),
        ("talk.json", b'{"dialog": 3}', "holds"),
        ("[a](http://b).txt", b"\0\0\0", r"\[a\]\(http"),
        ("empty.txt", b"  ", "holds no text"),
    ],
)
def test_an_unusable_upload_is_refused(app, name, content, part):
    upload(app.run(), name, content)
    assert part in app.error[0].value
    assert not app.exception


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("talk.txt", b"Anna: A goat ate my hat.\nBen: Which hat?"),
        ("talk.json", json.dumps([{"speaker": "Anna", "text": "A goat ate my hat."}, {"speaker": "Ben", "text": "Which hat?"}]).encode()),  # noqa: E501
        ("chat.txt", "12/03/2023, 21:14 - Anna: A goat ate my hat.\n12/03/2023, 21:15 - Ben: Which hat?".encode()),
    ],
)
def test_an_upload_is_summarised(app, name, content):
    upload(app.run(), name, content)
    assert not app.error and not app.exception
    assert turns(app) == ["A goat ate my hat.", "Which hat?"]
    assert summary(app).strip()


def test_a_link_opens_what_it_says(app):
    app.query_params.update({"example": "cat-sitter", "strategy": "greedy", "max_tokens": "7"})
    app.run()
    assert turns(app)[0].startswith("Thank you so much")
    assert app.segmented_control(key="strategy").value == "greedy"
    assert app.slider(key="max_tokens").value == 7
    assert not [each for each in app.button if each.key == "notes_read"]


def test_a_link_carries_a_pasted_dialogue(app):
    app.query_params.update({"input": "paste", "t": links.pack("Anna: A goat ate my hat.\nBen: Which hat?")})
    app.run()
    assert turns(app) == ["A goat ate my hat.", "Which hat?"]
    assert app.text_area(key="paste_box").value.startswith("Anna: A goat")


def test_what_a_link_gets_wrong_is_said(app):
    app.query_params.update({"example": "none-such", "strategy": "magic", "beam": "99", "top_p": "nan", "t": "@@@"})
    app.run()
    assert not app.exception and turns(app)[0].startswith("Good evening.")
    note = app.warning[0].value
    for part in ("none", "magic", "99", "nan", "damaged"):
        assert part in note
    app.button(key="notes_read").click().run()
    assert not [warning for warning in app.warning if "link" in warning.value]


def test_a_bug_becomes_a_message_with_a_way_out(app, monkeypatch):
    working = state.current_summary

    def broken():
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(state, "current_summary", broken)
    app.run()
    assert not app.exception
    assert "`ZeroDivisionError`" in app.error[0].value and "secret" not in app.error[0].value
    assert turns(app)
    monkeypatch.setattr(state, "current_summary", working)
    button(app, "Start over").click().run()
    assert not app.error and summary(app).strip()


def test_an_expected_error_is_shown_as_its_line(app, monkeypatch):
    def refused():
        raise DialogueError("the dialogue is *bad*")

    monkeypatch.setattr(state, "current_summary", refused)
    app.run()
    assert app.error[0].value == r"The dialogue is \*bad\*"
    assert turns(app)


def test_without_a_checkpoint_the_app_says_so(app, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    app.run()
    assert not app.exception and "checkpoint is installed" in app.error[0].value


def test_a_damaged_checkpoint_is_named_and_can_be_tried_again(app, folder, tmp_path, monkeypatch):
    shutil.copytree(folder / "tiny", tmp_path / "broken")
    weights = tmp_path / "broken" / "weights.safetensors"
    good = weights.read_bytes()
    weights.write_bytes(good[:-1] + b"\0" * 3)
    card = json.loads((tmp_path / "broken" / "card.json").read_text())
    card["sha256"]["weights.safetensors"] = "0" * 64  # another cache entry than the good one
    (tmp_path / "broken" / "card.json").write_text(json.dumps(card))
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    assert model.job("broken").done.wait(60)
    app.run()
    assert "damaged" in app.error[0].value and turns(app)
    failed = model.job("broken")
    button(app, "Try again").click().run()
    assert model.job("broken") is not failed


def test_decoding_follows_the_checkpoints_card(app, folder):
    app.run()
    assert app.slider(key="max_tokens").value == checkpoints.read_card("tiny")["decoding"]["max_tokens"] == 16


def test_the_examples_of_the_picker_are_all_there(app):
    app.run()
    assert app.selectbox(key="example").options == [example.title for example in load_examples()]
    assert any(caption.value == example_by_id(FIRST.id).notes for caption in app.caption)


def edit(app, index: int, text: str) -> None:
    """Put an edit into the session as the component's callback does; its script does not run here."""
    before = app.session_state["edits"] if "edits" in app.session_state else None
    texts = before.texts if before else ()
    changed = replace_turn(parse_dialogue(texts[-1] if texts else FIRST.dialogue), index, text).text
    app.session_state["edits"] = state.Edits(FIRST.id, (*texts, changed))
    app.run()


def upload(app, name: str, content: bytes) -> None:
    app.segmented_control(key="input").set_value("upload").run()
    app.get("file_uploader")[0].upload(name, content).run()


def button(app, label: str):
    return next(each for each in app.button if each.label == label)
