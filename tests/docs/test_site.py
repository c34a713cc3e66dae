"""The documentation builds as a site, and our own link checker finds nothing broken in it."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from tests.fakes.served import served

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_no_link_of_the_site_is_broken(site: Path, tmp_path: Path) -> None:
    with served(Starlette(routes=[Mount("/", StaticFiles(directory=site))])) as base:
        links = {
            urljoin(f"{base}/{page.relative_to(site)}", href).partition("#")[0]
            for page in pages(site)
            for node in LexborHTMLParser(page.read_text(encoding="utf-8")).css("a[href]")
            if not (href := node.attributes["href"] or "").startswith(("http:", "https:", "mailto:", "#"))
        }
        assert len(links) > 30
        # Deep links into parts of the repository that are no pages stay out of the site; the repository has them.
        listed = tmp_path / "links.txt"
        listed.write_text("".join(f"{link}\n" for link in sorted(links)), encoding="utf-8")
        command = [sys.executable, "-m", "afresh", "--set", "fetch.allow_private=true", "check", str(listed)]
        command += ["--json", "--all", "--delay", "0s", "--no-probe"]
        checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    results = json.loads(checked.stdout)
    broken = [item for item in results if item["standing"] == "broken"]
    assert not broken
    assert checked.returncode == 0


def test_pages_ask_nobody_else(site: Path) -> None:
    for page in pages(site):
        tree = LexborHTMLParser(page.read_text(encoding="utf-8"))
        sources = [node.attributes.get("src") or node.attributes.get("href") or "" for node in tree.css("script, link")]
        assert not [source for source in sources if source.startswith(("http:", "https:", "//"))], page.name
