/* A summary beside its dialogue: what was taken from where, what was missed, and the hints with their evidence. What is
   pointed at shows its partners on the other side; a click keeps them. Every text goes through textContent. */

const VERDICTS = [["right", "✓", "Yes, this is wrong in the summary"], ["wrong", "✗", "No, this is fine"]];
const kept = new WeakMap(); // parentElement → {about, focus}: what stays lit, for which summary

function speakerColor(host, speaker) {
  if (speaker < 0) return "var(--st-gray-color)";
  const palette = getComputedStyle(host).getPropertyValue("--st-chart-categorical-colors").split(",");
  return palette[speaker % palette.length].trim();
}

function piece({ text, kind }) {
  const node = element("span", kind, text);
  node.dir = "auto";
  return node;
}

/* The summary: a stretch with turns behind it, or with a hint on it, can be chosen. */
function summary(data, pick) {
  const box = element("p", "summary");
  box.dir = "auto";
  const nodes = data.summary.map((each, index) => {
    const node = piece(each);
    const live = each.turns.length || each.faults.length;
    if (!live) return node;
    node.classList.add("live");
    node.classList.toggle("hinted", each.faults.length > 0);
    node.dataset.tip = each.tip;
    node.dataset.place = `piece.${index}`;
    node.setAttribute("role", "button");
    node.onclick = () => pick({ turns: each.turns, faults: each.faults, pieces: [index] });
    return node;
  });
  box.append(...nodes);
  const live = nodes.filter((node) => node.classList.contains("live"));
  if (live.length) stop(live, live[0]);
  arrows([live]);
  for (const node of live) {
    const move = node.onkeydown;
    node.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); node.onclick(); } else move(event);
    };
  }
  return [box, nodes];
}

function share(label, value, className) {
  const bar = element("span", `share ${className}`);
  bar.setAttribute("aria-hidden", "true");
  const fill = element("span", "fill");
  fill.style.width = `${100 * value}%`;
  bar.append(fill);
  return bar;
}

function turn(root, each, data, pick) {
  const row = element("div", `turn${each.missed ? " missed" : ""}${each.read ? "" : " unread"}`);
  row.style.setProperty("--own", speakerColor(root, each.speaker));
  row.dataset.tip = each.tip;
  row.dataset.place = `turn.${each.index}`;
  row.setAttribute("role", "button");
  const words = element("div", "words");
  words.append(element("span", "count", String(each.index + 1)));
  if (each.name) {
    const name = element("span", "name", each.name);
    name.dir = "auto";
    words.append(name, " ");
  }
  words.append(...each.pieces.map(piece));
  for (const mark of each.marks) words.append(" ", element("span", "mark", mark));
  const bars = element("div", "bars");
  bars.append(share("summary", each.coverage, "own"));
  if (each.reference !== null) bars.append(share("reference", each.reference, "reference"));
  row.append(words, bars);
  const pieces = data.summary.flatMap((one, index) => (one.turns.includes(each.index) ? [index] : []));
  row.onclick = () => pick({ turns: [each.index], faults: [], pieces });
  return row;
}

/* A strip beside the dialogue: one cell a turn, as high as the turn, as full as the summary covers it. */
function strip(data, rows, box) {
  const cells = element("div", "strip");
  cells.setAttribute("aria-hidden", "true");
  data.turns.forEach((each, index) => {
    const cell = element("span", `cell${each.missed ? " missed" : ""}`);
    cell.style.flexGrow = String(Math.max(each.size, 12));
    cell.style.setProperty("--full", `${(100 * each.coverage).toFixed(0)}%`);
    cell.onclick = () => reveal(box, rows[index]);
    cells.append(cell);
  });
  const window_ = element("span", "window");
  const follow = () => {
    const all = Math.max(box.scrollHeight, 1);
    window_.style.top = `${(100 * box.scrollTop) / all}%`;
    window_.style.height = `${Math.min(100, (100 * box.clientHeight) / all)}%`;
    window_.hidden = box.scrollHeight <= box.clientHeight + 1;
  };
  cells.append(window_);
  box.onscroll = follow;
  requestAnimationFrame(follow);
  return cells;
}

function reveal(box, row) {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const top = row.offsetTop - (box.clientHeight - row.offsetHeight) / 2;
  box.scrollTo({ top, behavior: still ? "auto" : "smooth" });
}

function hints(data, pick, judge) {
  const list = element("div", "hints");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", "Hints");
  const rows = data.faults.map((fault, index) => {
    const row = element("div", `hint ${fault.verdict}`);
    row.setAttribute("role", "listitem");
    const body = element("button", "body");
    body.type = "button";
    body.dataset.place = `hint.${index}`;
    body.append(element("span", "kind", fault.label), element("span", "evidence", fault.evidence));
    if (fault.measured) body.append(element("span", "measured", fault.measured));
    const pieces = data.summary.flatMap((one, place) => (one.faults.includes(index) ? [place] : []));
    body.onclick = () => pick({ turns: fault.turns, faults: [index], pieces });
    row.append(body);
    for (const [verdict, sign, tip] of VERDICTS) {
      const chosen = fault.verdict === verdict;
      const node = button(`verdict ${verdict}`, tip, `${verdict}.${index}`, () => judge(index, chosen ? "" : verdict));
      node.setAttribute("aria-pressed", String(chosen));
      node.textContent = sign;
      row.append(node);
    }
    list.append(row);
    return row;
  });
  if (!rows.length) list.append(element("p", "none", data.none));
  return [list, rows];
}

function legend(data) {
  const box = element("div", "legend");
  for (const { kind, text } of data.legend) {
    const item = element("span", "item");
    item.append(element("span", kind, "abc"), ` ${text}`);
    box.append(item);
  }
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const before = kept.get(parentElement);
  let focus = before?.about === data.about ? before.focus : null;
  const box = element("div", "box");
  const choose = (wanted) => {
    const same = focus && JSON.stringify(focus) === JSON.stringify(wanted);
    focus = same ? null : wanted;
    kept.set(parentElement, { about: data.about, focus });
    light();
    const first = focus && rows.find((_, index) => focus.turns.includes(data.turns[index].index));
    if (first) reveal(box, first);
  };
  const [text, pieces] = summary(data, choose);
  const rows = data.turns.map((each) => turn(root, each, data, choose));
  stop(rows, rows[0]);
  arrows(rows.map((row) => [row]));
  for (const row of rows) {
    const move = row.onkeydown;
    row.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); row.onclick(); } else move(event);
    };
  }
  box.append(...rows);
  const [list, marks] = hints(data, choose, (fault, verdict) => setTriggerValue("judged", { fault, verdict }));
  const light = () => {
    root.classList.toggle("focused", Boolean(focus));
    pieces.forEach((node, index) => node.classList.toggle("lit", Boolean(focus?.pieces.includes(index))));
    rows.forEach((row, index) => row.classList.toggle("lit", Boolean(focus?.turns.includes(data.turns[index].index))));
    marks.forEach((row, index) => row.classList.toggle("lit", Boolean(focus?.faults.includes(index))));
  };
  const left = element("div", "left");
  left.append(element("h4", "", data.titles.summary), text, legend(data), element("h4", "", data.titles.hints), list);
  const right = element("div", "right");
  const frame = element("div", "frame");
  frame.append(box, strip(data, rows, box));
  right.append(element("h4", "", data.titles.dialogue), frame, element("p", "bars-legend", data.bars));
  redraw(root, left, right);
  light();
  return tips(root);
}
