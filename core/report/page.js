/* The report's own script. Texts reach the page through textContent alone. */
"use strict";

(() => {
  const UNIT = 65535; // a weight of 1
  const MOST = 6; // alternatives, tokens or turns that the panel lists
  const LEAST = 0.005; // share of attention that it lists
  const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const data = JSON.parse(document.getElementById("data").textContent);
  const say = (message, values = {}) => (data.words[message] ?? message).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const find = (selector) => [...document.querySelectorAll(selector)];
  const tokens = find("[data-token]");
  const turns = find(".turn");
  const shares = new Map(find("[data-turn]").map((node) => [Number(node.dataset.turn), node]));
  const spots = find("[data-spot]").reduce((all, node) => all.set(Number(node.dataset.spot), node), new Map());
  const whole = document.getElementById("whole");
  const initial = whole && [whole.textContent, new Map([...shares].map(([turn, node]) => [turn, [node.textContent, node.style.getPropertyValue("--w")]]))];
  const panel = document.querySelector(".panel");
  const choice = document.getElementById("choice");
  let [preview, locked] = [null, null];

  function h(tag, kind, ...children) {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.append(...children);
    return node;
  }

  /* A text that runs in its own direction. */
  function own(text) {
    return h("bdi", "", text);
  }

  function percent(share) {
    if (share > 0 && share < 0.001) return say("under {share}", { share: "0.1\u00a0%" });
    if (share > 0.999 && share < 1) return say("over {share}", { share: "99.9\u00a0%" });
    return `${(100 * share).toFixed(share < 0.1 || (share > 0.99 && share < 1) ? 1 : 0)}\u00a0%`;
  }

  const unpacked = data.choices.map(() => null);

  /* Weights [T, C] of a choice, one row after another, as the file holds them. */
  function weights(place) {
    if (!unpacked[place]) {
      const bytes = Uint8Array.from(atob(data.choices[place][1]), (letter) => letter.charCodeAt(0));
      const view = new DataView(bytes.buffer);
      unpacked[place] = Float32Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(2 * index, true) / UNIT);
    }
    return unpacked[place];
  }

  function summed(row, keys) {
    const sums = new Map();
    row.forEach((weight, column) => sums.set(keys[column], (sums.get(keys[column]) ?? 0) + weight));
    return sums;
  }

  function name(token) {
    return token.special === "end" ? say("the end") : (token.text || token.label).trim() || token.special;
  }

  function bars(kind, rows) {
    return h("ul", kind, ...rows.map(([text, share, chosen, place = ""]) => {
      const row = h("li", chosen ? "chosen" : "", h("span", "", own(text), place), h("span", "", percent(share)));
      row.style.setProperty("--w", share);
      return row;
    }));
  }

  function share(node, value) {
    node.textContent = percent(value);
    node.style.setProperty("--w", value);
  }

  /* Lights what a row of the summary reads, and returns the lines about it. */
  function light(index) {
    const columns = data.turns.length;
    const row = weights(Number(choice.value)).subarray(index * columns, (index + 1) * columns);
    const byTurn = summed(row, data.turns);
    const bySpot = summed(row, data.spots);
    bySpot.delete(-1);
    const strongest = Math.max(...bySpot.values(), 1e-9);
    const heaviest = Math.max(...byTurn.values());
    for (const [spot, node] of spots) {
      const weight = bySpot.get(spot) ?? 0;
      node.classList.toggle("lit", weight > 0);
      node.style.setProperty("--w", weight / strongest);
    }
    for (const [turn, node] of shares) share(node, byTurn.get(turn) ?? 0);
    turns.forEach((node, turn) => node.classList.toggle("lit", (byTurn.get(turn) ?? 0) === heaviest));
    const best = (sums, text) => [...sums].sort((one, other) => other[1] - one[1]).slice(0, MOST).filter(([, weight]) => weight >= LEAST).map(([key, weight]) => [text(key), weight, false, key]);
    const words = best(bySpot, (spot) => spots.get(spot).textContent.trim() || "␣");
    const turnOf = (spot) => turns.findIndex((node) => node.contains(spots.get(spot))) + 1;
    for (const word of words) word[3] = " " + say("(turn {turn})", { turn: turnOf(word[3]) });
    const where = best(byTurn, (turn) => (turn < 0 ? say("no turn") : say("turn {turn}", { turn: turn + 1 })));
    return words.length ? words : where.map((row) => row.slice(0, 3));
  }

  function dark() {
    for (const node of spots.values()) { node.classList.remove("lit"); node.style.removeProperty("--w"); }
    for (const node of turns) node.classList.remove("lit");
    if (!initial) return;
    whole.textContent = initial[0];
    for (const [turn, [text, value]] of initial[1]) {
      shares.get(turn).textContent = text;
      shares.get(turn).style.setProperty("--w", value);
    }
  }

  function draw() {
    const index = preview ?? locked;
    tokens.forEach((node, place) => {
      node.classList.toggle("shown", place === index);
      node.classList.toggle("locked", place === locked);
      node.setAttribute("aria-pressed", place === locked);
    });
    const token = data.tokens[index ?? data.weakest];
    if (!token) { panel.hidden = true; return; }
    const values = { probability: percent(token.probability), rank: token.rank, entropy: token.entropy.toFixed(2) };
    const facts = token.copied === null
      ? say("{probability} probable, rank {rank}, entropy {entropy} nats.", values)
      : say("{probability} probable, rank {rank}, entropy {entropy} nats, {copied} of it copied.", { ...values, copied: percent(token.copied) });
    const lines = [h("h3", "", own(name(token))), h("p", "facts", index === null ? say("The least certain token: {facts}", { facts }) : facts)];
    if (index === null) dark();
    else if (choice) {
      const chosen = data.choices[Number(choice.value)][0];
      const strongest = light(index);
      if (whole) whole.textContent = say("Beside each turn: its share of the attention of {head} while this token was written.", { head: chosen });
      lines.push(h("div", "", h("p", "", say("Reads most, {head}", { head: chosen })), bars("reads", strongest)));
    }
    const others = token.alternatives.slice(0, MOST).map(([text, value, taken]) => [text.trim() || "␣", value, taken]);
    lines.push(h("div", "", h("p", "", say("What could have stood here")), bars("", others)));
    panel.replaceChildren(...lines);
  }

  function look(index) {
    preview = index;
    draw();
  }

  function lock(index) {
    locked = locked === index ? null : index;
    look(null);
  }

  function key(event, index) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = { Home: 0, End: tokens.length - 1 }[event.key] ?? (event.key in STEPS ? index + STEPS[event.key] : null);
    if (next !== null) tokens[next]?.focus();
    else if (event.key === "Enter" || event.key === " ") lock(index);
    else return;
    event.preventDefault();
  }

  tokens.forEach((node, index) => {
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", `${name(data.tokens[index])}: ${percent(data.tokens[index].probability)}`);
    node.tabIndex = index === 0 ? 0 : -1;
    node.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") look(index); });
    node.addEventListener("click", () => lock(index));
    node.addEventListener("keydown", (event) => key(event, index));
    node.addEventListener("focus", () => {
      tokens.forEach((other) => { other.tabIndex = other === node ? 0 : -1; });
      if (node.matches(":focus-visible")) look(index);
    });
    node.addEventListener("blur", () => { if (preview === index) look(null); });
  });
  document.querySelector(".strip").addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") look(null); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { locked = null; look(null); } });
  choice?.addEventListener("change", draw);

  const theme = document.getElementById("theme");
  const isDark = () => getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const press = () => theme.setAttribute("aria-pressed", isDark());
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    press();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", press);

  document.getElementById("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data.dialogue], { type: "text/plain" }));
    link.download = "dialogue.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = find("details:not([open])");
    closed.forEach((node) => { node.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((node) => { node.open = false; }));

  find(".script").forEach((node) => { node.hidden = false; });
  press();
  draw();
})();
