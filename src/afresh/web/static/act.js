// Forms that act through the REST interface: <form data-send="PATCH /api/v1/resources/17"> sends its fields as JSON.
// Same-origin JSON only: the service refuses anything a foreign page could make a browser send.
// data-then: where to go afterwards ("reload" stays here; {name} is a field of the answer). data-confirm: asked first.
const kinds = {
  number: (text) => (text === "" ? null : Number(text)),
  words: (text) => text.split(/[,\n]/).map((word) => word.trim()).filter(Boolean),
  lines: (text) => text.split(/\n/).map((line) => line.trim()).filter(Boolean),
  bool: (text) => text === "true",
  numbers: (text) => text.split(",").filter(Boolean).map(Number),
};

function say(form, text, bad) {
  let place = form.querySelector("output");
  if (!place) {
    place = document.createElement("output");
    form.append(place);
  }
  place.className = bad ? "said warn" : "said";
  place.textContent = text;
}

function bodyOf(form, submitter) {
  const body = {};
  const chosen = [...document.querySelectorAll(`input[data-choice="${form.id}"]:checked`)].map((box) => Number(box.value));
  if (form.dataset.choices) body[form.dataset.choices] = chosen;
  for (const [name, value] of new FormData(form, submitter)) {
    const field = form.elements.namedItem(name);
    const kind = (field instanceof RadioNodeList ? field[0] : field)?.dataset.type;
    if (value === "" && field?.dataset.optional !== undefined) continue;
    body[name] = kind ? kinds[kind](value) : value;
  }
  for (const box of form.querySelectorAll("input[type=checkbox][name]")) body[box.name] = box.checked;
  return body;
}

async function problemOf(answer) {
  try {
    const problem = await answer.json();
    const first = problem.errors?.[0];
    return problem.detail + (first ? ` (${first.pointer ?? first.loc ?? ""} ${first.detail ?? first.msg ?? ""})` : "");
  } catch {
    return `${answer.status} ${answer.statusText}`;
  }
}

async function send(event) {
  const form = event.target.closest("form[data-send]");
  if (!form) return;
  event.preventDefault();
  const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
  if (question && !window.confirm(question)) return;
  const [method, path] = (event.submitter?.dataset.send ?? form.dataset.send).split(" ");
  const options = { method, headers: { Accept: "application/json" } };
  if (method !== "DELETE" || form.dataset.choices) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(bodyOf(form, event.submitter));
  }
  say(form, "…", false);
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(path, options);
    if (!answer.ok) {
      say(form, await problemOf(answer), true);
      return;
    }
    const result = answer.status === 204 ? {} : await answer.json();
    const then = event.submitter?.dataset.then ?? form.dataset.then;
    if (then === "reload") location.reload();
    else if (then) location.assign(then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(result[name] ?? "")));
    else say(form, form.dataset.done ?? "done", false);
    form.dispatchEvent(new CustomEvent("afresh:done", { detail: result, bubbles: true }));
  } catch (error) {
    say(form, `no answer from afresh: ${error.message}`, true);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

document.addEventListener("submit", send);
document.addEventListener("change", (event) => {
  const all = event.target.closest("input[data-choose-all]");
  if (!all) return;
  for (const box of document.querySelectorAll(`input[data-choice="${all.dataset.chooseAll}"]`)) box.checked = all.checked;
});
// "/" goes to the search field, as everywhere.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const field = document.querySelector("input[type=search]");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});
