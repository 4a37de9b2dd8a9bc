/* Six stages of one head. Hover or focus previews a key, click or Enter locks it, Esc or a click outside releases. */

const memory = new WeakMap(); // parentElement → HeadStages
const [MINUS, PLUS] = ["#d2691e", "#2f80d8"]; // the figures' orange and blue: they read on both grounds
const CONTROLS = "button, input, select, textarea, a, label, summary, canvas, [role=button], [role=option], [role=radio], [role=tab], [role=slider], [role=combobox], [role=dialog]";
const LINE = 32; // numbers side by side in a strip
const FIRST = 2; // stage whose arithmetic stands there before anyone points

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/* base64 of little-endian float32: the byte order of every machine that runs a browser. */
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/* One cell a number, in lines of 32, from orange over the page's ground at 0 to blue. */
function strip(vectors, row) {
  const { size, limit } = vectors;
  const canvas = element("canvas", "strip");
  const width = Math.min(size, LINE);
  Object.assign(canvas, { width, height: Math.ceil(size / LINE) });
  const pen = canvas.getContext("2d");
  vectors.numbers ??= unpack(vectors.data);
  for (let place = 0; place < size; place += 1) {
    const value = vectors.numbers[row * size + place];
    pen.globalAlpha = limit ? Math.min(Math.abs(value) / limit, 1) : 0;
    pen.fillStyle = value < 0 ? MINUS : PLUS;
    pen.fillRect(place % width, Math.floor(place / width), 1, 1);
  }
  return canvas;
}

function scale(className, ...texts) {
  const box = element("div", `scale ${className}`);
  const ends = element("div", "ends");
  ends.append(...texts.map((text) => element("span", "", text)));
  box.append(element("div", "ramp"), ends);
  return box;
}

function largest(entries) {
  const list = element("dl");
  for (const [dimension, value] of entries) list.append(element("dt", "", dimension), element("dd", "", value));
  return list;
}

class HeadStages {
  constructor(root, data, text) {
    this.root = root;
    this.text = text;
    this.data = data;
    this.labels = JSON.stringify(data.rows.map((row) => [row.index, row.name]));
    this.preview = null; // a cell
    this.locked = null; // index of a key
    this.stage = FIRST;
    this.build();
  }

  build() {
    const { data } = this;
    this.cells = []; // {stage, place, index, name, sum, node}
    const stages = element("div", "stages");
    stages.setAttribute("role", "group");
    stages.setAttribute("aria-label", data.title);
    const builders = [this.query, this.dots, this.scores, this.weights, this.parts, this.output];
    builders.forEach((fill, index) => {
      const [heading, meaning] = data.headings[index];
      const card = element("section", "stage");
      card.setAttribute("aria-label", heading);
      const head = element("div", "head");
      head.append(element("h4", "", heading), element("p", "", meaning));
      this.body = element("div", "body");
      this.foot = element("div", "foot");
      const legend = fill.call(this, index + 1);
      card.append(head, legend, this.body, this.foot);
      stages.append(card);
    });
    this.panel = element("div", "panel");
    this.state = element("p", "state");
    this.sum = element("div");
    this.sum.setAttribute("aria-live", "polite");
    this.sum.setAttribute("aria-atomic", "true");
    this.panel.append(this.sum, this.state);
    this.root.replaceChildren(element("p", "title", data.title), stages, this.counted(), this.panel);
    this.root.append(element("p", "hint", "↑ ↓ other tokens, ← → other stages, Enter or a click locks, Esc or a click outside releases."));
    stages.onpointerleave = (event) => { if (event.pointerType !== "touch") this.look(null); };
  }

  /* One focusable cell of a stage; `place` counts down the stage. */
  cell(stage, row, sum, label, ...content) {
    const place = this.cells.filter((cell) => cell.stage === stage).length;
    const node = element("div", "cell");
    const name = row.index === -1 || row.index === undefined ? row.name : `“${row.name}”`;
    const cell = { stage, place, index: row.index, name, sum, node };
    node.classList.toggle("masked", Boolean(row.masked) && stage > 2);
    node.classList.toggle("others", row.index === -1);
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", `${name}: ${label}`);
    node.tabIndex = -1;
    node.append(...content.filter(Boolean));
    node.onpointerenter = (event) => { if (event.pointerType !== "touch") this.look(cell); };
    node.onfocus = () => { if (node.matches(":focus-visible")) this.look(cell); };
    node.onblur = () => { if (this.preview === cell) this.look(null); };
    node.onclick = () => this.click(cell);
    node.onkeydown = (event) => this.key(event, cell);
    this.cells.push(cell);
    return node;
  }

