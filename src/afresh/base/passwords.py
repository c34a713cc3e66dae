"""Passwords inside URLs and connection strings, replaced before anything is shown, logged or raised."""

import re

HIDDEN = "(hidden)"
_IN_FRONT_OF_HOST = re.compile(r"(?<=://)([^/@\s:]*):[^?\s]*@")  # up to the last @: better too much than too little
_AS_PARAMETER = re.compile(r"(?i)((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s#]+)")


def hide_password(text: str) -> str:
    """The text with every password of a URL in it replaced.

    >>> hide_password("postgresql://me:p@ss@db/x?sslpassword=y&port=1")
    'postgresql://me:(hidden)@db/x?sslpassword=(hidden)&port=1'
    """
    return _AS_PARAMETER.sub(rf"\1{HIDDEN}", _IN_FRONT_OF_HOST.sub(rf"\1:{HIDDEN}@", text))
