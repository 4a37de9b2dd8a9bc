/* Every head as a switch, a row a layer, coloured by the damage that its loss alone does. */

const memory = new WeakMap(); // parentElement → {kind: place that Tab reaches}

function sample(className, text) {
  const item = element("span", "entry");
  item.append(element("span", `sample ${className}`, className.includes("unmeasured") ? "·" : ""), text);
  return item;
}

function legend(data) {
  const box = element("div", "legend");
  if (data.scale) box.append(signedScale(data.colors, data.scale), element("span", "", data.meaning));
  if (data.unmeasured) box.append(sample("unmeasured", data.unmeasured));
  box.append(sample("off", data.crossed));
  return box;
}

function headSwitch(data, cell, place, flip) {
  const node = button("switch", cell.tip, place, flip);
  node.setAttribute("aria-pressed", String(cell.on));
  node.classList.toggle("off", !cell.on);
  node.classList.toggle("unmeasured", cell.share === null);
  node.append(element("span", "number", cell.text));
  if (cell.on && cell.share !== null) node.style.backgroundColor = tint(data.colors, cell.share);
  return node;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const reached = memory.get(parentElement) ?? {};
  memory.set(parentElement, reached);

  function grid({ kind, title, heads, rows }) {
    const table = element("div", "grid");
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", `${title}. Arrow keys move, Enter or Space switches.`);
    table.style.setProperty("--heads", heads);
    table.append(element("span", "column corner", "Head"));
    for (let head = 1; head <= heads; head += 1) table.append(element("span", "column", String(head)));
    const nodes = rows.map((row, layer) => {
      const whole = button("layer", row.tip, `${kind}.${layer}`, () => setTriggerValue("flip", { kind, layer, head: null }));
      whole.textContent = row.name;
      whole.setAttribute("aria-pressed", row.pressed);
      const cells = row.cells.map((cell, head) => (
        headSwitch(data, cell, `${kind}.${layer}.${head}`, () => setTriggerValue("flip", { kind, layer, head }))
      ));
      table.append(whole, ...cells);
      return [whole, ...cells];
    });
    const all = nodes.flat();
    stop(all, all.find((node) => node.dataset.place === reached[kind]) ?? nodes[0][1]);
    arrows(nodes);
    table.addEventListener("focusin", (event) => { reached[kind] = event.target.dataset.place; });
    const card = element("section", "card");
    card.style.setProperty("--heads", heads);
    const box = element("div", "box");
    box.append(table);
    card.append(element("p", "title", title), box);
    return card;
  }

  const grids = element("div", "grids");
  grids.append(...data.grids.map(grid));
  const hint = element("p", "hint", "Click a head to switch it off or on, or the name of a layer for all its heads. Arrow keys move.");
  redraw(root, grids, legend(data), hint);
  return tips(root);
}
