/* Labels of an axis, thinned out where a cell is smaller than a line of text, and a strip that numbers the turns. */

const LINE = 15; // pixels that a label needs
const BAND = 16; // pixels of the strip of turns

/* Returns the name of the axis, and how many labels are written. */
function labelAxis(host, name, items, { size, band, depth, across }) {
  const every = Math.ceil(LINE / size);
  const thinned = every > 1 ? ` (every ${every}${["th", "st", "nd", "rd"][every] || "th"} is written)` : "";
  const nodes = [];
  const put = (node, start, length) => {
    node.style[across ? "left" : "top"] = `${start}px`;
    node.style[across ? "width" : "height"] = `${length}px`;
    nodes.push(node);
  };
  items.forEach((item, index) => {
    if (index % every || (index && every > 1 && size * index + LINE > size * items.length)) return;
    const label = element("span", item.special ? "label special" : "label", item.text);
    label.style[across ? "height" : "width"] = `${depth - band - 4}px`;
    put(label, every > 1 ? size * index : size * (index + 0.5) - LINE / 2, LINE);
  });
  for (let index = 0; band && index < items.length;) {
    let end = index + 1;
    while (end < items.length && items[end].group === items[index].group) end += 1;
    const { group } = items[index];
    if (group) {
      const turn = element("span", group % 2 ? "turn odd" : "turn", size * (end - index) >= 17 ? String(group) : "");
      turn.style[across ? "height" : "width"] = `${band - 3}px`;
      turn.title = `turn ${group}`;
      put(turn, size * index, size * (end - index));
    }
    index = end;
  }
  const here = element("span", "label here");
  here.style[across ? "maxHeight" : "maxWidth"] = `${depth - band}px`;
  here.style[across ? "bottom" : "right"] = `${band + 2}px`;
  nodes.push(here);
  host.replaceChildren(...nodes);
  return `${across ? "→ Columns" : "↓ Rows"}: ${name}${thinned}`;
}
