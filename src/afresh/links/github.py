"""Pages of GitHub by way of its API: a repository that is hidden, or a page that is refused to many questions."""

import re
from urllib.parse import quote, urlsplit

API = "api.github.com"
_PAGE = re.compile(r"/(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?:/(?P<kind>[a-z]+)(?:/(?P<rest>.+?))?)?/?")


def api_address(url: str) -> str:
    """The address of the API that knows whether a page is there; empty: it is no page that the API has.

    >>> api_address("https://github.com/a/b/blob/main/docs/x.md#y")
    'https://api.github.com/repos/a/b/contents/docs/x.md?ref=main'
    >>> api_address("https://github.com/a/b"), api_address("https://example.org/a/b")
    ('https://api.github.com/repos/a/b', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    page = _PAGE.fullmatch(parts.path) if parts.hostname in ("github.com", "www.github.com") else None
    if page is None:
        return ""
    base = f"https://{API}/repos/{page['repo']}"
    kind, rest = page["kind"], page["rest"] or ""
    if kind is None:
        return base
    if kind in ("blob", "tree", "raw"):
        branch, _, path = rest.partition("/")
        return f"{base}/contents/{path}?ref={quote(branch, safe='')}"
    known = {"issues": "issues", "pull": "pulls", "commit": "commits"}
    if kind in known and rest:
        return f"{base}/{known[kind]}/{rest.partition('/')[0]}"
    if kind == "releases" and rest.startswith("tag/"):
        return f"{base}/releases/tags/{rest.removeprefix('tag/')}"
    return ""
