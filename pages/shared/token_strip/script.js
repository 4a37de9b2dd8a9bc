/* A summary whose tokens are shaded. Hover previews, click or Enter locks; Esc, a click outside or a second click releases. */

const memory = new WeakMap(); // parentElement → {mode, locked, text, listeners}

const MEANINGS = {
  probability: "over the whole vocabulary",
  rank: "1 is the most probable token",
  "log-prob.": "natural logarithm of the probability",
  entropy: "0: only one token was possible; higher: more were",
  copied: "share of the probability that came from copying out of the dialogue",
};

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function percent(value) {
  if (value > 0 && value < 0.001) return "< 0.1\u00a0%";
  if (value > 0.999 && value < 1) return "> 99.9\u00a0%";
  return `${(100 * value).toFixed(value < 0.1 || (value > 0.99 && value < 1) ? 1 : 0)}\u00a0%`;
}

function named(token) {
  return token.special === "end" ? "end of the summary" : token.text || token.label;
}

function row(word, share, className) {
  const item = element("li", `row ${className}`);
  const fill = element("div", "fill");
  fill.style.width = `${100 * share}%`;
  const label = element("span", "word");
  label.dir = "auto";
  const lead = word.length - word.trimStart().length;
  if (lead) label.append(element("span", "space", "·".repeat(lead)));
  label.append(word.slice(lead).replaceAll("\n", "↵"));
  item.append(fill, label, element("span", "share", percent(share)));
  return item;
}

function facts(token) {
  const list = element("dl");
  const entries = [
    ["probability", percent(token.probability)],
    ["rank", String(token.rank)],
    ["log-prob.", token.logProbability.toFixed(2)],
    ["entropy", `${token.entropy.toFixed(2)} nats`],
  ];
  if (token.copied !== null) entries.push(["copied", percent(token.copied)]);
  for (const [name, value] of entries) {
    const term = element("dt", "", name);
    term.title = MEANINGS[name];
    list.append(term, element("dd", "", value));
  }
  return list;
}

function alternatives(token) {
  const box = element("div");
  box.append(element("p", "title", "What could have stood here"));
  const list = element("ul", "list");
  for (const [word, share, chosen] of token.alternatives) list.append(row(word, share, chosen ? "chosen" : ""));
  if (!token.alternatives.some(([, , chosen]) => chosen)) {
    list.append(row(named(token), token.probability, "chosen"));
    list.append(row("all other tokens", Math.max(0, token.rest - token.probability), "rest"));
  } else {
    list.append(row("all other tokens", token.rest, "rest"));
  }
  box.append(list);
  return box;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  const before = memory.get(parentElement);
  before?.listeners.abort();
  const text = JSON.stringify(data.tokens.map((token) => [token.gap, token.text, token.probability]));
  const kept = before && before.text === text;
  const state = { mode: data.copies && before ? before.mode : "probability", locked: kept ? before.locked : -1, text, listeners: new AbortController() };
  memory.set(parentElement, state);
  const signal = state.listeners.signal;

  const strip = element("p", "text");
  strip.dir = "auto";
  strip.setAttribute("role", "group");
  strip.setAttribute("aria-label", "The summary, token by token");
  const nodes = data.tokens.map((token, index) => {
    const node = element("span", token.special ? "token special" : "token", token.special || token.text);
    node.setAttribute("role", "button");
    node.tabIndex = index ? -1 : 0;
    node.setAttribute("aria-label", `${named(token)}: ${percent(token.probability)}`);
    if (token.gap || token.special) strip.append(token.gap || " ");
    strip.append(node);
    return node;
  });
  strip.append(data.tail);
  const panel = element("div", "panel");
  panel.setAttribute("aria-live", "polite");

  function shade() {
    nodes.forEach((node, index) => {
      const token = data.tokens[index];
      const value = state.mode === "copied" ? token.copied ?? 0 : token.probability;
      node.style.setProperty("--amount", `${(100 * value).toFixed(1)}%`);
    });
    toggle.querySelectorAll("button").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.mode === state.mode));
    });
  }

  function show(index) {
    const locked = state.locked >= 0 && state.locked < nodes.length;
    const shown = index >= 0 ? index : locked ? state.locked : data.weakest;
    nodes.forEach((node, position) => {
      node.classList.toggle("locked", position === state.locked);
      node.classList.toggle("shown", position === shown && (index >= 0 || locked));
      node.setAttribute("aria-pressed", String(position === state.locked));
    });
    panel.classList.toggle("pinned", locked);
    const token = data.tokens[shown];
    if (!token) { panel.replaceChildren(); return; }
    let line = "Point at a token, or tap it, to see what else could have stood there. Shown: the least certain one.";
    if (locked) line = `Locked: token ${state.locked + 1} of ${nodes.length}. Esc, a click outside or a second click releases it.`;
    else if (index >= 0) line = `Token ${index + 1} of ${nodes.length}. Click to lock it.`;
    const left = element("div");
    const head = element("p", "head", named(token));
    head.dir = "auto";
    left.append(head, facts(token));
    panel.replaceChildren(element("div", "state", line), left, alternatives(token));
  }

  function lock(index) {
    state.locked = state.locked === index ? -1 : index;
    show(-1);
  }

  function move(index) {
    const next = Math.min(Math.max(index, 0), nodes.length - 1);
    nodes.forEach((node, position) => { node.tabIndex = position === next ? 0 : -1; });
    nodes[next]?.focus();
  }

  nodes.forEach((node, index) => {
    node.onpointerenter = (event) => { if (event.pointerType !== "touch") show(index); };
    node.onpointerleave = (event) => { if (event.pointerType !== "touch") show(-1); };
    node.onfocus = () => { if (node.matches(":focus-visible")) show(index); };
    node.onblur = () => show(-1);
    node.onclick = () => lock(index);
    node.onkeydown = (event) => {
      const steps = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: nodes.length - 1 };
      if (event.key in steps) { event.preventDefault(); move(steps[event.key]); }
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); lock(index); }
    };
  });

  const legend = element("div", "legend");
  legend.append(element("span", "what", "Probability"), element("span", "", "0 %"), element("span", "ramp"), element("span", "", "100 %"));
  const toggle = element("div", "switch");
  toggle.setAttribute("role", "group");
  toggle.setAttribute("aria-label", "Shade by");
  for (const mode of ["probability", "copied"]) {
    const button = element("button", "", mode === "copied" ? "Copied" : "Probability");
    button.type = "button";
    button.dataset.mode = mode;
    button.onclick = () => { state.mode = mode; shade(); };
    toggle.append(button);
  }
  const bar = element("div", "bar");
  if (data.copies) legend.firstChild.replaceWith(toggle);
  bar.append(element("span", "", "Shaded by"), legend);
  const caption = element("p", "caption", data.caption);
  caption.dir = "auto";
  root.replaceChildren(strip, bar, caption, panel);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.locked >= 0) { state.locked = -1; show(-1); }
  }, { signal });
  document.addEventListener("click", (event) => {
    const inside = event.composedPath().some((node) => node === panel || node === toggle || nodes.includes(node));
    if (!inside && state.locked >= 0) { state.locked = -1; show(-1); }
  }, { signal });
  shade();
  show(-1);
  return () => state.listeners.abort();
}
