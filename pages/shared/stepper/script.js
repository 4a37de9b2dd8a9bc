/* A walk through the tokens of a summary. The stepper keeps its own position: Python's counts with a new version only. */

const memory = new WeakMap(); // parentElement → Stepper
const SEND_EVERY = 80; // ms between two messages to Python
const PLAY_EVERY = 1200; // ms between two steps of Play
const ICONS = {
  first: "M6 6h2v12H6zm3.5 6 8.5 6V6z",
  back: "M15.41 7.41 14 6l-6 6 6 6 1.41-1.41L10.83 12z",
  play: "M8 5v14l11-7z",
  pause: "M6 19h4V5H6v14zm8-14v14h4V5h-4z",
  forward: "M10 6 8.59 7.41 13.17 12l-4.58 4.59L10 18l6-6z",
  last: "m6 18 8.5-6L6 6v12zM16 6v12h2V6h-2z",
};
const ROLES = ["slider", "radio", "tab", "combobox", "listbox", "grid", "option"];
const TAKES_KEYS = ["input", "textarea", "select", "[contenteditable]", ...ROLES.map((role) => `[role=${role}]`)].join();
const TAKES_SPACE = `${TAKES_KEYS}, button, summary, [role=button]`;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function button(name, label, onclick) {
  const node = element("button", name);
  node.type = "button";
  node.title = label;
  node.setAttribute("aria-label", label);
  node.append(icon(name));
  node.onclick = onclick;
  return node;
}

function legend(forced) {
  const list = element("ul", "legend");
  const entries = [["written", "written so far"], ["current", "being decided"], ["coming", "still to come"]];
  if (forced) entries.push(["forced", "forced: not the model's choice"]);
  for (const [className, meaning] of entries) {
    const item = element("li");
    const sample = element("span", `sample ${className}`, "Aa");
    sample.setAttribute("aria-hidden", "true");
    item.append(sample, meaning);
    list.append(item);
  }
  return list;
}

class Stepper {
  constructor(root, data, text) {
    this.root = root;
    this.text = text;
    this.tokens = data.tokens;
    this.forced = data.forced;
    this.step = 0;
    this.playing = false;
    this.sent = 0;
    this.build(data.tail);
  }

