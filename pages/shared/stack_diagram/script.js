/* The encoder and the decoder as boxes from the top to the bottom. A click on a box or on the number of a layer asks for
   its tensors; a second click, or Esc, asks for all of them again. */

const SVG = "http://www.w3.org/2000/svg";
const HEAD = 4; // pixels from the tip of an arrow to its wings
const ASIDE = 0.1; // share of a box's width at which a line passes the mask
const DASHES = { mask: "4 3", shared: "2 4" }; // attributes: a saved picture keeps those
const NAME = 15; // pixels from the top of a box to the middle of its name

const observers = new WeakMap(); // root → ResizeObserver

function unit(box, chosen, pick) {
  const node = button(`unit ${box.kind}`, box.tip, box.path, () => pick(box.path));
  node.classList.toggle("chosen", box.path === chosen);
  node.setAttribute("aria-pressed", String(box.path === chosen));
  node.append(element("span", "name", box.name));
  if (box.kind !== "norms" && box.kind !== "add") node.append(element("span", "detail", box.detail));
  if (box.count) node.append(element("span", "count", box.count));
  return node;
}

function head(stack, pick) {
  const line = element("div", "head");
  line.append(element("span", "", stack.numbered > 1 ? "Layer" : "Layer 1"));
  for (let layer = 1; stack.numbered > 1 && layer <= stack.numbered; layer += 1) {
    const path = `${stack.name}/block${layer}`;
    const node = button("layer", `Layer ${layer} of the ${stack.name}`, path, () => pick(path));
    node.classList.toggle("drawn", layer === stack.layer);
    node.setAttribute("aria-pressed", String(path === stack.chosen));
    node.textContent = String(layer);
    line.append(node);
  }
  return line;
}

function column(stack, chosen, pick) {
  const node = element("section", "stack");
  const block = element("div", "block");
  block.classList.toggle("chosen", `${stack.name}/block${stack.layer}` === chosen);
  block.append(head({ ...stack, chosen }, pick));
  for (const group of stack.block) {
    const sublayer = element("div", "sublayer");
    sublayer.append(...group.map((box) => unit(box, chosen, pick)));
    block.append(sublayer);
  }
  const boxes = (list) => list.map((box) => unit(box, chosen, pick));
  const heading = element("h4", "", stack.title);
  heading.append(element("span", "layers", stack.count));
  node.append(heading, ...boxes(stack.before), block, ...boxes(stack.after));
  return node;
}

/* Points of a line between two boxes, by what it stands for. */
function points(kind, from, to) {
  const [middle, height] = [(box) => (box.left + box.right) / 2, (box) => (box.top + box.bottom) / 2];
  if (kind === "down") return [[middle(from), from.bottom], [middle(from), to.top]];
  const aside = from.left + ASIDE * (from.right - from.left);
  if (kind === "past") return [[aside, from.bottom], [aside, to.top]];
  if (kind === "residual" || kind === "residual first") {
    const [x, start] = [(from.edges[0] + from.left) / 2, from.top - 8];
    return [[kind === "residual" ? middle(from) : aside, start], [x, start], [x, height(to)], [to.left, height(to)]];
  }
  if (kind === "mask") {
    const x = (to.edges[1] + to.right) / 2;
    return [[from.right, height(from)], [x, height(from)], [x, height(to)], [to.right, height(to)]];
  }
  if (kind === "shared") return [[from.right, from.top + NAME], [to.left, to.top + NAME]];
  const { gutter } = to; // memory: out of the encoder, between the stacks, into the decoder
  return [[from.right, height(from)], [gutter, height(from)], [gutter, height(to)], [to.left, height(to)]];
}

function arrow(kind, line) {
  const [[x0, y0], [x1, y1]] = line.slice(-2);
  const [dx, dy] = [Math.sign(Math.round(x1 - x0)), Math.sign(Math.round(y1 - y0))];
  const wing = (side) => `M${x1 - HEAD * (dx + side * dy)} ${y1 - HEAD * (dy + side * dx)}L${x1} ${y1}`;
  const path = document.createElementNS(SVG, "path");
  const tip = kind === "shared" ? "" : wing(1) + wing(-1);
  path.setAttribute("d", `M${line.map((point) => point.join(" ")).join("L")}${tip}`);
  path.setAttribute("class", kind);
  if (kind in DASHES) path.setAttribute("stroke-dasharray", DASHES[kind]);
  return path;
}

function draw(svg, stacks, edges) {
  const own = stacks.getBoundingClientRect();
  const [left, right] = [...stacks.querySelectorAll(".stack")].map((node) => node.getBoundingClientRect());
  const gutter = (left.right + right.left) / 2 - own.left;
  const boxes = new Map([...stacks.querySelectorAll(".unit")].map((node) => {
    const box = node.getBoundingClientRect();
    const place = { left: box.left - own.left, right: box.right - own.left, top: box.top - own.top, bottom: box.bottom - own.top };
    const stack = node.closest(".stack").getBoundingClientRect();
    return [node.dataset.place, { ...place, edges: [stack.left - own.left, stack.right - own.left], gutter }];
  }));
  svg.replaceChildren(...edges.map(([kind, from, to]) => arrow(kind, points(kind, boxes.get(from), boxes.get(to)))));
}

function legend(data) {
  const box = element("div", "legend");
  for (const [kind, name] of data.kinds) {
    const entry = element("span", "entry");
    entry.append(element("span", `sample ${kind}`), name);
    box.append(entry);
  }
  for (const [kind, name] of data.lines) {
    const entry = element("span", "entry");
    entry.append(element("span", `line ${kind}`), name);
    box.append(entry);
  }
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const pick = (path) => setTriggerValue("pick", { path: path === data.chosen ? "" : path });
  const stacks = element("div", "stacks");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "arrows");
  svg.setAttribute("aria-hidden", "true");
  stacks.append(...data.stacks.map((stack) => column(stack, data.chosen, pick)), svg);
  const hint = element("p", "hint", data.hint);
  redraw(root, stacks, legend(data), hint);
  root.onkeydown = (event) => { if (event.key === "Escape" && data.chosen) pick(data.chosen); };
  observers.get(root)?.disconnect();
  const observer = new ResizeObserver(() => draw(svg, stacks, data.edges));
  observer.observe(stacks);
  observers.set(root, observer);
  const end = tips(root);
  return () => { observer.disconnect(); end(); };
}
