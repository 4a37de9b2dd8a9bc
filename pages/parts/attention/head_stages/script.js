/* Six stages of one head. A cell that is pointed at shows its arithmetic; a click locks the key in that stage. */

const LINE = 32; // numbers side by side in a strip
const FIRST = 2; // stage whose arithmetic stands there before anyone points

/* One cell a number, in lines of 32, in the colours of signed numbers, with the page's ground at 0. */
function strip(host, vectors, row) {
  const { size, limit } = vectors;
  const width = Math.min(size, LINE);
  const canvas = h("canvas.strip", { width, height: Math.ceil(size / LINE) });
  const pen = canvas.getContext("2d");
  const inks = ["--opposes", "--supports"].map((name) => getComputedStyle(host).getPropertyValue(name));
  vectors.numbers ??= unpack(vectors.data, Float32Array);
  for (let place = 0; place < size; place += 1) {
    const value = vectors.numbers[row * size + place];
    pen.globalAlpha = limit ? Math.min(Math.abs(value) / limit, 1) : 0;
    pen.fillStyle = inks[value < 0 ? 0 : 1];
    pen.fillRect(place % width, Math.floor(place / width), 1, 1);
  }
  return canvas;
}

const number = (...parts) => h("span.number", ...parts);

class HeadStages extends Reader {
  constructor(run, data, shown) {
    super({ root: run.root, data, shown, stage: FIRST, cells: [] });
    this.labels = JSON.stringify(data.rows.map((row) => [row.index, row.name]));
    this.build();
  }

  build() {
    const { data } = this;
    const builders = [this.query, this.dots, this.scores, this.weights, this.parts, this.output];
    const stages = h("div.stages", { role: "group", label: data.title }, builders.map((fill, index) => {
      const [heading, meaning] = data.headings[index];
      const { legend, body, foot } = fill.call(this, index + 1);
      return h("section.stage", { label: heading }, h("div.head", h("p.part", heading), h("p", meaning)), legend, h("div.body", body), h("div.foot", foot));
    }));
    reads(this, stages, this.cells.map((cell) => [cell.node, cell]));
    this.state = h("p.state");
    this.sum = h("div", { live: "polite", "aria-atomic": true });
    this.panel = h("div.panel", this.sum, this.state);
    const hint = say("↑ ↓ other tokens, ← → other stages, Enter or a click locks, Esc or a click on empty space releases.");
    this.root.replaceChildren(h("p.title", data.title), h("div.box", stages), this.counted(), this.panel, h("p.hint", hint));
  }

  /* One focusable cell of a stage; `place` counts down the stage, `what` says what its texts are. */
  cell(stage, row, sum, what, ...content) {
    const place = this.cells.filter((cell) => cell.stage === stage).length;
    const name = row.index === -1 || row.index === undefined ? row.name : `“${row.name}”`;
    const node = h(`div.cell${row.masked && stage > 2 ? ".masked" : ""}${row.index === -1 ? ".others" : ""}`, { role: "button", tabindex: -1 }, content.flatMap((part) => [part, " "]));
    if (what) set(node, { label: `${node.textContent.trim().replace(/\s+/g, " ")}: ${what}` });
    const cell = { stage, place, index: row.index, name, sum, node };
    node.onkeydown = (event) => this.key(event, cell);
    this.cells.push(cell);
    return node;
  }

  /* The cells of all keys in one stage; each begins with the token, which only the second stage shows if all stand side by side. */
  rows(stage, content) {
    const { rows, others } = this.data;
    return [...rows, ...(others ? [others] : [])].map((row, place) => {
      const [what, ...parts] = content(row, place);
      return this.cell(stage, row, row.sums[stage - 2], what, text("span.name", { title: row.name }, row.name), ...parts);
    });
  }

  card(stage, { facts, largest, sums }, vectors, name) {
    const list = h("dl", largest.map(([dimension, value]) => [h("dt", dimension), h("dd", value)]).flat());
    const lines = [...facts, say("largest, by dimension:")].map((fact) => h("p.fact", fact));
    const node = this.cell(stage, { name }, sums[0], "", strip(this.root, vectors, 0), ...lines, list);
    node.classList.add("whole");
    return { legend: this.signed(vectors), body: [node] };
  }

  signed({ ends }) {
    return scale(".signed", [ends[0], "0", ends[1]]);
  }

  query(stage) {
    return this.card(stage, this.data.query, this.data.vectors.query, say("The query"));
  }

  output(stage) {
    return this.card(stage, this.data.output, this.data.vectors.output, say("The output"));
  }

  dots(stage) {
    const { keys } = this.data.vectors;
    const body = this.rows(stage, (row, place) => {
      if (row.index < 0) return [say("several keys"), h("span.strip.none"), number("…")];
      return ["q · k", strip(this.root, keys, place), number(row.dot)];
    });
    return { legend: this.signed(keys), body, foot: [h("span", say("all tokens:"))] };
  }

