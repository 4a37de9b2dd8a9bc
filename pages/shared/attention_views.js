/* What the views of attention share: texts, packed weights, colours. It is put in front of each view's script. */

const UNIT = 65535; // a weight of 1, packed
const MORE_COLORS = ["var(--more-1)", "var(--more-2)"]; // after the theme's own

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function button(className, text, onclick) {
  const node = element("button", className, text);
  node.type = "button";
  node.onclick = onclick;
  return node;
}

/* base64 of little-endian uint16: the byte order of every machine that runs a browser. */
function unpack(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return new Uint16Array(bytes.buffer);
}

function numeral(weight) {
  if (weight === 0) return "0";
  return weight < 0.001 ? "under 0.001" : weight.toFixed(3);
}

/* A CSS colour, as numbers from 0 to 255. */
function rgb(host, color) {
  const probe = element("span");
  probe.style.color = color;
  host.append(probe);
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/* The theme's colours, then two more: a number stands beside each, for they repeat after eight. */
function palette(host) {
  const own = getComputedStyle(host).getPropertyValue("--st-chart-categorical-colors").split(",");
  return [...own.map((color) => color.trim()).filter(Boolean), ...MORE_COLORS].slice(0, 8);
}

/* 256 colours from the page's background to the strong one, as RGBA in one number each. */
function ramp(host) {
  const [from, to] = ["var(--st-background-color)", "var(--strong)"].map((color) => rgb(host, color));
  return Uint32Array.from({ length: 256 }, (_, step) => {
    const [red, green, blue] = from.map((low, part) => Math.round(low + ((to[part] - low) * step) / 255));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

/* The square root makes small weights visible; every legend says so. */
function shade(share) {
  return Math.round(255 * Math.sqrt(Math.min(Math.max(share, 0), 1)));
}

function hatch(host, context, scale) {
  const size = 6 * scale;
  const tile = new OffscreenCanvas(size, size);
  const pen = tile.getContext("2d");
  const [ground, line] = ["var(--masked)", "var(--hatch)"].map((color) => `rgb(${rgb(host, color)})`);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = line;
  pen.lineWidth = scale;
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

/* A ramp with ticks at their true places under the square root: [[0.25, "0.25"], …]. */
function scaleLegend(ticks) {
  const box = element("span", "scale");
  const bar = element("span", "ramp");
  const marks = element("span", "ticks");
  for (const [share, text] of ticks) {
    const tick = element("span", "tick", text);
    tick.style.left = `${100 * Math.sqrt(share)}%`;
    marks.append(tick);
  }
  box.append(bar, marks);
  return box;
}

function hatchLegend(text) {
  const item = element("span", "masked");
  item.append(element("span", "sample"), text);
  return item;
}
