"""The parameters routes share: bounded, so that nothing a client sends can reach the store and fail there."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from pydantic import Field

from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.guard import CALLER

BIGGEST = 2**63 - 1  # both stores keep numbers in 64 bits
PLAIN = r"^[^\x00]*$"  # NUL: PostgreSQL cannot store it


def get_context(request: Request) -> ServiceContext:
    """The context the app was made with."""
    context: ServiceContext = request.app.state.context
    return context


def get_user(request: Request) -> str:
    """The name of the person who asks; empty: shown by a token, or nobody had to say."""
    name: str = request.scope[CALLER].name
    return name


User = Annotated[str, Depends(get_user)]
Context = Annotated[ServiceContext, Depends(get_context)]
ResourceId = Annotated[int, Path(ge=1, le=BIGGEST, description="Number of a resource.", examples=[17])]
After = Annotated[int, Query(ge=0, le=BIGGEST, description="Where to read on: `next` of the answer before.")]
Before = Annotated[int | None, Query(ge=1, le=BIGGEST, description="Only rows older than this one.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
VersionQuery = Annotated[int | None, Query(ge=1, le=BIGGEST, description="Number of a stored version.")]
Text = Annotated[str, Field(max_length=1000, pattern=PLAIN)]
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)]
