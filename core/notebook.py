r"""A model and its summaries for notebooks: a summary shows itself, and its figures are those of the app.

    from core import load
    result = load("dialoscope").summarize("Ann: I lost my keys.\nBen: They are in your coat.")
    result                     # the summary, each token shaded by its probability
    result.attention.show()    # the cross-attention
    result.decoding.show()     # the surprise and the entropy of each token
    result.attribution("contributions").show()   # what each token is made of, and the check of it
    result.votes().show()      # which layers wrote the least certain token; likewise patching() and curves()

All text is escaped. It takes the ink of the notebook's theme; a figure brings its own white ground.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from core.config import START, DecodeSettings
from core.errors import SettingsError
from core.explain.attribution.methods import MAPS
from core.explain.shared import cross
from core.explain.shared.rollup import Group, Unit, groups, sum_columns
from core.trace import Array, Summary

if TYPE_CHECKING:
    from core.explain.attribution.attribution import Attribution
    from core.figures.decoding.votes import By
    from core.figures.shared.picture import Picture
    from core.model.hooks import Hook
    from core.scoring.bootstrap import Interval
    from core.scoring.rouge import Rouge
    from core.service import Summarizer


@dataclass(frozen=True, repr=False)
class Model:
    """A loaded checkpoint.

    Args:
        summarizer: the service; `core.experiments` and everything else that runs the model take it.
    """

    summarizer: "Summarizer"

    def __repr__(self) -> str:
        return f"Model({self.summarizer.checkpoint.name!r})"

    def explain(self, dialogue: str, summary: str) -> "ShownSummary":
        """Let the model read a summary that it did not write, token by token, to explain that text.

        Args:
            dialogue: its text, one turn a line.
            summary: by a person or another system.

        Raises:
            DialogueError: nothing to summarize, or too long while truncation is "error".
            SettingsError: the summary is longer than the model's positions.
        """
        return self._shown(self.summarizer.force(dialogue, summary))

    def summarize(self, dialogue: str, settings: DecodeSettings | None = None, **changes: Any) -> "ShownSummary":
        """Summarize a pasted dialogue.

        Args:
            dialogue: its text, one turn a line.
            settings: decoding; None means what the checkpoint's card names.
            changes: fields of `DecodeSettings` to change: `strategy="greedy"`.

        Raises:
            DialogueError: nothing to summarize, or too long while truncation is "error".
            SettingsError: a setting that is not allowed.
        """
        return self._shown(self.summarizer.summarize(dialogue, self._chosen(settings, changes)))

    def batch(self, dialogues: Sequence[str], settings: DecodeSettings | None = None, **changes: Any) -> list[str]:
        """Summarize many dialogues, several at once; each text is that of `summarize`.

        Args:
            dialogues: texts, one turn a line.
            settings: decoding; None means what the checkpoint's card names.
            changes: fields of `DecodeSettings` to change.

        Raises:
            DialogueError: one of them has nothing to summarize, or is too long while truncation is "error".
            SettingsError: a setting that is not allowed.
        """
        chosen = self._chosen(settings, changes)
        return self.summarizer.write_rows(
            [self.summarizer.encode(dialogue, chosen.truncation) for dialogue in dialogues], chosen
        )

    def evaluate(
        self,
        dialogues: Sequence[str],
        references: Sequence[str | Sequence[str]],
        settings: DecodeSettings | None = None,
        **changes: Any,
    ) -> "Evaluation":
        """Summarize dialogues and score the summaries with ROUGE; `python -m core evaluate` measures more.

        Args:
            dialogues: texts, one turn a line.
            references: a summary, or several, of each; the first one counts.
            settings: decoding; None means what the checkpoint's card names.
            changes: fields of `DecodeSettings` to change.

        Raises:
            DialogueError: as in `batch`.
            SettingsError: a setting that is not allowed, no dialogues, or not as many references.
        """
        from core.scoring.rouge import rouge

        if not dialogues or len(dialogues) != len(references):
            raise SettingsError(
                "there must be dialogues, and as many references. Received: {dialogues} and {references}",
                dialogues=len(dialogues),
                references=len(references),
            )
        texts = self.batch(dialogues, settings, **changes)
        given = [[reference] if isinstance(reference, str) else reference for reference in references]
        return Evaluation(tuple(texts), tuple(map(rouge, texts, given)))

    @property
    def layers(self) -> list[str]:
        """The paths of the network's layers, for `read`."""
        from core.model.hooks import layers_of

        return [*layers_of(self.summarizer.model)]

    def read(self, dialogue: str, summary: str, hooks: "Mapping[str, Hook] | None" = None) -> dict[str, Array]:
        """Run the network once over a dialogue and a summary, with functions on what its layers return.

        Args:
            dialogue: its text, one turn a line.
            summary: that the decoder reads, token by token (teacher forcing).
            hooks: a function for each path of `layers`: it gets what the layer returned, arrays of the backend, and
                returns what counts instead, or None.

        Returns:
            `logits` [T, V] of each token of the summary and its end, `encoder_hidden`, `decoder_hidden` and more: see
            `Transformer.replay`; float32, without the axis of the batch.

        Raises:
            DialogueError: nothing to read.
            SettingsError: there is no such layer.
        """
        import numpy as np

        from core.model.hooks import hooked
        from core.runtime.queue import CALLS

        encoded = self.summarizer.encode(dialogue)
        target = self.summarizer.tokenizer.encode_summary(summary, encoded.speakers)
        ids = (np.array([each], dtype=np.int32) for each in (encoded.ids, [START, *target[:-1]]))
        with CALLS.turn(), hooked(self.summarizer.model, hooks or {}):
            return {name: np.asarray(each)[0] for name, each in self.summarizer.model.replay(*ids).items()}

    def _chosen(self, settings: DecodeSettings | None, changes: Mapping[str, Any]) -> DecodeSettings:
        try:
            return (settings or self.summarizer.settings).replace(**changes)
        except TypeError as error:
            raise SettingsError(f"no such setting: {error}") from None

    def _shown(self, summary: Summary) -> "ShownSummary":
        licence = str(self.summarizer.checkpoint.card.get("licence") or "not stated")
        return ShownSummary(summary, licence, self.summarizer)


