"""robots.txt by RFC 9309: what a site lets us ask for, and how slowly."""

import re
from dataclasses import dataclass
from typing import Any

from protego import Protego

MAX_BYTES = 500 * 1024  # RFC 9309 §2.5 asks for at least 500 KiB; the rest is not read
_MAX_DELAY = 86_400.0
_MAX_SITEMAPS = 1_000
_AGENT = ("user-agent", "useragent", "user agent")  # as protego reads it
_TOKEN = re.compile(r"[A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site."""

    rules: Any  # protego's, None: there are none, everything is allowed

    @classmethod
    def parse(cls, body: bytes, status: int) -> "Robots":
        """Rules from an answer; one without a document, a 4xx say, allows everything.

        Redirects are followed by whoever fetches; one that leads nowhere counts as "not there" (RFC 9309 §2.3.1.2).
        Answers that do not tell (5xx, 429) are not asked here: ``http.robots.read_rules``.
        """
        if not 200 <= status < 300:
            return cls(None)
        return cls(Protego.parse("\n".join(map(_addressed, _text(body).splitlines()))))

    def allows(self, url: str, agent: str) -> bool:
        """Whether the agent may ask for the URL."""
        return self.rules is None or bool(self.rules.can_fetch(url, _whole(agent)))

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between requests the site asks for; None: it does not say. More than a day is a day."""
        if self.rules is None:
            return None
        delays = [delay for delay in (self.rules.crawl_delay(_whole(agent)), self._rate(agent)) if delay is not None]
        return min(max(0.0, *map(float, delays)), _MAX_DELAY) if delays else None

    def _rate(self, agent: str) -> float | None:
        rate = self.rules.request_rate(_whole(agent))
        return rate.seconds / rate.requests if rate is not None and rate.requests else None

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps it names, in order."""
        return () if self.rules is None else tuple(dict.fromkeys(self.rules.sitemaps))[:_MAX_SITEMAPS]


def _whole(agent: str) -> str:
    """A product token between marks. protego takes the beginning of a name for the name: "a" would mean us."""
    return f"|{agent.lower()}|"


def _addressed(line: str) -> str:
    """A line that addresses somebody, by the whole product token alone: "afresh/0.1" means "afresh" (§2.2.1)."""
    head = line[:40].lstrip()
    if not head.lower().startswith(_AGENT):
        return line
    length = len("useragent" if head[4] not in "- " else "user-agent")
    rest = line.lstrip()[length:]
    if rest[:1] not in (":", " ", "\t"):
        return line
    name = rest.lstrip(" \t:").partition("#")[0].strip()
    if name.startswith("*"):
        return "User-agent: *"
    token = _TOKEN.match(name)
    return f"User-agent: {_whole(token[0] if token else name)}"


def _text(body: bytes) -> str:
    if len(body) > MAX_BYTES:
        body = body[: body.rfind(b"\n", 0, MAX_BYTES) + 1]  # half a rule is another rule
    # NULs and stray bytes are no part of any rule.
    return body.decode("utf-8-sig", "replace").replace("\0", "")
