"""A listing's filter and order as pieces of SQL; every value is bound."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from afresh.base.errors import UsageError
from afresh.base.folder_names import SLASH, named
from afresh.base.models import Kind, ResourceFilter, Status
from afresh.base.search_words import words_sought
from afresh.store.buckets import BUCKETS
from afresh.store.named_sql import Statement
from afresh.store.sql.rows import clean, pack_strings
from afresh.store.sql.words import having

_NAMED = ("url", "title", "tags", "folder")  # where words are looked for; the index resource_by_title has them
GLIMPSE = 1_000  # rows looked at before a search goes through all of them
_OF_SITE = "site.id = resource.site_id {AND site.bucket = resource.bucket}"
LATELY = 5  # newest visits looked at for each of the latest visited that a page shows
#: order -> (expression to sort by, whether the largest comes first); ties go by number
ORDERS = {
    "id": ("resource.id", False),
    "due": ("resource.due", False),
    "url": ("resource.url", False),
    "title": ("resource.title", False),
    "last_visit": ("coalesce(resource.last_visit, 0)", True),  # the latest first, those never visited last
}
# The last visit failed, or it went well and there is something to say of it all the same (a page without what is
# watched of it); each half has an index.
_FAILING = (
    "(resource.failures > 0 OR (resource.error <> '' AND resource.failures = 0"
    " AND resource.last_result IN ('new', 'same', 'not_modified')))"
)


def in_both(build: Callable[[str], tuple[str, dict[str, object]]]) -> tuple[Statement, dict[str, object]]:
    """A text for each database, by what makes letters small there before they are compared.

    LIKE of SQLite takes small and large letters of ASCII for the same, in a third of the time of lower and instr.
    """
    text, values = build("")
    return _told_apart(text, build("lower")[0]), values


@lru_cache(maxsize=512)
def _told_apart(text: str, postgres: str) -> Statement:
    return Statement.called("", text, postgres=postgres).in_buckets(BUCKETS)


def within_folder(column: str) -> str:
    """Whether a column names ``folder`` or one below it: a folder holds what those below it hold.

    Who types a slash means that of a name (``base.folder_names``) as well as the one between two folders.
    """
    typed = f"replace(substr({column}, 1, length(:folder)), '{SLASH}', '/')"
    return f"({typed} = :folder AND substr({column} || '/', length(:folder) + 1, 1) = '/')"


def folder_value(folder: str) -> str:
    """The value of ``folder``, however somebody writes its path; empty: what is in none.

    >>> folder_value("/News/Local/ ")
    'News/Local'
    """
    return clean(named(folder.strip("/ ")))


def where_clause(where: ResourceFilter, small: str) -> tuple[str, dict[str, object]]:
    """The condition, "true" if everything matches, and its values."""
    condition, values = _wide(where)
    narrow, narrow_values = _narrow(where, "resource", small)
    return f"{condition} AND {narrow}" if narrow else condition, values | narrow_values


def _wide(where: ResourceFilter) -> tuple[str, dict[str, object]]:
    """The part of a filter that other indexes answer, or the row itself."""
    pieces: list[str] = []
    values: dict[str, object] = {}
    if where.status is not None:
        pieces.append("resource.status = :status")
        values["status"] = clean(str(where.status))
    if where.site is not None:
        pieces.append("resource.site_id = (SELECT id FROM site WHERE name = :site)")
        values["site"] = clean(where.site)
    if where.failing is not None:
        pieces.append(_FAILING if where.failing else f"NOT {_FAILING}")
    if where.repaired is not None:
        pieces.append("resource.repaired <> ''" if where.repaired else "resource.repaired = ''")
    if where.kind is not None and not _is_searched(where):
        # An expression, so that no index is chosen for it: that would be one without the order asked for.
        pieces.append("(resource.kind || '') = :kind")
        values["kind"] = clean(str(where.kind))
    return " AND ".join(pieces) or "true", values


def _narrow(where: ResourceFilter, table: str, small: str) -> tuple[str, dict[str, object]]:
    """The part of a filter that the index resource_by_title can answer alone; empty: none."""
    pieces: list[str] = []
    values: dict[str, object] = {}
    if not _is_searched(where):
        return "", values
    if where.kind is not None:
        pieces.append(f"{table}.kind = :kind")
        values["kind"] = clean(str(where.kind))
    if where.folder is not None:
        pieces.append(within_folder(f"{table}.folder"))
        values["folder"] = folder_value(where.folder)
    if where.tag is not None:
        # The text is looked at first: most rows need not be taken apart.
        pieces.append(f"instr({table}.tags, :quoted) > 0 AND has_tag({table}.tags, :tag)")
        values |= tag_values(where.tag)
    if where.text:
        condition, named = having(words_sought(where.text), [f"{table}.{name}" for name in _NAMED], small)
        pieces.append(condition)
        values |= named
    return " AND ".join(pieces), values


def _is_searched(where: ResourceFilter) -> bool:
    """Whether few resources may match. A kind alone matches many as a rule: to gather them all first would not pay.

    A kind that is not the usual one is searched for, too, unless the few that fail are looked at anyway.
    """
    is_rare = where.kind in (Kind.PAGE, Kind.LINK, Kind.SITEMAP) and not where.failing
    return is_rare or bool(where.text) or where.tag is not None or where.folder is not None


def listing(where: ResourceFilter, *, after: int, limit: int, order: str) -> tuple[Statement, dict[str, object]]:
    """A page of resources behind the resource ``after`` (0: from the start) in the given order."""
    return in_both(lambda small: _listing(where, after=after, limit=limit, order=order, small=small))


def _listing(where: ResourceFilter, *, after: int, limit: int, order: str, small: str) -> tuple[str, dict[str, object]]:
    if order not in ORDERS:
        raise UsageError(f"cannot order resources by {order!r}; one of {', '.join(ORDERS)}")
    expression, descending = ORDERS[order]
    direction, beyond = ("DESC", "<") if descending else ("ASC", ">")
    condition, values = _wide(where)
    values |= {"after": after, "limit": limit}
    if order == "id":
        condition += " AND resource.id > :after"
    elif after:
        place = f"SELECT {expression}, resource.id FROM resource WHERE resource.id = :after"
        condition += f" AND ({expression}, resource.id) {beyond} ({place})"
    narrow, narrow_values = _narrow(where, "named", small)
    found = ""
    if narrow:
        # Asked once, of an index that holds just these columns: rows are wide, there may be hundreds of thousands.
        found = f"WITH found AS MATERIALIZED (SELECT named.id FROM resource AS named WHERE {narrow}) "
        condition += " AND resource.id IN (SELECT found.id FROM found)"
    by = f"{expression} {direction}, resource.id {direction}"
    if where.failing:
        # The few that fail are gathered and sorted: an index of the order asked for would be read to its end for them.
        kept = f"SELECT resource.id, {expression} AS place FROM resource WHERE {condition}"
        found += f"{', ' if found else 'WITH '}failing AS MATERIALIZED ({kept}) "
        first = (
            f"SELECT failing.id FROM failing ORDER BY failing.place {direction}, failing.id {direction} LIMIT :limit"
        )
        condition = f"resource.id IN ({first})"
    elif group := _GROUPS.get(order):
        condition = _each(group, getattr(where, group[0]), condition, by)
    elif order == "url":  # sorted are narrow rows of an index; only the page's own are read in full
        condition = f"resource.id IN (SELECT resource.id FROM resource WHERE {condition} ORDER BY {by} LIMIT :limit)"
    sql = (
        f"{found}SELECT resource.*, site.name AS site FROM resource JOIN site ON {_OF_SITE}"
        f" WHERE {condition} ORDER BY {by} LIMIT :limit"
    )
    return sql, values | narrow_values


def glimpse(where: ResourceFilter, *, limit: int) -> tuple[Statement, dict[str, object]] | None:
    """The same by due from the start, but only among the first rows: a full page there is the page.

    What many resources match is found here at once; what few match would take the search through all of them. None
    where there is nothing to search for, or where the order within a status is not enough.
    """
    if where.status is None or not _is_searched(where):
        return None
    return in_both(lambda small: _glimpse(where, limit=limit, small=small))


def _glimpse(where: ResourceFilter, *, limit: int, small: str) -> tuple[str, dict[str, object]]:
    narrow, values = _narrow(where, "resource", small)
    condition, wide = _wide(where)
    sql = (
        f"SELECT resource.*, site.name AS site FROM resource JOIN site ON {_OF_SITE}"
        f" WHERE resource.id IN (SELECT id FROM (SELECT resource.id FROM resource WHERE {condition} "
        f"ORDER BY resource.due, resource.id LIMIT :first) AS part) AND {narrow} "
        "ORDER BY resource.due, resource.id LIMIT :limit"
    )
    return sql, values | wide | {"limit": limit, "first": GLIMPSE}


def lately(where: ResourceFilter, *, after: int, limit: int) -> tuple[Statement, dict[str, object]]:
    """The latest visited, by the log: resources of the newest visits, down to the oldest of these.

    Who was visited after that one has its visit among them, so a full page is the page; if it is not full, all
    resources have to be sorted. An index would spare that, and cost every visit that is recorded a seventh more.
    """
    return in_both(lambda small: _lately(where, after=after, limit=limit, small=small))


def _lately(where: ResourceFilter, *, after: int, limit: int, small: str) -> tuple[str, dict[str, object]]:
    condition, values = where_clause(where, small)
    place = "SELECT {} FROM resource AS last WHERE last.id = :after"
    before = f"WHERE visit.finished <= ({place.format('last.last_visit')})" if after else ""
    if after:
        condition += f" AND (resource.last_visit, resource.id) < ({place.format('last.last_visit, last.id')})"
    sql = (
        "WITH lately AS MATERIALIZED (SELECT visit.resource_id, visit.finished FROM visit "
        f"{before} ORDER BY visit.finished DESC LIMIT :first), "
        # Gathered before they are filtered: a planner that thinks little of the filter would read all for it.
        "near AS MATERIALIZED (SELECT resource.* FROM resource"
        " WHERE resource.id IN (SELECT lately.resource_id FROM lately)"
        " AND resource.last_visit > (SELECT min(lately.finished) FROM lately)) "
        f"SELECT resource.*, site.name AS site FROM near AS resource JOIN site ON {_OF_SITE}"
        f" WHERE {condition} ORDER BY resource.last_visit DESC, resource.id DESC LIMIT :limit"
    )
    return sql, values | {"after": after, "limit": limit, "first": LATELY * limit}


#: order -> (first column of the index that has it, the values of that column)
_GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "due": ("status", tuple(Status)),
    "title": ("kind", tuple(Kind)),
}


def _each(group: tuple[str, tuple[str, ...]], asked: object, condition: str, by: str) -> str:
    """The first rows of each value of a column, from which the first of all are taken.

    The index has the order only behind that column: so its parts are read in order and merged, and nothing is sorted.
    """
    column, known = group
    chosen = known if asked is None else (str(asked),)
    parts = (
        f"SELECT id FROM (SELECT resource.id FROM resource WHERE resource.{column} = '{value}' AND {condition} "
        f"ORDER BY {by} LIMIT :limit) AS part"
        for value in chosen
        if value in known
    )
    return f"resource.id IN ({' UNION ALL '.join(parts)})"


def tag_values(tag: str) -> dict[str, str]:
    """A tag as it is, and as it stands in the JSON array of a resource's tags."""
    cleaned = clean(tag)
    return {"tag": cleaned, "quoted": pack_strings([cleaned])[1:-1]}
