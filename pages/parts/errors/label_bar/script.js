/* Walks through summaries and labels them. What was pressed is sent again and again until Python says that it was done. */

const MOST = 200; // actions that may wait to be heard
const KEYS = { arrowright: "next", j: "next", arrowleft: "back", k: "back", u: "open", n: "correct", z: "undo", w: "write" };
const MOVES = ["next", "back", "open"];
const ENDS = { "arrowright": TAKES_KEYS, "arrowleft": TAKES_KEYS };
const NO_TEXT = ["checkbox", "radio", "range", "button"].map((type) => `:not([type=${type}])`).join("");
const TYPED = `input${NO_TEXT}, textarea, select, [contenteditable], [role=dialog], [role=listbox], [role=menu]`;
const NOTE = "[class*='st-key-note_'] input";
const PROJECTOR = ".st-key-projector_keys"; // where it is, digits and N lead through views and pages

class Bar {
  constructor() {
    Object.assign(this, { mount: Date.now(), count: 0, waiting: [], moved: false });
  }

  hear({ mount, number }) {
    if (mount === this.mount) this.waiting = this.waiting.filter((act) => act.number > number);
  }

  /* A label is for the row that is seen, or for the one that a move before it leads to. */
  act(what, tag = "") {
    if (this.waiting.length >= MOST) return;
    const moving = this.waiting.some((act) => MOVES.includes(act.what));
    this.count += 1;
    const words = what === "tag" && !moving ? chosenWords(this.data.row) : [];
    this.waiting.push({ number: this.count, what, tag, row: moving ? "" : this.data.row, words });
    this.moved ||= MOVES.includes(what);
    this.send("acts", { mount: this.mount, list: this.waiting });
    if (words.length) chooseWords(this.data.row, []);
    this.draw();
  }

  /* What waits counts as done already, as long as it is about the row that is seen. */
  pressed(what, tag, before) {
    const own = this.waiting.filter((act) => act.what === what && act.tag === tag && act.row === this.data.row);
    if (own.some((act) => act.words.length)) return true;
    return own.length % 2 ? !before : before;
  }

  press(event) {
    const key = event.key.toLowerCase();
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    const what = digit === undefined ? KEYS[key] : "tag";
    if (["tag", "correct"].includes(what) && document.querySelector(PROJECTOR)) return;
    if (!what || !isPlain(event) || isTaken(event, ENDS[key] ?? TYPED)) return;
    const tag = this.data.tags[(Number(digit) + 9) % 10];
    event.preventDefault();
    if (what === "write") document.querySelector(NOTE)?.focus();
    else if (!event.repeat || MOVES.includes(what)) this.act(what, digit === undefined ? "" : tag.id);
  }

  tool(name, key, what, tag = "", pressed = null, disabled = false) {
    const attributes = { place: `${what}.${tag}`, pressed, onclick: () => this.act(what, tag), disabled: disabled || null };
    return h(`button.${what}`, attributes, h("kbd", { "aria-hidden": true }, key), name);
  }

  draw() {
    const { data } = this;
    const none = !data.row;
    const shown = counted(data.shown);
    const place = data.number ? say("Summary {number} of {count}", { number: counted(data.number), count: shown }) : say("{count} shown", { count: shown });
    const words = chosenWords(data.row).map((each) => `“${each.text}”`).join(" · ");
    const judged = say("{count} of {all} judged", { count: counted(data.judged), all: counted(data.all) });
    redraw(
      this.root,
      h("div.walk",
        h("div.ways", this.tool(say("Previous"), "←", "back"), this.tool(say("Next"), "→", "next"), this.tool(say("Next unjudged"), "U", "open"),
          this.tool(say("Undo"), "Z", "undo", "", null, !data.undo && !this.waiting.length)),
        h("p.line", `${place} · ${judged}`),
      ),
      h("div.errors", { role: "group", label: say("Errors of the opened summary") },
        data.tags.map(({ id, name, on }, index) => this.tool(name, (index + 1) % 10, "tag", id, this.pressed("tag", id, on), none)),
        this.tool(say("No error"), "N", "correct", "", this.pressed("correct", "", data.correct), none)),
      h("div.below",
        h("p.hint", say("The keys work wherever you do not type; J and K walk, too. W writes a note, Esc leaves it.")),
        h("p.said", { live: "polite" }, words ? say("An error is set for {words}", { words }) : data.done)),
    );
  }
}

export default function ({ data, parentElement, setStateValue }) {
  speak(data);
  const run = new Run(parentElement);
  const bar = (run.view ??= new Bar());
  const another = bar.data && bar.data.row !== data.row; // not where a link leads
  Object.assign(bar, { root: run.root, data, send: setStateValue });
  bar.hear(data.heard);
  bar.draw();
  if (another) {
    if (bar.moved) show(run.root); // where keys lead, the bar and what is below it are seen
    else window[CLICKED] = data.row;
  }
  run.on(window, "pointerdown", () => { bar.moved = false; }, true);
  run.on(window, CHOSEN, () => bar.draw());
  run.on(window, SET_ERROR, ({ detail }) => bar.act("tag", detail));
  run.on(document, "keydown", (event) => {
    if (event.key === "Escape" && document.activeElement?.matches(NOTE)) document.activeElement.blur();
    else bar.press(event);
  });
  return run.end;
}
