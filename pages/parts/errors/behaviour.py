"""Behaviour: change every dialogue, let the model write again, and see how often its summaries follow or stay."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from core.behaviour.changes import KINDS, Test
from core.behaviour.run import Share, Trial, shares
from core.config import DecodeSettings
from core.errors import DialogueError
from core.figures.errors import corpus
from core.figures.errors.corpus import Axis, SliceBar
from core.text.dialogue import parse_dialogue
from core.words import later, say
from pages.parts.errors.summaries import Run, described
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import number, row
from pages.shared.figures import pictures
from pages.shared.guard import demo
from pages.shared.model import loading, models, sweep
from pages.shared.place import places
from pages.shared.session import decoding
from pages.shared.session.fields import Number, Text
from pages.shared.session.notices import literal

KIND = Text("err_change", 20)
PAIR = Text("err_pair", 400)
"""The kind whose failures are listed, and the id of the dialogue whose pair is open."""
SAME = Number("err_same", 0, 100, 100)
FIELDS = (KIND, PAIR, SAME)
BARS, TABLE, BATCH = "errors_behaviour_picture", "errors_failures", 1
TESTS: dict[Test, str] = {"directional": later("must follow"), "invariance": later("must stay")}
TIP = later(
    "A summary counts as the same if its ROUGE-1 with the summary before is at least this; 100: the same words in the "
    "same order. It matters for changes that the summary should not show."
)


def draw(run: Run) -> None:
    """Draw the share of each kind, the failures of one, and one of them side by side."""
    if demo.on():
        st.info(say("A demonstration does not write every dialogue again. Your own copy does."), icon=":material/info:")
        return
    KIND.fit(("", *KINDS), say("the change"))
    name, settings, key = _asked(run.data.key)
    items = range(len(run.data.rows))
    with row():
        same = float(number(say("The same from a ROUGE-1 of"), SAME, say(TIP)))
    sweep.recall(key, items)
    sweep.controls("behaviour", key, items, say("Change and summarize again"), say("dialogues"))
    trials = [trial for each in tried(run.data.key).values() for trial in each]
    if trials:
        _show(trials, same, described(name, settings))
    else:
        st.info(
            say(
                "Names, numbers and turns of each dialogue are changed, and {writer} summarizes it again: a summary "
                "must follow some changes and stay the same after others. This writes up to eight summaries for each "
                "dialogue; what is done stays when you stop.",
                writer=literal(described(name, settings)),
            ),
            icon=":material/science:",
        )
    with st.expander(say("What is changed, and what the summary must do")):
        st.markdown("\n".join(f"- **{say(each.label)}** ({say(TESTS[each.test])}). {say(each.definition)}"
                              for each in KINDS.values()))  # fmt: skip
    if sweep.running(key):
        loading.ready(models.job(name))


def key_of(data: str) -> Hashable:
    """Return the key of the sweep by the model of the sidebar over a data set, which is named by its key."""
    return _asked(data)[-1]


def tried(data: str) -> dict[int, tuple[Trial, ...]]:
    """Return what the model of the sidebar did with changed dialogues so far, by place."""
    key = key_of(data)
    results = sweep.results(key) if sweep.known(key) else {}
    return {place: trials for place, trials in results.items() if not isinstance(trials, DialogueError)}


def put(data: str, found: Mapping[int, tuple[Trial, ...]]) -> None:
    """Take trials of a saved session."""
    sweep.results(key_of(data)).update(found)


def measured(files: Collection[str]) -> dict[Hashable, int]:
    """Return how many dialogues of some files were changed and summarized again, by sweep."""
    sweeps = st.session_state.get(sweep.SWEEPS, {})
    return {key: len(trials) for key, trials in sweeps.items() if trials and key[0] == "behaviour" and key[1] in files}


def advance(run: Run) -> None:
    """Change and summarize the next dialogues of a sweep that is running; the last call of the page's fragment."""
    name, settings, key = _asked(run.data.key)
    if sweep.running(key) and models.job(name).summarizer:
        sweep.advance(key, range(len(run.data.rows)), BATCH, lambda some: _measure(run, some, name, settings))


def _asked(data: str) -> tuple[str, DecodeSettings, Hashable]:
    """Return the checkpoint that writes, its decoding, and the key of the sweep."""
    name, settings = decoding.CHECKPOINT.value, decoding.settings()
    return name, settings, ("behaviour", data, models.identity(name), tuple(settings.to_dict().items()))


def _measure(
    run: Run, some: Sequence[int], name: str, settings: DecodeSettings
) -> dict[int, tuple[Trial, ...] | DialogueError]:
    from core.behaviour.run import try_changes

    demo.check(say("it does not write every dialogue again"))
    summarizer = models.job(name).summarizer
    rows = [(run.data.rows[place].id, run.data.rows[place].dialogue) for place in some]
    return dict(zip(some, try_changes(summarizer, rows, settings), strict=True)) if summarizer else {}


