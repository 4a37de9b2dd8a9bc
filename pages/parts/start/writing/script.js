/* A summary that is written token by token. The turns that a token reads light up; it plays by itself unless motion is unwanted. */

const PLAY_EVERY = 1600; // ms between two steps of Play
const STILL = window.matchMedia("(prefers-reduced-motion: reduce)");

class Writing extends Walk {
  constructor(run, data) {
    super(run.root, data.tokens.length, PLAY_EVERY);
    this.tokens = data.tokens;
    this.turns = data.turns.map((turn, place) => this.turn(turn, place));
    this.nodes = data.tokens.map((token, place) => this.token(token, place));
    const words = data.tokens.map((token, place) => [token.gap || (token.special ? " " : ""), this.nodes[place]]);
    this.back = this.tool("Back", say("Previous step"), () => this.move(this.step - 1));
    this.ahead = this.tool("Forward", say("Next step"), () => this.move(this.step + 1));
    this.play = h("button.play", { onclick: () => this.toggle() });
    this.line = text("p.line");
    this.fill = h("span.fill");
    this.share = h("b");
    const pages = [["decoding", say("Decoding")], ["attention", say("Attention")]];
    const see = pages.map(([page, name]) => h("button.see", { onclick: () => this.send("see", { page, step: this.step }) }, name));
    const keys = this.still() ? say("← → step") : say("← → step, Space plays and pauses");
    const shades = data.attention && say("Shade and percent: how much attention the token gives to each turn ({attention}).", data);
    this.root.replaceChildren(h("div.scene",
      h("div.dialogue", h("h2", say("The dialogue")), h("ol.turns", this.turns.map((turn) => turn.node))),
      h("div.summary",
        h("h2", { title: data.weights }, data.heading),
        text("p.text", { role: "group", label: say("The summary, token by token") }, words.flat(), data.tail),
        h("p.sure", say("Probability"), h("span.track", this.fill), this.share),
        h("div.bar", this.back, this.play, this.ahead, h("span.hint", keys)),
        this.line,
        h("div.more", h("span", say("See this step on")), see),
        shades && h("p.hint", shades))));
    set(this.root.querySelector(".turns"), { label: say("The turns") });
  }

  still() {
    return STILL.matches;
  }

  turn({ name, speaker, text: words }, place) {
    const share = h("span.share");
    const node = h("li.turn", h("span.count", place + 1), h("p", name && text("b", { style: { "--speaker": speakerColor(this.root, speaker) } }, name), name && " ", text("span", words)), share);
    return { node, share };
  }

  token(token, place) {
    const isEnd = token.special === "end";
    const label = say("{token}: step {number}", { token: isEnd ? say("end of the summary") : token.text || token.special, number: place + 1 });
    return h(`span.token${token.special ? ".special" : ""}`, { role: "button", label, onclick: () => this.move(place) }, isEnd ? say("end") : token.special || token.text);
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
      set(node, { style: { "--amount": `${(STRONGEST * value).toFixed(1)}%` } });
      share.textContent = value >= 0.05 ? percent(value) : "";
    });
    set(this.fill, { style: { width: `${100 * token.probability}%` } });
    this.share.textContent = percent(token.probability);
    set(this.line, { live: this.playing ? "off" : "polite" });
    this.line.textContent = token.said;
    set(this.back, { disabled: this.step === 0 });
    set(this.ahead, { disabled: this.step === this.count - 1 });
    this.play.hidden = this.still();
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
