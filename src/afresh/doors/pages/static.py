"""The style sheet and the script of the pages, served from the package."""

from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_FOLDER = Path(__file__).parent / "static"


class Assets(StaticFiles):
    """Files a browser may keep, asking each time whether they are current (an upgrade shows at once)."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def static_files() -> Assets:
    """The app to mount under ``/static``."""
    return Assets(directory=_FOLDER)
