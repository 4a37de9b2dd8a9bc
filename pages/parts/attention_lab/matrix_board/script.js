/* Small matrices side by side. A cell that is pointed at shows its arithmetic and the cells it is made of; a click locks it. */

function placeOf({ title }, row, column) {
  return say("{title}, row {row}, column {column}", { title, row, column });
}

class MatrixBoard extends Reader {
  constructor(run, data, shown) {
    super({ root: run.root, data, shown, cells: new Map() });
    const sections = data.groups.map((group) => h("section.group", group.title && h("p.part", group.title), group.note && h("p.remark", group.note), h("div.flow", group.grids.map((grid) => this.grid(grid)))));
    const groups = h(`div.groups${data.beside ? ".beside" : ""}${data.narrow ? ".narrow" : ""}`, { role: "group", label: data.label }, sections);
    reads(this, groups, [...this.cells.values()].map((cell) => [cell.node, cell]));
    this.sum = h("div", { live: "polite" });
    this.state = h("p.state");
    this.panel = h("div.panel", this.sum, this.state);
    const hint = say("Arrow keys go from cell to cell, Enter or a click locks, Esc or a click on empty space releases.");
    this.root.replaceChildren(groups, this.panel, h("p.hint", hint));
  }

  grid(grid) {
    const label = (scope) => (name) => text("th", { scope }, name);
    const rows = grid.cells.map((cells, row) => cells.map((cell, column) => this.cell(grid, cell, row, column)));
    arrows(rows);
    const top = h("tr", h("td.corner"), grid.columns.map(label("col")), grid.more > 0 && h("td.corner", ["… ", say("{count} more", { count: grid.more })]));
    const lines = rows.map((nodes, row) => h("tr", label("row")(grid.rows[row]), nodes));
    const table = h("table", { role: "grid", label: `${grid.title}, ${grid.size}` }, top, lines);
    const { ends } = grid;
    const ramp = ends.length > 1 ? scale(ends.length === 2 ? ".share" : "", ends) : h("span.scale", ends[0]);
    set(ramp, { "aria-hidden": true });
    return h(
      `div.grid${grid.computed ? ".computed" : ""}${grid.weights ? ".weights" : ""}`,
      { "data-name": grid.name },
      h("p.head", h("b", grid.title), h("span.size", grid.size)),
      h("p.formula", grid.formula),
      h("div.scroll", table),
      ramp,
      grid.agree && h("p.fact.agree", grid.agree),
      grid.source && h("p.source", grid.source),
    );
  }

  cell(grid, data, row, column) {
    const [words, same] = data.printed ?? [];
    const printed = words && h(`span.printed${same ? "" : ".other"}`, `${words} ${same ? "✓" : "✗"}`);
    const [down, across] = [grid.rows[row], grid.columns[column]];
    const label = `${data.text}${words ? ` ${words} ${same ? "✓" : "✗"}` : ""}: ${placeOf(grid, down, across)}`;
    const attributes = { role: "gridcell", label, "data-cell": data.id, style: { "--share": Math.min(Math.abs(data.share), 1) } };
    const node = h(`td.cell${data.masked ? ".masked" : ""}${data.share < 0 ? ".below" : ""}`, attributes, h("span.number", data.text), printed && [" ", printed]);
    this.cells.set(data.id, { node, data, grid, row: down, column: across });
    return node;
  }

  lock({ data }) {
    this.hold(this.locked === data.id ? null : data.id);
  }

  hold(id) {
    this.locked = id;
    this.draw();
    this.send("pick", { cell: id ?? "", version: this.version });
  }

  draw() {
    const shown = this.preview ?? this.cells.get(this.locked) ?? this.cells.get(this.data.first);
    const quiet = !this.preview && this.locked === null;
    const made = new Set(quiet ? [] : shown.data.from);
    const entries = new Map(); // each grid has one cell that Tab reaches
    for (const cell of this.cells.values()) {
      if (!entries.has(cell.grid) || cell === shown) entries.set(cell.grid, cell);
    }
    for (const [id, cell] of this.cells) {
      const { classList } = cell.node;
      classList.toggle("shown", !quiet && cell === shown);
      classList.toggle("locked", id === this.locked);
      classList.toggle("from", made.has(id));
      set(cell.node, { selected: id === this.locked });
      cell.node.tabIndex = entries.get(cell.grid) === cell ? 0 : -1;
    }
    let line = say("Point at a number to see how it is made.");
    if (this.preview) line = say("Preview. Click to lock this cell.");
    if (this.locked !== null) line = [say("Locked."), RELEASE].join(" ");
    this.state.textContent = line;
    this.panel.classList.toggle("pinned", this.locked !== null);
    const { data, grid, row, column } = shown;
    const code = grid.source && h("p.code", h("span", `${grid.source}  `), h("code", grid.code));
    const sum = { ...data.sum, note: [data.sum.note, data.exact].filter(Boolean).join(" ") };
    this.sum.replaceChildren(...derivation(placeOf(grid, row, column), sum, ...(code ? [code] : [])));
  }
}

export default function ({ data, parentElement, setStateValue }) {
  speak(data);
  const run = new Run(parentElement);
  const before = run.view;
  const shown = JSON.stringify({ ...data, chosen: "", version: 0 });
  const view = before?.shown === shown ? before : new MatrixBoard(run, data, shown);
  run.view = Object.assign(view, { send: setStateValue });
  if (before && view !== before && before.version === data.version) {
    Object.assign(view, { version: before.version, locked: view.cells.has(before.locked) ? before.locked : null });
  }
  if (view.version !== data.version) Object.assign(view, { version: data.version, locked: data.chosen || null });
  releases(run, view);
  view.draw();
  return run.end;
}
