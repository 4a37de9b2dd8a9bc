/* What all components share; it stands in front of each script. Texts reach the page through textContent alone. */

const SVG = "http://www.w3.org/2000/svg";
const ARIA = ["current", "disabled", "label", "live", "multiselectable", "pressed", "selected"];
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ROLES = ["button", "option", "radio", "tab", "slider", "combobox", "dialog", "gridcell"];
const CONTROLS = ["button, input, select, textarea, a, label, summary, canvas, .panel", ...ROLES.map((role) => `[role=${role}]`)].join();
const MOVED = "dialoscope:moved"; // an event of a root: its texts may stand elsewhere
let RELEASE = ""; // how a lock is released, in the language of the page: said at the begin of each run
const TAKEN = ["slider", "radio", "tab", "combobox", "listbox", "grid", "option"].map((role) => `[role=${role}]`);
const TAKES_KEYS = ["input", "textarea", "select", "[contenteditable]", ...TAKEN].join();
const TAKES_SPACE = `${TAKES_KEYS}, button, summary, [role=button]`;
const PLAYER = {
  Back: "M15.41 7.41 14 6l-6 6 6 6 1.41-1.41L10.83 12z",
  Play: "M8 5v14l11-7z",
  Pause: "M6 19h4V5H6v14zm8-14v14h4V5h-4z",
  Forward: "M10 6 8.59 7.41 13.17 12l-4.58 4.59L10 18l6-6z",
};
const STRONGEST = 75; // percent of a colour in the page's ground: more, and texts on it are below a contrast of 4.5:1
const GAP = 6; // pixels between a tooltip and what it is about

/* h("td.cell", { label: "score", onclick }, "0.5", node, [more]): attributes and children in any order; null is left out. */
function h(kind, ...parts) {
  const [tag, ...classes] = kind.split(".");
  const node = ["svg", "path", "rect"].includes(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  if (tag === "button") node.type = "button";
  if (classes.length) node.setAttribute("class", classes.join(" ").trim());
  for (const part of parts.flat()) {
    if (part === null || part === undefined || part === false || part === "") continue;
    if (part instanceof Node || typeof part !== "object") node.append(part);
    else set(node, part);
  }
  return node;
}

/* `tip` is a tooltip; `place` finds a node again after a redraw; `style` may set the style sheet's variables. */
function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) node[name] = value;
    else if (name === "style") Object.entries(value).forEach((pair) => node.style.setProperty(...pair));
    else if (name === "tip" || name === "place") node.dataset[name] = value;
    else node.setAttribute(ARIA.includes(name) ? `aria-${name}` : name, value);
  }
}

/* A text that runs in its own direction. */
function text(kind, ...parts) {
  return h(kind, { dir: "auto" }, ...parts);
}

/* The kind of a token's node: one sign alone is too small for a finger. */
function tokenKind({ text: word, special }) {
  return `token${special ? ".special" : (word ?? "").trim().length === 1 ? ".short" : ""}`;
}

function icon(d) {
  return h("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": true }, h("path", { d }));
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/* Where a node, or a box, is on the screen, in the node's own pixels: a projector makes those of a tall picture smaller. */
function boxOf(node, box = node.getBoundingClientRect()) {
  const zoom = node.currentCSSZoom ?? 1;
  return new DOMRect(box.x / zoom, box.y / zoom, box.width / zoom, box.height / zoom);
}

const runs = new WeakMap(); // parentElement → the last run of the script

/* One run of a script: the listeners of the run before end, and `view` is what that run left. */
class Run {
  constructor(parentElement) {
    const before = runs.get(parentElement);
    before?.end();
    RELEASE = say("Esc, a second click or a click on empty space releases it.");
    this.root = parentElement.querySelector(".root");
    this.view = before?.view;
    this.ending = new AbortController();
    this.end = () => this.ending.abort();
    runs.set(parentElement, this);
  }

  on(target, name, act, capture = false) {
    target.addEventListener(name, act, { capture, signal: this.ending.signal });
  }

  /* Calls `act` when a node has another size, and when the texts in it may have moved, for a saved picture. */
  resized(node, act) {
    const observer = new ResizeObserver(act);
    observer.observe(node);
    this.on(this.root, MOVED, act);
    this.ending.signal.addEventListener("abort", () => observer.disconnect());
  }
}

/* Calls `act` when it was not asked to for some milliseconds. */
function rested(wait, act) {
  let timer;
  const ask = () => { clearTimeout(timer); timer = setTimeout(act, wait); };
  ask.forget = () => clearTimeout(timer);
  return ask;
}

/* Calls `act` at once, and while it is asked for again and again only once more: when it was not for some milliseconds. */
function promptly(wait, act) {
  let timer, again = false;
  const over = () => {
    timer = undefined;
    if (again) act();
    again = false;
  };
  const ask = () => {
    if (timer === undefined) act(); else again = true;
    clearTimeout(timer);
    timer = setTimeout(over, wait);
  };
  ask.forget = () => { clearTimeout(timer); timer = undefined; again = false; };
  return ask;
}

