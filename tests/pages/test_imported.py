"""Pages over a model with an imported tokenizer, whose first token belongs to no turn."""

import pytest

from core import checkpoints
from core.text.dialogue import parse_dialogue
from pages.shared.model import models
from pages.shared.place import declarations
from tests.models import unigram_tokenizer, wordpiece_tokenizer
from tests.pages.driver import FIRST, captions, chart, choose, data, enter, open_link, said, table, trigger

PAGES = ("architecture", "attention", "decoding", "errors", "experiments", "masks", "positions", "summarize", "tokens")
VIEWS = [(name, view) for name in PAGES for view in declarations.page_at(name).views]
TOKENS = "pages/tokens.py"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_every_view_is_drawn(page: str, view: str, app, imported) -> None:
    open_link(f"pages/{page}.py", app, **{declarations.page_at(page).view.name: view})


def test_its_own_tokens_stand_beside_those_of_the_other_tokenizers(app, imported) -> None:
    open_link(TOKENS, app)
    before, *turns = data(app, "token_chips")["turns"]
    tokenizer = imported.tokenizer
    encoded = tokenizer.encode_dialogue(parse_dialogue(FIRST), 10**9)
    drawn = [chip for turn in (before, *turns) for chip in turn["chips"][2]]
    assert [id for _, _, id, _, _ in drawn] == [tokenizer.peer_id(token.id) for token in encoded.tokens]
    assert drawn[0][1] == tokenizer.peer_piece(5) and drawn[-2][1] == "</s>" and before["chips"][:2] == [[], []]
    text, *held = before["body"][0]
    assert text == "do: " and held == [[], [], [place for place, _, _, kind, _ in before["chips"][2] if kind != "mark"]]
    assert f"on other pages {encoded.tokens[-1].id}" in drawn[-1][4] and "of the prefix “do: ”" in drawn[1][4]
    assert "This model reads lines such as “Anna: Hello”. The prefix “do: ” stands before them. The whole" in said(app)
    assert list(table(app, "Its own name")["Its own name"])[:3] == ["<pad>", "<s>", "</s>"]
    trigger(app, "token_chips", "pick", {"line": 2, "index": 1})
    assert "belongs to how dialogues are written for this model" in said(app)


def test_the_end_of_the_dialogue_has_the_name_that_the_model_gives_it(app, imported) -> None:
    open_link("pages/decoding.py", app)
    drawn = str(chart(app, "looks_at"))
    assert "&lt;/s&gt;" in drawn and "[EOS]" not in drawn


@pytest.mark.parametrize(("page", "view"), [("summarize", {}), ("decoding", {"view": "branches"})])
def test_beside_a_sum_stands_how_forced_tokens_count(page: str, view: dict[str, str], app, imported) -> None:
    open_link(f"pages/{page}.py", app, **view)
    assert "Tokens that this model forces count with their own probabilities here" in captions(app)


def test_a_length_without_room_for_a_word(app, imported) -> None:
    around = sum(token.turn is None for token in imported.tokenizer.encode_dialogue(parse_dialogue(FIRST)).tokens) + 1
    open_link(TOKENS, app, tokens_view="length", pad_to=around)
    assert f"a length of {around} has no room for a word" in " ".join(each.value for each in app.warning)
    app.number_input(key="pad_to").set_value(around + 1).run()
    assert "special tokens and prefix" in str(list(table(app, "Tokens left out")["Turn"]))


@pytest.mark.parametrize(
    ("own", "told", "named"),
    [
        (None, "", "Merges"),
        (unigram_tokenizer(), "has the largest sum", "Cuts"),
        (wordpiece_tokenizer(), "begins with ##", "Matches"),
    ],
)
def test_a_word_is_cut_by_the_models_own_rules(app, imported, monkeypatch, own, told, named) -> None:
    if own:
        monkeypatch.setattr(models, "tokenizer", lambda name: own)
        monkeypatch.setattr(models, "identity", lambda name, file: f"{id(own)} {file}")
    own = own or imported.tokenizer
    open_link(TOKENS, app, tokens_view="merges", merged_word="unable")
    assert told in said(app) and ("merges nothing" in said(app)) == bool(told)
    assert named in app.segmented_control(key="tokens_view").options
    ids = ", ".join(str(own.peer_id(token)) for token in own.encode_words("unable"))
    assert f"numbering: {ids}. The tokenizer itself, asked for this word, gives the same." in said(app)


def test_what_transformers_would_read_otherwise_is_said_on_tokens(app, imported, monkeypatch) -> None:
    notes = [["language", {"tokens": "de_DE"}], ["bytes", {}], ["wrapped", {}], 5, "An old note."]
    card = checkpoints.read_card
    monkeypatch.setattr(checkpoints, "read_card", lambda name: {**card(name), "notes": notes})
    open_link(TOKENS, app)
    assert "Language of the summary forces one of de" in said(app) and "It reads bytes" in said(app)
    assert "old note" not in said(app) and "letters here" not in said(app)
    enter(choose(app, "tokens_of", "own"), "tokens_box", "Ann: a </s> b " + "word " * 600)
    assert "holds letters here; transformers makes one special token of each" in said(app)
    assert "truncation=True" in said(app)
