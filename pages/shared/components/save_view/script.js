/* Saves one of our own components as a picture: a copy that carries its styles is drawn as plain SVG (`Painter`), which
   drawing programs and slides read, too.

   While the copy is made, the component stands as in a picture: its lists at full length, without buttons and hints,
   in a font that every computer has, and with the caption below. On the page its place keeps its size meanwhile. */

const MARGIN = 24; // pixels around the picture
const LEAST_WIDTH = 1000; // pixels of a component, on a phone too
const LONGEST = 8000; // pixels of a list or of the width
const SCALE = 2; // of the PNG
const LARGEST = 16000; // pixels of a PNG's side: browsers draw no more
const FRAMES = 4; // until a component has seen its new size and drawn itself
const POSE = `
.root { font-family: Arial, Helvetica, sans-serif !important; width: max(100%, ${LEAST_WIDTH}px); }
.root, .root * { animation: none !important; transition: none !important; }
.hint, .tip, .fork, .state.locked, .legend ~ .state, .panel .state, .line:has(+ .tip), p.line:empty, input,
button:not([aria-pressed], :has(canvas)) { display: none !important; }
.facts { min-height: 0 !important; }
.plot { outline: 0 !important; }
.stages { grid-template-columns: 7rem minmax(16rem, 2fr) 9rem 7.2rem minmax(7.5rem, 1fr) 8rem !important; }
.stages .name { flex-basis: 9.5rem !important; }
.scroll, .box { max-height: ${LONGEST}px !important; max-width: none !important; overflow: visible clip !important; }
.saved-caption { font-size: 0.95rem; line-height: 1.4; margin: 0.9rem 0 0; }`;

const sides = (before, after = "") => ["top", "right", "bottom", "left"].map((side) => `${before}${side}${after}`);
const corners = ["top-left", "top-right", "bottom-left", "bottom-right"].map((corner) => `border-${corner}-radius`);
const BOX = [
  "display", "position", ...sides(""), "width", "height", "min-width", "min-height", "max-width", "max-height",
  ...sides("margin-"), ...sides("padding-"), "box-sizing", ...corners, "background-color", "background-image",
  "background-position", "background-repeat", "background-size", "box-shadow", "opacity", "overflow-x", "overflow-y",
  "text-overflow", "text-decoration-line", "text-decoration-style", "text-decoration-color", "text-decoration-thickness", "transform", "transform-origin", "unicode-bidi",
  "vertical-align", "z-index", "align-content", "align-items", "align-self", "justify-content", "justify-items",
  "justify-self", "flex-basis", "flex-direction", "flex-grow", "flex-shrink", "flex-wrap", "row-gap", "column-gap",
  "grid-template-columns", "grid-template-rows", "grid-auto-flow", "grid-column-start", "grid-column-end",
  "grid-row-start", "grid-row-end",
];
const LINES = [...sides("border-"), "outline"]; // copied where they have a width
const INHERITED = [
  "border-collapse", "color", "direction", "fill", "font-family", "font-size", "font-style", "font-variant-numeric",
  "font-weight", "image-rendering", "letter-spacing", "line-height", "list-style-type", "overflow-wrap", "stroke",
  "stroke-width", "text-align", "text-transform", "text-underline-offset", "visibility", "white-space", "writing-mode",
];
const SHAPE = ["opacity", "transform"]; // of what is inside an SVG; the rest stands in its attributes
const TABLE = ["table", "thead", "tbody", "tr", "th", "td"];

/* The styles of elements that no style sheet has touched, by tag. */
function bareStyles() {
  const host = h("div", { style: { all: "initial", display: "none" } });
  const nodes = Object.fromEntries(["div", "span", "img", ...TABLE].map((tag) => [tag, h(tag)]));
  const { table, thead, tbody, tr, th, td } = nodes;
  tr.append(th, td);
  tbody.append(tr);
  table.append(thead, tbody);
  host.attachShadow({ mode: "open" }).append(nodes.div, nodes.span, nodes.img, table);
  document.body.append(host);
  const styles = Object.entries(nodes).map(([tag, node]) => {
    const style = getComputedStyle(node);
    return [tag, Object.fromEntries([...BOX, ...INHERITED].map((name) => [name, style.getPropertyValue(name)]))];
  });
  host.remove();
  return Object.fromEntries(styles);
}

/* XML has no place for control characters and half letters. */
function clean(text) {
  return text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd");
}

