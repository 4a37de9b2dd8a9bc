/* A click of the keyboard on the button of a box: the focus goes into the box, and back when Escape closes it. The
   browser learns which language the page speaks, Back leads to the page before, the chosen view is on the screen of a
   phone, and the page is drawn again when light turns dark: the texts of its charts have the colour of their theme. */

const OPENER = "[data-testid='stPopover'] button";
const BOX = "[data-testid='stPopoverBody']";
const CHOSEN = ".st-key-page_views button[data-selected]";
const PATIENCE = 60; // frames in which a box appears or goes

/* Calls `act` with what `find` returns as soon as that is something, unless it takes too long. */
function soon(find, act, frames = PATIENCE) {
  const found = find();
  if (found) act(found);
  else if (frames) requestAnimationFrame(() => soon(find, act, frames - 1));
}

/* Asks for the page again whenever its theme, "light" or "dark", is another one than that which it was drawn for. */
function followTheme(drawn, setTriggerValue) {
  const app = document.querySelector(".stApp");
  let asked = drawn;
  const look = () => {
    const theme = getComputedStyle(app).colorScheme;
    if (theme === asked) return;
    asked = theme;
    setTriggerValue("theme", theme);
  };
  const observer = new MutationObserver(look);
  observer.observe(app, { attributeFilter: ["class"] });
  look(); // it may have changed while the page was drawn
  return observer;
}

export default function ({ data, setTriggerValue }) {
  document.documentElement.lang = data.language;
  oneStepForAPage();
  const ending = new AbortController();
  soon(() => document.querySelector(CHOSEN), (view) => view.scrollIntoView({ block: "nearest", inline: "center" }));
  let opener = null;
  const clicked = (event) => {
    const button = event.detail === 0 && event.target.closest?.(OPENER); // a mouse counts its clicks
    if (!button || button.getAttribute("aria-expanded") === "true") return;
    soon(() => document.querySelector(BOX), (box) => {
      opener = button;
      box.tabIndex = -1;
      box.focus();
    });
  };
  const pressed = (event) => {
    if (event.key !== "Escape" || !opener || !document.querySelector(BOX)?.contains(document.activeElement)) return;
    const button = opener;
    soon(() => !document.querySelector(BOX), () => button.isConnected && button.focus());
  };
  document.addEventListener("click", clicked, { capture: true, signal: ending.signal });
  document.addEventListener("keydown", pressed, { capture: true, signal: ending.signal });
  const observer = followTheme(data.theme, setTriggerValue);
  return () => {
    ending.abort();
    observer.disconnect();
  };
}
