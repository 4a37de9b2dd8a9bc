"""The custom components: a conversation, a strip of shaded tokens, a word diff.

Each is a folder with a style sheet and a script. Texts reach the page through textContent alone.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.config import END
from core.text.dialogue import Dialogue
from core.text.diff import word_diff
from core.trace import DecodingStep, Summary

HERE = Path(__file__).parent


def _component(name: str) -> Callable[..., Any]:
    folder = HERE / name
    return st.components.v2.component(
        f"dialoscope_{name}",
        html="<div class='root'></div>",
        css=(folder / "style.css").read_text(encoding="utf-8"),
        js=(folder / "script.js").read_text(encoding="utf-8"),
    )


_CONVERSATION = _component("conversation")
_TOKEN_STRIP = _component("token_strip")
_WORD_DIFF = _component("word_diff")


def conversation(
    dialogue: Dialogue,
    original: Dialogue,
    omitted: Sequence[int],
    shortened: Sequence[int],
    *,
    key: str,
    on_edit: Callable[[], None],
) -> None:
    """Draw a dialogue as a conversation whose turns can be edited.

    Args:
        dialogue: what to draw.
        original: the same before the edits.
        omitted: turns that the model did not read.
        shortened: turns that it read in part.
        key: of the component; `st.session_state[key].edited` is {index, text} inside `on_edit`.
        on_edit: called when a turn was saved.
    """
    data = conversation_data(dialogue, original, omitted, shortened)
    _CONVERSATION(key=key, data=data, on_edited_change=on_edit)


def conversation_data(
    dialogue: Dialogue, original: Dialogue, omitted: Sequence[int], shortened: Sequence[int]
) -> dict[str, Any]:
    """What the conversation's script draws."""
    speakers = {name: number for number, name in enumerate(dialogue.speakers)}
    before = [(turn.speaker, turn.text) for turn in original.turns]
    states = dict.fromkeys(shortened, "shortened") | dict.fromkeys(omitted, "omitted")
    turns = [
        {
            "index": turn.index,
            "name": turn.speaker or "",
            "speaker": -1 if turn.speaker is None else speakers[turn.speaker],
            "text": turn.text,
            "state": states.get(turn.index, ""),
            "edited": len(before) == len(dialogue.turns) and (turn.speaker, turn.text) != before[turn.index],
        }
        for turn in dialogue.turns
    ]
    return {"turns": turns, "speakers": len(speakers)}


def token_strip(summary: Summary, *, key: str) -> None:
    """Draw a summary with every token shaded, and the numbers of the token under the pointer."""
    _TOKEN_STRIP(key=key, data=strip_data(summary))


def strip_data(summary: Summary) -> dict[str, Any]:
    """What the strip's script draws; `gap` is the text between a token and the one before."""
    tokens, position = [], 0
    for step in summary.steps:
        start, end = max(step.token.start, position), max(step.token.end, position)
        shown = summary.text[start:end]
        token = {"gap": summary.text[position:start], "text": shown, "special": ""}
        if not shown.strip():
            token["special"] = "end" if step.token.id == END else "␣" if shown else "·"
        tokens.append(token | _numbers(step))
        position = end
    return {
        "tokens": tokens,
        "tail": summary.text[position:],
        "caption": caption(summary),
        "copies": any(step.copied is not None for step in summary.steps),
        "weakest": summary.steps.index(weakest(summary)) if summary.steps else -1,
    }


def _numbers(step: DecodingStep) -> dict[str, Any]:
    best = [[each.text, round(each.probability, 6), each.id == step.token.id] for each in step.alternatives]
    return {
        "label": step.token.text,
        "probability": round(step.probability, 6),
        "logProbability": round(step.log_probability, 4),
        "entropy": round(step.entropy, 4),
        "rank": step.rank,
        "copied": None if step.copied is None else round(step.copied, 4),
        "alternatives": best,
        "rest": round(max(0.0, 1.0 - sum(each.probability for each in step.alternatives)), 6),
    }


def weakest(summary: Summary) -> DecodingStep:
    """The token that the model was least sure of."""
    return min(summary.steps, key=lambda step: step.log_probability)


def caption(summary: Summary) -> str:
    """One sentence that says how sure the model was."""
    if not summary.steps:
        return "The model wrote nothing."
    step = weakest(summary)
    mean = sum(each.probability for each in summary.steps) / len(summary.steps)
    name = "the end" if step.token.id == END else f"“{step.token.text}”"
    return f"The model was least sure of {name} ({percent(step.probability)}); on average a token got {percent(mean)}."


def percent(value: float) -> str:
    """A share as people read it: 0.3 %, 42 %."""
    if 0 < value < 0.001:
        return "under 0.1\u00a0%"
    if 0.999 < value < 1:
        return "over 99.9\u00a0%"
    return f"{100 * value:.1f}\u00a0%" if value < 0.1 or 0.99 < value < 1 else f"{100 * value:.0f}\u00a0%"


def spans(indices: Sequence[int]) -> str:
    """Turn numbers from 1, runs joined: 3–5, 9."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(f"{run[0] + 1}–{run[-1] + 1}" if len(run) > 1 else str(run[0] + 1) for run in runs)


def diff(before: str, after: str, *, key: str) -> None:
    """Draw what changed from one summary to another."""
    changes = [[change.kind, change.text] for change in word_diff(before, after)]
    _WORD_DIFF(key=key, data={"changes": changes})
