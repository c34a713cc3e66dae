"""A listing's filter and order as pieces of SQL; every value is bound."""

from afresh.core.protocols import ResourceFilter
from afresh.errors import UsageError
from afresh.store.sqlite.rows import clean

#: order -> (expression to sort by, whether the largest comes first); ties go by number
ORDERS = {
    "id": ("resource.id", False),
    "due": ("resource.due", False),
    "url": ("resource.url", False),
    "title": ("resource.title", False),
    "last_visit": ("coalesce(resource.last_visit, 0)", True),  # the latest first, those never visited last
}


def where_clause(where: ResourceFilter) -> tuple[str, dict[str, object]]:
    """The condition, "true" if everything matches, and its values."""
    pieces: list[str] = []
    values: dict[str, object] = {}
    for name in ("kind", "status", "folder"):
        if (value := getattr(where, name)) is not None:
            pieces.append(f"resource.{name} = :{name}")
            values[name] = clean(str(value))
    if where.site is not None:
        pieces.append("resource.site_id = (SELECT id FROM site WHERE name = :site)")
        values["site"] = clean(where.site)
    if where.tag is not None:
        pieces.append("EXISTS (SELECT 1 FROM json_each(resource.tags) WHERE value = :tag)")
        values["tag"] = clean(where.tag)
    if where.failing is not None:
        pieces.append("resource.failures > 0" if where.failing else "resource.failures = 0")
    if where.text:
        pieces.append("(resource.url LIKE :text ESCAPE '\\' OR resource.title LIKE :text ESCAPE '\\')")
        values["text"] = f"%{_escape_like(clean(where.text))}%"
    return " AND ".join(pieces) or "true", values


def listing(where: ResourceFilter, *, after: int, limit: int, order: str) -> tuple[str, dict[str, object]]:
    """A page of resources behind the resource ``after`` (0: from the start) in the given order."""
    if order not in ORDERS:
        raise UsageError(f"cannot order resources by {order!r}; one of {', '.join(ORDERS)}")
    expression, descending = ORDERS[order]
    direction, beyond = ("DESC", "<") if descending else ("ASC", ">")
    condition, values = where_clause(where)
    values |= {"after": after, "limit": limit}
    if order == "id":
        condition += " AND resource.id > :after"
    elif after:
        place = f"SELECT {expression}, resource.id FROM resource WHERE resource.id = :after"
        condition += f" AND ({expression}, resource.id) {beyond} ({place})"
    sql = (
        "SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id"
        f" WHERE {condition} ORDER BY {expression} {direction}, resource.id {direction} LIMIT :limit"
    )
    return sql, values


def _escape_like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
