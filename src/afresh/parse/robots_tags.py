"""What a page says to crawlers about its links: ``<meta name="robots">`` and the header ``X-Robots-Tag``."""

_NOT_FOLLOWED = frozenset(("nofollow", "none"))
_WITH_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")  # and no crawlers


def forbids_following(said: str, *, agent: str = "afresh") -> bool:
    """Whether the links of a page are not to be followed, as its mark-up or header says.

    A name before a colon addresses what follows it to one crawler, up to the next name.

    >>> [forbids_following(said) for said in ("noindex, NOFOLLOW", "none", "index, follow", "")]
    [True, True, False, False]
    >>> [forbids_following(said) for said in ("otherbot: noindex, nofollow", "otherbot: none, afresh: nofollow")]
    [False, True]
    """
    is_ours = True
    for part in said.lower().split(","):
        name, colon, rest = part.strip().partition(":")
        if colon and name.strip() not in _WITH_VALUES:
            is_ours = name.strip() in (agent.lower(), "*")
            name = rest
        if is_ours and name.strip() in _NOT_FOLLOWED:
            return True
    return False
