/* A page of the menu is one step of the browser's history. Streamlit makes one for the page's bare path, and another one
   when the page says in its address what it shows: that one takes the place of the first, unless somebody has used the
   page in between. */
function oneStepForAPage() {
  const { history } = window;
  if (history.pushState.oneStep) return;
  const push = history.pushState.bind(history);
  let arrived = null; // the page that was just come to
  const used = () => { arrived = null; };
  for (const kind of ["pointerdown", "keydown", "popstate"]) window.addEventListener(kind, used, true);
  history.pushState = (state, title, url) => {
    const goal = new URL(url ?? "", document.baseURI);
    if (goal.pathname !== window.location.pathname) arrived = goal.pathname;
    else if (arrived === goal.pathname && !window.location.search) {
      history.replaceState(state, title, url);
      return;
    }
    push(state, title, url);
  };
  history.pushState.oneStep = true;
}
