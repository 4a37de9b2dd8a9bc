/* A dialogue as a conversation; one turn at a time can be edited. */

const PENCIL = "M3 17.25V21h3.75L17.8 9.94l-3.75-3.75L3 17.25zM20.7 7.04a1 1 0 0 0 0-1.41l-2.34-2.34a1 1 0 0 0-1.41 0l-1.83 1.83 3.75 3.75 1.83-1.83z";

function initial(name) {
  const number = name.match(/^#person(\d+)#$/i);
  if (number) return number[1];
  const [first] = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}

function editor(turn, draft, save, cancel) {
  const area = text("textarea", { label: say("Text of turn {number}", { number: turn.index + 1 }) });
  area.value = draft.text;
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
  const [yes, no] = [h("button.save", { onclick: () => save(area.value) }, say("Save")), h("button", { onclick: cancel }, say("Cancel"))];
  return h("div.editor", area, h("div.actions", yes, no, h("span.hint", say("Enter saves, Esc cancels. Empty removes the turn."))));
}

/* The turn that a token of the summary reads most, marked and in sight; null: none. */
function light(root, index) {
  root.querySelectorAll(".turn").forEach((node) => node.classList.toggle("read", Number(node.dataset.turn) === index));
  const [box, turn] = [root.querySelector(".turns"), root.querySelector(".turn.read")];
  if (!turn) return;
  const [place, whole] = [boxOf(turn), boxOf(box)];
  if (place.top < whole.top || place.bottom > whole.bottom) box.scrollTop += place.top - whole.top - (whole.height - place.height) / 2;
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const { root } = run;
  const { turns, speakers } = data;
  run.view = turns[run.view?.index] && run.view; // {index, text} of the turn that is being edited

  function edit(draft, focus) {
    run.view = draft;
    draw();
    root.querySelector(focus)?.focus({ preventScroll: false });
  }

  function line(turn) {
    const back = `[data-place="${turn.index}"]`;
    const save = (words) => {
      if (words !== turn.text) setTriggerValue("edited", { index: turn.index, text: words });
      edit(undefined, back);
    };
    if (run.view?.index === turn.index) return [editor(turn, run.view, save, () => edit(undefined, back))];
    const start = () => edit({ index: turn.index, text: turn.text }, "textarea");
    const pencil = h("button.pencil", { title: say("Edit this turn"), label: say("Edit turn {number}", { number: turn.index + 1 }), place: turn.index, onclick: start }, icon(PENCIL));
    const marks = [turn.edited && say("Edited"), turn.state === "shortened" && say("Read in part")].filter(Boolean).join(" · ");
    return [h("div.line", text("p.bubble", turn.text), pencil), marks && h("div.status", marks)];
  }

  function bubble(turn, position) {
    const previous = turns[position - 1];
    const { name, state, speaker } = turn;
    const first = !previous || previous.speaker !== speaker || speaker < 0;
    const classes = [speakers === 2 && speaker === 1 ? "right" : "left", state, first && "first", turn.edited && "edited", run.view?.index === turn.index && "editing"];
    const label = state === "omitted" ? say("Not read by the model. {name}: {text}", turn) : null;
    const avatar = h("div.avatar", { "aria-hidden": true }, name ? initial(name) : turn.index + 1);
    const body = h("div.body", first && name && text("div.name", name), ...line(turn));
    return h(`div.turn.${classes.filter(Boolean).join(".")}`, { role: "listitem", label, "data-turn": turn.index, style: { "--own": speakerColor(speaker) } }, avatar, body);
  }

  function cut(position) {
    const [omitted, before] = [turns[position], turns[position - 1]].map((turn) => turn?.state === "omitted");
    if (omitted === before) return null;
    let count = 0;
    while (turns[position + count]?.state === "omitted") count += 1;
    if (!omitted) return before && h("div.cut", { role: "listitem" }, say("Read from here on"));
    return h("div.cut", { role: "listitem" }, count === 1 ? say("1 turn not read by the model") : say("{count} turns not read by the model", { count }));
  }

  function draw() {
    redraw(root, h("div.box.turns", { role: "list", label: say("The dialogue"), tabindex: 0 }, turns.flatMap((turn, position) => [cut(position), bubble(turn, position)])));
  }

  draw();
  run.on(document, "dialoscope:turn", (event) => light(root, event.detail));
  return run.end;
}
