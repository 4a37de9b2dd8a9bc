"""Errors: a corpus whose columns have other names, and one whose columns somebody wants to choose."""

import json

from streamlit.testing.v1 import AppTest

from pages.parts.errors import column_choice
from tests.pages import driver
from tests.pages.errors import arrive, table, upload

FOREIGN = "gespräch;kurzfassung;nr\nAnna: Ich komme.;Anna kommt.;007\nBen: Ich nicht.;Ben bleibt.;008\n"
TWO = "id,dialogue,other,summary\na,A: One.,B: Two.,Three.\n"


def chooses(app: AppTest) -> bool:
    return any(each.key == "errors_column_dialogue" for each in app.selectbox)


def test_columns_of_other_names_are_chosen(app: AppTest):
    upload(arrive(app), FOREIGN, "korpus.csv")
    assert "lacks columns" in app.error[0].value and chooses(app)
    for field, name in (("dialogue", "gespräch"), ("summary", "kurzfassung"), ("id", "nr")):
        app.selectbox(key=f"errors_column_{field}").select(name)
    driver.press_label(app, "Read the file")
    assert not chooses(app) and list(table(app).value["Id"]) == ["007", "008"]
    assert "2 rows taken" in driver.captions(app) and "dialogue = 'gespräch'" in driver.captions(app)


def test_an_encoding_is_chosen_with_the_columns(app: AppTest):
    arrive(app).toggle(key=column_choice.ASK).set_value(True).run()
    upload(app, "dialogue;summary\nJiří: Přijdeš?;Ptá se.\n".encode("iso8859-2"), "a.csv")
    app.selectbox(key="errors_column_encoding").select("iso8859-2")
    driver.press_label(app, "Read the file")
    found = next(iter(app.session_state["err_files"].values()))
    assert found.rows[0].dialogue == "Jiří: Přijdeš?" and "Read as ISO8859-2" in driver.captions(app)


def test_a_wrong_choice_is_refused_and_the_file_waits(app: AppTest):
    upload(arrive(app), FOREIGN, "korpus.csv")
    app.selectbox(key="errors_column_summary").select("kurzfassung")
    driver.press_label(app, "Read the file", may_refuse=True)
    assert "lacks columns" in app.error[0].value and chooses(app)
    driver.press_label(app, "Leave it", may_refuse=True)
    assert not chooses(app) and column_choice.PENDING not in app.session_state


def test_known_columns_are_asked_for_where_somebody_wants_to(app: AppTest):
    arrive(app).toggle(key=column_choice.ASK).set_value(True).run()
    upload(app, TWO, "two.csv")
    assert app.selectbox(key="errors_column_dialogue").value == "dialogue"
    app.selectbox(key="errors_column_dialogue").select("other")
    driver.press_label(app, "Read the file")
    assert not chooses(app) and app.selectbox(key="err_data").options[-1] == "two.csv (1 row)"
    found = next(iter(app.session_state["err_files"].values()))
    assert [(row.dialogue, row.references) for row in found.rows] == [("B: Two.", ("Three.",))]


def test_it_is_said_which_rows_have_no_score_and_which_have_others_than_they_seem(app: AppTest):
    rows = [("Ayşe: Yarın.", "Ayşe yarın gelir.", "Ayşe yarın gelir."), ("A: Go?\nB: Yes.", "Yes.", "Yes.")]
    rows += [("C: Who?\nD: Me.", None, "It is D."), ("", "Nothing.", "Nothing.")]
    named = (dict(zip(("dialogue", "summary", "prediction"), row, strict=True)) for row in rows)
    upload(arrive(app), "\n".join(map(json.dumps, named)), "rows.jsonl")
    said = driver.captions(app)
    assert "3 rows taken, 0 of them joined to an earlier row of the same dialogue, 1 skipped" in said
    assert "1 row without a reference: they have no scores." in said
    assert "1 row with letters beyond a–z: ROUGE counts words of all scripts there." in said
    assert "1 row the same as the reference, and yet a ROUGE of 0" in said
    assert {each.label: each.value for each in app.metric}["ROUGE-1"] == "100.00"
