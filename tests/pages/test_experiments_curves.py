"""Compare on the Experiments page: the curves of all methods, once they are asked for."""

from core.experiments.attribution.curves import compare
from core.experiments.attribution.question import Question
from tests.closeness import printed
from tests.pages.driver import captions, choose, decoded, table, tiny
from tests.pages.experiments import arrive


def test_all_methods_are_put_to_the_test_and_random_orders_beside_them(app):
    arrive(app, experiment="compare", word=2)
    assert not app.get("plotly_chart")
    app.button(key="start_curves").click().run()
    found = compare(Question(tiny(), decoded(), 1, unit="turn"))
    drawn = table(app, "Without the first")
    assert sorted(set(drawn["Method"])) == sorted({"Random", *drawn["Method"]}) and len(found.curves) > 8
    printed(list(drawn["Without the first"]), [value for each in found.curves.values() for value in each.deletion], 3)
    choose(app, "taken", "insertion")
    printed(list(drawn["With them alone"]), [value for each in found.curves.values() for value in each.insertion], 3)
    assert found.check.name in captions(app) and "random orders" in captions(app)
