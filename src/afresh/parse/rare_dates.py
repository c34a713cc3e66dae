"""Dates that no standard of feeds describes, written as one of them: short ISO forms, months in other languages.

What comes back is English RFC 822 or ISO 8601, for ``parse.dates`` to read; None means that this is no date at all.
"""

import re
import unicodedata
from datetime import UTC, date, datetime

# One line a language: English, German, French, Spanish, Italian, Portuguese, Dutch, Hungarian, Greek, Polish, Russian.
_LANGUAGES = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
január február március április május június július augusztus szeptember október november december
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
"""
_ENGLISH = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SEOUL = "+0900"
_AFTERNOON = "오후"
_WORD = re.compile(r"[^\W\d_]+\.?")
_LEADING = re.compile(rf"\A[^\d]*?,\s*|\A(?!(?:{'|'.join(_ENGLISH)})\b)[^\W\d_]+\.?\s+(?=\d)")
_KOREAN = re.compile(r"(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일\s+(\d{1,2}:\d\d(?::\d\d)?)\Z")
_KOREAN_HALVES = re.compile(rf"(\d{{4}}-\d\d-\d\d)\s+(오전|{_AFTERNOON})\s+(\d{{1,2}})(:\d\d(?::\d\d)?)\Z")
_CHINESE = re.compile(r"(\d{4})年\s*(\d{1,2})月\s*(\d{1,2})日(?:\s*(\d{1,2}:\d\d(?::\d\d)?))?\Z")
_UNIX = re.compile(r"(1\d{9})(?:\d{3})?\Z")  # seconds or thousandths from 2001 to 2033
# What programs write behind a zone (Java "[Europe/Berlin]", JavaScript "(CET)"), and hours east of Greenwich.
_REGION = re.compile(r"\s*(?:\[[\w/+-]*\]|\([^()]*\))\Z")
_GREENWICH = re.compile(r"\s?\b(?:GMT|UTC?)\s?([+-])(\d{1,2})(?::?(\d\d))?\Z", re.IGNORECASE)
_NAMED_MONTH = re.compile(r"(\d{4})-([A-Z][a-z]{2})-(\d{1,2})(?:[T ](\d{1,2})(:.*))?\Z")
_THREE_DIGITS = re.compile(r"(\d{4})-0(\d\d)-(\d\d)(.*)\Z")
_YEAR = re.compile(r"(19[7-9]\d|20\d\d)(?:-(\d\d))?\Z")
_SHORT = re.compile(r"-(\d\d)-?(\d\d)()\Z|(\d\d)(-?)(\d\d)\5(\d\d)\Z")
_ORDINAL = re.compile(r"(\d{4}|\d\d)-?(\d{3})\Z")
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})(?:\s+(\d{1,2}:\d\d(?::\d\d)?)\s*(.*))?\Z")
# Too many parts, a month beyond December, a zone made of letters where digits belong.
_NONSENSE = re.compile(r"\d{4}-\d\d-\d\d-|\d{4}-(?:1[3-9]|[2-9]\d)-|.*[+-][a-z]{2}:|.*[+-]\d\d:[a-z]", re.IGNORECASE)


def _bare(word: str) -> str:
    """A word in small letters, without accents and full stop."""
    parts = unicodedata.normalize("NFKD", word.lower().rstrip("."))
    return "".join(c for c in parts if not unicodedata.combining(c))


def _month_names() -> dict[str, str]:
    """Names and their beginnings, unless two months begin like that ("jui" in French)."""
    found: dict[str, set[str]] = {}
    for language in _LANGUAGES.split("\n"):
        for month, name in zip(_ENGLISH, language.split(), strict=False):
            bare = _bare(name)
            for beginning in {bare, bare[:3], bare[:4], bare[:5]}:
                found.setdefault(beginning, set()).add(month)
    return {name: months.pop() for name, months in found.items() if len(months) == 1}


_MONTHS = _month_names()


def is_nonsense(text: str) -> bool:
    """Whether it only looks like a date: guessing would make one of it."""
    return _NONSENSE.match(text) is not None


def rewritten(text: str) -> str | None:
    """The date in a form of the standards, None if it has none of the forms known here.

    >>> rewritten("Κυρ, 11 Ιούλ 2004 12:00:00 EST"), rewritten("2004-július-13T9:15-05:00"), rewritten("7. März 2002")
    ('11 Jul 2004 12:00:00 EST', '2004-07-13T09:15-05:00', '7 Mar 2002')
    >>> rewritten("2003-12"), rewritten("-0312"), rewritten("03335"), rewritten("2004년 05월 28일  01:31:15")
    ('2003-12-01', '2003-12-01', '2003-12-01', '2004-05-28 01:31:15+0900')
    """
    plain = _GREENWICH.sub(_east, _REGION.sub("", text))
    found = _from_digits(plain) or _from_korean(plain) or _from_words(plain)
    return found or (plain if plain != text else None)


def _east(zone: re.Match[str]) -> str:
    """Hours before or behind Greenwich as people mean them; POSIX, and who follows it, has them the other way round."""
    return f" {zone[1]}{zone[2]:0>2}{zone[3] or '00'}"


def _from_digits(text: str) -> str | None:
    if found := _YEAR.match(text):
        return f"{found[1]}-{found[2] or '01'}-01"
    if found := _SHORT.match(text):
        year, month, day = (found[1], found[2], "01") if found[1] else (found[4], found[6], found[7])
        return f"{_century(year)}-{month}-{day}"
    if found := _ORDINAL.match(text):
        return _of_year(int(_century(found[1])), int(found[2]))
    if found := _UNIX.match(text):
        return datetime.fromtimestamp(int(found[1]), UTC).isoformat()
    if found := _CHINESE.match(text):
        year, month, day, time = found.groups()
        return f"{year}-{int(month):02}-{int(day):02}" + (f" {time:0>5}" if time else "")
    if found := _THREE_DIGITS.match(text):
        return f"{found[1]}-{found[2]}-{found[3]}{found[4]}"
    if found := _SLASHES.match(_LEADING.sub("", text)):
        year, month, day, time, zone = found.groups()
        return (
            f"{day} {_ENGLISH[int(month) - 1]} {year} {time or '00:00'} {zone or ''}" if 1 <= int(month) <= 12 else None
        )
    return None


def _century(year: str) -> str:
    return year if len(year) == 4 else ("20" if int(year) < 70 else "19") + year


def _of_year(year: int, day: int) -> str | None:
    """A day counted from the first of January."""
    found = date.fromordinal(date(year, 1, 1).toordinal() + day - 1)
    return found.isoformat() if found.year == year else None


def _from_korean(text: str) -> str | None:
    if found := _KOREAN.match(text):
        year, month, day, time = found.groups()
        return f"{year}-{int(month):02}-{int(day):02} {time:0>8}{_SEOUL}"
    if found := _KOREAN_HALVES.match(text):
        day, half, hour, rest = found.groups()
        hours = int(hour) % 12 + (12 if half == _AFTERNOON else 0)
        return f"{day} {hours:02}{rest}{_SEOUL}"
    return None


def _from_words(text: str) -> str | None:
    """Names of months in English, names of days gone."""
    english = _WORD.sub(lambda word: _MONTHS.get(_bare(word[0]), word[0]), text)
    if found := _NAMED_MONTH.match(english):
        year, month, day, hour, rest = found.groups()
        time = f"T{int(hour):02}{rest}" if hour else ""
        return f"{year}-{_ENGLISH.index(month) + 1:02}-{int(day):02}{time}" if month in _ENGLISH else None
    english = re.sub(r"(\d)\.(?=\s)|(?<=\s)(?:de|del|di)\s", r"\1", _LEADING.sub("", english))
    return english if english != text else None
