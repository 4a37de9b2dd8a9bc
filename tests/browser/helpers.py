"""Helpers of the browser tests: `from tests.browser.helpers import wait_for_app`."""

import re
import time

from playwright.sync_api import Frame, Locator, Page, TimeoutError, expect

NOISE = (
    r"fonts\.gstatic\.com",  # the icon of a page is fetched as a favicon; without a network it fails, harmlessly
    "/_stcore/health",  # a page at /x first asks /x/_stcore/…, then /_stcore/…
    "/_stcore/host-config",
    r"404 \(Not Found\).*/following\?",  # a class that ended between two streams of events
)
FIRST_TOKENS = 240_000  # milliseconds: the first page waits for TensorFlow and a compiler
SLOW = 120_000  # milliseconds for what compiles a graph, on a busy machine


READY = (
    "[data-testid='stApp'][data-test-connection-state='CONNECTED'][data-test-script-state='notRunning']"
    ":not(:has([data-testid='stEvent'] [data-testid='stSkeleton']))"
)
"""The app at rest and in its style: its style sheets wait for a file of Streamlit's own, longest where that is busy."""
ASKED = """(() => {
  const { send } = WebSocket.prototype;
  const heard = ({ data }) => {
    const bytes = new Uint8Array(data), long = bytes[1] > 127;
    const metadata = long ? 3 + (bytes[1] & 127) + 128 * bytes[2] : 2 + bytes[1];
    const kind = bytes[0] === 0x12 ? metadata : 0;  // it stands after the metadata
    if (bytes[kind] === 0x22) window.heard = performance.now();  // new_session
    if (bytes[kind] === 0x30) window[bytes[kind + 1] === 2 ? "asked" : "ended"] = performance.now();  // script_finished
  };
  WebSocket.prototype.send = function (...sent) {
    window.asked = performance.now();
    this.addEventListener("message", heard);
    return send.apply(this, sent);
  };
})()"""
"""Note when the front end has asked for a run, when one has begun since, and when it has ended. A run that ends early
for another one has asked, too: where the server is busy, that one begins later. Kinds are fields of Streamlit's
`ForwardMsg`."""
AT_REST = """selector => new Promise(done => {
  const start = performance.now();
  let busy = start, drawn = 0;
  const look = () => {
    const now = performance.now(), { asked = 0, heard = 1, ended = 1 } = window;
    const answered = heard > asked || now - asked > 5000;  // what is no request for a run has no such answer
    if (!answered || heard > ended || !document.querySelector(selector)) busy = now;
    if (now - start < 155 || now - busy < 60) setTimeout(look, 20);
    else if (drawn > busy) done(true);
    else requestIdleCallback(() => { drawn = performance.now(); look(); }, { timeout: 2000 });
  };
  look();
})"""
"""The front end gathers changes for up to 150 ms before it asks for a run; by its own clock, for it may be busy. A run
begins and ends when the server says so: where that is busy, the page learns later that the run is on, and shows until
then that none is. Between two runs in a row there is none for a moment. The page draws in pieces and has time to spare
once all is drawn; until then an old control may stand there, a button for a file that is no longer there. Once
Chromium did not tell that within two minutes, after the window had changed its size: hence the limit."""


def wait_for_app(page: Page | Frame, timeout: float = 120.0) -> None:
    """Wait until the script run that the last action started has ended; `timeout` in seconds."""
    page.wait_for_function(AT_REST, arg=READY, timeout=1000 * timeout)


def choose(page: Page, key: str, text: str) -> None:
    """Choose from a list; the page scrolls there and comes to rest first: once the list did not stay open."""
    box = page.locator(f".st-key-{key}").get_by_role("combobox")
    box.scroll_into_view_if_needed()
    wait_for_app(page)
    box.click()
    page.get_by_role("option", name=text, exact=True).click()
    wait_for_app(page)


def click(page: Page, button: str) -> None:
    """Press a button and wait: a value that it sets is lost if another change leaves before the page has it."""
    page.get_by_role("button", name=button).click()
    wait_for_app(page)


def fill(page: Page, label: str | re.Pattern[str], text: str) -> None:
    """Type into a box for a text or a number and be done."""
    box = page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Control+Enter" if box.evaluate("node => node.localName") == "textarea" else "Enter")
    wait_for_app(page)


