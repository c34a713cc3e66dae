// Import by drag and drop: reads the file here and posts its text; the service finds out what it is.
// And what became of addresses that were typed in.
const form = document.getElementById("file-form");
const zone = document.getElementById("drop");
const file = document.getElementById("file");
const said = form.querySelector("output");

function showResources(place) {
  const link = document.createElement("a");
  link.href = "/resources?order=id";
  link.textContent = " Show resources";
  place.append(link);
}

async function take(chosen) {
  if (!chosen) return;
  said.className = "said";
  said.textContent = `reading ${chosen.name} …`;
  const fields = new FormData(form);
  const body = {
    text: await chosen.text(),
    name: chosen.name,
    kind: fields.get("kind") || null,
    folder: fields.get("folder"),
    tags: fields.get("tags").split(",").map((tag) => tag.trim()).filter(Boolean),
  };
  try {
    const answer = await fetch("/api/v1/resources/import", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    });
    const result = await answer.json();
    if (!answer.ok) throw new Error(result.detail ?? answer.statusText);
    const leftOut = Object.entries(result.left_out).map(([kind, count]) => `${count} ${kind}`);
    said.textContent = [
      `${chosen.name}: ${result.added} added, ${result.known} known already, ${result.refused} refused.`,
      ...(result.repeated ? [`same address as another: ${result.repeated}`] : []),
      ...(leftOut.length ? [`left out: ${leftOut.join(", ")}`] : []),
      ...result.errors,
      ...result.lost.map((words) => `not carried over: ${words}`),
    ].join("\n");
    showResources(said);
  } catch (error) {
    said.className = "said warn";
    said.textContent = `${chosen.name} was not imported: ${error.message}`;
  }
}

for (const name of ["dragenter", "dragover"]) {
  zone.addEventListener(name, (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
}
zone.addEventListener("dragleave", () => zone.classList.remove("over"));
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  zone.classList.remove("over");
  take(event.dataTransfer.files[0]);
});
file.addEventListener("change", () => take(file.files[0]));
form.addEventListener("submit", (event) => event.preventDefault());
// A drop beside the zone must not make the browser leave the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

// Addresses have a fate each: what was not taken is said, with the reason.
document.getElementById("address-form").addEventListener("afresh:done", (event) => {
  const items = event.detail.items ?? [];
  const place = event.target.querySelector("output");
  const refused = items.filter((item) => item.error);
  const fresh = items.filter((item) => item.is_new).length;
  place.className = refused.length ? "said warn" : "said";
  place.textContent = [
    `${fresh} added, ${items.length - fresh - refused.length} known already, ${refused.length} refused.`,
    ...refused.map((item) => `${item.wanted}: ${item.error}`),
  ].join("\n");
  showResources(place);
});
