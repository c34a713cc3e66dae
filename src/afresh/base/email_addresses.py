"""What an e-mail address looks like, for whoever asks for one and whoever checks it."""

import re
from typing import Final

EMAIL: Final = r"^[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]+\.[^@\s\x00-\x1f.]+$"


def is_email(text: str) -> bool:
    """Whether somebody might be reached there.

    >>> is_email("ops@example.org"), is_email("me"), is_email("me@home")
    (True, False, False)
    """
    return len(text) <= 254 and re.match(EMAIL, text) is not None
