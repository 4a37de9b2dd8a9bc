/* Keys for pages and views, a box that lists them, and pictures that fit the window; all of it in the browser. */

const CLOSED = "[role=combobox][aria-expanded=false]"; // a list keeps the focus when one has chosen from it
const USES_KEYS = [
  `input:not([type=range], [type=checkbox], [type=radio], ${CLOSED})`,
  `textarea, select, [contenteditable], iframe, [data-testid=stDataFrame], [role=combobox]:not(${CLOSED})`,
  ...["listbox", "dialog", "menu", "textbox"].map((role) => `[role=${role}]`),
].join();
const SMALLEST = 0.5; // of the own size of all in a picture but its type: closer together, its parts meet
const READABLE = 0.8; // the size of what is too tall even so: it is read part by part
const FREE = 6; // pixels below a picture
const FULL = 0.92; // of the room: a picture that takes less may be larger
const CLOSE = 0.04; // between a size that fits and one that does not: it is left at that
const TRIES = 16; // changes of size until the view is drawn again
const EVERY = 100; // ms between two looks
const MAIN = "[data-testid=stMain]";
const LINKS = "[data-testid=stSidebarNavLink]";
const list = () => [
  ["1 … 9", say("the views of the page")],
  [say("n or ]"), say("the next page")],
  [say("b or ["), say("the page before")],
  ["f", say("fold or unfold the controls")],
  ["s", say("show or hide the sidebar")],
  ["?", say("show or hide this list")],
  ["p", say("leave the projector; Alt + P turns it on again")],
  [say("← → Space"), say("steps, where a page has them")],
  [say("Page Down, Page Up"), say("the stops of a lesson")],
];

const find = (selector) => document.querySelector(selector);

class Projector {
  constructor(root) {
    Object.assign(this, { root, data: { pictures: [] }, zoom: 1, zoomed: [], unfolded: false });
    this.write();
  }

  write() {
    this.spoken = say("Keys to press");
    this.fold = h("button", { onclick: () => this.unfold(!this.unfolded) }, say("Controls"), " ", h("kbd", "f"));
    this.keys = h("button", { onclick: () => this.list(this.box.hidden) }, say("Keys to press"), " ", h("kbd", "?"));
    const leave = h("button", { onclick: () => this.leave() }, say("Leave"), " ", h("kbd", "p"));
    const rows = list().map(([keys, what]) => [h("dt", keys), h("dd", what)]);
    this.close = h("button", { onclick: () => this.list(false) }, say("Close"));
    this.box = h("div.panel", { role: "dialog", label: say("Keys to press") }, h("p.what", say("Keys to press")), h("dl", rows.flat()), this.close);
    this.box.hidden = true;
    this.root.replaceChildren(h("div.bar", this.fold, this.keys, leave), this.box);
    set(this.fold, { pressed: this.unfolded });
  }

  show(data) {
    const other = data.chosen !== this.data.chosen;
    if (this.spoken !== say("Keys to press")) this.write();
    this.data = data;
    if (other) {
      this.unfold(false);
      this.resize(1);
      find(MAIN)?.scrollTo(0, 0);
      this.look();
    }
    this.tries = TRIES;
  }

  unfold(unfolded) {
    this.unfolded = unfolded;
    document.documentElement.toggleAttribute("data-unfolded", unfolded);
    set(this.fold, { pressed: unfolded });
    this.look();
  }

  list(open) {
    this.box.hidden = !open;
    set(this.keys, { pressed: open });
    (open ? this.close : this.keys).focus();
  }

  leave() {
    find(`.st-key-${this.data.switch} button`)?.click();
  }

  /* The page that stands `way` further on in the menu. */
  page(way) {
    const links = [...document.querySelectorAll(LINKS)];
    const here = links.findIndex((link) => new URL(link.href).pathname === window.location.pathname);
    links[here + way]?.click();
  }

  view(place) {
    document.querySelectorAll(`.st-key-${CSS.escape(this.data.view)} [role=radio]`)[place]?.click();
  }

  sidebar() {
    const closed = find("[data-testid=stExpandSidebarButton]");
    (closed ?? find("[data-testid=stSidebarCollapseButton] button"))?.click();
  }

