"""The bodies clients send."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from afresh.base.models import Kind, Status
from afresh.doors.rest.params import Text, Word

_TEN_YEARS = 315_360_000.0
_Interval = Annotated[float, Field(gt=0, le=_TEN_YEARS, allow_inf_nan=False)]


Seq = Annotated[int, Field(ge=1, le=2**63 - 1, description="Sequence number of an entry.")]


class RelevanceRequest(BaseModel):
    """Which entries were worth something, by sequence number."""

    model_config = ConfigDict(extra="forbid")

    relevant: Annotated[
        list[Annotated[int, Field(ge=1, le=2**63 - 1)]], Field(max_length=1000, examples=[[17, 18]])
    ] = []
    irrelevant: Annotated[list[Annotated[int, Field(ge=1, le=2**63 - 1)]], Field(max_length=1000, examples=[[19]])] = []


class AddRequest(BaseModel):
    """URLs to watch."""

    model_config = ConfigDict(extra="forbid")

    urls: Annotated[
        list[Annotated[str, Field(max_length=8000)]],
        Field(
            min_length=1, max_length=1000, description="Each gets its own status.", examples=[["https://e.org/feed"]]
        ),
    ]
    kind: Annotated[Kind, Field(description="What to watch them for.")] = Kind.FEED
    folder: Annotated[Text, Field(description="Folder for all of them.")] = ""
    tags: Annotated[tuple[Word, ...], Field(max_length=50, description="Tags for all of them.")] = ()
    title: Annotated[Text, Field(description="Title; empty: the feed's own.")] = ""
    discover: Annotated[bool, Field(description="Read the pages and add the feeds they announce.")] = False


class ResourcePatch(BaseModel):
    """What an operator may change; a field left out stays, null goes back to the default."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[Text, Field(description="Empty: the feed's own.")] = ""
    folder: Text = ""
    tags: Annotated[tuple[Word, ...], Field(max_length=50)] = ()
    weight: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False, description="Worth of an entry.")] = 1.0
    predictor: Annotated[Word | None, Field(description="Rule by name.", examples=["mavsync"])] = None
    pinned: Annotated[_Interval | None, Field(description="The operator's own interval, seconds.")] = None
    alpha: Annotated[_Interval | None, Field(description="Shortest interval, seconds.")] = None
    beta: Annotated[_Interval | None, Field(description="Longest interval, seconds.")] = None
    eta: Annotated[_Interval | None, Field(description="Interval where none can be computed, seconds.")] = None
    paused: Annotated[bool, Field(description="True: no visits; false: visit (again), also after 410.")] = False

    def changes(self) -> dict[str, object]:
        """The store's changes: only what was sent."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        if "paused" in sent:
            sent["status"] = Status.PAUSED if sent.pop("paused") else Status.ACTIVE
        return sent
