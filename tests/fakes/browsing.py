"""A real browser for the tests of the pages: how it is started, and what it is asked about a page."""

from playwright.sync_api import BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
]
#: The smallest contrast of text against what is behind it (WCAG 2.2, 1.4.3 asks for 4.5).
LEAST_CONTRAST = """() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = node => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [...document.querySelectorAll("body *")]
    .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
    .map(node => {
      const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    });
  return Math.min(...found);
}"""

#: What a screen reader would stumble over: fields and pictures without a name, ids given twice, headings that jump.
FAULTS = """() => {
  const faults = [];
  const named = node => node.getAttribute("aria-label") || node.getAttribute("aria-labelledby") || node.labels?.length
    || node.title || node.textContent.trim() || (node.tagName === "IMG" && node.hasAttribute("alt"));
  for (const node of document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href], img")) {
    if (!named(node)) faults.push("no name: " + node.outerHTML.slice(0, 120));
  }
  const ids = [...document.querySelectorAll("[id]")].map(node => node.id);
  for (const id of ids.filter((id, place) => ids.indexOf(id) !== place)) faults.push("id twice: " + id);
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  let level = 1;
  for (const node of document.querySelectorAll("h1, h2, h3, h4")) {
    const found = Number(node.tagName[1]);
    if (found > level + 1) faults.push("heading jumps: " + node.textContent);
    level = found;
  }
  if (!document.documentElement.lang) faults.push("no language");
  return faults;
}"""


def open_page(tab: BrowserContext, url: str) -> tuple[Page, list[str]]:
    """A page, and the list its complaints are added to: errors, dialogs, requests to others."""
    complaints: list[str] = []
    page = tab.new_page()
    home = "/".join(url.split("/")[:3])
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: None if request.url.startswith(home) else complaints.append(request.url))
    page.goto(url)
    return page, complaints
