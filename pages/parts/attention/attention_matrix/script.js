/* One head as a matrix. The pointer or the arrow keys read a cell; a click or Enter picks its row. */

const SMALLEST = 3; // pixels of a cell
const LARGEST = 26;
const TALL = 520; // pixels that the rows may fill before they scroll

/* The ticks of a scale and what it means. */
function shades(scale) {
  if (scale === "fixed") return [TICKS, say("fixed 0–1: heads can be compared; square root")];
  return [[[0, "0"], [0.25, "¼"], [1, say("row's max.")]], say("each row has a scale of its own: rows cannot be compared by shade; square root")];
}

class Matrix {
  constructor(root, data, kept) {
    Object.assign(this, { root, data, weights: new Weights(data), selected: data.selected });
    this.scale = kept?.scale ?? data.scale;
    this.cursor = kept?.cursor ?? null;
    this.build();
  }

  build() {
    const { data } = this;
    const size = { title: data.title, rows: data.rows.length, columns: data.columns.length };
    const label = say("{title}: {rows} rows, {columns} columns. Arrow keys read a cell, Enter picks its row.", size);
    this.canvas = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": say("matrix"), label });
    this.canvas.onpointermove = (event) => { if (event.pointerType !== "touch") this.point(event); };
    this.canvas.onpointerleave = () => this.leave();
    this.canvas.onclick = (event) => { this.point(event); this.pick(this.cursor[0]); };
    this.canvas.onkeydown = (event) => this.key(event);
    this.canvas.onblur = () => this.leave();
    this.marks = Object.fromEntries(["picked", "across", "down", "cell"].map((name) => [name, h(`div.frame.${name}`)]));
    [this.top, this.left] = [h("div.labels.top"), h("div.labels.left")];
    this.box = h("div.box", h("div.corner"), this.top, this.left, h("div.plot", this.canvas, Object.values(this.marks)));
    this.tip = h("div.tip");
    this.line = h("p.line", { live: "polite" });
    this.legend = h("div");
    this.axes = [h("span"), h("span")];
    const options = [["fixed", say("Fixed 0–1")], ["row", say("Each row's maximum")]];
    const [group, press] = choices(say("Darkest shade"), options, (scale) => { this.scale = scale; this.paint(); });
    this.press = press;
    const bar = h("div.bar", h("p.title", data.title), group);
    this.root.replaceChildren(bar, h("p.axes", this.axes), this.box, this.legend, this.line, this.tip);
  }

  /* Cells fill the width if they can; labels of cells smaller than a line of text are thinned out. */
  layout() {
    const { rows, columns, axes } = this.data;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `13px ${getComputedStyle(this.root).fontFamily}`;
    const longest = (items) => Math.max(...items.map((item) => pen.measureText(item.text).width)) + 16;
    const [down, over] = [rows, columns].map((items) => (items.some((item) => item.group) ? BAND : 0));
    const width = this.root.clientWidth;
    this.gutter = Math.ceil(Math.min(longest(rows), Math.max(70, 0.22 * width))) + down;
    this.head = Math.ceil(Math.min(longest(columns), 105)) + over;
    const fit = (space, count) => clamp(Math.floor(space / count), SMALLEST, LARGEST);
    [this.wide, this.high] = [fit(width - this.gutter - 20, columns.length), fit(TALL, rows.length)];
    this.box.style.gridTemplateColumns = `${this.gutter}px ${this.wide * columns.length}px`;
    this.box.style.gridTemplateRows = `${this.head}px ${this.high * rows.length}px`;
    this.axes[1].textContent = labelAxis(this.top, axes[1], columns, { size: this.wide, band: over, depth: this.head, across: true });
    this.axes[0].textContent = labelAxis(this.left, axes[0], rows, { size: this.high, band: down, depth: this.gutter, across: false });
  }

  paint() {
    const { rows, columns } = this.data;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [columns.length * this.wide, rows.length * this.high];
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const most = rows.map((_, row) => (this.scale === "row" ? this.weights.own(0, row).reduce((a, b) => Math.max(a, b), 1) : UNIT));
    const pixels = Uint32Array.from(this.weights.values, (weight, place) => this.colors[shade(weight / most[Math.floor(place / columns.length)])]);
    const context = paintCells(this.canvas, pixels, columns.length);
    if (this.data.causal) {
      context.fillStyle = hatch(this.root, context, scale);
      rows.forEach((_, row) => {
        const left = this.weights.visible(row) * this.wide * scale;
        context.fillRect(left, row * this.high * scale, this.canvas.width - left, this.high * scale);
      });
    }
    context.scale(scale, scale);
    this.lines(context, columns, this.wide, (at) => [at, 0, 1, height]);
    this.lines(context, rows, this.high, (at) => [0, at, width, 1]);
    this.press(this.scale);
    const [ticks, meaning] = shades(this.scale);
    this.legend.replaceChildren(weightLegend(this.data, ticks, meaning));
    this.mark();
  }

  /* Thin rules between large cells, stronger ones between turns. */
  lines(context, items, size, place) {
    for (let index = 1; index < items.length; index += 1) {
      const turn = items[index].group !== items[index - 1].group;
      if (!turn && size < 9) continue;
      context.fillStyle = turn ? this.strongRule : this.rule;
      context.fillRect(...place(index * size - 0.5));
    }
  }

  point(event) {
    const frame = boxOf(this.canvas);
    const at = boxOf(this.canvas, new DOMRect(event.clientX, event.clientY));
    const place = (distance, size, count) => clamp(Math.floor(distance / size), 0, count - 1);
    this.cursor = [
      place(at.y - frame.y, this.high, this.data.rows.length),
      place(at.x - frame.x, this.wide, this.data.columns.length),
    ];
    this.mark(true);
  }