def _show(trials: Sequence[Trial], same: float, writer: str) -> None:
    """Draw the shares as bars, a click on which lists the failures, and the same as a table."""
    rates = shares(trials, same)
    bars = [
        SliceBar(
            f"{say(KINDS[share.kind].label)} ({say(TESTS[KINDS[share.kind].test])})", share.count,
            100 * share.held / share.count, 100 * share.low, 100 * share.high,
        )
        for share in rates
    ]  # fmt: skip
    kinds = [share.kind for share in rates]
    lowest = min(rates, key=lambda share: share.held / share.count).kind
    kind = KIND.value if KIND.value in kinds else lowest
    overall = 100 * sum(share.held for share in rates) / len(trials)
    axis = Axis(say("Share of summaries that do what they must"), "%")
    pictures.show(
        corpus.slices(bars, axis, overall, kinds.index(kind)), BARS, on_select=lambda: _pick(kinds)
    )  # fmt: skip
    st.caption(
        say("Written by {writer}. The intervals are Wilson's, at 95 %.", writer=literal(writer))
        + f" {say(KINDS[kind].definition)}"
    )
    _failures(next(share for share in rates if share.kind == kind), trials, same)


def _failures(share: Share, trials: Sequence[Trial], same: float) -> None:
    """Draw the failures of a kind, those with the least overlap first, and the one that is open."""
    failed = sorted((e for e in trials if e.kind == share.kind and not e.holds(same)), key=lambda e: e.overlap)
    label = say(KINDS[share.kind].label)
    st.header(say("{change}: {failed} of {all} fail", change=label, failed=len(failed), all=share.count), anchor=False)
    if not failed:
        return
    opened = next((each for each in failed if each.id == PAIR.value), failed[0])
    key = f"{TABLE}_{share.kind}_{len(failed)}"
    one_decimal = st.column_config.NumberColumn(format="%.1f")
    headings = {later("Id"): "id", later("Changed"): "changed", later("ROUGE-1"): "overlap", later("Before"): "before",
                later("After"): "after"}  # fmt: skip
    st.dataframe(
        {heading: [getattr(each, name) for each in failed] for heading, name in headings.items()},
        hide_index=True, key=key, on_select=lambda: _open(failed, key), selection_mode="single-cell",
        height=min(300, 38 + 35 * len(failed)),
        column_config={**{each: say(each) for each in headings}, "ROUGE-1": one_decimal},
        alt=say("The summaries that did not do what they must"),
    )  # fmt: skip
    _pair(opened)


def _pair(trial: Trial) -> None:
    """Draw a dialogue before and after its change, side by side, with both summaries."""
    done = say(KINDS[trial.kind].done, changed=literal(trial.changed))
    st.markdown(f"**{literal(trial.id)}** · {done}")
    texts = (trial.dialogue, trial.text)
    turns = [[(turn.speaker or "", turn.text) for turn in parse_dialogue(text).turns] for text in texts]
    sides = zip(
        st.columns(2), (say("Before"), say("After")), turns, turns[::-1], (trial.before, trial.after), strict=True
    )
    for column, title, own, other, summary in sides:
        with column, st.container(border=True):
            st.markdown(f"**{title}.** {literal(summary)}")
            with st.container(height=260, border=False):
                lines = [f"{literal(speaker)}: {literal(said)}" if speaker else literal(said) for speaker, said in own]
                marks = ["**" if each not in other else "" for each in own]
                st.markdown("  \n".join(f"{mark}{line}{mark}" for mark, line in zip(marks, lines, strict=True)))
    if trial.expected and trial.expected != trial.before:
        st.caption(say("Expected: {summary}", summary=literal(trial.expected)))
    word_diff(trial.expected or trial.before, trial.after, key="errors_behaviour_diff")
    if st.button(say("Open both side by side"), icon=":material/compare:", key="open_pair"):
        asked = {"show": "summarize", "state": ""}
        for side, text in zip(("left", "right"), texts, strict=True):
            asked[f"{side}_model"] = decoding.CHECKPOINT.value
            asked[f"{side}_dialogue"] = urlencode({"input": "paste"} | places.text_in_link(text))
        places.visit("compare", **asked)


def _pick(kinds: Sequence[str]) -> None:
    part = pictures.clicked(BARS)
    if part is not None and part < len(kinds):
        KIND.value, PAIR.value = kinds[part], ""


def _open(failed: Sequence[Trial], key: str) -> None:
    cells = st.session_state[key]["selection"].get("cells")
    row = cells[0][0] if cells and isinstance(cells[0], list | tuple) and cells[0] else None
    if isinstance(row, int) and 0 <= row < len(failed):
        PAIR.value = failed[row].id