  /* The cells of all keys in one stage; each begins with the token, which only the second stage shows if all stand side by side. */
  rows(stage, content) {
    const { rows, others } = this.data;
    [...rows, ...(others ? [others] : [])].forEach((row, place) => {
      const name = element("span", "name", row.name);
      name.dir = "auto";
      name.title = row.name;
      const [label, ...parts] = content(row, place);
      this.body.append(this.cell(stage, row, row.sums[stage - 2], label, name, ...parts));
    });
  }

  card(stage, card, vectors, name) {
    const facts = card.facts.map((fact) => element("p", "fact", fact));
    const largestOnes = [element("p", "fact", "largest, by dimension:"), largest(card.largest)];
    const node = this.cell(stage, { name }, card.sums[0], card.facts.join(", "), strip(vectors, 0), ...facts, ...largestOnes);
    node.classList.add("whole");
    this.body.append(node);
    return scale("signed", vectors.ends[0], "0", vectors.ends[1]);
  }

  query(stage) {
    return this.card(stage, this.data.query, this.data.vectors.query, "The query");
  }

  output(stage) {
    return this.card(stage, this.data.output, this.data.vectors.output, "The output");
  }

  dots(stage) {
    const { keys } = this.data.vectors;
    this.rows(stage, (row, place) => {
      if (row.index < 0) return ["several keys", element("span", "strip none"), element("span", "number", "…")];
      return [`q · k ${row.dot}`, strip(keys, place), element("span", "number", row.dot)];
    });
    this.foot.append(element("span", "", "all tokens:"));
    return scale("signed", keys.ends[0], "0", keys.ends[1]);
  }

  scores(stage) {
    const [low, high] = this.data.axis;
    this.rows(stage, (row) => {
      if (row.masked) return ["masked", element("span", "number", "masked")];
      if (row.index < 0) return ["several scores", element("span", "number", "…")];
      const [start, size, left] = row.bar;
      const bar = element("span", left ? "line left" : "line");
      bar.style.setProperty("--start", start);
      bar.style.setProperty("--size", size);
      return [`score ${row.score}`, element("span", "number", row.score), bar];
    });
    return scale("axis", low, high);
  }

  weights(stage) {
    this.rows(stage, (row) => {
      const bar = element("span", "bar");
      bar.style.setProperty("--size", row.share ?? 0);
      return [`weight ${row.weight}`, bar, element("span", "number", row.weight)];
    });
    const { total, largest: most } = this.data;
    const sum = element("span", "number", total.weight);
    this.foot.append(this.cell(stage, { name: "All tokens" }, total.sums[0], `weights ${total.weight}`, element("span", "word", "sum"), sum));
    return scale("share", "0", most);
  }

  parts(stage) {
    const { parts, total } = this.data.vectors;
    this.rows(stage, (row, place) => ["weight times v", strip(parts, place)]);
    this.foot.append(this.cell(stage, { name: "All tokens" }, this.data.total.sums[1], "sum of weight times v", element("span", "word", "sum"), strip(total, 0)), scale("signed", total.ends[0], "0", total.ends[1]));
    return scale("signed", parts.ends[0], "0", parts.ends[1]);
  }

  counted() {
    const { counted, shown, more, fewest } = this.data;
    const line = element("div", "counted");
    line.append(element("span", "", counted));
    const add = (text, amount) => {
      const button = element("button", "", text);
      button.type = "button";
      button.onclick = () => this.tell(amount);
      line.append(button);
    };
    if (more) add(`Show ${more} more`, shown + fewest);
    if (shown > fewest && this.data.rows.length > fewest) add(`Show only ${fewest}`, fewest);
    return line;
  }

  look(cell) {
    this.preview = cell;
    this.draw();
  }

  /* A key is locked in the stage that was clicked; a click on the locked cell releases it. */
  click(cell) {
    const again = cell.index === this.locked && cell.stage === this.stage;
    if (cell.index === undefined) this.look(cell); // a finger has no hover; there is no key to lock
    else this.lock(again ? null : cell.index, cell.stage);
  }

