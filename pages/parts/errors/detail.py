"""One summary beside its dialogue: where its words come from, its hints, and the way to the pages that explain it."""

from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st

from core.evaluation.rows import ScoredSummary
from core.evaluation.verdicts import LONGEST_NAME, LONGEST_NOTE, MOST_TAGS, Verdict, subject, tag_name
from core.explain.shared.repetition import repeated_at
from core.faults.alignment import align
from core.faults.fault import Fault
from core.faults.source import Source, written_tags
from core.figures.decoding.steps import gave_way
from core.figures.shared.wording import count, nats
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id
from core.words import later, say
from pages.parts.errors import asking, columns, hints, label_keys, labels, summaries
from pages.parts.errors.data import ROW
from pages.parts.errors.summaries import Run
from pages.parts.errors.summary_check import check_data, label_data, summary_check
from pages.shared.figures import pictures
from pages.shared.model import checkpoint_change, models
from pages.shared.place import places
from pages.shared.session import decoding, notices, option_labels, selection

CHECK, BOXES = "summary_check", "err_boxes"
"""Session keys: the component; how often keys or Undo changed labels that stood in boxes."""
PAGES = {
    "summarize": (later("Summarize"), ":material/summarize:"),
    "decoding": (later("Decoding"), ":material/alt_route:"),
    "attention": (later("Attention"), ":material/visibility:"),
    "experiments": (later("Experiments"), ":material/science:"),
    "bertscore": ("BERTScore", ":material/join_inner:"),
}


def draw(run: Run) -> None:
    """Draw the keys and the opened row."""
    label_keys.draw(run)
    place = run.place(ROW.value)
    if place is not None:
        with notices.boundary("detail"):
            _row(run, place)
    elif ROW.value and run.complete:
        row = ROW.value[:40]
        ROW.refuse(say("The link asks for the row {row}, which these examples do not have.", row=row))


def _row(run: Run, place: int) -> None:
    row = run.rows[place]
    st.header(notices.literal(row.id) + (f" · {notices.literal(row.topic)}" if row.topic else ""), anchor=False)
    st.caption(" · ".join([_scores(row), *_overruled(run, row)]))
    _write(run, row)
    faults = hints.of_row(run, place)
    entry = labels.entry(row)
    dialogue = parse_dialogue(row.dialogue)
    tags = written_tags(models.tokenizer(run.checkpoint), dialogue) if run.checkpoint else {}
    alignment = align(Source(dialogue, tags), row.summary)
    verdicts = {index: entry.verdict(fault) for index, fault in enumerate(faults)}
    data = check_data(
        alignment, faults, hints.names(), verdicts, row.references, row.attention, columns.second(run, row)
    )
    data |= label_data(row, labels.books(), labels.me())
    summary_check(data, CHECK, lambda: _judge(row, faults, run.writer), lambda: _unmark(row, run.writer))
    pictures.save_view(CHECK, "summary-check", _caption(row, faults), lambda: _table(row, faults))
    asking.draw_one(run, place)
    _open(run, row)


def _scores(row: ScoredSummary) -> str:
    parts = []
    if row.rouge:
        parts.append(f"ROUGE-1/2/L {row.rouge.rouge1:.1f} / {row.rouge.rouge2:.1f} / {row.rouge.rougeL:.1f}")
    if row.bertscore:
        parts.append(f"BERTScore F1 {row.bertscore.f1:.3f}")
    if row.log_probability is not None:
        parts.append(say("log-probability {value}", value=nats(row.log_probability)))
    if row.entropy is not None:
        parts.append(say("mean entropy {value}", value=nats(row.entropy)))
    if row.truncated:
        parts.append(say("the model did not read the whole dialogue"))
    return " · ".join(parts) or say("No reference, so no score.")


def _overruled(run: Run, row: ScoredSummary) -> list[str]:
    """Say where the rule against repeated n-grams gave way, of a summary whose tokens and settings are known."""
    known = run.settings.to_dict() if run.settings else dict(row.origin.settings) if row.origin else {}
    size = int(known.get("no_repeat_ngram", 0))
    again = repeated_at([token.text for token in row.tokens], size)
    return [gave_way(size, [step + 1 for step in again])] if again else []


def _caption(row: ScoredSummary, faults: Sequence[Fault]) -> str:
    return say("Summary of {id} beside its dialogue: {hints}.", id=row.id, hints=count(len(faults), "hint"))


def _table(row: ScoredSummary, faults: Sequence[Fault]) -> dict[str, list[object]]:
    names = hints.names()
    return {
        later("Hint"): [names[fault.kind][0] for fault in faults],
        later("Words"): [row.summary[fault.start : fault.end] for fault in faults],
        later("Turns"): [", ".join(str(turn + 1) for turn in fault.turns) for fault in faults],
        later("Evidence"): [fault.evidence.said() for fault in faults],
        later("Value"): [fault.value for fault in faults],
    }


def _judge(row: ScoredSummary, faults: Sequence[Fault], writer: str) -> None:
    judged = st.session_state[CHECK].judged
    if judged and 0 <= int(judged["fault"]) < len(faults) and judged["verdict"] in get_args(Verdict):
        hint, verdict = faults[int(judged["fault"])], judged["verdict"]
        notices.attempt(lambda: labels.judge(row, hint, verdict, writer))


