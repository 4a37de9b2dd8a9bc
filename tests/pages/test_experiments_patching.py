"""Patching on the Experiments page: twins by one click or typed, and what each state brings back."""

from core.experiments.attribution.patching import patch
from core.experiments.attribution.twins import twin_of
from core.figures.experiments import patching as figures
from tests.closeness import printed
from tests.pages.driver import captions, choose, decoded, said, table, tiny
from tests.pages.experiments import arrive, infos

SWAP = "you=the"
"""The tiny model writes no names."""


def test_states_of_a_turn_bring_back_what_the_twin_lacks(app):
    arrive(app, experiment="patching", swap=SWAP)
    found = patch(tiny(), decoded(), twin_of(tiny(), decoded(), SWAP))
    printed(list(table(app, "Turn")["Share of the difference"]), found.layers.ravel(), 3)
    assert figures.kept(found).replace("\xa0", " ") in said(app) and found.check.name in captions(app)
    choose(app, "put", "cross")
    printed(list(table(app, "Head")["Share of the difference"]), found.heads["cross"].ravel(), 3)


def test_a_twin_that_cannot_be_made_is_told(app):
    arrive(app, experiment="patching", swap="Zoë=Anna")
    assert "The dialogue does not name" in infos(app)
