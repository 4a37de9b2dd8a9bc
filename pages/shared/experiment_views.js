/* What the views of experiments share: signed colours and their legend, tooltips, arrow keys, and redraws that keep the
   focus. It is put in front of each view's script. */

const STRONGEST = 75; // percent of a colour in the page's ground: more, and texts on it are below a contrast of 4.5:1
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const GAP = 6; // pixels between a tooltip and what it is about

const listening = new WeakMap(); // root → AbortController

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/* A button with a tooltip, which is its name as well; the place is what finds it again after a redraw. */
function button(className, tip, place, onclick) {
  const node = element("button", className);
  node.type = "button";
  node.dataset.tip = tip;
  node.dataset.place = place;
  node.setAttribute("aria-label", tip);
  node.onclick = onclick;
  return node;
}

/* The colour of a share from -1 to 1; 0 is the page's own ground. */
function tint([less, more], share) {
  const amount = (STRONGEST * Math.abs(share)).toFixed(1);
  return `color-mix(in srgb, ${share < 0 ? less : more} ${amount}%, var(--st-background-color))`;
}

/* A ramp with the numbers at its ends and in its middle. */
function signedScale(colors, ticks) {
  const box = element("span", "scale");
  const bar = element("span", "ramp");
  bar.style.backgroundImage = `linear-gradient(to right, ${tint(colors, -1)}, ${tint(colors, 0)}, ${tint(colors, 1)})`;
  const marks = element("span", "ticks");
  marks.append(...ticks.map((tick) => element("span", "", tick)));
  box.append(bar, marks);
  return box;
}

/* Tab reaches one of these nodes: the last that had the focus, at first this one. */
function stop(nodes, chosen) {
  for (const node of nodes) {
    node.tabIndex = node === chosen ? 0 : -1;
    node.onfocus = () => stop(nodes, node);
  }
}

/* Arrow keys move the focus through rows of nodes; `moved` hears where it goes. */
function arrows(rows, moved = () => {}) {
  rows.forEach((row, down) => row.forEach((node, across) => {
    node.onkeydown = (event) => {
      const step = STEPS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      const line = rows[down + step[0]];
      const next = line?.[Math.min(across + step[1], line.length - 1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
      moved(next);
    };
  }));
}

/* New content with the old focus and scrolling: what has the focus stays where it is on the screen, if its box can scroll. */
function redraw(root, ...content) {
  const before = root.getRootNode().activeElement;
  const place = root.contains(before) ? before.dataset.place : undefined;
  const height = place === undefined ? 0 : before.getBoundingClientRect().top;
  const scrolled = [...root.querySelectorAll(".box")].map((box) => [box.scrollLeft, box.scrollTop]);
  root.replaceChildren(...content);
  root.querySelectorAll(".box").forEach((box, index) => { [box.scrollLeft, box.scrollTop] = scrolled[index] ?? [0, 0]; });
  const after = [...root.querySelectorAll("[data-place]")].find((node) => node.dataset.place === place);
  if (!after) return;
  const box = after.closest(".box");
  if (box) box.scrollTop += after.getBoundingClientRect().top - height;
  after.focus({ preventScroll: true });
}

/* The texts of `data-tip`, beside what the pointer, a finger or the keyboard is on. Returns what ends it. */
function tips(root) {
  listening.get(root)?.abort();
  const listeners = new AbortController();
  listening.set(root, listeners);
  const tip = element("div", "tip");
  const hide = () => { tip.hidden = true; };
  const show = (node) => {
    tip.hidden = !node;
    if (!node) return;
    tip.textContent = node.dataset.tip;
    const [spot] = node.getClientRects();
    const own = root.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const below = spot.bottom + GAP;
    const fits = below + size.height <= Math.min(own.bottom, window.innerHeight);
    tip.style.top = `${(fits ? below : spot.top - GAP - size.height) - own.top}px`;
    tip.style.left = `${Math.max(0, Math.min(spot.left - own.left, own.width - size.width))}px`;
  };
  const listen = (target, name, act, capture = false) => {
    target.addEventListener(name, act, { capture, signal: listeners.signal });
  };
  const at = (event) => event.target.closest("[data-tip]");
  listen(root, "pointerover", (event) => show(at(event)));
  listen(root, "pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
  listen(root, "focusin", (event) => { if (event.target.matches(":focus-visible")) show(at(event)); });
  listen(root, "focusout", hide);
  listen(root, "scroll", hide, true);
  listen(document, "pointerdown", (event) => { if (!event.composedPath().includes(root)) hide(); });
  listen(document, "keydown", (event) => { if (event.key === "Escape") hide(); });
  root.append(tip);
  show(root.querySelector("[data-tip]:is(:hover, :focus-visible)"));
  return () => listeners.abort();
}
