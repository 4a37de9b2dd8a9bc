/* Small matrices side by side. Hover or focus previews a cell, click or Enter locks it, Esc or a click outside releases. */

const memory = new WeakMap(); // parentElement → MatrixBoard
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const CONTROLS = "button, input, select, textarea, a, label, summary, canvas, [role=button], [role=option], [role=radio], [role=tab], [role=slider], [role=combobox], [role=dialog]";

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

class MatrixBoard {
  constructor(root, data, text) {
    Object.assign(this, { root, data, text, preview: null, locked: "", cells: new Map() });
    this.build();
  }

  build() {
    const groups = element("div", this.data.beside ? "groups beside" : "groups");
    groups.setAttribute("role", "group");
    groups.setAttribute("aria-label", this.data.label);
    for (const group of this.data.groups) {
      const section = element("section", "group");
      if (group.title) section.append(element("h4", "", group.title));
      if (group.note) section.append(element("p", "remark", group.note));
      const flow = element("div", "flow");
      flow.append(...group.grids.map((grid) => this.grid(grid)));
      section.append(flow);
      groups.append(section);
    }
    this.panel = element("div", "panel");
    this.sum = element("div");
    this.sum.setAttribute("aria-live", "polite");
    this.state = element("p", "state");
    this.panel.append(this.sum, this.state);
    const hint = "Arrow keys go from cell to cell, Enter or a click locks, Esc or a click outside releases.";
    this.root.replaceChildren(groups, this.panel, element("p", "hint", hint));
    groups.onpointerleave = (event) => { if (event.pointerType !== "touch") this.look(null); };
  }

  grid(grid) {
    const box = element("div", grid.computed ? "grid computed" : "grid");
    box.dataset.name = grid.name;
    const head = element("p", "head");
    head.append(element("b", "", grid.title), element("span", "size", grid.size));
    const table = element("table");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", `${grid.title}, ${grid.size}`);
    const top = element("tr");
    top.append(element("td", "corner"), ...grid.columns.map((name) => this.label(name, "col")));
    if (grid.more) top.append(element("td", "corner", `… ${grid.more} more`));
    table.append(top);
    const rows = grid.cells.map((cells, row) => cells.map((cell, column) => this.cell(grid, cell, row, column)));
    rows.forEach((nodes, row) => {
      const line = element("tr");
      line.append(this.label(grid.rows[row], "row"), ...nodes.map(({ node }) => node));
      table.append(line);
      nodes.forEach((cell, column) => { cell.node.onkeydown = (event) => this.key(event, cell, rows, row, column); });
    });
    const scroll = element("div", "scroll");
    scroll.append(table);
    box.append(head, element("p", "formula", grid.formula), scroll, this.scale(grid.ends));
    if (grid.agree) box.append(element("p", "fact agree", grid.agree));
    if (grid.source) box.append(element("p", "source", grid.source));
    return box;
  }

  label(name, scope) {
    const node = element("th", "", name);
    node.scope = scope;
    node.dir = "auto";
    return node;
  }

  cell(grid, data, row, column) {
    const node = element("td", "cell");
    node.append(element("span", "number", data.text));
    if (data.printed) {
      const [text, same] = data.printed;
      node.append(element("span", same ? "printed" : "printed other", `${text} ${same ? "✓" : "✗"}`));
    }
    const cell = { id: data.id, node, data, grid, row: grid.rows[row], column: grid.columns[column] };
    node.classList.toggle("masked", data.masked);
    node.classList.toggle("minus", data.share < 0);
    node.style.setProperty("--share", Math.min(Math.abs(data.share), 1));
    node.dataset.cell = data.id;
    node.setAttribute("role", "gridcell");
    node.setAttribute("aria-label", `${grid.title}, row ${cell.row}, column ${cell.column}: ${data.text}`);
    node.onpointerenter = (event) => { if (event.pointerType !== "touch") this.look(cell); };
    node.onfocus = () => { if (node.matches(":focus-visible")) this.look(cell); };
    node.onblur = () => { if (this.preview === cell) this.look(null); };
    node.onclick = () => this.lock(this.locked === cell.id ? "" : cell.id);
    this.cells.set(data.id, cell);
    return cell;
  }

