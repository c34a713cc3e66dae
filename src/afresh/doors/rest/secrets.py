"""Hides secrets a second time at the door, should an option not be marked as one."""

import re

from afresh.base.passwords import HIDDEN, hide_password

_SECRET_NAME = re.compile(r"token|secret|passw|credential|api_?key", re.IGNORECASE)


def hide(name: str, value: str) -> str:
    """The value as it may be shown.

    >>> hide("service.tokens", "abc"), hide("store.url", "postgresql://me:pw@db/x")
    ('(hidden)', 'postgresql://me:(hidden)@db/x')
    """
    if value and _SECRET_NAME.search(name):
        return HIDDEN
    return hide_password(value)
