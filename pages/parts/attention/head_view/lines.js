/* Which lines are drawn: of each query and head, only the largest weights that make up a share of its mass. */

class Lines extends Weights {
  /* All kept lines of some heads and rows, as [head, row, column, weight]. */
  lines(heads, rows, share) {
    const line = (head, row, column) => [head, row, column, this.at(head, row, column)];
    return heads.flatMap((head) => rows.flatMap((row) => Array.from(this.kept(head, row, share), (column) => line(head, row, column))));
  }

  count(heads, rows, share) {
    let sum = 0;
    for (const head of heads) for (const row of rows) sum += this.kept(head, row, share).length;
    return sum;
  }

  possible(heads, rows) {
    return heads.length * rows.reduce((sum, row) => sum + this.visible(row), 0);
  }

  /* Rows averaged and columns added up: lists of members in, weights between the groups out. */
  gathered(rowGroups, columnGroups) {
    const found = new Lines({ weights: "", count: this.heads, rows: rowGroups, columns: columnGroups, causal: false });
    found.values = new Uint16Array(this.heads * rowGroups.length * columnGroups.length);
    let place = 0;
    for (let head = 0; head < this.heads; head += 1) {
      for (const rows of rowGroups) {
        for (const columns of columnGroups) {
          let sum = 0;
          for (const row of rows) for (const column of columns) sum += this.at(head, row, column);
          found.values[place++] = Math.min(Math.round((sum / rows.length) * UNIT), UNIT);
        }
      }
    }
    return found;
  }
}

/* Neighbours of one turn together; an item without a turn stands for itself. */
function gather(items) {
  const found = [];
  items.forEach((item, index) => {
    if (index && item.group !== null && item.group === items[index - 1].group) found.at(-1).push(index);
    else found.push([index]);
  });
  return found;
}

/* The span after a click: again releases, an end shortens, Shift extends. */
function clicked(locked, index, extend) {
  if (!locked) return [index, index];
  const [first, last] = locked;
  if (extend) return [Math.min(first, index), Math.max(last, index)];
  if (first === last) return index === first ? null : [index, index];
  if (index === first) return [first + 1, last];
  if (index === last) return [first, last - 1];
  return [index, index];
}

/* The span after Shift and an arrow from one place to its neighbour. */
function stretched(locked, from, to) {
  if (!locked) return [Math.min(from, to), Math.max(from, to)];
  const [first, last] = locked;
  if (from === last && to < from && first < last) return [first, to];
  if (from === first && to > from && first < last) return [to, last];
  return [Math.min(first, to), Math.max(last, to)];
}
