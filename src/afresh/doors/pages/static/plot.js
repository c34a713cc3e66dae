// Draws <figure data-plot="/plots/….json">: fetches the data and hands it to Plotly, in the page's own colours.
const colours = ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6"];
const modes = { line: "lines", points: "markers", steps: "lines", both: "lines+markers" };

let library; // loaded once, when the first plot comes into view

// Plotly writes a style sheet for its maps into the page while it loads. Our Content-Security-Policy refuses inline
// styles, rightly, and no plot here is a map: the sheet is dropped before the browser has to complain.
function loadLibrary() {
  library ??= new Promise((done, failed) => {
    const head = document.head;
    const append = head.appendChild.bind(head);
    head.appendChild = (node) => (node.tagName === "STYLE" ? node : append(node));
    const script = document.createElement("script");
    script.src = "/static/plotly.js";
    script.onload = () => {
      delete head.appendChild;
      done();
    };
    script.onerror = () => failed(new Error("the plotting library did not load"));
    append(script);
  });
  return library;
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function trace(series, place) {
  const colour = css(colours[place % colours.length]);
  const common = { name: series.name, x: series.x, y: series.y, text: series.text ?? undefined };
  if (series.low) {
    const low = series.y.map((y, i) => y - series.low[i]);
    const high = series.y.map((y, i) => series.high[i] - y);
    common.error_y = { type: "data", symmetric: false, array: high, arrayminus: low, thickness: 1, color: colour };
  }
  if (series.second) common.yaxis = "y2";
  if (series.kind === "bars") return { ...common, type: "bar", marker: { color: colour } };
  if (series.kind === "steps" && common.x.length > 1) {
    // A step lasts: the last one is drawn to its end, too.
    const [before, last] = common.x.slice(-2).map((time) => Date.parse(time));
    if (!Number.isNaN(last)) {
      common.x = [...common.x, new Date(2 * last - before).toISOString()];
      common.y = [...common.y, common.y.at(-1)];
    }
  }
  const line = { color: colour, width: 1.8, shape: series.kind === "steps" ? "hv" : "linear" };
  const marker = { color: colour, size: series.kind === "points" ? 7 : 5, symbol: series.symbol ?? "circle" };
  const mode = common.x.length === 1 ? "markers" : modes[series.kind] ?? "lines"; // a line needs two points
  return { ...common, type: "scatter", mode, line, marker };
}

// The only moment of a plot, with some room around: Plotly would show it in thousandths of a second.
function aroundOne(plot) {
  const times = new Set(plot.times ? plot.series.flatMap((series) => series.x) : []);
  if (times.size !== 1) return undefined;
  const at = Date.parse([...times][0]);
  return [-600000, 600000].map((by) => new Date(at + by).toISOString());
}

function layout(plot, width) {
  const text = css("--text"), grid = css("--line");
  const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true };
  return {
    height: plot.height ?? 280,
    margin: { l: 48, r: 16, t: 8, b: 40 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: text },
    hoverlabel: { bgcolor: css("--raised"), bordercolor: grid, font: { color: text } },
    hovermode: "closest",
    barmode: "overlay",
    bargap: 0.1,
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    showlegend: plot.series.length > 1,
    xaxis: { ...axis, title: { text: plot.x }, nticks: plot.times ? Math.max(3, Math.floor(width / 110)) : 0, range: aroundOne(plot), type: plot.times ? "date" : plot.log_x ? "log" : undefined },
    yaxis: { ...axis, title: { text: plot.y }, rangemode: plot.log_y ? "normal" : "tozero", type: plot.log_y ? "log" : undefined, fixedrange: Boolean(plot.times) },
    // Only with something against it: an axis without points draws nonsense.
    ...(plot.series.some((series) => series.second && series.x.length) && {
      yaxis2: { ...axis, overlaying: "y", side: "right", title: { text: plot.y2 ?? "" }, rangemode: "tozero", showgrid: false, fixedrange: true },
    }),
  };
}

async function draw(figure) {
  const canvas = figure.querySelector(".canvas");
  try {
    const answer = await fetch(figure.dataset.plot, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const plot = await answer.json();
    if (!plot.series.some((series) => series.x.length)) {
      canvas.textContent = plot.empty || "Nothing to show yet.";
      canvas.classList.add("empty");
      return;
    }
    await loadLibrary();
    canvas.classList.remove("empty");
    canvas.replaceChildren();
    await Plotly.newPlot(canvas, plot.series.map(trace), layout(plot, canvas.clientWidth), { responsive: true, displaylogo: false, displayModeBar: false });
    figure.dataset.drawn = "yes";
  } catch (error) {
    canvas.textContent = `The plot could not be drawn: ${error.message}`;
    canvas.classList.add("empty");
  }
}

const figures = [...document.querySelectorAll("figure[data-plot]")];
const whenSeen = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    whenSeen.unobserve(target);
    draw(target);
  }
}, { rootMargin: "200px" });
for (const figure of figures) whenSeen.observe(figure);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => figures.filter((f) => f.dataset.drawn).forEach(draw));
document.addEventListener("afresh:redraw", () => figures.forEach(draw));
