/* What could stand at one position: the most probable tokens before and after the cut. A click on "Fork" is sent, no other. */

const COLUMNS = [
  ["rank", "Rank", "1 is the most probable token of the whole vocabulary."],
  ["token", "Token", "What would be written; · is a leading space."],
  ["logit", "Logit", "The score that the model gave to the token, before it is made a probability."],
  ["scaled", "", "The logit divided by the temperature: below 1 it widens the gaps between tokens, above 1 it narrows them."],
  ["kept", "Kept?", ""],
  ["before", "p, all tokens", "The model's own probability over the whole vocabulary: temperature 1, nothing cut."],
  ["after", "p, after the cut", "The probability with which it is really drawn: after the temperature and the cut, shared out among what was kept."],
];

function head(data) {
  const told = { scaled: [`÷ ${data.temperature}`], kept: ["Kept?", data.meaning] };
  const cells = COLUMNS.map(([name, label, meaning]) => {
    const [words = label, tip = meaning] = told[name] ?? [];
    return h(`th.${name}`, { scope: "col" }, h("span.label", { title: tip }, words));
  });
  return h("thead", h("tr", cells, h("td.fork")));
}

function bar(kind, [share, words]) {
  return h(`td.${kind}`, h("div.bar", h("div.fill", { style: { width: `${100 * share}%` } }), h("span.share", words)));
}

function word({ text: words, end, chosen, reference }) {
  const lead = words.length - words.trimStart().length;
  const space = words.slice(0, lead).replaceAll("\n", "↵").replaceAll(" ", "·");
  const label = text(`span.word${end ? ".end" : ""}`, lead > 0 && h("span.space", space), end ? "end" : words.slice(lead).replaceAll("\n", "↵"));
  return h("th.token", { scope: "row" }, label, chosen && h("span.mark.written", "✓ written"), reference && h("span.mark.reference", "reference"));
}

function line(kind, entry, name, button) {
  const [before, after] = ["before", "after"].map((each) => bar(each, entry[each]));
  return h(`tr.${kind}`, h("td.rank", entry.rank), name, h("td.logit", entry.logit), h("td.scaled", entry.scaled), h("td.kept", entry.kept), before, after, h("td.fork", button));
}

function candidate(entry, fork) {
  const { id, action } = entry;
  const button = !entry.chosen && h("button", { place: id, title: action, label: `Fork: ${action}`, onclick: () => fork(id) }, "Fork");
  return line([entry.kept === "✓" ? "" : "removed", entry.chosen ? "chosen" : ""].join(" ").trim(), entry, word(entry), button);
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const { root } = new Run(parentElement);
  const rows = data.rows.map((entry) => candidate(entry, (id) => setTriggerValue("fork", { id })));
  const cut = h("tr.cut", h("td", { colspan: 8 }, h("span", "cut")));
  if (data.cut >= 0) rows.splice(data.cut + 1, 0, cut);
  const { others } = data;
  if (others) rows.push(line(others.removed ? "others removed" : "others", others, h("th.token", { scope: "row" }, others.text)));
  const table = h("table", { label: "What could stand here" }, head(data), h("tbody", rows));
  redraw(root, h("div.box", table), h("p.sum", data.sum));
}
