/* Two texts in one: what was taken out is struck through, what came in is underlined. */

const TAGS = { same: "span", removed: "del", added: "ins" };

export default function ({ data, parentElement }) {
  speak(data);
  const { root } = new Run(parentElement);
  const parts = data.changes.map(([kind, piece], position) => {
    const words = piece.trimStart();
    const replaced = kind === "added" && data.changes[position - 1]?.[0] === "removed";
    return [piece.slice(0, piece.length - words.length) || (replaced ? " " : ""), h(TAGS[kind], words)];
  });
  root.dir = "auto";
  root.replaceChildren(...parts.flat());
}
