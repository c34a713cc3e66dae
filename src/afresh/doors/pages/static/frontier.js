// What became of the URLs that were added: how many are new, and why others were refused. The picture is drawn anew now and then.
const form = document.getElementById("seeds");

function words(answer) {
  const lines = [`${answer.urls} new, ${answer.known} known before, ${answer.refused} refused`];
  if (answer.revived) lines.push(`${answer.revived} of the known ones had been given up, or refused by a fetcher: they are tried again`);
  if (answer.backlog) lines.push(`${answer.backlog} of the new ones wait: their site is over its budget`);
  for (const refusal of answer.refusals ?? []) lines.push(`refused: ${refusal.url}: ${refusal.why}`);
  if (answer.refused > (answer.refusals ?? []).length) lines.push("…");
  return lines.join("\n");
}

form?.addEventListener("afresh:done", (event) => {
  const place = form.querySelector("output");
  place.textContent = words(event.detail);
  place.className = event.detail.refused ? "said warn" : "said";
});
setInterval(() => document.hidden || document.dispatchEvent(new CustomEvent("afresh:redraw")), 15000);