/* A text of one line stays on one line in a wider font, too. */
function oneLine(node) {
  if (!node.firstChild || [...node.childNodes].some((child) => child.nodeType !== Node.TEXT_NODE)) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
  return tops.length > 0 && tops.every((top) => top === tops[0]);
}

/* A canvas whose pixels shall stay sharp, as large as it is shown: programs blur a picture that they make larger. */
function sharp(canvas) {
  if (getComputedStyle(canvas).imageRendering !== "pixelated") return canvas;
  const large = h("canvas");
  const [across, down] = [[canvas.clientWidth, canvas.width], [canvas.clientHeight, canvas.height]].map(([shown, own]) => Math.ceil((SCALE * shown) / own) * own);
  Object.assign(large, { width: Math.max(across, canvas.width), height: Math.max(down, canvas.height) });
  const pen = large.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.drawImage(canvas, 0, 0, large.width, large.height);
  return large;
}

class Copier {
  constructor() {
    this.bare = bareStyles();
  }

  node(node, parent) {
    if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(clean(node.data));
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    const style = getComputedStyle(node);
    if (style.display === "none") return "";
    const inside = node instanceof SVGElement && !(node instanceof SVGSVGElement);
    const [copy, tag] = this.empty(node, style);
    const own = this.dress(copy, tag, style, parent, inside ? SHAPE : BOX);
    if (style.whiteSpace === "normal" && oneLine(node)) copy.style.whiteSpace = "nowrap";
    if (node instanceof HTMLCanvasElement) return copy;
    copy.append(this.pseudo(node, "::before", own));
    for (const child of node.childNodes) copy.append(this.node(child, own));
    copy.append(this.pseudo(node, "::after", own));
    return copy;
  }

  /* A plain element in place of a button, heading or paragraph: it brings no styles of its own. */
  empty(node, style) {
    if (node instanceof SVGElement) {
      const copy = document.createElementNS(node.namespaceURI, node.localName);
      for (const { name, value } of node.attributes) {
        if (!/^(class|style|id|role|tabindex|aria-.*|on.*|.*href)$/.test(name)) copy.setAttribute(name, value);
      }
      return [copy, "span"];
    }
    if (node instanceof HTMLCanvasElement) {
      return [h("img", { alt: "", src: sharp(node).toDataURL() }), "img"];
    }
    let tag = style.display.startsWith("inline") ? "span" : "div";
    if (TABLE.includes(node.localName)) tag = node.localName;
    const copy = h(tag);
    if (node.colSpan > 1) copy.setAttribute("colspan", node.colSpan);
    return [copy, tag];
  }

  /* Writes what differs from a bare element, or from what the parent hands down; returns what is handed down. */
  dress(copy, tag, style, parent, names) {
    const bare = this.bare[tag];
    const handed = {};
    const write = (name, expected) => {
      const value = style.getPropertyValue(name);
      if (value !== expected) copy.style.setProperty(name, value);
      return value;
    };
    for (const name of names) write(name, bare[name]);
    for (const name of names === BOX ? LINES : []) {
      if (style.getPropertyValue(`${name}-style`) === "none") continue;
      for (const part of ["width", "style", "color"]) write(`${name}-${part}`);
    }
    for (const name of INHERITED) handed[name] = write(name, bare[name] === this.bare.span[name] ? parent[name] : undefined);
    if (style.position === "sticky") {
      copy.style.position = "relative"; // nothing scrolls in a picture
      copy.style.inset = "auto";
    }
    return handed;
  }

  pseudo(node, name, parent) {
    const style = getComputedStyle(node, name);
    const { content } = style;
    if (node instanceof SVGElement || style.display === "none" || !content.startsWith('"')) return "";
    const tag = style.display.startsWith("inline") ? "span" : "div";
    const copy = h(tag, clean(JSON.parse(content)));
    this.dress(copy, tag, style, parent, BOX);
    return copy;
  }
}

async function frames(count) {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
}

/* An SVG of a component as it stands, and whether something of it had to be cut off. */
async function portrait(place, root, caption) {
  const pose = h("style", POSE);
  const { height, overflow } = place.style;
  Object.assign(place.style, { height: `${place.getBoundingClientRect().height}px`, overflow: "clip" });
  root.parentNode.append(pose);
  const line = h("p.saved-caption", caption);
  if (caption) root.append(line);
  const moved = () => root.dispatchEvent(new Event(MOVED)); // in another font
  try {
    moved();
    await frames(FRAMES);
    return drawn(root);
  } finally {
    line.remove();
    pose.remove();
    moved();
    Object.assign(place.style, { height, overflow });
  }
}

