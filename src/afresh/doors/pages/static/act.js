// Forms that act through the REST interface: <form data-send="PATCH /api/v1/resources/17"> sends its fields as JSON.
// Same-origin JSON only: the service refuses anything a foreign page could make a browser send.
// data-doing: what is said until the answer comes. data-then: where to go afterwards ("reload" stays here; {name} is a field of the answer). data-confirm: asked first. data-told of a button: what became of those that were chosen, behind their number.
// data-body: a DELETE sends its fields, too. data-changed: only fields that were changed are sent. data-once-only: what was sent cannot be sent again. data-once: a field of the answer that is never shown again, so that the page waits for its reader to take it down.
const units = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86400, w: 604800 };

// Seconds of "90s", "15m", "1h30m" or a bare number; what is none goes as it is, and the service says what is wrong.
function seconds(text) {
  const parts = [...text.trim().toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)\s*/gy)];
  const rest = text.trim().length - parts.reduce((sum, part) => sum + part[0].length, 0);
  if (!parts.length || rest > 0 || parts.some((part) => part[2] && !(part[2] in units))) return text;
  return parts.reduce((sum, part) => sum + Number(part[1]) * units[part[2] || "s"], 0);
}

const kinds = {
  duration: (text) => (text.trim() === "" ? null : seconds(text)),
  number: (text) => (text === "" ? null : Number(text)),
  words: (text) => text.split(/[,\n]/).map((word) => word.trim()).filter(Boolean),
  lines: (text) => text.split(/\n/).map((line) => line.trim()).filter(Boolean),
  choice: (text) => (text === "" ? null : text), // an empty one is the default
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

// A line of its own above what says that nothing is left to choose; at the end of the page where nothing says so.
function lineAbove(place) {
  const line = document.createElement("p");
  if (place) place.before(line);
  else document.querySelector("main").append(line);
  return line;
}

// Whether a field says what it said when the page came.
function isAsItWas(field) {
  if (field instanceof HTMLSelectElement) {
    const first = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
    return field.value === first?.value;
  }
  return field?.defaultValue !== undefined && field.value === field.defaultValue;
}

function bodyOf(form, submitter) {
  const body = {};
  const chosen = [...document.querySelectorAll(`input[data-choice="${form.id}"]:checked`)].map((box) => Number(box.value));
  if (form.dataset.choices) body[form.dataset.choices] = chosen;
  for (const [name, value] of new FormData(form, submitter)) {
    const field = form.elements.namedItem(name);
    const kind = (field instanceof RadioNodeList ? field[0] : (field ?? submitter))?.dataset.type;
    if (form.dataset.changed !== undefined && isAsItWas(field)) continue;
    if (value === "" && field?.dataset.optional !== undefined) continue;
    if (field?.closest?.("[data-for][hidden]")) continue; // of another choice
    if (kind === "list") body[name] = [...(body[name] ?? []), value]; // each choice of a list is a field of that name
    else body[name] = kind ? kinds[kind](value) : value;
  }
  for (const box of form.querySelectorAll("input[type=checkbox][name]")) body[box.name] = box.checked && !box.closest("[data-for][hidden]");
  return body;
}

// What a field is called where it stands, instead of "body.pinned".
function nameOf(form, where) {
  const name = where.split(".")[1] ?? where;
  const field = form.elements.namedItem(name);
  const label = field instanceof RadioNodeList ? null : field?.labels?.[0]?.firstChild?.textContent?.trim();
  return label || name;
}

async function problemOf(form, answer) {
  try {
    const problem = await answer.json();
    return problem.errors?.length ? problem.errors.map((one) => `${nameOf(form, one.where)}: ${one.message}`).join("; ") : problem.detail;
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
  if (method !== "DELETE" || form.dataset.choices || "body" in form.dataset) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(bodyOf(form, event.submitter));
  }
  say(form, form.dataset.doing ?? "…", false);
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(path, options);
    if (!answer.ok) {
      say(form, await problemOf(form, answer), true);
      return;
    }
    const result = answer.status === 204 ? {} : await answer.json();
    const then = event.submitter?.dataset.then ?? form.dataset.then;
    const once = result[form.dataset.once];
    const left = Object.entries(result.left ?? {});
    if (left.length && !result.changed) say(form, toldOf(event.submitter, result, left), true);
    else if (once) say(form, `${form.dataset.onceIs} ${once}`, false);
    else if (then === "reload") {
      if (form.id && result.changed !== undefined) sessionStorage.setItem("afresh:said", JSON.stringify([form.id, toldOf(event.submitter, result, left), left.length > 0]));
      location.reload();
    }
    else if (then) location.assign(then.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(result[name] ?? "")));
    else say(form, form.dataset.done ?? "done", false);
    if (form.dataset.onceOnly !== undefined) for (const button of form.querySelectorAll("button")) button.disabled = true;
    form.dispatchEvent(new CustomEvent("afresh:done", { detail: result, bubbles: true }));
  } catch (error) {
    say(form, `no answer from afresh: ${error.message}`, true);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

// What became of many, in the words of the button: "8 accepted, 2 left: no page there".
function toldOf(button, result, left) {
  const done = `${result.changed} ${button?.dataset.told ?? "done"}`;
  return [done, ...left.slice(0, 5).map(([why, count]) => `${count} left: ${why}`)].join(", ");
}

// What can be done to chosen rows can be done only when some are; the form says how many.
function countChosen(form) {
  const chosen = document.querySelectorAll(`input[data-choice="${form.id}"]:checked`).length;
  for (const button of form.querySelectorAll("button")) button.disabled = !chosen;
  const place = form.querySelector("[data-chosen]");
  if (place) place.textContent = chosen ? `${chosen} chosen:` : "Choose some below to";
}

// <button type="button" data-adds="css" value=".price"> puts its value into the field of that name, or takes it out.
function addValue(event) {
  const button = event.target.closest("button[data-adds]");
  const field = button?.form?.elements.namedItem(button.dataset.adds);
  if (!field) return;
  const values = kinds.words(field.value);
  const isIn = values.includes(button.value);
  field.value = (isIn ? values.filter((value) => value !== button.value) : [...values, button.value]).join(", ");
  button.setAttribute("aria-pressed", String(!isIn));
}

document.addEventListener("submit", send);
document.addEventListener("click", addValue);
document.documentElement.dataset.acts = ""; // from here on a press is heard; see the style sheet
document.addEventListener("change", (event) => {
  const all = event.target.closest("input[data-choose-all]");
  for (const box of all ? document.querySelectorAll(`input[data-choice="${all.dataset.chooseAll}"]`) : []) box.checked = all.checked;
  const name = all?.dataset.chooseAll ?? event.target.closest("input[data-choice]")?.dataset.choice;
  if (name) countChosen(document.getElementById(name));
  // Fields that only some choices need: <label data-for="topic=query tag">.
  if (event.target.matches("select[name]")) showNeeded(event.target);
});

function showNeeded(select) {
  for (const field of select.form?.querySelectorAll("[data-for]") ?? []) {
    const [name, values] = field.dataset.for.split("=");
    if (name === select.name) field.hidden = !values.split(" ").includes(select.value);
  }
}

for (const form of document.querySelectorAll("form[data-choices]")) countChosen(form);
const [formId, said, isBad] = JSON.parse(sessionStorage.getItem("afresh:said") ?? "[]"); // before this page was loaded again
sessionStorage.removeItem("afresh:said");
if (said) say(document.getElementById(formId) ?? lineAbove(document.querySelector("main .empty")), said, Boolean(isBad));
// A phone shows sections folded: what is wanted is opened, and the page stays short. One that the address names is wanted.
if (matchMedia("(max-width: 30rem)").matches) {
  const named = document.getElementById(location.hash.slice(1));
  for (const part of document.querySelectorAll("details[data-fold]")) part.open = part.contains(named);
}
// The tree of folders stands above its list where there is no room beside it.
if (matchMedia("(max-width: 60rem)").matches)
  for (const part of document.querySelectorAll(".tree details[data-fold]")) part.open = false;
for (const select of document.querySelectorAll("form select[name]")) showNeeded(select);
// "/" goes to the search field, as everywhere.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const field = document.querySelector("input[type=search]");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});
