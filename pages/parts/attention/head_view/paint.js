/* The lines between the two sides, on a canvas. */

/* Width and strength stand for the weight. Where a side is scrolled, a line to what is out of sight ends at its edge.

   anchors: the nodes of rows and columns between which lines go. Returns, for each side, the nodes out of sight. */
function paintLines(view, lines, anchors) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [view.gutter.clientWidth, view.gutter.clientHeight];
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (view.canvas.width !== wide || view.canvas.height !== high) Object.assign(view.canvas, { width: wide, height: high });
  const pen = view.canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  const places = {};
  const hidden = {};
  for (const side of ["row", "column"]) {
    const { scroll } = view.sides[side];
    places[side] = anchors[side].map((node) => node.offsetTop + node.offsetHeight / 2 - scroll.scrollTop);
    hidden[side] = { above: new Set(), below: new Set() };
  }
  const inside = (side, index) => {
    const place = places[side][index];
    if (place < 0) hidden[side].above.add(anchors[side][index]);
    if (place > height) hidden[side].below.add(anchors[side][index]);
    return Math.min(Math.max(place, 0), height);
  };
  const middle = (view.heads.length - 1) / 2;
  pen.strokeStyle = view.ink;
  const pale = lines.length > 300 ? 0.1 : 0.25;
  const thin = Math.min(1, 5 / Math.sqrt(lines.length)); // many lines of one colour shall not fill the ground
  for (const [head, row, column, weight] of [...lines].reverse()) {
    const shift = 2 * (view.heads.indexOf(head) - middle); // heads side by side
    const [from, to] = [inside("row", row), inside("column", column)];
    const cut = from !== places.row[row] || to !== places.column[column];
    pen.globalAlpha = thin * (pale + (1 - pale) * Math.sqrt(weight)) * (cut ? 0.45 : 1) * ((view.pointed ?? head) === head ? 1 : 0.1);
    pen.lineWidth = 0.8 + 5.2 * weight;
    pen.beginPath();
    pen.moveTo(0, from + shift);
    pen.bezierCurveTo(width / 2, from + shift, width / 2, to + shift, width, to + shift);
    pen.stroke();
  }
  return hidden;
}
