/* A summary that is written token by token. The turns that a token reads light up, and below it each part of the network
   shows what it made of the step; it plays by itself unless motion is unwanted. */

const PLAY_EVERY = 1600; // ms between two steps of Play
const STILL = window.matchMedia("(prefers-reduced-motion: reduce)");

/* The first numbers of a vector, each a cell; the strongest has the full colour. */
function strip(vector) {
  const most = Math.max(...vector.map(Math.abs), 1e-9);
  return h("span.strip", vector.map((number) => h("i", { title: number.toFixed(2), style: { background: tint(["var(--opposes)", "var(--supports)"], number / most) } })));
}

function bar(name, share, chosen) {
  return h(`div.row${chosen ? ".chosen" : ""}`, h("span.part", { style: { width: `${100 * share}%` } }), text("span.name", name), h("span.value", percent(share)));
}

/* What each part of the network shows at a step: its heading, what stands below it, and its drawing. */
const PARTS = {
  text: () => [say("Text"), ({ network }) => network.turns, ({ turn }) => [text("q", turn)]],
  tokens: () => [say("Tokens"), ({ network }) => network.tokens, ({ pass }) => [text("b.token-text", pass.text || "⏎"), h("span.note", say("id {id}", { id: pass.id }))]],
  embedding: () => [say("Embedding + position"), ({ network }) => network.numbers, ({ pass }) => [strip(pass.embedding), pass.position.length > 0 && strip(pass.position)].filter(Boolean)],
  encoder: () => [say("Encoder"), ({ network }) => network.encoder, ({ pass }) => pass.encoder.map(strip)],
  cross: () => [say("Cross-attention"), () => say("the turns that are looked at"), ({ shares }) => shares.map(([turn, share]) => bar(say("turn {number}", { number: turn + 1 }), share, false))],
  decoder: () => [say("Decoder"), ({ network }) => network.decoder, ({ pass, before }) => [text("span.note.before", before || "…"), ...pass.decoder.map(strip)]],
  next: () => [say("Next token"), ({ network }) => network.words, ({ pass, token }) => pass.best.map(([word, share]) => bar(word.trim() || word, share, word.trim() === token.trim()))],
  word: () => [say("Word"), () => say("goes back into the decoder"), ({ token }) => [text("b.written", token)]],
};

class Writing extends Walk {
  constructor(run, data) {
    super(run.root, data.tokens.length, PLAY_EVERY);
    this.tokens = data.tokens;
    this.words = data.turns.map((turn) => turn.text);
    this.turns = data.turns.map((turn, place) => this.turn(turn, place));
    this.nodes = data.tokens.map((token, place) => this.token(token, place));
    const words = data.tokens.map((token, place) => [token.gap || (token.special ? " " : ""), this.nodes[place]]);
    this.back = this.tool("Back", say("Previous step"), () => this.move(this.step - 1));
    this.ahead = this.tool("Forward", say("Next step"), () => this.move(this.step + 1));
    this.play = h("button.play", { onclick: () => this.toggle() });
    this.line = text("p.line");
    this.fill = h("span.fill");
    this.share = h("b");
    const pages = [["next", say("Decoding")], ["cross", say("Attention")]];
    const see = pages.map(([part, name]) => h("button.see", { onclick: () => this.open(part) }, name));
    const keys = this.still() ? say("← → step") : say("← → step, Space plays and pauses");
    const shades = data.attention && say("Shade and percent: how much attention the token gives to each turn ({attention}).", data);
    this.root.replaceChildren(h("div.scene",
      h("div.dialogue", h("h2", say("The dialogue")), h("ol.turns", this.turns.map((turn) => turn.node))),
      h("div.summary",
        h("h2", { title: data.weights }, data.heading),
        text("p.text", { role: "group", label: say("The summary, token by token") }, words.flat(), data.tail),
        text("p.warning", data.warning),
        h("p.sure", say("Probability"), h("span.track", this.fill), this.share),
        h("div.bar", this.back, this.play, this.ahead, h("span.hint", keys)),
        this.line,
        h("div.more", h("span", say("See this step on")), see),
        shades && h("p.hint", shades))), this.whole(data));
    set(this.root.querySelector(".turns"), { label: say("The turns") });
  }

  open(part) {
    this.send("see", { part, step: this.step });
  }

