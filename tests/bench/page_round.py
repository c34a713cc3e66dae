"""One round over 1,000 watched pages of 30 kB, of which every tenth has changed: versions, differences, notices.

Through the daemon's own judging, store and outbox; nothing is fetched. ``cpu_seconds`` is one round of one core, with
all that is told of it put into the outbox; ``reread_cpu_seconds`` the same where every page also has another token in
its source, so that all must be read; ``version_share`` what a version takes in the store, as a share of its page.
Where changedetection.io is found (on PATH, or by the variable CHANGEDETECTION) both make the same rounds with requests
(``tests.bench.page_rival``).
"""

import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from afresh.base.models import Kind, Lease
from afresh.base.protocols import Store
from afresh.base.records.links import Version
from afresh.base.records.notices import NewNotice, Topic
from afresh.base.settings import Settings
from afresh.base.settings.sections import NoticeSettings, PolitenessSettings
from afresh.base.visits import Answer
from afresh.engine.add import Wanted, add
from afresh.engine.visit import Concluder
from afresh.notices.outbox import Collector, add_notice
from afresh.store import open_store
from tests.bench.page_rival import measure_both, rival
from tests.fakes.watched import DAY, START, concluder_of, fetched

PAGES, SIZE, BATCH = 1_000, 30_000, 200


def _word(draw: random.Random) -> str:
    return "".join(draw.choice(("an", "be", "ti", "ro", "s", "ment", "ing", "u")) for _ in range(draw.randint(1, 4)))


_WORDS = [_word(random.Random(number)) for number in range(3_000)]


def document(seed: int, changes: int = 0, token: int = 0) -> bytes:
    """A page of an ordinary shop or paper: a head, a menu, prose of some thousand words, links."""
    draw = random.Random(seed)
    menu = "".join(f'<li class="menu-item"><a href="/{word}/">{word}</a></li>' for word in _WORDS[:25])
    body = f"<title>Page {seed}</title><meta name=csrf content={draw.getrandbits(160) ^ token:040x}><ul>{menu}</ul>"
    place = 0
    while len(body) < SIZE:
        text, changed = _paragraph(draw), random.Random(f"{seed} {changes}")
        text = _paragraph(changed) if changes and place == 3 else text
        body += f'<div class="block block--text" data-id="{draw.getrandbits(24)}"><p>{text}</p></div>\n'
        place += 1
    return body.encode()


def words_of(draw: random.Random, count: int) -> list[str]:
    """Frequent words often, rare ones seldom."""
    return [_WORDS[min(int(draw.paretovariate(0.7)), 2_999)] for _ in range(count)]


def _paragraph(draw: random.Random) -> str:
    return (
        " ".join(words_of(draw, draw.randint(20, 60))).capitalize() + f' <a href="/{draw.getrandbits(32):x}">more</a>.'
    )


def measure(pages: int = PAGES) -> dict[str, float]:
    webs = [
        [document(seed, change if seed % 10 == 0 else 0, token) for seed in range(pages)]
        for change, token in ((0, 0), (1, 0), (2, 0xB7E1))
    ]
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder:
        store = open_store(str(Path(folder) / "pages.db"))
        settings = Settings(politeness=PolitenessSettings(delay=0.0))
        urls = [f"http://site{number}.example/page" for number in range(pages)]
        numbers = {item: place for place, item in enumerate(_add(store, urls, settings)) if item is not None}
        notice = NewNotice(target="https://hook.example/", topic=Topic.PAGES, subject="")
        add_notice(store, notice, check_target=lambda _: None, now=START)
        concluder = concluder_of(store, settings)
        rounds = [_round(store, concluder, numbers, bodies, START + DAY * n) for n, bodies in enumerate(webs)]
        kept = [store.links.versions(number) for number in numbers]  # newest first
        told = {told for _, told in rounds[1:]}
        store.close()
    assert told == {pages // 10}, told
    program = rival()
    beside = {} if program is None else measure_both(program, webs[:2])
    return {
        **beside,
        "first_cpu_seconds": rounds[0][0],
        "cpu_seconds": rounds[1][0],
        "reread_cpu_seconds": rounds[2][0],
        "version_share": _share([version for versions in kept for version in versions]),
        "later_version_share": _share([version for versions in kept for version in versions[:-1]]),
    }


def _share(versions: Sequence[Version]) -> float:
    return sum(version.stored for version in versions) / sum(version.size for version in versions)


def _add(store: Store, urls: Sequence[str], settings: Settings) -> list[int | None]:
    return [item.id for item in add(store, [Wanted(url=url, kind=Kind.PAGE) for url in urls], settings, now=START)]


def _round(
    store: Store, concluder: Concluder, places: dict[int, int], bodies: Sequence[bytes], now: float
) -> tuple[float, int]:
    """CPU seconds of all visits, and how many events wait in the outbox."""
    store.bring_forward(list(places), now=now)
    began, told = time.process_time(), 0
    while leases := store.lease(limit=BATCH, now=now, until=now + 60.0, holder="bench"):
        store.record(
            [concluder.conclude(_answer(store, lease, bodies[places[lease.resource.id]], now)) for lease in leases]
        )
        told += Collector(store, NoticeSettings()).collect(now)
    return time.process_time() - began, told


def _answer(store: Store, lease: Lease, body: bytes, now: float) -> Answer:
    return Answer(lease=lease, outcome=fetched(lease.resource.url, body, now), site=store.site(lease.site))
