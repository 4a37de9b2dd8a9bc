/* A summary beside its dialogue: what was taken from where, what was missed, and the hints with their evidence. What is
   pointed at shows its partners on the other side; a click keeps them. */

function piece({ text: words, kind }, attributes = {}) {
  return text(`span.${kind}`, attributes, words);
}

/* The summary: a stretch with turns behind it, or with a hint on it, can be chosen. */
function summary(data, pick) {
  const nodes = data.summary.map((each, index) => {
    const { turns, faults, tip } = each;
    if (!turns.length && !faults.length) return piece(each);
    const kind = `${each.kind} live${faults.length ? " hinted" : ""}`;
    const onclick = () => pick({ turns, faults, pieces: [index] });
    return piece({ ...each, kind }, { role: "button", tip, place: `piece.${index}`, onclick });
  });
  const live = nodes.filter((node) => node.onclick);
  if (live.length) stop(live, live[0]);
  arrows([live]);
  return nodes;
}

function share(value, kind) {
  return h(`span.share.${kind}`, { "aria-hidden": true }, h("span.fill", { style: { width: `${100 * value}%` } }));
}

function turn(root, each, data, pick) {
  const { index, missed, tip, coverage, reference } = each;
  const words = h("div.words", h("span.count", index + 1), each.name && [text("span.name", each.name), " "], each.pieces.map((one) => piece(one)), missed && [" ", h("span.mark", say("missed"))]);
  const pieces = [...data.summary.keys()].filter((place) => data.summary[place].turns.includes(index));
  const onclick = () => pick({ turns: [index], faults: [], pieces });
  return h(`div.turn${missed ? " missed" : ""}`, { role: "button", tip, place: `turn.${index}`, style: { "--own": speakerColor(each.speaker) }, onclick }, words,
    h("div.bars", share(coverage, "own"), reference !== null && share(reference, "reference")));
}

/* A strip beside the dialogue: one cell a turn, as high as the turn, as full as the summary covers it. */
function strip(data, rows, box) {
  const cells = data.turns.map((each, index) => {
    const style = { "flex-grow": Math.max(each.size, 12), "--full": `${(100 * each.coverage).toFixed(0)}%` };
    return h(`span.cell${each.missed ? ".missed" : ""}`, { style, onclick: () => reveal(box, rows[index]) });
  });
  const frame = h("span.window");
  const follow = () => {
    const all = Math.max(box.scrollHeight, 1);
    frame.style.top = `${(100 * box.scrollTop) / all}%`;
    frame.style.height = `${Math.min(100, (100 * box.clientHeight) / all)}%`;
    frame.hidden = box.scrollHeight <= box.clientHeight + 1;
  };
  box.onscroll = follow;
  requestAnimationFrame(follow);
  return h("div.strip", { "aria-hidden": true }, cells, frame);
}

function reveal(box, row) {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const top = row.offsetTop - (box.clientHeight - row.offsetHeight) / 2;
  box.scrollTo({ top, behavior: still ? "auto" : "smooth" });
}

function hint(fault, index, data, pick, judge) {
  const pieces = [...data.summary.keys()].filter((place) => data.summary[place].faults.includes(index));
  const onclick = () => pick({ turns: fault.turns, faults: [index], pieces });
  const body = h("button.body", { place: `hint.${index}`, onclick }, h("span.kind", fault.label), h("span.evidence", fault.evidence), fault.measured && h("span.measured", fault.measured));
  const asked = [["right", "✓", say("Yes, this is wrong in the summary")], ["wrong", "✗", say("No, this is fine")]];
  const verdicts = asked.map(([verdict, sign, tip]) => {
    const pressed = fault.verdict === verdict;
    return h(`button.verdict.${verdict}`, { tip, label: `${sign} ${tip}`, place: `${verdict}.${index}`, pressed, onclick: () => judge(index, pressed ? "" : verdict) }, sign);
  });
  return h(`div.hint.${fault.verdict}`, { role: "listitem" }, body, verdicts);
}

export default function draw(given) {
  const { data, parentElement, setTriggerValue } = given;
  speak(data);
  const run = new Run(parentElement);
  const { root } = run;
  const held = run.view?.about === data.about ? run.view.locked : null;
  const before = run.view?.marker;
  const marker = before?.row === data.row && before ? before : new Marker(data.row, Boolean(before?.on));
  const view = { about: data.about, locked: held, marker, release: () => choose(view.locked) };
  run.view = view;
  const choose = (wanted) => {
    view.locked = JSON.stringify(view.locked) === JSON.stringify(wanted) ? null : wanted;
    light();
    const first = view.locked && rows.find((_, index) => view.locked.turns.includes(data.turns[index].index));
    if (first) reveal(box, first);
  };
  const mark = () => {
    marker.on = !marker.on;
    marker.spans.clear();
    marker.tell();
    draw(given);
  };
  const pieces = marker.on ? [] : summary(data, choose);
  const [words, rows] = marker.on ? wordsToChoose(data, marker) : [text("p.summary", pieces), data.turns.map((each) => turn(root, each, data, choose))];
  if (!marker.on) {
    stop(rows, rows[0]);
    arrows(rows.map((row) => [row]));
  }
  const marks = data.faults.map((fault, index) => hint(fault, index, data, choose, (each, verdict) => setTriggerValue("judged", { fault: each, verdict })));
  const light = () => {
    const { locked } = view;
    const lit = (nodes, chosen) => nodes.forEach((node, index) => node.classList.toggle("lit", Boolean(locked && chosen(index))));
    root.classList.toggle("focused", Boolean(locked));
    lit(pieces, (index) => locked.pieces.includes(index));
    lit(rows, (index) => locked.turns.includes(data.turns[index].index));
    lit(marks, (index) => locked.faults.includes(index));
  };
  const box = h("div.box.rows", marker.on && { role: "grid", label: data.titles.dialogue }, rows);
  const legend = h("div.legend", data.legend.map(({ kind, text: meaning }) => h("span.item", h(`span.${kind}`, "abc"), ` ${meaning}`)));
  const hints = h("div.hints", { role: "list", label: say("Hints") }, marks.length ? marks : h("p.none", data.none));
  const { titles } = data;
  const texts = data.texts.map(([name, words]) => [h("p.part", name), text("p.other", words)]);
  redraw(
    root,
    h("div.left", h("p.part", titles.summary), words,
      h("button.marking", { pressed: marker.on, place: "marking", onclick: mark }, h("kbd", { "aria-hidden": true }, "M"), say("Choose words")),
      h("p.note", { hidden: marker.on ? null : "" }, say("Choose the first and the last word of what is wrong, in the summary and in the dialogue; then an error. Esc forgets them.")),
      labelList(data, choose, (own) => setTriggerValue("unmarked", own)), !marker.on && legend, ...texts.flat(), h("p.part", titles.hints), hints),
    h("div.right", h("p.part", titles.dialogue), h("div.frame", box, strip(data, rows, box)), marker.on ? errorButtons(data) : h("p.bars-legend", data.bars)),
  );
  releases(run, view);
  run.on(window, CHOSEN, () => marker.heard());
  run.on(document, "keydown", (event) => {
    if (event.key === "Escape" && marker.spans.size) chooseWords(data.row, []);
    if (event.key.toLowerCase() !== "m" || !isPlain(event) || isTaken(event, TYPING)) return;
    mark();
    root.querySelector("[role=gridcell][tabindex='0']")?.focus();
  });
  light();
  tips(run);
  if (window[CLICKED] === data.row) {
    delete window[CLICKED];
    show(root);
  }
  return () => runs.get(parentElement).end();
}
