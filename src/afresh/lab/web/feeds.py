"""Feed documents of the demo web: entries made from numbers, windows of them as RSS 2.0, RSS 1.0, Atom, JSON Feed."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import formatdate
from enum import StrEnum
from html import escape

from afresh.lab.web.words import paragraph, sentence


class Format(StrEnum):
    """The formats a demo feed comes in."""

    RSS20 = "rss20"
    RSS10 = "rss10"
    ATOM10 = "atom10"
    JSON11 = "json11"


MEDIA_TYPES = {
    Format.RSS20: "application/rss+xml",
    Format.RSS10: "application/rdf+xml",
    Format.ATOM10: "application/atom+xml",
    Format.JSON11: "application/feed+json",
}

_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An entry as it is rendered; an empty id or a missing date is left out of the document."""

    id: str
    title: str
    link: str
    summary: str
    date: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a feed says about its own schedule and push channels."""

    ttl_minutes: int | None = None
    skip_hours: tuple[int, ...] = ()
    skip_days: tuple[int, ...] = ()  # Monday = 0
    update_period: str = ""  # sy:updatePeriod, RSS 1.0 only
    hub: bool = False
    cloud: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A feed's head."""

    title: str
    link: str
    self_url: str
    updated: float
    hints: Hints = Hints()


def make_item(*, seed: int | str, feed: str, number: int, link: str, date: float) -> Item:
    """Entry ``number`` of a feed: always the same for the same seed, so nothing needs to be kept."""
    rng = random.Random(f"{seed}/{feed}/{number}")
    title = f"{sentence(rng)} ({number})"
    return Item(
        id=f"tag:demo.localhost,2012:{feed}/{number}", title=title, link=link, summary=paragraph(rng), date=date
    )


def render(form: Format, channel: Channel, items: Sequence[Item]) -> str:
    """The document that shows these items, newest first."""
    return _RENDERERS[form](channel, items)


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def _rfc3339(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def _rss20(channel: Channel, items: Sequence[Item]) -> str:
    hints = channel.hints
    head = [
        _element("title", channel.title),
        _element("link", channel.link),
        _element("description", f"{channel.title}, as it happens"),
        _element("lastBuildDate", formatdate(channel.updated, usegmt=True)),
        f'<atom:link rel="self" href="{escape(channel.self_url)}"/>',
    ]
    if hints.hub:
        head.append(f'<atom:link rel="hub" href="{escape(channel.link)}hub"/>')
    if hints.cloud:
        head.append(
            '<cloud domain="rpc.localhost" port="80" path="/notify" registerProcedure="" protocol="http-post"/>'
        )
    if hints.ttl_minutes is not None:
        head.append(_element("ttl", str(hints.ttl_minutes)))
    if hints.skip_hours:
        head.append(f"<skipHours>{''.join(_element('hour', str(hour)) for hour in hints.skip_hours)}</skipHours>")
    if hints.skip_days:
        head.append(f"<skipDays>{''.join(_element('day', _DAY_NAMES[day]) for day in hints.skip_days)}</skipDays>")
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>\n'
        + "\n".join([*head, *map(_rss20_item, items)])
        + "\n</channel></rss>\n"
    )


def _rss20_item(item: Item) -> str:
    parts = [_element("title", item.title), _element("link", item.link), _element("description", item.summary)]
    if item.id:
        parts.append(f'<guid isPermaLink="false">{escape(item.id)}</guid>')
    if item.date is not None:
        parts.append(_element("pubDate", formatdate(item.date, usegmt=True)))
    return f"<item>{''.join(parts)}</item>"


def _rss10(channel: Channel, items: Sequence[Item]) -> str:
    period = channel.hints.update_period
    listed = "".join(f'<rdf:li rdf:resource="{escape(item.link)}"/>' for item in items)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">\n'
        f'<channel rdf:about="{escape(channel.self_url)}">'
        + _element("title", channel.title)
        + _element("link", channel.link)
        + _element("description", f"{channel.title}, as it happens")
        + (_element("sy:updatePeriod", period) + _element("sy:updateFrequency", "1") if period else "")
        + f"<items><rdf:Seq>{listed}</rdf:Seq></items></channel>\n"
        + "\n".join(map(_rss10_item, items))
        + "\n</rdf:RDF>\n"
    )


def _rss10_item(item: Item) -> str:
    parts = [_element("title", item.title), _element("link", item.link), _element("description", item.summary)]
    if item.date is not None:
        parts.append(_element("dc:date", _rfc3339(item.date)))
    return f'<item rdf:about="{escape(item.link)}">{"".join(parts)}</item>'


def _atom10(channel: Channel, items: Sequence[Item]) -> str:
    hub = f'<link rel="hub" href="{escape(channel.link)}hub"/>' if channel.hints.hub else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        + _element("title", channel.title)
        + _element("id", channel.self_url)
        + _element("updated", _rfc3339(channel.updated))
        + f"<author>{_element('name', channel.title)}</author>"
        + f'<link rel="alternate" href="{escape(channel.link)}"/>'
        + f'<link rel="self" href="{escape(channel.self_url)}"/>{hub}\n'
        + "\n".join(map(_atom10_entry, items))
        + "\n</feed>\n"
    )


def _atom10_entry(item: Item) -> str:
    parts = [_element("title", item.title), f'<link rel="alternate" href="{escape(item.link)}"/>']
    if item.id:
        parts.append(_element("id", item.id))
    if item.date is not None:
        parts += [_element("published", _rfc3339(item.date)), _element("updated", _rfc3339(item.date))]
    parts.append(_element("summary", item.summary))
    return f"<entry>{''.join(parts)}</entry>"


def _json11(channel: Channel, items: Sequence[Item]) -> str:
    document: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.link,
        "feed_url": channel.self_url,
    }
    if channel.hints.hub:
        document["hubs"] = [{"type": "WebSub", "url": f"{channel.link}hub"}]
    document["items"] = [_json11_item(item) for item in items]
    return json.dumps(document, ensure_ascii=False, indent=1)


def _json11_item(item: Item) -> dict[str, str]:
    fields = {
        "id": item.id,
        "url": item.link,
        "title": item.title,
        "summary": item.summary,
        "content_text": item.summary,
    }
    if item.date is not None:
        fields["date_published"] = _rfc3339(item.date)
    return {name: value for name, value in fields.items() if value}


_RENDERERS = {Format.RSS20: _rss20, Format.RSS10: _rss10, Format.ATOM10: _atom10, Format.JSON11: _json11}
