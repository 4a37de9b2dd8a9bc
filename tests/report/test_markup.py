"""HTML that a user's text cannot change."""

from core.report.markup import Html, h, join


def test_what_is_no_html_is_escaped_in_elements_and_attributes():
    hostile = "<b>\"'&</b>"
    assert h("p", hostile) == "<p>&lt;b&gt;&quot;&#x27;&amp;&lt;/b&gt;</p>"
    assert h("p", h("b", "x"), title=hostile) == '<p title="&lt;b&gt;&quot;&#x27;&amp;&lt;/b&gt;"><b>x</b></p>'
    assert join(hostile, Html("<i></i>"), 3, None) == "&lt;b&gt;&quot;&#x27;&amp;&lt;/b&gt;<i></i>3"


def test_characters_that_html_has_no_place_for_are_replaced():
    assert h("p", "a\x00b\x1b\x85\ud800\uffff\tc\n") == "<p>a\ufffdb\ufffd\ufffd\ufffd\ufffd\tc\n</p>"


def test_classes_flags_and_names_of_attributes():
    assert (
        h("td.a.b", data_spot=3, hidden=True, id=None, tabindex=False) == '<td class="a b" data-spot="3" hidden></td>'
    )
    assert h("p", class_="x") == '<p class="x"></p>' and h("meta", http_equiv="y") == '<meta http-equiv="y">'
