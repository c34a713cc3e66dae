"""The parameters routes share: bounded, so that nothing a client sends can reach the store and fail there."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from pydantic import BeforeValidator, Field

from afresh.base.durations import format_duration, parse_duration
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.incoming_gate import CALLER

BIGGEST = 2**63 - 1  # both stores keep numbers in 64 bits
PLAIN = r"^[^\x00]*$"  # NUL: PostgreSQL cannot store it


#: How words are looked for, for the description of a parameter.
ALL_WORDS = 'all of them in any order; "…" keeps a phrase together'


def get_context(request: Request) -> ServiceContext:
    """The context the app was made with."""
    context: ServiceContext = request.app.state.context
    return context


def get_user(request: Request) -> str:
    """The name of the person who asks; empty: shown by a token, or nobody had to say."""
    name: str = request.scope[CALLER].name
    return name


def _seconds(value: object) -> object:
    """As settings and options read it; a number is seconds."""
    return parse_duration(value) if isinstance(value, str) else value


_LENGTH = Annotated[str, Field(pattern=r"^([0-9]{1,6}(ms|s|m|min|h|d|w))+$", examples=["15m"])]
#: A length of time whose bounds are kept elsewhere: seconds, or a text like `90s`, `15m` or `1d12h`.
DURATION = BeforeValidator(_seconds, json_schema_input_type=float | _LENGTH)


def duration(low: float, high: float) -> BeforeValidator:
    """The same within bounds, in seconds."""

    def read(value: object) -> object:
        seconds = _seconds(value)
        if isinstance(seconds, int | float) and not low <= seconds <= high:  # NaN neither
            raise ValueError(f"must lie between {format_duration(low)} and {format_duration(high)}")
        return seconds

    bounded = Annotated[float, Field(ge=low, le=high)]
    return BeforeValidator(read, json_schema_input_type=bounded | _LENGTH)


User = Annotated[str, Depends(get_user)]
Context = Annotated[ServiceContext, Depends(get_context)]
ResourceId = Annotated[int, Path(ge=1, le=BIGGEST, description="Number of a resource.", examples=[17])]
After = Annotated[int, Query(ge=0, le=BIGGEST, description="Where to read on: `next` of the answer before.")]
Before = Annotated[int | None, Query(ge=1, le=BIGGEST, description="Only rows older than this one.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
VersionQuery = Annotated[int | None, Query(ge=1, le=BIGGEST, description="Number of a stored version.")]
Text = Annotated[str, Field(max_length=1000, pattern=PLAIN)]
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)]