  scale(ends) {
    const box = element("div", ends.length === 2 ? "scale share" : "scale");
    box.setAttribute("aria-hidden", "true");
    const texts = element("div", "ends");
    texts.append(...ends.map((text) => element("span", "", text)));
    if (ends.length > 1) box.append(element("div", "ramp"));
    box.append(texts);
    return box;
  }

  look(cell) {
    this.preview = cell;
    this.draw();
  }

  lock(id) {
    if (id === this.locked) return;
    this.locked = id;
    this.draw();
    this.send("pick", { cell: id, version: this.version });
  }

  key(event, cell, rows, row, column) {
    const step = STEPS[event.key];
    if (step) rows[row + step[0]]?.[column + step[1]]?.node.focus();
    else if (event.key === "Enter" || event.key === " ") cell.node.click();
    else return;
    event.preventDefault();
  }

  escape(event) {
    if (event.key !== "Escape" || !this.locked) return;
    this.preview = null;
    this.lock("");
  }

  /* A click on empty space releases; one on a cell, on the panel or on a control of the page does not. */
  outside(event) {
    if (!this.locked) return;
    const kept = (node) => node === this.panel || (node instanceof Element && (node.matches(CONTROLS) || node.matches(".cell")));
    if (!event.composedPath().some(kept)) this.lock("");
  }

  draw() {
    const shown = this.preview ?? this.cells.get(this.locked) ?? this.cells.get(this.data.first);
    const quiet = !this.preview && !this.locked;
    const made = new Set(quiet ? [] : shown.data.from);
    const entries = new Map(); // each grid has one cell that Tab reaches
    for (const cell of this.cells.values()) {
      if (!entries.has(cell.grid) || cell === shown) entries.set(cell.grid, cell);
    }
    for (const cell of this.cells.values()) {
      const { classList } = cell.node;
      classList.toggle("shown", !quiet && cell === shown);
      classList.toggle("locked", cell.id === this.locked);
      classList.toggle("from", made.has(cell.id));
      cell.node.setAttribute("aria-selected", String(cell.id === this.locked));
      cell.node.tabIndex = entries.get(cell.grid) === cell ? 0 : -1;
    }
    let line = "Point at a number to see how it is made.";
    if (this.preview) line = "Preview. Click to lock this cell.";
    if (this.locked) line = "Locked. Esc, a click outside or a second click releases it.";
    this.state.textContent = line;
    this.panel.classList.toggle("pinned", Boolean(this.locked));
    if (shown) this.write(shown);
  }

  write({ data, grid, row, column }) {
    const head = element("p", "what", `${grid.title}, row ${row}, column ${column}`);
    const terms = element("p", "terms");
    for (const [text, below] of data.sum.terms) {
      const term = element("span", below ? "term" : "sign");
      term.append(element("b", "", text), element("small", "", below));
      terms.append(term, " ");
    }
    const note = element("p", "note", [data.sum.note, data.exact].filter(Boolean).join(" "));
    const lines = [head, terms, note];
    if (grid.source) {
      const code = element("p", "code");
      code.append(element("span", "", `${grid.source}  `), element("code", "", grid.code));
      lines.push(code);
    }
    this.sum.replaceChildren(...lines);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  const text = JSON.stringify({ ...data, chosen: "", version: 0 });
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const view = before?.text === text ? before : new MatrixBoard(root, data, text);
  memory.set(parentElement, view);
  view.send = setStateValue;
  if (before && view !== before && before.version === data.version) {
    const locked = view.cells.has(before.locked) ? before.locked : "";
    Object.assign(view, { version: before.version, locked });
  }
  if (view.version !== data.version) Object.assign(view, { version: data.version, locked: data.chosen });
  const listeners = new AbortController();
  view.listeners = listeners;
  document.addEventListener("keydown", (event) => view.escape(event), { signal: listeners.signal });
  document.addEventListener("click", (event) => view.outside(event), { signal: listeners.signal });
  view.draw();
  return () => listeners.abort();
}
