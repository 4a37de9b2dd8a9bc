/* The bar of a class that follows. It hears from the server that the presenter has gone on, and leads the app there as
   the browser's Back and Forward do: one entry of the history, which each new scene replaces. */

const STORE = "dialoscope-class";
const REST = 400; // ms between two scenes: of quick changes only the last counts
const PATIENCE = 5_000; // ms after which a stream that was refused is asked for again
const ENDS = ["input", "textarea", "select", "[contenteditable]", ...["dialog", "listbox", "menu", "combobox"].map((role) => `[role=${role}]`)].join();

/* A presenter's code and key, for a page that is loaded again in the same tab. */
function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) && found.length === 2 && found.every((part) => typeof part === "string") ? found : [];
  } catch {
    return []; // not JSON, or a browser that stores nothing
  }
}

function keep(pair) {
  try {
    if (pair.length) sessionStorage.setItem(STORE, JSON.stringify(pair));
    else sessionStorage.removeItem(STORE);
  } catch {
    // who loads the page again then begins anew
  }
}

function follow(count) {
  if (!count) return say("nobody follows");
  return count === 1 ? say("1 follows") : say("{count} follow", { count });
}

class Bar {
  constructor(root) {
    this.said = h("p.said", { role: "status" });
    this.count = h("p.count");
    this.buttons = h("div.buttons");
    root.replaceChildren(h("div.bar", h("span.dot", { "aria-hidden": true }), this.said, this.count, this.buttons));
    this.root = root;
  }

  update(data, send) {
    Object.assign(this, { data, send });
    const stream = data.role && `${data.stream}?${new URLSearchParams({ code: data.code, who: data.who })}`;
    if (stream !== this.stream) this.listen(stream);
    this.draw();
  }

  listen(stream) {
    this.close();
    if (stream !== this.stream) Object.assign(this, { stream, led: 0, hears: true, news: null });
    if (!stream) return;
    this.source = new EventSource(stream);
    this.source.onopen = () => { this.led = 0; }; // where the app has missed a scene, it is led there again
    this.source.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.source.onerror = () => this.missed();
  }

  /* A stream that ends is opened again by the browser; of one that is refused the app knows why. */
  missed() {
    clearTimeout(this.timer);
    if (this.source.readyState !== EventSource.CLOSED) {
      this.timer = setTimeout(() => this.silent(), PATIENCE);
      return;
    }
    this.silent();
    this.refused();
  }

  refused() {
    this.source.close();
    this.send("act", "lost");
    this.timer = setTimeout(() => this.listen(this.stream), PATIENCE);
  }

  silent() {
    this.hears = false;
    this.draw();
  }

  hear(news) {
    clearTimeout(this.timer);
    if (news.over) {
      this.refused();
      return;
    }
    Object.assign(this, { hears: true, news });
    this.draw();
    this.lead();
  }

  /* Goes to the newest scene, once the last one has had a moment. */
  lead() {
    const { data, news } = this;
    if (data.role !== "follower" || data.alone || !news || news.version <= Math.max(this.led, data.version)) return;
    const wait = (this.last ?? -Infinity) + REST - performance.now();
    clearTimeout(this.waiting);
    if (wait > 0) {
      this.waiting = setTimeout(() => this.lead(), wait);
      return;
    }
    this.last = performance.now();
    this.led = news.version;
    goTo(window, `${data.root}${news.path}?${new URLSearchParams({ follow: data.code, now: news.version })}`);
  }

  close() {
    this.source?.close();
    clearTimeout(this.timer);
    clearTimeout(this.waiting);
  }

  draw() {
    const { data } = this;
    const state = data.over ? "over" : data.alone ? "alone" : data.role;
    const shown = !this.hears && data.role ? "silent" : state;
    const says = {
      presenter: say("You present. Code {code}", { code: data.spaced }),
      follower: say("You follow the class {code}.", { code: data.spaced }),
      alone: say("You explore alone."),
      silent: say("The connection to the class is lost; trying again."),
      over: data.over,
    }[shown];
    this.root.classList.toggle("none", !state);
    this.root.dataset.state = shown ?? "";
    if (this.said.textContent !== (says ?? "")) this.said.textContent = says ?? "";
    this.count.textContent = data.role === "presenter" && this.news ? follow(this.news.followers) : "";
    if (this.drawn !== state || this.spoken !== say("Leave")) this.offer(state);
    Object.assign(this, { drawn: state, spoken: say("Leave") });
  }

  offer(state) {
    const offered = {
      presenter: [[say("Show the code"), "show"], [say("End"), "end"]],
      follower: [[say("Explore alone"), "explore"], [say("Leave"), "leave"]],
      alone: [[say("Back to the presenter"), "back"], [say("Leave"), "leave"]],
      over: [[say("Close"), "close"]],
    }[state] ?? [];
    const focused = this.buttons.contains(this.root.getRootNode().activeElement);
    const first = state === "alone" ? ".first" : "";
    this.buttons.replaceChildren(...offered.map(([label, act], place) => h(`button${place ? "" : first}`, { onclick: () => this.send("act", act) }, label)));
    if (focused) this.buttons.firstChild?.focus();
  }

  /* Esc lets go, unless what has the focus uses it: something that is locked, a box, an open list. */
  press(event) {
    const { data } = this;
    if (event.key !== "Escape" || data.role !== "follower" || data.alone || !isPlain(event) || isTaken(event, ENDS)) return;
    const [target] = event.composedPath();
    if (target === document.body || event.composedPath().includes(this.root)) this.send("act", "explore");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  const bar = (run.view ??= new Bar(run.root));
  if (data.role === "presenter") keep([data.code, data.who]);
  else if (data.role || data.over || bar.was === "presenter") keep([]);
  else if (!bar.asked && kept().length) setTriggerValue("resume", kept());
  Object.assign(bar, { asked: true, was: data.role });
  bar.update(data, setTriggerValue);
  run.on(document, "keydown", (event) => bar.press(event));
  return () => {
    run.end();
    bar.close();
  };
}
