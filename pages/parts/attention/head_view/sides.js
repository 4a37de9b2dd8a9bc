/* The two columns of words: a list, a word a line; or, if there is no room for it, text that flows, a paragraph a turn. */

function buildSide(view, side, items) {
  const { speakers, axes } = view.data;
  const [list, item] = side === "row" ? ["listbox", "option"] : ["list", "listitem"];
  const tokens = items.map(({ text: word, special, name, speaker, detail }, index) => {
    const said = detail && text("span.detail", " ", [speakers[speaker], detail].filter(Boolean).join(": "));
    return text(`span.token${special ? ".special" : ""}`, { role: item, label: name, "data-index": index }, word, said);
  });
  const blocks = view.groups[side].map((members) => {
    const { group, speaker } = items[members[0]];
    const words = members.flatMap((index) => [items[index].joined ? "" : " ", tokens[index]]);
    if (group === null) return h("div.block", words);
    const turn = say("turn {number}", { number: group });
    const title = speakers[speaker] ? `${turn}, ${speakers[speaker]}` : turn;
    return h("div.block.turn", { style: { "--own": speakerColor(speaker) } }, h("span.tag", { title }, group), words);
  });
  const scroll = h("div.scroll", { role: list, label: axes[side === "row" ? 0 : 1], multiselectable: side === "row" ? true : null }, blocks);
  const badges = ["above", "below"].map((where) => h(`button.badge.${where}`, { hidden: "", onclick: () => view.reveal(side, where) }));
  scroll.onscroll = () => view.draw();
  const places = tokens.map((_, index) => ({ side, index }));
  reads(view, scroll, tokens.map((token, index) => [token, places[index]]));
  tokens.forEach((token, index) => { token.onkeydown = (event) => view.key(event, side, index); });
  stop(tokens, tokens[0]);
  return { frame: h(`div.side.${side}.list`, scroll, badges), scroll, tokens, blocks, badges };
}
