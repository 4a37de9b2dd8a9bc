/* Lines from what looks to what is looked at. What is pointed at shows its lines, a click locks a word, Shift extends. */

const MOST_LINES = 1500; // of all queries together; more are shown by turn
const MOST_SUMMED = 400; // of the lines between turns
const LISTED = 32; // items of a list; more flow as text, if they have turns
const LEAST = 18; // pixels of a line of a list
const LOOSE = 1.5; // heights of its type, of a line where there is room
const CLOSE = 1.12; // a line of a list in heights of its type; where there is less room, it flows as text
const SEND_AFTER = 200; // ms of rest before Python hears of more than the first change

class HeadView extends Reader {
  constructor(run, data) {
    super({ root: run.root }); // preview: {side: "row" | "column", index}
    this.tell = promptly(SEND_AFTER, () => {
      // The version makes a message after a jump from Python another: Streamlit drops one that equals the last.
      if (this.root.isConnected) this.send("view", { locked: this.locked, heads: this.heads, share: this.share, version: this.version });
    });
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
    this.weights = new Lines(data);
    this.byGroup = undefined;
  }

  adopt(data) {
    this.tell.forget();
    const { version, locked, heads, share } = data;
    Object.assign(this, { version, locked, heads, share });
  }

  build() {
    const { data } = this;
    this.state = h("p.state");
    this.facts = h("div.facts", { live: "polite" });
    this.canvas = h("canvas");
    this.sides = { row: buildSide(this, "row", data.rows), column: buildSide(this, "column", data.columns) };
    this.gutter = h("div.gutter", this.canvas);
    const stage = h("div.stage", this.sides.row.frame, this.gutter, this.sides.column.frame);
    const [left, right] = data.axes;
    const hint = data.looks
      ? say("Point at the left to see what a word or turn looks at, at the right to see what looks at it. Click or Enter locks, Shift extends, Esc releases.")
      : say("Point at the left to see what arrives at a word or turn, at the right to see where it arrives. Click or Enter locks, Shift extends, Esc releases.");
    this.root.replaceChildren(this.toolbar(), h("p.hint", hint), h("div.heading", h("span", `${left} →`), h("span", `→ ${right}`)), stage, this.state, this.facts);
  }

  toolbar() {
    const { count, names, title, looks } = this.data;
    this.chips = names.map((name, head) => h("button.chip", { title: say("Point at it: only its lines are strong. Click: on or off. Double-click: only this head."), onpointerenter: () => this.point(head), onpointerleave: () => this.point(null), onclick: () => this.flip(head), ondblclick: () => this.solo(head) }, name));
    const heads = this.chips.map((chip, head) => h("span.head", chip, h("button.only", { label: say("only head {number}", { number: head + 1 }), onclick: () => this.solo(head) }, say("only"))));
    this.slider = h("input", { type: "range", min: 10, max: 100, step: 5, oninput: () => { this.share = this.slider.valueAsNumber / 100; this.changed(); } });
    this.shareText = h("span.value");
    this.counted = h("span.count", { role: "status" });
    const all = h("button.all", { onclick: () => this.show(count) }, say("All"));
    const share = h("label.share", h("span", looks ? say("Top share of attention") : say("Top share of each row")), this.slider, this.shareText);
    return h("div.toolbar", h("p.title", title), h("div.heads", { role: "group", label: say("Heads") }, heads, all), share, this.counted);
  }

  point(head) {
    this.pointed = head !== null && this.heads.includes(head) ? head : null;
    this.draw();
  }

  /* A click on a word; on the right, where a finger has no hover, it only shows. */
  lock(place, event) {
    if (place.side === "column") this.look(place);
    else {
      this.preview = null;
      this.hold(clicked(this.locked, place.index, event.shiftKey));
    }
  }

  hold(locked) {
    this.locked = locked;
    this.changed();
  }

