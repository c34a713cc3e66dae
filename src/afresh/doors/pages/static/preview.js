// What a statement would take, while it is typed: <textarea data-preview="id of the place where it is shown">.
const PAUSE_MS = 400; // nobody is asked at every key

let asked; // the question under way; a newer one ends it

function part(tag, text, kind) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function list(entries) {
  const items = part("ul", "", "entries");
  for (const entry of entries) {
    const item = part("li");
    const link = part("a", entry.title || entry.link || "(no title)");
    link.href = `/entries/${Number(entry.seq)}`;
    item.append(link, part("span", ` ${entry.feed_title || entry.feed_url}`, "faint"));
    items.append(item);
  }
  return items;
}

function shown(found) {
  const head = found.is_new ? "It would be a new feed" : `It would replace “${found.name}”`;
  const parts = [part("p", `${head} and start with ${found.taken.toLocaleString()} of the entries known already.`)];
  parts.push(...found.warnings.map((text) => part("p", text, "warn")));
  for (const source of found.sources) {
    parts.push(part("p", `${source.source}: ${source.matched.toLocaleString()} of ${source.seen.toLocaleString()} pass`, "faint"));
  }
  return [...parts, list(found.newest)];
}

async function look(field, place) {
  asked?.abort();
  asked = new AbortController();
  if (!field.value.trim()) return place.replaceChildren();
  try {
    const answer = await fetch("/api/v1/queries/preview", {
      method: "POST",
      signal: asked.signal,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ query: field.value }),
    });
    const found = await answer.json();
    place.replaceChildren(...(answer.ok ? shown(found) : [part("pre", found.detail, "warn")]));
  } catch (error) {
    if (error.name !== "AbortError") place.replaceChildren(part("p", `no answer from afresh: ${error.message}`, "warn"));
  }
}

for (const field of document.querySelectorAll("textarea[data-preview]")) {
  const place = document.getElementById(field.dataset.preview);
  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE_MS, field, place);
  });
}
