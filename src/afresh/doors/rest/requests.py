"""The bodies clients send."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from afresh.base.errors import UsageError
from afresh.base.models import Kind
from afresh.doors.rest.params import DURATION, PLAIN
from afresh.engine import accepted_values as values
from afresh.engine.add import Wanted


def said(**bounds: Any) -> Any:
    """Bounds that the document tells of and ``engine.accepted_values`` keeps, with the words of every other door."""
    return Field(json_schema_extra=bounds)


_Interval = Annotated[float, DURATION, said(exclusiveMinimum=0, maximum=values.LONGEST_INTERVAL)]
_Weight = Annotated[float, said(exclusiveMinimum=0, maximum=values.LARGEST_WEIGHT)]
_Text = Annotated[str, said(maxLength=values.LONGEST_TEXT, pattern=PLAIN)]
Tag = Annotated[str, said(minLength=1, maxLength=values.LONGEST_TAG, pattern=PLAIN)]
Tags = Annotated[tuple[Tag, ...], said(maxItems=values.MOST_TAGS)]
Folder = _Text


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
        list[str],
        Field(
            min_length=1,
            max_length=1000,
            description="Each gets its own status: one that cannot be watched does not keep the others.",
            examples=[["https://e.org/feed"]],
        ),
    ]
    kind: Annotated[Kind, Field(description="What to watch them for.")] = Kind.FEED
    folder: Annotated[Folder, Field(description="Folder for all of them.")] = ""
    tags: Annotated[Tags, Field(description="Tags for all of them.")] = ()
    title: Annotated[_Text, Field(description="Title; empty: the feed's own.")] = ""
    weight: Annotated[_Weight, Field(description="Worth of an entry.")] = 1.0
    rule: Annotated[str | None, Field(description="Rule by name; null: the default.", examples=["mavsync"])] = None
    pinned: Annotated[_Interval | None, Field(description="The operator's own interval, seconds.")] = None
    discover: Annotated[bool, Field(description="Read the pages and add the feeds they announce.")] = False

    def wanted(self) -> list[Wanted]:
        for_all = self.model_dump(exclude={"urls", "discover"})
        return [Wanted(url=url, **for_all) for url in self.urls]


#: Second names of fields, from the feed thesis.
_SECOND_NAMES = {"predictor": "rule", "alpha": "shortest", "beta": "longest", "eta": "standard"}


class ResourcePatch(BaseModel):
    """What an operator may change; a field left out stays, null goes back to the default."""

    model_config = ConfigDict(extra="forbid")

    kind: Annotated[
        Kind, Field(description="A page becomes a link, or back: its versions stay.", examples=["link"])
    ] = Kind.PAGE
    url: Annotated[
        str,
        Field(max_length=8_000, pattern=r"^[^\x00]*$", description="Another address; entries stay. Empty: as it is."),
    ] = ""
    title: Annotated[_Text, Field(description="Empty: the feed's own.")] = ""
    folder: Folder = ""
    tags: Tags = ()
    note: Annotated[str, Field(max_length=10_000, description="What its owner writes about it.")] = ""
    weight: Annotated[_Weight, Field(description="Worth of an entry.")] = 1.0
    rule: Annotated[str | None, Field(description="Rule by name.", examples=["mavsync"])] = None
    pinned: Annotated[_Interval | None, Field(description="The operator's own interval, seconds.")] = None
    shortest: Annotated[_Interval | None, Field(description="Shortest interval, seconds.")] = None
    longest: Annotated[_Interval | None, Field(description="Longest interval, seconds.")] = None
    standard: Annotated[_Interval | None, Field(description="Interval where none can be computed, seconds.")] = None
    predictor: Annotated[str | None, Field(description="Another name of `rule`.", examples=["mavsync"])] = None
    alpha: Annotated[_Interval | None, Field(description="Another name of `shortest`.")] = None
    beta: Annotated[_Interval | None, Field(description="Another name of `longest`.")] = None
    eta: Annotated[_Interval | None, Field(description="Another name of `standard`.")] = None
    paused: Annotated[bool, Field(description="True: no visits; false: visit (again), also after 410.")] = False

    def changes(self) -> dict[str, object]:
        """Only what was sent, by the names of the glossary."""
        sent = {name: getattr(self, name) for name in self.model_fields_set}
        for second, name in _SECOND_NAMES.items():
            if second in sent and sent.setdefault(name, sent[second]) != sent.pop(second):
                raise UsageError(f"{name} and {second} are the same, and differ; send one of them")
        return sent