  /* Every part of the network, each a door to its page; "" where nothing was kept of it. */
  whole({ network, passes }) {
    this.network = network;
    this.passes = passes ?? [];
    this.parts = [];
    if (!this.passes.length) return "";
    const kinds = Object.entries(PARTS);
    this.parts = kinds.map(([part, make], order) => {
      const [name, about, draw] = make();
      const body = h("div.body");
      const note = text("span.note", about({ network }));
      const inside = [text("span.name", name), note, body];
      const label = say("{part}: open its page", { part: name });
      const node = h(`button.box.${part}`, { title: label, onclick: () => this.open(part) }, ...inside);
      node.style.setProperty("--order", order);
      return { node, body, draw };
    });
    const network_link = h("button.see", { onclick: () => this.open("network") }, say("Architecture"));
    this.caption = text("p.hint");
    return h("section.whole", { label: say("The whole way of one step through the network") },
      h("h2", say("One step through the whole network")),
      h("div.road", this.parts.map(({ node }) => node)),
      this.caption,
      h("div.more", h("span", say("Every layer in full")), network_link));
  }

  through() {
    const pass = this.passes[this.step];
    if (!pass) return;
    const token = this.tokens[this.step];
    const shares = token.shares.map((share, turn) => [turn, share]).sort(([, one], [, other]) => other - one).slice(0, 3);
    const turn = this.words[shares[0][0]];
    const before = this.tokens.slice(Math.max(0, this.step - 4), this.step).map((each) => each.gap + each.text).join("").trim();
    const shown = { pass, network: this.network, shares, turn, before, token: token.text || token.special };
    for (const { node, body, draw } of this.parts) {
      body.replaceChildren(...draw(shown));
      node.classList.remove("passing");
      void node.offsetWidth; // so that the movement begins anew
      node.classList.add("passing");
    }
    const values = { token: pass.text, turn: shares[0][0] + 1, weight: percent(pass.weight) };
    this.caption.textContent = say("Embedding and encoder show the token “{token}” of turn {turn}, which gets the most attention there, {weight}. Green is above zero, purple below.", values);
  }

  still() {
    return STILL.matches;
  }

  turn({ name, speaker, text: words }, place) {
    const share = h("span.share");
    const node = h("li.turn", h("span.count", place + 1), h("p", name && text("b", { style: { "--speaker": speakerColor(speaker) } }, name), name && " ", text("span", words)), share);
    return { node, share };
  }

  token(token, place) {
    const isEnd = token.special === "end";
    const label = say("{token}: step {number}", { token: isEnd ? say("end of the summary") : token.text || token.special, number: place + 1 });
    return h(`span.${tokenKind(token)}`, { role: "button", label, onclick: () => this.move(place) }, isEnd ? say("end") : token.special || token.text);
  }

  tool(drawing, name, act) {
    return h("button", { title: name, label: name, onclick: act }, icon(PLAYER[drawing]));
  }

  draw() {
    const token = this.tokens[this.step];
    this.mark(this.nodes, this.play);
    const most = Math.max(...token.shares);
    this.turns.forEach(({ node, share }, place) => {
      const value = token.shares[place] ?? 0;
      node.classList.toggle("most", most > 0 && value === most);
      set(node, { style: { "--share": `${(STRONGEST * value).toFixed(1)}%` } });
      share.textContent = value >= 0.05 ? percent(value) : "";
    });
    set(this.fill, { style: { width: `${100 * token.probability}%` } });
    this.share.textContent = percent(token.probability);
    set(this.line, { live: this.playing ? "off" : "polite" });
    this.line.textContent = token.said;
    set(this.back, { disabled: this.step === 0 });
    set(this.ahead, { disabled: this.step === this.count - 1 });
    this.play.hidden = this.still();
    this.through();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const shown = JSON.stringify(data);
  const kept = run.view?.shown === shown;
  run.view = kept ? run.view : new Writing(run, data);
  const writing = Object.assign(run.view, { shown, send: setTriggerValue });
  if (!kept) writing.go(0, !writing.still());
  run.on(STILL, "change", () => writing.go(writing.step, false));
  run.on(document, "keydown", (event) => { if (!(event.key === " " && writing.still())) writing.key(event, writing.nodes); });
  return run.end;
}
