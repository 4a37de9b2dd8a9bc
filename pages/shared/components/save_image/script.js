/* Saves a chart of the page as a picture. Plotly is no global here: the chart's own download button does the work,
   after it was told the format and the name, the ground of the theme (the chart itself is transparent), and a font
   that every computer has (a picture cannot load the page's own). */

const formats = () => ({ svg: [say("SVG picture"), 1], png: [say("PNG picture"), 2] });
const LEAST_WIDTH = 1000; // of the saved picture, in pixels, on a phone too

function save(chart, button, format, scale, filename, ground) {
  const { layout } = chart;
  const { paper_bgcolor, font } = layout;
  const width = Math.max(chart.clientWidth, LEAST_WIDTH);
  chart._context.toImageButtonOptions = { format, filename, scale, width };
  layout.paper_bgcolor = ground; // both are read at once by the click, then put back: the chart is not drawn anew
  layout.font = { ...font, family: "Arial, Helvetica, sans-serif" };
  try {
    button.click();
  } finally {
    Object.assign(layout, { paper_bgcolor, font });
  }
}

export default function ({ data, parentElement }) {
  speak(data);
  const root = parentElement.querySelector(".root");
  const node = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  const status = node("p", { className: "status", role: "status" });
  const ask = (format, scale) => {
    const chart = document.querySelector(`.st-key-${CSS.escape(data.chart)} .js-plotly-plot`);
    const button = chart?.querySelector(".modebar-btn[data-title^='Download plot']");
    status.textContent = button ? "" : say("The picture is not drawn yet. Try again in a moment.");
    const ground = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
    if (button) save(chart, button, format, scale, data.name, ground);
  };
  const buttons = Object.entries(formats()).map(([format, [label, scale]]) => node("button", { type: "button", textContent: label, onclick: () => ask(format, scale) }));
  root.replaceChildren(...buttons, status);
}
