/* All heads as small pictures, a row a layer. A click or Enter opens one; arrow keys move between neighbours. */

/* The largest weights, a cell a block of tokens; what the mask hides is hatched. */
function draw(canvas, values, data, colors) {
  const [, , rows, columns] = data.shape;
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.round(side * scale));
  if (!width || !height) return;
  Object.assign(canvas, { width, height });
  const pixels = Uint32Array.from(values, (value) => colors[shade(value / UNIT)]);
  const context = paintCells(canvas, pixels, columns, width < columns || height < rows);
  if (!data.causal) return;
  context.fillStyle = hatch(canvas.parentElement, context, scale);
  const [down, across] = data.block;
  for (let row = 0; row < rows; row += 1) {
    const last = Math.min((row + 1) * down, data.size[0]) - 1;
    const first = Math.floor(last / across) + 1; // the first block whose tokens all come after the row's last
    const [top, bottom] = [row, row + 1].map((edge) => Math.round((edge * height) / rows));
    const left = Math.round((first * width) / columns);
    if (first < columns) context.fillRect(left, top, width - left, bottom - top);
  }
}

function legend(data) {
  const [down, across] = data.block;
  const values = { rows: data.axes[0], columns: data.axes[1], down, across };
  const pooled = say("Rows: {rows}. Columns: {columns}; a point is the largest weight of up to {down} × {across} tokens.", values);
  const axes = h("span.axes", down * across > 1 ? pooled : say("Rows: {rows}. Columns: {columns}.", values));
  return weightLegend(data, TICKS, say("the same scale for every head, square root: small weights stay visible"), axes);
}

const FEW = 8; // heads whose pictures have room for a whole name

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const [layers, heads, rows, columns] = data.shape;
  const weights = unpack(data.weights);
  const tiles = Array.from({ length: layers }, (_, layer) => Array.from({ length: heads }, (_item, head) => {
    const open = layer === data.layer && (head === data.head || !data.heads);
    const tag = data.tags[layer][head];
    const canvas = h("canvas");
    const name = data.heads ? say("Head {number}", { number: head + 1 }) : say("Layer {number}", { number: layer + 1 });
    const place = data.heads ? say("Layer {layer}, Head {head}", { layer: layer + 1, head: head + 1 }) : name;
    const label = tag ? `${place} ${tag}` : place;
    const attributes = { place: `${layer}.${head}`, label, current: open ? "true" : null, onclick: () => setTriggerValue("open", { layer, head }) };
    const node = h(`button.tile${open ? ".open" : ""}`, attributes, canvas, h("span.name", data.heads && heads > FEW ? String(head + 1) : name), " ", tag && h("span.tag", tag));
    const start = (layer * heads + head) * rows * columns;
    return { node, paint: (colors) => draw(canvas, weights.subarray(start, start + rows * columns), data, colors) };
  }));
  const every = tiles.map((row) => row.map(({ node }) => node));
  const nodes = data.heads ? every : [every.flat()]; // a layer each: side by side
  const aspect = clamp(data.size[1] / data.size[0], 1, 1.9);
  const across = nodes[0].length;
  const grid = h(`div.grid${across > FEW ? ".many" : ""}`, { role: "group", label: say("{title}. Arrow keys move, Enter opens.", { title: data.title }), style: { "--heads": across, "--aspect": aspect } },
    nodes.flatMap((row, layer) => [h("span.layer", data.heads && say("Layer {number}", { number: layer + 1 })), ...row]));
  arrows(nodes);
  stop(nodes.flat(), every[data.layer][data.head ?? 0]);
  const opens = data.heads ? say("Click a picture to open the head. Arrow keys move, Enter opens.") : say("Click a picture to open the layer. Arrow keys move, Enter opens.");
  const hint = h("p.hint", opens);
  redraw(run.root, h("p.title", data.title), h("div.box", grid), ...(data.explained ? [legend(data), hint] : []));
  const colors = ramp(run.root);
  run.resized(grid, () => tiles.flat().forEach((tile) => tile.paint(colors)));
  return run.end;
}
