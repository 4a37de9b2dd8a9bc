/* Lines from what looks to what is looked at. Hover previews, click locks, Shift extends, Esc or a click outside releases. */

const memory = new WeakMap(); // parentElement → HeadView
const MOST_LINES = 1500; // of all queries together; more are shown by turn
const MOST_SUMMED = 400; // of the lines between turns
const LISTED = 32; // items of a list; more flow as text, if they have turns
const SEND_AFTER = 200; // ms
const CONTROLS = "button, input, select, textarea, a, label, summary, canvas, [role=button], [role=option], [role=radio], [role=tab], [role=slider], [role=combobox], [role=dialog]";

class HeadView {
  constructor(root, data) {
    this.root = root;
    this.preview = null; // {side: "row" | "column", index}
    this.take(data);
    this.adopt(data);
    this.build();
  }

  take(data) {
    this.data = data;
    this.groups = { row: gather(data.rows), column: gather(data.columns) };
    this.all = data.rows.map((_, index) => index);
    if (this.packed === data.weights) return;
    this.packed = data.weights;
    this.weights = new Weights(unpack(data.weights), data.count, data.rows.length, data.columns.length, data.causal);
    this.byGroup = undefined;
  }

  adopt(data) {
    clearTimeout(this.message);
    this.version = data.version;
    this.locked = data.locked;
    this.heads = data.heads;
    this.share = data.share;
  }

  build() {
    const { data } = this;
    this.state = element("p", "state");
    this.facts = element("div", "facts");
    this.facts.setAttribute("aria-live", "polite");
    this.canvas = element("canvas");
    this.sides = { row: buildSide(this, "row", data.rows), column: buildSide(this, "column", data.columns) };
    const stage = element("div", "stage");
    const gutter = element("div", "gutter");
    gutter.append(this.canvas);
    stage.append(this.sides.row.frame, gutter, this.sides.column.frame);
    const [left, right] = data.direction;
    const heading = element("div", "heading");
    heading.append(element("span", "", `${left} →`), element("span", "", `→ ${right}`));
    const hint = "Point at the left to see what a word or turn looks at, at the right to see what looks at it. Click or Enter locks, Shift extends, Esc releases.";
    this.root.replaceChildren(this.toolbar(), element("p", "hint", hint), heading, stage, this.state, this.facts);
    this.gutter = gutter;
  }

