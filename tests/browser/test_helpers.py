"""The wait of the browser tests ends with the run that was asked for, whatever the page shows meanwhile."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import wait_for_app

PAGE = "<div data-testid=stApp data-test-connection-state=CONNECTED data-test-script-state=notRunning></div>"
"""A page that shows all the time that no run is on, as one does that a busy server or browser keeps waiting."""
RUNS = """([early, size]) => {
  const socket = new EventTarget();  // in place of a socket, so that no server is needed
  const bytes = size > 127 ? [0x12, size % 128 + 128, size >> 7] : size ? [0x12, size] : [];
  const tell = (field, value) => socket.dispatchEvent(
    new MessageEvent("message", { data: new Uint8Array([...bytes, ...Array(size).fill(0), field, value]).buffer }));
  const run = from => {
    setTimeout(() => tell(0x22, 0), from);  // new_session
    setTimeout(() => { window.over = true; tell(0x30, 0); }, from + 500);  // script_finished
  };
  try { WebSocket.prototype.send.call(socket, "a change"); } catch { /* it is none */ }
  if (early) {
    setTimeout(() => tell(0x22, 0), 50);
    setTimeout(() => tell(0x30, 2), 100);  // it ends early: another one follows, but not at once
  }
  run(early ? 500 : 200);
}"""


@pytest.mark.parametrize(("early", "metadata"), [(False, 0), (False, 20), (False, 300), (True, 20)])
def test_the_wait_ends_with_the_run_as_the_server_says(
    open_page: Callable[..., Page], early: bool, metadata: int
) -> None:
    page = open_page("http://127.0.0.1:1")
    page.route("**/*", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.goto("/")
    page.evaluate(RUNS, [early, metadata])
    wait_for_app(page)
    assert page.evaluate("window.over") is True
    assert page.evaluate("window.asked < window.heard"), "it was not the end of the patience for what has no answer"
