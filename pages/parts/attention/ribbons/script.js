/* Ribbons from words or sentences to turns. What is pointed at shows its ribbons, a click on a label locks them. */

const WIDEST = 56; // pixels of the bundle of the turn that receives most
const SIDES = ["row", "column"];

class Ribbons extends Reader {
  constructor(root, data) {
    super({ root, data }); // values: {side, index}; a preview also {row, column}, a ribbon
    const { rows, columns, share } = data;
    const weights = this.weights = new Weights(data);
    this.received = columns.map((_, column) => rows.reduce((sum, _item, row) => sum + weights.at(0, row, column), 0));
    this.most = Math.max(...this.received, 1e-9);
    this.kept = rows.flatMap((_, row) => {
      const found = Array.from(weights.kept(0, row, share), (column) => ({ row, column, weight: weights.at(0, row, column) }));
      const sum = found.reduce((total, { weight }) => total + weight, 0);
      return found.map((each) => ({ ...each, part: each.weight / sum }));
    });
    this.build();
  }

  build() {
    const { data } = this;
    this.picture = h("svg.picture", { "aria-hidden": true });
    const [left, right] = SIDES.map((side) => this.side(side, data[`${side}s`]));
    this.stage = h("div.stage", left, this.picture, right);
    reads(this, this.stage, SIDES.flatMap((side) => this[side].map((label, index) => [label, { side, index }])));
    this.line = h("p.line", { live: "polite" });
    this.state = h("p.state");
    const [from, to] = data.axes;
    this.root.replaceChildren(h("p.title", data.title), h("div.heading", h("span", `${from} →`), h("span", `→ ${to}`)), this.stage, this.legend(), this.line, this.state);
  }

  side(side, items) {
    const { speakers, rows, axes } = this.data;
    this[side] = items.map((item, index) => {
      const detail = [speakers[item.speaker], item.detail].filter(Boolean).join(": ");
      const more = side === "column" && [text("span.detail", detail), h("span.share", percent(this.received[index] / rows.length))];
      const attributes = { role: "option", label: more ? null : item.name, style: { "--own": speakerColor(item.speaker ?? -1) }, onkeydown: (event) => this.key(event, side, index) };
      return h(`div.item${item.special ? ".special" : ""}`, attributes, text("span.text", item.text), ...(more || []));
    });
    stop(this[side], this[side][0]);
    return h(`div.side.${side}`, { role: "listbox", label: axes[side === "row" ? 0 : 1] }, this[side]);
  }

  legend() {
    const { data, received, most } = this;
    const widest = data.columns[received.indexOf(most)];
    const share = Math.round(100 * data.share);
    const values = { widest: widest?.name ?? say("none"), received: percent(most / data.rows.length), share: `${share}\u00a0%` };
    const scaled = data.looks
      ? say("Every bundle on the left is equally wide; one on the right is as wide as the attention that it receives from all, on one scale. The widest: {widest}, {received}.", values)
      : say("A bundle on the right is as wide as what comes from there into all rows, on one scale. The widest: {widest}, {received}.", values);
    const cut = share < 100 && (data.looks
      ? say("Ribbons: of each word, the largest weights that make up {share} of its attention; the grey rest of a bundle are smaller ones.", values)
      : say("Ribbons: of each row, the largest shares that make up {share} of it; the grey rest of a bundle are smaller ones.", values));
    const names = data.speakers.map((name, speaker) => h("span.entry", h("span.sample", { style: { background: speakerColor(speaker) } }), h("bdi", name)));
    return h("div.legend", h("span", cut ? `${scaled} ${cut}` : scaled), names);
  }

  lock({ side, index }) {
    const again = this.locked?.side === side && this.locked.index === index;
    this.hold(again ? null : { side, index });
  }

  hold(locked) {
    this.locked = locked;
    this.draw();
    this.send("pick", locked ?? { side: null, index: null });
  }

  key(event, side, index) {
    const labels = this[side];
    const [down, over] = STEPS[event.key] ?? [];
    const other = over && this[SIDES[over < 0 ? 0 : 1]];
    let next = down ? labels[clamp(index + down, 0, labels.length - 1)] : { Home: labels[0], End: labels.at(-1) }[event.key];
    if (other && other !== labels) next = other.find((label) => label.tabIndex === 0);
    if (next) next.focus();
    else if (event.key === "Enter" || event.key === " ") this.lock({ side, index });
    else return;
    event.preventDefault();
  }

  /* Slots as high as a line of text or the bundle; then the bundles' places side by side. */
  layout() {
    const { data, received, most } = this;
    const line = data.columns.length > 40 ? 18 : 24;
    const widths = received.map((sum) => (WIDEST * sum) / most);
    let slots = widths.map((width) => Math.max(width + 5, line));
    const total = slots.reduce((sum, slot) => sum + slot, 0);
    const slot = clamp(total / Math.max(data.rows.length, 1), 24, 44);
    this.word = Math.min(slot - 6, 20);
    const height = Math.ceil(Math.max(total, slot * data.rows.length));
    slots = slots.map((size) => size + (height - total) / slots.length);
    this.stage.style.height = `${height}px`;
    this.root.style.setProperty("--line", `${line}px`);
    const centres = (sizes) => {
      let place = 0;
      return sizes.map((size) => { place += size; return place - size / 2; });
    };
    this.row.forEach((label) => { label.style.height = `${slot}px`; });
    this.column.forEach((label, index) => { label.style.height = `${slots[index]}px`; });
    this.paint(centres(data.rows.map(() => slot)), centres(slots), widths, height);
  }

