/* The browser's own question before the tab is closed or reloaded. It stays on the other pages of the app, so nothing
   is taken away when this component goes; the listener is added once a document. */

const UNSAVED = "dialoscopeUnsaved"; // of window: each mounting may run this file anew

function ask(event) {
  if (window[UNSAVED]) event.preventDefault();
}

export default function ({ data }) {
  speak(data);
  if (window[UNSAVED] === undefined) window.addEventListener("beforeunload", ask);
  window[UNSAVED] = data.unsaved;
}
