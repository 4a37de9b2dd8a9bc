/* The words of a component in the language of the page, as its data brings them. */

let WORDS = {};

function speak(data) {
  WORDS = data.words ?? {};
}

/* say("{count} heads", { count: 3 }): `message` is a literal, from which its translation is found. */
function say(message, values = {}) {
  return (WORDS[message] ?? message).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
