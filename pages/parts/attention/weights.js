/* What the components of the Attention page share: packed weights, their shades, and the legend of the shades. */

const UNIT = 65535; // a weight of 1, packed
const TICKS = [[0, "0"], [0.05, "0.05"], [0.25, "0.25"], [1, "1"]];

/* base64 of little-endian numbers: the byte order of every machine that runs a browser. */
function unpack(packed, Numbers = Uint16Array) {
  return new Numbers(Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)).buffer);
}

function numeral(weight) {
  if (weight === 0) return "0";
  return weight < 0.001 ? say("under {share}", { share: "0.001" }) : weight.toFixed(3);
}

/* Columns of one row by falling weight; equal weights from left to right. */
function byWeight(weights) {
  const keys = Uint32Array.from(weights, (weight, column) => (UNIT - weight) * 65536 + column);
  return Uint16Array.from(keys.sort(), (key) => key & 65535);
}

/* The first of them that make up a share of the row's sum. */
function largest(order, weights, share) {
  const enough = share * weights.reduce((sum, weight) => sum + weight, 0) - 1e-6 * UNIT;
  let [sum, count] = [0, 0];
  while (count < order.length && sum < enough) sum += weights[order[count++]];
  return order.subarray(0, count);
}

/* Weights of some heads, rows and columns; causal: a row's own place is its last column. */
class Weights {
  constructor({ weights, count = 1, rows, columns, causal }) {
    Object.assign(this, { values: unpack(weights), heads: count, rows: rows.length, columns: columns.length, causal, orders: new Map() });
  }

  at(head, row, column) {
    return this.values[(head * this.rows + row) * this.columns + column] / UNIT;
  }

  visible(row) {
    return this.causal ? Math.min(row + 1, this.columns) : this.columns;
  }

  /* What a row may look at, packed. */
  own(head, row) {
    const start = (head * this.rows + row) * this.columns;
    return this.values.subarray(start, start + this.visible(row));
  }

  rank(head, row, column) {
    const own = this.own(head, row);
    return 1 + own.reduce((larger, other) => larger + (other > own[column]), 0);
  }

  /* The columns with the largest weights, which make up a share of the row. */
  kept(head, row, share) {
    const [place, own] = [head * this.rows + row, this.own(head, row)];
    if (!this.orders.has(place)) this.orders.set(place, byWeight(own));
    return largest(this.orders.get(place), own, share);
  }
}

/* A CSS colour, as numbers from 0 to 255. */
function rgb(host, color) {
  const probe = h("span", { style: { color } });
  host.append(probe);
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/* 256 colours from the page's background to the strong one, as RGBA in one number each. */
function ramp(host) {
  const [from, to] = ["var(--st-background-color)", "var(--attention)"].map((color) => rgb(host, color));
  return Uint32Array.from({ length: 256 }, (_, step) => {
    const [red, green, blue] = from.map((low, part) => Math.round(low + ((to[part] - low) * step) / 255));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

/* The square root makes small weights visible; every legend says so. */
function shade(share) {
  return Math.round(255 * Math.sqrt(clamp(share, 0, 1)));
}

/* Paints one pixel a cell and stretches it over the canvas. */
function paintCells(canvas, pixels, columns, smooth = false) {
  const rows = pixels.length / columns;
  const picture = new OffscreenCanvas(columns, rows);
  picture.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows), 0, 0);
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = smooth;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return context;
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

/* A query and a key in words; only a weight says that one looks at the other. */
function inWords({ looks }, { query, key }) {
  return looks ? say("{query} looks at {key}", { query, key }) : `${query} ← ${key}`;
}

/* The ramp with ticks at their true places under the square root, what it means in words that were said, and the sample of the mask. */
function weightLegend({ looks, causal }, ticks, meaning, ...more) {
  const placed = ticks.map(([share, name]) => [Math.sqrt(share), name]);
  const masked = causal && entry(".masked", say("masked: not written yet"));
  return h("div.legend", h("span", looks ? say("Weight") : say("Share")), scale(".strong", placed), h("span", meaning), masked, ...more);
}
