/* Page Down and Page Up lead through a lesson, unless what has the focus uses them; Space is the page's own, which plays.
   What is done stays in the browser. */

const STORE = "dialoscope-lessons";
const MOST_KEPT = 64; // ids of stops
const LONGEST = 40; // characters of an id
const PATIENCE = 10_000; // ms after which a key counts again although the app has not answered the one before
const WAYS = { PageDown: 1, PageUp: -1 };
const roles = (...names) => names.map((role) => `[role=${role}]`).join();
const USES_PAGE_KEYS = `input, textarea, select, [contenteditable], iframe, ${roles("slider", "combobox", "listbox", "grid", "dialog", "menu")}`;
const PICTURES = ".js-plotly-plot, [data-testid=stBidiComponentIsolated], [data-testid=stDataFrame]";
const SEEN = 0.4; // share of the page above a picture, at most; on phones nothing
const PHONE = 640; // pixels
const LEAST = 80; // pixels of a picture's height: what is lower is a control
const HEADER = 4; // heights of the page's type, of the app's own bar above it
const LOADING = 15_000; // ms in which a page that was just opened may still grow
const RESTED = 4; // looks at a page that stands where it should

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) ? found.filter((id) => typeof id === "string" && id.length <= LONGEST).slice(-MOST_KEPT) : [];
  } catch {
    return []; // not JSON, or a browser that stores nothing
  }
}

function store(ids) {
  try {
    if (ids.length) localStorage.setItem(STORE, JSON.stringify(ids.slice(-MOST_KEPT)));
    else localStorage.removeItem(STORE);
  } catch {
    // the session remembers it all the same
  }
}

class Lesson {
  constructor(cleared) {
    Object.assign(this, { cleared, told: "", asked: 0, ending: new AbortController() });
  }

  /* What the browser had stored is told once, and again when the app does not know it any more; what is done is stored. */
  remember(data, send) {
    if (data.cleared > this.cleared) store([]);
    const before = stored();
    const news = before.filter((id) => !data.done.includes(id));
    store([...new Set([...before, ...data.done])]);
    if (news.length && String(news) !== this.told) send("stored", news);
    Object.assign(this, { cleared: data.cleared, told: String(news) });
  }

  /* A page that was just opened begins with its views, or at its top where no stop is open. */
  open(data) {
    if (this.opened === data.opened) return;
    Object.assign(this, { opened: data.opened, asked: 0 });
    this.ending.abort();
    this.ending = new AbortController();
    if (data.stop || data.opened) show(data.stop && data.view, this.ending.signal);
  }

  press(event, data, send) {
    const way = WAYS[event.key];
    if (!data.stop || !way || !isPlain(event) || isTaken(event, USES_PAGE_KEYS)) return;
    event.preventDefault();
    if (event.repeat || Date.now() - this.asked < PATIENCE) return;
    this.asked = Date.now();
    send("go", way);
  }
}

/* Returns how far the page must scroll: its views, or else its first picture, come to where they are seen. */
function distance(view) {
  const main = document.querySelector("[data-testid=stMain]");
  if (!main) return Infinity; // the page is on its way
  if (!view) return -main.scrollTop;
  const top = (node) => node.getBoundingClientRect().top;
  const header = HEADER * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const high = (node) => node.offsetHeight > LEAST && !node.closest("[data-testid=stBottom]");
  const picture = [...main.querySelectorAll(PICTURES)].find(high);
  const views = main.querySelector(`.st-key-${CSS.escape(view)}`);
  if (!picture && !views) return Infinity;
  const edge = main.querySelector(".st-key-class, .st-key-lesson");
  const lowest = header + (window.innerWidth > PHONE ? SEEN : 0) * ((edge ? top(edge) : window.innerHeight) - header);
  return Math.max(views ? top(views) - header : -Infinity, picture ? top(picture) - lowest : -Infinity);
}

/* Scrolls the page while it grows, until it stands there or a person does anything. */
function show(view, signal) {
  const end = Date.now() + LOADING;
  let rested = 0;
  const act = () => {
    const way = distance(view);
    if (Number.isFinite(way)) document.querySelector("[data-testid=stMain]").scrollTop += way;
    rested = Math.abs(way) < 2 ? rested + 1 : 0;
    if (rested >= RESTED || Date.now() >= end) clearInterval(timer);
  };
  const timer = setInterval(act, 200);
  const leave = () => clearInterval(timer);
  for (const name of ["wheel", "pointerdown", "keydown", "touchstart"]) document.addEventListener(name, leave, { capture: true, passive: true, signal });
  signal.addEventListener("abort", leave);
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const lesson = (run.view ??= new Lesson(data.cleared));
  lesson.remember(data, setTriggerValue);
  lesson.open(data);
  run.on(document, "keydown", (event) => lesson.press(event, data, setTriggerValue), true);
  return () => {
    run.end();
    lesson.ending.abort();
  };
}