  toolbar() {
    const { data } = this;
    const bar = element("div", "toolbar");
    const heads = element("div", "heads");
    heads.setAttribute("role", "group");
    heads.setAttribute("aria-label", "Heads");
    this.chips = Array.from({ length: data.count }, (_, head) => {
      const box = element("span", "head");
      const chip = button("chip", this.data.names[head], () => this.flip(head));
      chip.ondblclick = () => this.solo(head);
      chip.title = "Click: on or off. Double-click: only this head.";
      const only = button("only", "only", () => this.solo(head));
      only.setAttribute("aria-label", `Only head ${head + 1}`);
      box.append(chip, only);
      heads.append(box);
      return chip;
    });
    this.everything = button("all", "All", () => this.show(data.count));
    heads.append(this.everything);
    const label = element("label", "share");
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: 10, max: 100, step: 5 });
    this.slider.oninput = () => { this.share = this.slider.valueAsNumber / 100; this.changed(); };
    this.shareText = element("span", "value");
    label.append(element("span", "", "Top share of mass"), this.slider, this.shareText);
    this.counted = element("span", "count");
    this.counted.setAttribute("role", "status");
    bar.append(element("p", "title", data.title), heads, label, this.counted);
    return bar;
  }

  /* Speakers have the first colours, as on the Summarize page, and heads the ones after them, if there are enough. */
  speakerColor(speaker) {
    const colors = palette(this.root);
    return speaker < 0 ? "var(--st-gray-color)" : colors[speaker % colors.length];
  }

  look(side, token) {
    const index = token ? Number(token.dataset.index) : -1;
    const next = index < 0 ? null : { side, index };
    if (next?.side === this.preview?.side && next?.index === this.preview?.index) return;
    this.preview = next;
    this.ask();
  }

  lock(span) {
    this.locked = span;
    this.changed();
  }

  flip(head) {
    const on = this.heads.includes(head);
    if (on && this.heads.length === 1) {
      this.note = "The last head stays on.";
      this.ask();
      return;
    }
    this.heads = on ? this.heads.filter((other) => other !== head) : [...this.heads, head].sort((a, b) => a - b);
    this.changed();
  }

  solo(head) {
    if (this.heads.length === 1 && this.heads[0] === head) this.show(this.data.count);
    else { this.heads = [head]; this.changed(); }
  }

  show(count) {
    this.heads = Array.from({ length: count }, (_, head) => head);
    this.changed();
  }

  /* Somebody changed something: draw it, and tell Python when it has been quiet for a moment. */
  changed() {
    this.note = "";
    this.ask();
    clearTimeout(this.message);
    this.message = setTimeout(() => {
      if (!this.root.isConnected) return;
      // The version makes a message after a jump from Python another: Streamlit drops one that equals the last.
      this.send("view", { locked: this.locked, heads: this.heads, share: this.share, version: this.version });
    }, SEND_AFTER);
  }

  key(event, side, index) {
    const { tokens } = this.sides[side];
    const moves = {
      ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1, Home: 0, End: tokens.length - 1,
    };
    if (event.key in moves) {
      const next = Math.min(Math.max(moves[event.key], 0), tokens.length - 1);
      if (side === "row" && event.shiftKey && next !== index) this.lock(stretched(this.locked, index, next));
      tokens.forEach((token, place) => { token.tabIndex = place === next ? 0 : -1; });
      tokens[next].focus();
    } else if ((event.key === "Enter" || event.key === " ") && side === "row") {
      this.lock(clicked(this.locked, index, event.shiftKey));
    } else return;
    event.preventDefault();
  }

  escape(event) {
    if (event.key !== "Escape" || !this.locked) return;
    this.preview = null;
    this.lock(null);
  }

  /* A click on empty space releases; one on a control or a word, here or elsewhere on the page, does not. */
  outside(event) {
    if (!this.locked) return;
    const kept = (node) => node === this.facts || (node instanceof Element && (node.matches(".token") || (node !== this.canvas && node.matches(CONTROLS))));
    if (!event.composedPath().some(kept)) this.lock(null);
  }

  ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = undefined; this.draw(); });
  }

  /* The queries whose lines are drawn: the previewed one, else the locked ones, else null for all. */
  active() {
    if (this.preview?.side === "row") return [this.preview.index];
    return this.locked ? this.all.slice(this.locked[0], this.locked[1] + 1) : null;
  }

  draw() {
    const active = this.active();
    const key = this.preview?.side === "column" ? this.preview.index : -1;
    const rows = active ?? this.all;
    const found = this.find(rows, key, Boolean(active));
    this.counted.textContent = `${count(found.drawn)} of ${count(found.possible)} lines`;
    this.state.textContent = this.note || stateInWords(this, found);
    this.state.classList.toggle("locked", Boolean(this.locked || this.note));
    this.shadeTokens(found.grouped ? [] : found.lines, active, key);
    const { row, column } = this.sides;
    const anchors = found.grouped ? { row: row.blocks, column: column.blocks } : { row: row.tokens, column: column.tokens };
    this.hidden = paintLines(this, found.lines, anchors);
    this.badge();
    this.controls();
    this.facts.replaceChildren(...(active ? factsInWords(this, active, key) : []));
  }

  /* The lines to draw, how many there would be without the limits, and how many pairs there are. */
  find(rows, key, chosen) {
    const kept = this.weights.count(this.heads, rows, this.share);
    const grouped = !chosen && key < 0 && kept > MOST_LINES && this.grouped();
    const weights = grouped ? this.byGroup : this.weights;
    const from = grouped ? this.groups.row.map((_, index) => index) : rows;
    let possible = weights.possible(this.heads, from);
    let lines = weights.lines(this.heads, from, this.share);
    if (key >= 0) {
      lines = lines.filter(([, , column]) => column === key);
      possible = this.heads.length * rows.filter((row) => key < weights.visible(row)).length;
    }
    const summed = lines.length;
    const most = grouped ? MOST_SUMMED : MOST_LINES;
    if (summed > most) lines = lines.sort((a, b) => b[3] - a[3]).slice(0, most);
    return { lines, grouped, possible, summed, drawn: lines.length, kept: grouped ? kept : summed };
  }

  grouped() {
    const { row, column } = this.groups;
    if (row.length === this.data.rows.length && column.length === this.data.columns.length) return false;
    this.byGroup ??= this.weights.gathered(row, column);
    return true;
  }

  /* Keys carry a stripe a head, darker with more weight; what has no line fades. */
  shadeTokens(lines, active, key) {
    const sums = { row: new Map(), column: new Map() };
    const add = (side, index, head, weight) => {
      if (!sums[side].has(index)) sums[side].set(index, new Map());
      const own = sums[side].get(index);
      own.set(head, (own.get(head) || 0) + weight);
    };
    for (const [head, row, column, weight] of lines) {
      add("column", column, head, weight / (active?.length || 1));
      if (key >= 0) add("row", row, head, weight);
    }
    const quiet = !active && key < 0;
    for (const side of ["row", "column"]) {
      this.sides[side].tokens.forEach((token, index) => {
        const own = sums[side].get(index);
        const chosen = side === "row" ? active?.includes(index) : index === key;
        token.classList.toggle("faded", !quiet && !own && !chosen);
        token.classList.toggle("shown", Boolean(chosen));
        token.style.background = own && !quiet ? this.stripes(own) : "";
        if (side === "row") {
          const locked = this.locked && index >= this.locked[0] && index <= this.locked[1];
          token.classList.toggle("locked", Boolean(locked));
          token.setAttribute("aria-selected", String(Boolean(locked)));
        }
      });
    }
  }

  stripes(own) {
    const parts = this.heads.map((head, place) => {
      const amount = Math.min(Math.round(95 * Math.sqrt(own.get(head) || 0)), 58);
      const [from, to] = [place, place + 1].map((edge) => `${((100 * edge) / this.heads.length).toFixed(2)}%`);
      return `color-mix(in srgb, ${this.colors[head]} ${amount}%, transparent) ${from} ${to}`;
    });
    return `linear-gradient(to right, ${parts.join(", ")})`;
  }

  badge() {
    for (const side of ["row", "column"]) {
      ["above", "below"].forEach((where, place) => {
        const more = this.hidden[side][where].size;
        const badge = this.sides[side].badges[place];
        badge.hidden = !more;
        badge.textContent = `${place ? "↓" : "↑"} ${more} more`;
        badge.title = `${more} more ${where}: scroll to the nearest`;
      });
    }
  }

  reveal(side, where) {
    const { scroll } = this.sides[side];
    const nodes = [...this.hidden[side][where]].sort((a, b) => a.offsetTop - b.offsetTop);
    const nearest = where === "above" ? nodes.at(-1) : nodes[0];
    if (nearest) scroll.scrollTop = nearest.offsetTop - scroll.clientHeight / 2;
  }

  controls() {
    this.chips.forEach((chip, head) => {
      const on = this.heads.includes(head);
      chip.setAttribute("aria-pressed", String(on));
      chip.style.setProperty("--own", this.colors[head]);
    });
    this.slider.value = Math.round(100 * this.share);
    this.slider.style.setProperty("--done", `${(100 * (this.share - 0.1)) / 0.9}%`);
    this.shareText.textContent = `${Math.round(100 * this.share)}\u00a0%`;
  }

  dress() {
    const colors = palette(this.root);
    const used = this.data.speakers.length;
    const shift = used + this.data.count <= colors.length ? used : 0;
    this.colors = Array.from({ length: this.data.count }, (_, head) => colors[(head + shift) % colors.length]);
    this.inks = this.colors.map((color) => `rgb(${rgb(this.root, color)})`);
    for (const side of ["row", "column"]) {
      const items = side === "row" ? this.data.rows : this.data.columns;
      this.sides[side].blocks.forEach((block, place) => {
        const first = items[this.groups[side][place][0]];
        if (first.group !== null) block.style.setProperty("--own", this.speakerColor(first.speaker));
      });
    }
    this.fit();
  }

  /* A list shall fit the window: its lines come closer, down to 18 pixels. */
  fit() {
    const longest = Math.max(0, ...[this.data.rows, this.data.columns].filter((items) => !flows(items)).map((items) => items.length));
    this.root.style.setProperty("--slot", `${Math.min(Math.max(Math.floor((0.55 * window.innerHeight) / longest), 18), 24)}px`);
    this.draw();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const text = JSON.stringify([data.rows, data.columns, data.count, data.direction, data.causal]);
  const kept = before?.text === text;
  if (before && !kept) clearTimeout(before.message);
  const view = kept ? before : new HeadView(root, data);
  if (kept) {
    view.take(data);
    view.root.querySelector(".title").textContent = data.title;
    if (view.version !== data.version) view.adopt(data);
  }
  Object.assign(view, { text, send: setStateValue });
  memory.set(parentElement, view);
  view.listeners = new AbortController();
  const { signal } = view.listeners;
  document.addEventListener("keydown", (event) => view.escape(event), { signal });
  document.addEventListener("click", (event) => view.outside(event), { signal });
  const observer = new ResizeObserver(() => view.ask());
  observer.observe(view.gutter);
  signal.addEventListener("abort", () => observer.disconnect());
  view.dress();
  return () => view.listeners.abort();
}