  build(tail) {
    const written = element("p", "text");
    written.dir = "auto";
    written.setAttribute("role", "group");
    written.setAttribute("aria-label", "The summary, one step a token");
    this.nodes = this.tokens.map((token, index) => {
      const node = element("span", token.special ? "token special" : "token", token.special || token.text);
      node.classList.toggle("forced", index < this.forced);
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", `Step ${index + 1}: ${this.named(index)}`);
      node.onclick = () => this.move(index);
      if (token.gap || token.special) written.append(token.gap || " ");
      written.append(node);
      return node;
    });
    written.append(tail);
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: 1, max: this.tokens.length, step: 1 });
    this.slider.setAttribute("aria-label", "Step");
    this.slider.oninput = () => this.move(this.slider.valueAsNumber - 1);
    this.back = ["first", "back"].map((name, index) => {
      const onclick = () => this.move(index ? this.step - 1 : 0);
      return button(name, index ? "Back" : "First step", onclick);
    });
    this.ahead = ["forward", "last"].map((name, index) => {
      const onclick = () => this.move(index ? this.tokens.length - 1 : this.step + 1);
      return button(name, index ? "Last step" : "Forward", onclick);
    });
    this.play = button("play", "Play", () => this.toggle());
    this.line = element("p", "line");
    this.line.setAttribute("aria-live", "polite");
    const buttons = element("div", "buttons");
    buttons.append(...this.back, this.play, ...this.ahead);
    const bar = element("div", "bar");
    bar.append(buttons, this.line);
    const hint = element("p", "hint", "← → step, Space plays, Home and End jump");
    this.root.replaceChildren(written, legend(this.forced), this.slider, bar, hint);
  }

  named(index) {
    const token = this.tokens[index];
    return token.special === "end" ? "the end" : `“${token.label.trim() || token.special}”`;
  }

  /* A person moved: Play stops. */
  move(step) {
    const next = Math.min(Math.max(step, 0), this.tokens.length - 1);
    if (next === this.step && !this.playing) return;
    this.go(next, false);
    this.tell();
  }

  toggle() {
    const start = !this.playing && this.step === this.tokens.length - 1 ? 0 : this.step;
    this.go(start, !this.playing);
    this.tell();
  }

  advance() {
    if (!this.root.isConnected) return;
    const next = Math.min(this.step + 1, this.tokens.length - 1);
    this.go(next, next < this.tokens.length - 1);
    this.tell();
  }

  /* Python moved: nothing is sent, and what was still to be sent is out of date. */
  adopt(step, version) {
    clearTimeout(this.message);
    this.message = undefined;
    this.version = version;
    this.go(step, false);
  }

  go(step, playing) {
    clearTimeout(this.timer);
    this.step = step;
    this.playing = playing;
    if (playing) this.timer = setTimeout(() => this.advance(), PLAY_EVERY);
    this.draw();
  }

  /* Send the position, at most once in SEND_EVERY; the last one wins. */
  tell() {
    if (this.message !== undefined) return;
    this.message = setTimeout(() => {
      this.message = undefined;
      if (!this.root.isConnected) return;
      this.sent = performance.now();
      // The time makes each message another: Streamlit drops one that equals the last, also after a jump from Python.
      this.send("at", { step: this.step, playing: this.playing, time: Date.now() });
    }, Math.max(0, this.sent + SEND_EVERY - performance.now()));
  }

  draw() {
    const focused = this.nodes.includes(this.root.getRootNode().activeElement);
    this.nodes.forEach((node, index) => {
      node.classList.toggle("coming", index > this.step);
      node.classList.toggle("current", index === this.step);
      node.tabIndex = index === this.step ? 0 : -1;
      if (index === this.step) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    });
    if (focused) this.nodes[this.step].focus();
    const place = `Step ${this.step + 1} of ${this.tokens.length}`;
    const forced = this.step < this.forced;
    const name = element("bdi", "", this.named(this.step));
    this.line.replaceChildren(`${place}: ${forced ? "forced" : "deciding"} `, name);
    this.slider.value = this.step + 1;
    const share = this.tokens.length > 1 ? this.step / (this.tokens.length - 1) : 1;
    this.slider.style.setProperty("--done", `${100 * share}%`);
    this.slider.setAttribute("aria-valuetext", place);
    for (const node of this.back) node.setAttribute("aria-disabled", String(this.step === 0));
    for (const node of this.ahead) node.setAttribute("aria-disabled", String(this.step === this.tokens.length - 1));
    const label = this.playing ? "Pause" : "Play";
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
    this.play.replaceChildren(icon(label.toLowerCase()), label);
  }

  /* The keys work from anywhere on the page where they mean nothing else. */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const space = event.key === " ";
    const path = event.composedPath();
    const own = space && (path[0] === this.slider || this.nodes.includes(path[0]));
    const taken = (node) => node instanceof Element && node.matches(space ? TAKES_SPACE : TAKES_KEYS);
    if (!own && path.some(taken)) return;
    const steps = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: this.tokens.length - 1 };
    if (event.key in steps) this.move(steps[event.key]);
    else if (space) { if (!event.repeat) this.toggle(); }
    else return;
    event.preventDefault();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  const text = JSON.stringify([data.tokens, data.tail, data.forced]);
  const before = memory.get(parentElement);
  before?.listeners.abort();
  if (!data.tokens.length) {
    before?.adopt(0, data.version);
    memory.delete(parentElement);
    root.replaceChildren(element("p", "hint", "The model wrote nothing: there is no step to show."));
    return;
  }
  const kept = before?.text === text;
  const stepper = kept ? before : new Stepper(root, data, text);
  if (before && !kept) before.adopt(0, data.version);
  memory.set(parentElement, stepper);
  stepper.send = setStateValue;
  if (stepper.version !== data.version) stepper.adopt(data.step, data.version);
  const listeners = new AbortController();
  stepper.listeners = listeners;
  document.addEventListener("keydown", (event) => stepper.key(event), { signal: listeners.signal });
  return () => listeners.abort();
}
