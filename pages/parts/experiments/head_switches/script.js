/* Every head as a switch, a row a layer, coloured by the damage that its loss alone does. */

function legend(data) {
  const scaled = data.scale && [signedScale(data.colors, data.scale), h("span", data.meaning)];
  const unmeasured = data.unmeasured && h("span.entry", h("span.sample.unmeasured", "·"), data.unmeasured);
  return h("div.legend", ...(scaled || []), unmeasured, entry(".off", data.crossed));
}

function headSwitch(colors, { on, share, text: number, tip }, place, onclick) {
  const label = `${number}: ${tip}`;
  const style = on && share !== null ? { "background-color": tint(colors, share) } : {};
  return h(`button.switch${on ? "" : ".off"}${share === null ? ".unmeasured" : ""}`, { tip, label, place, pressed: on, style, onclick }, h("span.number", number));
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const reached = run.view ?? {}; // kind → place that Tab reaches
  run.view = reached;

  function grid({ kind, title, heads, rows }) {
    const nodes = rows.map((row, layer) => {
      const flip = (head) => () => setTriggerValue("flip", { kind, layer, head });
      const whole = h("button.layer", { tip: row.tip, label: `${row.name}: ${row.tip}`, place: `${kind}.${layer}`, pressed: row.pressed, onclick: flip(null) }, row.name);
      return [whole, ...row.cells.map((cell, head) => headSwitch(data.colors, cell, `${kind}.${layer}.${head}`, flip(head)))];
    });
    const all = nodes.flat();
    stop(all, all.find((node) => node.dataset.place === reached[kind]) ?? nodes[0][1]);
    arrows(nodes);
    const columns = Array.from({ length: heads }, (_, head) => h("span.column", head + 1));
    const style = { "--heads": heads };
    const onfocusin = (event) => { reached[kind] = event.target.dataset.place; };
    const table = h("div.grid", { role: "group", label: say("{title}. Arrow keys move, Enter or Space switches.", { title }), style }, h("span.column.corner", say("Head")), columns, all);
    table.addEventListener("focusin", onfocusin);
    return h("section.card", { style }, h("p.title", title), h("div.box", table));
  }

  const hint = h("p.hint", say("Click a head to switch it off or on, or the name of a layer for all its heads. Arrow keys move."));
  redraw(run.root, h("div.grids", data.grids.map(grid)), legend(data), hint);
  tips(run);
  return run.end;
}