  press(event) {
    const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
    if (key === "Escape" && !this.box.hidden) return this.list(false);
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return undefined;
    if (!event.composedPath().includes(this.root) && isTaken(event, USES_KEYS)) return undefined;
    const acts = {
      n: () => this.page(1),
      "]": () => this.page(1),
      b: () => this.page(-1),
      "[": () => this.page(-1),
      f: () => this.unfold(!this.unfolded),
      s: () => this.sidebar(),
      p: () => this.leave(),
      "?": () => this.list(this.box.hidden),
    };
    const act = /^[1-9]$/.test(key) ? () => this.view(Number(key) - 1) : acts[key];
    if (!act) return undefined;
    event.preventDefault();
    return act();
  }

  pictures() {
    return this.data.pictures.map((picture) => find(`${MAIN} ${picture}`)).filter((node) => node?.offsetHeight);
  }

  resize(zoom) {
    const sized = (size) => this.zoomed.forEach(({ style }) => ["zoom", "--zoom"].forEach((name) => style.setProperty(name, size)));
    sized("");
    Object.assign(this, { zoom, zoomed: this.ours() });
    sized(zoom);
  }

  /* What is ours to make smaller; how tall a chart is, the server decides. */
  ours() {
    return this.pictures().filter((node) => node.querySelector("[data-testid=stBidiComponentIsolated]"));
  }

  /* The room has changed: the size is looked for anew, between the largest that fits and the smallest that does not. */
  look() {
    Object.assign(this, { tries: TRIES, fits: 0, fails: Infinity, scrolls: false });
  }

  /* Makes pictures smaller that end below the window, or under a class or a lesson, but not more than they must be. */
  fit() {
    const nodes = this.pictures();
    document.documentElement.toggleAttribute("data-scrolled", find(MAIN)?.scrollTop > FREE);
    if (this.unfolded || !nodes.length) return;
    const edge = find(".st-key-class, .st-key-lesson")?.getBoundingClientRect().top ?? window.innerHeight;
    if (Math.abs(edge - this.edge) > FREE) this.look();
    this.edge = edge;
    if (this.ours().some((node) => !this.zoomed.includes(node))) this.resize(this.zoom);
    const boxes = nodes.map((node) => node.getBoundingClientRect());
    const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    const wanted = this.wanted(Math.max(this.wide(), (bottom - top) / (edge - FREE - top - find(MAIN).scrollTop)));
    if (wanted === this.zoom || !this.tries) return;
    this.tries -= 1;
    this.resize(this.tries || !this.fits ? wanted : this.fits);
  }

  /* Of what a picture would scroll sideways, the share that is too much. */
  wide() {
    const hosts = this.zoomed.map((node) => node.querySelector("[data-testid=stBidiComponentIsolated]")?.shadowRoot);
    const boxes = hosts.flatMap((root) => [...(root?.querySelectorAll(".scroll") ?? [])]);
    return Math.max(0, ...boxes.map((box) => (box.scrollWidth > box.clientWidth + 1 ? box.scrollWidth / box.clientWidth : 0)));
  }

  /* The size to try next, when the pictures take a share of the room. */
  wanted(share) {
    const { zoom } = this;
    if (share <= 1) {
      this.fits = zoom;
      const known = this.fails - zoom < CLOSE || zoom === 1 || share > FULL;
      return known ? zoom : Math.min(1, (zoom + Math.min(this.fails, zoom / share)) / 2);
    }
    if (zoom <= SMALLEST || this.scrolls) {
      this.scrolls = true;
      return READABLE;
    }
    this.fails = zoom;
    if (this.fits >= zoom) this.fits = 0;
    return this.fits ? (this.fits + zoom) / 2 : Math.max(SMALLEST, 0.9 * zoom);
  }
}

export default function ({ data, parentElement }) {
  speak(data);
  const run = new Run(parentElement);
  const projector = (run.view ??= new Projector(run.root));
  projector.show(data);
  run.on(window, "keydown", (event) => projector.press(event)); // after the components, whose own keys come first
  run.on(window, "resize", () => projector.look());
  const timer = setInterval(() => projector.fit(), EVERY);
  return () => {
    clearInterval(timer);
    run.end();
    if (parentElement.isConnected ?? parentElement.host?.isConnected) return;
    projector.resize(1);
    for (const mark of ["data-unfolded", "data-scrolled"]) document.documentElement.removeAttribute(mark);
  };
}
