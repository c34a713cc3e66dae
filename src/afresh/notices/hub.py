"""Asking a WebSub hub: a form is posted, held to the same address guard as every fetch."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

import aiohttp

from afresh.base.errors import FetchError
from afresh.http.failures import detail_of
from afresh.http.posting import Poster

_TIMEOUT = 30.0


class HubClient:
    """Implements ``notices.push.Hub``."""

    def __init__(self, poster: Poster) -> None:
        self._poster = poster

    async def ask(self, hub: str, fields: Mapping[str, str]) -> str:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            async with asyncio.timeout(_TIMEOUT):
                status = await self._poster.post(hub, urlencode(fields).encode(), headers)
        except TimeoutError:
            return f"the hub did not answer within {_TIMEOUT:g} s"
        except (FetchError, aiohttp.ClientError, OSError, ValueError) as error:
            return detail_of(error)
        return "" if 200 <= status < 300 else f"the hub answered {status}"

    async def close(self) -> None:
        await self._poster.close()
