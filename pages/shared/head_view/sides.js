/* The two columns of words: a list, or text that flows. */

/* A list, a word a line; or, if it is long, text that flows, a paragraph a turn. */
function buildSide(view, side, items) {
  const frame = element("div", `side ${side} ${flows(items) ? "flow" : "list"}`);
  const scroll = element("div", "scroll");
  scroll.setAttribute("role", side === "row" ? "listbox" : "list");
  scroll.setAttribute("aria-label", view.data.direction[side === "row" ? 0 : 1]);
  if (side === "row") scroll.setAttribute("aria-multiselectable", "true");
  const tokens = [];
  const blocks = view.groups[side].map((members) => {
    const { group, speaker } = items[members[0]];
    const block = element("div", group === null ? "block" : "block turn");
    if (group !== null) {
      const name = view.data.speakers[speaker];
      const tag = element("span", "tag", String(group));
      tag.title = name ? `turn ${group}, ${name}` : `turn ${group}`;
      block.style.setProperty("--own", view.speakerColor(speaker));
      block.append(tag);
    }
    for (const index of members) {
      const token = buildToken(view, side, items[index], index);
      tokens.push(token);
      block.append(items[index].joined ? "" : " ", token);
    }
    scroll.append(block);
    return block;
  });
  const badges = ["above", "below"].map((where) => {
    const badge = button(`badge ${where}`, "", () => view.reveal(side, where));
    badge.hidden = true;
    return badge;
  });
  frame.append(scroll, ...badges);
  scroll.onscroll = () => view.ask();
  scroll.onpointerover = (event) => { if (event.pointerType !== "touch") view.look(side, event.target.closest?.(".token")); };
  scroll.onpointerleave = (event) => { if (event.pointerType !== "touch") view.look(side, null); };
  return { frame, scroll, tokens, blocks, badges };
}

function flows(items) {
  return items.length > LISTED && items.some((item) => item.group !== null);
}

function buildToken(view, side, item, index) {
  const token = element("span", item.special ? "token special" : "token", item.text);
  token.dir = "auto";
  token.dataset.index = index;
  token.tabIndex = index ? -1 : 0;
  token.setAttribute("role", side === "row" ? "option" : "listitem");
  token.setAttribute("aria-label", item.name);
  token.onfocus = () => { if (token.matches(":focus-visible")) view.look(side, token); };
  token.onblur = () => view.look(side, null);
  token.onkeydown = (event) => view.key(event, side, index);
  token.onclick = (event) => {
    if (side === "row") view.lock(clicked(view.locked, index, event.shiftKey));
    else view.look(side, token); // a finger has no hover
  };
  return token;
}
