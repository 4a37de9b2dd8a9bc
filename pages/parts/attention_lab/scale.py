"""What the division by √d does to a softmax as d grows."""

import streamlit as st

from core.errors import SettingsError
from core.explain.attention_lab.lab import attention, scale_effect, step
from core.figures.attention_lab.lab import scale_picture
from core.figures.shared.picture import Picture
from core.figures.shared.wording import percent
from core.words import later, say
from pages.parts.attention_lab import matrices
from pages.shared.controls.choices import number, row
from pages.shared.figures import pictures
from pages.shared.model.cache import cached
from pages.shared.session.fields import Number

KEYS = Number("lab_keys", 1, 64, 16)
FIELDS = (KEYS,)
_effect = cached(32, later("Drawing queries and keys"))(scale_effect)


def draw() -> None:
    """Draw how much a query gives to its best key at each width, with and without the division."""
    with row():
        keys = st.slider(say("Keys"), int(KEYS.low), int(KEYS.high), key=KEYS.name, persist_state="session", width=300)
        seed = number(say("Seed"), matrices.SEED, width=150)
    pictures.show(pictures.kept(_picture, int(keys), int(seed)), "scale_picture")
    st.caption(say("200 random queries at each width, each with random keys of its own."))
    about = say(
        "If the numbers in q and k are independent with mean 0 and variance 1, their dot product has the variance d. "
        "Without the division the scores spread as √d, and the softmax gives nearly everything to one key. "
        "Its gradients are then close to 0, and nothing is learnt."
    )
    st.markdown(about)
    try:
        inputs = matrices.current()
        largest = [step(attention(inputs, kind), "weights").values.max(axis=1).mean() for kind in ("scaled", "dot")]
    except SettingsError:
        return
    own = say(
        "Your own matrices have d = {width}: the largest weight of a query is on average {divided} with the division "
        "and {plain} without.",
        width=inputs.query.shape[1],
        divided=percent(float(largest[0])),
        plain=percent(float(largest[1])),
    )
    st.markdown(own)


def _picture(keys: int, seed: int) -> Picture:
    return scale_picture(_effect(keys, seed))