/* Tab reaches one of these nodes: at first the chosen one, then the last that had the focus. */
function stop(nodes, chosen) {
  const reach = (node) => nodes.forEach((other) => { other.tabIndex = other === node ? 0 : -1; });
  reach(chosen);
  for (const node of nodes) node.addEventListener("focus", () => reach(node));
}

/* Arrow keys, Home and End move the focus through rows of nodes; Enter and Space click. `moved` hears where the focus goes. */
function arrows(rows, moved = () => {}) {
  rows.forEach((row, down) => row.forEach((node, across) => node.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    const line = rows[down + (step?.[0] ?? 0)];
    const next = step ? line?.[Math.min(across + step[1], line.length - 1)] : { Home: row[0], End: row.at(-1) }[event.key];
    if (next) { next.focus(); moved(next); }
    else if (!step && ["Enter", " "].includes(event.key) && node.localName !== "button") node.click();
    else return;
    event.preventDefault();
  })));
}

/* The pointer or the keyboard's focus previews the value of a node, a click locks it; beyond the box nothing is previewed.
   A view has look(value or null), lock(value, event), release(), `preview` and `locked`, both null for nothing. */
function reads(view, box, pairs) {
  for (const [node, value] of pairs) {
    node.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") view.look(value); });
    node.addEventListener("focus", () => { if (node.matches(":focus-visible")) view.look(value); });
    node.addEventListener("blur", () => { if (view.preview === value) view.look(null); });
    node.addEventListener("click", (event) => view.lock(value, event));
  }
  box.onpointerleave = (event) => { if (event.pointerType !== "touch") view.look(null); };
}

/* A view that draws what is previewed, or else what is locked. */
class Reader {
  constructor(fields) {
    Object.assign(this, { preview: null, locked: null }, fields);
  }

  look(value) {
    this.preview = value;
    this.draw();
  }

  lock(value) {
    this.hold(value === this.locked ? null : value);
  }

  hold(locked) {
    this.locked = locked;
    this.look(null);
  }

  release() {
    this.preview = null;
    this.hold(null);
  }
}

/* Esc or a click on empty space releases; a click on a control or on what `kept` matches, here or elsewhere, does not. */
function releases(run, view, kept = "") {
  const stays = (node) => node instanceof Element && node.matches(CONTROLS + kept);
  run.on(document, "keydown", (event) => { if (event.key === "Escape" && view.locked !== null) view.release(); });
  run.on(document, "click", (event) => { if (view.locked !== null && !event.composedPath().some(stays)) view.release(); });
}

/* Leads the app of a window to another address, as Back would; the address takes the place of the one before. */
function goTo(view, address) {
  view.history.replaceState(view.history.state, "", address);
  view.dispatchEvent(new PopStateEvent("popstate", { state: view.history.state }));
}

/* New content with the old focus and scrolling: what has the focus stays where it is on the screen, if its box can scroll. */
function redraw(root, ...content) {
  const before = root.getRootNode().activeElement;
  const place = root.contains(before) ? before.dataset.place : undefined;
  const height = place === undefined ? 0 : boxOf(before).top;
  const scrolled = [...root.querySelectorAll(".box")].map((box) => [box.scrollLeft, box.scrollTop]);
  root.replaceChildren(...content.filter(Boolean));
  root.querySelectorAll(".box").forEach((box, index) => { [box.scrollLeft, box.scrollTop] = scrolled[index] ?? [0, 0]; });
  const after = place === undefined ? null : [...root.querySelectorAll("[data-place]")].find((node) => node.dataset.place === place);
  if (!after) return;
  const box = after.closest(".box");
  if (box) box.scrollTop += boxOf(after).top - height;
  after.focus({ preventScroll: true });
}

