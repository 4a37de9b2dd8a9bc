"""What the network would say earlier: the summary from each encoder layer, the word at each decoder layer."""

import streamlit as st

from core.experiments.lenses import first_layers, words
from core.figures.experiments import lenses as figures
from core.figures.shared.wording import number, plain, signed
from core.words import later, say
from pages.parts.experiments.runs import Run
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import one_of
from pages.shared.figures import pictures
from pages.shared.model import model_parts
from pages.shared.session.fields import Choice

COLORS = {"probability": later("Probability"), "rank": later("Rank")}
COLOR = Choice("lens_color", COLORS)
FIELDS = (COLOR,)


def draw(run: Run) -> None:
    """Draw both lenses: earlier encoder layers, and earlier decoder layers."""
    if model_parts.has_or_note("blocks", say("stack of layers that could be read early")):
        _encoder(run)
        with st.expander(say("When does the decoder decide on each word?")):
            _decoder(run)


def _encoder(run: Run) -> None:
    summaries = run.decoder_lens()
    final = summaries[-1]
    means = [float(summary.log_probabilities.mean()) for summary in summaries]
    for layer, (summary, mean) in enumerate(zip(summaries, means, strict=True)):
        with st.container(border=True, key=f"lens_{layer}"):
            last = layer == len(summaries) - 1
            name = figures.stage_name(layer, run.summarizer.config.has.positions)
            left, right = st.columns(2, gap="medium")
            with left:
                st.markdown(say("**{layer}, the last: the untouched run**", layer=name) if last else f"**{name}**")
                st.text(summary.text or say("(an empty summary)"))
            if not last:
                with right:
                    st.markdown(say("**Against the last layer's**"))
                    word_diff(summary.text, final.text, key=f"lens_diff_{layer}")
            st.caption(_forced(mean, None if last else means[-1] - mean))
    run.explain()
    st.caption(say("Struck through: only in the earlier layer's summary. Underlined: only in the last layer's."))
    st.markdown(
        say(
            "The unchanged decoder reads the output of an earlier encoder layer instead of the last (DecoderLens). It "
            "never saw such inputs in training: nonsense may come of that, not of what the layer lacks."
        )
    )
    if not words(final.text):
        st.info(say("The last layer's summary has no words to look for."), icon=":material/info:")
        return
    first, inside = first_layers([summary.text for summary in summaries])
    with st.expander(say("From which encoder layer does each word come?")):
        pictures.show(figures.decoder_lens(words(final.text), first, inside, means), "decoder_lens_picture")


def _forced(mean: float, effect: float | None) -> str:
    """Say how probable the untouched summary is, and the effect of reading early; None: nothing is read early."""
    if effect is None:
        return say("The untouched summary, forced: {mean} nats a token.", mean=number(mean))
    return say(
        "The untouched summary, forced: {mean} nats a token (effect of reading early: {effect}).",
        mean=number(mean),
        effect=signed(effect),
    )


def _decoder(run: Run) -> None:
    if run.summarizer.config.copy:
        how = say(
            "After each decoder layer the state is read as if it were the last (logit lens): same final normalisation, "
            "same output head, copying included. No probe is trained."
        )
    else:
        how = say(
            "After each decoder layer the state is read as if it were the last (logit lens): same final normalisation, "
            "same output head. No probe is trained."
        )
    st.markdown(how)
    by = one_of(say("Colour"), COLOR)
    lens = run.logit_lens()
    speakers = run.base.condition.encoded.speakers

    def text(token: int) -> str:
        return plain(run.summarizer.tokenizer.id_text(token, speakers))

    written = [text(token) for token in run.base.ids]
    top = [[[text(int(token)) for token in best] for best in layer] for layer in lens.top]
    hover = figures.lens_hover(written, top, lens.top_probability, lens.probability, lens.rank)
    first = [[best[0] for best in layer] for layer in top]
    picture = figures.logit_lens(run.summary.tokens, first, lens.probability, lens.rank, hover, by)
    pictures.show(picture, "logit_lens_picture")
