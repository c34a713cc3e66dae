"""Hides secrets a second time at the door, should an option not be marked as one."""

import re

HIDDEN = "(hidden)"
_SECRET_NAME = re.compile(r"token|secret|passw|credential|api_?key", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(?<=://)([^/@\s:]*):[^/@\s]*@")


def hide(name: str, value: str) -> str:
    """The value as it may be shown.

    >>> hide("service.tokens", "abc"), hide("store.url", "postgresql://me:pw@db/x")
    ('(hidden)', 'postgresql://me:(hidden)@db/x')
    """
    if value and _SECRET_NAME.search(name):
        return HIDDEN
    return _URL_PASSWORD.sub(rf"\1:{HIDDEN}@", value)
