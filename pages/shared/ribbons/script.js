/* Ribbons from words or sentences to turns. Hover previews, click locks; Esc, a click outside or a second click releases. */

const memory = new WeakMap(); // parentElement → Ribbons
const WIDEST = 56; // pixels of the bundle of the turn that receives most
const CONTROLS = "button, input, select, textarea, a, label, summary, [role=button], [role=option], [role=radio], [role=tab], [role=slider], [role=combobox], [role=dialog]";

function svg(tag, className) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  node.setAttribute("class", className);
  return node;
}

function percent(share) {
  return share > 0 && share < 0.001 ? "under 0.1\u00a0%" : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}\u00a0%`;
}

class Ribbons {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.locked = null; // {side, index}
    this.preview = null; // {side, index}, or {row, column} for a ribbon
    this.measure();
    this.build();
  }

  measure() {
    const { rows, columns, share } = this.data;
    const weights = unpack(this.data.weights);
    this.at = (row, column) => weights[row * columns.length + column] / UNIT;
    this.received = columns.map((_, column) => rows.reduce((sum, _item, row) => sum + this.at(row, column), 0));
    this.most = Math.max(...this.received, 1e-9);
    this.kept = [];
    rows.forEach((_, row) => {
      const order = columns.map((_item, column) => column).sort((a, b) => this.at(row, b) - this.at(row, a));
      const total = order.reduce((sum, column) => sum + this.at(row, column), 0);
      let sum = 0;
      const own = [];
      for (const column of order) {
        if (sum >= share * total - 1e-6) break;
        own.push({ row, column, weight: this.at(row, column) });
        sum += this.at(row, column);
      }
      for (const each of own) this.kept.push(Object.assign(each, { part: each.weight / sum }));
    });
  }

  build() {
    const { data } = this;
    const heading = element("div", "heading");
    heading.append(element("span", "", `${data.direction[0]} →`), element("span", "", `→ ${data.direction[1]}`));
    const stage = element("div", "stage");
    const [left, right] = ["row", "column"].map((side) => this.side(side, side === "row" ? data.rows : data.columns));
    this.picture = svg("svg", "picture");
    this.picture.setAttribute("aria-hidden", "true");
    stage.append(left, this.picture, right);
    this.stage = stage;
    this.line = element("p", "line");
    this.line.setAttribute("aria-live", "polite");
    this.state = element("p", "state");
    this.root.replaceChildren(element("p", "title", data.title), heading, stage, this.legend(), this.line, this.state);
  }

  side(side, items) {
    const list = element("div", `side ${side}`);
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", this.data.direction[side === "row" ? 0 : 1]);
    this[side] = items.map((item, index) => {
      const label = element("div", item.special ? "item special" : "item");
      const text = element("span", "text", item.text);
      text.dir = "auto";
      label.append(text);
      if (side === "column") {
        const detail = element("span", "detail", [this.data.speakers[item.speaker], item.detail].filter(Boolean).join(": "));
        detail.dir = "auto";
        label.append(detail, element("span", "share", percent(this.received[index] / this.data.rows.length)));
      }
      label.tabIndex = index ? -1 : 0;
      label.setAttribute("role", "option");
      label.setAttribute("aria-label", item.name);
      label.onpointerenter = (event) => { if (event.pointerType !== "touch") this.look({ side, index }); };
      label.onpointerleave = () => this.look(null);
      label.onfocus = () => { if (label.matches(":focus-visible")) this.look({ side, index }); };
      label.onblur = () => this.look(null);
      label.onclick = () => this.lock(side, index);
      label.onkeydown = (event) => this.key(event, side, index);
      list.append(label);
      return label;
    });
    return list;
  }

  legend() {
    const { data, received, most } = this;
    const widest = data.columns[received.indexOf(most)];
    const box = element("div", "legend");
    const share = Math.round(100 * data.share);
    const scale = `Every bundle on the left is equally wide; one on the right is as wide as the attention that it receives from all, on one scale. The widest: ${widest?.name ?? "none"}, ${percent(most / data.rows.length)}.`;
    const cut = share < 100 ? ` Ribbons: of each word, the largest weights that make up ${share}\u00a0% of its attention; the grey rest of a bundle are smaller ones.` : "";
    box.append(element("span", "", scale + cut));
    data.speakers.forEach((name, speaker) => {
      const item = element("span", "speaker");
      const sample = element("span", "sample");
      sample.style.background = this.color(speaker);
      const text = element("bdi", "", name);
      item.append(sample, text);
      box.append(item);
    });
    return box;
  }

  color(speaker) {
    const colors = palette(this.root);
    return speaker < 0 ? "var(--st-gray-color)" : colors[speaker % colors.length];
  }

  look(preview) {
    this.preview = preview;
    this.mark();
  }

  lock(side, index) {
    const again = this.locked?.side === side && this.locked.index === index;
    this.locked = again ? null : { side, index };
    this.mark();
    this.send("pick", this.locked ?? { side: null, index: null });
  }

  release() {
    if (this.locked) this.lock(this.locked.side, this.locked.index);
  }

  key(event, side, index) {
    const labels = this[side];
    const moves = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: labels.length - 1 };
    const across = { ArrowLeft: "row", ArrowRight: "column" }[event.key];
    let next;
    if (event.key in moves) next = labels[Math.min(Math.max(moves[event.key], 0), labels.length - 1)];
    else if (across && across !== side) next = this[across].find((label) => label.tabIndex === 0);
    else if (event.key === "Enter" || event.key === " ") this.lock(side, index);
    else return;
    event.preventDefault();
    if (!next) return;
    for (const label of event.key in moves ? labels : []) label.tabIndex = label === next ? 0 : -1;
    next.focus();
  }

  /* Slots as high as a line of text or the bundle; then the bundles' places side by side. */
  layout() {
    const { data, received, most } = this;
    const line = data.columns.length > 40 ? 18 : 23;
    const widths = received.map((sum) => (WIDEST * sum) / most);
    let slots = widths.map((width) => Math.max(width + 5, line));
    const total = slots.reduce((sum, slot) => sum + slot, 0);
    const slot = Math.min(Math.max(total / Math.max(data.rows.length, 1), 23), 44);
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
    this.draw(centres(data.rows.map(() => slot)), centres(slots), widths, height);
  }

  draw(rows, columns, widths, height) {
    const width = this.picture.clientWidth;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const bars = [
      ...rows.map((centre) => this.bar(0, centre, this.word)),
      ...columns.map((centre, index) => this.bar(width - 5, centre, widths[index])),
    ];
    const starts = rows.map((centre) => centre - this.word / 2);
    const ends = columns.map((centre, index) => centre - widths[index] / 2);
    const byColumn = [...this.kept].sort((a, b) => a.row - b.row || a.column - b.column);
    this.paths = byColumn.map((each) => {
      const thick = [each.part * this.word, (each.weight / this.most) * WIDEST];
      const [from, to] = [starts[each.row], ends[each.column]];
      starts[each.row] += thick[0];
      ends[each.column] += thick[1];
      const [near, middle, far] = [5, width / 2, width - 5];
      const path = svg("path", "ribbon");
      path.setAttribute("d", `M${near} ${from}C${middle} ${from} ${middle} ${to} ${far} ${to}V${to + thick[1]}C${middle} ${to + thick[1]} ${middle} ${from + thick[0]} ${near} ${from + thick[0]}Z`);
      path.style.fill = this.color(this.data.columns[each.column].speaker);
      path.onpointerenter = () => this.look({ row: each.row, column: each.column });
      path.onpointerleave = () => this.look(null);
      return { path, ...each };
    });
    this.picture.replaceChildren(...bars, ...this.paths.map(({ path }) => path));
    this.mark();
  }

  bar(left, centre, width) {
    const bar = svg("rect", "bundle");
    for (const [name, value] of [["x", left], ["y", centre - width / 2], ["width", 5], ["height", Math.max(width, 0.5)]]) bar.setAttribute(name, value);
    return bar;
  }

  mark() {
    const shown = this.preview ?? this.locked;
    const lit = ({ row, column }) => !shown || (shown.side ? { row, column }[shown.side] === shown.index : shown.row === row && shown.column === column);
    const touched = { row: new Set(), column: new Set() };
    for (const each of this.paths ?? []) {
      each.path.classList.toggle("faded", !lit(each));
      if (lit(each)) { touched.row.add(each.row); touched.column.add(each.column); }
    }
    for (const side of ["row", "column"]) {
      this[side].forEach((label, index) => {
        const own = shown?.side === side && shown.index === index;
        const locked = this.locked?.side === side && this.locked.index === index;
        label.classList.toggle("faded", Boolean(shown) && !own && !touched[side].has(index));
        label.classList.toggle("shown", own);
        label.classList.toggle("locked", locked);
        label.setAttribute("aria-selected", String(locked));
      });
    }
    this.line.textContent = this.fact(shown);
    const count = `${this.kept.length.toLocaleString("en")} of ${(this.data.rows.length * this.data.columns.length).toLocaleString("en")} ribbons are drawn.`;
    const name = this.locked && this.data[`${this.locked.side}s`][this.locked.index].name;
    this.state.textContent = name ? `${count} Locked: ${name}. Esc, a second click or a click on empty space releases it.` : `${count} Point at a label or a ribbon to read it; click or Enter locks a label.`;
  }

  fact(shown) {
    const { rows, columns } = this.data;
    if (!shown) return "";
    if (!shown.side) return `${rows[shown.row].name} looks at ${columns[shown.column].name}: ${numeral(this.at(shown.row, shown.column))}`;
    const own = this.kept.filter((each) => each[shown.side] === shown.index).sort((a, b) => b.weight - a.weight).slice(0, 5);
    if (shown.side === "row") return `${rows[shown.index].name} looks most at ${own.map((each) => `${columns[each.column].name} ${numeral(each.weight)}`).join(" · ")}`;
    const from = own.length ? `; most from ${own.map((each) => `${rows[each.row].name} ${numeral(each.weight)}`).join(" · ")}` : "";
    return `${columns[shown.index].name} receives ${percent(this.received[shown.index] / rows.length)} of the attention${from}`;
  }

  outside(event) {
    const kept = (node) => node === this.line || (node instanceof Element && node.matches(`.item, .ribbon, ${CONTROLS}`));
    if (!event.composedPath().some(kept)) this.release();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const text = JSON.stringify(data);
  const kept = before?.text === text;
  const view = kept ? before : new Ribbons(root, data);
  if (before && !kept && JSON.stringify([before.data.rows, before.data.columns]) === JSON.stringify([data.rows, data.columns])) view.locked = before.locked;
  Object.assign(view, { text, send: setTriggerValue });
  memory.set(parentElement, view);
  view.listeners = new AbortController();
  const { signal } = view.listeners;
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { view.preview = null; view.release(); } }, { signal });
  document.addEventListener("click", (event) => view.outside(event), { signal });
  const observer = new ResizeObserver(() => view.layout());
  observer.observe(root);
  signal.addEventListener("abort", () => observer.disconnect());
  view.layout();
  return () => view.listeners.abort();
}
