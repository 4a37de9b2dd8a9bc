"""Pages over a model with an imported tokenizer, whose first token belongs to no turn."""

from importlib import import_module

import pytest

from core.text.dialogue import parse_dialogue
from tests.pages.driver import FIRST, data, open_link

PAGES = ("architecture", "attention", "decoding", "errors", "experiments", "masks", "positions", "summarize", "tokens")
VIEWS = [
    (name, page.view.name, view)
    for name in PAGES
    for page in [import_module(f"pages.{name}").PAGE]
    for view in page.views
]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "choice", "view"), VIEWS)
def test_every_view_is_drawn(page: str, choice: str, view: str, app, imported) -> None:
    open_link(f"pages/{page}.py", app, **{choice: view})


def test_its_own_tokens_stand_beside_those_of_the_other_tokenizers(app, imported) -> None:
    open_link("pages/tokens.py", app)
    found = [
        [(text, id, kind) for turn in data(app, "token_chips")["turns"] for _, text, id, kind, _ in turn["chips"][line]]
        for line in range(3)
    ]
    encoded = imported.tokenizer.encode_dialogue(parse_dialogue(FIRST), 10**9)
    spoken = [token for token in encoded.tokens if token.turn is not None]
    assert [id for _, id, _ in found[2]] == [token.id for token in spoken]
    tips = [chip[4] for chip in data(app, "token_chips")["turns"][0]["chips"][2]]
    first = spoken[0].id
    own = f"its own id {imported.tokenizer.peer_id(first)}, its own name {imported.tokenizer.peer_piece(first)}"
    assert own in tips[0]
