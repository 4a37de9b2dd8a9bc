/* What the view says in words: how many lines, what is locked and how to release it, and the numbers. */

/* The line under the picture; `found` says how many lines there are and how many of them are drawn. */
function stateInWords(view, found) {
  const { rows } = view.data;
  if (view.locked) {
    const [first, last] = view.locked;
    const span = { first: rows[first].name, last: rows[last].name, count: last - first + 1 };
    if (first === last) return [say("Locked: {name}.", { name: span.first }), RELEASE, say("Shift-click extends it.")].join(" ");
    return say("Locked: {first} to {last}, {count} in all. Esc or a click on empty space releases them; a click on an end shortens the span.", span);
  }
  if (view.preview && !view.data.looks) return view.preview.side === "row" ? say("Preview: what arrives there. Click to lock it.") : say("Preview: where it arrives.");
  if (view.preview) return view.preview.side === "row" ? say("Preview: what it looks at. Click to lock it.") : say("Preview: what looks at it.");
  if (found.grouped) {
    const [from, to] = ["row", "column"].map((side) => (view.groups[side].length < view.data[`${side}s`].length ? say("turn") : say("word")));
    const values = { count: counted(found.kept), from, to, shown: counted(found.drawn), all: counted(found.summed) };
    if (found.drawn === found.summed) return say("{count} lines between words are too many to tell apart. These go from {from} to {to}.", values);
    return say("{count} lines between words are too many to tell apart. These go from {from} to {to}, the {shown} largest of {all}.", values);
  }
  if (found.drawn < found.kept) return say("Only the {shown} largest of {all} lines are drawn.", { shown: counted(found.drawn), all: counted(found.kept) });
  return say("Nothing is locked: the lines of all words are drawn.");
}

/* Of each head that is on, the keys that the active rows look at most, or the weight of the previewed key. */
function factsInWords(view, active, key) {
  const { rows, columns, names } = view.data;
  const values = { query: rows[active[0]].name, count: active.length, key: columns[key]?.name };
  const heads = view.heads.map((head) => h("li", h("b", names[head]), " ", factOfHead(view, head, active, key)));
  return [h("p.who", (view.data.looks ? whoLooks : whoTakes)(active.length === 1, key < 0, values)), h("ul", heads)];
}

/* The heading of the numbers: whether one looks or several do, and whether at what they look most or at one key. */
function whoLooks(alone, most, values) {
  if (alone) return most ? say("{query} looks most at", values) : say("{query} looks at {key}", values);
  return most ? say("These {count}, on average, look most at", values) : say("These {count}, on average, look at {key}", values);
}

/* The same of numbers that say nothing of looking. */
function whoTakes(alone, most, values) {
  return `${alone ? values.query : say("These {count}, on average", values)} ←${most ? "" : ` ${values.key}`}`;
}

function factOfHead(view, head, active, key) {
  const { weights, data } = view;
  const mean = (column) => active.reduce((sum, row) => sum + weights.at(head, row, column), 0) / active.length;
  if (key >= 0) {
    const [row] = active;
    if (active.every((each) => key >= weights.visible(each))) return say("masked: not written yet");
    if (active.length > 1) return numeral(mean(key));
    const values = { weight: numeral(mean(key)), rank: weights.rank(head, row, key), count: weights.visible(row) };
    return say("{weight}, rank {rank} of {count}", values);
  }
  const best = data.columns.map((_, column) => [mean(column), column]).sort((a, b) => b[0] - a[0]);
  return best.slice(0, 4).map(([weight, column]) => `${data.columns[column].name} ${numeral(weight)}`).join(" · ");
}