class _Shows:
    """What has a picture shows it."""

    def picture(self) -> "Picture":
        """Return what is shown."""
        raise NotImplementedError

    def show(self) -> Any:
        """Return `picture` as a Plotly figure that shows itself in a notebook."""
        from core.figures.shared.files import captioned

        return captioned(self.picture())


@dataclass(frozen=True)
class Evaluation:
    """Summaries and their scores.

    Args:
        texts: the summaries.
        rouge: F-measures of each, 0 to 100.
    """

    texts: tuple[str, ...]
    rouge: "tuple[Rouge, ...]"

    def mean(self, measure: str = "rougeL") -> "Interval":
        """Return the mean of "rouge1", "rouge2" or "rougeL" with its 95 % interval (bootstrap over the dialogues)."""
        from core.scoring.bootstrap import mean_interval

        return mean_interval([getattr(scores, measure) for scores in self.rouge])


@dataclass(frozen=True, repr=False)
class ShownSummary:
    """A summary that shows itself in a notebook.

    Args:
        summary: the text and the whole trace of the run.
        licence: of the weights.
        summarizer: the model that wrote it; None for a summary from a file, which cannot be explained further.
    """

    summary: Summary
    licence: str
    summarizer: "Summarizer | None" = None

    @property
    def text(self) -> str:
        """The summary's text."""
        return self.summary.text

    @property
    def attention(self) -> "Attention":
        """The cross-attention of the run."""
        return Attention(self.summary, self.summarizer)

    @property
    def decoding(self) -> "Decoding":
        """The steps that wrote the summary."""
        return Decoding(self.summary)

    def attribution(
        self, method: str, target: int | None = None, contrast: str | None = None, by: Unit = "turn"
    ) -> "Attributed":
        """Return which parts of the dialogue count for each token, by a method of `python -m core attribute`.

        Args:
            method: "contributions", "occlusion", …
            target: a written token from 1, or None for all.
            contrast: another summary, or with a target words that could stand there; None contrasts with nothing.
            by: what a column stands for: "token", "word", "turn" or "speaker".

        Raises:
            SettingsError: the method, token or contrast is not possible here.
        """
        from core.experiments.attribution.question import foil_of
        from core.experiments.attribution.registry import attribute

        summarizer = _at_hand(self.summarizer)
        step, foil = None if target is None else target - 1, None
        if contrast is not None:
            step, foil = foil_of(summarizer, self.summary, contrast, step)
        return Attributed(attribute(method, summarizer, self.summary, step, foil, by=by))

    def votes(self, target: int | None = None, contrast: str | None = None, by: "By" = "layer") -> "Explained":
        """Return which parts of the network vote for a written token, and not for another one.

        Args:
            target: a written token from 1; None: the least certain one.
            contrast: words that could stand there; None: the most probable other token.
            by: what votes: "layer", "head" or "turn".

        Raises:
            SettingsError: the token or contrast is not possible here, or the model has no layers that vote.
        """
        from core.experiments.attribution.question import Question, foil_of
        from core.explain.attribution.votes import votes
        from core.figures.decoding.votes import votes as drawn
        from core.figures.shared.shades import weakest

        summarizer, steps, foil = _at_hand(self.summarizer), self.summary.steps, None
        step = steps.index(weakest(self.summary)) if target is None else target - 1
        if contrast is not None:
            step, foil = foil_of(summarizer, self.summary, contrast, step)
        turns = groups(self.summary.source, "turn")
        answer = votes(summarizer, self.summary, step, foil, turns)
        other = summarizer.tokenizer.id_text(answer.foils[0], Question(summarizer, self.summary).encoded.speakers)
        return Explained(drawn(answer, by, turns, steps[step].token.text, other))

    def patching(self, swap: str | None = None, put: str = "turns") -> "Explained":
        """Return what brings back the name of the dialogue in the run of its twin, and where that is kept.

        Args:
            swap: "speakers", or two names as "Ann=Ben"; None: the first that `core patch` would offer.
            put: "turns", "preview", "encoder", "decoder", "cross" or "positions".

        Raises:
            SettingsError: there is no such twin or choice, or the model has no layers whose states could be put.
        """
        from core.experiments.attribution import patching, twins
        from core.explain.attribution.attribution import inputs_of
        from core.figures.experiments import patching as figures

        summarizer = _at_hand(self.summarizer)
        if put not in figures.PUT:
            raise SettingsError(f"put must be one of {', '.join(figures.PUT)}. Received: {put[:20]!r}")
        offered = (swap,) if swap else twins.offers(summarizer, self.summary)
        if not offered:
            raise SettingsError("the summary takes over no name and no number: nothing tells a twin apart")
        twin = twins.twin_of(summarizer, self.summary, offered[0])
        patched = patching.patch(summarizer, self.summary, twin)
        texts = (summarizer.tokenizer.id_text(token, twin.encoded.speakers) for token in (twin.answer, twin.foil))
        drawn = figures.patched(patched, put, inputs_of(self.summary), *texts)
        return Explained(replace(drawn, caption=f"{figures.kept(patched)} {drawn.caption}"))

    def curves(
        self, how: Literal["deletion", "insertion"] = "deletion", target: int | None = None, by: Unit = "turn"
    ) -> "Explained":
        """Return which explanation holds: parts are taken away, or shown, in the order of every method.

        Args:
            how: "deletion" or "insertion".
            target: a written token from 1, or None for all.
            by: the parts: "turn" or "word".

        Raises:
            SettingsError: there is no such token, or one part only, or too many.
        """
        from core.experiments.attribution.curves import compare
        from core.experiments.attribution.question import Question
        from core.figures.experiments.curves import curves

        step = None if target is None else target - 1
        return Explained(curves(compare(Question(_at_hand(self.summarizer), self.summary, step, unit=by)), how))

    def __repr__(self) -> str:
        return self.summary.text

    def _repr_html_(self) -> str:
        """Return the shaded summary, how sure the model was, and the licence."""
        from core.figures.shared.shades import caption, to_html

        return (
            f'<div style="max-width: 60em">{to_html(self.summary)}<p><small>'
            f"The darker a token, the more probable. {escape(caption(self.summary))}<br>"
            f"{'Read' if self.summary.given else 'Written'} by {escape(self.summary.checkpoint)}. "
            f"Models are often wrong about who did what: "
            f"check it against the dialogue. Licence of its weights: {escape(self.licence)}.</small></p></div>"
        )


