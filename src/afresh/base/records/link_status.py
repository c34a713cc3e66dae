"""The words for what became of a link.  [M03] §2.1, §4.3, Table 4.1, with the statuses its gaps call for.

Plain names without any computation, so that whoever only stores or shows them need not load what judges pages.
"""

from enum import StrEnum


class CheckStatus(StrEnum):
    """Status of one check; the number in ``code`` keeps the thesis's three and fills the gaps."""

    NEW = "content_new"  # answered, nothing to compare with yet
    EQUAL = "content_equal"
    SIMILAR = "content_similar"
    MOVED = "content_moved"  # the content is elsewhere; the new address is offered
    DIFFERENT = "content_different"  # replaced, or turned into something else behind a 200
    MISSING = "content_missing"  # 404 or 410; a file that is not there
    FRAGMENT_MISSING = "fragment_missing"  # the page is there, but no part of it has the name behind "#"
    UNSUPPORTED = "content_unsupported"  # not a page any more
    ACCESS_DENIED = "access_denied"
    SERVER_ERROR = "server_error"
    THROTTLED = "throttled"  # asked to come back later: nothing is known
    NET_NOT_FOUND = "net_not_found"
    NET_UNREACHABLE = "net_unreachable"
    NET_TIMEOUT = "net_timeout"
    OFFLINE = "offline"  # our own network: nothing is known
    REFUSED = "refused"  # by us: robots, address
    PROTOCOL_UNSUPPORTED = "protocol_unsupported"
    SYNTAX_URL = "syntax_url"

    @property
    def code(self) -> int:
        return _CODES[self]

    @property
    def standing(self) -> "Standing":
        return _STANDINGS.get(self, Standing.BROKEN)


class Standing(StrEnum):
    """What a status means for the one who keeps the link."""

    OK = "ok"
    MOVED = "moved"  # works, but the address should be changed
    SUSPECT = "suspect"  # of a watched link: fails, but not yet long enough to be called broken
    BROKEN = "broken"
    UNKNOWN = "unknown"  # could not be told this time


class EntryStatus(StrEnum):
    """Status of a watched link as a whole.  [M03] §4.2: it follows the newest check, equal and similar alike."""

    WAITING = "waiting"  # never checked
    RUNNING = "running"  # a check is under way
    OK = "ok"
    NOT_OK = "not_ok"


class Usage(StrEnum):
    """What the reader means by the link.  [M03] §2.1."""

    REFERENTIAL = "referential"  # the page as a place, whatever it says today
    ATTRIBUTIVE = "attributive"  # this very content


class Turned(StrEnum):
    """What a page can turn into behind a friendly ``200``."""

    SOFT_404 = "soft_404"
    PARKED = "parked"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    CAPTCHA = "captcha"
    MAINTENANCE = "maintenance"
    SUSPENDED = "suspended"
    LISTING = "directory_listing"
    ERROR = "error_dump"
    PLACEHOLDER = "placeholder"
    SPAM = "spam"
    TAKEN_OVER = "taken_over"
    FRONT_PAGE = "front_page"  # whoever asks for it is sent to the site's front page
    STAND_IN = "stand_in"  # a few words that nobody knows, where the page was
    EMPTY = "empty"


_CODES = {
    CheckStatus.NEW: 1000,
    CheckStatus.EQUAL: 1010,
    CheckStatus.SIMILAR: 1020,
    CheckStatus.MOVED: 1030,
    CheckStatus.DIFFERENT: 1040,
    CheckStatus.MISSING: 1050,
    CheckStatus.FRAGMENT_MISSING: 1055,
    CheckStatus.UNSUPPORTED: 1060,
    CheckStatus.ACCESS_DENIED: 1070,
    CheckStatus.SERVER_ERROR: 1080,
    CheckStatus.THROTTLED: 1090,
    CheckStatus.NET_NOT_FOUND: 2010,
    CheckStatus.NET_UNREACHABLE: 2020,
    CheckStatus.NET_TIMEOUT: 2030,
    CheckStatus.OFFLINE: 2040,
    CheckStatus.REFUSED: 2050,
    CheckStatus.PROTOCOL_UNSUPPORTED: 3010,
    CheckStatus.SYNTAX_URL: 3020,
}

_STANDINGS = {
    CheckStatus.NEW: Standing.OK,
    CheckStatus.EQUAL: Standing.OK,
    CheckStatus.SIMILAR: Standing.OK,
    CheckStatus.MOVED: Standing.MOVED,
    CheckStatus.THROTTLED: Standing.UNKNOWN,
    CheckStatus.OFFLINE: Standing.UNKNOWN,
    CheckStatus.REFUSED: Standing.UNKNOWN,
    CheckStatus.PROTOCOL_UNSUPPORTED: Standing.UNKNOWN,
}
