/* Draws a copied component, which stands in the document with all its styles, as plain SVG: boxes, words, images.

   Each word has a place of its own, so that another program's font moves nothing but letters. */

const LETTERS = /\S+/gu;
const SHAPES = ["path", "rect", "line", "circle", "ellipse", "polyline", "polygon", "text", "tspan", "g"];
const ATTRIBUTES = /^(d|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|dx|dy|width|height|points|transform|text-anchor)$/;
const CLIPPED = 1; // pixels of content beyond a box that are worth a clip

class Painter {
  constructor(root) {
    const { left, top } = root.getBoundingClientRect();
    this.from = [left - MARGIN, top - MARGIN];
    this.defs = svg("defs", {});
    this.pen = document.createElement("canvas").getContext("2d");
    this.family = getComputedStyle(root).fontFamily;
    this.root = svg("g", { "font-family": this.family });
    this.node(root, this.root, { lines: [], flipped: false });
  }

  box({ left, top, width, height }) {
    return { left: left - this.from[0], top: top - this.from[1], width, height };
  }

  define(make) {
    const id = `d${this.defs.childNodes.length + 1}`;
    const node = make(id);
    if (node) this.defs.append(node);
    return node && id;
  }

  node(node, into, state) {
    if (node.nodeType === Node.TEXT_NODE) { this.words(node, into, state); return; }
    const style = getComputedStyle(node);
    if (style.display === "none" || Number(style.opacity) === 0) return;
    const box = this.box(node.getBoundingClientRect());
    const group = Number(style.opacity) < 1 ? svg("g", { opacity: Number(style.opacity) }) : into;
    if (group !== into) into.append(group);
    if (node instanceof SVGSVGElement) { this.drawing(node, group); return; }
    if (style.visibility === "visible") this.ground(node, style, group);
    if (node instanceof HTMLImageElement) { this.image(node, style, box, group); return; }
    const lines = style.textDecorationLine === "none" ? state.lines : [...state.lines, style];
    const flipped = state.flipped !== style.transform.startsWith("matrix(-1, 0, 0, -1");
    const inside = this.clipped(node, style, box, group);
    const order = [...node.childNodes].map((child) => [this.level(child), child]);
    order.sort((one, other) => one[0] - other[0]); // of one level they stay in their order
    for (const [, child] of order) this.node(child, inside, { lines, flipped });
  }

  /* What is positioned lies above what is not, and what has a number above what has a lower one. */
  level(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return 0;
    const { position, zIndex } = getComputedStyle(node);
    return zIndex === "auto" || position === "static" ? Number(position !== "static") / 2 : Number(zIndex) || 0.5;
  }

  ground(node, style, into) {
    const corners = ["TopLeft", "TopRight", "BottomRight", "BottomLeft"];
    const parts = style.display === "inline" ? [...node.getClientRects()] : [node.getBoundingClientRect()];
    for (const part of parts) {
      const box = this.box(part);
      const radii = corners.map((corner) => {
        const radius = style[`border${corner}Radius`];
        return radius.endsWith("%") ? (parseFloat(radius) / 100) * Math.min(box.width, box.height) : parseFloat(radius);
      });
      if (!box.width || !box.height) { into.append(...borders(style, box, [0, 0, 0, 0])); continue; }
      const fill = paint("fill", style.backgroundColor);
      if (fill["fill-opacity"] !== 0) into.append(filled(outline(box, radii), fill));
      for (const [image, size, place] of images(style)) {
        const part = tile(box, size, place);
        const id = this.define((name) => gradient(image, part, name));
        if (id) into.append(filled(part === box ? outline(box, radii) : svg("rect", rectangle(part)), { fill: `url(#${id})` }));
      }
      into.append(...shadows(style, box, radii), ...borders(style, box, radii));
    }
  }

  image(node, style, box, into) {
    const edge = SIDES.map((side) => parseFloat(style.getPropertyValue(`border-${side}-width`)));
    const image = svg("image", {
      x: box.left + edge[3], y: box.top + edge[0], width: box.width - edge[1] - edge[3], height: box.height - edge[0] - edge[2],
      preserveAspectRatio: "none",
    });
    image.setAttributeNS(XLINK, "xlink:href", node.src);
    into.append(image);
  }

