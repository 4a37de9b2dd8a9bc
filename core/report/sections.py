"""The further sections of a report: steps, heads, scores, hints, and how it came to be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.explain.attribution.methods import MAPS, METHODS
from core.explain.shared import cross
from core.faults.detectors import DETECTORS
from core.figures.attention.weights import Weights, labels
from core.figures.decoding.steps import surprise
from core.figures.errors import detectors
from core.figures.experiments.attribution import verdict
from core.figures.shared import card_facts, summary_tables
from core.figures.shared.shades import weakest
from core.figures.shared.wording import capital, count, listed, nats, number, percent, token_text
from core.figures.summarize import own_words
from core.limits import limits
from core.report import matrix
from core.report.contents import EXPLAINED, GIVEN, NAME, Report
from core.report.markup import Child, Html, h, join, titled
from core.trace import DecodingStep, Summary
from core.words import later, say

LEAST = 0.001
"""Probability of an alternative that is listed."""
NOT_VERDICT = later(
    "A hint says where to look, not that something is wrong. Hints that ask the model again with a name or a number "
    "exchanged are not part of a report; the Errors page of the app has them."
)
NOT_SHOWN = later(
    "An attention weight says how much of a token a head takes in, not why the model wrote a word. Read it as “looks "
    "at”, never as “because of”; the vector of a token holds what other turns say, too. Where a head copies, its "
    "weight is part of the word's probability. The report shows cross-attention only; the app shows self-attention, "
    "too."
)
"""In English, and translated when shown."""


def steps(report: Report) -> Html:
    """Return the steps of the decoding with their alternatives, and the other hypotheses of the beam."""
    summary = report.summary
    parts: list[Child] = []
    if summary.steps:
        current = summary.steps.index(weakest(summary))
        parts.append(h("p", surprise(summary, current).caption))
    head = (
        later("Step"),
        later("Token"),
        later("Probability"),
        later("Rank"),
        later("Surprise, entropy"),
        later("What could have stood here"),
    )
    rows = [_step(number, step) for number, step in enumerate(summary.steps, 1)]
    parts.append(_scroll(say("Decoding steps"), h("table.steps", _head(head), h("tbody", *rows))))
    least = say("Alternatives under {share} are not listed.", share=percent(LEAST))
    parts.append(h("p.legend", f"{_ending(summary)} {least}"))
    if len(summary.hypotheses) > 1:
        table = summary_tables.hypotheses(summary)
        parts += [
            h("h3", say("The {number} best summaries of the beam", number=len(summary.hypotheses))),
            _scroll(say("Hypotheses of the beam"), _table(table, "table.long")),
        ]
    for owed in report.owed:
        about = say(own_words.SHARES if owed.prefix is not None else own_words.RELIANCE).replace("**", "")
        table = {
            name: [cell if isinstance(cell, str) else number(cell) for cell in column]
            for name, column in own_words.table(owed).items()
        }
        title = say(METHODS[owed.method].title)
        parts += [h("h3", title), h("p", f"{about} {own_words.caption(owed)}"), _scroll(title, _table(table))]
    return titled("steps", *parts)


def _step(place: int, step: DecodingStep) -> Html:
    others = [
        h(
            "span.other.chosen" if alternative.id == step.token.id else "span.other",
            h("bdi", alternative.text.strip() or "␣"),
            " ",
            percent(alternative.probability),
        )
        for alternative in step.alternatives
        if alternative.probability >= LEAST
    ]
    copied = None if step.copied is None else h("small", " ", say("{share} copied", share=percent(step.copied)))
    return h(
        "tr",
        h("td", place),
        h("th", token_text(step.token), scope="row", dir="auto"),
        h("td.bar", percent(step.probability), copied, style=f"--w:{step.probability:.3f}"),
        h("td", f"{step.rank:,}", data_label=say("rank")),
        h("td", f"{number(-step.log_probability)}, {nats(step.entropy)}", data_label=say("surprise, entropy")),
        h("td", *(join(alternative, " ") for alternative in others)),
    )


def _ending(summary: Summary) -> str:
    tokens = count(len(summary.steps), "token")
    if summary.finished:
        end = say("The model ended the summary itself.")
    elif summary.forced_end:
        end = say("The end token was put there at the greatest length, as this model’s settings ask.")
    else:
        end = say("The summary was cut at its greatest length.")
    sentences = [say("{tokens}, log-probability {value}.", tokens=tokens, value=nats(summary.log_probability)), end]
    if summary.forced:
        sentences.append(say("The first {tokens} were given.", tokens=count(summary.forced, "token")))
    return " ".join(sentences)


def heads(report: Report) -> Html:
    """Return the chosen heads as matrices, each with a sentence and, as far as there is room, its numbers by turn."""
    if not report.heads:
        has = bool(cross.choices(report.summary.attention))
        sentence = say("No head was chosen.") if has else say("This model has no attention.")
        return titled("heads", h("p", sentence))
    room, figures = limits().report_cells, []
    for choice in report.heads:
        figure, room = _head_figure(report, choice, room)
        figures.append(figure)
    legends = [h("p.legend", say(legend)) for legend in (NOT_SHOWN, matrix.SCALE)]
    return titled("heads", *legends, *figures)


def _head_figure(report: Report, choice: str, room: int) -> tuple[Html, int]:
    """Return one head, and how many cells of tables there is room for after it."""
    summary = report.summary
    rows, (_, _, shows) = labels(summary.tokens, "token"), cross.parts(choice)
    matrices = [
        Weights("cross", cross.label(choice), report.weights(choice, unit == "turn"), rows, columns, shows=shows)
        for unit in ("token", "turn")
        for columns in [labels(summary.source, unit, summary.dialogue)]
    ]
    tokens, turns = matrices
    caption = tokens.caption(say("cross-attention, {head}", head=cross.label(choice)))
    by_turn = turns.caption(say("by turn"))
    cells = turns.values.size
    if cells <= room:
        room -= cells
        title = h("summary", say("The numbers by turn, as tables"))
        table = h("details", title, *(h("div.scroll", part) for part in matrix.tables(turns)))
    else:
        table = h("p.legend", say("Its table by turn is left out for lack of room: {cells:,} cells.", cells=cells))
    drawn = report.maps.get(choice)
    says = drawn and f"{say(MAPS[shows].about).replace('**', '')} {verdict(drawn.check)}"
    figure = h(
        "figure",
        h("h3", capital(cross.label(choice))),
        h("p", says) if says else None,
        h("p", report.about[choice]) if choice in report.about else None,
        _scroll(say("Matrix, {head}", head=cross.label(choice)), matrix.drawing(tokens, summary.source, caption)),
        h("figcaption", caption, " ", by_turn),
        table,
    )
    return figure, room


def explained(report: Report) -> Html:
    """Return votes, patching and curves as sentences, each with its numbers as a table."""
    figures = [
        h(
            "figure",
            h("h3", say(EXPLAINED[picture.name.partition("-")[0]])),
            h("figcaption", picture.caption),
            h("details", h("summary", say("Table")), h("div.scroll", _table(picture.table))) if picture.table else None,
        )
        for picture in report.explained
    ]
    return titled("explained", *figures)


def scores(report: Report) -> Html:
    """Return the references and what the summary scores against them."""
    if not report.references:
        return titled("scores", h("p", say("There is no reference summary, so there is no score.")))
    table: dict[str, list[Any]] = summary_tables.references(report.summary.text, report.references)
    table = {name: [_decimal(cell, 1) for cell in column] for name, column in table.items()}
    parts: list[Child] = [h("p.legend", say(summary_tables.ROUGE))]
    if report.bertscore:
        bertscore = report.bertscore
        names = {"precision": say("BERTScore precision"), "recall": say("BERTScore recall"), "f1": "BERTScore F1"}
        for name, label in names.items():
            values = [getattr(cell, name) for cell in bertscore.scores]
            table[label] = [_decimal(value, 4) for value in (*values, max(values))]
        fingerprint = h("dl", *_pairs(_flat(bertscore.fingerprint)))
        parts += [
            h(
                "p.legend", say(
                    "BERTScore with {encoder}, raw. Scores of different encoders cannot be compared; this is what "
                    "shaped these:",
                    encoder=bertscore.encoder,
                ),
            ),
            fingerprint,
        ]  # fmt: skip
    references = h("ol", *(h("li", h("p.said", cell, dir="auto")) for cell in report.references))
    scored = _scroll(say("Scores"), _table(table))
    return titled("scores", h("h3", say("Reference summaries")), references, scored, *parts)


def hints(report: Report) -> Html:
    """Return the hints with their evidence."""
    known = detectors.names(report.measured)
    items = [
        h(
            "li",
            h("b", known[hint.kind][0]),
            join(": “", h("bdi", report.summary.text[hint.start : hint.end]), "”") if hint.end > hint.start else None,
            ". ",
            hint.evidence.said(),
            " ",
            *(join(h("a", say("turn {turn}", turn=turn + 1), href=f"#turn-{turn + 1}"), " ") for turn in hint.turns),
            h("small", known[hint.kind][1]),
        )
        for hint in report.hints
    ]
    off = [say(each.label) for kind, each in DETECTORS.items() if report.measured and kind in report.measured.off]
    body = h("ul.hints", *items) if items else h("p", say("No detector that is on hinted at anything."))
    measured = report.measured
    notes = [say(NOT_VERDICT)]
    if measured:
        notes.append(
            say(
                "How often a detector was right was measured on {number} summaries of the weights {weights}, which "
                "were read and labelled by a language model; another model makes other errors.",
                number=measured.count,
                weights=measured.checkpoint[:12],
            )
        )
    if off:
        notes.append(say("Off, because they were not above their base rate: {detectors}.", detectors=listed(off)))
    return titled("hints", body, *(h("p.legend", note) for note in notes))


def settings(report: Report) -> Html:
    """Return the settings of the decoding."""
    chosen = report.summary.settings
    shown = {
        name: say("{value} (without effect here)", value=value) if name in chosen.idle else value
        for name, value in chosen.to_dict().items()
    }
    return titled("settings", h("dl", *_pairs(shown)))


def checkpoint(report: Report) -> Html:
    """Return the checkpoint's fingerprint and licence."""
    card = report.card
    hashes = card.get("sha256") or {}
    facts: dict[str, Any] = {
        say("Name"): report.name,
        say("SHA-256 of the weights"): hashes.get("weights.safetensors"),
        say("Licence of the weights"): card_facts.licence_name(card),
        say("About"): card.get("about"),
        say("Trained on"): (card.get("data") or {}).get("name"),
    }
    if card_facts.is_imported(card):
        origin, files = card_facts.origin(card)
        facts |= origin | {say("SHA-256 of {file}", file=name): value for name, value in files.items()}
    known = {name: value for name, value in facts.items() if value}
    return titled("checkpoint", h("p", say(card_facts.OFTEN_WRONG)), h("dl", *_pairs(known)))


