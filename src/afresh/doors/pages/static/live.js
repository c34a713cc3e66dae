// Keeps a page current: relative times tick every second, the live part is fetched again every few seconds.
import { localise } from "./times.js";

const live = document.getElementById("live");
const PAUSE_MS = Number(live.dataset.pause) || 4000; // what lasts seconds only is looked at more often
const parts = [...document.querySelectorAll("[data-live]")]; // each with an id; what lies between them stays
const button = document.getElementById("pause");
let paused = false;
let offset = 0; // server's clock minus ours

function setClock() {
  const now = Date.parse(live.dataset.now);
  offset = Number.isNaN(now) ? 0 : now - Date.now();
}

function inWords(seconds) {
  const [d, h, m, s] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  if (d) return h ? `${d}d${h}h` : `${d}d`;
  if (h) return m ? `${h}h${m}m` : `${h}h`;
  if (m) return s ? `${m}m${s}s` : `${m}m`;
  return `${s}s`;
}

function tick() {
  const now = Date.now() + offset;
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const distance = (Date.parse(time.dateTime) - now) / 1000;
    const words = inWords(Math.abs(distance));
    const past = time.dataset.relative === "coming" ? `due for ${words}` : `${words} ago`; // a late visit still comes
    const text = Math.abs(distance) < 1 ? "now" : distance > 0 ? `in ${words}` : past;
    if (time.textContent !== text) time.textContent = text;
  }
}

// Nothing moves under a reader's hands: not while text is selected or something inside has the focus.
function isInUse() {
  const selection = document.getSelection();
  return paused || document.hidden || parts.some((part) => part.contains(document.activeElement)) || (selection && !selection.isCollapsed);
}

// A part with a key stays as its reader left it until it is about something else.
function renew(part, fresh) {
  if (part.dataset.key && part.dataset.key === fresh?.dataset.key) return;
  const folded = new Map([...part.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
  part.replaceChildren(...(fresh?.childNodes ?? []));
  for (const one of part.querySelectorAll("details[id]")) one.open = folded.get(one.id) ?? one.open;
  if (fresh?.dataset.key) part.dataset.key = fresh.dataset.key;
}

async function refresh() {
  let pause = PAUSE_MS;
  if (!isInUse()) {
    const started = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (fresh && !isInUse()) {
        if ("reload" in fresh.dataset) return void location.reload(); // there is more than these parts now
        for (const part of parts) renew(part, page.getElementById(part.id));
        live.dataset.now = fresh.dataset.now;
        setClock();
        localise();
        tick();
        if ("over" in fresh.dataset) return; // nothing more will come
      }
      live.classList.remove("stale");
    } catch {
      live.classList.add("stale");
    }
    // A slow answer means a busy or large server: ask it at most a tenth of the time.
    pause = Math.max(PAUSE_MS, 10 * (performance.now() - started));
  }
  setTimeout(refresh, pause);
}

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? "Resume updates" : "Pause updates";
  });
}
setClock();
setInterval(tick, 1000);
setTimeout(refresh, PAUSE_MS);
