"""A text and the tokens that tokenizers make of it, turn by turn: a token on one side marks its place on all others."""

from collections.abc import Callable, Sequence

from core.figures.tokens.tokenized import Tokenized, turns
from core.text.dialogue import Dialogue
from pages.shared.components import component

_TOKEN_CHIPS = component(__file__, pick={"line": int, "index": int})

Place = tuple[int, int]
"""A chip: its line, and its place there."""


def token_chips(
    dialogue: Dialogue,
    lines: Sequence[Tokenized],
    end: int,
    chosen: Place | None,
    *,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw the turns of a text with the tokens of each tokenizer below.

    Args:
        dialogue: the text.
        lines: what each tokenizer makes of the text.
        end: character at which the picture ends.
        chosen: the locked chip, or None.
        key: of the component; `st.session_state[key].pick` is {line, index} inside `on_pick`, -1 twice for none.
        on_pick: called when a chip was locked or released.
    """
    data = {"lines": [line.name for line in lines], "turns": turns(dialogue, lines, end), "chosen": chosen}
    _TOKEN_CHIPS(key=key, data=data, on_pick_change=on_pick)