def making(report: Report) -> Html:
    """Return how the report came to be, and how it is made again."""
    when = report.made.strftime("%Y-%m-%d %H:%M UTC")
    how = say("With the dialogue in a file {file}, this makes the report again:", file=NAME)
    if report.summary.given:
        how = say(
            "With the dialogue in a file {file} and the summary in {given}, this makes the report again:",
            file=NAME,
            given=GIVEN,
        )
    facts = {say("Made"): when, say("Time to read and write"): f"{report.summary.seconds:.2f} s", **report.versions}
    return titled(
        "making",
        h("dl", *_pairs(facts)),
        h("p", how),
        _scroll(say("Command"), h("pre", h("code", report.command))),
        h("p.script", h("button", say("Save the dialogue as a file"), type="button", id="save"), hidden=True),
    )


def _table(columns: Mapping[str, Sequence[Any]], kind: str = "table") -> Html:
    """Return a table; texts run in their own direction."""
    rows = [
        h("tr", *(h("td", _decimal(value, 2), dir="auto") for value in row))
        for row in zip(*columns.values(), strict=True)
    ]
    return h(kind, _head(columns), h("tbody", *rows))


def _head(names: Iterable[str]) -> Html:
    """Return the headings of columns, marked with `later`."""
    return h("thead", h("tr", *(h("th", say(name), scope="col") for name in names)))


def _pairs(facts: Mapping[str, Any]) -> list[Html]:
    return [h("div", h("dt", name), h("dd", str(value))) for name, value in facts.items()]


def _scroll(label: str, content: Html) -> Html:
    """Return content that may be wider than a phone, in a box that the keyboard can scroll."""
    return h("div.scroll", content, tabindex=0, role="group", aria_label=label)


def _decimal(value: Any, digits: int) -> str:
    return number(value, digits) if isinstance(value, float) else "" if value is None else str(value)


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested values in one line each; what is None is left out."""
    return {
        name.replace("_", " "): ", ".join(f"{key} {each}" for key, each in value.items())
        if isinstance(value, Mapping)
        else value
        for name, value in values.items()
        if value is not None
    }