@dataclass(frozen=True)
class Attention:
    """The cross-attention of a summary: the parts of the dialogue that each of its tokens read."""

    summary: Summary
    summarizer: "Summarizer | None" = None

    def picture(
        self, layer: int | None = None, head: int | None = None, by: Unit = "turn", shows: str = "weights"
    ) -> "Picture":
        """Draw the cross-attention of one head, or of a layer's heads together.

        Args:
            layer: from 1; None means the last one.
            head: from 1; None means the mean of the heads.
            by: what a column stands for: "token", "word", "turn" or "speaker".
            shows: "weights", or what is carried: "norms", "contributions", "zeroing".

        Raises:
            SettingsError: the model has no such attention.
        """
        from core.explain.attribution.maps import chosen
        from core.figures.attention.maps import matrix
        from core.figures.experiments.attribution import verdict
        from core.figures.shared.wording import token_text

        trace = self.summary.attention
        if not (choices := cross.choices(trace)):
            raise SettingsError("this model has no attention: its encoder hands one vector to its decoder")
        choice = choices[0]
        if (layer, head) != (None, None):
            last = 0 if trace.cross is None else len(trace.cross)
            choice = f"{last if layer is None else layer}.{'mean' if head is None else head}"
        columns, check = groups(trace.source, by), ""
        if shows == "weights":
            values = cross.weights(trace, choice)
        else:
            drawn = chosen(_at_hand(self.summarizer), self.summary, [choice := f"{choice}.{shows}"]).get(choice)
            if drawn is None:
                raise SettingsError(f"shows must be one of {', '.join(MAPS)}. Received: {shows[:20]!r}")
            values, check = drawn.values, f" {verdict(drawn.check)}"
        weights = sum_columns(values, columns)
        rows = [token_text(token) for token in self.summary.tokens]
        axes = ("Token of the summary", f"{by.capitalize()} of the dialogue")
        what = f"cross-attention, {cross.label(choice)}"
        picture = matrix(weights, rows, [self._label(part, by) for part in columns], axes, what, shows)
        return replace(picture, caption=f"{picture.caption}{check}")

    def show(self, layer: int | None = None, head: int | None = None, by: Unit = "turn", shows: str = "weights") -> Any:
        """Return `picture` as a Plotly figure that shows itself in a notebook."""
        from core.figures.shared.files import captioned

        return captioned(self.picture(layer, head, by, shows))

    def _label(self, part: Group, by: Unit) -> str:
        if by != "turn" or part.turn is None:
            return part.label
        turn = self.summary.dialogue.turns[part.turn]
        return f"{part.label} · {f'{turn.speaker}: ' if turn.speaker else ''}{turn.text}"