  scores(stage) {
    const body = this.rows(stage, (row) => {
      if (row.masked) return [say("masked"), number(say("masked"))];
      if (row.index < 0) return [say("several scores"), number("…")];
      const [start, size, left] = row.bar;
      return [say("score"), number(row.score), h(`span.line${left ? ".left" : ""}`, { style: { "--start": start, "--size": size } })];
    });
    return { legend: scale(".axis", this.data.axis), body };
  }

  weights(stage) {
    const { total, largest } = this.data;
    const body = this.rows(stage, (row) => [say("weight"), h("span.bar", { style: { "--size": row.share ?? 0 } }), number(row.weight)]);
    const sum = this.cell(stage, { name: say("All tokens") }, total.sums[0], say("weights of all tokens"), h("span.word", say("sum")), number(total.weight));
    return { legend: scale(".axis", ["0", largest]), body, foot: [sum] };
  }

  parts(stage) {
    const { parts, total } = this.data.vectors;
    const body = this.rows(stage, (row, place) => [say("weight times v"), strip(this.root, parts, place)]);
    const sum = this.cell(stage, { name: say("All tokens") }, this.data.total.sums[1], say("weight times v of all tokens"), h("span.word", say("sum")), strip(this.root, total, 0));
    return { legend: this.signed(parts), body, foot: [sum, this.signed(total)] };
  }

  counted() {
    const { counted: words, shown, more, fewest, rows } = this.data;
    const ask = (name, amount) => h("button", { onclick: () => this.tell(amount) }, name);
    return h("div.counted", h("span", words), more > 0 && ask(say("Show {count} more", { count: more }), shown + fewest), shown > fewest && rows.length > fewest && ask(say("Show only {count}", { count: fewest }), fewest));
  }

  /* A key is locked in the stage that was clicked; a click on the locked cell releases it. */
  lock(cell) {
    const again = cell.index === this.locked && cell.stage === this.stage;
    if (cell.index === undefined) this.look(cell); // a finger has no hover; there is no key to lock
    else this.hold(again ? null : cell.index, cell.stage);
  }

  hold(index, stage) {
    const changed = index !== this.locked;
    Object.assign(this, { locked: index, stage: index === null ? FIRST : stage });
    this.draw();
    if (changed) this.tell(this.data.shown);
  }

  tell(shown) {
    this.send("pick", { chosen: this.locked === -1 ? null : this.locked, shown, version: this.version });
  }

  key(event, cell) {
    const [down, across] = STEPS[event.key] ?? [];
    if (down !== undefined) {
      const stage = clamp(cell.stage + across, 1, 6);
      const column = this.cells.filter((other) => other.stage === stage);
      this.place = across && this.place !== undefined ? this.place : cell.place + down; // kept on the way through stages 1 and 6
      const next = column[clamp(this.place, 0, column.length - 1)];
      if (column.length > 1) this.place = next.place;
      next.node.focus();
    } else if (event.key === "Enter" || event.key === " ") this.lock(cell);
    else return;
    event.preventDefault();
  }

  draw() {
    const { data, preview, locked } = this;
    const held = locked !== null;
    const key = locked ?? data.best;
    const shown = preview ?? this.cells.find((cell) => cell.index === key && cell.stage === this.stage);
    const active = this.root.getRootNode().activeElement;
    for (const cell of this.cells) {
      const { node } = cell;
      const same = cell.index !== undefined && cell.index === shown.index;
      node.classList.toggle("ring", (preview !== null || held) && (same || cell === shown));
      node.classList.toggle("shown", cell === shown);
      node.classList.toggle("locked", held && cell.index === locked);
      if (cell.index !== undefined) set(node, { pressed: cell.index === locked });
      node.tabIndex = cell === shown || node === active ? 0 : -1;
    }
    this.root.classList.toggle("quiet", !preview && !held);
    let line = say("Point at a number to see how it is made. Shown: the token with the largest weight.");
    if (held) line = [say("Locked: {name}.", { name: this.cells.find((cell) => cell.index === locked)?.name }), RELEASE].join(" ");
    else if (preview) line = preview.index === undefined ? say("Preview.") : say("Preview. Click to lock this token.");
    this.state.textContent = line;
    this.panel.classList.toggle("pinned", held);
    const [before, after] = say("{name} in stage {stage}", { stage: data.headings[shown.stage - 1][0] }).split("{name}");
    const heading = h("span", before, h("bdi", shown.name), after); // the name runs in its own direction
    this.sum.replaceChildren(...derivation(heading, shown.sum));
  }
}

export default function ({ data, parentElement, setStateValue }) {
  speak(data);
  const run = new Run(parentElement);
  const before = run.view;
  const shown = JSON.stringify({ ...data, chosen: 0, version: 0 });
  const view = before?.shown === shown ? before : new HeadStages(run, data, shown);
  run.view = Object.assign(view, { send: setStateValue });
  if (before && view !== before && before.version === data.version) {
    const kept = before.labels === view.labels || view.cells.some((cell) => cell.index === before.locked);
    if (kept) Object.assign(view, { version: before.version, locked: before.locked, stage: before.stage });
  }
  if (view.version !== data.version) Object.assign(view, { version: data.version, locked: data.chosen, stage: FIRST });
  releases(run, view);
  view.draw();
  return run.end;
}
