"""The checker over links that nobody keeps, with any way to the web."""

from collections.abc import Iterable

from afresh.base.clock import SystemClock
from afresh.base.protocols import Fetcher
from afresh.base.records.links import Check
from afresh.base.settings.sections import LinkSettings, PolitenessSettings
from afresh.links.answers import Checked
from afresh.links.checker import Checker
from afresh.links.judge import LinkJudge
from afresh.links.judging import JudgingProcess
from afresh.links.unsaved import UnsavedLinks
from afresh.links.verdicts.model import default_model
from afresh.parse.url import Sites


async def check_all(fetcher: Fetcher, urls: Iterable[str], *, process: JudgingProcess | None = None) -> list[Check]:
    """Checks of good addresses, in their order."""
    links = UnsavedLinks()
    numbers: dict[str, int | None] = {url: links.add(url) for url in urls}
    judge = LinkJudge(links, LinkSettings(), model=lambda _: default_model())
    checker = Checker(fetcher.fetch, judge, now=SystemClock().now, process=process)
    found: dict[str, Check] = {}

    async def done(checked: Checked) -> None:
        found[checked.check.url] = checked.check

    await checker.check_all(numbers, done, site_of=Sites(PolitenessSettings()).of)
    return [found[url] for url in numbers]
