/* What the bar of labels and the opened summary tell each other: the row that a click opened, and the words that an error
   is about, chosen beside the dialogue and set by the bar. A turn of -1 is the summary. */

const CHOSEN = "dialoscope:chosen"; // window holds them under this name, and this event says that they are others

const SET_ERROR = "dialoscope:error"; // asks the bar to set an error, its detail, as a key would

const CLICKED = "dialoscope:clicked"; // the row that a click opened: window holds it until its summary is on the screen

function show(root) {
  const { top } = root.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) root.scrollIntoView({ block: "start" });
}

function chooseWords(row, words) {
  window[CHOSEN] = { row, words };
  window.dispatchEvent(new Event(CHOSEN));
}

function chosenWords(row) {
  return window[CHOSEN]?.row === row ? window[CHOSEN].words : [];
}