  flip(head) {
    const on = this.heads.includes(head);
    if (on && this.heads.length === 1) {
      this.note = say("The last head stays on.");
      this.draw();
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
    this.draw();
    this.tell();
  }

  key(event, side, index) {
    const { tokens } = this.sides[side];
    const step = STEPS[event.key];
    const next = step ? clamp(index + step[0] + step[1], 0, tokens.length - 1) : { Home: 0, End: tokens.length - 1 }[event.key];
    if (next !== undefined) {
      if (side === "row" && event.shiftKey && next !== index) this.hold(stretched(this.locked, index, next));
      tokens[next].focus();
    } else if ((event.key === "Enter" || event.key === " ") && side === "row") this.hold(clicked(this.locked, index, event.shiftKey));
    else return;
    event.preventDefault();
  }

  /* In the next frame, once, however often it is asked for. */
  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = undefined; this.paint(); });
  }

  /* The queries whose lines are drawn: the previewed one, else the locked ones, else null for all. */
  active() {
    if (this.preview?.side === "row") return [this.preview.index];
    return this.locked ? this.all.slice(this.locked[0], this.locked[1] + 1) : null;
  }

  paint() {
    const active = this.active();
    const key = this.preview?.side === "column" ? this.preview.index : -1;
    const rows = active ?? this.all;
    const found = this.find(rows, key, Boolean(active));
    this.counted.textContent = say("{shown} of {all} lines", { shown: counted(found.drawn), all: counted(found.possible) });
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
    if (grouped) possible = summed; // as the line under the picture counts them
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
    const sums = { row: {}, column: {} }; // side → place → head → weight
    const add = (side, index, head, weight) => {
      const own = sums[side][index] ??= {};
      own[head] = (own[head] ?? 0) + weight;
    };
    for (const [head, row, column, weight] of lines) {
      add("column", column, head, weight / (active?.length || 1));
      if (key >= 0) add("row", row, head, weight);
    }
    const quiet = !active && key < 0;
    for (const side of ["row", "column"]) {
      this.sides[side].tokens.forEach((token, index) => {
        const own = sums[side][index];
        const chosen = side === "row" ? active?.includes(index) : index === key;
        token.classList.toggle("faded", !quiet && !own && !chosen);
        token.classList.toggle("shown", Boolean(chosen));
        token.style.background = own && !quiet ? this.stripes(own) : "";
        if (side === "row") {
          const locked = this.locked && index >= this.locked[0] && index <= this.locked[1];
          token.classList.toggle("locked", Boolean(locked));
          set(token, { selected: Boolean(locked) });
        }
      });
    }
  }

  stripes(own) {
    const parts = this.heads.map((head, place) => {
      const amount = Math.min(Math.round(95 * Math.sqrt(own[head] || 0)), 58);
      const [from, to] = [place, place + 1].map((edge) => `${((100 * edge) / this.heads.length).toFixed(2)}%`);
      return `color-mix(in srgb, var(--attention) ${amount}%, transparent) ${from} ${to}`;
    });
    return `linear-gradient(to right, ${parts.join(", ")})`;
  }

  badge() {
    for (const side of ["row", "column"]) {
      ["above", "below"].forEach((where, place) => {
        const more = this.hidden[side][where].size;
        const words = say("{count} more", { count: more });
        const badge = Object.assign(this.sides[side].badges[place], { hidden: !more, textContent: `${place ? "↓" : "↑"} ${words}` });
        badge.title = place ? say("{count} more below: scroll to the nearest", { count: more }) : say("{count} more above: scroll to the nearest", { count: more });
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
    this.chips.forEach((chip, head) => set(chip, { pressed: this.heads.includes(head) }));
    this.slider.value = Math.round(100 * this.share);
    this.slider.style.setProperty("--done", `${(100 * (this.share - 0.1)) / 0.9}%`);
    this.shareText.textContent = `${Math.round(100 * this.share)}\u00a0%`;
  }

  dress() {
    this.ink = `rgb(${rgb(this.root, "var(--attention)")})`;
    for (const side of ["row", "column"]) {
      const items = side === "row" ? this.data.rows : this.data.columns;
      this.sides[side].blocks.forEach((block, place) => {
        const first = items[this.groups[side][place][0]];
        if (first.group !== null) block.style.setProperty("--own", speakerColor(first.speaker));
      });
    }
    this.fit();
  }

  /* A list shall fit the window: its lines come closer, and on a projector or in a lesson its words flow as text. */
  fit() {
    const whole = getComputedStyle(this.root).getPropertyValue("--minor") === "none";
    let slot = LOOSE * parseFloat(getComputedStyle(this.root).fontSize);
    for (const side of ["row", "column"]) {
      const { frame, scroll, tokens } = this.sides[side];
      const items = this.data[`${side}s`];
      const [room, type] = [getComputedStyle(scroll).maxHeight, getComputedStyle(tokens[0]).fontSize].map(parseFloat);
      const line = Math.floor(room / items.length - 0.5);
      const flows = !items.some((item) => item.detail) && ((whole && line < CLOSE * type) || (items.length > LISTED && items.some((item) => item.group !== null)));
      frame.classList.toggle("flow", flows);
      frame.classList.toggle("list", !flows);
      if (!flows) slot = clamp(line, LEAST, slot);
    }
    this.root.style.setProperty("--slot", `${slot}px`);
    this.paint();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  speak(data);
  const run = new Run(parentElement);
  const before = run.view;
  const shown = JSON.stringify([data.rows, data.columns, data.count, data.axes, data.causal]);
  const kept = before?.shown === shown;
  if (!kept) before?.tell.forget();
  const view = kept ? before : new HeadView(run, data);
  if (kept) {
    view.take(data);
    view.root.querySelector(".title").textContent = data.title;
    if (view.version !== data.version) view.adopt(data);
  }
  run.view = Object.assign(view, { shown, send: setStateValue });
  releases(run, view, ", .token, .facts");
  run.resized(view.gutter, () => view.fit());
  view.dress();
  return run.end;
}
