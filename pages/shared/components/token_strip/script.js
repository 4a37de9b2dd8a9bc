/* A summary whose tokens are shaded. What is pointed at shows its numbers below, a click locks it. */

function named(token) {
  return token.special === "end" ? say("end of the summary") : token.text || token.label;
}

function row(word, share, kind) {
  const lead = word.length - word.trimStart().length;
  const label = text("span.word", lead > 0 && h("span.space", "·".repeat(lead)), word.slice(lead).replaceAll("\n", "↵"));
  return h(`li.row.${kind}`, h("div.fill", { style: { width: `${100 * share}%` } }), label, h("span.share", percent(share)));
}

function facts(token) {
  const entries = [
    [say("probability"), percent(token.probability), say("over the whole vocabulary")],
    [say("rank"), token.rank, say("1 is the most probable token")],
    [say("log-prob."), token.logProbability.toFixed(2), say("natural logarithm of the probability")],
    [say("entropy"), [token.entropy.toFixed(2), say("nats")].join(" "), say("0: only one token was possible; higher: more were")],
  ];
  const copying = say("share of the probability that came from copying out of the dialogue");
  if (token.copied !== null) entries.push([say("copied"), percent(token.copied), copying]);
  return h("dl", entries.flatMap(([name, value, title]) => [h("dt", { title }, name), h("dd", value)]));
}

function alternatives(token) {
  const rows = token.alternatives.map(([word, share, chosen]) => row(word, share, chosen ? "chosen" : ""));
  const listed = token.alternatives.some(([, , chosen]) => chosen);
  if (!listed) rows.push(row(named(token), token.probability, "chosen"));
  rows.push(row(say("all other tokens"), listed ? token.rest : Math.max(0, token.rest - token.probability), "rest"));
  return h("div", h("p.above", say("What could have stood here")), h("ul.list", rows));
}

const PHONE = window.matchMedia("(max-width: 640px)");
let brought = 0; // dialogues whose summary was on the screen

class Strip extends Reader {
  constructor(run, data, before) {
    super({ data, mode: data.copies && before ? before.mode : "probability" });
    this.shown = JSON.stringify(data.tokens.map((token) => [token.gap, token.text, token.probability]));
    if (before?.shown === this.shown) this.locked = before.locked;
    this.nodes = data.tokens.map((token, place) => {
      const shown = token.special === "end" ? say("end") : token.special || token.text;
      const label = `${shown}: ${token.special ? `${named(token)}, ` : ""}${percent(token.probability)}`;
      return h(`span.token${token.special ? ".special" : ""}`, { role: "button", label, place }, shown);
    });
    const words = data.tokens.flatMap((token, index) => [token.gap || (token.special ? " " : ""), this.nodes[index]]);
    const strip = text("p.text", { role: "group", label: say("The summary, token by token") }, words, data.tail);
    reads(this, strip, this.nodes.map((node, index) => [node, index]));
    arrows([this.nodes]);
    stop(this.nodes, this.nodes[0]);
    const options = [["probability", say("Probability")], ["copied", say("Copied")]];
    const [group, press] = choices(say("Shade by"), options, (mode) => { this.mode = mode; this.shade(press); });
    const legend = h("span.entry", data.copies ? group : h("span", say("Probability")), "0 %", h("span.ramp"), "100 %");
    this.panel = h("div.panel", { live: "polite" });
    const notes = (data.notes ?? []).map((note) => text("p.note", note));
    redraw(run.root, strip, ...notes, h("div.legend", say("Shaded by"), legend), text("p.caption", data.caption), this.panel);
    this.shade(press);
    this.look(null); // the focus that a rerun gives back previews nothing
  }

  shade(press) {
    press(this.mode);
    this.nodes.forEach((node, index) => {
      const token = this.data.tokens[index];
      const value = this.mode === "copied" ? token.copied ?? 0 : token.probability;
      set(node, { style: { "--amount": `${(100 * value).toFixed(1)}%` } });
    });
  }

  draw() {
    const { nodes, locked, preview } = this;
    const index = preview ?? locked;
    const shown = index ?? this.data.weakest;
    nodes.forEach((node, place) => {
      node.classList.toggle("locked", place === locked);
      node.classList.toggle("shown", place === index);
      set(node, { pressed: place === locked });
    });
    this.panel.classList.toggle("pinned", locked !== null);
    const token = this.data.tokens[shown];
    const turn = index === null ? null : this.data.reads[index]?.[0] ?? null;
    document.dispatchEvent(new CustomEvent("dialoscope:turn", { detail: turn }));
    if (!token) { this.panel.replaceChildren(); return; }
    let line = say("Point at a token, or tap it, to see what else could have stood there. Shown: the least certain one.");
    const place = { number: index + 1, total: nodes.length };
    if (locked !== null) line = [say("Locked: token {number} of {total}.", { ...place, number: locked + 1 }), RELEASE].join(" ");
    else if (preview !== null) line = say("Token {number} of {total}. Click to lock it.", place);
    const [, said] = this.data.reads[shown];
    const read = said && h("p.reads", text("span", said), h("span.hint", ` (${this.data.attention})`));
    const parts = [h("div.state", line), read, h("div", text("p.head", named(token)), facts(token)), alternatives(token)];
    this.panel.replaceChildren(...parts.filter(Boolean));
  }
}

export default function ({ data, parentElement }) {
  speak(data);
  const run = new Run(parentElement);
  run.view = new Strip(run, data, run.view);
  if (data.brought > brought && PHONE.matches) run.root.querySelector(".text").scrollIntoView({ block: "center" });
  brought = Math.max(brought, data.brought ?? 0);
  releases(run, run.view);
  return run.end;
}
