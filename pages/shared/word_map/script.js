/* What makes one token of the summary more or less likely: the tokens before it, and the words of the dialogue. */

const memory = new WeakMap(); // parentElement → {send, timer}
const PAUSE = 150; // ms without another arrow key before the choice is sent

function colored(node, colors, { share, tip }) {
  node.dataset.tip = tip;
  if (share !== null) node.style.backgroundColor = tint(colors, share);
  return node;
}

function legend(data) {
  const box = element("div", "legend");
  box.append(signedScale(data.colors, data.scale), element("span", "", data.meaning));
  const entry = element("span", "entry");
  entry.append(element("span", "sample chosen", "Aa"), "the chosen token");
  box.append(entry);
  return box;
}

function dialogue(data) {
  const box = element("div", "box");
  box.tabIndex = 0;
  box.setAttribute("role", "list");
  box.setAttribute("aria-label", "The dialogue");
  for (const turn of data.turns) {
    const row = element("div", "row");
    row.setAttribute("role", "listitem");
    const text = element("div", "words");
    text.dir = "auto";
    if (turn.name) text.append(element("bdi", "name", turn.name), " ");
    for (const word of turn.words) {
      const node = colored(element("span", word.special ? "word special" : "word", word.text), data.colors, word);
      text.append(word.gap, node);
    }
    row.append(element("span", "count", String(turn.number)), text);
    box.append(row);
  }
  return box;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const state = memory.get(parentElement) ?? {};
  memory.set(parentElement, state);
  state.send = (index) => setTriggerValue("pick", { index });

  const line = element("p", "summary");
  line.dir = "auto";
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", "The summary. Arrow keys choose a token.");
  line.append(colored(element("span", "token special", data.start.text), data.colors, data.start));
  const nodes = data.target.map((token, index) => {
    const node = element("span", token.special ? "token special" : "token", token.text); // a button would not wrap as text
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", token.tip);
    node.classList.toggle("short", token.text.length === 1);
    node.dataset.place = index;
    node.onclick = () => {
      frame(node);
      clearTimeout(state.timer);
      if (index !== data.chosen) state.send(index);
    };
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      node.click();
    });
    line.append(token.gap || (index && !token.special ? "" : " "), colored(node, data.colors, token));
    return node;
  });

  function frame(chosen) {
    stop(nodes, chosen);
    for (const node of nodes) {
      node.classList.toggle("chosen", node === chosen);
      node.setAttribute("aria-pressed", String(node === chosen));
    }
  }

  arrows([nodes], (node) => {
    frame(node);
    clearTimeout(state.timer);
    state.timer = setTimeout(() => state.send(nodes.indexOf(node)), PAUSE);
  });
  const hint = element("p", "hint", "Click a token of the summary to choose it; ← and → choose its neighbours.");
  frame(nodes[data.chosen]);
  redraw(root, line, legend(data), hint, dialogue(data));
  return tips(root);
}
