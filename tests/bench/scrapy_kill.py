"""Ten thousand pages, two Scrapy processes on one frontier, one of them killed in the middle: the whole of the test.

The suite runs the same with fewer pages: this takes Scrapy a minute of two idle cores.

    python -m tests.bench scrapy_kill --json
"""

import asyncio
import tempfile
from pathlib import Path

from tests.fakes.scrapy_project.killing import crawl_with_a_kill

SITES, PAGES = 500, 18  # and two more pages a site


def measure() -> dict[str, float]:
    """Numbers by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seen = asyncio.run(
            crawl_with_a_kill(folder, str(folder / "frontier.db"), sites=SITES, pages=PAGES, within=900.0)
        )
    return {field: float(value) for field, value in seen._asdict().items()}