function drawn(root) {
  const copier = new Copier();
  const content = copier.node(root, copier.bare.span);
  const size = [Math.min(root.scrollWidth, LONGEST), root.scrollHeight];
  const style = { all: "initial", position: "fixed", left: "0", top: "0", width: `${size[0]}px`, opacity: "0", "pointer-events": "none" };
  const host = h("div", { style, "aria-hidden": true }, content);
  document.body.append(host);
  try {
    const { defs, root: drawing } = new Painter(content);
    const [width, height] = size.map((side) => Math.ceil(side) + 2 * MARGIN);
    const fill = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
    const ground = svg("rect", { width, height, ...paint("fill", fill) });
    const cut = root.scrollWidth > LONGEST || [...root.querySelectorAll(".scroll, .box")].some((box) => box.scrollHeight > LONGEST);
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, defs, ground, drawing);
    return { svg: picture, width, height, fill, color: getComputedStyle(root).color, cut };
  } finally {
    host.remove();
  }
}

const svgText = (picture) => new XMLSerializer().serializeToString(picture.svg);

async function svgFile(picture) {
  return new Blob([svgText(picture)], { type: "image/svg+xml" });
}

async function pngFile(picture) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`; // a blob: address would taint the canvas
  await image.decode();
  const scale = Math.min(SCALE, LARGEST / picture.width, LARGEST / picture.height);
  const canvas = h("canvas");
  Object.assign(canvas, { width: Math.round(scale * picture.width), height: Math.round(scale * picture.height) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const file = await new Promise((resolve) => { canvas.toBlob(resolve); });
  if (!file) throw new Error("The picture is too large.");
  return file;
}

async function pageFile({ svg: picture, width, fill, color: ink }, { name, caption }) {
  const page = document.implementation.createHTMLDocument(name);
  page.documentElement.lang = document.documentElement.lang;
  page.head.prepend(h("meta", { charset: "utf-8" }), h("meta", { name: "viewport", content: "width=device-width" }));
  page.body.style.cssText = `background: ${fill}; color: ${ink}; font-family: Arial, Helvetica, sans-serif; line-height: 1.4; margin: 0`;
  picture.style.display = "block";
  const style = { margin: `0 ${MARGIN}px ${MARGIN}px`, "max-width": `${width - 2 * MARGIN}px` };
  page.body.append(h("div", { style: { "overflow-x": "auto" } }, picture), h("p", { style }, clean(caption)));
  return new Blob([`<!doctype html>\n${page.documentElement.outerHTML}\n`], { type: "text/html" });
}

const formats = () => ({ // ending: label, maker, whether the caption is part of the picture
  svg: [say("SVG picture"), svgFile, true],
  png: [say("PNG picture"), pngFile, true],
  html: [say("Web page that works offline"), pageFile, false],
});

function download(file, name) {
  const link = h("a", { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/* Returns what there is to say about it. */
async function save(data, ending) {
  const [, make, captioned] = formats()[ending];
  const place = document.querySelector(`.st-key-${CSS.escape(data.view)}`);
  const root = [...(place?.querySelectorAll("*") ?? [])].map((node) => node.shadowRoot?.querySelector(".root")).find(Boolean);
  if (!root?.firstChild) return say("The picture is not drawn yet. Try again in a moment.");
  const picture = await portrait(place, root, captioned ? data.caption : "");
  download(await make(picture, data), `${data.name}.${ending}`);
  return picture.cut ? say("The picture ends after {count} pixels.", { count: counted(LONGEST) }) : "";
}

export default function ({ data, parentElement }) {
  speak(data);
  const { root } = new Run(parentElement);
  const status = h("p.status", { role: "status" });
  let busy = false;
  const ask = async (ending) => {
    if (busy) return;
    busy = true;
    try {
      status.textContent = await save(data, ending);
    } catch (error) {
      console.warn(error);
      status.textContent = say("This browser cannot make the picture. Try another format.");
    }
    busy = false;
  };
  const buttons = Object.entries(formats()).map(([ending, [label]]) => h("button", { onclick: () => ask(ending) }, label));
  root.replaceChildren(...buttons, status);
}
