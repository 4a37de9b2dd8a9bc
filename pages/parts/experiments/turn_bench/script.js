/* The turns in the order in which the model reads them, each with buttons that delete, mask, swap or move it. */

const ICONS = {
  delete: "M6 19c0 1.1.9 2 2 2h8c1.1 0 2-.9 2-2V7H6v12zM19 4h-3.5l-1-1h-5l-1 1H5v2h14V4z",
  restore: "M12.5 8c-2.65 0-5.05.99-6.9 2.6L2 7v9h9l-3.62-3.62c1.39-1.16 3.16-1.88 5.12-1.88 3.54 0 6.55 2.31 7.6 5.5l2.37-.78C21.08 11.03 17.15 8 12.5 8z",
  mask: "M12 7c2.76 0 5 2.24 5 5 0 .65-.13 1.26-.36 1.83l2.92 2.92c1.51-1.26 2.7-2.89 3.43-4.75-1.73-4.39-6-7.5-11-7.5-1.4 0-2.74.25-3.98.7l2.16 2.16C10.74 7.13 11.35 7 12 7zM2 4.27l2.74 2.74C3.08 8.3 1.78 10.02 1 12c1.73 4.39 6 7.5 11 7.5 1.55 0 3.03-.3 4.38-.84L19.73 22 21 20.73 3.27 3 2 4.27zM7.53 9.8l1.55 1.55c-.05.21-.08.43-.08.65 0 1.66 1.34 3 3 3 .22 0 .44-.03.65-.08l1.55 1.55c-.67.33-1.41.53-2.2.53-2.76 0-5-2.24-5-5 0-.79.2-1.53.53-2.2zm4.31-.78 3.15 3.15.02-.16c0-1.66-1.34-3-3-3l-.17.01z",
  unmask: "M12 4.5C7 4.5 2.73 7.61 1 12c1.73 4.39 6 7.5 11 7.5s9.27-3.11 11-7.5c-1.73-4.39-6-7.5-11-7.5zM12 17c-2.76 0-5-2.24-5-5s2.24-5 5-5 5 2.24 5 5-2.24 5-5 5zm0-8c-1.66 0-3 1.34-3 3s1.34 3 3 3 3-1.34 3-3-1.34-3-3-3z",
  swap: "M6.99 11 3 15l3.99 4v-3H14v-2H6.99v-3zM21 9l-3.99-4v3H10v2h7.01v3L21 9z",
  up: "m4 12 1.41 1.41L11 7.83V20h2V7.83l5.58 5.59L20 12l-8-8-8 8z",
  down: "m20 12-1.41-1.41L13 16.17V4h-2v12.17l-5.58-5.59L4 12l8 8 8-8z",
};
const SLOTS = { restore: "delete", unmask: "mask" }; // the button that stands in the same place before

function words(root, turn) {
  const parts = [turn.was && text("span.was", turn.was), turn.name && text("span.name", turn.name), text("span.text", turn.text)];
  const marks = turn.marks.map((mark) => text("span.mark", mark));
  const spaced = [...parts, ...marks].filter(Boolean).flatMap((node) => [node, " "]);
  return h("div.words", { style: { "--own": speakerColor(turn.speaker) } }, spaced);
}

/* The number, and a bar to the right of the middle for what the summary loses, to the left for what it gains. */
function drop(colors, { text: number, share, tip }) {
  const style = { left: `${50 + 50 * Math.min(share, 0)}%`, width: `${50 * Math.abs(share)}%`, "background-color": colors[share < 0 ? 0 : 1] };
  return h("div.drop", { tip }, h("span.bar", h("span.fill", { style })), h("span.number", number));
}

function tools(turn, act) {
  return turn.actions.map(({ action, tip, able }) => {
    const attributes = { tip, label: tip, place: `${turn.turn}.${SLOTS[action] ?? action}`, disabled: !able };
    return h(`button.${action}`, attributes, { onclick: () => { if (able) act({ turn: turn.turn, action }); } }, icon(ICONS[action]));
  });
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const { colors } = data;
  const buttons = data.turns.map((turn) => tools(turn, (wish) => setTriggerValue("act", wish)));
  const rows = data.turns.map((turn, place) => h(
    `div.row.${turn.state}`,
    { role: "listitem" },
    h("span.count", turn.number),
    words(run.root, turn),
    h("div.tools", { role: "toolbar", label: say("Turn {number}", { number: turn.number }) }, buttons[place]),
    turn.drop && drop(colors, turn.drop),
  ));
  const live = buttons.filter((nodes) => nodes.length);
  for (const nodes of live) stop(nodes, nodes[0]);
  arrows(live);
  const legend = data.scale && h("div.legend", scale("", data.scale, `linear-gradient(to right, ${colors[0]} 50%, ${colors[1]} 50%)`), h("span", data.meaning));
  const hint = h("p.hint", say("Tab goes from turn to turn, ← and → to the buttons of a turn."));
  redraw(run.root, h("div.box.rows", { role: "list", label: say("The turns, as the model reads them") }, rows), legend, hint);
  tips(run);
  return run.end;
}
