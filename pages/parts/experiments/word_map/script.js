/* What makes one token of the summary more or less likely: the tokens before it, and the words of the dialogue. */

const PAUSE = 150; // ms without another arrow key before the choice is sent

function colored(kind, colors, { text: word, share, tip, special }, attributes = {}) {
  const style = share === null ? {} : { "background-color": tint(colors, share) };
  return h(`span.${kind}${special ? ".special" : ""}`, { tip, style }, attributes, word);
}

function dialogue({ turns, colors }) {
  const rows = turns.map((turn) => {
    const words = turn.words.flatMap((word) => [word.gap, colored("word", colors, word)]);
    return h("div.row", { role: "listitem" }, h("span.count", turn.number), text("div.words", turn.name && [h("bdi.name", turn.name), " "], words));
  });
  return h("div.box.rows", { tabindex: 0, role: "list", label: say("The dialogue") }, rows);
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const state = run.view ?? { tell: rested(PAUSE, () => state.send()) };
  run.view = state;
  const send = (index) => setTriggerValue("pick", { index });
  const { colors } = data;
  const nodes = data.target.map((token, index) => {
    const label = `${token.text}: ${token.tip}`; // a button would not wrap as text
    const node = colored(tokenKind({ text: token.text }), colors, token, { role: "button", label, place: index });
    node.onclick = () => {
      frame(node);
      state.tell.forget();
      if (index !== data.chosen) send(index);
    };
    return node;
  });
  const tokens = data.target.flatMap((token, index) => [token.gap || (index && !token.special ? "" : " "), nodes[index]]);
  const start = colored("token", colors, { ...data.start, special: true });
  const line = text("p.summary", { role: "group", label: say("The summary. Arrow keys choose a token.") }, start, tokens);

  function frame(chosen) {
    for (const node of nodes) {
      node.classList.toggle("chosen", node === chosen);
      set(node, { pressed: node === chosen });
    }
  }

  stop(nodes, nodes[data.chosen]);
  arrows([nodes], (node) => {
    frame(node);
    state.send = () => send(nodes.indexOf(node));
    state.tell();
  });
  frame(nodes[data.chosen]);
  const sample = h("span.entry", h("span.sample.chosen", "Aa"), say("the chosen token"));
  const legend = h("div.legend", signedScale(colors, data.scale), h("span", data.meaning), sample);
  const hint = h("p.hint", say("Click a token of the summary to choose it; ← and → choose its neighbours."));
  redraw(run.root, line, legend, hint, dialogue(data));
  tips(run);
  return run.end;
}
