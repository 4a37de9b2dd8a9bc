/* A page of the menu is one step of the browser's history. Streamlit makes one for the page's bare path, and another one
   when the page says in its address what it shows: that one takes the place of the first, unless somebody has used the
   page in between. And where Back is pressed twice before the server has answered once, Streamlit makes a step for the
   late answer of the page in the middle, and Forward is lost: that step is not made. */
function oneStepForAPage() {
  const { history } = window;
  if (history.pushState.oneStep) return;
  const push = history.pushState.bind(history);
  const answers = 10_000; // milliseconds in which a server answers
  const passed = new Map(); // paths that Back and Forward led past, and until when each may be answered
  let arrived = null; // the page that was just come to
  let stepped = null; // where Back or Forward led last, and when
  for (const kind of ["pointerdown", "click", "keydown"]) {
    window.addEventListener(kind, (event) => {
      arrived = null;
      const { altKey, metaKey, key, button } = event;
      if (altKey || metaKey || key?.startsWith("Browser") || button > 2) return; // Back by a key or a side button
      stepped = null;
      passed.clear();
    }, true);
  }
  window.addEventListener("popstate", () => {
    const now = performance.now(), path = window.location.pathname;
    arrived = null;
    if (stepped && now < stepped.time + answers) passed.set(stepped.path, now + answers);
    passed.delete(path);
    stepped = { path, time: now };
  }, true);
  history.pushState = (state, title, url) => {
    const goal = new URL(url ?? "", document.baseURI);
    if (performance.now() < passed.get(goal.pathname)) return;
    if (goal.pathname !== window.location.pathname) arrived = goal.pathname;
    else if (arrived === goal.pathname && !window.location.search) {
      history.replaceState(state, title, url);
      return;
    }
    push(state, title, url);
  };
  history.pushState.oneStep = true;
}
