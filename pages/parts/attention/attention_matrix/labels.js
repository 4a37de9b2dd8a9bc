/* Labels of an axis, thinned out where a cell is smaller than a line of text, and a strip that numbers the turns. */

const LINE = 15; // pixels that a label needs
const BAND = 16; // pixels of the strip of turns

/* Returns the name of the axis, and which part of the labels is written. */
function labelAxis(host, name, items, { size, band, depth, across }) {
  const every = Math.ceil(LINE / size);
  const [start, length, thick] = across ? ["left", "width", "height"] : ["top", "height", "width"];
  const place = (from, long, deep) => ({ style: { [start]: `${from}px`, [length]: `${long}px`, [thick]: `${deep}px` } });
  const nodes = items.flatMap((item, index) => {
    if (index % every || (index && every > 1 && size * index + LINE > size * items.length)) return [];
    const from = every > 1 ? size * index : size * (index + 0.5) - LINE / 2;
    return [h(`span.label${item.special ? ".special" : ""}`, place(from, LINE, depth - band - 4), item.text)];
  });
  for (let index = 0; band && index < items.length;) {
    let end = index + 1;
    while (end < items.length && items[end].group === items[index].group) end += 1;
    const { group } = items[index];
    const long = size * (end - index);
    if (group) nodes.push(h(`span.turn${group % 2 ? ".odd" : ""}`, place(size * index, long, band - 3), { title: say("turn {number}", { number: group }) }, long >= 17 && group));
    index = end;
  }
  const [most, side] = across ? ["max-height", "bottom"] : ["max-width", "right"];
  nodes.push(h("span.label.here", { style: { [most]: `${depth - band}px`, [side]: `${band + 2}px` } }));
  host.replaceChildren(...nodes);
  if (every === 1) return across ? say("→ Columns: {axis}", { axis: name }) : say("↓ Rows: {axis}", { axis: name });
  const values = { axis: name, count: every };
  return across ? say("→ Columns: {axis} (one of {count} is written)", values) : say("↓ Rows: {axis} (one of {count} is written)", values);
}
