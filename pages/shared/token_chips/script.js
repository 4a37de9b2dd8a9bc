/* The turns of a text and their tokens. Hover shows what belongs together, a click or Enter locks it; Esc, a second click
   or a click on empty space releases. */

const memory = new WeakMap(); // parentElement → {locked, listeners}

const KINDS = {
  mark: "a mark, no text",
  tag: "a speaker's tag",
  unknown: "not in the vocabulary",
  part: "part of a character",
};

/* One chip: the token above its id. */
function chipNode([place, text, id, kind, tip], line) {
  const node = element("span", `chip ${kind}`);
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", tip);
  node.dataset.tip = tip;
  node.dataset.place = `${line} ${place}`;
  const word = element("span", "word", text);
  word.dir = "auto";
  node.append(word, element("span", "id", String(id)));
  return node;
}

function legend(data) {
  const used = new Set(data.turns.flatMap((turn) => turn.chips.flat().map(([, , , kind]) => kind)));
  const box = element("div", "legend");
  const entry = element("span", "entry");
  entry.append(element("span", "chip sample", "·a"), "token (· is a blank), its id below");
  box.append(entry);
  for (const [kind, meaning] of Object.entries(KINDS)) {
    if (!used.has(kind)) continue;
    const item = element("span", "entry");
    item.append(element("span", `chip sample ${kind}`, "a"), meaning);
    box.append(item);
  }
  return box;
}

/* Draws the turns; `parts` collects every segment with the chips that hold it, `chips` every chip by line and place. */
function turnRows(data, parts, chips) {
  return data.turns.map((turn) => {
    const row = element("div", "row");
    const content = element("div", "content");
    const text = element("p", "text");
    text.dir = "auto";
    const segments = (list) => list.map(([piece, ...held]) => {
      const node = element("span", "segment", piece);
      parts.push({ node, held });
      return node;
    });
    if (turn.label.length) {
      const name = element("bdi", "name");
      name.append(...segments(turn.label));
      text.append(name, ": ");
    }
    text.append(...segments(turn.body));
    content.append(text);
    turn.chips.forEach((list, line) => {
      const strip = element("div", "strip");
      strip.setAttribute("role", "group");
      strip.setAttribute("aria-label", `Turn ${turn.number}, ${data.lines[line]}`);
      strip.append(element("span", "line", data.lines[line]));
      const room = element("div", "chips");
      for (const chip of list) {
        const node = chipNode(chip, line);
        chips.push({ node, line, place: chip[0], text: chip[1], id: chip[2] });
        room.append(node);
      }
      if (!list.length) room.append(element("span", "nothing", "nothing is left of this turn"));
      strip.append(room);
      content.append(strip);
    });
    row.append(element("span", "count", String(turn.number)), content);
    return row;
  });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  memory.get(parentElement)?.listeners.abort();
  const state = { locked: data.chosen ? data.chosen.join(" ") : "", listeners: new AbortController() };
  memory.set(parentElement, state);
  const parts = [];
  const chips = [];
  const box = element("div", "box");
  box.append(...turnRows(data, parts, chips));
  const line = element("p", "state");
  line.setAttribute("role", "status");
  line.dir = "auto";
  const byPlace = new Map(chips.map((chip) => [chip.node.dataset.place, chip]));
  const places = new Map(chips.map((chip) => [chip.node, chip]));
  const segmentOf = new Map(parts.map((part) => [part.node, part]));

  /* Marks the segments of a chip, and the chips that share one of them. */
  function mark(segments, own) {
    const shared = new Set(own ? [own.node.dataset.place] : []);
    for (const { held } of segments) held.forEach((list, number) => list.forEach((place) => shared.add(`${number} ${place}`)));
    const marked = new Set(segments);
    for (const part of parts) part.node.classList.toggle("marked", marked.has(part));
    for (const chip of chips) chip.node.classList.toggle("marked", shared.has(chip.node.dataset.place));
  }

  function show(chip) {
    const shown = chip ?? byPlace.get(state.locked);
    mark(shown ? parts.filter(({ held }) => held[shown.line].includes(shown.place)) : [], shown);
    for (const each of chips) {
      const locked = each.node.dataset.place === state.locked;
      each.node.classList.toggle("locked", locked);
      each.node.setAttribute("aria-pressed", String(locked));
    }
    const held = byPlace.get(state.locked);
    line.textContent = held
      ? `Locked: “${held.text}”, id ${held.id}. Esc, a second click or a click on empty space releases it.`
      : "Point at a token or a word to see what belongs together; click a token to lock it.";
  }

  function lock(place) {
    state.locked = state.locked === place ? "" : place;
    show();
    const [number, index] = state.locked ? state.locked.split(" ").map(Number) : [-1, -1];
    setTriggerValue("pick", { line: number, index });
  }

  const listen = (target, name, act) => target.addEventListener(name, act, { signal: state.listeners.signal });
  const under = (event) => places.get(event.target.closest(".chip"));
  listen(box, "pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const part = segmentOf.get(event.target);
    if (part) mark([part]);
    else show(under(event));
  });
  listen(box, "pointerleave", () => show());
  listen(box, "focusin", (event) => { if (event.target.matches(":focus-visible")) show(under(event)); });
  listen(box, "focusout", () => show());
  for (const { node } of chips) {
    node.onclick = () => lock(node.dataset.place);
    listen(node, "keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      lock(node.dataset.place);
    });
  }
  listen(document, "keydown", (event) => { if (event.key === "Escape" && state.locked) lock(state.locked); });
  listen(box, "click", (event) => { if (!event.target.closest(".chip, .segment") && state.locked) lock(state.locked); });

  redraw(root, line, box, legend(data));
  const nodes = chips.map((chip) => chip.node);
  const strips = [...box.querySelectorAll(".strip")].map((strip) => [...strip.querySelectorAll(".chip")]);
  arrows(strips.filter((strip) => strip.length));
  stop(nodes, byPlace.get(state.locked)?.node ?? nodes[0]);
  show();
  const end = tips(root);
  return () => { end(); state.listeners.abort(); };
}
