/* One head as a matrix. The pointer or the arrow keys read a cell; a click or Enter picks its row. */

const memory = new WeakMap(); // parentElement → Matrix
const SMALLEST = 3; // pixels of a cell
const LARGEST = 26;
const TALL = 520; // pixels that the rows may fill before they scroll
const FONT = "13px";

class Matrix {
  constructor(root, data, kept) {
    this.root = root;
    this.data = data;
    this.weights = unpack(data.weights);
    this.scale = kept?.scale ?? data.scale;
    this.cursor = kept?.cursor ?? null;
    this.selected = data.selected;
    this.build();
  }

  build() {
    const { data } = this;
    this.canvas = element("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "matrix");
    this.canvas.setAttribute("aria-label", `${data.title}: ${data.rows.length} rows, ${data.columns.length} columns. Arrow keys read a cell, Enter picks its row.`);
    this.canvas.onpointermove = (event) => { if (event.pointerType !== "touch") this.point(event); };
    this.canvas.onpointerleave = () => this.leave();
    this.canvas.onclick = (event) => { this.point(event); this.pick(this.cursor[0]); };
    this.canvas.onkeydown = (event) => this.key(event);
    this.canvas.onblur = () => this.leave();
    this.marks = Object.fromEntries(["picked", "across", "down", "cell"].map((name) => [name, element("div", `mark ${name}`)]));
    this.top = element("div", "labels top");
    this.left = element("div", "labels left");
    this.plot = element("div", "plot");
    this.plot.append(this.canvas, ...Object.values(this.marks));
    this.box = element("div", "box");
    this.box.append(element("div", "corner"), this.top, this.left, this.plot);
    this.tip = element("div", "tip");
    this.line = element("p", "line");
    this.line.setAttribute("aria-live", "polite");
    this.legend = element("div", "legend");
    const axes = element("p", "axes");
    this.axes = [element("span"), element("span")];
    axes.append(...this.axes);
    const bar = element("div", "bar");
    bar.append(element("p", "title", data.title), this.toggle());
    this.root.replaceChildren(bar, axes, this.box, this.legend, this.line, this.tip);
  }

  toggle() {
    const group = element("div", "switch");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Darkest shade");
    this.choices = [["fixed", "Fixed 0–1"], ["row", "Each row's maximum"]].map(([scale, text]) => {
      const choice = button("", text, () => { this.scale = scale; this.paint(); });
      choice.dataset.scale = scale;
      return choice;
    });
    group.append(...this.choices);
    return group;
  }

  visible(row) {
    return this.data.causal ? Math.min(row + 1, this.data.columns.length) : this.data.columns.length;
  }

  at(row, column) {
    return this.weights[row * this.data.columns.length + column];
  }

  /* Cells fill the width if they can; labels of cells smaller than a line of text are thinned out. */
  layout() {
    const { rows, columns } = this.data;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${FONT} ${getComputedStyle(this.root).fontFamily}`;
    const longest = (items) => Math.max(...items.map((item) => pen.measureText(item.text).width)) + 16;
    const turns = [rows, columns].map((items) => (items.some((item) => item.group) ? BAND : 0));
    const width = this.root.clientWidth;
    this.gutter = Math.ceil(Math.min(longest(rows), Math.max(70, 0.22 * width))) + turns[0];
    this.head = Math.ceil(Math.min(longest(columns), 105)) + turns[1];
    const fit = (space, count) => Math.min(Math.max(Math.floor(space / count), SMALLEST), LARGEST);
    this.wide = fit(width - this.gutter - 20, columns.length);
    this.high = fit(TALL, rows.length);
    this.box.style.gridTemplateColumns = `${this.gutter}px ${this.wide * columns.length}px`;
    this.box.style.gridTemplateRows = `${this.head}px ${this.high * rows.length}px`;
    this.axes[1].textContent = labelAxis(this.top, this.data.axes[1], columns, { size: this.wide, band: turns[1], depth: this.head, across: true });
    this.axes[0].textContent = labelAxis(this.left, this.data.axes[0], rows, { size: this.high, band: turns[0], depth: this.gutter, across: false });
  }

  paint() {
    const { rows, columns } = this.data;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [columns.length * this.wide, rows.length * this.high];
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const pixels = new Uint32Array(this.weights.length);
    rows.forEach((_, row) => {
      const start = row * columns.length;
      let most = UNIT;
      if (this.scale === "row") most = this.weights.subarray(start, start + this.visible(row)).reduce((a, b) => Math.max(a, b), 1);
      for (let column = 0; column < columns.length; column += 1) pixels[start + column] = this.colors[shade(this.at(row, column) / most)];
    });
    const picture = new OffscreenCanvas(columns.length, rows.length);
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer), columns.length, rows.length);
    picture.getContext("2d").putImageData(image, 0, 0);
    const context = this.canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, 0, 0, this.canvas.width, this.canvas.height);
    context.scale(scale, scale);
    this.mask(context, scale);
    this.lines(context, width, height);
    this.explain();
    this.mark();
  }

  mask(context, scale) {
    if (!this.data.causal) return;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = hatch(this.root, context, scale);
    this.data.rows.forEach((_, row) => {
      const left = this.visible(row) * this.wide * scale;
      context.fillRect(left, row * this.high * scale, this.canvas.width - left, this.high * scale);
    });
    context.restore();
  }

  /* Thin rules between large cells, stronger ones between turns. */
  lines(context, width, height) {
    const rule = (items, size, across) => {
      for (let index = 1; index < items.length; index += 1) {
        const turn = items[index].group !== items[index - 1].group;
        if (!turn && size < 9) continue;
        context.fillStyle = turn ? this.strongRule : this.rule;
        if (across) context.fillRect(index * size - 0.5, 0, 1, height);
        else context.fillRect(0, index * size - 0.5, width, 1);
      }
    };
    rule(this.data.columns, this.wide, true);
    rule(this.data.rows, this.high, false);
  }

  explain() {
    for (const choice of this.choices) choice.setAttribute("aria-pressed", String(choice.dataset.scale === this.scale));
    const fixed = this.scale === "fixed";
    const ticks = fixed ? [[0, "0"], [0.05, "0.05"], [0.25, "0.25"], [1, "1"]] : [[0, "0"], [0.25, "¼"], [1, "row's max."]];
    const meaning = fixed ? "fixed 0–1: heads can be compared" : "each row has a scale of its own: rows cannot be compared by shade";
    this.legend.replaceChildren(element("span", "", "Weight"), scaleLegend(ticks), element("span", "", `${meaning}; square root`));
    if (this.data.causal) this.legend.append(hatchLegend("masked: not written yet"));
  }

  point(event) {
    const frame = this.canvas.getBoundingClientRect();
    const place = (at, start, size, count) => Math.min(Math.max(Math.floor((at - start) / size), 0), count - 1);
    this.cursor = [
      place(event.clientY, frame.top, this.high, this.data.rows.length),
      place(event.clientX, frame.left, this.wide, this.data.columns.length),
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
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [row, 0], End: [row, columns.length - 1],
    };
    if (event.key in moves) {
      const limit = (value, count) => Math.min(Math.max(value, 0), count - 1);
      this.cursor = this.cursor ? [limit(moves[event.key][0], rows.length), limit(moves[event.key][1], columns.length)] : [row, 0];
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
    const { rows, columns, causal, place } = this.data;
    const [row, column] = this.cursor;
    const names = `${rows[row].name} looks at ${columns[column].name}`;
    if (causal && column >= this.visible(row)) return [`${rows[row].name} cannot look at ${columns[column].name}`, "masked: it is not written yet"];
    const own = this.weights.subarray(row * columns.length, row * columns.length + this.visible(row));
    const weight = this.at(row, column);
    const rank = 1 + own.reduce((larger, other) => larger + (other > weight), 0);
    return [names, `${place}: ${numeral(weight / UNIT)}, rank ${rank} of ${own.length}`];
  }

  mark(tip) {
    const [width, height] = [this.data.columns.length * this.wide, this.data.rows.length * this.high];
    const frame = (node, left, top, across, down) => {
      node.hidden = false;
      Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${across}px`, height: `${down}px` });
    };
    for (const node of Object.values(this.marks)) node.hidden = true;
    const { picked, across, down, cell } = this.marks;
    if (this.selected !== null && this.selected < this.data.rows.length) frame(picked, 0, this.selected * this.high, width, this.high);
    const here = [this.left, this.top].map((host) => host.querySelector(".here"));
    const shown = this.cursor ?? (this.selected === null ? [null, null] : [this.selected, null]);
    [this.data.rows, this.data.columns].forEach((items, axis) => {
      here[axis].hidden = shown[axis] === null;
      if (shown[axis] === null) return;
      here[axis].textContent = items[shown[axis]].text;
      here[axis].style[axis ? "left" : "top"] = `${(axis ? this.wide : this.high) * (shown[axis] + 0.5) - LINE / 2 - 2}px`;
    });
    this.tip.hidden = !this.cursor || !tip;
    if (!this.cursor) {
      const row = this.selected === null ? null : this.data.rows[this.selected];
      this.line.textContent = row ? `Picked: row ${this.selected + 1}, ${row.name}. Click another row to pick it.` : "Point at a cell to read it; click to pick its row. With the keyboard: arrow keys, Enter.";
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
    this.tip.replaceChildren(element("strong", "", names), element("span", "", numbers));
    const [own, cell] = [this.root, this.marks.cell].map((node) => node.getBoundingClientRect());
    const size = this.tip.getBoundingClientRect();
    const left = cell.left - own.left < own.width / 2 ? cell.right + 10 : cell.left - size.width - 10;
    const top = cell.top - size.height > 8 ? cell.top - size.height - 6 : cell.bottom + 8;
    this.tip.style.left = `${Math.min(Math.max(left - own.left, 0), own.width - size.width)}px`;
    this.tip.style.top = `${top - own.top}px`;
  }

  dress() {
    this.colors = ramp(this.root);
    const color = (name) => `rgb(${rgb(this.root, `var(${name})`)})`;
    [this.rule, this.strongRule] = [color("--rule"), color("--strong-rule")];
    this.layout();
    this.paint();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const text = JSON.stringify([data.title, data.rows, data.columns, data.weights, data.causal]);
  const focused = before && root.getRootNode().activeElement === before.canvas;
  const same = before?.text === text;
  const kept = before && before.data.scale === data.scale ? { scale: before.scale } : undefined;
  const matrix = same ? before : new Matrix(root, data, kept);
  if (same && !kept) matrix.scale = data.scale;
  if (matrix.given !== data.selected) matrix.selected = data.selected; // an old answer does not undo a newer click
  Object.assign(matrix, { text, data, given: data.selected, send: setTriggerValue });
  memory.set(parentElement, matrix);
  matrix.listeners = new AbortController();
  const observer = new ResizeObserver(() => matrix.dress());
  observer.observe(root);
  matrix.listeners.signal.addEventListener("abort", () => observer.disconnect());
  matrix.dress();
  document.fonts.ready.then(() => { if (!matrix.listeners.signal.aborted) matrix.dress(); }); // labels are measured
  if (focused && !same) matrix.canvas.focus({ preventScroll: true });
  return () => matrix.listeners.abort();
}
