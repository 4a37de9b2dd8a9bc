/* What the view says in words: how many lines, what is locked and how to release it, and the numbers. */

function count(value) {
  return value.toLocaleString("en");
}

/* The line under the picture; `found` says how many lines there are and how many of them are drawn. */
function stateInWords(view, found) {
  const { rows } = view.data;
  if (view.locked) {
    const [first, last] = view.locked;
    if (first === last) return `Locked: ${rows[first].name}. Esc, a second click or a click on empty space releases it; Shift-click extends it.`;
    return `Locked: ${rows[first].name} to ${rows[last].name}, ${last - first + 1} in all. Esc or a click on empty space releases them; a click on an end shortens the span.`;
  }
  if (view.preview) return view.preview.side === "row" ? "Preview: what it looks at. Click to lock it." : "Preview: what looks at it.";
  if (found.grouped) {
    const [from, to] = ["row", "column"].map((side) => (view.groups[side].length < view.data[`${side}s`].length ? "turn" : "word"));
    const cut = found.drawn < found.summed ? `, the ${count(found.drawn)} largest of ${count(found.summed)}` : "";
    return `${count(found.kept)} lines between words are too many to tell apart. These go from ${from} to ${to}${cut}.`;
  }
  if (found.drawn < found.kept) return `Only the ${count(found.drawn)} largest of ${count(found.kept)} lines are drawn.`;
  return "Nothing is locked: the lines of all words are drawn.";
}

/* Of each head that is on, the keys that the active rows look at most, or the weight of the previewed key. */
function factsInWords(view, active, key) {
  const { rows, columns } = view.data;
  const who = active.length === 1 ? `${rows[active[0]].name} looks` : `These ${active.length}, on average, look`;
  const heading = element("p", "who", key < 0 ? `${who} most at` : `${who} at ${columns[key].name}`);
  const list = element("ul");
  for (const head of view.heads) {
    const item = element("li");
    const chip = element("span", "sample", view.data.names[head]);
    chip.style.setProperty("--own", view.colors[head]);
    item.append(chip, factOfHead(view, head, active, key));
    list.append(item);
  }
  return [heading, list];
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
