/* What a box of CSS has around and behind its content, as SVG that every program reads: colours as #rrggbb with an
   opacity beside them, gradients, borders and shadows without blur. */

const XLINK = "http://www.w3.org/1999/xlink";
const SIDES = ["top", "right", "bottom", "left"];
const DASHES = { dashed: [3, 2], dotted: [1, 1.5] }; // in widths of the line
const TURNS = { top: 0, right: 90, bottom: 180, left: 270 };

const round = (value) => Math.round(100 * value) / 100;

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, typeof value === "number" ? round(value) : value);
  }
  node.append(...children);
  return node;
}

/* [#rrggbb, opacity] of a computed colour. */
function color(text) {
  const numbers = text.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number);
  let parts = null;
  if (/^rgba?\(/.test(text)) parts = numbers;
  else if (text.startsWith("color(srgb ")) parts = numbers.map((value, place) => (place < 3 ? 255 * value : value));
  else if (/^#[0-9a-f]{6}$/i.test(text)) return [text, 1];
  if (!parts) {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    parts = [...pen.getImageData(0, 0, 1, 1).data].map((value, place) => (place < 3 ? value : value / 255));
  }
  const hex = parts.slice(0, 3).map((value) => Math.round(clamp(value, 0, 255)).toString(16).padStart(2, "0"));
  return [`#${hex.join("")}`, parts[3] ?? 1];
}

/* Attributes of a fill or stroke. */
function paint(kind, text) {
  const [value, opacity] = color(text);
  return { [kind]: value, [`${kind}-opacity`]: opacity < 1 ? opacity : null };
}

/* Splits a list at the commas that stand in no brackets. */
function listed(text) {
  const parts = [""];
  let depth = 0;
  for (const letter of text) {
    depth += { "(": 1, ")": -1 }[letter] ?? 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

function rectangle({ left, top, width, height }) {
  return { x: left, y: top, width, height };
}

/* A path along a box whose corners are round. */
function outline({ left, top, width, height }, radii) {
  const most = Math.min(width, height) / 2;
  const [a, b, c, d] = radii.map((radius) => Math.max(0, Math.min(radius, most)));
  if (a === b && b === c && c === d) return svg("rect", { ...rectangle({ left, top, width, height }), rx: a || null, ry: a || null });
  const corner = (radius, x, y) => (radius ? `A${round(radius)} ${round(radius)} 0 0 1 ${round(x)} ${round(y)}` : "");
  const line = (x, y) => `L${round(x)} ${round(y)}`;
  const [right, bottom] = [left + width, top + height];
  return svg("path", {
    d: [
      `M${round(left + a)} ${round(top)}`, line(right - b, top), corner(b, right, top + b), line(right, bottom - c),
      corner(c, right - c, bottom), line(left + d, bottom), corner(d, left, bottom - d), line(left, top + a),
      corner(a, left + a, top), "Z",
    ].join(""),
  });
}

function grown({ left, top, width, height }, by) {
  return { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by };
}

function filled(shape, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) shape.setAttribute(name, value);
  return shape;
}

/* A length in pixels: 3px, 50% of a whole, or calc() of both. */
function pixels(text, whole) {
  const [share, more] = ["%", "px"].map((unit) => text.replace(/- /g, "-").match(new RegExp(`(-?[\\d.]+)${unit}`)));
  return (whole * Number(share?.[1] ?? 0)) / 100 + Number(more?.[1] ?? 0);
}

/* The images behind a box, the lowest first, with their sizes and places. */
function images(style) {
  if (style.backgroundImage === "none") return [];
  const [sizes, places] = [listed(style.backgroundSize), listed(style.backgroundPosition)];
  return listed(style.backgroundImage).map((image, at) => [image, sizes[at % sizes.length], places[at % places.length]]).reverse();
}

/* The part of a box that an image of some size fills; the box itself, if that is all of it. */
function tile(box, size, place) {
  if (size === "auto" || size === "100% 100%") return box;
  const [across, down = "auto"] = size.split(" ");
  const [width, height] = [[across, box.width], [down, box.height]].map(([text, whole]) => (text === "auto" ? whole : pixels(text, whole)));
  const [left, top] = place.split(" ");
  return { left: box.left + pixels(left, box.width - width), top: box.top + pixels(top, box.height - height), width, height };
}

/* The stops of a gradient along a line of so many pixels; what is transparent takes the colour of its neighbours. */
function stops(parts, length) {
  const read = parts.map((part) => {
    const [, text, place] = part.match(/^(.*?\)|\S+)(?:\s+(.*))?$/);
    return { at: place === undefined ? null : pixels(place, length) / length, ink: color(text) };
  });
  read.forEach((stop, place) => { stop.at ??= read.length > 1 ? place / (read.length - 1) : 0; });
  return read.flatMap(({ at, ink: [value, opacity] }, place) => {
    if (opacity > 0) return [[at, value, opacity]];
    const beside = [read[place - 1], read[place + 1]].filter(Boolean);
    return beside.map(({ ink }) => [at, ink[0], 0]);
  });
}

/* The direction of a gradient to a corner, whose middle runs through the two other corners. */
function cornerAngle(to, tilt) {
  const down = to.includes("bottom") ? 180 - tilt : tilt;
  return to.includes("right") ? down : -down;
}

/* A linear gradient of CSS over a box, or null for another image. */
function gradient(image, box, id) {
  const found = image.match(/^(repeating-)?linear-gradient\((.*)\)$/);
  if (!found) return null;
  const parts = listed(found[2]);
  let angle = 180;
  if (/deg$/.test(parts[0])) angle = parseFloat(parts.shift());
  else if (parts[0].startsWith("to ")) {
    const to = parts.shift().slice(3);
    angle = TURNS[to] ?? cornerAngle(to, (180 * Math.atan2(box.height, box.width)) / Math.PI);
  }
  const turn = (angle * Math.PI) / 180;
  const length = Math.abs(box.width * Math.sin(turn)) + Math.abs(box.height * Math.cos(turn)) || 1;
  let marks = stops(parts, length);
  const last = found[1] ? marks.at(-1)[0] : 1;
  marks = marks.map(([at, ...ink]) => [at / last, ...ink]);
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const [across, down] = [(Math.sin(turn) * length) / 2, (-Math.cos(turn) * length) / 2];
  return svg(
    "linearGradient",
    {
      id, gradientUnits: "userSpaceOnUse", spreadMethod: found[1] ? "repeat" : null, x1: x - across, y1: y - down,
      x2: x - across + 2 * across * last, y2: y - down + 2 * down * last,
    },
    ...marks.map(([offset, value, opacity]) => svg("stop", { offset: Math.round(1e4 * offset) / 1e4, "stop-color": value, "stop-opacity": opacity < 1 ? opacity : null })),
  );
}

/* Shadows without blur: rings, and lines at one side. */
function shadows(style, box, radii) {
  if (style.boxShadow === "none") return [];
  return listed(style.boxShadow).reverse().flatMap((text) => {
    const [, ink, numbers] = text.match(/^(.*?)\s+(-?[\d.]+px.*)$/) ?? [];
    if (!ink) return [];
    const [x, y, blur, spread] = numbers.match(/-?[\d.]+(?=px)/g).map(Number);
    if (blur) return [];
    const inset = numbers.endsWith("inset");
    if (inset && !spread && y < 0) return [filled(svg("rect", { x: box.left, y: box.top + box.height + y, width: box.width, height: -y }), paint("fill", ink))];
    if (!spread || x || y) return [];
    const by = inset ? -spread / 2 : spread / 2;
    return [filled(outline(grown(box, by), radii.map((radius) => (radius ? radius + by : 0))), { fill: "none", ...paint("stroke", ink), "stroke-width": spread })];
  });
}

/* Borders: one line around, or a line at each side that has one. */
function borders(style, box, radii) {
  const sides = SIDES.map((side) => {
    const value = (part) => style.getPropertyValue(`border-${side}-${part}`);
    const width = ["none", "hidden"].includes(value("style")) ? 0 : parseFloat(value("width"));
    return { width, kind: value("style"), ink: value("color") };
  });
  const line = (node, { width, kind, ink }) => filled(node, {
    fill: "none", ...paint("stroke", ink), "stroke-width": width,
    "stroke-dasharray": DASHES[kind]?.map((part) => round(part * width)).join(" "),
  });
  const [first] = sides;
  if (sides.every((side) => side.width === first.width && side.kind === first.kind && side.ink === first.ink)) {
    if (!first.width) return [];
    return [line(outline(grown(box, -first.width / 2), radii.map((radius) => radius - first.width / 2)), first)];
  }
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  return sides.flatMap((side, place) => {
    if (!side.width) return [];
    const half = side.width / 2;
    const [x1, y1, x2, y2] = [
      [box.left, box.top + half, right, box.top + half], [right - half, box.top, right - half, bottom],
      [box.left, bottom - half, right, bottom - half], [box.left + half, box.top, box.left + half, bottom],
    ][place];
    return [line(svg("line", { x1, y1, x2, y2 }), side)];
  });
}