  paint(rows, columns, widths, height) {
    const width = this.picture.clientWidth;
    set(this.picture, { viewBox: `0 0 ${width} ${height}` });
    const bar = (x, centre, thick) => h("rect.bundle", { x, y: centre - thick / 2, width: 5, height: Math.max(thick, 0.5) });
    const bars = [...rows.map((centre) => bar(0, centre, this.word)), ...columns.map((centre, index) => bar(width - 5, centre, widths[index]))];
    const starts = rows.map((centre) => centre - this.word / 2);
    const ends = columns.map((centre, index) => centre - widths[index] / 2);
    const byColumn = [...this.kept].sort((a, b) => a.row - b.row || a.column - b.column);
    this.paths = byColumn.map((each) => {
      const { row, column } = each;
      const thick = [each.part * this.word, (each.weight / this.most) * WIDEST];
      const [from, to] = [starts[row], ends[column]];
      starts[row] += thick[0];
      ends[column] += thick[1];
      const [near, middle, far] = [5, width / 2, width - 5];
      const d = `M${near} ${from}C${middle} ${from} ${middle} ${to} ${far} ${to}V${to + thick[1]}C${middle} ${to + thick[1]} ${middle} ${from + thick[0]} ${near} ${from + thick[0]}Z`;
      const path = h("path.ribbon", { d, onpointerenter: () => this.look({ row, column }), onpointerleave: () => this.look(null) });
      return { path, ...each };
    });
    this.picture.replaceChildren(...bars, ...this.paths.map(({ path }) => path));
    this.draw();
  }

  draw() {
    const { locked, data } = this;
    const shown = this.preview ?? locked;
    const lit = ({ row, column }) => !shown || (shown.side ? { row, column }[shown.side] === shown.index : shown.row === row && shown.column === column);
    const touched = { row: new Set(), column: new Set() };
    for (const each of this.paths ?? []) {
      each.path.classList.toggle("pale", !lit(each));
      if (lit(each)) SIDES.forEach((side) => touched[side].add(each[side]));
    }
    for (const side of SIDES) {
      this[side].forEach((label, index) => {
        const own = shown?.side === side && shown.index === index;
        const held = locked?.side === side && locked.index === index;
        label.classList.toggle("faded", Boolean(shown) && !own && !touched[side].has(index));
        label.classList.toggle("shown", own);
        label.classList.toggle("locked", held);
        set(label, { selected: held });
      });
    }
    this.line.textContent = this.fact(shown);
    const count = say("{shown} of {all} ribbons are drawn.", { shown: counted(this.kept.length), all: counted(data.rows.length * data.columns.length) });
    const name = locked && data[`${locked.side}s`][locked.index].name;
    const state = name ? [say("Locked: {name}.", { name }), RELEASE].join(" ") : say("Point at a label or a ribbon to read it; click or Enter locks a label.");
    this.state.textContent = `${count} ${state}`;
  }

  fact(shown) {
    const { rows, columns } = this.data;
    if (!shown) return "";
    if (!shown.side) {
      const weight = numeral(this.weights.at(0, shown.row, shown.column));
      const pair = { query: rows[shown.row].name, key: columns[shown.column].name };
      return this.data.looks ? say("{query} looks at {key}: {weight}", { ...pair, weight }) : `${inWords(this.data, pair)}: ${weight}`;
    }
    const other = shown.side === "row" ? "column" : "row";
    const own = this.kept.filter((each) => each[shown.side] === shown.index).sort((a, b) => b.weight - a.weight).slice(0, 5);
    const named = own.map((each) => `${this.data[`${other}s`][each[other]].name} ${numeral(each.weight)}`).join(" · ");
    if (shown.side === "row" && !this.data.looks) return `${rows[shown.index].name} ← ${named}`;
    if (shown.side === "row") return say("{query} looks most at {keys}", { query: rows[shown.index].name, keys: named });
    const values = { key: columns[shown.index].name, share: percent(this.received[shown.index] / rows.length), queries: named };
    if (!this.data.looks) return `${values.key} (${values.share}) → ${named}`;
    return named ? say("{key} receives {share} of the attention; most from {queries}", values) : say("{key} receives {share} of the attention", values);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const before = run.view;
  const shown = JSON.stringify(data);
  const names = JSON.stringify([data.rows, data.columns]);
  const view = before?.shown === shown ? before : new Ribbons(run.root, data);
  if (before?.names === names) view.locked = before.locked;
  run.view = Object.assign(view, { shown, names, send: setTriggerValue });
  releases(run, view, ", .ribbon, .line");
  run.resized(run.root, () => view.layout());
  view.layout();
  return run.end;
}
