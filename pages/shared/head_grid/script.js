/* All heads as small pictures, a row a layer. A click or Enter opens one; arrow keys move between neighbours. */

const memory = new WeakMap(); // parentElement → {listeners, place} of the tile that Tab reaches

/* The largest weights, a cell a block of tokens; what the mask hides is hatched. */
function draw(canvas, values, data, colors) {
  const [, , rows, columns] = data.shape;
  const scale = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (!width || !height) return;
  Object.assign(canvas, { width, height });
  const picture = new OffscreenCanvas(columns, rows);
  const pixels = Uint32Array.from(values, (value) => colors[shade(value / UNIT)]);
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows);
  picture.getContext("2d").putImageData(image, 0, 0);
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = width < columns || height < rows;
  context.drawImage(picture, 0, 0, width, height);
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
  const box = element("div", "legend");
  box.append(element("span", "", "Weight"), scaleLegend([[0, "0"], [0.05, "0.05"], [0.25, "0.25"], [1, "1"]]));
  box.append(element("span", "", "the same scale for every head, square root: small weights stay visible"));
  if (data.causal) box.append(hatchLegend("masked: not written yet"));
  const [down, across] = data.block;
  const pooled = `; a point is the largest weight of up to ${down} × ${across} tokens`;
  const axes = `Rows: ${data.axes[0]}. Columns: ${data.axes[1]}`;
  box.append(element("span", "axes", `${axes}${down * across > 1 ? pooled : ""}.`));
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const focused = root.getRootNode().activeElement?.dataset?.place; // a redraw does not take the focus away
  const [layers, heads, rows, columns] = data.shape;
  const weights = unpack(data.weights);
  const tiles = [];
  const grid = element("div", "grid");
  grid.setAttribute("role", "group");
  grid.setAttribute("aria-label", `${data.title}. Arrow keys move, Enter opens.`);
  grid.style.setProperty("--heads", heads);
  grid.style.setProperty("--aspect", Math.min(Math.max(data.size[1] / data.size[0], 1), 1.9));

  function reach(tile) {
    for (const { node } of tiles) node.tabIndex = node === tile ? 0 : -1;
  }

  function move(event, layer, head) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tiles.find((tile) => tile.layer === layer + step[0] && tile.head === head + step[1]);
    if (!next) return;
    reach(next.node);
    next.node.focus();
  }

  function tile(layer, head) {
    const open = layer === data.layer && head === data.head;
    const node = button(open ? "tile open" : "tile", undefined, () => {
      reach(node);
      setTriggerValue("open", { layer, head });
    });
    const tag = data.tags[layer][head];
    node.dataset.place = `${layer}.${head}`;
    node.setAttribute("aria-label", `Layer ${layer + 1}, head ${head + 1}${tag ? `, ${tag}` : ""}`);
    if (open) node.setAttribute("aria-current", "true");
    node.onkeydown = (event) => move(event, layer, head);
    const canvas = element("canvas");
    node.append(canvas, element("span", "name", `Head ${head + 1}`));
    if (tag) node.append(element("span", "tag", tag));
    const start = (layer * heads + head) * rows * columns;
    tiles.push({ node, canvas, layer, head, values: weights.subarray(start, start + rows * columns) });
    return node;
  }

  for (let layer = 0; layer < layers; layer += 1) {
    grid.append(element("span", "layer", `Layer ${layer + 1}`));
    for (let head = 0; head < heads; head += 1) grid.append(tile(layer, head));
  }
  const hint = element("p", "hint", "Click a picture to open the head. Arrow keys move, Enter opens.");
  const box = element("div", "box");
  box.append(grid);
  root.replaceChildren(element("p", "title", data.title), box, legend(data), hint);
  const place = focused || `${data.layer}.${data.head}`;
  const current = tiles.find(({ node }) => node.dataset.place === place) || tiles[0];
  reach(current.node);
  if (focused) current.node.focus({ preventScroll: true });

  const listeners = new AbortController();
  memory.set(parentElement, { listeners });
  const colors = ramp(root);
  const paint = () => { for (const each of tiles) draw(each.canvas, each.values, data, colors); };
  const observer = new ResizeObserver(paint);
  observer.observe(grid);
  listeners.signal.addEventListener("abort", () => observer.disconnect());
  return () => listeners.abort();
}
