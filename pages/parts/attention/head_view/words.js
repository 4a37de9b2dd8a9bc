/* What the view says in words: how many lines, what is locked and how to release it, and the numbers. */

/* The line under the picture; `found` says how many lines there are and how many of them are drawn. */
function stateInWords(view, found) {
  const { rows } = view.data;
  if (view.locked) {
    const [first, last] = view.locked;
    if (first === last) return `Locked: ${rows[first].name}. ${RELEASE} Shift-click extends it.`;
    return `Locked: ${rows[first].name} to ${rows[last].name}, ${last - first + 1} in all. Esc or a click on empty space releases them; a click on an end shortens the span.`;
  }
  if (view.preview) return view.preview.side === "row" ? "Preview: what it looks at. Click to lock it." : "Preview: what looks at it.";
  if (found.grouped) {
    const [from, to] = ["row", "column"].map((side) => (view.groups[side].length < view.data[`${side}s`].length ? "turn" : "word"));
    const cut = found.drawn < found.summed ? `, the ${counted(found.drawn)} largest of ${counted(found.summed)}` : "";
    return `${counted(found.kept)} lines between words are too many to tell apart. These go from ${from} to ${to}${cut}.`;
  }
  if (found.drawn < found.kept) return `Only the ${counted(found.drawn)} largest of ${counted(found.kept)} lines are drawn.`;
  return "Nothing is locked: the lines of all words are drawn.";
}

/* Of each head that is on, the keys that the active rows look at most, or the weight of the previewed key. */
function factsInWords(view, active, key) {
  const { rows, columns, names } = view.data;
  const who = active.length === 1 ? `${rows[active[0]].name} looks` : `These ${active.length}, on average, look`;
  const heads = view.heads.map((head) => h("li", h("span.sample", { style: { "--own": view.colors[head] } }, names[head]), factOfHead(view, head, active, key)));
  return [h("p.who", key < 0 ? `${who} most at` : `${who} at ${columns[key].name}`), h("ul", heads)];
}

function factOfHead(view, head, active, key) {
  const { weights, data } = view;
  const mean = (column) => active.reduce((sum, row) => sum + weights.at(head, row, column), 0) / active.length;
  if (key >= 0) {
    const [row] = active;
    if (active.every((each) => key >= weights.visible(each))) return "masked: not written yet";
    const rank = active.length === 1 ? `, rank ${weights.rank(head, row, key)} of ${weights.visible(row)}` : "";
    return numeral(mean(key)) + rank;
  }
  const best = data.columns.map((_, column) => [mean(column), column]).sort((a, b) => b[0] - a[0]);
  return best.slice(0, 4).map(([weight, column]) => `${data.columns[column].name} ${numeral(weight)}`).join(" · ");
}
