"""Which site does a URL belong to, under these settings?"""

from afresh.base.errors import ConfigError
from afresh.base.settings.sections import PolitenessSettings
from afresh.parse.url import DEFAULT_SERVICES, Scope, site_of, site_of_host

_MOST = 65_536  # hosts whose site is remembered


class Sites:
    """Names the site, the unit of politeness, of a canonical URL."""

    def __init__(self, politeness: PolitenessSettings) -> None:
        self._scope = Scope(politeness.scope)
        self._services = {**DEFAULT_SERVICES, **dict(_service(text) for text in politeness.services)}
        self._named: dict[str, str] = {}

    def of(self, url: str) -> str:
        return site_of(url, self._scope, self._services)

    def of_name(self, host: str) -> str:
        """The site of a host at the usual port, by its name."""
        site = self._named.get(host)
        if site is None:
            site = site_of_host(host, None, self._scope, self._services)
            if len(self._named) < _MOST:
                self._named[host] = site
        return site


def _service(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, suffixes = text.partition("=")
    hosts = tuple(part.strip().lower() for part in suffixes.split(",") if part.strip())
    if not equals or not name.strip() or not hosts:
        raise ConfigError(
            f"not a service: {text!r}; write it like forum=forum.example.org,example.net", option="politeness.services"
        )
    return name.strip(), hosts