def unfold(page: Page, label: str) -> None:
    """Open an expander and wait until it stands still: while it grows, what is in it slides away under the mouse."""
    expander = page.locator("details", has=page.locator("summary", has_text=label))
    expander.locator("summary").click()
    expect(expander).to_have_attribute("open", "")
    page.wait_for_function(
        "box => box.getAnimations().length === 0 && box.scrollHeight <= box.clientHeight",
        arg=expander.element_handle(),
    )


def is_noise(text: str) -> bool:
    """Whether a line of the console is known and harmless."""
    return any(re.search(pattern, text) for pattern in NOISE)


def open_decoding(page: Page, link: str = "") -> None:
    """Open the Decoding page by a link, "?step=3" for instance, and wait for its steps; not for another view."""
    page.goto(f"/decoding{link}")
    if "view=" not in link:
        expect(page.locator(".st-key-stepper .token").first).to_be_visible(timeout=FIRST_TOKENS)
    wait_for_app(page)


def expect_step(page: Page, number: int) -> None:
    """Wait until the stepper, the table, the box and the address show a step, from 1."""
    expect(page.locator(".st-key-stepper .line")).to_contain_text(f"Step {number} of ")
    wait_for_app(page)  # until the run ends, what it drew before may stand beside what it draws now
    expect(page.get_by_role("textbox", name="Or type what stands at step")).to_have_accessible_name(
        f"Or type what stands at step {number}"
    )
    token = page.locator(".st-key-stepper .token").nth(number - 1).inner_text().strip()
    expect(page.locator(".st-key-next_token tr.chosen .word")).to_have_text(re.compile(rf"^·?{re.escape(token)}$"))
    expect(page).to_have_url(re.compile(rf"[?&]step={number}(&|$)") if number > 1 else re.compile("^(?!.*[?&]step=)"))


def view(page: Page, name: str) -> None:
    """Open one of the page's views by its name."""
    page.locator(".st-key-view").get_by_text(name, exact=True).click()
    wait_for_app(page)


def paste_here(page: Page, text: str) -> None:
    """Change the dialogue in the bar above a page about the current one."""
    page.get_by_role("button", name="Dialogue:").click()
    page.get_by_test_id("stPopoverBody").get_by_text("Paste", exact=True).click()
    wait_for_app(page)  # a form takes the keys that send it once its button is there
    page.get_by_label("Your dialogue, one turn a line").fill(text)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name=f"Dialogue: {' '.join(text.split())[:28]}")).to_be_visible()
    page.keyboard.press("Escape")
    wait_for_app(page)


def written(page: Page) -> str:
    """The summary that the stepper shows, its end token left out."""
    return page.locator(".st-key-stepper .text").inner_text().removesuffix("end").strip()


def expect_written(page: Page, text: str, seconds: float = 30.0) -> None:
    """Wait until the stepper shows this summary."""
    end = time.monotonic() + seconds
    while written(page) != text and time.monotonic() < end:
        page.wait_for_timeout(100)
    assert written(page) == text


MARK_AT_REST = """([selector, number]) => new Promise(done => {
  let before = "";
  const look = () => {
    const mark = document.querySelectorAll(selector)[number];
    mark?.scrollIntoView({ block: "center" });
    const { x, y, width, height } = mark?.getBoundingClientRect() ?? {};
    const now = width ? [x, y, width, height].join() : "";
    if (now && now === before) return done([x + width / 2, y + height / 2]);
    before = now;
    setTimeout(look, 120);
  };
  look();
})"""
"""Where a mark stands: plotly draws all of them anew when a chart learns its width."""


def click_mark(page: Page, chart: str, number: int) -> None:
    """Click in the middle of a point or bar of a chart, by its number in the order in which they were drawn."""
    marks = page.locator(f".st-key-{chart} .js-plotly-plot .points path")
    expect(marks.nth(number)).to_be_attached()
    x, y = page.evaluate(MARK_AT_REST, [f".st-key-{chart} .js-plotly-plot .points path", number])
    page.mouse.click(x, y)
    wait_for_app(page)


def click_cell(page: Page, x: float, row: int) -> None:
    """Click into the table of Errors, a canvas: `x` pixels from its left, on a row; the header is row 0."""
    canvas = page.locator("[class*='st-key-errors_table'] canvas").first
    canvas.hover(position={"x": x - 5, "y": 35 * row + 17}, force=True)  # what scrolls lies above it
    page.wait_for_timeout(100)  # after scrolling, the table learns from the pointer where it is
    canvas.click(position={"x": x, "y": 35 * row + 17}, force=True)
    wait_for_app(page)


