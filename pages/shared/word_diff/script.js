/* Two texts in one: what was taken out is struck through, what came in is underlined. */

const TAGS = { same: "span", removed: "del", added: "ins" };

export default function ({ data, parentElement }) {
  const parts = data.changes.map(([kind, text], position) => {
    const node = document.createElement(TAGS[kind]);
    const words = text.trimStart();
    node.textContent = words;
    const replaced = kind === "added" && data.changes[position - 1]?.[0] === "removed";
    return [text.slice(0, text.length - words.length) || (replaced ? " " : ""), node];
  });
  const root = parentElement.querySelector(".root");
  root.dir = "auto";
  root.replaceChildren(...parts.flat());
}