/* Shows the tips of nodes beside what the pointer, a finger or the keyboard is on. */
function tips(run) {
  const { root } = run;
  const tip = h("div.tip");
  const hide = () => { tip.hidden = true; };
  const show = (node) => {
    tip.hidden = !node;
    if (!node) return;
    tip.textContent = node.dataset.tip;
    const spot = boxOf(node, node.getClientRects()[0]);
    const [whole, size] = [boxOf(root), boxOf(tip)];
    const below = spot.bottom + GAP;
    const fits = below + size.height <= Math.min(whole.bottom, boxOf(root, new DOMRect(0, 0, 0, window.innerHeight)).bottom);
    tip.style.top = `${(fits ? below : spot.top - GAP - size.height) - whole.top}px`;
    tip.style.left = `${clamp(spot.left - whole.left, 0, Math.max(whole.width - size.width, 0))}px`;
  };
  const at = (event) => event.target.closest("[data-tip]");
  run.on(root, "pointerover", (event) => show(at(event)));
  run.on(root, "pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
  run.on(root, "focusin", (event) => { if (event.target.matches(":focus-visible")) show(at(event)); });
  run.on(root, "focusout", hide);
  run.on(root, "scroll", hide, true);
  run.on(document, "pointerdown", (event) => { if (!event.composedPath().includes(root)) hide(); });
  run.on(document, "keydown", (event) => { if (event.key === "Escape") hide(); });
  root.append(tip);
  show(root.querySelector("[data-tip]:is(:hover, :focus-visible)"));
}

/* Whether a key was pressed without others, and nobody has answered it. */
function isPlain(event) {
  return !(event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey);
}

/* Whether an event comes from inside of what a selector names. */
function isTaken(event, selector) {
  return event.composedPath().some((node) => node instanceof Element && node.matches(selector));
}

/* A walk through steps: by buttons and keys, or by itself. A view has draw(); tell() hears of each move. */
class Walk {
  constructor(root, count, every) {
    Object.assign(this, { root, count, every, step: 0, playing: false });
  }

  tell() {}

  /* A person moved: Play stops. */
  move(step) {
    const next = clamp(step, 0, this.count - 1);
    if (next === this.step && !this.playing) return;
    this.go(next, false);
    this.tell();
  }

  toggle() {
    const start = !this.playing && this.step === this.count - 1 ? 0 : this.step;
    this.go(start, !this.playing);
    this.tell();
  }

  advance() {
    if (!this.root.isConnected) return;
    const next = Math.min(this.step + 1, this.count - 1);
    this.go(next, next < this.count - 1);
    this.tell();
  }

  go(step, playing) {
    clearTimeout(this.timer);
    Object.assign(this, { step, playing });
    if (playing) this.timer = setTimeout(() => this.advance(), this.every);
    this.draw();
  }

  /* Marks which of the steps' nodes are to come and which is current; the focus follows, and the button says what it does. */
  mark(nodes, play) {
    const focused = nodes.includes(this.root.getRootNode().activeElement);
    nodes.forEach((node, place) => {
      node.classList.toggle("coming", place > this.step);
      node.classList.toggle("current", place === this.step);
      node.tabIndex = place === this.step ? 0 : -1;
      set(node, { current: place === this.step ? "step" : "false" });
    });
    if (focused) nodes[this.step].focus();
    const [shape, name] = this.playing ? [PLAYER.Pause, say("Pause")] : [PLAYER.Play, say("Play")];
    play.replaceChildren(icon(shape), name);
  }

  /* The keys work from anywhere on the page where they mean nothing else; on `own` nodes Space is ours, too. */
  key(event, own) {
    const space = event.key === " ";
    if (!isPlain(event)) return;
    if (isTaken(event, space ? TAKES_SPACE : TAKES_KEYS) && !(space && own.includes(event.composedPath()[0]))) return;
    const steps = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: this.count - 1 };
    if (event.key in steps) this.move(steps[event.key]);
    else if (space) { if (!event.repeat) this.toggle(); }
    else return;
    event.preventDefault();
  }
}

/* Buttons of which one is pressed: the group, and what presses another. */
function choices(label, options, choose) {
  const nodes = options.map(([value, name]) => h("button", { place: value, onclick: () => choose(value) }, name));
  const press = (chosen) => options.forEach(([value], place) => set(nodes[place], { pressed: value === chosen }));
  return [h("div.switch", { role: "group", label }, nodes), press];
}

/* A ramp of colours with texts below, at even distances or at [share, text]. */
function scale(kind, ticks, background) {
  const placed = ticks.map((tick, place) => (Array.isArray(tick) ? tick : [ticks.length > 1 ? place / (ticks.length - 1) : 0, tick]));
  const marks = placed.map(([share, name]) => h("span.tick", { style: { left: `${100 * share}%` } }, name));
  return h(`span.scale${kind}`, h("span.ramp", { style: background && { background } }), h("span.ticks", marks));
}

/* A sample of a class and what it means. */
function entry(kind, ...parts) {
  return h("span.entry", h(`span.sample${kind}`), ...parts);
}

/* The colour of a share from -1 to 1; 0 is the page's own ground. */
function tint([less, more], share) {
  return `color-mix(in srgb, ${share < 0 ? less : more} calc(${(STRONGEST * Math.abs(share)).toFixed(1)}% * var(--strong-shade, 1)), var(--st-background-color))`;
}

function signedScale(colors, ticks) {
  return scale("", ticks, `linear-gradient(to right, ${tint(colors, -1)}, ${tint(colors, 0)}, ${tint(colors, 1)})`);
}

/* Two colours in turn: a name or an initial stands with each. */
function speakerColor(speaker) {
  return speaker < 0 ? "var(--grey)" : `var(--speaker-${1 + (speaker % 2)})`;
}

function percent(share) {
  if (share > 0 && share < 0.001) return "< 0.1\u00a0%";
  if (share > 0.999 && share < 1) return "> 99.9\u00a0%";
  return `${(100 * share).toFixed(share < 0.1 || (share > 0.99 && share < 1) ? 1 : 0)}\u00a0%`;
}

function counted(value) {
  return value.toLocaleString("en");
}

/* A number with its arithmetic: terms with what stands under each, and a note. */
function derivation(heading, { terms, note }, ...more) {
  const written = terms.map(([term, below]) => [h(below ? "span.term" : "span.sign", h("b", term), h("small", below)), " "]);
  return [h("p.what", heading), h("p.terms", written.flat()), h("p.note", note), ...more];
}