@dataclass(frozen=True)
class Attributed(_Shows):
    """An answer to the question which parts of the dialogue count: its numbers, and whether they passed their check."""

    found: "Attribution"

    def picture(self) -> "Picture":
        """Draw the matrix of written tokens and parts of the dialogue."""
        from core.figures.experiments.attribution import attribution

        return attribution(self.found)

    def shares(self) -> Any:
        """Return how much of each token comes from the dialogue, and how much from the summary before it, as a figure.

        Raises:
            SettingsError: the method says nothing about the summary's own words.
        """
        from core.figures.shared.files import captioned
        from core.figures.summarize.own_words import shares

        if self.found.prefix is None:
            raise SettingsError(f"{self.found.method} says nothing about the summary's own words: ask contributions")
        return captioned(shares(self.found))


@dataclass(frozen=True)
class Explained(_Shows):
    """A picture of votes, of patching, or of the curves of all methods."""

    drawn: "Picture"

    def picture(self) -> "Picture":
        """Return it."""
        return self.drawn


@dataclass(frozen=True)
class Decoding(_Shows):
    """The steps of a summary: how sure the model was of each token."""

    summary: Summary

    def picture(self) -> "Picture":
        """Draw the surprise and the entropy of each token; a band marks the least probable one."""
        from core.figures.decoding.steps import surprise
        from core.figures.shared.shades import weakest

        steps = self.summary.steps
        return surprise(self.summary, steps.index(weakest(self.summary)) if steps else 0)


def _at_hand(summarizer: "Summarizer | None") -> "Summarizer":
    if summarizer is None:
        raise SettingsError("the model is not at hand: summarize again with core.load(…)")
    return summarizer
