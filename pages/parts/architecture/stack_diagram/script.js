/* The encoder and the decoder as boxes from the top to the bottom. A click on a box or on the number of a layer asks for
   its tensors; a second click, or Esc, asks for all of them again. */

const HEAD = 4; // pixels from the tip of an arrow to its wings
const ASIDE = 0.1; // share of a box's width at which a line passes the mask
const DASHES = { mask: "4 3", shared: "2 4" }; // attributes: a saved picture keeps those
const NAME = 15; // pixels from the top of a box to the middle of its name

function unit(box, chosen, pick) {
  const parts = [box.name, box.kind !== "norms" && box.kind !== "add" && box.detail, box.count].filter(Boolean);
  const label = `${parts.join(" ")}: ${box.tip}`;
  const [name, ...more] = ["name", "detail", "count"].map((kind) => ({ kind, words: box[kind] })).filter(({ words }) => parts.includes(words));
  const nodes = [name, ...more].flatMap(({ kind, words }) => [h(`span.${kind}`, words), " "]);
  return h(`button.unit.${box.kind}${box.path === chosen ? ".chosen" : ""}`, { tip: box.tip, label, place: box.path, pressed: box.path === chosen, onclick: () => pick(box.path) }, nodes);
}

function head(stack, chosen, pick) {
  const layers = Array.from({ length: stack.numbered > 1 ? stack.numbered : 0 }, (_, index) => {
    const [layer, path] = [index + 1, `${stack.name}/block${index + 1}`];
    const tip = stack.name === "encoder" ? say("Layer {layer} of the encoder", { layer }) : say("Layer {layer} of the decoder", { layer });
    return h(`button.layer${layer === stack.layer ? ".drawn" : ""}`, { tip, label: tip, place: path, pressed: path === chosen, onclick: () => pick(path) }, layer);
  });
  return h("div.head", h("span", layers.length ? say("Layer") : say("Layer {layer}", { layer: 1 })), layers);
}

function column(stack, chosen, pick) {
  const boxes = (list) => list.map((box) => unit(box, chosen, pick));
  const held = `${stack.name}/block${stack.layer}` === chosen;
  const block = h(`div.block${held ? ".chosen" : ""}`, head(stack, chosen, pick), stack.block.map((group) => h("div.sublayer", boxes(group))));
  return h("section.stack", { label: stack.title }, h("p.part", stack.title, h("span.layers", stack.count)), boxes(stack.before), block, boxes(stack.after));
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
  const tip = kind === "shared" ? "" : wing(1) + wing(-1);
  return h("path", { class: kind, "stroke-dasharray": DASHES[kind], d: `M${line.map((point) => point.join(" ")).join("L")}${tip}` });
}

function draw(svg, stacks, edges) {
  const whole = boxOf(stacks);
  const [left, right] = [...stacks.querySelectorAll(".stack")].map((node) => boxOf(node));
  const gutter = (left.right + right.left) / 2 - whole.left;
  const boxes = new Map([...stacks.querySelectorAll(".unit")].map((node) => {
    const box = boxOf(node);
    const place = { left: box.left - whole.left, right: box.right - whole.left, top: box.top - whole.top, bottom: box.bottom - whole.top };
    const stack = boxOf(node.closest(".stack"));
    return [node.dataset.place, { ...place, edges: [stack.left - whole.left, stack.right - whole.left], gutter }];
  }));
  svg.replaceChildren(...edges.map(([kind, from, to]) => arrow(kind, points(kind, boxes.get(from), boxes.get(to)))));
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const pick = (path) => setTriggerValue("pick", { path: path === data.chosen ? "" : path });
  const svg = h("svg.arrows", { "aria-hidden": true });
  const stacks = h("div.stacks", data.stacks.map((stack) => column(stack, data.chosen, pick)), svg);
  const kinds = data.kinds.map(([kind, name]) => entry(`.${kind}`, name));
  const lines = data.lines.map(([kind, name]) => h("span.entry", h(`span.line.${kind}`), name));
  redraw(run.root, stacks, h("div.legend", kinds, lines), h("p.hint", data.hint));
  run.on(run.root, "keydown", (event) => { if (event.key === "Escape" && data.chosen) pick(data.chosen); });
  run.resized(stacks, () => draw(svg, stacks, data.edges));
  tips(run);
  return run.end;
}
