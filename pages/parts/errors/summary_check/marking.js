/* Choosing the words that an error is about: the first and the last one of a stretch, in the summary and in any turn. */

const SUMMARY = -1;
const BETWEEN_WORDS = /(\s+|[.,!?;:…"”’)\]]+(?=\s|$))/u; // between words
const HAS_WORD = /[^\s.,!?;:…"”’)\]]/u;
const UNSPACED = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u; // words without blanks between
const TYPING = "input, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]";

/* The words of a text and what is between them; places are of characters as Python counts them. */
function pieces(whole) {
  const cut = (part) => (UNSPACED.test(part) ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(part)].map((each) => each.segment) : [part]);
  let end = 0;
  return whole.split(BETWEEN_WORDS).filter(Boolean).flatMap(cut).map((part) => {
    const start = end;
    end += [...part].length;
    return { part, start, end, word: HAS_WORD.test(part) };
  });
}

class Marker {
  constructor(row, on) {
    Object.assign(this, { row, on, spans: new Map(), cells: new Map() });
  }

  /* A second word makes a stretch of the first; a third begins anew, and the only word is taken back. */
  pick(part, index) {
    const [first, last] = this.spans.get(part) ?? [];
    if (first === index && last === index) this.spans.delete(part);
    else if (first !== undefined && first === last) this.spans.set(part, [Math.min(first, index), Math.max(first, index)]);
    else this.spans.set(part, [index, index]);
    this.tell();
  }

  tell() {
    chooseWords(this.row, [...this.spans].map(([part, [first, last]]) => {
      const cells = this.cells.get(part);
      return { turn: part, start: cells[first].start, end: cells[last].end, text: cells.slice(first, last + 1).map((each) => each.node.textContent).join(" ") };
    }));
  }

  heard() {
    if (!chosenWords(this.row).length) this.spans.clear();
    this.paint();
  }

  paint() {
    for (const [part, cells] of this.cells) {
      const [first, last] = this.spans.get(part) ?? [Infinity, -Infinity];
      cells.forEach(({ node }, index) => set(node, { selected: first <= index && index <= last }));
    }
  }

  /* The words of the summary or a turn, each a cell of a row; `labelled` are spans that have an error already. */
  draw(part, whole, labelled) {
    const cells = [];
    const nodes = pieces(whole).map(({ part: words, start, end, word }) => {
      if (!word) return words;
      const index = cells.length;
      const kind = labelled.some(([from, to]) => start < to && from < end) ? ".labelled" : "";
      const node = h(`span.word${kind}`, { role: "gridcell", place: `word.${part}.${index}`, onclick: () => this.pick(part, index) }, words);
      cells.push({ node, start, end });
      return node;
    });
    this.cells.set(part, cells);
    return nodes;
  }

  rows() {
    const rows = [...this.cells.values()].map((cells) => cells.map(({ node }) => node)).filter((row) => row.length);
    if (rows.length) stop(rows.flat(), rows[0][0]);
    arrows(rows);
    this.paint();
  }
}

/* The summary and the turns as words that can be chosen. */
function wordsToChoose(data, marker) {
  const spans = (part) => data.labels.flatMap(({ spans: each }) => each.filter(([turn]) => turn === part).map(([, ...span]) => span));
  marker.cells.clear();
  const summary = h("div.summary", { role: "grid", label: data.titles.summary, dir: "auto" }, h("span", { role: "row" }, marker.draw(SUMMARY, data.about, spans(SUMMARY))));
  const rows = data.turns.map(({ index, name, speaker, pieces: parts }) => h("div.turn", { role: "row", style: { "--own": speakerColor(speaker) } },
    h("div.words", { role: "presentation" }, h("span.count", { role: "rowheader" }, index + 1, name && [" ", text("span.name", name)]), " ", marker.draw(index, parts.map((each) => each.text).join(""), spans(index)))));
  marker.rows();
  return [summary, rows];
}

/* The errors below the dialogue, too: on a phone the bar is far above. */
function errorButtons({ tags, titles }) {
  const set = (tag) => window.dispatchEvent(new CustomEvent(SET_ERROR, { detail: tag }));
  return h("div.errors", { role: "group", label: titles.errors }, tags.map(([tag, name]) => h("button", { place: `set.${tag}`, onclick: () => set(tag) }, name)));
}

/* What was said of words, by oneself and by others; the own ones can be taken away. */
function labelList(data, pick, remove) {
  const said = data.labels.map(({ who, label, words, turns, spans, own }, index) => {
    const [, from, to] = spans.find(([turn]) => turn === SUMMARY) ?? [0, 0, 0];
    let end = 0;
    const touched = data.summary.flatMap((each, place) => {
      const start = end;
      end += [...each.text].length;
      return start < to && from < end ? [place] : [];
    });
    const body = h("button.body", { place: `label.${index}`, onclick: () => pick({ turns, faults: [], pieces: touched }) },
      h("span.kind", label), who && h("span.measured", who), words && text("span.evidence", words));
    const gone = h("button.verdict", { tip: say("Take this label away"), label: say("Take this label away"), place: `gone.${index}`, onclick: () => remove(own) }, "×");
    return h("div.hint.label", { role: "listitem" }, body, own !== null && gone);
  });
  return said.length ? [h("p.part", data.titles.labels), h("div.hints", { role: "list", label: data.titles.labels }, said)] : [];
}
