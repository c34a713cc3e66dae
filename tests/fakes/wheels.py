"""A wheel of a pure Python project, made without a build tool: for tests that install a package offline."""

import tomllib
import zipfile
from pathlib import Path


def make_wheel(project: Path, into: Path) -> Path:
    """The project's packages below ``src``, its name and its entry points, as ``pip`` wants them."""
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    stem = f"{about['name'].replace('-', '_')}-{about['version']}"
    info, points = f"{stem}.dist-info", about.get("entry-points", {})
    files = {str(path.relative_to(project / "src")): path.read_text("utf-8") for path in project.glob("src/**/*.py")}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = "\n".join(
        line for group, named in points.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in named.items()))
    )
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    wheel = into / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel
