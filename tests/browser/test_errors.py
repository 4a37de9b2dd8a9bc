"""The Errors page in a browser: broken rows, a sorted table, keys, and a session that is saved and opened again."""

import json
import re

from playwright.sync_api import Locator, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.evaluation.verdicts import ERROR_TAGS
from tests.browser.helpers import FIRST_TOKENS, bar_hides, click_cell, saved, wait_for_app

TALKS = """id,dialogue,summary,prediction
keys,"Anna: I lost my keys at the station.
Ben: Did you ask the guard?",Anna lost her keys.,Anna asks Zelda for 3 keys.
empty,,Nothing,Nobody speaks.
wide,"A: One.",two,three,four
train,"Cleo: The train leaves at nine.
Dan: Then we have an hour.",Dan has an hour.,Cleo and Dan have an hour.
mute,"   ",Silence,Silence.
coat,"Eve: I do not like the red coat.
Fay: Take the blue one.",Eve does not like the red coat.,Eve likes the red coat.
"""
"""Six rows, three of them broken: two without a dialogue, one with a field too many."""
SUMMARIES = ("Anna asks Zelda for 3 keys.", "Cleo and Dan have an hour.", "Eve likes the red coat.")


def open_errors(page: Page, link: str = "") -> None:
    """Open the page and wait until the bundled dialogues are summarized."""
    page.goto(f"/errors{link}")
    overview = page.locator(".st-key-errors_overview")
    expect(overview.get_by_text("36", exact=True).first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def bring(page: Page, name: str, content: str, sign: str) -> None:
    """Bring a file, and wait for a text that says that it is there."""
    page.get_by_role("button", name="Bring your own").click()
    file = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.locator(".stFileUploader input[type=file]").first.set_input_files(file)
    expect(page.get_by_text(sign)).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    page.keyboard.press("Escape")
    expect(page.locator(".stFileUploader").first).to_be_hidden()  # else it lies over the table for a moment


def save_session(page: Page) -> str:
    """Save the session, and return the file."""
    content = saved(page, "Save the session")[1].decode()
    wait_for_app(page)
    return content


def opened(page: Page) -> Locator:
    """The summary that is laid against its dialogue."""
    return page.locator(".st-key-summary_check .summary")


def test_labels_of_a_file_follow_its_ids_and_are_never_lost_without_a_word(page: Page) -> None:
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    open_errors(page)
    bring(page, "odd_*.csv", TALKS, "3 rows could not be used.")
    expect(page.get_by_label("Dialogues")).to_have_value("odd_*.csv (3 rows)")
    for _ in range(2):  # the header sorts by the summary, then the other way round
        click_cell(page, 350, 0)
    for row, summary in ((1, SUMMARIES[2]), (2, SUMMARIES[1]), (3, SUMMARIES[0])):
        click_cell(page, 150, row)
        expect(opened(page)).to_have_text(summary)

    page.get_by_label("Note").fill("Zelda is *nobody*")
    page.get_by_label("Note").press("Tab")  # kept without a button
    unsaved = page.locator(".st-key-errors_unsaved")
    expect(unsaved).to_contain_text("labels of 1 summary")
    wait_for_app(page)
    check = page.locator(".st-key-summary_check")
    check.locator(".summary .name-new").click()
    hint = check.locator(".hint", has_text="New name")
    expect(hint).to_have_class(re.compile("lit"))
    hint.locator("button.verdict.right").click()
    expect(hint.locator("button.verdict.right")).to_have_attribute("aria-pressed", "true")
    wait_for_app(page)
    expect(unsaved).to_contain_text("a reload or a closed tab loses them")
    file = save_session(page)
    (said,) = json.loads(file)["labels"]
    (label,) = said["labels"]
    assert (label["type"], label["text"], label["hint"]) == ("invented", "Zelda", "novel_name")
    assert said["note"] == "Zelda is *nobody*"
    expect(unsaved).to_contain_text("All of it is saved as a file.")
    page.get_by_label("Note").fill("Zelda")
    page.get_by_label("Note").press("Tab")
    expect(unsaved).not_to_contain_text("saved as a file")
    wait_for_app(page)
    page.keyboard.press("z")  # takes the note back
    wait_for_app(page)
    expect(page.get_by_label("Note")).to_have_count(1)
    expect(page.get_by_label("Note")).to_have_value("Zelda is *nobody*")

    page.locator(".st-key-open_attention button").click()
    expect(page.get_by_role("heading", name="See every head")).to_be_visible()
    wait_for_app(page)
    page.go_back()
    expect(opened(page)).to_have_text(SUMMARIES[0])
    expect(page.get_by_label("Note")).to_have_value("Zelda is *nobody*")
    wait_for_app(page)
    page.keyboard.press("n")
    expect(unsaved).not_to_contain_text("saved as a file")
    wait_for_app(page)
    assert asked == []
    page.reload()
    assert asked == ["beforeunload"]
    expect(page.get_by_text(re.compile("Bring the file again"))).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)
    bring(page, "odd.session.json", file, "The summaries come from the file odd_*.csv.")
    expect(opened(page)).to_have_text(SUMMARIES[0])
    expect(check.locator(".hint", has_text="New name").locator("button.verdict.right")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_label("Note")).to_have_value("Zelda is *nobody*")