  lock(index, stage) {
    const changed = index !== this.locked;
    Object.assign(this, { locked: index, stage: index === null ? FIRST : stage });
    this.draw();
    if (changed) this.tell(this.data.shown);
  }

  tell(shown) {
    const chosen = this.locked === -1 ? null : this.locked;
    this.send("pick", { chosen, shown, version: this.version });
  }

  /* Python's lock counts. */
  adopt(data) {
    this.version = data.version;
    this.locked = data.chosen;
    this.stage = FIRST;
  }

  key(event, cell) {
    const moves = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
    if (event.key in moves) {
      const [across, down] = moves[event.key];
      const stage = Math.min(Math.max(cell.stage + across, 1), 6);
      const column = this.cells.filter((other) => other.stage === stage);
      this.place = across && this.place !== undefined ? this.place : cell.place + down; // kept on the way through stages 1 and 6
      const next = column[Math.min(Math.max(this.place, 0), column.length - 1)];
      if (column.length > 1) this.place = next.place;
      next.node.focus();
    } else if (event.key === "Enter" || event.key === " ") this.click(cell);
    else return;
    event.preventDefault();
  }

  escape(event) {
    if (event.key !== "Escape" || this.locked === null) return;
    this.preview = null;
    this.lock(null);
  }

  /* A click on empty space releases; one on a control or a cell, here or elsewhere on the page, does not. */
  outside(event) {
    if (this.locked === null) return;
    const kept = (node) => node === this.panel || (node instanceof Element && node.matches(CONTROLS));
    if (!event.composedPath().some(kept)) this.lock(null);
  }

  draw() {
    const { data, preview } = this;
    const key = this.locked ?? data.best;
    const shown = preview ?? this.cells.find((cell) => cell.index === key && cell.stage === this.stage);
    const active = this.root.getRootNode().activeElement;
    for (const cell of this.cells) {
      const same = cell.index !== undefined && cell.index === shown.index;
      cell.node.classList.toggle("ring", (preview || this.locked !== null) && (same || cell === shown));
      cell.node.classList.toggle("shown", cell === shown);
      cell.node.classList.toggle("locked", cell.index === this.locked);
      if (cell.index !== undefined) cell.node.setAttribute("aria-pressed", String(cell.index === this.locked));
      cell.node.tabIndex = cell === shown || cell.node === active ? 0 : -1;
    }
    this.root.classList.toggle("quiet", !preview && this.locked === null);
    let line = "Point at a number to see how it is made. Shown: the token with the largest weight.";
    const name = this.cells.find((cell) => cell.index === this.locked)?.name;
    if (this.locked !== null) line = `Locked: ${name}. Esc, a click outside or a second click releases it.`;
    else if (preview) line = preview.index === undefined ? "Preview." : "Preview. Click to lock this token.";
    this.state.textContent = line;
    this.panel.classList.toggle("pinned", this.locked !== null);
    this.write(shown);
  }

  write(cell) {
    const [heading] = this.data.headings[cell.stage - 1];
    const head = element("p", "what");
    head.append(element("bdi", "", cell.name), ` in stage ${heading}`);
    const terms = element("p", "terms");
    for (const [text, below] of cell.sum.terms) {
      const term = element("span", below ? "term" : "sign");
      term.append(element("b", "", text), element("small", "", below));
      terms.append(term, " ");
    }
    this.sum.replaceChildren(head, terms, element("p", "note", cell.sum.note));
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  const text = JSON.stringify({ ...data, chosen: 0, version: 0 });
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const view = before?.text === text ? before : new HeadStages(root, data, text);
  memory.set(parentElement, view);
  view.send = setStateValue;
  if (before && view !== before && before.version === data.version) {
    const kept = before.labels === view.labels || view.cells.some((cell) => cell.index === before.locked);
    if (kept) Object.assign(view, { version: before.version, locked: before.locked, stage: before.stage });
  }
  if (view.version !== data.version) view.adopt(data);
  const listeners = new AbortController();
  view.listeners = listeners;
  const options = { signal: listeners.signal };
  document.addEventListener("keydown", (event) => view.escape(event), options);
  document.addEventListener("click", (event) => view.outside(event), options);
  view.draw();
  return () => listeners.abort();
}
