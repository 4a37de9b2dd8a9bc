/* What could stand at one position: the most probable tokens before and after the cut. A click on "Fork" is sent, no other. */

function head(data) {
  const columns = [
    ["rank", say("Rank"), say("1 is the most probable token of the whole vocabulary.")],
    ["token", say("Token"), say("What would be written; · is a leading space.")],
    ["logit", say("Logit"), say("The score that the model gave to the token, before it is made a probability.")],
    ["scaled", `÷ ${data.temperature}`, say("The logit divided by the temperature: below 1 it widens the gaps between tokens, above 1 it narrows them.")],
    ["kept", say("Kept?"), data.meaning],
    ["before", say("p, all tokens"), say("The model's own probability over the whole vocabulary: temperature 1, nothing cut.")],
    ["after", say("p, after the cut"), say("The probability with which it is really drawn: after the temperature and the cut, shared out among what was kept.")],
  ];
  const cells = columns.map(([name, label, tip]) => h(`th.${name}`, { scope: "col" }, h("span.label", { title: tip }, label)));
  return h("thead", h("tr", cells, h("td.fork")));
}

function bar(kind, [share, words]) {
  return h(`td.${kind}`, h("div.bar", h("div.fill", { style: { width: `${100 * share}%` } }), h("span.share", words)));
}

function word({ text: words, end, chosen, reference }) {
  const lead = words.length - words.trimStart().length;
  const space = words.slice(0, lead).replaceAll("\n", "↵").replaceAll(" ", "·");
  const label = text(`span.word${end ? ".end" : ""}`, lead > 0 && h("span.space", space), end ? say("end") : words.slice(lead).replaceAll("\n", "↵"));
  return h("th.token", { scope: "row" }, label, chosen && h("span.mark.written", say("✓ written")), reference && h("span.mark.reference", say("reference")));
}

function line(kind, entry, name, button) {
  const [before, after] = ["before", "after"].map((each) => bar(each, entry[each]));
  return h(`tr.${kind}`, h("td.rank", entry.rank), name, h("td.logit", entry.logit), h("td.scaled", entry.scaled), h("td.kept", entry.kept), before, after, h("td.fork", button));
}

function candidate(entry, fork) {
  const { id, action } = entry;
  const button = !entry.chosen && h("button", { place: id, title: action, label: say("Fork: {action}", { action }), onclick: () => fork(id) }, say("Fork"));
  return line([entry.kept === "✓" ? "" : "removed", entry.chosen ? "chosen" : ""].join(" ").trim(), entry, word(entry), button);
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const { root } = new Run(parentElement);
  const rows = data.rows.map((entry) => candidate(entry, (id) => setTriggerValue("fork", { id })));
  const cut = h("tr.cut", h("td", { colspan: 8 }, h("span", say("cut"))));
  if (data.cut >= 0) rows.splice(data.cut + 1, 0, cut);
  const { others } = data;
  if (others) rows.push(line(others.removed ? "others removed" : "others", others, h("th.token", { scope: "row" }, others.text)));
  const table = h("table", { label: say("What could stand here") }, head(data), h("tbody", rows));
  redraw(root, h("div.box", table), h("p.sum", data.sum));
}
