/* A summary whose tokens are shaded. What is pointed at shows its numbers below, a click locks it. */

function named(token) {
  return token.special === "end" ? say("end of the summary") : token.text || token.label;
}

function row(word, share, kind) {
  const lead = word.length - word.trimStart().length;
  const label = text("span.word", lead > 0 && h("span.space", "·".repeat(lead)), word.slice(lead).replaceAll("\n", "↵"));
  return h(`li.row.${kind}`, h("div.fill", { style: { width: `${100 * share}%` } }), label, h("span.share", percent(share)));
}

function nats(value) {
  return `${value > 0 ? "+" : ""}${value.toFixed(2).replace("-", "−")}`;
}

function facts(token, reliance, place) {
  const entries = [
    [say("probability"), percent(token.probability), say("over the whole vocabulary")],
    [say("rank"), token.rank, say("1 is the most probable token")],
    [say("log-prob."), nats(token.logProbability), say("natural logarithm of the probability")],
    [say("entropy"), [token.entropy.toFixed(2), say("nats")].join(" "), say("0: only one token was possible; higher: more were")],
  ];
  const copying = say("share of the probability that came from copying out of the dialogue");
  if (token.copied !== null) entries.push([say("copied"), percent(token.copied), copying]);
  const relying = say("log-probability with this dialogue less that with other words of the same speakers");
  if (reliance) entries.push([say("reliance"), `${nats(reliance.values[place])} ± ${reliance.half[place].toFixed(2)}`, relying]);
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
  constructor(run, data, before, send) {
    super({ data, mode: data.shade });
    this.shown = JSON.stringify(data.tokens.map((token) => [token.gap, token.text, token.probability]));
    if (before?.shown === this.shown) this.locked = before.locked;
    this.nodes = data.tokens.map((token, place) => {
      const shown = token.special === "end" ? say("end") : token.special || token.text;
      return h(`span.${tokenKind(token)}`, { role: "button", place }, shown);
    });
    const words = data.tokens.flatMap((token, index) => [token.gap || (token.special ? " " : ""), this.nodes[index]]);
    const strip = text("p.text", { role: "group", label: say("The summary, token by token") }, words, data.tail);
    reads(this, strip, this.nodes.map((node, index) => [node, index]));
    arrows([this.nodes]);
    stop(this.nodes, this.nodes[0]);
    const options = [["probability", say("Probability")], data.copies && ["copied", say("Copied")], ["reliance", say("Reliance")]].filter(Boolean);
    const [group, press] = choices(say("Shade by"), options, (mode) => { this.mode = mode; this.shade(press); send(mode); });
    this.legend = h("span.entry");
    this.caption = text("p.caption");
    this.panel = h("div.panel", { live: "polite" });
    const notes = (data.notes ?? []).map((note) => text("p.note", note));
    redraw(run.root, strip, ...notes, h("div.legend", say("Shaded by"), group, this.legend), this.caption, this.panel);
    this.shade(press);
    this.look(null); // the focus that a rerun gives back previews nothing
  }

  shade(press) {
    press(this.mode);
    const { reliance, tokens, caption } = this.data;
    const signed = this.mode === "reliance";
    const ramp = ["0 %", h("span.ramp"), "100 %"];
    const most = signed && reliance ? nats(reliance.most) : "";
    const scaled = reliance ? [signedScale(reliance.colors, [most.replace("+", "−"), "0", most]), say("nats")] : [say("Computing …")];
    this.legend.replaceChildren(...(signed ? scaled : ramp));
    this.caption.textContent = signed && reliance ? reliance.caption : caption;
    this.nodes.forEach((node, index) => {
      const token = tokens[index];
      const value = this.mode === "copied" ? token.copied ?? 0 : signed ? 0 : token.probability;
      const owed = signed && reliance ? reliance.values[index] : null;
      const said = owed === null ? percent(token.probability) : [nats(owed), say("nats")].join(" ");
      const ground = owed === null ? "" : tint(reliance.colors, owed / reliance.most);
      set(node, { style: { "--share": `${(100 * value).toFixed(1)}%`, background: ground } });
      set(node, { label: `${node.textContent}: ${token.special ? `${named(token)}, ` : ""}${said}` });
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
    const parts = [h("div.state", line), read, h("div", text("p.head", named(token)), facts(token, this.data.reliance, shown)), alternatives(token)];
    this.panel.replaceChildren(...parts.filter(Boolean));
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  run.view = new Strip(run, data, run.view, (mode) => setTriggerValue("shade", mode));
  if (data.brought > brought && PHONE.matches) run.root.querySelector(".text").scrollIntoView({ block: "center" });
  brought = Math.max(brought, data.brought ?? 0);
  releases(run, run.view);
  return run.end;
}
