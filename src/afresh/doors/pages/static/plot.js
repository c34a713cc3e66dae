// Draws <figure data-plot="/plots/….json">: fetches the data and hands it to Chart.js, in the page's own colours.
const colours = ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6", "--plot-7"];
// Series that share a colour differ in these: a colour comes again after seven.
const markers = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

let library; // loaded once, when the first plot comes into view

function loadLibrary() {
  library ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "/static/chart.js";
    script.onload = done;
    script.onerror = () => failed(new Error("the plotting library did not load"));
    document.head.append(script);
  });
  return library;
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const moment = (plot, x) => (plot.times ? Date.parse(x) : x);

// A step lasts: the last one is drawn to its end, too.
function lasting(points) {
  if (points.length < 2) return points;
  const [before, last] = points.slice(-2);
  return [...points, { ...last, x: 2 * last.x - before.x }];
}

function dataset(plot, series, place) {
  const colour = css(colours[place % colours.length]);
  const turn = Math.floor(place / colours.length);
  const points = series.x.map((x, i) => ({
    x: moment(plot, x), y: series.y[i], text: series.text?.[i], low: series.low?.[i], high: series.high?.[i],
  }));
  const common = { label: series.name, borderColor: colour, backgroundColor: colour, yAxisID: series.second ? "y2" : "y" };
  if (series.kind === "bars") return { ...common, type: "bar", data: points, order: 1 };
  const isSteps = series.kind === "steps" && plot.times;
  const isDotted = series.kind === "points" || series.kind === "both" || points.length === 1; // a line needs two points
  const gaps = points.some((point) => point.y === null);
  return {
    ...common,
    type: "line",
    data: isSteps ? lasting(points) : points,
    stepped: isSteps,
    showLine: series.kind !== "points",
    borderWidth: 1.8,
    borderDash: dashes[turn % dashes.length],
    pointStyle: markers[turn % markers.length],
    named: series.kind === "points" && points.length === 1 && plot.series.length > 1,
    pointRadius: isDotted ? (series.kind === "points" ? 3.5 : 2.5) : gaps ? 1.5 : 0,
    pointHitRadius: 8,
  };
}

// Intervals around the points, as thin bars.
const intervals = {
  id: "intervals",
  afterDatasetsDraw(chart) {
    chart.data.datasets.forEach((set, place) => {
      const meta = chart.getDatasetMeta(place);
      if (meta.hidden) return;
      const pen = chart.ctx;
      pen.strokeStyle = set.borderColor;
      pen.lineWidth = 1;
      set.data.forEach((point, i) => {
        if (point.low == null) return;
        const { x } = meta.data[i];
        pen.beginPath();
        pen.moveTo(x, meta.yScale.getPixelForValue(point.low));
        pen.lineTo(x, meta.yScale.getPixelForValue(point.high));
        pen.stroke();
      });
    });
  },
};

// A series that is a single point is named beside it: a legend of fifteen colours is a riddle.
const pointNames = {
  id: "pointNames",
  afterDatasetsDraw(chart) {
    const pen = chart.ctx;
    pen.save();
    pen.font = `11px ${Chart.defaults.font.family}`;
    pen.fillStyle = css("--text");
    chart.data.datasets.forEach((set, place) => {
      const meta = chart.getDatasetMeta(place);
      if (meta.hidden || !set.named) return;
      const { x, y } = meta.data[0];
      const isRight = x + 8 + pen.measureText(set.label).width > chart.chartArea.right;
      pen.textAlign = isRight ? "right" : "left";
      pen.fillText(set.label, x + (isRight ? -6 : 6), y - 5);
    });
    pen.restore();
  },
};

// What was never observed is shaded: a forecast there is what feeds in general do.
const unknowns = {
  id: "unknowns",
  beforeDatasetsDraw(chart, _, { plot }) {
    const { ctx: pen, chartArea: area, scales: { x } } = chart;
    pen.save();
    pen.fillStyle = css("--calm-back");
    for (const [from, to] of plot?.unknown ?? []) {
      const [left, right] = [from, to].map((edge) => Math.min(area.right, Math.max(area.left, x.getPixelForValue(moment(plot, edge)))));
      pen.fillRect(left, area.top, right - left, area.bottom - area.top);
    }
    pen.restore();
  },
};

