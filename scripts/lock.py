"""Prints the versions of everything that afresh and its developers need, as they are installed.

No address of an index is in it: whoever installs it says from where, or takes pip's own.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_HEAD = """# Versions that the tests passed with; renewed by `make lock`, installed by pip install -r
# For Python 3.11 on Linux; other systems take what pyproject.toml allows."""


def locked() -> dict[str, str]:
    """Every package that afresh needs with its extra ``dev``, itself left out; name: version."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [("afresh", ""), ("afresh", "dev")]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for wanted in _wanted_by(name, found):
            if _holds(wanted.marker, extra):
                key = re.sub(r"[-_.]+", "-", wanted.name).lower()
                waiting += [(key, more) for more in ("", *sorted(wanted.extras))]
    return dict(sorted(found.items()))


def _wanted_by(name: str, found: dict[str, str]) -> list[Requirement]:
    """What a package asks for; it is taken down with its version. Ours asks as its project file says now."""
    if name == "afresh":
        project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
        texts = [*project["dependencies"]]
        for extra, more in project["optional-dependencies"].items():
            texts += [f"{text}{' and' if ';' in text else ';'} extra == '{extra}'" for text in more]
        return [Requirement(text) for text in texts]
    try:
        package = distribution(name)
    except PackageNotFoundError:  # of another system, or of an extra nobody has
        return []
    found[name] = package.version
    return [Requirement(text) for text in package.requires or ()]


def _holds(marker: Marker | None, extra: str) -> bool:
    return marker is None or marker.evaluate({"extra": extra})


if __name__ == "__main__":
    print(_HEAD)
    for package_name, version in locked().items():
        print(f"{package_name}=={version}")
