/* The turns of a text and their tokens. What is pointed at shows what belongs together, a click on a chip locks it. */

const kinds = () => ({
  mark: say("special token, no text"), tag: say("a speaker's tag"), unknown: say("not in the vocabulary"), part: say("part of a character"),
});

class Chips extends Reader {
  constructor(run, data, send) {
    super({ data, send, locked: data.chosen ? data.chosen.join(" ") : null, parts: [], chips: new Map() });
    this.box = h("div.box.rows", data.turns.map((turn) => this.row(turn)));
    this.line = text("p.state", { role: "status" });
    const pairs = [...this.chips].map(([place, { node }]) => [node, place]);
    reads(this, this.box, [...pairs, ...this.parts.map((part) => [part.node, part])]);
    const strips = [...this.box.querySelectorAll(".strip")].map((strip) => [...strip.querySelectorAll(".chip")]);
    arrows(strips.filter((strip) => strip.length));
    const nodes = pairs.map(([node]) => node);
    stop(nodes, this.chips.get(this.locked)?.node ?? nodes[0]);
    redraw(run.root, this.line, this.box, this.legend());
    this.look(null); // the focus that a rerun gives back previews nothing
  }

  row(turn) {
    const segments = (list) => list.map(([piece, ...held]) => {
      const node = h("span.segment", piece);
      this.parts.push({ node, held });
      return node;
    });
    const name = turn.label.length > 0 && [h("bdi.name", segments(turn.label)), ": "];
    const before = !turn.number && h("span.nothing", turn.body.length ? [say("before the first turn:"), " "] : say("before the first turn"));
    const said = text("p.text", before, ...(name || []), segments(turn.body));
    const strips = turn.chips.map((list, line) => (turn.number > 0 || list.length > 0) && this.strip(turn, list, line));
    return h("div.row", h("span.count", turn.number || ""), h("div.content", said, strips));
  }

  /* The tokens that one tokenizer makes of a turn, each above its id. */
  strip({ number }, list, line) {
    const name = this.data.lines[line];
    const nodes = list.map(([index, word, id, kind, tip]) => {
      const place = `${line} ${index}`;
      const node = h(`span.chip.${kind}`, { role: "button", label: `${word} ${id}: ${tip}`, tip, place }, text("span.word", word), " ", h("span.id", id));
      this.chips.set(place, { node, line, index, word, id });
      return node;
    });
    const nothing = !nodes.length && h("span.nothing", say("nothing is left of this turn"));
    const label = number ? say("Turn {number}, {name}", { number, name }) : say("Before the first turn, {name}", { name });
    return h("div.strip", { role: "group", label }, h("span.line", name), h("div.chips", nodes, nothing));
  }

  legend() {
    const used = new Set(this.data.turns.flatMap((turn) => turn.chips.flat().map(([, , , kind]) => kind)));
    const sample = (kind, word, meaning) => h("span.entry", h(`span.chip.sample.${kind}`, word), meaning);
    const samples = Object.entries(kinds()).filter(([kind]) => used.has(kind)).map(([kind, meaning]) => sample(kind, "a", meaning));
    return h("div.legend", sample("", "·a", say("token (· is a blank), its id below")), samples);
  }

  lock(place) {
    if (this.chips.has(place)) super.lock(place);
  }

  hold(locked) {
    super.hold(locked);
    const [line, index] = locked ? locked.split(" ").map(Number) : [-1, -1];
    this.send("pick", { line, index });
  }

  /* Marks the segments of a chip, and the chips that share one of them. */
  draw() {
    const { preview, locked, parts, chips } = this;
    const segment = preview?.node ? preview : null;
    const own = segment ? null : chips.get(preview ?? locked);
    const segments = new Set(segment ? [segment] : parts.filter(({ held }) => own && held[own.line].includes(own.index)));
    const shared = new Set(own && [`${own.line} ${own.index}`]);
    for (const { held } of segments) held.forEach((list, line) => list.forEach((index) => shared.add(`${line} ${index}`)));
    for (const part of parts) part.node.classList.toggle("marked", segments.has(part));
    for (const [place, { node }] of chips) {
      node.classList.toggle("marked", shared.has(place));
      node.classList.toggle("locked", place === locked);
      set(node, { pressed: place === locked });
    }
    const held = chips.get(locked);
    this.line.textContent = held
      ? [say("Locked: “{word}”, id {id}.", held), RELEASE].join(" ")
      : say("Point at a token or a word to see what belongs together; click a token to lock it.");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  run.view = new Chips(run, data, setTriggerValue);
  releases(run, run.view, ", .segment");
  tips(run);
  return run.end;
}
