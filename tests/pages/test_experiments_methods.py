"""Methods on the Experiments page: what each says of the summary, with the check of its numbers."""

import pytest

from core.experiments.attribution.registry import ANSWERS, attribute
from core.explain.attribution.methods import METHODS
from tests.closeness import printed
from tests.pages.driver import captions, decoded, said, table, tiny
from tests.pages.experiments import arrive


def test_every_method_of_the_registry_has_a_title():
    assert list(ANSWERS) == list(METHODS) and all(method.title for method in METHODS.values())


@pytest.mark.parametrize("name", ["contributions", "gradient", "reliance"])
def test_a_method_shows_its_own_numbers_and_its_check(app, name):
    arrive(app, experiment="methods", method=name)
    found = attribute(name, tiny(), decoded(), by="turn")
    drawn = table(app, "Part of the dialogue")
    printed(list(drawn["Value"]), found.values.ravel(), 3)
    assert found.check.name in captions(app) and METHODS[name].about in said(app)


def test_one_token_is_asked_against_another(app):
    step = decoded().steps[1]
    foil = next(each.id for each in step.alternatives if each.id != step.token.id)
    arrive(app, experiment="methods", method="gradient", word=2, instead=foil)
    found = attribute("gradient", tiny(), decoded(), 1, foil, by="turn")
    printed(list(table(app, "Part of the dialogue")["Value"]), found.values.ravel(), 3)


def test_a_control_has_no_summary_of_its_own_to_explain(app):
    arrive(app, experiment="methods", control="shuffled")
    assert any("what the model wrote itself" in each.value for each in app.info)