  leave() {
    this.cursor = null;
    this.mark();
  }

  key(event) {
    const { rows, columns } = this.data;
    const [row, column] = this.cursor ?? [this.selected ?? 0, -1];
    const [down, across] = STEPS[event.key] ?? [];
    const next = down === undefined ? { Home: [row, 0], End: [row, columns.length - 1] }[event.key] : [row + down, column + across];
    if (next) {
      this.cursor = this.cursor ? [clamp(next[0], 0, rows.length - 1), clamp(next[1], 0, columns.length - 1)] : [row, 0];
      this.reveal();
      this.mark(true);
    } else if (event.key === "Enter" && this.cursor) this.pick(row);
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
  }

  /* Scroll the cell out from under the labels. */
  reveal() {
    const [row, column] = this.cursor;
    const { box } = this;
    const see = (start, size, from, space) => Math.min(Math.max(from, start + size - space), start);
    box.scrollLeft = see(column * this.wide, this.wide, box.scrollLeft, box.clientWidth - this.gutter);
    box.scrollTop = see(row * this.high, this.high, box.scrollTop, box.clientHeight - this.head);
  }

  pick(row) {
    this.selected = row;
    this.mark(true);
    this.send("row", row); // a trigger: a row that was picked before can be picked again
  }

  fact() {
    const { rows, columns, place } = this.data;
    const [row, column] = this.cursor;
    const [query, key] = [rows[row].name, columns[column].name];
    const { weights } = this;
    const pair = { query, key };
    if (column >= weights.visible(row)) return [this.data.looks ? say("{query} cannot look at {key}", pair) : inWords(this.data, pair), say("masked: it is not written yet")];
    const numbers = { place, weight: numeral(weights.at(0, row, column)), rank: weights.rank(0, row, column), count: weights.visible(row) };
    return [inWords(this.data, pair), say("{place}: {weight}, rank {rank} of {count}", numbers)];
  }

  mark(tip) {
    const { rows, columns } = this.data;
    const [width, height] = [columns.length * this.wide, rows.length * this.high];
    const frame = (node, left, top, across, down) => {
      node.hidden = false;
      Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${across}px`, height: `${down}px` });
    };
    for (const node of Object.values(this.marks)) node.hidden = true;
    const { picked, across, down, cell } = this.marks;
    const chosen = this.selected === null ? undefined : rows[this.selected];
    if (chosen) frame(picked, 0, this.selected * this.high, width, this.high);
    const shown = this.cursor ?? [this.selected, null];
    [[this.left, rows, "top", this.high], [this.top, columns, "left", this.wide]].forEach(([host, items, side, size], axis) => {
      const here = host.querySelector(".here");
      here.hidden = shown[axis] === null;
      if (here.hidden) return;
      here.textContent = items[shown[axis]].text;
      here.style[side] = `${size * (shown[axis] + 0.5) - LINE / 2 - 2}px`;
    });
    this.tip.hidden = !this.cursor || !tip;
    if (!this.cursor) {
      const hint = say("Point at a cell to read it; click to pick its row. With the keyboard: arrow keys, Enter.");
      const where = chosen && say("Picked: row {row}, {name}. Click another row to pick it.", { row: this.selected + 1, name: chosen.name });
      this.line.textContent = where ?? hint;
      return;
    }
    const [row, column] = this.cursor;
    frame(across, 0, row * this.high, width, this.high);
    frame(down, column * this.wide, 0, this.wide, height);
    frame(cell, column * this.wide, row * this.high, this.wide, this.high);
    const [names, numbers] = this.fact();
    this.line.textContent = `${names}. ${numbers[0].toUpperCase()}${numbers.slice(1)}.`;
    if (tip) this.float(names, numbers);
  }

  /* The tip stands beside the cell, on the side with more room. */
  float(names, numbers) {
    this.tip.replaceChildren(h("strong", names), h("span", numbers));
    const [whole, cell, size] = [this.root, this.marks.cell, this.tip].map((node) => boxOf(node));
    const left = cell.left - whole.left < whole.width / 2 ? cell.right + 10 : cell.left - size.width - 10;
    const top = cell.top - size.height > 8 ? cell.top - size.height - 6 : cell.bottom + 8;
    Object.assign(this.tip.style, { left: `${clamp(left - whole.left, 0, whole.width - size.width)}px`, top: `${top - whole.top}px` });
  }

  dress() {
    this.colors = ramp(this.root);
    [this.rule, this.strongRule] = ["--thin", "--thick"].map((name) => `rgb(${rgb(this.root, `var(${name})`)})`);
    this.layout();
    this.paint();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const before = run.view;
  const shown = JSON.stringify([data.title, data.rows, data.columns, data.weights, data.causal]);
  const focused = before && run.root.getRootNode().activeElement === before.canvas;
  const same = before?.shown === shown;
  const kept = before && before.data.scale === data.scale ? { scale: before.scale } : undefined;
  const matrix = same ? before : new Matrix(run.root, data, kept);
  if (same && !kept) matrix.scale = data.scale;
  if (matrix.given !== data.selected) matrix.selected = data.selected; // an old answer does not undo a newer click
  run.view = Object.assign(matrix, { shown, data, given: data.selected, send: setTriggerValue });
  run.resized(run.root, () => matrix.dress());
  matrix.dress();
  document.fonts.ready.then(() => { if (!run.ending.signal.aborted) matrix.dress(); }); // labels are measured
  if (focused && !same) matrix.canvas.focus({ preventScroll: true });
  return run.end;
}