def test_fast_keys_judge_every_row_and_none_is_lost(page: Page) -> None:
    rows = [
        {"id": f"row-{number}", "dialogue": f"Anna: Take {number}.\nBen: I do.", "summary": f"Ben takes {number}.",
         "prediction": f"Anna takes {number}."}
        for number in range(40)
    ]  # fmt: skip
    open_errors(page, "?err_columns=reference,dialogue&err_texts=whole")
    bring(page, "rows.jsonl", "\n".join(map(json.dumps, rows)), "The summaries come from the file rows.jsonl.")
    bar = page.locator(".st-key-label_bar")
    expect(bar.locator(".line")).to_contain_text("40 shown · 0 of 40 judged")
    wait_for_app(page)
    for number in range(40):
        page.keyboard.press("j")
        page.keyboard.press(str(number % 10))
    expect(bar.locator(".line")).to_contain_text("Summary 40 of 40 · 40 of 40 judged")
    expect(bar).to_be_in_viewport()
    expect(opened(page)).to_have_text("Anna takes 39.")
    wait_for_app(page)
    page.keyboard.press("w")
    page.keyboard.type("just a note")
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-errors_unsaved")).to_contain_text("labels of 40 summaries")
    assert bar_hides(page)
    wait_for_app(page)
    page.keyboard.press("k")
    expect(opened(page)).to_have_text("Anna takes 38.")
    wait_for_app(page)
    said = {each["id"]: (each["tags"], each["note"]) for each in json.loads(save_session(page))["labels"]}
    order = [*list(ERROR_TAGS)[-1:], *list(ERROR_TAGS)[:-1]]  # 0 is the last one
    assert said == {
        f"row-{number}": ([order[number % 10]], "just a note" if number == 39 else "") for number in range(40)
    }


def test_a_press_that_gets_no_file_saves_nothing(page: Page, slow_answers) -> None:
    open_errors(page)
    bring(page, "odd.csv", TALKS, "3 rows could not be used.")
    unsaved = page.locator(".st-key-errors_unsaved")
    page.keyboard.press("j")
    wait_for_app(page)
    with slow_answers() as held:
        page.keyboard.press("1")
        while not any(ForwardMsg.FromString(each).WhichOneof("type") == "script_finished" for _, each in held):
            page.wait_for_timeout(50)
        page.get_by_role("button", name="Save the session").click()  # the page does not have the new button yet
        page.wait_for_timeout(500)
    expect(unsaved).to_contain_text("No file was made. Press the button again.")
    expect(unsaved).to_contain_text("labels of 1 summary")
    expect(unsaved).not_to_contain_text("saved as a file")
    wait_for_app(page)
    assert json.loads(save_session(page))["labels"][0]["tags"] == [next(iter(ERROR_TAGS))]
    expect(unsaved).to_contain_text("All of it is saved as a file.")
