/* Two frames with a page of the app each. The frame that was used last leads: the other goes where it goes, and scrolls along. */

const LOOK_EVERY = 150; // ms between two looks at where the frames are
const TELL_AFTER = 400; // ms of rest until the server hears of it
const USED = ["pointerdown", "keydown", "wheel", "touchstart"];
const SIDES = [0, 1];

/* A frame; `place` is where it is: its page and what its address asks, in the order of names. */
class Side {
  constructor() {
    this.title = h("b");
    this.part = h("span.part");
    this.alone = h("a", { target: "_top" });
    this.frame = h("iframe");
    this.node = h("section.side", h("p.head", this.part, " ", text("span", this.title), " ", this.alone), this.frame);
    this.place = "";
    this.goal = null;
  }

  get window() {
    return this.frame.contentWindow;
  }

  get scroller() {
    return this.frame.contentDocument?.querySelector("[data-testid=stMain]");
  }

  get ready() {
    return Boolean(this.frame.contentDocument?.querySelector("[data-testid=stApp][data-test-connection-state=CONNECTED]"));
  }

  named(number, name) {
    this.title.textContent = name;
    this.part.textContent = number ? say("Right:") : say("Left:");
    this.alone.textContent = say("Open alone");
    set(this.frame, { title: number ? say("Right side: {name}", { name }) : say("Left side: {name}", { name }) });
    set(this.node, { label: number ? say("Right: {name}", { name }) : say("Left: {name}", { name }) });
  }

  /* Goes to a page; the frame's own history gets no entry, for the leading frame has one. */
  go(url) {
    this.goal = placeOf(url);
    if (!this.frame.src) {
      this.place = this.goal;
      this.frame.src = url;
    }
  }

  /* The type of a projector reaches into the frame. */
  dress() {
    const here = getComputedStyle(document.documentElement);
    const { style } = this.frame.contentDocument.documentElement;
    for (const name of ["font-size", "--least"]) style.setProperty(name, here.getPropertyValue(name));
  }

  /* Leads the app in the frame to its goal, once it listens. */
  settle() {
    if (this.goal === null || !this.ready) return;
    const goal = this.goal;
    this.goal = null;
    if (goal === placeOf(this.window.location)) return;
    this.place = goal;
    goTo(this.window, framed(goal));
  }
}

function placeOf(url) {
  const { pathname, search } = new URL(url, document.baseURI);
  const asked = new URLSearchParams(search);
  asked.delete("embed");
  asked.sort();
  return `${pathname.split("/").at(-1)}?${asked}`;
}

function urlOf(place) {
  return new URL(place.replace(/^\?/, "./?"), document.baseURI);
}

/* The address of a place inside of a frame. */
function framed(place) {
  const url = urlOf(place);
  url.searchParams.set("embed", "true");
  return url.href;
}

class Pair {
  constructor(run) {
    this.sides = SIDES.map(() => new Side());
    this.leader = this.sides[0];
    this.tell = rested(TELL_AFTER, () => this.send("moved", this.report()));
    this.sides.forEach((side) => { side.frame.onload = () => this.listen(side); });
    run.root.replaceChildren(h("div.pair", this.sides.map((side) => side.node)));
  }

  listen(side) {
    const lead = () => { this.leader = side; };
    for (const name of USED) side.frame.contentDocument.addEventListener(name, lead, { capture: true, passive: true });
    side.frame.contentDocument.addEventListener("scroll", () => this.scrolled(side), { capture: true, passive: true });
    side.window.addEventListener("popstate", (event) => { if (event.isTrusted) lead(); });
  }

  scrolled(side) {
    if (side !== this.leader) return;
    const [from, to] = [side, this.other(side)].map((each) => each.scroller);
    if (from && to) to.scrollTop = (from.scrollTop / Math.max(1, from.scrollHeight - from.clientHeight)) * (to.scrollHeight - to.clientHeight);
  }

  other(side) {
    return this.sides.find((each) => each !== side);
  }

  show(data) {
    data.sides.forEach(({ name }, number) => this.sides[number].named(number, name));
    if (data.jump !== this.jump) data.sides.forEach(({ link }, number) => this.sides[number].go(framed(link)));
    this.jump = data.jump;
    this.apart = data.apart;
    window.history.replaceState(window.history.state, "", data.own ? `?${data.own}` : window.location.pathname);
  }

  look() {
    for (const side of this.sides) {
      side.settle();
      if (!side.ready || side.goal !== null) continue;
      side.dress();
      const place = placeOf(side.window.location);
      set(side.alone, { href: urlOf(place).href });
      if (place === side.place) continue;
      side.place = place;
      if (side === this.leader) this.lead();
    }
  }

  lead() {
    const follower = this.other(this.leader);
    const [page, query] = this.leader.place.split("?");
    const asked = new URLSearchParams(query);
    const own = new URLSearchParams(follower.place.split("?")[1]);
    for (const name of this.apart) {
      asked.delete(name);
      if (own.has(name)) asked.set(name, own.get(name));
    }
    asked.sort();
    follower.go(framed(`${page}?${asked}`));
    this.tell();
  }

  report() {
    const [page, query] = this.leader.place.split("?");
    return { side: this.sides.indexOf(this.leader), page, query };
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  speak(data);
  const run = new Run(parentElement);
  run.view ??= new Pair(run);
  run.view.send = setTriggerValue;
  run.view.show(data);
  const timer = setInterval(() => run.view.look(), LOOK_EVERY);
  run.ending.signal.addEventListener("abort", () => clearInterval(timer));
  return run.end;
}
