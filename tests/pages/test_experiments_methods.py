"""Methods on the Experiments page: what each says, which ranking holds, and what patched states bring back."""

import pytest

from core.experiments.attribution.curves import compare
from core.experiments.attribution.patching import patch
from core.experiments.attribution.question import Question
from core.experiments.attribution.registry import ANSWERS, attribute
from core.experiments.attribution.twins import twin_of
from core.explain.attribution.methods import METHODS
from core.figures.experiments import patching as figures
from pages.parts.experiments import words
from pages.parts.experiments.methods import SAYS
from tests.closeness import printed
from tests.pages.driver import captions, chart, choose, decoded, notes, press, said, table, tiny
from tests.pages.experiments import arrive, infos

SWAP = "you=the"
"""The tiny model writes no names."""


def test_every_method_of_the_registry_has_a_title():
    assert list(ANSWERS) == list(METHODS) and all(method.title for method in METHODS.values())


@pytest.mark.parametrize("name", ["contributions", "gradient", "reliance", "random"])
def test_a_method_shows_its_own_numbers_and_its_check(app, name):
    arrive(app, experiment="methods", method=name)
    found = attribute(name, tiny(), decoded(), by="turn")
    drawn = table(app, "Part of the dialogue")
    printed(list(drawn["Value"]), found.values.ravel(), 3)
    sentence = SAYS[METHODS[name].says].format(about=METHODS[name].about).replace("*", "")
    assert found.check.name in captions(app) and sentence in said(app)


def other() -> int:
    """Another token that could stand in the second place."""
    step = decoded().steps[1]
    return next(each.id for each in step.alternatives if each.id != step.token.id)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.foil])
def test_one_token_is_asked_against_another(app, name):
    arrive(app, experiment="methods", method=name, word=2, instead=other())
    found = attribute(name, tiny(), decoded(), 1, other(), by="turn")
    printed(list(table(app, "Part of the dialogue")["Value"]), found.values.ravel(), 3)


@pytest.mark.parametrize("view", ["methods", "compare"])
def test_a_token_against_itself_is_refused(app, view):
    arrive(app, may_refuse=True, experiment=view, method="shapley", word=2, instead=decoded().tokens[1].id)
    assert "does not exist here" in notes(app) and app.selectbox(key="instead").value == 0


@pytest.mark.parametrize("view", ["turns", "words", "methods"])
def test_a_control_has_no_summary_of_its_own_to_explain(app, view):
    app.session_state[words.BOX] = True
    arrive(app, experiment=view, control="shuffled")
    assert "what the model wrote itself" in infos(app)
    assert view != "words" or "is the slope when its embedding" in captions(app)


@pytest.mark.parametrize("against", [False, True])
def test_all_methods_are_put_to_the_test_and_random_orders_beside_them(app, against):
    foil = other() if against else None
    arrive(app, experiment="compare", word=2, **({"instead": foil} if foil else {}))
    assert not app.get("plotly_chart")
    press(app, "start_curves")
    found = compare(Question(tiny(), decoded(), 1, foil, unit="turn"))
    drawn = table(app, "Without the first")
    assert "Random" in set(drawn["Method"]) and len(found.curves) > 8
    for title, taken in (("Without the first", "deletion"), ("With them alone", "insertion")):
        printed(list(drawn[title]), [value for each in found.curves.values() for value in getattr(each, taken)], 3)
    assert ("− log p(" in chart(app, "curves")["layout"]["yaxis"]["title"]["text"]) == against
    assert ("have no contrast" in captions(app)) == against
    assert not against or METHODS["attention"].title in captions(app)
    choose(app, "taken", "insertion")
    assert found.check.name in captions(app) and "random orders" in captions(app)


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