// A week in UTC as the reader's own week: the hours move, those over the end begin it.
function inOwnZone(plot) {
  const offset = Math.round(-new Date().getTimezoneOffset() / 60);
  if (!plot.weekly || plot.series.length !== 7) return plot;
  const week = plot.series.flatMap((series) => series.y);
  const moved = week.map((_, hour) => week[(hour - offset + 168) % 168]);
  const series = plot.series.map((one, day) => ({ ...one, y: moved.slice(24 * day, 24 * day + 24) }));
  const middle = (from, to) => (((from + to) / 2 + offset + 24) % 24);
  const unknown = plot.unknown.map(([from, to]) => [middle(from, to) - 0.5, middle(from, to) + 0.5]);
  return { ...plot, series, unknown, x: "hour of the day" };
}

// The only moment of a plot, with some room around: the axis would show it in thousandths of a second.
function aroundOne(plot) {
  const times = new Set(plot.times ? plot.series.flatMap((series) => series.x) : []);
  if (times.size !== 1) return {};
  const at = Date.parse([...times][0]);
  return { min: at - 600000, max: at + 600000 };
}

function horizontal(plot, axis) {
  const isNumber = plot.series.every((series) => series.x.every((x) => typeof x === "number"));
  const isBars = plot.series.some((series) => series.kind === "bars");
  const type = plot.times ? "time" : plot.log_x ? "logarithmic" : isNumber ? "linear" : "category";
  // The reader's own time of day; the data beside the picture stay in UTC.
  const title = plot.times ? plot.x.replace(" (UTC)", "") : plot.x;
  const time = { minUnit: "second", tooltipFormat: "yyyy-MM-dd HH:mm:ss", displayFormats: { hour: "HH:mm", minute: "HH:mm", second: "HH:mm:ss", day: "MMM d" } };
  return { ...axis, ...aroundOne(plot), type, time, title: { display: true, text: title }, bounds: isBars ? "ticks" : "data", ticks: { ...axis.ticks, maxRotation: plot.times ? 0 : 40, autoSkip: type !== "category", autoSkipPadding: 16 } };
}

function scales(plot) {
  const axis = { grid: { color: css("--line") }, ticks: { color: css("--text") } };
  const upright = { ...axis, beginAtZero: !plot.log_y, type: plot.log_y ? "logarithmic" : "linear" };
  // Only with something against it: an axis without points shows nonsense.
  const hasSecond = plot.series.some((series) => series.second && series.x.length);
  return {
    x: horizontal(plot, axis),
    y: { ...upright, ...(hasSecond && { stack: "both", stackWeight: 1, offset: true }), title: { display: true, text: plot.y } },
    // A second measure has its own half, below or above: two scales over each other are read wrongly.
    ...(hasSecond && { y2: { ...upright, stack: "both", stackWeight: 1, offset: true, title: { display: true, text: plot.y2 ?? "" } } }),
  };
}

function options(plot) {
  const shown = (item) => [`${item.dataset.label}: ${item.formattedValue}`, ...(item.raw.text ? [item.raw.text] : [])];
  return {
    maintainAspectRatio: false,
    animation: stillness.matches ? false : { duration: 200 },
    color: css("--text"),
    interaction: { mode: "nearest", intersect: true },
    scales: scales(plot),
    plugins: {
      legend: { display: plot.series.length > 1, align: "start", labels: { boxWidth: 12, boxHeight: 8, usePointStyle: plot.series.length > colours.length } },
      tooltip: { callbacks: { label: shown } },
      unknowns: { plot },
    },
  };
}

async function draw(figure) {
  const place = figure.querySelector(".canvas");
  try {
    const answer = await fetch(figure.dataset.plot, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const plot = inOwnZone(await answer.json());
    const series = plot.series.filter((one) => one.x.length);
    if (!series.length) {
      place.textContent = plot.empty || "Nothing to show yet.";
      place.classList.add("empty");
      return;
    }
    await loadLibrary();
    Chart.getChart(place.querySelector("canvas"))?.destroy();
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", figure.getAttribute("aria-label"));
    place.classList.remove("empty");
    place.style.height = `${plot.height ?? 280}px`;
    place.replaceChildren(canvas);
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const datasets = plot.series.map((one, i) => [one, i]).filter(([one]) => one.x.length).map(([one, i]) => dataset(plot, one, i));
    new Chart(canvas, { data: { datasets }, options: options(plot), plugins: [intervals, pointNames, unknowns] });
    const note = figure.querySelector("[data-unknown]");
    if (note) note.hidden = !plot.unknown?.length;
    const title = figure.querySelector("figcaption b");
    if (title && plot.title) title.textContent = plot.title;
    figure.dataset.drawn = "yes";
  } catch (error) {
    place.textContent = `The plot could not be drawn: ${error.message}`;
    place.classList.add("empty");
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
