/* A walk through the tokens of a summary. It moves by itself at once; Python's position counts with a new version only. */

const REST = 250; // ms for which a walk rests before Python hears of more than its first step
const PATIENCE = 10_000; // ms after which a message without an answer counts as lost
const PLAY_EVERY = 1200; // ms between two steps of Play
const ENDS = { First: "M6 6h2v12H6zm3.5 6 8.5 6V6z", Last: "m6 18 8.5-6L6 6v12zM16 6v12h2V6h-2z" };

class Stepper extends Walk {
  constructor(run, data) {
    super(run.root, data.tokens.length, PLAY_EVERY);
    Object.assign(this, { tokens: data.tokens, forced: data.forced, forcedEnd: data.forcedEnd, heard: 0, asked: 0 });
    this.tell = promptly(REST, () => this.ask());
    this.build(data.tail);
  }

  build(tail) {
    this.nodes = this.tokens.map((token, index) => {
      const kind = `span.${tokenKind(token)}${this.given(index) ? ".forced" : ""}`;
      const shown = token.special === "end" ? say("end") : token.special || token.text;
      const values = { token: shown, number: index + 1, name: this.named(index) };
      const label = token.special ? say("{token}: step {number}, {name}", values) : say("{token}: step {number}", values);
      return h(kind, { role: "button", label, onclick: () => this.move(index) }, shown);
    });
    const words = this.tokens.map((token, index) => [token.gap || (token.special ? " " : ""), this.nodes[index]]);
    this.slider = h("input", { type: "range", min: 1, max: this.tokens.length, label: say("Step"), oninput: () => this.move(this.slider.valueAsNumber - 1) });
    const tool = (drawing, name, act) => h("button", { title: name, label: name, onclick: act }, icon(drawing));
    this.back = [
      tool(ENDS.First, say("First step"), () => this.move(0)),
      tool(PLAYER.Back, say("Back"), () => this.move(this.step - 1)),
    ];
    this.ahead = [
      tool(PLAYER.Forward, say("Forward"), () => this.move(this.step + 1)),
      tool(ENDS.Last, say("Last step"), () => this.move(this.count - 1)),
    ];
    this.play = h("button.play", { onclick: () => this.toggle() });
    this.line = h("p.line", { live: "polite" });
    const meanings = [["written", say("written so far")], ["current", say("being decided")], ["coming", say("still to come")]];
    if (this.forced || this.forcedEnd) meanings.push(["forced", say("forced: not the model's choice")]);
    this.root.replaceChildren(
      text("p.text", { role: "group", label: say("The summary, one step a token") }, words.flat(), tail),
      h("div.legend", meanings.map(([kind, meaning]) => h("span.entry", h(`span.sample.${kind}`, { "aria-hidden": true }, "Aa"), meaning))),
      this.slider,
      h("div.bar", h("div.buttons", this.back, this.play, this.ahead), this.line, h("p.hint", say("← → step, Space plays, Home and End jump"))),
    );
  }

  given(index) {
    return index < this.forced || (this.forcedEnd && index === this.tokens.length - 1);
  }

  named(index) {
    const token = this.tokens[index];
    return token.special === "end" ? say("the end") : `“${token.label.trim() || token.special}”`;
  }

  /* Python moved: nothing is sent, and what was still to be sent is out of date. */
  adopt(step, version) {
    this.tell.forget();
    this.wish = false;
    this.version = version;
    this.go(step, false);
  }

  /* One message at a time: the next one leaves when Python has answered this one, and only the last wish is kept. */
  ask() {
    if (!this.root.isConnected) return;
    const now = Date.now();
    this.wish = this.heard < this.asked && now - this.asked < PATIENCE;
    if (this.wish) return;
    this.asked = now; // makes each message another: Streamlit drops one that equals the last, also after a jump from Python
    this.send("at", { step: this.step, playing: this.playing, time: now });
  }

  answer(heard) {
    this.heard = heard;
    if (this.wish && heard >= this.asked) this.tell();
  }

  draw() {
    this.mark(this.nodes, this.play);
    const at = { step: this.step + 1, count: this.tokens.length };
    const line = this.given(this.step) ? say("Step {step} of {count}: forced {token}", at) : say("Step {step} of {count}: deciding {token}", at);
    const [before, after] = line.split("{token}");
    this.line.replaceChildren(before, h("bdi", this.named(this.step)), after);
    this.slider.value = this.step + 1;
    const share = this.tokens.length > 1 ? this.step / (this.tokens.length - 1) : 1;
    set(this.slider, { style: { "--done": `${100 * share}%` }, "aria-valuetext": say("Step {step} of {count}", at) });
    for (const node of this.back) set(node, { disabled: this.step === 0 });
    for (const node of this.ahead) set(node, { disabled: this.step === this.tokens.length - 1 });
  }
}

export default function ({ data, parentElement, setStateValue }) {
  speak(data);
  const run = new Run(parentElement);
  const shown = JSON.stringify([data.tokens, data.tail, data.forced, data.forcedEnd, data.words]);
  const before = run.view;
  const kept = before?.shown === shown;
  if (before && !kept) before.adopt(0, data.version);
  if (!data.tokens.length) {
    run.view = undefined;
    run.root.replaceChildren(h("p.hint", say("The model wrote nothing: there is no step to show.")));
    return run.end;
  }
  run.view = kept ? before : new Stepper(run, data);
  const stepper = Object.assign(run.view, { shown, send: setStateValue });
  if (stepper.version !== data.version) stepper.adopt(data.step, data.version);
  stepper.answer(data.heard);
  run.on(document, "keydown", (event) => stepper.key(event, [stepper.slider, ...stepper.nodes]));
  return run.end;
}
