"""The custom components: a conversation, a strip of shaded tokens, a word diff, a stepper, a probability table.

Each is a folder with a style sheet and a script. Texts reach the page through textContent alone.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.config import END
from core.explain.distribution import Candidate, NextToken
from core.figures.wording import percent
from core.text.dialogue import Dialogue
from core.text.diff import word_diff
from core.trace import DecodingStep, Summary

HERE = Path(__file__).parent


def component(name: str, *, shared: Path | None = None, style: str | None = None) -> Callable[..., Any]:
    """Register the component of a folder: its style sheet and all its scripts, in alphabetical order.

    Args:
        name: of the folder.
        shared: a script that goes before its own.
        style: a folder whose style sheet it takes; None: its own.
    """
    scripts = [*([shared] if shared else []), *sorted((HERE / name).glob("*.js"))]
    return st.components.v2.component(
        f"dialoscope_{name}",
        html="<div class='root'></div>",
        css=(HERE / (style or name) / "style.css").read_text(encoding="utf-8"),
        js="\n".join(script.read_text(encoding="utf-8") for script in scripts),
    )


_CONVERSATION = component("conversation")
_TOKEN_STRIP = component("token_strip")
_WORD_DIFF = component("word_diff")
_STEPPER = component("stepper")
_PROBABILITY_TABLE = component("probability_table")


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


def stepper(summary: Summary, step: int, version: int, *, key: str, on_move: Callable[[], None]) -> None:
    """Draw the control with which one walks through the decoding, a step a token.

    It keeps its own position while people use it, so that a slow rerun does not set it back.

    Args:
        summary: what was written.
        step: the token being decided, from 0; taken over only if `version` is new or the tokens are others.
        version: raise it with every jump that did not come from the stepper. A jump stops Play and sends nothing.
        key: of the component; `st.session_state[key].at` is {step, playing, time} once someone moved; time is in ms.
        on_move: called when someone moved, at most every 80 ms.
    """
    _STEPPER(key=key, data=stepper_data(summary, step, version), on_at_change=on_move)


def stepper_data(summary: Summary, step: int, version: int) -> dict[str, Any]:
    """What the stepper's script draws; a step outside the summary becomes the nearest one inside."""
    drawn = strip_data(summary)
    names = ("gap", "text", "special", "label")
    return {
        "tokens": [{name: token[name] for name in names} for token in drawn["tokens"]],
        "tail": drawn["tail"],
        "forced": summary.forced,
        "step": max(0, min(step, len(summary.steps) - 1)),
        "version": version,
    }


def probability_table(
    next_token: NextToken,
    *,
    chosen: int,
    reference: int | None,
    settings: tuple[float, int, float],
    key: str,
    on_fork: Callable[[], None],
) -> None:
    """Draw what could stand at one place, before and after temperature and cut.

    Args:
        next_token: the distribution.
        chosen: id of the token that was written.
        reference: id of the token that the reference has here, or None.
        settings: temperature, top-k (0: all) and top-p (1: all) that made the distribution.
        key: of the component; `st.session_state[key].fork` is {id} inside `on_fork`.
        on_fork: called when someone wants another token here.
    """
    data = table_data(next_token, chosen, reference, settings)
    _PROBABILITY_TABLE(key=key, data=data, on_fork_change=on_fork)


def table_data(
    next_token: NextToken, chosen: int, reference: int | None, settings: tuple[float, int, float]
) -> dict[str, Any]:
    """What the table's script draws; `cut` is the row above the line of the cut, -1 for no line."""
    rows = [
        _table_row(each) | {"chosen": each.id == chosen, "reference": each.id == reference}
        for each in next_token.candidates
    ]
    others = {
        "text": f"all other tokens ({next_token.others:,})",
        "kept": f"{next_token.others_kept:,} kept",
        "removed": not next_token.others_kept,
        "before": _share(next_token.others_probability),
        "after": _share(next_token.others_after),
    }
    return {
        "temperature": f"{settings[0]:g}",
        "meaning": _cut_meaning(*settings[1:]),
        "rows": rows,
        "others": others if next_token.others else None,
        "cut": _cut_row(next_token),
        "sum": _sum_line(next_token),
    }


def _table_row(candidate: Candidate) -> dict[str, Any]:
    end = candidate.id == END
    return {
        "id": candidate.id,
        "text": candidate.text,
        "end": end,
        "action": "End the summary here instead" if end else f"Write “{candidate.text.strip()}” here instead",
        "rank": f"{candidate.rank:,}",
        "logit": f"{candidate.logit:.2f}".replace("-", "−"),
        "scaled": f"{candidate.scaled:.2f}".replace("-", "−"),
        "kept": candidate.cut or "✓",
        "before": _share(candidate.probability),
        "after": _share(candidate.after),
    }


def _share(value: float) -> list[Any]:
    """The length of a bar, 0 to 1, and the number on it."""
    text = "0\u00a0%" if value == 0 else percent(value).replace("under", "<").replace("over", ">")
    return [round(value, 6), text]


def _cut_row(next_token: NextToken) -> int:
    """The last kept row, if the kept ones are the most probable of those that the rules allow; otherwise -1."""
    allowed = [(index, each.cut) for index, each in enumerate(next_token.candidates) if each.cut != "rule"]
    kept = [index for index, cut in allowed if not cut]
    below = len(allowed) > len(kept) or next_token.others > next_token.others_kept == 0
    in_order = kept == [index for index, _ in allowed[: len(kept)]]
    return kept[-1] if kept and below and in_order else -1


def _cut_meaning(top_k: int, top_p: float) -> str:
    """One sentence a sign of the column that says what was kept."""
    parts = ["✓: it can be drawn."]
    if top_k:
        parts.append(f"top-k: not among the {top_k:,} most probable tokens.")
    if top_p < 1:
        parts.append(f"top-p: not needed to reach {100 * top_p:g}\u00a0% with the most probable tokens.")
    return " ".join([*parts, "rule: not allowed at this place."])


def _sum_line(next_token: NextToken) -> str:
    """The check that both columns add up, and what the cut did."""
    before = sum(each.probability for each in next_token.candidates) + next_token.others_probability
    after = sum(each.after for each in next_token.candidates) + next_token.others_after
    totals = dict.fromkeys(percent(round(total, 4)) for total in (before, after))
    hold = "holds" if next_token.kept == 1 else "hold"
    return (
        f"Together {' and '.join(totals)} · entropy {next_token.entropy:.2f} nats over the whole vocabulary, "
        f"{next_token.entropy_after:.2f} after the cut · "
        f"{next_token.kept:,} of {len(next_token.candidates) + next_token.others:,} tokens kept, which {hold} "
        f"{percent(next_token.kept_probability)} of the whole vocabulary's probability"
    )
