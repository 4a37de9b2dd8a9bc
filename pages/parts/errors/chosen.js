/* The words that an error is about: chosen beside the dialogue, set by the bar of labels. A turn of -1 is the summary. */

const CHOSEN = "dialoscope:chosen"; // window holds them under this name, and this event says that they are others

const SET_ERROR = "dialoscope:error"; // asks the bar to set an error, its detail, as a key would

function chooseWords(row, words) {
  window[CHOSEN] = { row, words };
  window.dispatchEvent(new Event(CHOSEN));
}

function chosenWords(row) {
  return window[CHOSEN]?.row === row ? window[CHOSEN].words : [];
}