  /* Where content goes beyond a box that cuts it off, the group that is cut off there. */
  clipped(node, style, box, into) {
    const cuts = (overflow, more) => overflow !== "visible" && more > CLIPPED;
    const across = cuts(style.overflowX, node.scrollWidth - node.clientWidth);
    const down = cuts(style.overflowY, node.scrollHeight - node.clientHeight);
    if (style.display === "inline" || !(across || down)) return into;
    const [x, width] = across ? [box.left, box.width] : [box.left - LONGEST, box.width + 2 * LONGEST];
    const [y, height] = down ? [box.top, box.height] : [box.top - LONGEST, box.height + 2 * LONGEST];
    const id = this.define((name) => svg("clipPath", { id: name }, svg("rect", { x, y, width, height })));
    const group = svg("g", { "clip-path": `url(#${id})` });
    into.append(group);
    return group;
  }

  /* A drawing inside of the component, at its place. */
  drawing(node, into) {
    const { a, b, c, d, e, f } = node.getScreenCTM();
    const place = [a, b, c, d, e - this.from[0], f - this.from[1]].map(round).join(" ");
    const group = svg("g", { transform: `matrix(${place})` });
    group.append(...[...node.children].map((child) => this.shape(child)).filter(Boolean));
    into.append(group);
  }

  shape(node) {
    const style = getComputedStyle(node);
    if (!SHAPES.includes(node.localName) || style.display === "none") return null;
    const copy = svg(node.localName, {});
    for (const { name, value } of node.attributes) if (ATTRIBUTES.test(name)) copy.setAttribute(name, value);
    if (node.localName !== "g") {
      for (const kind of ["fill", "stroke"]) filled(copy, style[kind] === "none" ? { [kind]: "none" } : paint(kind, style[kind]));
      if (style.stroke !== "none") {
        const dashes = style.strokeDasharray === "none" ? null : style.strokeDasharray.replaceAll("px", "");
        filled(copy, { "stroke-width": parseFloat(style.strokeWidth), "stroke-dasharray": dashes });
      }
      if (node.localName === "text") filled(copy, this.font(style));
    }
    if (Number(style.opacity) < 1) copy.setAttribute("opacity", style.opacity);
    for (const child of node.childNodes) {
      const part = child.nodeType === Node.TEXT_NODE ? document.createTextNode(child.data) : child.nodeType === Node.ELEMENT_NODE && this.shape(child);
      if (part) copy.append(part);
    }
    return copy;
  }

  font(style) {
    const weight = Number(style.fontWeight);
    return {
      "font-size": round(parseFloat(style.fontSize)),
      "font-weight": weight >= 550 ? "bold" : null,
      "font-style": style.fontStyle === "normal" ? null : style.fontStyle,
    };
  }

  /* Every word of a text node where the browser has put it; a word that is broken becomes several. */
  words(node, into, state) {
    const parent = node.parentElement;
    const style = getComputedStyle(parent);
    if (style.visibility !== "visible" || !node.data.trim()) return;
    this.pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = this.pen.measureText("x");
    const look = {
      ...this.font(style), ...paint("fill", style.color),
      "font-family": style.fontFamily === this.family ? null : style.fontFamily,
      "letter-spacing": parseFloat(style.letterSpacing) || null,
      direction: style.direction === "rtl" ? "rtl" : null,
    };
    if (state.lines.length) this.decorate(node, into, state, ascent);
    for (const [text, rect] of this.pieces(node, style.writingMode.startsWith("vertical") ? "left" : "top")) {
      const shown = this.shortened(text, this.room(parent, rect, state));
      if (shown) into.append(svg("text", { ...this.place(style, state, this.box(rect), ascent, descent), ...look }, cased(shown, style)));
    }
  }

