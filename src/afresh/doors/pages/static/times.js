// Times in the reader's own zone: the server writes UTC, which stays where no script runs.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (number) => String(number).padStart(2, "0");
const day = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const clock = (at) => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

// The time of day, with the date if that is not today's; "now" is the server's, for a reader's clock may be wrong.
function shown(at, now, full) {
  if (full) return `${day(at)} ${clock(at)}`;
  return day(at) === day(now) ? clock(at) : `${day(at)} ${clock(at).slice(0, 5)}`;
}

export function localise(root = document) {
  const known = document.getElementById("live")?.dataset.now;
  const now = known ? new Date(known) : new Date();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if (time.title) time.title = `${day(at)} ${clock(at)} (${zone}), ${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
    if (time.dataset.clock !== undefined) time.textContent = shown(at, now, time.dataset.clock === "full");
  }
}

localise();
for (const place of document.querySelectorAll("[data-zone]")) place.textContent = `Times are in your zone (${zone}).`;
