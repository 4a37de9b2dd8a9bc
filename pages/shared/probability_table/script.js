/* What could stand at one place: the most probable tokens before and after the cut. A click on "Fork" is sent, no other. */

const MEANINGS = {
  rank: "1 is the most probable token of the whole vocabulary.",
  token: "What would be written; · is a leading space.",
  logit: "The score that the model gave to the token, before it is made a probability.",
  scaled: "The logit divided by the temperature: below 1 it widens the gaps between tokens, above 1 it narrows them.",
  before: "The model's own probability over the whole vocabulary: temperature 1, nothing cut.",
  after: "The probability with which it is really drawn: after the temperature and the cut, shared out among what was kept.",
};

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function head(data) {
  const row = element("tr");
  const columns = [
    ["rank", "Rank", MEANINGS.rank],
    ["token", "Token", MEANINGS.token],
    ["logit", "Logit", MEANINGS.logit],
    ["scaled", `÷ ${data.temperature}`, MEANINGS.scaled],
    ["kept", "Kept?", data.meaning],
    ["before", "p, all tokens", MEANINGS.before],
    ["after", "p, after the cut", MEANINGS.after],
  ];
  for (const [name, text, meaning] of columns) {
    const cell = element("th", name);
    cell.scope = "col";
    const label = element("span", "label", text);
    label.title = meaning;
    cell.append(label);
    row.append(cell);
  }
  row.append(element("td", "fork"));
  const group = element("thead");
  group.append(row);
  return group;
}

function bar(className, [share, text]) {
  const cell = element("td", className);
  const box = element("div", "bar");
  const fill = element("div", "fill");
  fill.style.width = `${100 * share}%`;
  box.append(fill, element("span", "share", text));
  cell.append(box);
  return cell;
}

function word(entry) {
  const cell = element("th", "token");
  cell.scope = "row";
  const label = element("span", entry.end ? "word end" : "word");
  label.dir = "auto";
  const lead = entry.text.length - entry.text.trimStart().length;
  if (lead) label.append(element("span", "space", entry.text.slice(0, lead).replaceAll("\n", "↵").replaceAll(" ", "·")));
  label.append(entry.end ? "end" : entry.text.slice(lead).replaceAll("\n", "↵"));
  cell.append(label);
  if (entry.chosen) cell.append(element("span", "mark written", "✓ written"));
  if (entry.reference) cell.append(element("span", "mark reference", "reference"));
  return cell;
}

function candidate(entry, fork) {
  const row = element("tr", [entry.kept === "✓" ? "" : "removed", entry.chosen ? "chosen" : ""].join(" ").trim());
  row.append(
    element("td", "rank", String(entry.rank)), word(entry), element("td", "logit", entry.logit),
    element("td", "scaled", entry.scaled), element("td", "kept", entry.kept),
    bar("before", entry.before), bar("after", entry.after),
  );
  const last = element("td", "fork");
  if (!entry.chosen) {
    const button = element("button", "", "Fork");
    button.type = "button";
    button.dataset.id = entry.id;
    button.title = entry.action;
    button.setAttribute("aria-label", entry.action);
    button.onclick = () => fork(entry.id);
    last.append(button);
  }
  row.append(last);
  return row;
}

function cut() {
  const row = element("tr", "cut");
  const cell = element("td");
  cell.colSpan = 8;
  cell.append(element("span", "", "cut"));
  row.append(cell);
  return row;
}

function others(entry) {
  const row = element("tr", entry.removed ? "others removed" : "others");
  const name = element("th", "token", entry.text);
  name.scope = "row";
  row.append(
    element("td", "rank"), name, element("td", "logit"), element("td", "scaled"),
    element("td", "kept", entry.kept), bar("before", entry.before), bar("after", entry.after), element("td", "fork"),
  );
  return row;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const focused = root.getRootNode().activeElement?.dataset.id; // a redraw does not take the focus away
  const body = element("tbody");
  data.rows.forEach((entry, index) => {
    body.append(candidate(entry, (id) => setTriggerValue("fork", { id })));
    if (index === data.cut) body.append(cut());
  });
  if (data.others) body.append(others(data.others));
  const table = element("table");
  table.setAttribute("aria-label", "What could stand here");
  table.append(head(data), body);
  const box = element("div", "box");
  box.append(table);
  root.replaceChildren(box, element("p", "sum", data.sum));
  if (focused) root.querySelector(`[data-id="${focused}"]`)?.focus({ preventScroll: true });
}
