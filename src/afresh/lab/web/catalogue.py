"""The inhabitants of the demo web: which site has which feeds, how they publish and how their server behaves."""

from dataclasses import dataclass, field

from afresh.feeds.patterns import Pattern
from afresh.lab.web import manners as m
from afresh.lab.web.answers import Validators
from afresh.lab.web.feeds import Format, Hints
from afresh.lab.web.pages import Robots
from afresh.lab.web.patterns import Rhythm


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPlan:
    """One feed of a site."""

    path: str
    rhythm: Rhythm
    format: Format = Format.RSS20
    window: int = 15
    manners: m.Manners = field(default_factory=m.Manners)
    validators: Validators = Validators.BOTH
    hints: Hints = field(default_factory=Hints)
    twins: tuple[tuple[str, Format], ...] = ()  # the same entries in another format, for discovery
    announced: bool = True  # on the start page
    listed: bool = True  # False: only the target of a redirect, not to be watched by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """One site: its host name is ``NAME.localhost`` (RFC 6761)."""

    name: str
    title: str
    feeds: tuple[FeedPlan, ...]
    robots: Robots = field(default_factory=Robots)
    session_duplicate: bool = False  # announces its first feed a second time with a session id
    dead_link: bool = False  # announces a feed that does not exist


def _feed(path: str, pattern: Pattern, form: Format = Format.RSS20, **more: object) -> FeedPlan:
    """A plan, with the rhythm's own parameters among ``more``."""
    of_rhythm = {name: more.pop(name) for name in tuple(more) if name in Rhythm.__dataclass_fields__}
    rhythm = Rhythm(pattern=pattern, **of_rhythm)  # type: ignore[arg-type]
    return FeedPlan(path=path, rhythm=rhythm, format=form, **more)  # type: ignore[arg-type]


def catalogue(*, polite_delay: float = 1.0) -> tuple[SitePlan, ...]:
    """All sites; ``polite_delay`` tells the impatient one what counts as pressing."""
    return (*_well_behaved(), *_unreliable(polite_delay), *_misleading(), *_moving(), *_dangerous())


def _well_behaved() -> tuple[SitePlan, ...]:
    p, f, v = Pattern, Format, Validators
    return (
        SitePlan(
            name="herald",
            title="The Harbour Herald",
            feeds=(
                _feed(
                    "/feed/atom.xml",
                    p.SLICED,
                    f.ATOM10,
                    window=20,
                    twins=(("/feed/rss.xml", f.RSS20),),
                    hints=Hints(hub=True),
                ),
                _feed("/sport.xml", p.SLICED, per_day=14, phase=0.3),
                _feed("/corrections.xml", p.SPONTANEOUS, validators=v.ETAG),
            ),
            session_duplicate=True,
            dead_link=True,
        ),
        SitePlan(
            name="evening",
            title="Evening Post & Echo",
            feeds=(
                _feed("/news.json", p.SLICED, f.JSON11, phase=0.5, hints=Hints(hub=True)),
                _feed("/index.rdf", p.SLICED, f.RSS10, per_day=12, phase=0.7, hints=Hints(update_period="hourly")),
            ),
        ),
        SitePlan(
            name="ticker",
            title="Ticker",
            feeds=(
                _feed("/all.xml", p.CONSTANT, f.ATOM10, per_day=30, window=25, validators=v.WEAK_ETAG),
                _feed("/trades.xml", p.CONSTANT, jitter=0.0, validators=v.LAST_MODIFIED, hints=Hints(ttl_minutes=1)),
            ),
        ),
        SitePlan(
            name="sensors",
            title="Weather Mast No. 4",
            feeds=(
                _feed("/wind.json", p.CONSTANT, f.JSON11, per_day=20, jitter=0.05, window=10),
                _feed("/now.xml", p.ON_THE_FLY, validators=v.NONE),
                _feed("/today.atom", p.ON_THE_FLY, f.ATOM10, per_day=6, validators=v.NONE, window=8),
            ),
            robots=Robots(crawl_delay=3.0, disallow=("/private/",)),
        ),
        SitePlan(
            name="library",
            title="Town Library",
            feeds=(
                _feed("/arrivals.xml", p.CHUNKED, size=12, window=12, hints=Hints(skip_hours=(2, 3), skip_days=(6,))),
                _feed("/returns.xml", p.CHUNKED, f.ATOM10, size=6, window=6, per_day=1.2),
                _feed("/notice.xml", p.SINGLE_ENTRY),
            ),
        ),
        SitePlan(
            name="diary",
            title="A Quiet ActivityLog",
            feeds=(
                _feed("/posts/atom", p.SPONTANEOUS, f.ATOM10, window=10, twins=(("/posts/rss", f.RSS20),)),
                _feed("/comments.xml", p.EMPTY),
                _feed("/hello.xml", p.SINGLE_ENTRY, f.ATOM10, offset_days=0.25),
            ),
        ),
        SitePlan(
            name="attic",
            title="The Attic",
            feeds=(
                _feed("/blog.xml", p.ZOMBIE, hints=Hints(ttl_minutes=60)),
                _feed("/old.rdf", p.ZOMBIE, f.RSS10, validators=v.LAST_MODIFIED),
                _feed("/drafts.atom", p.EMPTY, f.ATOM10),
            ),
            robots=Robots(exists=False),
        ),
    )


