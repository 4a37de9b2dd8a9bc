"""Values that no widget sends, over the protocol: the page says what is wrong, and the app goes on."""

import math
from collections.abc import Awaitable, Callable

import pytest
from websockets.exceptions import ConnectionClosed

from tests.loops import run
from tests.protocol import Visitor

# link, key of a widget, forged values, field of the state
FORGED = [
    ("summarize", "beam", [[1e6], [-5.0], [math.nan], [math.inf], [], [2.0, 3.0]], "double_array_value"),
    ("summarize", "max_tokens", [[10.0**9]], "double_array_value"),
    ("summarize", "strategy", [["magic"], [], ["greedy", "beam"]], "string_array_value"),
    ("summarize", "checkpoint", ["../../etc/passwd", "<b>none</b>"], "string_value"),
    ("summarize", "example", ["nothing", "x" * 100_000], "string_value"),
    (
        "summarize",
        "conversation",
        ['{"edit": {"turn": 1000000, "text": 7}}', "null", '{"edit": [1]}', "[]", "7"],
        "json_value",
    ),
    ("positions?pos_table=sinusoids", "pos_length", [1e9, -1.0, 0.5, 1e15], "double_value"),
    ("positions?pos_table=sinusoids", "pos_base_box", [0.0, math.inf, -(10.0**300)], "double_value"),
    ("errors", "err_data", ["x" * 1_000_000, "(" * 1000], "string_value"),
    ("masks?mask_of=ids", "mask_ids", ["9" * 1_000_000, "1\n" * 100_000, "-1"], "string_value"),
]


def visit(url: str, act: Callable[[Visitor], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with Visitor(url) as visitor:
            await act(visitor)

    run(whole())


@pytest.mark.parametrize(("link", "key", "values", "field"), FORGED, ids=[f"{row[1]}-{row[3]}" for row in FORGED])
def test_a_forged_value_ends_in_words_or_in_nothing(app_url, link, key, values, field):
    page, _, query = link.partition("?")

    async def forge(visitor: Visitor) -> None:
        for value in values:
            await visitor.open(page, query)
            await visitor.until(key)
            await visitor.set(key, value, field)
            assert not visitor.error and "Something went wrong" not in visitor.said, value

    visit(app_url, forge)
    visit(app_url, lambda visitor: visitor.open(page))


def test_a_state_of_another_kind_counts_as_not_sent_and_a_novel_is_refused(app_url):
    async def forge(visitor: Visitor) -> None:
        await visitor.open("summarize", "input=paste")
        await visitor.set("beam", "x", "string_value")
        assert not visitor.error and "Something went wrong" not in visitor.said
        assert "The browser sent a value for beam that was left out" in visitor.said.replace("\\", "")
        await visitor.set("paste_box", "Ann: Once upon a time.\n" * 10_000)
        await visitor.set("FormSubmitter:paste-Summarize", True)
        assert "too long. Received: 230,000 characters; allowed: 200,000" in visitor.said.replace("\\", "")
        await visitor.run()  # the page with its sidebar, and no exception
        assert not visitor.error and "Something went wrong" not in visitor.said and "checkpoint" in visitor.widgets

    visit(app_url, forge)


def test_a_message_larger_than_the_server_takes_ends_that_connection_alone(app_url):
    async def shout(visitor: Visitor) -> None:
        await visitor.open("summarize", "input=paste")
        with pytest.raises(ConnectionClosed):
            await visitor.set("paste_box", "x" * 60_000_000)

    visit(app_url, shout)
    visit(app_url, lambda visitor: visitor.open("summarize"))
