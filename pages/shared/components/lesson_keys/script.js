/* Space, Page Down and Page Up lead through a lesson, unless what has the focus uses them; what is done stays in the browser. */

const STORE = "dialoscope-lessons";
const MOST = 64; // ids that are kept
const LONGEST = 40; // characters of an id
const PATIENCE = 10_000; // ms after which a key counts again although the app has not answered the one before
const TAKES_KEYS = [
  "input, textarea, select, [contenteditable], iframe",
  ...["slider", "radio", "tab", "combobox", "listbox", "grid", "option", "dialog", "menu", "menuitem"].map((role) => `[role=${role}]`),
].join();
const TAKES_SPACE = `${TAKES_KEYS}, button, summary, a, [role=button], [role=checkbox], [role=switch]`;
const HEADER = 64; // pixels of the app's own bar above the page
const LOADING = 15_000; // ms in which a page that was just opened may still grow
const RESTED = 4; // looks at a page that stands where it should
const STEPS = { " ": 1, PageDown: 1, PageUp: -1 };
const views = new WeakMap(); // parentElement → what the last run left

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) ? found.filter((id) => typeof id === "string" && id.length <= LONGEST).slice(-MOST) : [];
  } catch {
    return []; // not JSON, or a browser that stores nothing
  }
}

function store(ids) {
  try {
    if (ids.length) localStorage.setItem(STORE, JSON.stringify(ids.slice(-MOST)));
    else localStorage.removeItem(STORE);
  } catch {
    // the session remembers it all the same
  }
}

/* Scrolls the page to its views while it grows, or to its top, until it stands there or a person does anything. */
function show(view, signal) {
  const end = Date.now() + LOADING;
  let rested = 0;
  const act = () => {
    const main = document.querySelector("[data-testid=stMain]");
    const node = view && main?.querySelector(`.st-key-${CSS.escape(view)}`);
    const way = node ? node.getBoundingClientRect().top - HEADER : view ? Infinity : -(main?.scrollTop ?? 0);
    if (Number.isFinite(way)) main.scrollTop += way;
    rested = Math.abs(way) < 2 ? rested + 1 : 0;
    if (rested >= RESTED || Date.now() >= end) stop();
  };
  const timer = setInterval(act, 200);
  const stop = () => clearInterval(timer);
  for (const name of ["wheel", "pointerdown", "keydown", "touchstart"]) document.addEventListener(name, stop, { capture: true, passive: true, signal });
  signal.addEventListener("abort", stop);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) ?? { cleared: data.cleared, asked: 0 };
  view.end?.();
  if (view.cleared !== data.cleared) store([]);
  const before = stored();
  const news = before.filter((id) => !data.done.includes(id));
  store([...new Set([...before, ...data.done])]);
  if (news.length && !view.told) setTriggerValue("stored", news);
  if (view.opened !== data.opened) view.asked = 0;

  function press(event) {
    if (!data.stop || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const step = STEPS[event.key];
    const taken = event.key === " " ? TAKES_SPACE : TAKES_KEYS;
    if (!step || event.composedPath().some((node) => node instanceof Element && node.matches(taken))) return;
    event.preventDefault();
    if (event.repeat || Date.now() - view.asked < PATIENCE) return;
    view.asked = Date.now();
    setTriggerValue("go", step);
  }

  const ending = new AbortController();
  document.addEventListener("keydown", press, { capture: true, signal: ending.signal });
  if ((data.stop || data.opened) && view.opened !== data.opened) {
    view.scrolling?.abort();
    view.scrolling = new AbortController();
    show(data.stop && data.view, view.scrolling.signal);
  }
  Object.assign(view, { cleared: data.cleared, opened: data.opened, told: true, end: () => ending.abort() });
  views.set(parentElement, view);
  return () => {
    view.end();
    view.scrolling?.abort();
  };
}