def _unreliable(polite_delay: float) -> tuple[SitePlan, ...]:
    p, f = Pattern, Format
    return (
        _one("sleepy", "Sleepy Hollow", _feed("/feed.xml", p.SLICED, phase=0.2, manners=m.Slow())),
        _one("strict", "Strict Times", _feed("/feed.xml", p.CONSTANT, manners=m.Throttling())),
        _one(
            "touchy",
            "Touchy",
            _feed("/feed.atom", p.SLICED, f.ATOM10, phase=0.6, manners=m.Impatient(patience=polite_delay / 2)),
        ),
        _one("busy", "Busy Bee", _feed("/feed.xml", p.SLICED, phase=0.4, manners=m.Busy())),
        _one("flaky", "Flaky Pastry", _feed("/feed.xml", p.SLICED, phase=0.9, manners=m.Flaky())),
        _one("curt", "Curt", _feed("/feed.xml", p.SPONTANEOUS, manners=m.HangsUp())),
    )


def _misleading() -> tuple[SitePlan, ...]:
    p, f, v = Pattern, Format, Validators
    return (
        SitePlan(
            name="garble",
            title="Garble",
            feeds=(
                _feed("/broken.xml", p.SLICED, per_day=10, manners=m.BrokenXML(), validators=v.NONE),
                _feed("/short.xml", p.SLICED, per_day=10, phase=0.5, manners=m.CutShort()),
                _feed("/latin.xml", p.SLICED, per_day=10, phase=0.25, manners=m.WrongCharset()),
            ),
        ),
        SitePlan(
            name="vague",
            title="Vague",
            feeds=(
                _feed("/undated.xml", p.CONSTANT, per_day=20, jitter=0.2, manners=m.Undated()),
                _feed("/now.xml", p.SLICED, per_day=10, manners=m.RequestTime(), validators=v.NONE),
                _feed("/blink.xml", p.CONSTANT, per_day=20, manners=m.Alternating(), validators=v.ETAG),
            ),
        ),
        _one("deaf", "Deaf Ear", _feed("/feed.xml", p.SPONTANEOUS, manners=m.IgnoresValidators())),
        _one("keyhole", "Keyhole", _feed("/feed.xml", p.CONSTANT, per_day=40, window=2, manners=m.SmallWindow())),
        _one("zipped", "Zipped", _feed("/feed.atom", p.SLICED, f.ATOM10, phase=0.8, manners=m.Gzipped())),
    )


def _moving() -> tuple[SitePlan, ...]:
    p = Pattern
    return (
        _one("maze", "Maze", _feed("/feed", p.SLICED, phase=0.35, manners=m.RedirectChain(path="/feed"))),
        _one("moved", "Moved", _feed("/feed.xml", p.SPONTANEOUS, manners=m.Moved(site="newhome"))),
        _one("newhome", "New Home", _feed("/feed.xml", p.SPONTANEOUS, announced=False, listed=False)),
        _one("circle", "Circle", _feed("/feed", p.EMPTY, manners=m.RedirectLoop(path="/feed"))),
        _one("gone", "Gone", _feed("/feed.xml", p.ZOMBIE, manners=m.Gone())),
    )


def _dangerous() -> tuple[SitePlan, ...]:
    p = Pattern
    bombs = (m.EntityBomb(), m.Oversized(), m.DecompressionBomb())
    feeds = tuple(
        _feed(f"/{bomb.name.replace(' ', '-')}.xml", p.SINGLE_ENTRY, manners=bomb, announced=False) for bomb in bombs
    )
    return (SitePlan(name="minefield", title="Minefield", feeds=feeds),)


def _one(name: str, title: str, feed: FeedPlan) -> SitePlan:
    return SitePlan(name=name, title=title, feeds=(feed,))
