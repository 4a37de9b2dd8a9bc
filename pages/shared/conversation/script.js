/* A dialogue as a conversation. Every text goes through textContent; one turn at a time can be edited. */

const drafts = new WeakMap(); // parentElement → {index, text} of the turn that is being edited
const PENCIL = "M3 17.25V21h3.75L17.8 9.94l-3.75-3.75L3 17.25zM20.7 7.04a1 1 0 0 0 0-1.41l-2.34-2.34a1 1 0 0 0-1.41 0l-1.83 1.83 3.75 3.75 1.83-1.83z";

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function initial(name) {
  const number = name.match(/^#person(\d+)#$/i);
  if (number) return number[1];
  const parts = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name.trim());
  for (const part of parts) return part.segment.toUpperCase();
  return "";
}

function color(host, speaker) {
  if (speaker < 0) return "var(--st-gray-color)";
  const palette = getComputedStyle(host).getPropertyValue("--st-chart-categorical-colors").split(",");
  return palette[speaker % palette.length].trim();
}

function pencil(turn, edit) {
  const button = element("button", "pencil");
  button.type = "button";
  button.title = "Edit this turn";
  button.setAttribute("aria-label", `Edit turn ${turn.index + 1}`);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PENCIL);
  svg.append(path);
  button.append(svg);
  button.onclick = () => edit(turn);
  return button;
}

function editor(turn, draft, save, cancel) {
  const box = element("div", "editor");
  const area = element("textarea");
  area.value = draft.text;
  area.dir = "auto";
  area.setAttribute("aria-label", `Text of turn ${turn.index + 1}`);
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  };
  area.oninput = () => { draft.text = area.value; fit(); };
  requestAnimationFrame(fit);
  area.onkeydown = (event) => {
    if (event.key === "Escape") { event.stopPropagation(); cancel(); }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); save(area.value); }
  };
  const actions = element("div", "actions");
  const yes = element("button", "save", "Save");
  const no = element("button", "", "Cancel");
  yes.type = no.type = "button";
  yes.onclick = () => save(area.value);
  no.onclick = cancel;
  actions.append(yes, no, element("span", "hint", "Enter saves, Esc cancels. Empty removes the turn."));
  box.append(area, actions);
  return box;
}

function bubble(host, data, turn, previous, controls) {
  const first = !previous || previous.speaker !== turn.speaker || turn.speaker < 0;
  const side = data.speakers === 2 && turn.speaker === 1 ? "right" : "left";
  const row = element("div", `turn ${side} ${turn.state}${first ? " first" : ""}${turn.edited ? " edited" : ""}`);
  row.setAttribute("role", "listitem");
  row.style.setProperty("--own", color(host, turn.speaker));
  const avatar = element("div", "avatar", turn.name ? initial(turn.name) : String(turn.index + 1));
  avatar.setAttribute("aria-hidden", "true");
  const body = element("div", "body");
  if (first && turn.name) {
    const name = element("div", "name", turn.name);
    name.dir = "auto";
    body.append(name);
  }
  const draft = controls.draft();
  if (draft && draft.index === turn.index) {
    row.classList.add("editing");
    body.append(editor(turn, draft, (text) => controls.save(turn, text), controls.cancel));
  } else {
    const line = element("div", "line");
    const text = element("p", "bubble", turn.text);
    text.dir = "auto";
    line.append(text, pencil(turn, controls.edit));
    body.append(line);
    const marks = [];
    if (turn.edited) marks.push("Edited");
    if (turn.state === "shortened") marks.push("Read in part");
    if (marks.length) body.append(element("div", "mark", marks.join(" · ")));
  }
  if (turn.state === "omitted") row.setAttribute("aria-label", `Not read by the model. ${turn.name}: ${turn.text}`);
  row.append(avatar, body);
  return row;
}

function cut(text) {
  const node = element("div", "cut", text);
  node.setAttribute("role", "separator");
  return node;
}

function run(turns, start) {
  let count = 0;
  while (turns[start + count]?.state === "omitted") count += 1;
  return count === 1 ? "1 turn" : `${count} turns`;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const turns = data.turns;

  function draw(focus) {
    const old = root.querySelector(".turns");
    const top = old ? old.scrollTop : 0;
    const list = element("div", "turns");
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", "The dialogue");
    list.tabIndex = 0;
    turns.forEach((turn, position) => {
      const previous = turns[position - 1];
      const omitted = turn.state === "omitted";
      if (omitted && previous?.state !== "omitted") list.append(cut(`${run(turns, position)} not read by the model`));
      if (!omitted && previous?.state === "omitted") list.append(cut("Read from here on"));
      list.append(bubble(root, data, turn, previous, controls));
    });
    root.replaceChildren(list);
    list.scrollTop = top;
    if (focus) root.querySelector(focus)?.focus({ preventScroll: false });
  }

  const controls = {
    draft: () => drafts.get(parentElement),
    edit: (turn) => {
      drafts.set(parentElement, { index: turn.index, text: turn.text });
      draw("textarea");
    },
    cancel: () => {
      const index = drafts.get(parentElement)?.index;
      drafts.delete(parentElement);
      draw(`[aria-label="Edit turn ${index + 1}"]`);
    },
    save: (turn, text) => {
      drafts.delete(parentElement);
      if (text !== turn.text) setTriggerValue("edited", { index: turn.index, text });
      draw(`[aria-label="Edit turn ${turn.index + 1}"]`);
    },
  };

  const draft = drafts.get(parentElement);
  if (draft && !turns[draft.index]) drafts.delete(parentElement);
  draw();
}