def sideways(page: Page, inside: str = ", .turns, .bubble, .text, .panel, .box, .bar") -> list[str]:
    """What is wider than its place: the document, or an element of the page that must not scroll.

    Args:
        page: as it is shown now.
        inside: elements of components; "" where these may scroll in their place.
    """
    places = "html, [data-testid='stMain'], [data-testid='stMainBlockContainer'], .root, .st-key-onward p" + inside
    width = "nodes => nodes.filter(n => n.scrollWidth > n.clientWidth + 1).map(n => n.className || n.tagName)"
    return page.locator(places).evaluate_all(width)


def bar_hides(page: Page) -> bool:
    """Whether the bar at the top lets nothing of the page through, wherever it is scrolled to."""
    seen = set()
    for top in (200, 211, 223, 0):
        page.get_by_test_id("stMain").evaluate("(node, top) => node.scrollTo(0, top)", top)
        page.wait_for_timeout(300)  # a projector looks every 100 ms where the page is
        if top:
            seen.add(page.screenshot(clip={"x": 340, "y": 0, "width": 400, "height": 40}))
    return len(seen) == 1


def go(page: Page, title: str) -> None:
    """Open a page by its title in the menu."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()
    expect(page).to_have_url(re.compile(r"//[^/]+/(\?|$)" if title == "Start" else f"/{title.lower()}"))
    wait_for_app(page)


SMALL_TEXTS = """([pictures, least]) => {
  const found = [], note = (size, text) => size < least && found.push(`${size.toFixed(1)} px: ${text.slice(0, 24)}`);
  const walk = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) walk(node.shadowRoot);
    if (node.localName === "iframe") walk(node.contentDocument);
    const text = [...node.childNodes].filter((each) => each.nodeType === 3).map((each) => each.data.trim()).join("");
    const box = node.getBoundingClientRect(), style = getComputedStyle(node), matrix = node.getScreenCTM?.();
    if (node.localName === "canvas" && node.closest(".stDataFrame")) { // the font that the table was written with last
      const { font } = node.getContext("2d");
      if (font !== "10px sans-serif") note(parseFloat(font.match(/[\\d.]+/)), "a table");
    }
    if (!text || !box.width || !box.height || style.visibility === "hidden" || node.localName === "style") return;
    const scale = node.ownerSVGElement ? Math.hypot(matrix.b, matrix.d) : node.currentCSSZoom ?? 1;
    note(parseFloat(style.fontSize) * scale + 0.01, text);
  });
  document.querySelectorAll(pictures.map((each) => `[data-testid=stMain] ${each}`).join()).forEach(walk);
  return found;
}"""


TYPE = 16
"""Pixels of the smallest text on a projector."""


def small_texts(page: Page, pictures: list[str]) -> list[str]:
    """Wait until no text in the pictures is smaller on the screen than `TYPE`; return those that stay so."""
    try:
        page.wait_for_function(f"given => ({SMALL_TEXTS})(given).length === 0", arg=[pictures, TYPE], timeout=5000)
    except TimeoutError:
        pass
    return page.evaluate(SMALL_TEXTS, [pictures, TYPE])


def is_above(picture: Locator, edge: Locator) -> bool:
    """Whether a picture, or what is asked for in it, stands whole between the top of the page and a bar below it."""
    box, bar = picture.bounding_box(), edge.bounding_box()
    return bool(box and bar and box["y"] >= 0 and box["y"] + box["height"] <= bar["y"] + 1)


def comes_above(picture: Locator, edge: Locator, seconds: float) -> bool:
    """Wait until a picture stands there, while the page scrolls; return whether it does."""
    end = time.monotonic() + seconds
    while not is_above(picture, edge) and time.monotonic() < end:
        picture.page.wait_for_timeout(100)
    return is_above(picture, edge)


def saved(page: Page, label: str) -> tuple[str, bytes]:
    """Press a button for a file; return the name and the content."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label, exact=True).last.click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def open_menu(page: Page, key: str) -> None:
    """Open the menu of files of a view."""
    page.locator(f".st-key-{key}").locator("xpath=following::button[contains(., 'Save')][1]").click()