  /* Lines under and through the lines of a text. */
  decorate(node, into, { lines }, ascent) {
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const { left, top, width } = this.box(rect);
      for (const style of lines) {
        const size = parseFloat(style.fontSize);
        const thick = parseFloat(style.textDecorationThickness) || Math.max(1, size / 14);
        const through = style.textDecorationLine.includes("line-through");
        const offset = parseFloat(style.textUnderlineOffset) || size / 9;
        const y = top + ascent + (through ? -0.28 * size : offset + thick / 2);
        const kind = style.textDecorationStyle;
        into.append(filled(kind === "wavy" ? wave(left, left + width, y, thick) : svg("line", { x1: left, x2: left + width, y1: y, y2: y }), {
          fill: "none", ...paint("stroke", style.textDecorationColor), "stroke-width": round(thick),
          "stroke-dasharray": DASHES[kind]?.map((part) => round(part * thick)).join(" "),
        }));
      }
    }
  }

  /* How far a word may go before its box cuts it off, in pixels from its start; Infinity if nothing does. */
  room(parent, rect, { flipped }) {
    while (getComputedStyle(parent).display === "inline") parent = parent.parentElement;
    const { textOverflow, overflowX, overflowY, writingMode } = getComputedStyle(parent);
    const upright = writingMode.startsWith("vertical");
    const [overflow, more] = upright ? [overflowY, parent.scrollHeight - parent.clientHeight] : [overflowX, parent.scrollWidth - parent.clientWidth];
    if (textOverflow !== "ellipsis" || overflow === "visible" || more <= 0) return Infinity;
    const box = parent.getBoundingClientRect();
    if (!upright) return box.left + parent.clientLeft + parent.clientWidth - rect.left;
    return flipped ? rect.bottom - box.top : box.bottom - rect.top;
  }

  /* What fits of a word, with an ellipsis; "" where nothing does. */
  shortened(text, room) {
    if (room === Infinity || this.pen.measureText(text).width <= room + 1) return text;
    if (room <= 0) return "";
    let shown = text;
    while (shown && this.pen.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
    return `${shown}…`;
  }

  /* The words of a text with their boxes; of a word that is broken, its part on each line. */
  pieces(node, side) {
    const range = document.createRange();
    const rects = (start, stop) => {
      range.setStart(node, start);
      range.setEnd(node, stop);
      return [...range.getClientRects()].filter((rect) => rect.width && rect.height);
    };
    const sameLine = (one, other) => Math.abs(one[side] - other[side]) < 2;
    return [...node.data.matchAll(LETTERS)].flatMap(({ 0: word, index }) => {
      const found = rects(index, index + word.length);
      if (!found.length) return [];
      if (found.every((rect) => sameLine(rect, found[0]))) return [[word, found.reduce(union)]];
      const lines = [];
      let place = index;
      for (const letter of word) {
        const [rect] = rects(place, place + letter.length);
        place += letter.length;
        const line = lines.at(-1);
        if (line && (!rect || sameLine(rect, line[1]))) lines[lines.length - 1] = [line[0] + letter, rect ? union(line[1], rect) : line[1]];
        else if (rect) lines.push([letter, rect]);
      }
      return lines;
    });
  }

  /* The start of a word's baseline: texts from top to bottom, and from bottom to top, are turned around it. */
  place(style, { flipped }, { left, top, width, height }, ascent, descent) {
    const spare = (size) => (size - ascent - descent) / 2;
    if (!style.writingMode.startsWith("vertical")) return { x: style.direction === "rtl" ? left + width : left, y: top + spare(height) + ascent };
    const [x, y, angle] = flipped ? [left + spare(width) + ascent, top + height, -90] : [left + width - spare(width) - ascent, top, 90];
    return { x, y, transform: `rotate(${angle} ${round(x)} ${round(y)})` };
  }
}

function union(one, other) {
  const [left, top] = [Math.min(one.left, other.left), Math.min(one.top, other.top)];
  return new DOMRect(left, top, Math.max(one.right, other.right) - left, Math.max(one.bottom, other.bottom) - top);
}

function wave(left, right, y, thick) {
  let path = `M${round(left)} ${round(y)}`;
  for (let x = left, sign = 1; x < right; x += 2 * thick, sign = -sign) path += `L${round(Math.min(x + 2 * thick, right))} ${round(y + sign * thick)}`;
  return svg("path", { d: path });
}

function cased(text, { textTransform }) {
  if (textTransform === "uppercase") return text.toUpperCase();
  if (textTransform === "lowercase") return text.toLowerCase();
  return textTransform === "capitalize" ? text[0].toUpperCase() + text.slice(1) : text;
}