def _unmark(row: ScoredSummary, writer: str) -> None:
    number, marks = st.session_state[CHECK].unmarked, labels.entry(row).marks
    if number is not None and 0 <= number < len(marks):
        notices.attempt(lambda: labels.mark(row, marks[number], writer))


def _write(run: Run, row: ScoredSummary) -> None:
    """Draw the boxes for tags and a note; both are kept as soon as one is left, and follow what keys and Undo do.

    What keys change comes into new boxes. The browser may still send what stood in the old ones: that is no change.
    """
    state, entry, about = st.session_state, labels.entry(row), hash((labels.me(), *subject(row)))
    drawn = {"tags": list(entry.tags), "note": entry.note}
    if any(_entered(key, drawn[name]) != drawn[name] for name, key in _boxes(about).items()):
        state[BOXES] = state.get(BOXES, 0) + 1
    keys = _boxes(about)
    for name, key in keys.items():
        state.setdefault(key, drawn[name])

    def keep() -> None:
        new = {name: _entered(key, drawn[name]) for name, key in keys.items()}
        if new != drawn:
            notices.attempt(lambda: labels.write(row, new["tags"], new["note"], run.writer))

    left, right, last = st.columns((2, 2, 1))
    names = {tag: tag_name(tag) for tag in labels.all_tags()}
    option_labels.follow(keys["tags"], names)
    left.multiselect(
        say("Tags"), list(names), format_func=tag_name, accept_new_options=True, key=keys["tags"],
        on_change=keep, max_selections=MOST_TAGS,
    )  # fmt: skip
    right.text_input(say("Note"), max_chars=LONGEST_NOTE, key=keys["note"], on_change=keep)
    last.text_input(
        say("Your name"), max_chars=LONGEST_NAME, key=labels.NAME.name, persist_state="session",
        on_change=labels.choose_name, placeholder=say("of your choice"),
        help=say("Several readers can label the same summaries: each has labels of their own under a name."),
    )  # fmt: skip


def _entered(key: str, drawn: Any) -> Any:
    """Return what stands in a box: tags by themselves, also where the browser sent a label of another language."""
    return option_labels.meant(key, st.session_state.get(key, drawn))


def _boxes(about: int) -> dict[str, str]:
    """Return the session keys of the boxes for tags and a note."""
    count = st.session_state.get(BOXES, 0)
    return {name: f"{name}_{about}_{count}" for name in ("tags", "note")}


def _open(run: Run, row: ScoredSummary) -> None:
    st.markdown(say("**Open this dialogue on**"))
    with st.container(horizontal=True, key="open_on"):
        for page, (name, icon) in PAGES.items():
            if st.button(say(name), icon=icon, key=f"open_{page}", on_click=_read_by_its_writer, args=(run, row)):
                _visit(run, row, page)
    if run.checkpoint is None:
        st.caption(_whose(row))


def _whose(row: ScoredSummary) -> str:
    """Say whose summary stands above, and what the other pages show of it."""
    return f"{_writer(row)} {_explained(row)}"


def _writer(row: ScoredSummary) -> str:
    origin = row.origin
    writer = notices.literal(summaries.writer(origin)) if origin else ""
    if origin and origin.checkpoint:
        return say(
            "The summary above was written by {writer} (weights {weights}), row {row} of {source}, on {date}.",
            writer=writer, weights=origin.weights[:12], row=origin.row, source=notices.literal(origin.source),
            date=origin.date,
        )  # fmt: skip
    if writer:
        return say("The summary above comes from {writer}.", writer=writer)
    if row.tokens:
        return say("A model wrote the summary above token by token; the file does not say which.")
    return say("The file does not say who wrote the summary above.")


def _explained(row: ScoredSummary) -> str:
    reader = _reader(row)
    name = notices.literal(reader or decoding.CHECKPOINT.value)
    if not selection.GIVEN.holds(row.summary):
        return say(
            "It has more than {most:,} characters: those pages show what {name} writes instead.",
            most=selection.GIVEN.longest, name=name,
        )  # fmt: skip
    if reader:
        return say("Those pages explain it with {name}, the model that wrote it, token by token.", name=name)
    return say("Those pages explain it as {name} reads it, the model of the sidebar, token by token.", name=name)


def _reader(row: ScoredSummary) -> str:
    """Return the checkpoint that wrote a row's summary, if this session has it with the same weights; else ""."""
    if (origin := row.origin) is None or origin.checkpoint not in decoding.available():
        return ""
    return origin.checkpoint if models.file_hash(origin.checkpoint) == origin.weights else ""


def _read_by_its_writer(run: Run, row: ScoredSummary) -> None:
    if run.checkpoint is None and (name := _reader(row)):
        checkpoint_change.to(name)


def _visit(run: Run, row: ScoredSummary, page: str) -> None:
    """Go to a page about the row's dialogue; another system's summary goes along, and is explained there."""
    values: dict[str, object] = {selection.GIVEN.name: ""}
    if page == "bertscore" and run.checkpoint is None:
        values |= {"bert_text": row.summary, "bert_candidate": "own"}
    elif run.checkpoint is None and selection.GIVEN.holds(row.summary):
        values |= {selection.GIVEN.name: row.summary}
    example = example_by_id(row.id)
    if example and example.dialogue == row.dialogue:
        places.visit(page, **values, input="example", example=example.id, edits=None)
    selection.use_own(row.dialogue, row.references)
    places.visit(page, **values, input="paste", paste_box=row.dialogue)
